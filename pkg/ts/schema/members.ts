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
  for (const schema of applied(root, root)) {
    for (const [key, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const known = members.get(key);
      if (known === undefined) members.set(key, [member]);
      else known.push(member);
    }
  }
  return members;
}

/** A schema, and all that it may apply to the same value; `root` is what its references are within. */
export function applied(schema: unknown, root: unknown): readonly { readonly [keyword: string]: unknown }[] {
  // It goes on with what is added meanwhile, and has each schema once: references may lead back to where they stand.
  const all = new Set<unknown>([schema]);
  for (const one of all) {
    if (!isObject(one)) continue;
    for (const part of [pointed(root, one.$ref), ...PARTS.map((keyword) => one[keyword]), ...LISTS.flatMap((keyword) => one[keyword])]) all.add(part);
  }
  return [...all].filter(isObject);
}
