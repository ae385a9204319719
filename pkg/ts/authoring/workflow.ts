import { knownInAllCopies } from "../api/copies.js";
import type { Inferred, StateOf, TypedDefinition, WorkflowDefinition } from "../api/definition.js";
import type { Problem, WorkflowDocument } from "../api/document.js";
import { isStepweaveError } from "../api/errors.js";
import type { EventType, Listener } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { Handlers } from "../api/functions.js";
import type { Run, RunOptions, RunStream } from "../api/run.js";
import type { Schema } from "../api/schema.js";
import type { StepInfo, Workflow as WorkflowOf } from "../api/workflow.js";
import { Driver } from "../run/driver.js";
import { RunHandle } from "../run/handle.js";
import { problemsOf } from "../run/plan.js";
import { Program, textOfDocument } from "../run/program.js";
import { bring, type DocumentCode } from "./bring.js";
import { normalise, remember } from "./normalise.js";
import { stepsOf } from "./step-info.js";

/** A workflow of a document and its code: what `Workflow.fromDocument` gives. */
class ProgramWorkflow<State = any> implements Workflow<State> {
  readonly #program: Program;
  #steps: readonly StepInfo[] | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  get name(): string {
    return this.#program.name;
  }

  get steps(): readonly StepInfo[] {
    return (this.#steps ??= stepsOf(this.#program));
  }

  get handlers(): Handlers {
    return { ...this.#program.handlers };
  }

  start(options?: RunOptions<State>): Run<State> {
    return new RunHandle(new Driver(this.#program, options));
  }

  run(options?: RunOptions<State>): Promise<RunResult<State>> {
    return new Driver(this.#program, options).result;
  }

  stream(options?: RunOptions<State>): RunStream<State> {
    return new Driver(this.#program, options).stream();
  }

  on<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#program.bus.on(type, listener);
  }

  once<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#program.bus.once(type, listener);
  }

  off<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): void {
    this.#program.bus.off(type, listener);
  }

  toDocument(): WorkflowDocument {
    if (this.#program.broken !== undefined) throw this.#program.broken;
    return JSON.parse(this.#program.text) as WorkflowDocument;
  }
}
/** A workflow as it is written in TypeScript: the constructor that users call. */
class DefinedWorkflow<State = any> extends ProgramWorkflow<State> {
  constructor(definition: WorkflowDefinition<State>) {
    super(new Program(normalise(definition)));
    remember(this, definition);
  }

  static fromDocument<State = any>(document: string | WorkflowDocument | object, code: DocumentCode = {}): Workflow<State> {
    return new ProgramWorkflow<State>(new Program(bring(document, code)));
  }
}
// One by the way it was made, both by what they are.
knownInAllCopies(ProgramWorkflow, "Workflow");
knownInAllCopies(DefinedWorkflow, "Workflow");

/** A workflow, with the type of its state. */
export type Workflow<State = any> = WorkflowOf<State>;

/** How a workflow is made: with a type argument for its state, or with the state that its definition begins with. */
export interface WorkflowConstructor {
  new <State = Inferred, const Input extends Schema | undefined = undefined, Initial extends object | undefined = undefined>(
    definition: TypedDefinition<State, Input, Initial>,
  ): Workflow<StateOf<State, Input, Initial>>;
  readonly prototype: Workflow;
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
    text = textOfDocument(document);
  } catch (error) {
    if (isStepweaveError(error) && error.problems !== undefined) return error.problems;
    throw error;
  }
  return problemsOf(text);
}
