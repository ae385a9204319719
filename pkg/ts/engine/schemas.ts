import { isStepweaveError, StepweaveError } from "../errors.js";
import type { Validator } from "../schema/validator.js";
import { isEqual } from "./json.js";

/** Reads the schemas of a document before anything runs; an error about one says where it stands. */
export function prepareAll(validator: Validator, schemas: readonly unknown[], document: unknown): void {
  for (const schema of schemas) {
    try {
      validator.prepare(schema);
    } catch (error) {
      const path = isStepweaveError(error) ? pathOf(schema, document, "") : undefined;
      if (path === undefined) throw error;
      const { code, message, hint } = error as StepweaveError;
      throw new StepweaveError(code, `\`${path}\` cannot be used: ${message}`, { hint });
    }
  }
}

/** Where this value stands first. */
function pathOf(wanted: unknown, value: unknown, path: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isEqual(value, wanted)) return path;
  for (const [key, member] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const found = pathOf(wanted, member, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
