import { StepweaveError } from "../../api/errors.js";
import type { RunContext } from "../../api/functions.js";
import type { StepRecord } from "../definition/record.js";
import { collected } from "../running/collect.js";
import { follow } from "../running/context.js";
import { StepContext } from "../running/step-context.js";
import { inputsFor } from "./inputs.js";
import type { CallState, Compilation } from "./visit.js";

/** What the step's function gives, in one piece. */
export async function called(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): Promise<unknown> {
  return collected(await begun(step, state, run, compilation), run);
}

/** What the step's function gives: perhaps an iterator. */
export function begun(step: StepRecord, state: CallState, run: RunContext, { steps, visitOf }: Compilation): unknown {
  const { context, session = run.sessionState } = visitOf(run, state);
  // The arguments of a call come with it; the context of a custom run is kept by that run.
  if (state.arguments === undefined) follow(context, state);
  const inputs = state.arguments ?? inputsFor(step, state, steps);
  return step.func(...inputs, new StepContext(run, context, session));
}

/** The return value of a step's function, as the prompt of the model. */
export function promptOf({ name }: StepRecord, returned: unknown): string {
  if (typeof returned === "string") return returned;
  throw new StepweaveError("handler", `the step \`${name}\` returned ${kindOf(returned)}, not the text of a prompt`, {
    hint: "return a text; a step that computes its result itself has sendToLlm: false",
  });
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : "an object";
}
