import { isObject } from "../../api/json.js";
import { type Node } from "./node.js";

/** How deep a value is looked through: what checks it goes as deep. */
const MAX_DEPTH = 512;
/** Steps of work that inserting a member takes, besides those for each of its characters. */
const PUTTING = 20;

/**
 * The value with what its schema says for keys that are missing (`default`), or the very same value where none is.
 * Objects are filled that `properties`, `items`, `prefixItems`, `allOf` and `$ref` lead to; a default that is put in stays
 * as it is written. New objects and lists are frozen.
 */
export function fill(node: Node, value: unknown, pay: (steps: number) => void, depth = 0): unknown {
  pay(1);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  let filled: unknown = isObject(value) ? fillMembers(node, value, pay, depth) : fillItems(node, value as unknown[], pay, depth);
  for (const next of node.defaults.same) filled = fill(next(), filled, pay, depth);
  return filled;
}

function fillMembers({ defaults }: Node, value: Record<string, unknown>, pay: (steps: number) => void, depth: number): unknown {
  const changed: [string, unknown][] = [];
  pay(defaults.members.length);
  for (const [key, node, preset] of defaults.members) {
    if (Object.hasOwn(value, key)) {
      const member = fill(node, value[key], pay, depth + 1);
      if (member !== value[key]) changed.push([key, member]);
    } else if (preset !== undefined) {
      // It is in memory only once, but every text that is made of the value has it in full.
      pay(PUTTING + preset.letters);
      changed.push([key, preset.value]);
    }
  }
  if (changed.length === 0) return value;
  pay(Object.keys(value).length);
  // No key of a new object made so reaches into its prototype.
  return Object.freeze(Object.fromEntries([...Object.entries(value), ...changed]));
}

function fillItems({ defaults }: Node, value: readonly unknown[], pay: (steps: number) => void, depth: number): unknown {
  const { heads, items } = defaults;
  if (heads.length === 0 && items === undefined) return value;
  const filled = value.map((item, index) => {
    const node = heads[index] ?? items;
    return node === undefined ? item : fill(node, item, pay, depth + 1);
  });
  return filled.some((item, index) => item !== value[index]) ? Object.freeze(filled) : value;
}
