import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import { nearest } from "./nearest.js";

/**
 * The options of a call, read once, as far as they are known. What are no options is refused, and so is what is none of
 * them: a misspelt one would be lost without a word, and with it where data goes.
 */
export function optionsFrom<Options>(given: Options, known: readonly string[], what: string): Options {
  return reading(what, () => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw new StepweaveError("validation", `the options of ${what} must be an object`, { hint: `they are ${kindOf(given)}; it has ${known.join(", ")}` });
    }
    const stranger = Object.keys(given).find((key) => !known.includes(key));
    if (stranger !== undefined) {
      const meant = nearest(stranger, known);
      throw new StepweaveError("validation", `${what} has no option \`${stranger}\``, {
        hint: meant === undefined ? `use ${known.join(", ")}` : `did you mean \`${meant}\`?`,
      });
    }
    const options = given as Record<string, unknown>;
    return Object.fromEntries(known.filter((key) => key in options).map((key) => [key, options[key]])) as Options;
  });
}

/** Options without those that are undefined, which are as if left out where others are put under them. */
export function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** What is read of the arguments of a call. Getters and Proxies may throw at that: whoever called then gets an error of the package. */
export function reading<Read>(what: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw unreadable(error, what);
  }
}

/** The error of arguments that throw when they are read; errors of the package stay what they are. */
export function unreadable(thrown: unknown, what: string): StepweaveError {
  if (isStepweaveError(thrown)) return thrown;
  return new StepweaveError("validation", `${what} cannot be read: ${textOf(thrown)}`, { cause: thrown, hint: "pass plain values, without getters or Proxies that throw" });
}

/** An AbortSignal, seen to be one; null counts as none. */
export function signalFrom(given: AbortSignal | null | undefined): AbortSignal | undefined {
  if (given === undefined || given === null) return undefined;
  if (reading("the option `signal`", () => typeof given.addEventListener === "function" && typeof given.removeEventListener === "function")) return given;
  throw new StepweaveError("validation", "the option `signal` is no AbortSignal", { hint: "pass controller.signal, not the controller" });
}

/** What a value is, for a message that says what it should have been. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "empty";
  try {
    return Array.isArray(value) ? "a list" : `${/^[aeiou]/.test(typeof value) ? "an" : "a"} ${typeof value}`;
  } catch {
    return "a revoked Proxy";
  }
}

/** A value as a message shows it, with quotes around texts. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : textOf(value);
}
