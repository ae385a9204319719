import type { JsonObject } from "../api/document.js";
import { isObject } from "../api/json.js";
import { BY_NAME, VALUES } from "./standard.js";

/** A schema as it is inside of another one, at this address in it: what refers to places in it does so from there. */
export function inside(schema: unknown, address: string): unknown {
  if (!isObject(schema) || isOwnRoot(schema)) return schema;
  const { $schema: _, ...rest } = schema as Readonly<Record<string, unknown>>;
  return readdressed(rest, (reference) => (/^#(?:\/|$)/.test(reference) ? `${address}${reference.slice(1)}` : reference));
}

/** The same schema, whose references are those that `address` makes of them. */
export function readdressed(part: unknown, address: (reference: string) => string): unknown {
  if (Array.isArray(part)) return part.map((item) => readdressed(item, address));
  if (!isObject(part) || isOwnRoot(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => {
    if (key === "$ref" && typeof value === "string") return [key, address(value)];
    if (VALUES.has(key)) return [key, value];
    // The names of these are anybody's.
    if (BY_NAME.has(key) && isObject(value)) return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, readdressed(one, address)]))];
    return [key, readdressed(value, address)];
  }));
}

/** A reference of a schema of this `$id` to a place in itself, without the `$id`. */
export function localTo($id: unknown, reference: string): string {
  return typeof $id === "string" && reference.startsWith(`${$id}#`) ? reference.slice($id.length) : reference;
}

/** A schema without what only a root has. */
export function bare({ $schema: _schema, $id: _id, $defs: _defs, definitions: _definitions, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Whether a schema has an address of its own, from which what is in it refers to others wherever it stands. */
function isOwnRoot({ $id }: { readonly $id?: unknown }): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}
