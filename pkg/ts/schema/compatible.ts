import { isObject } from "../api/json.js";
import { canonical } from "./json/canonical.js";
import { pointed } from "./json/pointer.js";
import { type Fact, Facts, factsOf, isFound, isWhole, type Kind, kindsOf } from "./facts.js";
import { isCurrentDraft, sameSchema, schemaText } from "./same.js";

export { sameSchema };

/** How much is thought about two schemas before the answer is no. */
const MAX_WORK = 20_000;
/** How many schemas a value may be known to fit before the answer is no. A reference to itself adds them without end. */
const MAX_FACTS = 500;
/** How many questions may wait for each other. */
const MAX_OPEN = 500;
/** How deep two schemas are searched for what keeps them apart. */
const MAX_PARTS = 8;
const NUMBERS: readonly Kind[] = ["whole", "fraction"];

/**
 * Whether every value that is valid for `producer` is valid for `consumer`.
 *
 * `true` is certain. `false` may also mean that it could not be found out: conditions (`if`), dependencies,
 * `contains`, `unevaluated…` and dynamic references of the consumer are taken on trust only where both are the same.
 */
export function isAssignable(producer: unknown, consumer: unknown): boolean {
  if (sameSchema(producer, consumer)) return true;
  if (![producer, consumer].every(isPlain)) return false;
  return new Comparison().covers([{ schema: producer, home: producer }], { schema: consumer, home: consumer });
}

type Rule = (argument: unknown, facts: Facts, consumer: ConsumerFact) => boolean;
type ConsumerFact = { readonly schema: Readonly<Record<string, unknown>>; readonly home: unknown };

class Comparison {
  #work = 0;
  /** How many steps into the value lead to where it is being compared. */
  #depth = 0;
  readonly #ids = new Map<unknown, number>();
  /** The comparisons in progress, and at which depth of the value they began. */
  readonly #open = new Map<string, number>();

  /** Whether a value of which all facts are true is valid for the consumer. */
  covers(given: readonly Fact[], consumer: Fact): boolean {
    if (++this.#work > MAX_WORK || this.#open.size > MAX_OPEN) return false;
    const name = `${given.map(({ schema }) => this.#id(schema)).join()}>${this.#id(consumer.schema)}`;
    const opened = this.#open.get(name);
    // The same comparison of a member of the value may assume the outcome: values are finite.
    if (opened !== undefined) return this.#depth > opened;
    this.#open.set(name, this.#depth);
    try {
      return this.#split(given, [], consumer);
    } finally {
      this.#open.delete(name);
    }
  }

  /** Follows references and takes alternatives one by one, until plain facts are left. */
  #split(todo: readonly Fact[], done: readonly Fact[], consumer: Fact): boolean {
    const [first, ...rest] = todo;
    if (first === undefined) return this.#meets(new Facts(done), consumer);
    const { schema, home } = first;
    if (!isObject(schema) || isWhole(schema)) return this.#split(rest, [...done, first], consumer);
    if (++this.#work > MAX_WORK || todo.length + done.length > MAX_FACTS) return false;
    const { $ref, allOf, anyOf, oneOf, const: only, enum: options, ...plain } = schema;
    const more: Fact[] = [];
    if ($ref !== undefined) {
      const target = resolve($ref, home);
      if (target !== undefined) more.push(target);
      // In the older drafts nothing else counts beside a reference.
      if (!isCurrent(home)) return this.#split([...more, ...rest], done, consumer);
    }
    if (Array.isArray(allOf)) more.push(...allOf.map((member: unknown) => ({ schema: member, home })));
    if (Object.hasOwn(schema, "const")) more.push({ schema: factsOf(only), home });
    const kept = [...done, { schema: plain, home }];
    const ways = [
      Array.isArray(options) && options.map((option: unknown) => ({ schema: { const: option }, home })),
      Array.isArray(anyOf) && anyOf.map((member: unknown) => ({ schema: member, home })),
      Array.isArray(oneOf) && oneOf.map((member: unknown) => ({ schema: member, home })),
    ].filter((way) => way !== false);
    const take = ([alternatives, ...others]: readonly (readonly Fact[])[], chosen: readonly Fact[]): boolean =>
      alternatives === undefined
        ? this.#split([...more, ...chosen, ...rest], kept, consumer)
        : alternatives.every((alternative) => take(others, [...chosen, alternative]));
    return take(ways, []);
  }

  #meets(facts: Facts, { schema, home }: Fact): boolean {
    if (schema === true || facts.none) return true;
    if (!isObject(schema)) return false;
    return Object.entries(schema).every(([keyword, argument]) => {
      const rule = this.#rules.get(keyword);
      return rule === undefined || rule(argument, facts, { schema, home });
    });
  }

  /** The same comparison for a member of the value. */
  #inside(given: readonly Fact[], consumer: Fact): boolean {
    this.#depth += 1;
    try {
      return this.covers(given, consumer);
    } finally {
      this.#depth -= 1;
    }
  }

  #id(schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }

  /** Whether no value of the facts is valid for another schema. */
  #apart(facts: Facts, { schema, home }: Fact, depth = 0): boolean {
    if (schema === false || facts.none) return true;
    if (!isObject(schema) || depth > MAX_PARTS) return false;
    if (schema.$ref !== undefined) {
      const target = resolve(schema.$ref, home);
      if (target !== undefined && this.#apart(facts, target, depth + 1)) return true;
      if (!isCurrent(home)) return false;
    }
    if (![...kindsOf(schema)].some((kind) => facts.kinds.has(kind))) return true;
    const options = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum;
    if (facts.only !== undefined && Array.isArray(options) && !options.some((option) => canonical(option) === facts.only)) return true;
    const { properties, required } = schema;
    if (!onlyKinds(facts, "object") || !isObject(properties) || !Array.isArray(required)) return false;
    const known = facts.required;
    return required.some(
      (key: string) =>
        known.has(key) &&
        Object.hasOwn(properties, key) &&
        this.#apart(new Facts(facts.member(key).map(widen)), { schema: properties[key], home }, depth + 1),
    );
  }

  readonly #rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
    ["type", (_, facts, { schema }) => [...facts.kinds].every((kind) => kindsOf(schema).has(kind))],
    ["const", (argument, facts) => isOne([argument], facts)],
    ["enum", (argument, facts) => Array.isArray(argument) && isOne(argument, facts)],
    ["minimum", (limit, facts) => !has(facts, NUMBERS) || Math.max(facts.most("minimum"), facts.most("exclusiveMinimum")) >= (limit as number)],
    ["maximum", (limit, facts) => !has(facts, NUMBERS) || Math.min(facts.least("maximum"), facts.least("exclusiveMaximum")) <= (limit as number)],
    [
      "exclusiveMinimum",
      (limit, facts) => !has(facts, NUMBERS) || facts.most("minimum") > (limit as number) || facts.most("exclusiveMinimum") >= (limit as number),
    ],
    [
      "exclusiveMaximum",
      (limit, facts) => !has(facts, NUMBERS) || facts.least("maximum") < (limit as number) || facts.least("exclusiveMaximum") <= (limit as number),
    ],
    ["multipleOf", (step, facts) => !has(facts, NUMBERS) || isMultiple(step as number, facts)],
    ["minLength", (limit, facts) => !has(facts, ["string"]) || limit === 0 || facts.most("minLength") >= (limit as number)],
    ["maxLength", (limit, facts) => !has(facts, ["string"]) || facts.least("maxLength") <= (limit as number)],
    ["pattern", (pattern, facts) => !has(facts, ["string"]) || facts.all("pattern").includes(pattern) || matches(pattern, facts)],
    ["minItems", (limit, facts) => !has(facts, ["array"]) || limit === 0 || facts.most("minItems") >= (limit as number)],
    ["maxItems", (limit, facts) => !has(facts, ["array"]) || longest(facts) <= (limit as number)],
    ["uniqueItems", (wanted, facts) => wanted === false || !has(facts, ["array"]) || longest(facts) <= 1 || facts.all("uniqueItems").includes(true)],
    ["minProperties", (limit, facts) => !has(facts, ["object"]) || Math.max(0, facts.most("minProperties"), facts.required.size) >= (limit as number)],
    [
      "maxProperties",
      (limit, facts) => !has(facts, ["object"]) || Math.min(facts.least("maxProperties"), facts.closed ? facts.named.size : Infinity) <= (limit as number),
    ],
    ["required", (keys, facts) => !has(facts, ["object"]) || (Array.isArray(keys) && isWithin(keys, facts.required))],
    ["properties", (argument, facts, { home }) => this.#members(argument, facts, home)],
    ["patternProperties", (argument, facts, { home }) => this.#patterns(argument, facts, home)],
    ["additionalProperties", (argument, facts, consumer) => this.#additional(argument, facts, consumer)],
    [
      "propertyNames",
      (argument, facts, { home }) =>
        !has(facts, ["object"]) ||
        (facts.closed && [...facts.named].every((key) => this.#inside([{ schema: { const: key }, home }], { schema: argument, home }))),
    ],
    ["prefixItems", (heads, facts, { home }) => !has(facts, ["array"]) || this.#heads(heads, facts, home)],
    ["items", (argument, facts, consumer) => !has(facts, ["array"]) || this.#items(argument, facts, consumer)],
    ["$ref", (address, facts, { home }) => this.#again(facts, resolve(address, home))],
    ["allOf", (list, facts, { home }) => Array.isArray(list) && list.every((schema: unknown) => this.#again(facts, { schema, home }))],
    ["anyOf", (list, facts, { home }) => Array.isArray(list) && list.some((schema: unknown) => this.#again(facts, { schema, home }))],
    ["oneOf", (list, facts, { home }) => Array.isArray(list) && this.#exactlyOne(list, facts, home)],
    ["not", (argument, facts, { home }) => this.#apart(facts, { schema: argument, home })],
    ["if", (_, __, { schema }) => schema.then === undefined && schema.else === undefined],
    ["contains", (_, facts) => !has(facts, ["array"])],
    ["additionalItems", (_, facts) => !has(facts, ["array"])],
    ["unevaluatedItems", (_, facts) => !has(facts, ["array"])],
    ["unevaluatedProperties", (_, facts) => !has(facts, ["object"])],
    ["dependentRequired", (_, facts) => !has(facts, ["object"])],
    ["dependentSchemas", (_, facts) => !has(facts, ["object"])],
    ["dependencies", (_, facts) => !has(facts, ["object"])],
    ["$dynamicRef", () => false],
    ["$recursiveRef", () => false],
  ]);

  #again(facts: Facts, consumer: Fact | undefined): boolean {
    return consumer !== undefined && this.covers(facts.list, consumer);
  }

  #exactlyOne(list: readonly unknown[], facts: Facts, home: unknown): boolean {
    return list.some(
      (schema, index) =>
        this.#again(facts, { schema, home }) &&
        list.every((other, otherIndex) => otherIndex === index || this.#apart(facts, { schema: other, home })),
    );
  }

  #members(argument: unknown, facts: Facts, home: unknown): boolean {
    if (!has(facts, ["object"])) return true;
    return isObject(argument) && Object.entries(argument).every(([key, schema]) => this.#inside(facts.member(key), { schema, home }));
  }

  #patterns(argument: unknown, facts: Facts, home: unknown): boolean {
    if (!has(facts, ["object"])) return true;
    if (!isObject(argument)) return false;
    return Object.entries(argument).every(([pattern, schema]) => {
      const keys = [...facts.named].filter((key) => isFound(pattern, key) !== false);
      return this.#inside(facts.others, { schema, home }) && keys.every((key) => this.#inside(facts.member(key), { schema, home }));
    });
  }

  #additional(argument: unknown, facts: Facts, { schema, home }: ConsumerFact): boolean {
    if (!has(facts, ["object"])) return true;
    const { properties = {}, patternProperties = {} } = schema;
    const patterns = Object.keys(patternProperties as object);
    const left = [...facts.named].filter((key) => !Object.hasOwn(properties as object, key) && !patterns.some((pattern) => isFound(pattern, key)));
    const rest = { schema: argument, home };
    return this.#inside(facts.others, rest) && left.every((key) => this.#inside(facts.member(key), rest));
  }

  #heads(heads: unknown, facts: Facts, home: unknown): boolean {
    return Array.isArray(heads) && heads.every((schema: unknown, index) => this.#inside(facts.item(index), { schema, home }));
  }

  #items(argument: unknown, facts: Facts, { schema, home }: ConsumerFact): boolean {
    if (Array.isArray(argument)) return false;
    const from = Array.isArray(schema.prefixItems) && isCurrent(home) ? schema.prefixItems.length : 0;
    // Every item after the last one with a fact of its own is like the next one.
    for (let index = from; index <= Math.max(from, facts.heads); index += 1) {
      if (!this.#inside(facts.item(index), { schema: argument, home })) return false;
    }
    return true;
  }
}

function has(facts: Facts, kinds: readonly Kind[]): boolean {
  return kinds.some((kind) => facts.kinds.has(kind));
}

function isWithin(keys: readonly unknown[], known: ReadonlySet<unknown>): boolean {
  return keys.every((key) => known.has(key));
}

function onlyKinds(facts: Facts, kind: Kind): boolean {
  return facts.kinds.size === 1 && facts.kinds.has(kind);
}

function isOne(options: readonly unknown[], facts: Facts): boolean {
  const texts = new Set(options.map((option) => canonical(option)));
  if (facts.only !== undefined) return texts.has(facts.only);
  if (onlyKinds(facts, "null")) return texts.has("null");
  return onlyKinds(facts, "boolean") && texts.has("true") && texts.has("false");
}

function isMultiple(step: number, facts: Facts): boolean {
  if (!Number.isInteger(step)) return facts.all("multipleOf").includes(step);
  if (!facts.kinds.has("fraction") && step === 1) return true;
  const known = [...facts.all("multipleOf"), ...(facts.only === undefined ? [] : [JSON.parse(facts.only)])];
  return known.some((number) => Number.isSafeInteger(number) && number % step === 0);
}

function matches(pattern: unknown, facts: Facts): boolean {
  const value: unknown = facts.only === undefined ? undefined : JSON.parse(facts.only);
  return typeof value === "string" && (isFound(pattern, value) ?? false);
}

/** How many items there are at most. */
function longest(facts: Facts): number {
  const ends = facts.list.filter(({ schema }) => schema.items === false).map(({ schema }) => (Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0));
  return Math.min(facts.least("maxItems"), ...ends);
}

/** A fact without the schemas that it refers to. */
function widen({ schema, home }: Fact): Fact {
  if (!isObject(schema)) return { schema, home };
  // In the older drafts nothing else counts beside a reference.
  if (schema.$ref !== undefined && !isCurrent(home)) return { schema: true, home };
  return { schema: Object.hasOwn(schema, "const") ? factsOf(schema.const) : schema, home };
}

/** Whether the schema is written for the draft that is meant when none is named. */
function isCurrent(schema: unknown): boolean {
  return isCurrentDraft(isObject(schema) ? schema.$schema : undefined);
}

/** Whether a schema can be read without its surroundings: no subschema has an address or a draft, and lists are described in today's form. */
function isPlain(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === "boolean";
  const { $id, $schema, ...rest } = schema;
  const text = schemaText(rest);
  return !/"\$(id|schema)":/.test(text) && (isCurrent(schema) || !/"prefixItems":|"items":\[/.test(text));
}

/** What a reference inside a schema leads to; nothing where it leads elsewhere. */
function resolve(address: unknown, home: unknown): Fact | undefined {
  const schema = pointed(home, address);
  return schema === undefined ? undefined : { schema, home };
}
