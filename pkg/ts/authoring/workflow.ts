import { isInstance } from "../api/copies.js";
import type { MadeOfDefinition, WorkflowDefinition } from "../api/definition.js";
import type { Problem, WorkflowDocument } from "../api/document.js";
import { isStepweaveError } from "../api/errors.js";
import type { Workflow as WorkflowOf } from "../api/workflow.js";
import { problemsOf } from "../run/plan.js";
import { documentWithin, Program, textOfDocument } from "../run/program.js";
import { unreadable } from "../schema/options.js";
import { another } from "./another.js";
import { bring, type DocumentCode } from "./bring.js";
import { Catalog } from "./catalog.js";
import { normalise, remember } from "./normalise.js";
import { ProgramWorkflow } from "./program-workflow.js";

/** A workflow as it is written in TypeScript: the constructor that users call. */
class DefinedWorkflow<State = any> extends ProgramWorkflow<State> {
  constructor(definition: WorkflowDefinition<State>) {
    super(new Program(normalise(definition, new Catalog())), another);
    remember(this, definition);
  }

  /** @internal */
  static override get name(): string {
    return "Workflow";
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, DefinedWorkflow);
  }

  static fromDocument<State = any>(document: string | WorkflowDocument | object, code: DocumentCode = {}): Workflow<State> {
    return new ProgramWorkflow<State>(new Program(bring(document, code)), another);
  }
}

/** A workflow, with the type of its state, and that of the state which its runs are given, where a schema makes another of it. */
export type Workflow<State = any, Input = State> = WorkflowOf<State, Input>;

/** What makes workflows, from a definition or from a document. */
export interface WorkflowConstructor extends MadeOfDefinition {
  /**
   * A workflow from its document, as JSON text or as an object, and the code that it names: functions, tools by their
   * names, and models and agents that replace those with the same ids.
   *
   * ```ts
   * const workflow = Workflow.fromDocument(text, {
   *   handlers: { trim: (state) => ({ topic: state.topic.trim() }) },
   *   tools: [tool({ name: "search", execute: async ({ query }) => find(query) })],
   *   models: { fast: ollama("llama3.2") },
   * });
   * ```
   */
  fromDocument<State = any>(document: string | WorkflowDocument | object, code?: DocumentCode): Workflow<State>;
}

/**
 * A tree of steps that can be run any number of times, also at the same time.
 *
 * ```ts
 * import { Agent, demo, Workflow } from "stepweave";
 *
 * const writer = new Agent({ name: "writer", model: demo(), instructions: "You write one sentence." });
 * const workflow = new Workflow<{ topic: string; write_output?: string; length?: number }>({
 *   name: "write",
 *   steps: [
 *     { name: "write", agent: writer, inputFrom: "Write about {{ topic }}" },
 *     { name: "count", run: (state) => ({ length: state.write_output?.length ?? 0 }) },
 *   ],
 * });
 *
 * const result = await workflow.run({ state: { topic: "bees" } });
 * console.log(result.status, result.state.length);
 * ```
 *
 * The state begins as what `input` and `initialState` say, and steps may add keys of any type; a type argument, as
 * here, lists all of them. What is wrong with a definition is reported by `run`, which rejects with the code
 * `document`; only nesting that is too deep throws at once (`limit`).
 */
export const Workflow = DefinedWorkflow as WorkflowConstructor;

/**
 * Every problem of a document, given as JSON text or as an object; none if it can be run.
 *
 * ```ts
 * for (const { path, message, hint } of await validate(text)) console.log(`${path}: ${message} (${hint})`);
 * ```
 *
 * It loads the engine, and the parts of it that the document needs.
 */
export async function validate(document: string | object): Promise<readonly Problem[]> {
  let text: string;
  try {
    text = textOfDocument(documentWithin(document));
  } catch (error) {
    if (isStepweaveError(error) && error.problems !== undefined) return error.problems;
    throw unreadable(error, "the document");
  }
  return problemsOf(text);
}
