import { ERROR_CODES, isStepweaveError, StepweaveError, textOf, type ErrorCode, type StepRef } from "../errors.js";
import { CALL_CONDITION, CALL_RUN, type EngineError } from "./boundary.js";
import { copyPatch, EMPTY, NotJson } from "./json.js";

/** What a handler returned, as the engine takes it; throws a StepweaveError that says what is wrong with it. */
export function answerOf(kind: number, value: unknown, step: StepRef): unknown {
  if (kind === CALL_RUN) return patchOf(value, step);
  if (kind === CALL_CONDITION) {
    if (typeof value === "boolean") return value;
    throw unusable(`the condition of \`${step.name}\` returned ${shown(value)}, not true or false`, "compare, as in (state) => state.count > 0");
  }
  if (typeof value === "string") return value;
  throw unusable(`inputFrom of \`${step.name}\` returned ${shown(value)}, not a text`, "return a string; JSON.stringify(value) makes one of anything");
}

/** A failure of a handler or of a connection, as the engine takes it. */
export function failureOf(thrown: unknown): EngineError {
  if (isStepweaveError(thrown)) {
    const code: ErrorCode = ERROR_CODES.has(thrown.code) ? thrown.code : "handler";
    return { code, message: wellFormed(thrown.message), hint: wellFormed(thrown.hint), retryable: thrown.retryable === true };
  }
  const message = wellFormed(textOf(thrown)) || "it threw without a message";
  const hint = thrown instanceof TypeError && READ_ONLY.test(message) ? READ_ONLY_HINT : THROWN_HINT;
  // A function may have done half its work: it is called again only when the error says that this is fine.
  return { code: "handler", message, hint, retryable: (thrown as { retryable?: unknown } | null)?.retryable === true };
}

/** The text without halves of characters, such as cutting an emoji in two leaves: the engine reads no such text. */
function wellFormed<Text extends string | undefined>(text: Text): Text {
  return text?.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd") as Text;
}

const THROWN_HINT = "the step's own function threw this: see `cause`; with required: false the run goes on without the step";

const READ_ONLY_HINT = "the state is read-only: return a patch such as { key: value } instead of writing into it";

// How the engines of Chromium and Node, Firefox, and Safari say that an object is frozen.
const READ_ONLY = /read[- ]?only|not extensible|Cannot (?:add|delete|redefine) property|non-configurable/i;

function patchOf(value: unknown, step: StepRef): object {
  if (value === undefined || value === null) return EMPTY;
  if (typeof value !== "object") {
    throw unusable(`\`${step.name}\` returned ${shown(value)}, not a patch`, "return an object with the keys to change, or nothing");
  }
  try {
    return copyPatch(value, "patch");
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw unusable(`\`${step.name}\` returned what JSON cannot hold: ${error.message}`, error.hint, error.cause);
  }
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
