import { Workflow, type Json, type RunContext, type StepInfo } from "stepweave";

const { steps } = new Workflow({ name: "w", steps: [] });
const all: readonly StepInfo[] = steps;
const schema: Json | undefined = steps[0]?.paramsSchema;
// @ts-expect-error what is known of a step is read-only
steps[0]!.isLlm = true;
// @ts-expect-error and so is the list
steps.push();

declare const context: RunContext;
const session: string = context.sessionId;
export { all, schema, session };
