import { StepweaveError } from "../../api/errors.js";
import type { StepRecord } from "../definition/record.js";
import { storedIn, type ChainState, type Stored, type StepTable } from "../running/state.js";

/**
 * What a step's function is given: the passed value, then every other result, the latest first, then the input;
 * as many of them as the function takes.
 */
export function inputsFor(step: StepRecord, state: ChainState, steps: StepTable): unknown[] {
  const stored = storedIn(state, steps);
  const passed = stored.findLastIndex(({ step }) => step.config.passResult);
  const [first] = passed < 0 ? [] : stored.splice(passed, 1);
  const others = stored.reverse();
  const values = others.map(({ value }) => value as unknown);
  const available = first === undefined ? [state.input, ...values] : [first.value, ...values, state.input];
  if (step.inputs > available.length) throw tooMany(step, available.length, first === undefined ? others : [first, ...others]);
  return available.slice(0, step.inputs);
}

function tooMany({ name, inputs }: StepRecord, available: number, stored: readonly Stored[]): StepweaveError {
  const names = [...stored.map(({ step }) => `the result of \`${step.name}\``), "the input"].join(", ");
  return new StepweaveError("validation", `the step \`${name}\` takes ${inputs} inputs, but there ${available === 1 ? "is" : "are"} only ${available}: ${names}`, {
    hint: `take fewer, or put the step after those whose results it needs; where the last parameter is the context, write inputs: ${inputs - 1}`,
  });
}
