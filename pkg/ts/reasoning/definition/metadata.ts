import { StepweaveError } from "../../api/errors.js";
import type { CompatibilityMode, StepMetadata } from "./options.js";
import type { StepRecord } from "./record.js";

/**
 * The metadata of a step's function: its name, and the schemas that were set for it.
 *
 * ```ts
 * const { params, returns } = stepMetadata(think("ask", { params: [{ name: "topic", schema: { type: "string" } }] }, (topic) => topic));
 * ```
 */
export function stepMetadata(step: StepRecord): StepMetadata {
  return step.metadata;
}

/**
 * Whether the result of one step fits the first parameter of another one. `exact` requires the same schema, whatever the
 * order of its keys, its titles and descriptions; `assignable` one that allows nothing else. False when either
 * step has no schema.
 *
 * ```ts
 * const count = act("count", { sendToLlm: false, returns: { type: "integer" } }, (text) => text.length);
 * const half = act("half", { sendToLlm: false, params: [{ name: "n", schema: { type: "number" } }] }, (n) => n / 2);
 * await isCompatibleWith(half, count); // false
 * await isCompatibleWith(half, count, "assignable"); // true
 * ```
 */
export async function isCompatibleWith(consumer: StepRecord, producer: StepRecord, mode: CompatibilityMode = "exact"): Promise<boolean> {
  if (mode !== "exact" && mode !== "assignable") {
    throw new StepweaveError("validation", `there is no mode ${String(mode)}`, { hint: 'use "exact" or "assignable"' });
  }
  const taken = consumer.params[0]?.schema;
  if (taken === undefined || producer.returns === undefined) return false;
  // Programs that compare no schemas never load what does.
  return (await import("../compatible/compatible.js")).fits(producer.returns, taken, mode);
}

/**
 * Whether a step takes a value first. True for one that does not say what it takes.
 *
 * ```ts
 * const half = act("half", { sendToLlm: false, params: [{ name: "n", schema: { type: "number" } }] }, (n) => n / 2);
 * await canExecuteWith(half, "4"); // false
 * ```
 */
export async function canExecuteWith(step: StepRecord, value: unknown): Promise<boolean> {
  const taken = step.params[0]?.schema;
  return taken === undefined || (await import("../compatible/compatible.js")).accepts(taken, value);
}
