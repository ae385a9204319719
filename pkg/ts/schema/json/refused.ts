import { StepweaveError } from "../../api/errors.js";

/** The error of a schema of which the part that a JSON Pointer leads to cannot be used. */
export function refused(pointer: string, fault: string, hint: string): StepweaveError {
  const message = `${where(pointer)} ${fault}`;
  return new StepweaveError("validation", message, { hint, problems: [{ path: pointer, code: "schema", message, hint, severity: "error" }] });
}

/** A part of a schema as messages name it. */
export function where(pointer: string): string {
  return pointer === "" ? "the schema" : `the schema's ${pointer}`;
}
