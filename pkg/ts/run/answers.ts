import { ERROR_CODES, isStepweaveError, retryableOf, StepweaveError, textOf, type ErrorCode, type StepRef } from "../api/errors.js";
import type { RefusedError } from "../effects/refusal.js";
import { copyJson, copyPatch, EMPTY, TooLarge, type Redact } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { jsonText } from "../json/size.js";
import type { MisfitError } from "../schema/fit.js";
import { WANTS_CHECKED, WANTS_CHECKED_KEYS, WANTS_DECISION, WANTS_LIST, WANTS_OUTPUT, WANTS_PATCH, type EngineError } from "../wasm/boundary.js";

/** How what a function gave is taken. */
export interface Taking {
  readonly redact: Redact;
  /** Bytes of JSON that it may give at once. */
  readonly maxBytes: number;
  /** Hears of the keys of a patch that are undefined. */
  readonly skipped?: (key: string) => void;
}

/** What a function is called as: a tool, by its name, or by a step of this type. */
interface Called {
  readonly tool?: string | undefined;
  readonly type?: string | undefined;
}

/** What a handler returned, as the engine takes it; throws a StepweaveError that says what is wrong with it. */
export function answerOf(wants: number, value: unknown, step: StepRef, taking: Taking, { tool, type }: Called = {}): unknown {
  const who = whose(wants, step, tool);
  if (wants === WANTS_PATCH) return patchOf(value, who, taking);
  if (wants === WANTS_OUTPUT) return plain(value ?? null, "output", who, taking);
  if (wants === WANTS_DECISION) {
    if (typeof value === "boolean") return value;
    if (type === "approval") throw undecided(value);
    // An agent decides nothing but whether a person has to allow a call.
    if (type === "agent") throw returned("it", value, "true or false", "return true where a person has to allow the call, and false elsewhere");
    throw returned(`the condition of \`${step.name}\``, value, "true or false", "compare, as in (state) => state.count > 0");
  }
  if (wants === WANTS_LIST) {
    if (Array.isArray(value)) return plain(value, "items", who, taking);
    throw returned(`items of \`${step.name}\``, value, "a list", "return an array");
  }
  if (wants === WANTS_CHECKED) return checked(value, who, taking);
  if (wants === WANTS_CHECKED_KEYS) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return checked(value, who, taking);
    throw unusable(`the schema makes ${shown(value)} of an object whose keys belong to the state`, "have it give an object: a transform of the whole belongs into the schema of an answer, or into the step");
  }
  // What is a list here has been read as one of texts, images and files.
  if (typeof value === "string" || Array.isArray(value)) return plain(value, "parts", who, taking);
  throw returned(`inputFrom of \`${step.name}\``, value, "a text", "return a string; JSON.stringify(value) makes one of anything");
}

/** Whose function it is, in words for an error: a tool's, or that of a step. */
export function whose(wants: number, step: StepRef, tool: string | undefined): string {
  return wants === WANTS_OUTPUT ? `the tool \`${tool}\`` : `\`${step.name}\``;
}

/** Whether it may be a generator, and is read as one. */
export function mayYield(wants: number, value: unknown): value is Generator | AsyncGenerator {
  return (wants === WANTS_PATCH || wants === WANTS_OUTPUT) && isGenerator(value);
}

/** Texts and lists can be iterated too: only what has its own `next` is meant to be. */
function isGenerator(value: unknown): value is Generator | AsyncGenerator {
  if (typeof value !== "object" || value === null) return false;
  const { next } = value as { next?: unknown };
  return typeof next === "function" && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** What a generator yielded, as the engine takes it. */
export function yieldOf(value: unknown, who: string, taking: Taking): unknown {
  return plain(value, "yielded", who, taking);
}

/** A failure of a connection, or of a value that cannot be used, as the JSON text that the engine takes. */
export function failureOf(error: unknown, redact: Redact): string {
  return failureText(() => described(error, OURS, redact));
}

/** What a function threw, as the JSON text that the engine takes; `wants` is what it was called for. */
export function failureOfFunction(thrown: unknown, wants: number, redact: Redact): string {
  return failureText(() => {
    if (NotAgain.is(thrown)) return { ...described(thrown.thrown, STEP, redact), retryable: false };
    return described(thrown, wants === WANTS_OUTPUT ? TOOL : STEP, redact);
  });
}

/** Anything can be thrown: also a Proxy that answers nothing, or an error whose properties are no data. */
function failureText(describe: () => EngineError): string {
  try {
    return jsonText(describe());
  } catch {
    return jsonText({ code: "handler", message: "what it threw cannot be read", hint: "throw an Error with a text as its message", retryable: false });
  }
}

/** What a function threw that is not to be called again, whatever the error says. */
export class NotAgain {
  readonly #thrown: unknown;

  constructor(thrown: unknown) {
    this.#thrown = thrown;
  }

  get thrown(): unknown {
    return this.#thrown;
  }

  /** Whether a value is one. It runs no code of the value's own, as `instanceof` may. */
  static is(value: unknown): value is NotAgain {
    return typeof value === "object" && value !== null && #thrown in value;
  }
}

/** What holds of a function that threw, where the error itself does not say it. */
interface Thrower {
  readonly hint: string;
  /** What is said when it wrote into what it was given. */
  readonly readOnlyHint: string;
  /** Whether trying again can help. */
  readonly retryable: boolean;
}

const STEP: Thrower = {
  hint: "the step's own function threw this: see `cause`; with required: false the run goes on without the step",
  readOnlyHint: "the state is read-only: return a patch such as { key: value } instead of writing into it",
  retryable: true,
};

// The same would come again, unless the error says otherwise.
const OURS: Thrower = { ...STEP, retryable: false };

// A model decides itself whether it calls a failed tool again.
const TOOL: Thrower = {
  hint: "the tool's own function threw this: see `cause`; the model is told the message and may go on without it",
  readOnlyHint: "a tool's arguments are read-only: change a copy of them, as in { ...args }",
  retryable: false,
};

/** Codes of failures that another attempt would only repeat, unless the error says that it helps. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["cancelled", "limit", "budget", "document", "validation"]);

function described(thrown: unknown, thrower: Thrower, redact: Redact): EngineError {
  const redacted = <Text extends string | undefined>(text: Text): Text => (text === undefined ? text : redact?.(text) ?? text) as Text;
  const said = retryableOf(thrown);
  if (isStepweaveError(thrown)) {
    const code: ErrorCode = ERROR_CODES.has(thrown.code) ? thrown.code : "handler";
    const { hint, retryAfterMs, problems, refused, faults } = thrown as Partial<RefusedError & MisfitError> & StepweaveError;
    return {
      code,
      message: redacted(textOf(thrown)),
      hint: typeof hint === "string" ? redacted(hint) : undefined,
      retryable: said ?? (thrower.retryable && !FINAL.has(code)),
      retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined,
      problems: Array.isArray(problems) ? problems : undefined,
      refused,
      faults: Array.isArray(faults) ? faults : undefined,
    };
  }
  const message = redacted(textOf(thrown)) || "it threw without a message";
  const hint = isTypeError(thrown) && READ_ONLY.test(message) ? thrower.readOnlyHint : thrower.hint;
  return { code: "handler", message, hint, retryable: said ?? thrower.retryable };
}

/** A Proxy may throw on any access. */
function isTypeError(thrown: unknown): boolean {
  try {
    return thrown instanceof TypeError;
  } catch {
    return false;
  }
}

// How the engines of Chromium and Node, Firefox, and Safari say that an object is frozen.
const READ_ONLY = /read[- ]?only|not extensible|(?:Cannot (?:add|delete|redefine)|Unable to delete) property|non-configurable|no[nt][- ]writable|set prototype of/i;

function patchOf(value: unknown, who: string, { redact, maxBytes, skipped }: Taking): object {
  if (value === undefined || value === null) return EMPTY;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw unusable(`${who} returned ${shown(value)}, not an object of keys to set`, "return an object of the keys to set, or nothing");
  }
  try {
    return copyPatch(value, "patch", redact, maxBytes, skipped);
  } catch (error) {
    throw unusableData(who, error);
  }
}

function plain(value: unknown, root: string, who: string, { redact, maxBytes }: Taking): unknown {
  try {
    return copyJson(value, root, undefined, redact, maxBytes);
  } catch (error) {
    throw unusableData(who, error);
  }
}

/** What a schema makes of a value. Libraries make dates, maps and the like, which the types of steps have then, and no state. */
function checked(value: unknown, who: string, { redact, maxBytes }: Taking): unknown {
  try {
    return copyJson(value, "value", undefined, redact, maxBytes);
  } catch (error) {
    if (!(error instanceof NotJson)) throw unusableData(who, error);
    const { path, fault, cause } = error;
    const place = path.replace(/^value\.?/, "");
    throw unusable(
      `the schema makes what JSON cannot hold: ${place === "" ? "it" : `\`${place}\``} ${fault}`,
      "have it give text, numbers, lists and plain objects, as z.iso.datetime() or z.string() do for z.date() and z.coerce.date(), or put .transform((date) => date.toISOString()) behind it; make the Date where you use it",
      cause,
    );
  }
}

/** What is said of a value that cannot be copied; anything else goes on as it is. */
function unusableData(who: string, error: unknown): unknown {
  if (error instanceof TooLarge) return tooLarge(who, error.most);
  if (!(error instanceof NotJson)) return error;
  return unusable(`${who} returned what JSON cannot hold: ${error.message}`, error.hint, error.cause);
}

/** @internal What is said of a result that is larger than one may be. */
export function tooLarge(who: string, most: number): StepweaveError {
  return wrongAnswer("limit", `${who} gave more than ${most} bytes of JSON, the limit of what is given at once`, {
    hint: "give less, such as a part of it or where it can be found; or raise limits.maxResultBytes",
  });
}

// What was said of values that functions gave.
const wrongAnswers = new WeakSet<object>();

/** What is said of a value that a function gave and that cannot be used: the same would come again. */
export function unusable(message: string, hint: string, cause?: unknown): StepweaveError {
  return wrongAnswer("handler", message, { hint, ...(cause !== undefined && { cause }) });
}

function wrongAnswer(code: ErrorCode, message: string, details: { readonly hint: string; readonly cause?: unknown }): StepweaveError {
  const error = new StepweaveError(code, message, { ...details, retryable: false });
  wrongAnswers.add(error);
  return error;
}

/** Whether an error says what is wrong with a value that a function gave, and was thrown by none. */
export function isWrongAnswer(error: unknown): error is StepweaveError {
  return wrongAnswers.has(error as object);
}

/** The answer is another one than the function knows, and whoever gave it reads this: what the function returned is for the program alone. */
function undecided(returned: unknown): StepweaveError {
  return new StepweaveError("template", "it returned neither true nor false", { cause: returned, hint: "return true or false for every answer, or have the schema of the answer refuse the others" });
}

function returned(who: string, value: unknown, wanted: string, hint: string): StepweaveError {
  const advice = isGenerator(value) ? "return the value itself: only the `run` of a step and tools may yield" : hint;
  return unusable(`${who} returned ${shown(value)}, not ${wanted}`, advice);
}

function shown(value: unknown): string {
  if (isGenerator(value)) return "a generator";
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return value.length <= 40 ? JSON.stringify(value) : "a text";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "object" ? (Array.isArray(value) ? "an array" : "an object") : `a ${typeof value}`;
}
