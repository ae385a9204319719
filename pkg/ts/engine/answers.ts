import { ERROR_CODES, isStepweaveError, StepweaveError, textOf, type ErrorCode, type StepRef } from "../errors.js";
import { WANTS_CHECKED, WANTS_DECISION, WANTS_LIST, WANTS_OUTPUT, WANTS_PATCH, type EngineError } from "./boundary.js";
import type { RefusedError } from "../refusal.js";
import { copyJson, copyPatch, EMPTY, NotJson, type Redact } from "./json.js";

/** What a handler returned, as the engine takes it; throws a StepweaveError that says what is wrong with it. */
export function answerOf(wants: number, value: unknown, step: StepRef, redact: Redact, tool?: string): unknown {
  if (wants === WANTS_PATCH) return patchOf(value, step, redact);
  if (wants === WANTS_OUTPUT) return plain(value ?? null, "output", `the tool \`${tool}\``, redact);
  if (wants === WANTS_DECISION) {
    if (typeof value === "boolean") return value;
    throw unusable(`the condition of \`${step.name}\` returned ${shown(value)}, not true or false`, "compare, as in (state) => state.count > 0");
  }
  if (wants === WANTS_LIST) {
    if (Array.isArray(value)) return plain(value, "items", `\`${step.name}\``, redact);
    throw unusable(`items of \`${step.name}\` returned ${shown(value)}, not a list`, "return an array");
  }
  if (wants === WANTS_CHECKED) return plain(value, "value", `\`${step.name}\``, redact);
  if (typeof value === "string") return redact === undefined ? value : redact(value);
  // What is a list here has been read as one of texts, images and files.
  if (Array.isArray(value)) return plain(value, "parts", `\`${step.name}\``, redact);
  throw unusable(`inputFrom of \`${step.name}\` returned ${shown(value)}, not a text`, "return a string; JSON.stringify(value) makes one of anything");
}

/** What a generator yielded, as the engine takes it. */
export function yieldOf(value: unknown, step: StepRef, redact: Redact): unknown {
  return plain(value, "yielded", `\`${step.name}\``, redact);
}

/** A failure of a handler or of a connection, as the engine takes it. */
export function failureOf(thrown: unknown, ownHint = THROWN_HINT, redact: Redact = undefined): EngineError {
  const told = <Text extends string | undefined>(text: Text): Text => (text === undefined ? text : redact?.(text) ?? text) as Text;
  if (isStepweaveError(thrown)) {
    const code: ErrorCode = ERROR_CODES.has(thrown.code) ? thrown.code : "handler";
    const { retryAfterMs, problems, refused } = thrown as Partial<RefusedError> & StepweaveError;
    return { code, message: told(thrown.message), hint: told(thrown.hint), retryable: thrown.retryable === true, retryAfterMs, problems, refused };
  }
  const message = told(textOf(thrown)) || "it threw without a message";
  const isWriting = thrown instanceof TypeError && READ_ONLY.test(message);
  const hint = !isWriting ? ownHint : ownHint === TOOL_HINT ? READ_ONLY_ARGUMENTS_HINT : READ_ONLY_HINT;
  // A function may have done half its work: it is called again only when the error says that this is fine.
  return { code: "handler", message, hint, retryable: (thrown as { retryable?: unknown } | null)?.retryable === true };
}

const THROWN_HINT = "the step's own function threw this: see `cause`; with required: false the run goes on without the step";

/** What is said of a tool's function that throws. */
export const TOOL_HINT = "the tool's own function threw this: see `cause`; the model is told the message and may go on without it";

const READ_ONLY_HINT = "the state is read-only: return a patch such as { key: value } instead of writing into it";

const READ_ONLY_ARGUMENTS_HINT = "a tool's arguments are read-only: change a copy of them, as in { ...args }";

// How the engines of Chromium and Node, Firefox, and Safari say that an object is frozen.
const READ_ONLY = /read[- ]?only|not extensible|(?:Cannot (?:add|delete|redefine)|Unable to delete) property|non-configurable|no[nt][- ]writable|set prototype of/i;

function patchOf(value: unknown, step: StepRef, redact: Redact): object {
  if (value === undefined || value === null) return EMPTY;
  if (typeof value !== "object") {
    throw unusable(`\`${step.name}\` returned ${shown(value)}, not a patch`, "return an object with the keys to change, or nothing");
  }
  try {
    return copyPatch(value, "patch", redact);
  } catch (error) {
    throw unusableData(`\`${step.name}\``, error);
  }
}

function plain(value: unknown, root: string, who: string, redact: Redact): unknown {
  try {
    return copyJson(value, root, undefined, redact);
  } catch (error) {
    throw unusableData(who, error);
  }
}

/** What is said of a value that cannot be copied; anything else goes on as it is. */
function unusableData(who: string, error: unknown): unknown {
  if (!(error instanceof NotJson)) return error;
  return unusable(`${who} returned what JSON cannot hold: ${error.message}`, error.hint, error.cause);
}

function unusable(message: string, hint: string, cause?: unknown): StepweaveError {
  return new StepweaveError("handler", message, cause === undefined ? { hint } : { hint, cause });
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return value.length <= 40 ? JSON.stringify(value) : "a text";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "object" ? (Array.isArray(value) ? "an array" : "an object") : `a ${typeof value}`;
}
