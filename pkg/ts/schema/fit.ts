import type { Problem } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { StandardSchema } from "../api/schema.js";
import { steps as keysOf } from "./json/pointer.js";
import { checkStandard, type Checked } from "./standard.js";

/** Gives a value as a schema makes it; throws `validation` when it does not fit. */
export type Check = (value: unknown) => Promise<unknown>;

/** Problems in one message, as in the engine. */
const MAX_LISTED = 5;

/** Values that can be converted at most: in each of 20 rounds the engine converts as many as a check lists. */
const MAX_CONVERTED = 1000;

// The schemas of libraries that stand behind the checks which documents name.
const schemas = new WeakMap<object, StandardSchema>();

// A schema is one check, however many documents it is in.
const checks = new WeakMap<StandardSchema, Check>();

/** The check that a library's schema makes. */
export function checkOf(schema: StandardSchema): Check {
  const check: Check = checks.get(schema) ?? (async (value) => fitting(await checkStandard(schema, value)));
  checks.set(schema, check);
  schemas.set(check, schema);
  return check;
}

/** The schema that a check was made of, if it was. */
export function schemaBehind(check: object): StandardSchema | undefined {
  return schemas.get(check);
}

/** What is done about a value that does not fit, and about each of its faults. */
const HINT = "change the value, or the schema if the value is right";

/** What is said of a value that does not fit a library's schema. */
export class MisfitError extends StepweaveError {
  /** The values that are rejected, as JSON Pointers: the engine converts there and checks again. */
  readonly faults: readonly string[];

  constructor(problems: readonly Problem[], faults: readonly string[]) {
    const shown = problems.slice(0, MAX_LISTED).map(({ message }) => message);
    const more = problems.length - shown.length;
    super("validation", `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, { hint: HINT, problems });
    this.faults = faults;
  }
}

/** The value that a check gives; throws `validation` when the value does not fit. */
function fitting(checked: Checked): unknown {
  if ("value" in checked) return checked.value;
  const problems = checked.issues.map(({ at, message }): Problem => {
    const path = keysOf(at).join(".");
    return { path, code: "standard_schema", message: path === "" ? message : `\`${path}\`: ${message}`, hint: HINT, severity: "error" };
  });
  // With more no value is converted: each round would have the library look through all of them, for nothing.
  throw new MisfitError(problems, checked.count > MAX_CONVERTED ? [] : checked.issues.map(({ at }) => at));
}
