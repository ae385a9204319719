import { StepweaveError } from "../api/errors.js";
import { isObject } from "../api/json.js";
import { canonical } from "./json/canonical.js";
import { BY_NAME } from "./standard.js";

/** Keywords that annotate a value and do not constrain it. */
const NOTES = new Set(["title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"]);
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
 * Whether two JSON Schemas have the same constraints in the same words.
 * The order of keys does not count, nor titles, descriptions, comments, defaults and examples, nor whether the draft
 * is named that is meant anyway.
 */
export function sameSchema(left: unknown, right: unknown): boolean {
  return left === right || schemaText(left) === schemaText(right);
}

/** A text that two schemas share exactly when they are the same. */
export function schemaText(schema: unknown, depth = 0): string {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return canonical(schema);
  if (depth > MAX_DEPTH) throw new StepweaveError("limit", `the schema is nested deeper than ${MAX_DEPTH} schemas`);
  const members = Object.entries(schema)
    .filter(([key, member]) => !NOTES.has(key) && !(key === "$schema" && isCurrentDraft(member)))
    .map(([key, member]) => `${JSON.stringify(key)}:${memberText(key, member, depth)}`);
  return `{${members.sort().join()}}`;
}

/** Whether a `$schema` names the draft that is meant when none is named, or none is named. */
export function isCurrentDraft(name: unknown): boolean {
  return name === undefined || String(name).includes("2020-12");
}

function memberText(key: string, member: unknown, depth: number): string {
  if (BY_NAME.has(key) && isObject(member)) {
    const named = Object.entries(member).map(([name, schema]) => `${JSON.stringify(name)}:${schemaText(schema, depth + 1)}`);
    return `{${named.sort().join()}}`;
  }
  if ((LISTS.has(key) || key === "items") && Array.isArray(member)) return `[${member.map((schema) => schemaText(schema, depth + 1)).join()}]`;
  if (PARTS.has(key)) return schemaText(member, depth + 1);
  if (!SETS.has(key)) return canonical(member);
  const words = (Array.isArray(member) ? member : [member]).map((word) => canonical(word));
  return `[${[...new Set(words)].sort().join()}]`;
}
