import type { StepTable } from "./state.js";

/** Whether the step of this name tells its text piece by piece. */
export type Streaming = (step: string) => boolean;

/**
 * Which steps stream. A run that says so has its last step stream and no other, or no step at all; one that says nothing
 * leaves it to each step. A custom run has no last step: what its run says holds for all.
 */
export function streamingFor(wanted: boolean | undefined, steps: StepTable, isCustom: boolean): Streaming {
  if (wanted === undefined) return (name) => steps.get(name)?.stream ?? false;
  if (!wanted || isCustom) return () => wanted;
  const last = lastOf(steps);
  return (name) => name === last;
}

/** The last step that is run. */
export function lastOf(steps: StepTable): string | undefined {
  return [...steps.values()].findLast(({ config }) => config.enabled)?.name;
}
