import { StepweaveError } from "../api/errors.js";
import type { Limits } from "./limits.js";
import { MAX_LOG_LINES, type Exhausted } from "./machine.js";

/** The error that the code threw, as the guest reports it. */
export type Described = { readonly name: string; readonly message: string; readonly stack: string } | { readonly thrown: string };

/** The error of code that used up what it was given. */
export function stopOf(by: Exhausted, limits: Limits): StepweaveError {
  const [message, hint] = EXHAUSTED[by](limits);
  return new StepweaveError("limit", `the code ${message}`, { hint });
}

/** The error of code that threw while it ran. */
export function thrownBy(thrown: Described, code: string, limits: Limits): StepweaveError {
  return errorOf(thrown, code, limits, { how: "threw", hint: hintFor });
}

/** The error of code that does not compile. */
export function refused(thrown: Described, code: string, limits: Limits): StepweaveError {
  return errorOf(thrown, code, limits, { how: "cannot be compiled:", hint: () => BODY, retryable: false });
}

const EXHAUSTED: { readonly [By in Exhausted]: (limits: Limits) => readonly [message: string, hint: string] } = {
  instructions: ({ instructions }) => [
    `computed longer than its ${count(instructions)} instructions allow`,
    "look for a loop that does not end, such as while (true), or compute less at a time; a program of your own can allow more with the limit `instructions`",
  ],
  memoryBytes: ({ memoryBytes }) => [
    `needs more memory than its ${count(memoryBytes)} bytes`,
    "look for texts or lists that grow without end, and whether the state is that big; a program of your own can allow more with the limit `memoryBytes`",
  ],
  stackBytes: ({ stackBytes }) => [
    `calls too deeply for its ${count(stackBytes)} bytes of stack`,
    "look for a function that calls itself without end; a program of your own can allow more with the limit `stackBytes`",
  ],
  output: ({ outputBytes }) => [
    `returned more than ${count(outputBytes)} bytes`,
    "return only what is needed, such as the keys that change; a program of your own can allow more with the limit `outputBytes`",
  ],
  log: ({ outputBytes }) => [`logged more than ${count(outputBytes)} bytes`, "log less; a program of your own can allow more with the limit `outputBytes`"],
  logLines: () => [`logged more than ${count(MAX_LOG_LINES)} lines`, "log once after a loop instead of in every turn"],
};

/** What became of the code. */
interface Fate {
  readonly how: string;
  readonly hint: (error: string) => string;
  /** Whether another attempt helps, where that is known. */
  readonly retryable?: boolean;
}

function errorOf(thrown: Described, code: string, limits: Limits, { how, hint, retryable }: Fate): StepweaveError {
  if ("thrown" in thrown) {
    return new StepweaveError("handler", `the code ${how} ${thrown.thrown}`, { hint: "throw an Error: it tells its line" });
  }
  const { name, message } = thrown;
  const exhausted = LIMITS.find(([error]) => error.test(`${name}: ${message}`))?.[1];
  if (exhausted !== undefined) return stopOf(exhausted, limits);
  const stack = thrown.stack.replaceAll(PLACE, (_, line, column) => `code:${Number(line) - 1}:${column}`);
  const cause = Object.assign(new Error(message), { name, stack: `${name}: ${message}\n${stack}` });
  const text = message === "" ? name : `${name}: ${message}`;
  return new StepweaveError("handler", `the code ${how} ${text}${placeOf(thrown.stack, code)}`, { cause, hint: hint(text), ...(retryable !== undefined && { retryable }) });
}

// How the interpreter says that a limit was met. Code can catch these, and go on with less.
const LIMITS: readonly (readonly [error: RegExp, by: Exhausted])[] = [
  [/^InternalError: (out of memory|string too long)/, "memoryBytes"],
  [/^(InternalError|SyntaxError): stack overflow/, "stackBytes"],
];

// The compiled text has a line of ours before the first line of the code.
const PLACE = /\bcode:(\d+):(\d+)/g;

function placeOf(stack: string, code: string): string {
  const [, line, column] = [...stack.matchAll(PLACE)][0] ?? [];
  if (line === undefined) return "";
  return Number(line) - 1 > code.split("\n").length ? " (at its end)" : ` (line ${Number(line) - 1}, column ${column})`;
}

const ABSENT = "code steps have no network, files, timers, modules or page: take what is needed from the state, or use a function step of your own";

const HINTS: readonly (readonly [error: RegExp, hint: string])[] = [
  [/^ReferenceError: '?console'? is not defined/, "use ctx.log(message)"],
  [/^ReferenceError: '?(fetch|XMLHttpRequest|WebSocket|process|require|module|exports|Buffer|Deno|Bun|window|self|document|navigator|location|localStorage|crypto|performance|setTimeout|setInterval|setImmediate|structuredClone|URL|TextEncoder|TextDecoder|WeakRef|FinalizationRegistry|SharedArrayBuffer|Atomics|WebAssembly|Intl)'? is not defined/, ABSENT],
  [/could not load module/, ABSENT],
  [/read[- ]?only|not extensible|not configurable/, "the state is read-only: return a patch such as { key: value } instead of writing into it"],
];

function hintFor(error: string): string {
  return HINTS.find(([sign]) => sign.test(error))?.[1] ?? "it is the step's own code that threw this";
}

/** A whole number with its thousands set apart, the same everywhere. */
function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How code is to be written. */
export const BODY = "write the body of a function of `state`, such as: return { total: state.items.length }";
