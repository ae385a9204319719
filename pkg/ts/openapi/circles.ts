import { isObject } from "../api/json.js";
import type { FreeNames } from "./names.js";
import { itemsOf, type ToolSchema } from "./part.js";

type Definition = readonly [name: string, schema: ToolSchema];

/** The keywords whose schemas are for the same value. */
const BRANCHES = ["allOf", "anyOf"];
const POINTER = "#/$defs/";

/**
 * Definitions of which none applies itself to the same value, which no check would end. Descriptions do it where a kind says
 * of what it is one, and that lists its kinds: there the way back leads to what the other says of the value itself.
 */
export function withoutCircles(definitions: readonly Definition[], free: FreeNames): readonly Definition[] {
  const back = waysBack(definitions);
  if (back.size === 0) return definitions;
  const all = new Map(definitions);
  const targets = new Set([...back.values()].flatMap((names) => [...names]));
  const plain = new Map([...targets].map((name) => [name, free.take(`${name}_itself`)]));
  const straight = definitions.map(([name, schema]) => [name, straightened(schema, (next) => (back.get(name)?.has(next) === true ? plain.get(next) : undefined))] as const);
  return [...straight, ...[...plain].map(([name, own]) => [own, itself(all.get(name) as ToolSchema)] as const)];
}

/** By the name of a definition, those that it is part of already where it names them. A chain of them may be longer than functions can call each other. */
function waysBack(definitions: readonly Definition[]): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map(definitions.map(([name, schema]) => [name, [...namedIn(schema)]]));
  const found = new Map<string, Set<string>>();
  const done = new Set<string>();
  for (const first of named.keys()) {
    const open = new Set<string>();
    const stack = [first];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      if (done.has(name) || open.has(name)) {
        stack.pop();
        if (open.delete(name)) done.add(name);
        continue;
      }
      open.add(name);
      for (const next of named.get(name) ?? []) {
        if (open.has(next)) found.set(name, (found.get(name) ?? new Set()).add(next));
        else stack.push(next);
      }
    }
  }
  return found;
}

/** The definitions that a schema names for the same value. */
function* namedIn(schema: ToolSchema): Generator<string> {
  if (!isObject(schema)) return;
  if (typeof schema["$ref"] === "string") yield schema["$ref"].slice(POINTER.length);
  for (const keyword of BRANCHES) for (const branch of itemsOf(schema[keyword])) yield* namedIn(branch as ToolSchema);
  yield* namedIn(schema["not"] as ToolSchema);
}

/** The same schema, which names others where `instead` says so. */
function straightened(schema: ToolSchema, instead: (name: string) => string | undefined): ToolSchema {
  if (!isObject(schema)) return schema;
  const made: Record<string, unknown> = { ...schema };
  const { $ref, not } = schema;
  const other = typeof $ref === "string" ? instead($ref.slice(POINTER.length)) : undefined;
  if (other !== undefined) made["$ref"] = `${POINTER}${other}`;
  for (const keyword of BRANCHES) if (schema[keyword] !== undefined) made[keyword] = itemsOf(schema[keyword]).map((branch) => straightened(branch as ToolSchema, instead));
  if (not !== undefined) made["not"] = straightened(not as ToolSchema, instead);
  return made;
}

/** What a schema says of a value without others. */
function itself(schema: ToolSchema): ToolSchema {
  if (!isObject(schema)) return schema;
  const { $ref: _ref, allOf: _all, anyOf: _any, not: _not, ...own } = schema;
  return own;
}
