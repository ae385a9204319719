import { isObject } from "../api/json.js";
import { pointed } from "./json/pointer.js";

/** Keywords that apply one schema, and lists of them, to the very same value. */
const PARTS = ["if", "then", "else"];
const LISTS = ["allOf", "anyOf", "oneOf"];

/**
 * The keys that a schema names under `properties`, each with what is said of its value: its own, and those of all that it
 * may apply to the same value. What it allows besides them is none.
 */
export function membersOf(root: unknown): ReadonlyMap<string, readonly unknown[]> {
  const members = new Map<string, unknown[]>();
  // It goes on with what is added meanwhile, and has each schema once: references may lead back to where they stand.
  const applied = new Set<unknown>([root]);
  for (const schema of applied) {
    if (!isObject(schema)) continue;
    for (const [key, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const known = members.get(key);
      if (known === undefined) members.set(key, [member]);
      else known.push(member);
    }
    for (const part of [pointed(root, schema.$ref), ...PARTS.map((keyword) => schema[keyword]), ...LISTS.flatMap((keyword) => schema[keyword])]) applied.add(part);
  }
  return members;
}
