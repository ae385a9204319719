import { isInstance } from "../api/copies.js";
import type { MadeOfDefinition, WorkflowDefinition } from "../api/definition.js";
import { StepweaveError } from "../api/errors.js";
import type { Workflow as WorkflowOf } from "../api/workflow.js";
import { Program } from "../run/program.js";
import { FunctionTable } from "./functions.js";
import { normalise, remember } from "./normalise.js";
import { ProgramWorkflow } from "./program-workflow.js";

/** A workflow whose steps are functions alone. */
class FunctionsWorkflow<State = any> extends ProgramWorkflow<State> {
  constructor(definition: WorkflowDefinition<State>) {
    super(new Program(normalise(definition, new FunctionTable())));
    remember(this, definition);
  }

  /** @internal */
  static override get name(): string {
    return "Workflow";
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, FunctionsWorkflow);
  }

  static fromDocument(): never {
    throw new StepweaveError("document", 'the engine of "stepweave/functions" runs no documents', {
      hint: 'import { Workflow } from "stepweave", whose engine runs them',
    });
  }
}

/** A workflow, with the type of its state, and that of the state which its runs are given, where a schema makes another of it. */
export type Workflow<State = any, Input = State> = WorkflowOf<State, Input>;

/** What makes workflows of functions, as in the main entry. */
export interface WorkflowConstructor extends MadeOfDefinition {
  /** Throws: the engine of this entry runs no documents. */
  fromDocument(...given: unknown[]): never;
}

/**
 * A tree of steps that are functions. What of a definition needs more, such as an agent, a template or an expression, is
 * refused with the code `document`, and the hint to import `stepweave`.
 *
 * ```ts
 * import { Workflow } from "stepweave/functions";
 *
 * const workflow = new Workflow({
 *   name: "count",
 *   initialState: { topic: "" },
 *   steps: [{ name: "count", run: (state) => ({ length: state.topic.length }) }],
 * });
 *
 * const result = await workflow.run({ state: { topic: "bees" } });
 * console.log(result.status, result.state.length);
 * ```
 */
export const Workflow = FunctionsWorkflow as WorkflowConstructor;
