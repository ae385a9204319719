import type { Expressions } from "./document.js";
import type { Schema } from "./schema.js";
import type { Step } from "./steps.js";
import type { ToolOptions } from "./tool.js";
import type { Workflow } from "./workflow.js";

/** A `Tool` that is a workflow, as it is written. Its steps see the arguments, and nothing of the state. */
export interface WorkflowToolDefinition<Input = Schema | undefined> extends Omit<ToolOptions<Input>, "version"> {
  name: string;
  /** A workflow, with what it has as a step of another one; or the steps alone. */
  workflow: Workflow<any> | ToolSteps;
}

/** The steps of a tool that is a workflow. */
export interface ToolSteps {
  steps: Step[];
  initialState?: object | undefined;
  /** The state in which they begin, an expression over the arguments for each key; the arguments themselves when absent. */
  with?: Expressions | undefined;
  /** The result, an expression over their state for each key; that whole state when absent. */
  set?: Expressions | undefined;
}
