import { isInstance, markInAllCopies } from "./copies.js";
import type { Problem } from "./document.js";

/**
 * What went wrong, as a code that is the same in all versions.
 *
 * | code | meaning |
 * | --- | --- |
 * | `document` | The workflow document has problems; `problems` lists every one with its path. |
 * | `validation` | An option, a state or an input does not have the expected form. |
 * | `template` | A template or an expression does not parse, or uses an unknown name. |
 * | `handler` | A function of yours threw, or returned a value that is not JSON. |
 * | `tool` | A tool failed, was denied, or was called wrongly. |
 * | `model` | A model's endpoint responded with an error or with something that is no answer. |
 * | `auth` | A secret is missing, not accepted, or not bound to the address it would go to. |
 * | `rate_limit` | The endpoint accepts no more calls now; `retryable` is false when a quota or credit is used up. |
 * | `network` | The endpoint could not be reached, or its answer ended early. |
 * | `timeout` | Something took longer than its limit allows. |
 * | `cancelled` | The run was cancelled. |
 * | `conflict` | Two members of a parallel step wrote the same key, another process continued the journal, or a text that had been given out in part was dropped and goes on otherwise. |
 * | `limit` | A bound was reached: of the engine, such as 256 levels of nesting, or of a model, such as its context. |
 * | `budget` | Model calls have used the tokens or the money that they may: see `limits`. |
 * | `unknown_outcome` | A request was sent that must not be sent twice, and nobody knows whether it was carried out. |
 * | `internal` | The engine itself failed. It is a fault of Stepweave: please report it. |
 */
export type ErrorCode =
  | "document"
  | "validation"
  | "template"
  | "handler"
  | "tool"
  | "model"
  | "auth"
  | "rate_limit"
  | "network"
  | "timeout"
  | "cancelled"
  | "conflict"
  | "limit"
  | "budget"
  | "unknown_outcome"
  | "internal";

/** @internal */
export const ERROR_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  "document",
  "validation",
  "template",
  "handler",
  "tool",
  "model",
  "auth",
  "rate_limit",
  "network",
  "timeout",
  "cancelled",
  "conflict",
  "limit",
  "budget",
  "unknown_outcome",
  "internal",
]);

/** The step that an event, an error or a result is about. */
export interface StepRef {
  /** The step's id, unique in its workflow. */
  readonly id: string;
  /** The step's path, such as `steps[2].parallel[0]`. */
  readonly path: string;
  /** The step's name. */
  readonly name: string;
  /** The key of the execution: the rounds of loops that it is in and the step's id, as in `s4#17/s5`. */
  readonly key: string;
}

/** The properties of a {@link StepweaveError} besides its code and message. */
export interface ErrorDetails {
  /** The step that failed. */
  step?: StepRef | undefined;
  /** The original error. */
  cause?: unknown;
  /** What to do about it. */
  hint?: string | undefined;
  /** Whether a retry can help. */
  retryable?: boolean | undefined;
  /** How many milliseconds to wait before a retry. */
  retryAfterMs?: number | undefined;
  /** Every problem of a document that was rejected. */
  problems?: readonly Problem[] | undefined;
}

/**
 * A {@link StepweaveError} as plain data, for logs, answers and other threads.
 *
 * ```ts
 * const data = error.toJSON();
 * const same = StepweaveError.from(data);
 * ```
 */
export interface StepweaveErrorData {
  code: ErrorCode;
  message: string;
  step?: StepRef;
  hint?: string;
  retryable: boolean;
  retryAfterMs?: number;
  problems?: readonly Problem[];
  /** The cause's name and message, if it was an error, else its text. */
  cause?: { name: string; message: string };
}

/**
 * The only error class of this package.
 *
 * ```ts
 * import { StepweaveError, Workflow } from "stepweave";
 *
 * try {
 *   await Workflow.fromDocument("{}").run();
 * } catch (error) {
 *   if (error instanceof StepweaveError) console.log(error.code, error.hint); // document …
 * }
 * ```
 *
 * Throw one from a handler to choose the code, the hint and whether the step may be retried:
 * `throw new StepweaveError("handler", "the card was refused", { retryable: false })`.
 */
export class StepweaveError extends Error {
  /** What went wrong, as a stable code: see {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** The step that failed, if there is one. */
  readonly step?: StepRef;
  /** What to do about it. */
  readonly hint?: string;
  /** Whether a retry can help; `false` by default. */
  declare readonly retryable: boolean;
  /** How many milliseconds to wait before a retry, if known. */
  readonly retryAfterMs?: number;
  /** Every problem of a document that was rejected. */
  readonly problems?: readonly Problem[];

  constructor(code: ErrorCode, message: string, given: ErrorDetails = {}) {
    const details = detailsFrom(given);
    super(typeof message === "string" ? message : textOf(message), "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    if (details.retryable !== undefined) this.retryable = details.retryable;
    if (details.step !== undefined) this.step = details.step;
    if (details.hint !== undefined) this.hint = details.hint;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.problems !== undefined) this.problems = details.problems;
    markInAllCopies(StepweaveError);
  }

  /** @internal */
  static override get name(): string {
    return "StepweaveError";
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, StepweaveError);
  }

  /** The error as plain data. A cause is described by its name and message. */
  toJSON(): StepweaveErrorData {
    const data: StepweaveErrorData = { code: this.code, message: this.message, retryable: this.retryable };
    if (this.step !== undefined) data.step = this.step;
    if (this.hint !== undefined) data.hint = this.hint;
    if (this.retryAfterMs !== undefined) data.retryAfterMs = this.retryAfterMs;
    if (this.problems !== undefined) data.problems = this.problems;
    if (this.cause !== undefined) data.cause = describe(this.cause);
    return data;
  }

  /** The error that {@link StepweaveError.toJSON} made this data of. */
  static from(data: StepweaveErrorData): StepweaveError {
    const refused = (why: unknown): StepweaveError => new StepweaveError("validation", "this is no error as data", { cause: why, hint: "give what toJSON() of a StepweaveError gave" });
    if (typeof data !== "object" || data === null) throw refused(data);
    try {
      const { code, message, cause, ...details } = data;
      return new StepweaveError(code, message, cause === undefined || cause === null ? details : { ...details, cause: revive(cause) });
    } catch (error) {
      throw refused(error);
    }
  }
}

// On the prototype, so that the name is no property of every single error, and that an error shows whether `retryable`
// was set.
Object.defineProperty(StepweaveError.prototype, "name", { value: "StepweaveError", configurable: true, writable: true });
Object.defineProperty(StepweaveError.prototype, "retryable", { value: false, configurable: true, writable: true });

/** What is said besides the message. Null and what else has no keys, or cannot be read, says nothing more. */
function detailsFrom(given: ErrorDetails): ErrorDetails {
  try {
    return { ...given };
  } catch {
    return {};
  }
}

/** @internal Whether this is a StepweaveError, whatever it is. */
export function isStepweaveError(value: unknown): value is StepweaveError {
  try {
    if (value instanceof StepweaveError) return true;
    // Of a copy that does not mark its classes, or made by hand.
    return value instanceof Error && value.name === "StepweaveError" && typeof (value as { code?: unknown }).code === "string";
  } catch {
    // What does not even say what it is, such as a revoked Proxy, is none.
    return false;
  }
}

/**
 * Whether a thrown value says that trying again can help; undefined where it says nothing about that.
 * @internal
 */
export function retryableOf(thrown: unknown): boolean | undefined {
  try {
    const { retryable } = thrown as { retryable?: unknown };
    if (typeof retryable !== "boolean") return undefined;
    return retryable || !isStepweaveError(thrown) || Object.hasOwn(thrown, "retryable") ? retryable : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a thrown value says, whatever it is.
 * @internal
 */
export function textOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    if (typeof thrown === "string") return thrown;
    if (typeof thrown === "object" && thrown !== null) {
      const message = (thrown as { message?: unknown }).message;
      return typeof message === "string" ? message : JSON.stringify(thrown) ?? NOT_SHOWN;
    }
    return String(thrown);
  } catch {
    return NOT_SHOWN;
  }
}

const NOT_SHOWN = "a value that cannot be shown";

/**
 * Why a fetch failed. Node hides the reason in the cause.
 * @internal
 */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const text = textOf(error);
  // OpenSSL says where in its code it was: `80:error:0A00010B:SSL routines:tls_get_more_records:wrong version number:…`.
  const why = cause === undefined || cause === null ? "" : (textOf(cause) || `${(cause as { code?: string }).code}`).replace(/^\w+:error:\w+:SSL routines:\w*:([^:]+):.*/s, "$1");
  return why === "" ? text : `${text} (${why})`;
}

function describe(cause: unknown): { name: string; message: string } {
  return { name: nameOf(cause), message: textOf(cause) };
}

function nameOf(cause: unknown): string {
  try {
    return cause instanceof Error ? String(cause.name) : typeof cause;
  } catch {
    return typeof cause;
  }
}

/** The data may come from a journal or another thread, and then from anybody. */
function revive(cause: unknown): Error {
  const error = new Error(textOf(cause));
  const { name } = cause as { name?: unknown };
  if (typeof name === "string") error.name = name;
  return error;
}

/** How deep the causes of an error are looked at. */
const MOST_CAUSES = 4;

/**
 * An error and what caused it, from the outside in: whoever throws often puts an error of their own around another one.
 * @internal
 */
export function* causesOf(error: unknown): Generator<object> {
  for (let met = error, left = MOST_CAUSES; typeof met === "object" && met !== null && left > 0; left -= 1) {
    yield met;
    met = (met as { cause?: unknown }).cause;
  }
}
