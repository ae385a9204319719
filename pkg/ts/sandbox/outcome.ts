import { StepweaveError, textOf } from "../api/errors.js";
import { copyJson, copyPatch, EMPTY } from "../json/copy.js";
import { BODY, refused, thrownBy, type Described } from "./failure.js";
import type { Limits } from "./limits.js";

/** The patch, or the value, in the guest's report; throws its error. */
export function valueOf(word: string, code: string, limits: Limits): unknown {
  const rest = word.slice(1);
  switch (word[0]) {
    case "p":
      return copied(() => copyPatch(JSON.parse(rest) as object, "patch"));
    case "v":
      return copied(() => copyJson(JSON.parse(rest), "output"));
    case "n":
      return EMPTY;
    case "r":
      throw new StepweaveError("handler", `the code returned ${rest}, not an object of keys to set`, {
        hint: "return an object of the keys to set, such as { total: 5 }, or nothing",
      });
    case "j": {
      const { message, hint, cause } = JSON.parse(rest) as { message: string; hint: string; cause: Described | null };
      const details = cause === null ? {} : { cause: thrownBy(cause, code, limits) };
      throw new StepweaveError("handler", `the code returned what JSON cannot hold: ${message}`, { hint, ...details });
    }
    case "w":
      throw new StepweaveError("handler", "the code waits for a promise that nothing will settle", {
        hint: "code steps have no timers and no network: await only what the code itself settles",
      });
    case "s":
      throw refused(JSON.parse(rest) as Described, code, limits);
    default:
      throw thrownBy(JSON.parse(rest) as Described, code, limits);
  }
}

/** The guest has checked what it gives, but it may have been deceived: code can replace what it works with. */
function copied<Copy>(copy: () => Copy): Copy {
  try {
    return copy();
  } catch (error) {
    throw new StepweaveError("handler", `the code returned what is no JSON: ${textOf(error)}`, {
      hint: "leave Object.prototype and the other built-in objects as they are",
    });
  }
}

/** Whether the code is the expression of a function, which as a body does nothing. */
export function isFunctionOnly(code: string, run: (probe: string) => string): boolean {
  if (!MAY_BE_FUNCTION.test(code)) return false;
  return run(`return { isFunction: typeof (\n${code.replace(/;\s*$/, "")}\n) === "function" }`) === 'p{"isFunction":true}';
}

/** The error of code that is only the expression of a function. */
export function uncalled(): StepweaveError {
  return new StepweaveError("handler", "the code is a function that nobody calls", { hint: BODY, retryable: false });
}

// Behind spaces and comments, each of which can be read in one way only: what could be read in several ways would be.
const MAY_BE_FUNCTION = /^(?:\s|\/\/.*(?:[\n\r\u2028\u2029]|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:async\b|function\b|\(|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)/u;
