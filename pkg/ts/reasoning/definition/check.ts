import type { Problem } from "../../api/document.js";
import { StepweaveError } from "../../api/errors.js";
import { isObject } from "../../api/json.js";
import { nearest } from "../../schema/nearest.js";
import { kindOf } from "../../schema/options.js";

/** The type of an option, in the words of the message. */
export type Kind = "a text" | "a number" | "a whole number" | "true or false" | "a function" | "an object" | "a list";

/** The kinds of the options that a thing has; what has no kind is looked at elsewhere. */
export type Kinds = { readonly [option: string]: Kind | undefined };

/** Collects all problems of an object, so that they are reported together. */
export class Check {
  readonly problems: Problem[] = [];
  readonly #what: string;

  /** `what` begins the sentences: "the step `analyse`". */
  constructor(what: string) {
    this.#what = what;
  }

  /** Notes a problem; `code` stays the same between versions. */
  refuse(path: string, code: string, message: string, hint: string): void {
    this.problems.push({ path, code, message: `${this.#what} ${message}`, hint, severity: "error" });
  }

  /** Notes options that do not exist or are of the wrong kind. Null stands for an option that is not given. */
  options(options: object, kinds: Kinds, prefix = ""): void {
    if (!isOf("an object", options)) return this.refuse(prefix, "wrong_type", `takes its options as an object, and they are ${kindOf(options)}`, `it has ${Object.keys(kinds).join(", ")}`);
    for (const [key, value] of Object.entries(options)) {
      const path = prefix + key;
      const kind = kinds[key];
      if (!Object.hasOwn(kinds, key)) {
        const meant = nearest(key, Object.keys(kinds));
        const hint = meant === undefined ? `use ${Object.keys(kinds).join(", ")}` : `did you mean \`${meant}\`?`;
        this.refuse(path, "unknown_option", `has no option \`${path}\``, hint);
      } else if (kind !== undefined && value !== undefined && value !== null && !isOf(kind, value)) {
        this.refuse(path, "wrong_type", `needs ${kind} as \`${path}\``, `write ${kind}, or leave \`${path}\` out`);
      }
    }
  }

  /** Throws when there are problems: the message lists them all, `problems` has their codes. */
  done(): void {
    const [first] = this.problems;
    if (first === undefined) return;
    const message = this.problems.map((problem) => problem.message).join("; ");
    throw new StepweaveError("validation", message, { hint: first.hint, problems: this.problems });
  }
}

/** The value, where it is a number. */
export function numberOr(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

/** The same options under the names that they have here; what are no options stays what it is. */
export function spelled(options: object, spellings: { readonly [other: string]: string }): object {
  if (!isOf("an object", options)) return options;
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [spellings[key] ?? key, value]));
}

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "a text":
      return typeof value === "string";
    case "a number":
      return typeof value === "number" && Number.isFinite(value);
    case "a whole number":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "true or false":
      return typeof value === "boolean";
    case "a function":
      return typeof value === "function";
    case "an object":
      return isObject(value);
    case "a list":
      return Array.isArray(value);
  }
}
