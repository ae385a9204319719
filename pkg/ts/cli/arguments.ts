/// <reference types="node" />
import { parseArgs } from "node:util";
import { StepweaveError } from "../api/errors.js";
import { nearest } from "../schema/nearest.js";

/** A flag of a command. */
export interface Flag {
  /** What its value is called in the help; a flag without one is on or off. */
  readonly value?: string;
  /** Whether it may be given more than once. */
  readonly multiple?: true;
  readonly short?: string;
  /** What the help says about it. */
  readonly about: string;
}

/** The flags of a command by their names. */
export type Flags = { readonly [name: string]: Flag };

/** What was given on a command line. */
export interface Given {
  /** What stands there without a flag, by the names of the command's usage. */
  readonly positionals: readonly string[];
  /** Whether a flag without a value was given. */
  has(flag: string): boolean;
  /** The value of a flag, the last one if there are several. */
  one(flag: string): string | undefined;
  /** All values of a flag. */
  all(flag: string): readonly string[];
}

/** A call that is wrong: nothing has been done. */
export function misused(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}

/** Reads the arguments of a command; throws `validation` for what it does not know. */
export function argumentsOf(args: readonly string[], flags: Flags, command: string, places: readonly string[]): Given {
  const options = Object.fromEntries(Object.entries(flags).map(([name, { value, short }]) => [name, { type: value === undefined ? ("boolean" as const) : ("string" as const), multiple: true, ...(short !== undefined && { short }) }]));
  const { tokens, positionals } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw unknownFlag(rawName, flags, command);
    if (flag.value === undefined && value !== undefined) throw misused(`${rawName} takes no value`, `write ${rawName} alone`);
    if (flag.value !== undefined && (value === undefined || (inlineValue === false && /^--?[a-z]/i.test(value)))) throw misused(`${rawName} needs a value`, `write ${rawName} ${flag.value}`);
    const known = values.get(name) ?? [];
    if (known.length > 0 && flag.value !== undefined && flag.multiple !== true) throw misused(`${rawName} is there twice`, "write it once");
    values.set(name, [...known, value ?? ""]);
  }
  const most = places.at(-1)?.includes("…") === true ? Infinity : places.length;
  if (positionals.length > most) throw misused(`\`${command}\` does not know what to do with \`${positionals[most]}\``, `its usage is: stepweave ${[command, ...places].join(" ")}`);
  const least = places.filter((place) => place.startsWith("<")).length;
  if (positionals.length < least) throw misused(`\`${command}\` needs ${places[positionals.length]}`, `its usage is: stepweave ${[command, ...places].join(" ")}`);
  return {
    positionals,
    has: (flag) => values.has(flag),
    one: (flag) => values.get(flag)?.at(-1),
    all: (flag) => values.get(flag) ?? [],
  };
}

function unknownFlag(written: string, flags: Flags, command: string): StepweaveError {
  const meant = nearest(written.replace(/^-+/, ""), Object.keys(flags));
  return misused(`\`${command}\` has no flag ${written}`, meant === undefined ? `stepweave ${command} --help lists its flags` : `did you mean --${meant}?`);
}

/** The value of a flag that is a number above 0. */
export function numberOf(given: Given, flag: string): number | undefined {
  const text = given.one(flag);
  if (text === undefined) return undefined;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw misused(`--${flag} is ${JSON.stringify(text)}`, "write a number above 0");
}
