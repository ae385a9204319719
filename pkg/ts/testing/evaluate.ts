import type { StepDocument } from "../api/document.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
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
  const workflow = Workflow.fromDocument({ version: 1, name: "assertion", steps: [step] });
  const { error, state: ended } = await workflow.run({ state }).catch((error: unknown) => ({ error: error as StepweaveError, state: {} }));
  if (error !== undefined) throw isStepweaveError(error) ? withoutStep(error) : error;
  return (ended as { value?: unknown }).value;
}

/** The same error without the step of ours that the expression stands in: whoever wrote it has written no step. */
function withoutStep(error: StepweaveError): StepweaveError {
  const { message, hint = error.hint } = error.problems?.[0] ?? error;
  return new StepweaveError(error.code, message.replace(/^the (?:expression for `value`|condition) /, "the expression "), { hint, cause: error });
}
