// Schemas of answers and arguments that nodes of n8n have as JSON, or as an example.
import type { Json } from "stepweave";
import { isData } from "../data";
import type { Draft } from "../draft";
import type { Source } from "./source";

/** The schema that a node has as JSON, or as an example of it. */
export function parsed(helper: Source, draft: Draft): Json | undefined {
  const { parameters } = helper;
  for (const raw of [parameters["inputSchema"], parameters["jsonSchema"]]) {
    const schema = json(raw);
    if (isData(schema)) return sound(schema);
  }
  const example = json(parameters["jsonSchemaExample"]);
  if (example !== undefined) return schemaOf(example, 0);
  draft.remark(helper.name, "Write the schema of the answer.");
  return undefined;
}

/** A schema without types that are none, and without its edition, which is read as any: models get along without. A type that is written as nothing, beside others, is that of nothing. */
function sound(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema), (name, inner: unknown) => {
    if (name === "$schema" && typeof inner === "string") return undefined;
    if (name !== "type" || isData(inner)) return inner;
    const types = [inner].flat().map((type) => (type === null && Array.isArray(inner) ? "null" : type)).filter((type) => TYPES.has(type as string));
    return types.length === 0 ? undefined : Array.isArray(inner) ? [...new Set(types)] : inner;
  }) as Json;
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function json(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

/** A schema that an example fits. */
function schemaOf(example: unknown, depth: number): Json {
  if (depth > 20) return {};
  if (Array.isArray(example)) return { type: "array", items: example.length > 0 ? schemaOf(example[0], depth + 1) : {} };
  if (isData(example)) {
    const properties = Object.fromEntries(Object.entries(example).filter(([name]) => name !== "__proto__").map(([name, inner]) => [name, schemaOf(inner, depth + 1)]));
    return { type: "object", required: Object.keys(properties), properties };
  }
  return example === null ? {} : { type: typeof example };
}
