import { isObject } from "../api/json.js";
import { canonical } from "./json/canonical.js";
import { Pattern, patternOf } from "./pattern.js";

/** A schema and the one in which its references are looked up. */
export interface Fact {
  readonly schema: unknown;
  readonly home: unknown;
}

/** A number's type comes in two: those that are whole and those that are not. */
export type Kind = "null" | "boolean" | "object" | "array" | "string" | "whole" | "fraction";

const KINDS: readonly Kind[] = ["null", "boolean", "object", "array", "string", "whole", "fraction"];
const whole = new WeakSet<object>();
const NOTHING: Fact = { schema: false, home: false };

/**
 * What is known of a value of which several schemas are true.
 * Keywords that it does not know are left out: less is then known, and nothing false.
 */
export class Facts {
  /** Facts that are objects; a `false` among the given ones means that there is no such value. */
  readonly list: readonly { readonly schema: Readonly<Record<string, unknown>>; readonly home: unknown }[];
  readonly kinds: ReadonlySet<Kind>;

  constructor(facts: readonly Fact[]) {
    this.list = facts.filter(({ schema }) => isObject(schema)) as Facts["list"];
    const possible = facts.every(({ schema }) => schema !== false);
    this.kinds = new Set(possible ? KINDS.filter((kind) => this.list.every(({ schema }) => kindsOf(schema).has(kind))) : []);
  }

  get none(): boolean {
    return this.kinds.size === 0;
  }

  /** The value itself, as its canonical text, where there is only one. */
  get only(): string | undefined {
    const fact = this.list.find(({ schema }) => Object.hasOwn(schema, "const"));
    return fact === undefined ? undefined : canonical(fact.schema.const);
  }

  /** The strongest of the facts' numbers for a keyword. */
  most(keyword: string): number {
    return this.#numbers(keyword).reduce((a, b) => Math.max(a, b), -Infinity);
  }

  least(keyword: string): number {
    return this.#numbers(keyword).reduce((a, b) => Math.min(a, b), Infinity);
  }

  all(keyword: string): unknown[] {
    return this.list.filter(({ schema }) => Object.hasOwn(schema, keyword)).map(({ schema }) => schema[keyword]);
  }

  /** The keys that are there for certain. */
  get required(): ReadonlySet<string> {
    return new Set(this.all("required").flat().filter((key) => typeof key === "string"));
  }

  /** The keys that the facts name. */
  get named(): ReadonlySet<string> {
    return new Set(this.all("properties").flatMap((members) => (isObject(members) ? Object.keys(members) : [])));
  }

  /** What is known of the member with a key, if there is one. */
  member(key: string): Fact[] {
    return this.list.flatMap(({ schema, home }) => {
      const { properties, patternProperties, additionalProperties } = schema;
      const found: Fact[] = [];
      if (isObject(properties) && Object.hasOwn(properties, key)) found.push({ schema: properties[key], home });
      for (const [pattern, member] of Object.entries(isObject(patternProperties) ? patternProperties : {})) {
        if (isFound(pattern, key) !== false) found.push({ schema: member, home });
      }
      if (found.length === 0 && additionalProperties !== undefined) found.push({ schema: additionalProperties, home });
      return found;
    });
  }

  /** What is known of a member whose key no fact names. */
  get others(): Fact[] {
    return this.list
      .filter(({ schema }) => schema.additionalProperties !== undefined && schema.patternProperties === undefined)
      .map(({ schema, home }) => ({ schema: schema.additionalProperties, home }));
  }

  /** Whether no fact allows a key that none names. */
  get closed(): boolean {
    return this.others.some(({ schema }) => schema === false);
  }

  /** How many items have facts of their own. */
  get heads(): number {
    return this.all("prefixItems").reduce<number>((most, heads) => Math.max(most, Array.isArray(heads) ? heads.length : 0), 0);
  }

  /** What is known of the item at an index, if there is one. */
  item(index: number): Fact[] {
    if (index >= this.least("maxItems")) return [NOTHING];
    return this.list.flatMap(({ schema, home }) => {
      const { prefixItems, items } = schema;
      if (Array.isArray(prefixItems) && index < prefixItems.length) return [{ schema: prefixItems[index], home }];
      return items === undefined || Array.isArray(items) ? [] : [{ schema: items, home }];
    });
  }

  #numbers(keyword: string): number[] {
    return this.all(keyword).filter((limit) => typeof limit === "number");
  }
}

/** Whether a pattern is found in a text; undefined for what is no pattern. */
export function isFound(pattern: unknown, text: string): boolean | undefined {
  const read = typeof pattern === "string" ? patternOf(pattern) : undefined;
  return read instanceof Pattern ? read.isIn(text) : undefined;
}

/** Everything that is true of one value, as a schema. */
export function factsOf(value: unknown): Record<string, unknown> {
  const schema = { const: value, ...aboutOf(value) };
  whole.add(schema);
  return schema;
}

/** Whether a schema is one that {@link factsOf} made: there is nothing more to find in it. */
export function isWhole(schema: object): boolean {
  return whole.has(schema);
}

function aboutOf(value: unknown): Record<string, unknown> {
  if (typeof value === "string") return { type: "string", minLength: [...value].length, maxLength: [...value].length };
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number", minimum: value, maximum: value };
  if (Array.isArray(value)) {
    return { type: "array", minItems: value.length, maxItems: value.length, prefixItems: value.map(factsOf), items: false };
  }
  if (typeof value !== "object" || value === null) return { type: value === null ? "null" : "boolean" };
  const members = Object.entries(value);
  return {
    type: "object",
    required: members.map(([key]) => key),
    properties: Object.fromEntries(members.map(([key, member]) => [key, factsOf(member)])),
    additionalProperties: false,
  };
}

/** The kinds that a schema's own `type` allows. */
export function kindsOf({ type }: Readonly<Record<string, unknown>>): ReadonlySet<Kind> {
  if (type === undefined) return new Set(KINDS);
  const kinds = new Set<Kind>();
  for (const name of Array.isArray(type) ? type : [type]) {
    if (name === "integer" || name === "number") kinds.add("whole");
    if (name === "number") kinds.add("fraction");
    else if (name !== "integer") kinds.add(name);
  }
  return kinds;
}
