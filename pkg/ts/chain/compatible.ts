import { isAssignable, sameSchema } from "../schema/compatible.js";
import { checkStandard, isStandardSchema, jsonSchemaOf } from "../schema/standard.js";
import { loadValidator } from "../schema/validator.js";
import type { CompatibilityMode } from "./metadata.js";
import type { StepSchema } from "./record.js";

/** Whether what one schema describes is what another one takes. */
export function fits(producer: StepSchema, consumer: StepSchema, mode: CompatibilityMode): boolean {
  if (producer === consumer) return true;
  const [given, taken] = [plain(producer, "output"), plain(consumer, "input")];
  if (given === undefined || taken === undefined) return false;
  return mode === "exact" ? sameSchema(given, taken) : isAssignable(given, taken);
}

/** Whether a schema accepts a value. */
export async function accepts(schema: StepSchema, value: unknown): Promise<boolean> {
  if (isStandardSchema(schema)) return "value" in (await checkStandard(schema, value));
  return (await loadValidator()).check(schema, value).length === 0;
}

/** As a JSON Schema; undefined where a library cannot tell what its schema says. */
function plain(schema: StepSchema, side: "input" | "output"): unknown {
  if (!isStandardSchema(schema)) return schema;
  const found = jsonSchemaOf(schema, side);
  return found === true ? undefined : found;
}
