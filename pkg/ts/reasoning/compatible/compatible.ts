import { copyJson } from "../../json/copy.js";
import { NotJson } from "../../json/not-json.js";
import { isAssignable, sameSchema } from "../../schema/compatible.js";
import { loadPatterns } from "../../schema/pattern.js";
import { checkStandard, isStandardSchema, jsonSchemaOf } from "../../schema/standard.js";
import { loadValidator } from "../../schema/validator.js";
import type { CompatibilityMode, StepSchema } from "../definition/options.js";

/** Whether what one schema describes is what another one takes. */
export async function fits(producer: StepSchema, consumer: StepSchema, mode: CompatibilityMode): Promise<boolean> {
  if (producer === consumer) return true;
  const [given, taken] = [schemaOf(producer, "output"), schemaOf(consumer, "input")];
  if (given === undefined || taken === undefined) return false;
  if (mode === "exact") return sameSchema(given, taken) || sameSchema(asWritten(producer, given), taken);
  await loadPatterns([given, taken]);
  return isAssignable(given, taken);
}

/** Whether a schema accepts a value. */
export async function accepts(schema: StepSchema, value: unknown): Promise<boolean> {
  if (isStandardSchema(schema)) return "value" in (await checkStandard(schema, value));
  // What JSON cannot hold is never given to a step, whatever its schema says.
  if (!isJson(value)) return false;
  return (await loadValidator([schema])).check(schema, value).length === 0;
}

function isJson(value: unknown): boolean {
  try {
    copyJson(value, "value");
    return true;
  } catch (error) {
    if (error instanceof NotJson) return false;
    throw error;
  }
}

/** As a JSON Schema; undefined where a library exposes none. */
function schemaOf(schema: StepSchema, side: "input" | "output"): unknown {
  if (!isStandardSchema(schema)) return schema;
  const found = jsonSchemaOf(schema, side);
  return found === true ? undefined : found;
}

/**
 * What a library's schema gives, as it was written: objects that drop keys which they do not name give closed objects,
 * and nobody wrote that they are. Where a schema changes nothing else, it gives what it takes.
 */
function asWritten(schema: StepSchema, given: unknown): unknown {
  const taken = schemaOf(schema, "input");
  const open: unknown = JSON.parse(JSON.stringify(given), (key, value) => (key === "additionalProperties" && value === false ? undefined : value));
  return sameSchema(open, taken) ? taken : given;
}
