import type { Limits } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import { jsonText } from "../json/size.js";
import { optionsFrom } from "../schema/options.js";

/** Events that a run may emit by default. */
const MAX_EVENTS = 2_000_000;

/** Bytes of JSON that a function or a tool may give at once where nobody says. */
export const MAX_RESULT_BYTES = 32 * 1024 * 1024;

const NAMES: readonly (keyof Limits)[] = ["timeoutMs", "stepTimeoutMs", "firstTokenMs", "idleMs", "templateFuel", "maxSteps", "maxStateBytes", "maxResultBytes", "maxEvents", "maxTokens", "maxCost"];

/** The most that one evaluation may do, as in the engine. */
const MAX_FUEL = 5_000_000;

/** Limits that code gives, checked; throws `validation`. A bound that is misspelt, or no number, would bound nothing. */
export function limitsFor(given: unknown, who: string): Limits | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong(`the option \`limits\` of ${who} must be an object`, "write limits: { timeoutMs: 60_000, maxTokens: 50_000 }");
  const said = Object.entries(optionsFrom(given, NAMES, `\`limits\` of ${who}`)).filter(([, value]) => value !== undefined);
  for (const [name, value] of said) {
    if (name === "maxCost" ? isAmount(value) : isCount(value) && (name !== "templateFuel" || value <= MAX_FUEL)) continue;
    const hint = name === "maxCost" ? "write US dollars, such as 0.5" : `write a whole number from 1 ${name === "templateFuel" ? `to ${MAX_FUEL}` : "on"}, or leave it out`;
    throw wrong(`\`limits.${name}\` of ${who} is ${typeof value === "number" ? value : `no number`}`, hint);
  }
  return Object.freeze(Object.fromEntries(said));
}

/** The stricter of two sets of limits, each by itself. */
export function stricter(one: Limits | undefined, other: Limits | undefined): Limits | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Object.fromEntries(NAMES.flatMap((name) => {
    const bounds = [one[name], other[name]].filter((bound) => bound !== undefined);
    return bounds.length === 0 ? [] : [[name, Math.min(...bounds)]];
  }));
}

/** The bounds of a run for the engine: the same string for the same bounds. */
export function boundsText(limits: Limits | undefined): string {
  return limits === undefined ? "" : jsonText(Object.fromEntries(NAMES.map((name) => [name, limits[name]])));
}

/** The limits that are kept on this side of the engine. */
export interface OwnLimits {
  readonly maxEvents: number;
  readonly maxResultBytes: number;
}

/** What is kept of the limits of a document and of a run. */
export function ownLimits(document: unknown, bounds: Limits | undefined): OwnLimits {
  const strictest = (name: keyof OwnLimits, usual: number): number => {
    const set = [limitIn(document, name), bounds?.[name]].filter((limit) => limit !== undefined);
    return set.length === 0 ? usual : Math.min(...set);
  };
  return { maxEvents: strictest("maxEvents", MAX_EVENTS), maxResultBytes: strictest("maxResultBytes", MAX_RESULT_BYTES) };
}

/** A limit of a document. Anything else in its place is reported by the validator. */
function limitIn(document: unknown, name: keyof OwnLimits): number | undefined {
  const limits = memberOf(document, "limits");
  const value = memberOf(limits, name);
  return isCount(value) ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1e9;
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
