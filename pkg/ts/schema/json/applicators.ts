import { isObject } from "../../api/json.js";
import type { Pattern } from "../pattern.js";
import { requires } from "./assertions.js";
import { type Check, isTexts, type Keyword, type Node, type Preset, type Rule, type Seen, type Site, type Walk } from "./node.js";
import { join } from "./pointer.js";

const properties: Keyword = (argument, { part, refuse, defaults }) => {
  if (!isObject(argument)) refuse("an object of schemas");
  const members = Object.entries(argument as object).map(([key, schema]) => [key, part(schema, key), presetOf(schema)] as const);
  defaults.members.push(...members);
  return (value, walk, seen) => {
    if (!isObject(value)) return true;
    let valid = true;
    walk.pay(members.length);
    for (const [key, node] of members) {
      if (!Object.hasOwn(value, key)) continue;
      seen?.add(key);
      if (!walk.enter(key, node, value[key])) valid = false;
    }
    return valid;
  };
};

const patternProperties: Keyword = (argument, site) => {
  const members = patternsOf(argument, site).map(([text, pattern, schema]) => [pattern, site.part(schema, text)] as const);
  return (value, walk, seen) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const key of walk.keysOf(value)) {
      for (const [pattern, node] of members) {
        if (!walk.finds(pattern, key)) continue;
        seen?.add(key);
        if (!walk.enter(key, node, value[key])) valid = false;
      }
    }
    return valid;
  };
};

const additionalProperties: Keyword = (argument, site) => {
  const { properties = {}, patternProperties = {} } = site.schema;
  const patterns = patternsOf(patternProperties, site).map(([, pattern]) => pattern);
  const node = site.part(argument);
  return (value, walk, seen) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const key of walk.keysOf(value)) {
      if (Object.hasOwn(properties as object, key) || patterns.some((pattern) => walk.finds(pattern, key))) continue;
      seen?.add(key);
      if (argument === false ? !walk.failAt(key, site.rule) : !walk.enter(key, node, value[key])) valid = false;
    }
    return valid;
  };
};

const propertyNames: Keyword = (argument, { part, rule }) => {
  const node = part(argument);
  return (value, walk) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const key of walk.keysOf(value)) {
      if (!walk.judge(node, key, undefined)) valid = walk.failAt(key, rule);
    }
    return valid;
  };
};

const dependentRequired: Keyword = (argument, { rule, refuse }) => {
  if (!isObject(argument) || !Object.values(argument).every(isTexts)) refuse("an object of lists of keys");
  return all(Object.entries(argument as Record<string, string[]>).map(([key, wanted]) => whenPresent(key, requires(wanted, member(rule, key)))));
};

const dependentSchemas: Keyword = (argument, { inPlace, refuse }) => {
  if (!isObject(argument)) refuse("an object of schemas");
  return all(Object.entries(argument as object).map(([key, schema]) => whenPresent(key, applied(inPlace(schema, key)))));
};

/** What the older drafts have for both of the above. */
const dependencies: Keyword = (argument, { inPlace, rule, refuse }) => {
  if (!isObject(argument)) refuse("an object of schemas or lists of keys");
  return all(
    Object.entries(argument as object).map(([key, wanted]) =>
      whenPresent(key, isTexts(wanted) ? requires(wanted, member(rule, key)) : applied(inPlace(wanted, key))),
    ),
  );
};

const allOf: Keyword = (argument, site) => {
  const nodes = members(argument, site);
  site.defaults.same.push(...nodes.map((node) => () => node));
  return all(nodes.map(applied));
};

const anyOf: Keyword = (argument, site) => {
  const nodes = members(argument, site);
  return (value, walk, seen) => {
    let valid = false;
    for (const node of nodes) {
      if (!merging(walk, seen, (own) => walk.judge(node, value, own))) continue;
      valid = true;
      // The others matter only for what they look at.
      if (seen === undefined) break;
    }
    return valid || walk.fail(site.rule);
  };
};

const oneOf: Keyword = (argument, site) => {
  const nodes = members(argument, site);
  return (value, walk, seen) =>
    nodes.filter((node) => merging(walk, seen, (own) => walk.judge(node, value, own))).length === 1 || walk.fail(site.rule);
};

const not: Keyword = (argument, { inPlace, rule }) => {
  const node = inPlace(argument);
  return (value, walk) => !walk.judge(node, value, undefined) || walk.fail(rule);
};

const condition: Keyword = (argument, { inPlace, beside }) => {
  const node = inPlace(argument);
  const [then, otherwise] = [beside("then"), beside("else")];
  return (value, walk, seen) => {
    const next = merging(walk, seen, (own) => walk.judge(node, value, own)) ? then : otherwise;
    return next === undefined || walk.visit(next, value, seen);
  };
};

/** Without a condition it requires nothing, but an address may lead there. */
const branch: Keyword = (argument, { part }) => void part(argument);

const reference: Keyword = (argument, { refer, refuse, defaults }) => {
  if (typeof argument !== "string") refuse("an address");
  const target = refer(argument as string);
  defaults.same.push(target);
  return (value, walk, seen) => walk.visit(target(), value, seen);
};

/** The keywords that apply other schemas, in all drafts. */
export const APPLICATORS: readonly (readonly [string, Keyword])[] = [
  ["$ref", reference],
  ["allOf", allOf],
  ["anyOf", anyOf],
  ["oneOf", oneOf],
  ["not", not],
  ["properties", properties],
  ["patternProperties", patternProperties],
  ["additionalProperties", additionalProperties],
  ["propertyNames", propertyNames],
];

export const CONDITIONS: readonly (readonly [string, Keyword])[] = [
  ["if", condition],
  ["then", branch],
  ["else", branch],
];
export const DEPENDENCIES: readonly (readonly [string, Keyword])[] = [["dependencies", dependencies]];
export const DEPENDENT: readonly (readonly [string, Keyword])[] = [
  ["dependentRequired", dependentRequired],
  ["dependentSchemas", dependentSchemas],
];

export { reference };

function members(argument: unknown, { inPlace, refuse }: Site): Node[] {
  if (!Array.isArray(argument) || argument.length === 0) refuse("a list of schemas, at least one");
  return (argument as unknown[]).map((schema, index) => inPlace(schema, index));
}

/** What a schema says for a value that is missing. */
function presetOf(schema: unknown): Preset | undefined {
  if (!isObject(schema) || schema.default === undefined) return undefined;
  const text = JSON.stringify(schema.default);
  return { value: JSON.parse(text, (_, member: unknown) => Object.freeze(member)), letters: text.length };
}

function patternsOf(argument: unknown, { refuse, pattern }: Site): (readonly [string, Pattern, unknown])[] {
  if (!isObject(argument)) refuse("an object of schemas by pattern");
  return Object.entries(argument as object).map(([text, schema]) => [text, pattern(text, text), schema]);
}

function member({ keyword, pointer }: Rule, key: string): Rule {
  return { keyword, pointer: join(pointer, key) };
}

function applied(node: Node): Check {
  return (value, walk, seen) => walk.visit(node, value, seen);
}

function whenPresent(key: string, check: Check): Check {
  return (value, walk, seen) => {
    walk.pay(1);
    return !isObject(value) || !Object.hasOwn(value, key) || check(value, walk, seen);
  };
}

function all(checks: readonly Check[]): Check {
  return (value, walk, seen) => {
    let valid = true;
    for (const check of checks) if (!check(value, walk, seen)) valid = false;
    return valid;
  };
}

/** What a schema looked at counts only if it accepts the value. */
function merging(walk: Walk, seen: Seen | undefined, judge: (own: Seen | undefined) => boolean): boolean {
  if (seen === undefined) return judge(undefined);
  const own: Seen = new Set();
  if (!judge(own)) return false;
  walk.note(own, seen);
  return true;
}
