import type { JsonObject } from "../api/document.js";
import { isObject } from "../api/json.js";
import { patternOf } from "../schema/pattern.js";

/** What holds schemas by names that say nothing of them. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** What holds values, in which nothing is a schema. */
const VALUES = new Set(["const", "enum", "default", "examples"]);
/** What lies deeper is left to whoever refuses schemas that nest so. */
const MOST_DEEP = 128;

/** A schema of a server without the patterns that no check here may have: those that are not matched in linear time. The server looks at them itself. */
export function checkable(schema: JsonObject): JsonObject {
  return withoutPatterns(schema, 0) as JsonObject;
}

function withoutPatterns(part: unknown, depth: number): unknown {
  if (depth > MOST_DEEP) return part;
  if (Array.isArray(part)) return part.map((item) => withoutPatterns(item, depth + 1));
  if (!isObject(part)) return part;
  const entries = Object.entries(part).filter(([key, value]) => key !== "pattern" || typeof value !== "string" || isMatched(value));
  return Object.fromEntries(entries.map(([key, value]) => [key, VALUES.has(key) ? value : NAMED.has(key) ? named(key, value, depth + 1) : withoutPatterns(value, depth + 1)]));
}

function named(key: string, schemas: unknown, depth: number): unknown {
  if (!isObject(schemas)) return schemas;
  const entries = Object.entries(schemas).filter(([name]) => key !== "patternProperties" || isMatched(name));
  return Object.fromEntries(entries.map(([name, schema]) => [name, withoutPatterns(schema, depth + 1)]));
}

function isMatched(pattern: string): boolean {
  return !("message" in patternOf(pattern));
}
