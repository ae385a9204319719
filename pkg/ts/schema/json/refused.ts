import { StepweaveError } from "../../api/errors.js";

/** The error for a schema whose subschema at a JSON Pointer cannot be used. */
export function refused(pointer: string, fault: string, hint: string): StepweaveError {
  const message = `${where(pointer)} ${fault}`;
  return new StepweaveError("validation", message, { hint, problems: [{ path: pointer, code: "schema", message, hint, severity: "error" }] });
}

/** A subschema as messages name it. */
export function where(pointer: string): string {
  return pointer === "" ? "the schema" : `the schema's ${pointer}`;
}
