import { isObject } from "../api/json.js";
import { BY_NAME, VALUES } from "./standard.js";

/** A schema as it is inside of another one, at this address in it: what refers to places in it does so from there. */
export function inside(schema: unknown, address: string): unknown {
  if (!isObject(schema)) return schema;
  const { $schema: _, ...rest } = schema as Readonly<Record<string, unknown>>;
  // With an address of its own it is its own root wherever it stands.
  return typeof rest.$id === "string" ? schema : moved(rest, address);
}

function moved(part: unknown, address: string): unknown {
  if (Array.isArray(part)) return part.map((item) => moved(item, address));
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => {
    if (key === "$ref" && typeof value === "string") return [key, /^#(?:\/|$)/.test(value) ? `${address}${value.slice(1)}` : value];
    if (VALUES.has(key)) return [key, value];
    // The names of these are anybody's.
    if (BY_NAME.has(key) && isObject(value)) return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(one, address)]))];
    return [key, moved(value, address)];
  }));
}
