import { bring, type DocumentCode } from "./bring.js";
import { knownInAllCopies } from "../api/copies.js";
import type { Problem, WorkflowDocument } from "../api/document.js";
import { Driver } from "../run/driver.js";
import { problemsOf } from "../run/plan.js";
import { Program, textOfDocument } from "../run/program.js";
import { isStepweaveError } from "../api/errors.js";
import type { EventType, Listener, RunResult } from "../api/events.js";
import { normalise, remember } from "./normalise.js";
import { stepsOf, type StepInfo } from "./step-info.js";
import type { Handlers, Inferred, Run, RunOptions, RunStream, Schema, StateOf, TypedDefinition, WorkflowDefinition } from "../api/types.js";

/** What {@link Workflow} makes: the program of a definition or of a document, and its runs. */
class DefinedWorkflow<State = any> {
  readonly #program: Program;
  #steps: readonly StepInfo[] | undefined;

  constructor(definition: WorkflowDefinition<State>) {
    // `fromDocument` has no definition to take apart: it comes here with the finished program.
    if (definition instanceof Program) {
      this.#program = definition;
    } else {
      this.#program = programOf(definition);
      remember(this, definition);
    }
  }

  /**
   * A workflow from its document, as JSON text or as an object, and the code that it names: functions, tools by their
   * names, and models and agents that take the place of those with the same ids.
   *
   * ```ts
   * const workflow = Workflow.fromDocument(text, {
   *   handlers: { trim: (state) => ({ topic: state.topic.trim() }) },
   *   tools: [tool({ name: "search", execute: async ({ query }) => find(query) })],
   *   models: { fast: ollama("llama3.2") },
   * });
   * ```
   */
  static fromDocument<State = any>(document: string | WorkflowDocument | object, code: DocumentCode = {}): Workflow<State> {
    return new DefinedWorkflow<State>(new Program(bring(document, code)) as unknown as WorkflowDefinition<State>);
  }

  /** The workflow's name. */
  get name(): string {
    return this.#program.name;
  }

  /**
   * Every step, also those inside others, with what is known of it before it runs.
   *
   * ```ts
   * const asking = workflow.steps.filter(({ isLlm }) => isLlm).map(({ name }) => name);
   * ```
   */
  get steps(): readonly StepInfo[] {
    return (this.#steps ??= stepsOf(this.#program));
  }

  /** The functions that the document names. Those written inline are called after their step: `review.run`. */
  get handlers(): Handlers {
    return { ...this.#program.handlers };
  }

  /**
   * Begins a run and returns at once. Its first step begins after the caller's own code.
   *
   * ```ts
   * const run = workflow.start({ state: { topic: "bees" } });
   * for await (const event of run.events) console.log(event.type);
   * ```
   */
  start(options?: RunOptions<State>): Run<State> {
    return new Driver(this.#program, options);
  }

  /**
   * Runs the workflow to its end: `start(options).result`. A step's failure is data in the result; the promise
   * rejects only when the call itself is wrong or the engine fails.
   *
   * ```ts
   * const { status, state, errors } = await workflow.run({ state: { topic: "bees" } });
   * ```
   */
  run(options?: RunOptions<State>): Promise<RunResult<State>> {
    return new Driver(this.#program, options).result;
  }

  /**
   * Begins a run and gives its events; the last one carries the result. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of workflow.stream()) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(options?: RunOptions<State>): RunStream<State> {
    return new Driver(this.#program, options).stream();
  }

  /**
   * Calls a function for each event of one type (`"*"`: of every type) of the runs that begin from now on.
   * The function that is given back removes it. A listener that throws does no harm: it becomes a `run.warning`
   * with the code `listener`.
   *
   * ```ts
   * const off = workflow.on("step.done", ({ step, durationMs }) => console.log(step.name, durationMs));
   * ```
   */
  on<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#program.bus.on(type, listener);
  }

  /** As {@link Workflow.on}, for the first such event only. */
  once<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#program.bus.once(type, listener);
  }

  /** Removes a listener that {@link Workflow.on} or {@link Workflow.once} added. */
  off<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): void {
    this.#program.bus.off(type, listener);
  }

  /**
   * The workflow as data, to be stored, shared or opened in the builder. Inline functions appear by name; bring
   * them along with {@link Workflow.handlers}. Keys of models never appear.
   *
   * ```ts
   * const same = Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
   * ```
   */
  toDocument(): WorkflowDocument {
    if (this.#program.broken !== undefined) throw this.#program.broken;
    return JSON.parse(this.#program.text) as WorkflowDocument;
  }
}
knownInAllCopies(DefinedWorkflow, "Workflow");

/** A workflow, with the type of its state. */
export interface Workflow<State = any> extends DefinedWorkflow<State> {}

/** How a workflow is made: with a type argument for its state, or with the state that its definition begins with. */
export interface WorkflowConstructor {
  new <State = Inferred, const Input extends Schema | undefined = undefined, Initial extends object | undefined = undefined>(
    definition: TypedDefinition<State, Input, Initial>,
  ): Workflow<StateOf<State, Input, Initial>>;
  readonly prototype: Workflow;
  fromDocument: typeof DefinedWorkflow.fromDocument;
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

function programOf(definition: WorkflowDefinition): Program {
  return new Program(normalise(definition));
}
