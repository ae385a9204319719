import { StepweaveError } from "../../api/errors.js";
import { quoted, reading } from "../../schema/options.js";
import type { CompatibilityMode, StepMetadata, StepSchema } from "./options.js";
import { StepRecord } from "./record.js";

/**
 * The metadata of a step's function: its name, and the schemas that were set for it.
 *
 * ```ts
 * const { params, returns } = stepMetadata(think("ask", { params: [{ name: "topic", schema: { type: "string" } }] }, (topic) => topic));
 * ```
 */
export function stepMetadata(step: StepRecord): StepMetadata {
  return known(step).metadata;
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
    throw new StepweaveError("validation", `there is no mode ${quoted(mode)}`, { hint: 'use "exact" or "assignable"' });
  }
  const taken = takenBy(consumer);
  const { returns } = known(producer);
  if (taken === undefined || returns === undefined) return false;
  // Programs that compare no schemas never load what does.
  return (await import("../compatible/compatible.js")).fits(returns, taken, mode);
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
  const taken = takenBy(step);
  return taken === undefined || (await import("../compatible/compatible.js")).accepts(taken, value);
}

function takenBy(step: StepRecord): StepSchema | undefined {
  return known(step).params[0]?.schema;
}

/** A step, seen to be one. */
function known(step: StepRecord): StepRecord {
  if (reading("the step", () => step instanceof StepRecord)) return step;
  throw new StepweaveError("validation", `this is no step of an agent, but ${quoted(step)}`, { hint: "pass what think(…), act(…), observe(…), synthesize(…) or step(…) makes" });
}
