import { isObject } from "../../api/json.js";
import { typeOf } from "../../json/type.js";
import { canonical } from "./canonical.js";
import { type Check, isTexts, type Keyword, type Rule, type Site, type Walk } from "./node.js";

/** Characters that are written or counted in the time of one step of work. */
const LETTERS = 8;
/** Steps that writing any value takes. */
const WRITING = 30;
/** Steps that dividing decimals takes, besides one for each digit that they are apart. */
const DIVIDING = 100;

const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

const type: Keyword = (argument, { rule, refuse }) => {
  const names = isTexts(argument) ? argument : [argument];
  if (names.length === 0 || !names.every((name) => TYPES.includes(name as string))) refuse(`one or more of ${TYPES.join(", ")}`);
  const allowed = new Set(names);
  return (value, walk) =>
    allowed.has(typeOf(value)) || (allowed.has("integer") && Number.isInteger(value)) || walk.fail(rule);
};

const constant: Keyword = (argument, { rule }) => oneOf([argument], rule);

const enumeration: Keyword = (argument, { rule, refuse }) => (Array.isArray(argument) ? oneOf(argument, rule) : refuse("a list of values"));

const multipleOf: Keyword = (argument, { rule, refuse }) => {
  if (typeof argument !== "number" || !(argument > 0)) refuse("a number above 0");
  const step = decimal(argument as number);
  return (value, walk) => typeof value !== "number" || isMultiple(decimal(value), step, walk) || walk.fail(rule);
};

const pattern: Keyword = (argument, site) => {
  if (typeof argument !== "string") site.refuse("a regular expression as JavaScript reads it with the flag u");
  const wanted = site.pattern(argument as string);
  return (value, walk) => typeof value !== "string" || walk.finds(wanted, value) || walk.fail(site.rule);
};

const uniqueItems: Keyword = (argument, { rule, refuse }) => {
  if (typeof argument !== "boolean") refuse("true or false");
  if (argument === false) return undefined;
  return (value, walk) => !Array.isArray(value) || new Set(value.map((item) => written(item, walk))).size === value.length || walk.fail(rule);
};

const required: Keyword = (argument, { rule, refuse }) => {
  if (!isTexts(argument)) refuse("a list of keys");
  return requires(argument as string[], rule);
};

/** The keywords that look at the value itself. All drafts have them. */
export const ASSERTIONS: readonly (readonly [string, Keyword])[] = [
  ["type", type],
  ["const", constant],
  ["enum", enumeration],
  ["multipleOf", multipleOf],
  ["minimum", bound((value, limit) => value >= limit)],
  ["maximum", bound((value, limit) => value <= limit)],
  ["exclusiveMinimum", bound((value, limit) => value > limit)],
  ["exclusiveMaximum", bound((value, limit) => value < limit)],
  ["minLength", characters((size, limit) => size >= limit)],
  ["maxLength", characters((size, limit) => size <= limit)],
  ["minItems", count(items, (size, limit) => size >= limit)],
  ["maxItems", count(items, (size, limit) => size <= limit)],
  ["minProperties", count(keys, (size, limit) => size >= limit)],
  ["maxProperties", count(keys, (size, limit) => size <= limit)],
  ["pattern", pattern],
  ["uniqueItems", uniqueItems],
  ["required", required],
];

/** Requires keys; each missing one is reported. */
export function requires(wanted: readonly string[], rule: Rule): Check {
  return (value, walk) => {
    if (!isObject(value)) return true;
    walk.pay(wanted.length);
    const missing = wanted.filter((key) => !Object.hasOwn(value, key));
    for (const key of missing) walk.fail(rule, key);
    return missing.length === 0;
  };
}

function oneOf(options: readonly unknown[], rule: Rule): Check {
  const plain = new Set(options.filter(isPlain));
  const texts = new Set(options.filter((option) => !isPlain(option)).map((option) => canonical(option)));
  return (value, walk) => {
    if (typeof value === "string") walk.pay(value.length / LETTERS);
    // A large value is not written out to find that it is no word of a list.
    return (isPlain(value) ? plain.has(value) : texts.size > 0 && texts.has(written(value, walk))) || walk.fail(rule);
  };
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function bound(fits: (value: number, limit: number) => boolean): Keyword {
  return (limit, { rule, refuse }) => {
    if (typeof limit !== "number") refuse("a number");
    return (value, walk) => typeof value !== "number" || fits(value, limit as number) || walk.fail(rule);
  };
}

/** A bound on a size. Values that have no such size are not its business. */
function count(sizeOf: (value: unknown, walk: Walk) => number | undefined, fits: (size: number, limit: number) => boolean): Keyword {
  return (limit, { rule, refuse }) => {
    const bound = sizeIn(limit, refuse);
    return (value, walk) => {
      const size = sizeOf(value, walk);
      return size === undefined || fits(size, bound) || walk.fail(rule);
    };
  };
}

function sizeIn(limit: unknown, refuse: Site["refuse"]): number {
  return Number.isInteger(limit) && (limit as number) >= 0 ? (limit as number) : refuse("a whole number from 0 on");
}

/** A value's canonical text. */
function written(value: unknown, walk: Walk): string {
  const text = canonical(value);
  walk.pay(WRITING + (isPlain(value) ? text.length / LETTERS : text.length));
  return text;
}

/** A bound on a text's length as people count it, save for signs that are made of several characters. */
function characters(fits: (size: number, limit: number) => boolean): Keyword {
  return (limit, { rule, refuse }) => {
    const bound = sizeIn(limit, refuse);
    return (value, walk) => {
      if (typeof value !== "string") return true;
      // A character takes one or two units: mostly it need not be counted.
      const [most, least] = [fits(value.length, bound), fits(Math.ceil(value.length / 2), bound)];
      if (most === least) return most || walk.fail(rule);
      walk.pay(value.length / LETTERS);
      let length = 0;
      for (const _ of value) length += 1;
      return fits(length, bound) || walk.fail(rule);
    };
  };
}

function items(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function keys(value: unknown, walk: Walk): number | undefined {
  if (!isObject(value)) return undefined;
  return walk.keysOf(value).length;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** A number as it is written: dividing the binary ones would find that 0.3 is no multiple of 0.1. */
function decimal(value: number): Decimal {
  const [coefficient = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = coefficient.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function isMultiple(value: Decimal, step: Decimal, walk: Walk): boolean {
  const shift = value.exponent - step.exponent;
  walk.pay(DIVIDING + Math.abs(shift));
  const [numerator, denominator] =
    shift >= 0 ? [value.digits * 10n ** BigInt(shift), step.digits] : [value.digits, step.digits * 10n ** BigInt(-shift)];
  return numerator % denominator === 0n;
}
