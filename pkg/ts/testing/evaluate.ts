import type { StepDocument } from "../api/document.js";
import { Workflow } from "../authoring/workflow.js";

/** What an expression is over a state, by the engine and within its bounds; throws what the engine says of it. */
export async function evaluated(expression: string, state: object): Promise<unknown> {
  return over(state, { id: "value", type: "function", name: "value", run: { set: { value: expression } } });
}

/** Whether an expression is true of a state, as a condition step decides it. */
export async function holds(expression: string, state: object): Promise<boolean> {
  const set = (value: string): StepDocument => ({ id: value, type: "function", name: value, run: { set: { value } } });
  return (await over(state, { id: "if", type: "condition", name: "if", condition: expression, steps: [set("true")], else: [set("false")] })) === true;
}

async function over(state: object, step: StepDocument): Promise<unknown> {
  const result = await Workflow.fromDocument({ version: 1, name: "assertion", steps: [step] }).run({ state });
  if (result.error !== undefined) throw result.error;
  return (result.state as { value?: unknown }).value;
}
