import type { StepRecord } from "../definition/record.js";

/** The state of an agent's run: the input, and what each step resulted in under `<name>_output`. */
export interface ChainState {
  readonly input: any;
  readonly [key: string]: any;
}

/** The steps of an agent by their names. */
export type StepTable = ReadonlyMap<string, StepRecord>;

/** A result and the step it is of. */
export interface Stored {
  readonly step: StepRecord;
  readonly value: any;
}

/** Where the state keeps a step's result. */
export function outputKey(name: string): string {
  return `${name}_output`;
}

/** The results in the order in which they came, which is the order of the state's keys. Null counts as no result. */
export function storedIn(state: ChainState, steps: StepTable): Stored[] {
  const stored: Stored[] = [];
  for (const [key, value] of Object.entries(state)) {
    const step = key.endsWith("_output") ? steps.get(key.slice(0, -7)) : undefined;
    if (step !== undefined && value !== null) stored.push({ step, value });
  }
  return stored;
}

/** What is passed on: the latest result that is, or the input. */
export function passedIn(state: ChainState, steps: StepTable): any {
  const last = lastPassed(state, steps);
  return last === undefined ? state.input : last.value;
}

/** The latest result that is passed on. */
export function lastPassed(state: ChainState, steps: StepTable): Stored | undefined {
  return storedIn(state, steps).findLast(({ step }) => step.config.passResult);
}

/** The state without a step's result. */
export function without(state: ChainState, name: string): ChainState {
  const { input, [outputKey(name)]: _, ...others } = state;
  return { input, ...others };
}
