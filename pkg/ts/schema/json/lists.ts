import { isObject } from "../../api/json.js";
import { type Check, type Keyword, type Node, type Rule, type Site } from "./node.js";

const prefixItems: Keyword = (argument, site) => heads(argument, site);

/** From draft 2020-12 on: what comes after the first items. */
const items: Keyword = (argument, site) => {
  const { prefixItems } = site.schema;
  return rest(argument, site, Array.isArray(prefixItems) ? prefixItems.length : 0);
};

/** Before: one schema for all items, or one for each of the first. */
const itemsOrHeads: Keyword = (argument, site) => (Array.isArray(argument) ? heads(argument, site) : rest(argument, site, 0));

const additionalItems: Keyword = (argument, site) => {
  const { items } = site.schema;
  return Array.isArray(items) ? rest(argument, site, items.length) : undefined;
};

const contains: Keyword = (argument, site) => {
  const { rule, draft } = site;
  const node = site.part(argument);
  const counted = draft >= 2019;
  const least = counted ? bound("minContains", site) : undefined;
  const most = counted ? bound("maxContains", site) : undefined;
  return (value, walk, seen) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!walk.judgeMember(index, node, item)) continue;
      found += 1;
      if (draft >= 2020) seen?.add(index);
    }
    const enough = found >= (least?.limit ?? 1) || walk.fail(least?.rule ?? rule);
    return most === undefined || found <= most.limit ? enough : walk.fail(most.rule);
  };
};

const unevaluatedItems: Keyword = (argument, { part, rule }) => {
  const node = part(argument);
  return (value, walk, seen) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    walk.pay(value.length);
    for (const [index, item] of value.entries()) {
      if (seen?.has(index)) continue;
      seen?.add(index);
      if (!walk.judgeMember(index, node, item)) valid = walk.failAt(index, rule);
    }
    return valid;
  };
};

const unevaluatedProperties: Keyword = (argument, { part, rule }) => {
  const node = part(argument);
  return (value, walk, seen) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const key of walk.keysOf(value)) {
      if (seen?.has(key)) continue;
      seen?.add(key);
      if (!walk.judgeMember(key, node, value[key])) valid = walk.failAt(key, rule);
    }
    return valid;
  };
};

export const LISTS: readonly (readonly [string, Keyword])[] = [
  ["prefixItems", prefixItems],
  ["items", items],
  ["contains", contains],
];

export const LISTS_BEFORE_2020: readonly (readonly [string, Keyword])[] = [
  ["items", itemsOrHeads],
  ["additionalItems", additionalItems],
  ["contains", contains],
];

/** The keywords that come after all others of their schema. */
export const LEFTOVERS: readonly (readonly [string, Keyword])[] = [
  ["unevaluatedItems", unevaluatedItems],
  ["unevaluatedProperties", unevaluatedProperties],
];

function heads(argument: unknown, { part, refuse, defaults }: Site): Check {
  if (!Array.isArray(argument)) refuse("a list of schemas");
  const nodes = (argument as unknown[]).map((schema, index) => part(schema, index));
  defaults.heads = nodes;
  return (value, walk, seen) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    for (const [index, node] of nodes.entries()) {
      if (index >= value.length) break;
      seen?.add(index);
      if (!walk.enter(index, node, value[index])) valid = false;
    }
    return valid;
  };
}

function rest(argument: unknown, { part, rule, defaults }: Site, from: number): Check {
  const node: Node = part(argument);
  defaults.items = node;
  return (value, walk, seen) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    for (let index = from; index < value.length; index += 1) {
      seen?.add(index);
      if (argument === false ? !walk.failAt(index, rule) : !walk.enter(index, node, value[index])) valid = false;
    }
    return valid;
  };
}

function bound(keyword: "minContains" | "maxContains", { schema, rule, refuse }: Site): { limit: number; rule: Rule } | undefined {
  const limit = schema[keyword];
  if (limit === undefined) return undefined;
  if (!Number.isInteger(limit) || (limit as number) < 0) refuse(`beside \`${keyword}\` with a whole number from 0 on`);
  return { limit: limit as number, rule: { keyword, pointer: rule.pointer.replace(/contains$/, keyword) } };
}
