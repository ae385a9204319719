import type { StepResult } from "../events.js";
import { diff, merge, mergeAll } from "./json.js";
import type { PlannedStep } from "./plan.js";

interface Branch {
  readonly step: number;
  readonly type: string;
  readonly path: string;
  readonly inner: Branch[];
}

/**
 * The state that a run had reached when it was dropped: the patches of the steps that were done, merged the
 * way the engine merges them. Members of a parallel begin from the same state and merge in declared order.
 */
export function stateSoFar(
  steps: readonly PlannedStep[],
  patches: readonly (object | undefined)[],
  results: readonly (StepResult | undefined)[],
  initial: object,
): object {
  const block = (branches: readonly Branch[], state: object): object =>
    branches.reduce((reached, branch) => one(branch, reached), state);
  const one = ({ step, type, inner }: Branch, state: object): object => {
    if (type !== "parallel") return block(inner, mergeIf(state, patches[step]));
    // A parallel whose members clash leaves the state as it was.
    if (hasClashed(results[step])) return state;
    return mergeAll(state, inner.map((member) => diff(state, one(member, state))));
  };
  return block(treeOf(steps), initial);
}

/** One that a clash further inside has stopped has that step's error as its cause. */
function hasClashed(result: StepResult | undefined): boolean {
  return result?.error?.code === "conflict" && result.error.cause === undefined;
}

function mergeIf(state: object, patch: object | undefined): object {
  return patch === undefined ? state : merge(state, patch);
}

/** The steps come in pre-order, and the path of a step begins with the path of what holds it. */
function treeOf(steps: readonly PlannedStep[]): Branch[] {
  const roots: Branch[] = [];
  const open: Branch[] = [];
  for (const [step, { ref, type }] of steps.entries()) {
    while (open.length > 0 && !ref.path.startsWith(`${open.at(-1)?.path}.`)) open.pop();
    const branch: Branch = { step, type, path: ref.path, inner: [] };
    (open.at(-1)?.inner ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}
