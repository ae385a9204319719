import type { StepRecord } from "../definition/record.js";
import type { StepTable } from "../running/state.js";

/** Whether the step of this name emits its text in chunks. */
export type Streaming = (step: string) => boolean;

/**
 * Which steps stream. A run that says so has its last step stream and no other, or no step at all; one that says nothing
 * leaves it to each step. A custom run has no last step: what its run says holds for all. JSON is read when it is whole.
 */
export function streamingFor(wanted: boolean | undefined, steps: StepTable, isCustom: boolean): Streaming {
  const isText = (name: string): boolean => steps.get(name)?.jsonOutput !== true;
  if (wanted === undefined) return (name) => steps.get(name)?.stream ?? false;
  if (!wanted || isCustom) return (name) => wanted && isText(name);
  const last = lastOf(steps)?.name;
  return (name) => name === last && isText(name);
}

/** The step whose text a run of these steps results in, if its last one passes it on. */
export function textStepOf(steps: StepTable): string | undefined {
  const last = lastOf(steps);
  return last?.config.passResult === true ? last.name : undefined;
}

function lastOf(steps: StepTable): StepRecord | undefined {
  return [...steps.values()].findLast(({ config }) => config.enabled);
}
