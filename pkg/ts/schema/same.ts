import { StepweaveError } from "../errors.js";
import { canonical } from "./json/canonical.js";

/** What tells about a value and is no condition on it. */
const NOTES = new Set(["title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"]);
const BY_NAME = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const PARTS = new Set([
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
/** Lists in which the order says nothing. */
const SETS = new Set(["required", "type", "enum"]);
const MAX_DEPTH = 256;

/**
 * Whether two JSON Schemas ask for the same in the same words.
 * The order of keys does not count, nor titles, descriptions, comments, defaults and examples.
 */
export function sameSchema(left: unknown, right: unknown): boolean {
  return left === right || schemaText(left) === schemaText(right);
}

/** A text that two schemas share exactly when they are the same. */
export function schemaText(schema: unknown, depth = 0): string {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return canonical(schema);
  if (depth > MAX_DEPTH) throw new StepweaveError("limit", `the schema is nested deeper than ${MAX_DEPTH} schemas`);
  const members = Object.entries(schema)
    .filter(([key]) => !NOTES.has(key))
    .map(([key, member]) => `${JSON.stringify(key)}:${memberText(key, member, depth)}`);
  return `{${members.sort().join()}}`;
}

function memberText(key: string, member: unknown, depth: number): string {
  if (BY_NAME.has(key) && typeof member === "object" && member !== null && !Array.isArray(member)) {
    const named = Object.entries(member).map(([name, schema]) => `${JSON.stringify(name)}:${schemaText(schema, depth + 1)}`);
    return `{${named.sort().join()}}`;
  }
  if ((LISTS.has(key) || key === "items") && Array.isArray(member)) return `[${member.map((schema) => schemaText(schema, depth + 1)).join()}]`;
  if (PARTS.has(key)) return schemaText(member, depth + 1);
  if (!SETS.has(key)) return canonical(member);
  const words = (Array.isArray(member) ? member : [member]).map((word) => canonical(word));
  return `[${[...new Set(words)].sort().join()}]`;
}
