import { StepweaveError, textOf, type StepweaveErrorData } from "../api/errors.js";

/** The original error, examined outside of the engine: reading it may run code of the user. */
export interface Cause {
  readonly thrown: unknown;
  /** The same as plain data. */
  readonly data: StepweaveErrorData["cause"];
}

/** How many values of what was thrown are looked at. */
const MAX_LOOKS = 1000;

/** What was thrown; where it would show a secret, an error that says the same without it. */
export function causeOf(thrown: unknown, redact: ((text: string) => string) | undefined): Cause {
  const shown = redact === undefined || !showsSecret(thrown, redact) ? thrown : redacted(thrown, redact);
  return { thrown: shown, data: new StepweaveError("handler", "", { cause: shown }).toJSON().cause };
}

/** The error without what shows a secret. */
export function cleanError(error: StepweaveError, redact: ((text: string) => string) | undefined): StepweaveError {
  if (redact === undefined || !showsSecret(error, redact)) return error;
  const { code, message, hint, step, retryable, retryAfterMs, cause } = error;
  return new StepweaveError(code, redact(message), {
    hint: hint === undefined ? undefined : redact(hint),
    step,
    retryable,
    retryAfterMs,
    ...(cause !== undefined && { cause: causeOf(cause, redact).thrown }),
  });
}

function redacted(thrown: unknown, redact: (text: string) => string): Error {
  const error = new Error(redact(textOf(thrown)));
  try {
    if (thrown instanceof Error) error.name = redact(String(thrown.name));
  } catch {
    // What does not even say what it is has no name.
  }
  return error;
}

/** Whether a secret occurs in a thrown value, or in anything that it holds. A value too large to search counts as if one did. */
function showsSecret(thrown: unknown, redact: (text: string) => string): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [thrown];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string" && redact(value) !== value) return true;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    if (seen.size >= MAX_LOOKS) return true;
    seen.add(value);
    try {
      if (value instanceof Error) open.push(value.name, value.message, value.stack, value.cause);
      if (value instanceof Map || value instanceof Set) open.push(...value);
      // `Headers` and the like show their content only through methods.
      const { entries } = value as { entries?: unknown };
      if (typeof entries === "function" && !Array.isArray(value)) open.push(...(entries.call(value) as Iterable<unknown>));
      for (const [key, member] of Object.entries(value)) open.push(key, member);
    } catch {
      return true;
    }
  }
  return false;
}
