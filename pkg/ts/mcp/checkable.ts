import type { JsonObject } from "../api/document.js";
import { isObject } from "../api/json.js";
import { pointed } from "../schema/json/pointer.js";
import { patternOf } from "../schema/pattern.js";

/** What holds schemas by names that say nothing of them. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** What holds values, in which nothing is a schema. */
const VALUES = new Set(["const", "enum", "default", "examples"]);
/** What lies deeper is left to whoever refuses schemas that nest so. */
const MOST_DEEP = 128;

/**
 * A schema of a server without what no check here may have: patterns that are not matched in linear time, and references
 * that lead nowhere, elsewhere or in a circle. The server looks at them itself.
 */
export function checkable(schema: JsonObject): JsonObject {
  return within(schema, 0, schema) as JsonObject;
}

function within(part: unknown, depth: number, root: JsonObject): unknown {
  if (depth > MOST_DEEP) return part;
  if (Array.isArray(part)) return part.map((item) => within(item, depth + 1, root));
  if (!isObject(part)) return part;
  const entries = Object.entries(part).filter(([key, value]) => typeof value !== "string" || (key === "pattern" ? isMatched(value) : key !== "$ref" || isFound(value, root)));
  return Object.fromEntries(entries.map(([key, value]) => [key, VALUES.has(key) ? value : NAMED.has(key) ? named(key, value, depth + 1, root) : within(value, depth + 1, root)]));
}

function named(key: string, schemas: unknown, depth: number, root: JsonObject): unknown {
  if (!isObject(schemas)) return schemas;
  const entries = Object.entries(schemas).filter(([name]) => key !== "patternProperties" || isMatched(name));
  return Object.fromEntries(entries.map(([name, schema]) => [name, within(schema, depth + 1, root)]));
}

function isMatched(pattern: string): boolean {
  return !("message" in patternOf(pattern));
}

/** Whether a reference leads to a schema of the same text, over as many others as it may be. */
function isFound(reference: string, root: JsonObject): boolean {
  const passed = new Set<unknown>();
  let at: unknown = { $ref: reference };
  while (isObject(at) && typeof at["$ref"] === "string") {
    if (passed.has(at)) return false;
    passed.add(at);
    at = pointed(root, at["$ref"]);
  }
  return isObject(at) || typeof at === "boolean";
}
