import type { Json, WorkflowDocument } from "./document.js";
import type { EventType, Listener } from "./events.js";
import type { RunResult } from "./results.js";
import type { Handlers } from "./functions.js";
import type { Run, RunOptions, RunOptionsWithInput, RunStream } from "./run.js";

/** A workflow, with the type of its state, and that of the state which its runs are given, where a schema makes another of it. */
export interface Workflow<State = any, Input = State> {
  /** The workflow's name. */
  readonly name: string;
  /**
   * Every step, also those inside others, with its metadata.
   *
   * ```ts
   * const agentSteps = workflow.steps.filter(({ isLlm }) => isLlm).map(({ name }) => name);
   * ```
   */
  readonly steps: readonly StepInfo[];
  /** The functions that the document names. Inline ones are named after their step: `review.run`. */
  readonly handlers: Handlers;
  /**
   * Starts a run and returns at once. Its first step begins after the caller's own code.
   *
   * ```ts
   * const run = workflow.start({ state: { topic: "bees" } });
   * for await (const event of run.events) console.log(event.type);
   * ```
   */
  start(options?: RunOptions<Input>): Run<State>;
  /**
   * Runs the workflow to its end: `start(options).result`. A step's failure is data in the result; the promise
   * rejects only when the call itself is wrong or the engine fails.
   *
   * ```ts
   * const { status, state, errors } = await workflow.run({ state: { topic: "bees" } });
   * ```
   */
  run(options?: RunOptions<Input>): Promise<RunResult<State>>;
  /**
   * Starts a run and returns its events; the last one carries the result. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of workflow.stream()) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(options?: RunOptions<Input>): RunStream<State>;
  /**
   * Calls a function for each event of one type (`"*"`: of every type) of the runs that start from now on.
   * The returned function removes it. A listener that throws or rejects does no harm: `result.warnings` has
   * it with the code `listener`. While the run continues, it is emitted as a `run.warning` too.
   *
   * ```ts
   * const off = workflow.on("step.done", ({ step, durationMs }) => console.log(step.name, durationMs));
   * ```
   */
  on<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void;
  /** As {@link Workflow.on}, for the first such event only. */
  once<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void;
  /** Removes a listener that {@link Workflow.on} or {@link Workflow.once} added. */
  off<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): void;
  /**
   * The workflow as data, to be stored, shared or opened in the builder. Inline functions appear by name; provide
   * them with {@link Workflow.handlers}. Keys of models never appear, and pinned outputs are left out.
   *
   * ```ts
   * const same = Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
   * ```
   */
  toDocument(): WorkflowDocument;
  /**
   * The same code with another document, such as an earlier version of this one; what the code says of its tools holds
   * there too. Runs reject with the code `document` when the document names what the code does not have.
   *
   * ```ts
   * const begun = workflow.toDocument(); // kept somewhere
   * const { status } = await workflow.withDocument(begun).run({ state: { topic: "bees" } });
   * ```
   */
  withDocument(document: WorkflowDocument): Workflow<State, Input>;
}

/** A workflow whose `input`, a schema of a library, has keys that have to be given to its runs. It can be used as any workflow. */
export interface WorkflowWithInput<State, Input> extends Workflow<State, Input> {
  start(options: RunOptionsWithInput<Input>): Run<State>;
  run(options: RunOptionsWithInput<Input>): Promise<RunResult<State>>;
  stream(options: RunOptionsWithInput<Input>): RunStream<State>;
  withDocument(document: WorkflowDocument): WorkflowWithInput<State, Input>;
}

/**
 * The metadata of a step.
 *
 * ```ts
 * for (const { path, name, isLlm, paramsSchema } of workflow.steps) console.log(path, name, isLlm, paramsSchema);
 * ```
 */
export interface StepInfo {
  readonly id: string;
  /** The step's path, such as `steps[2].parallel[0]`. */
  readonly path: string;
  readonly name: string;
  /** `agent`, `function`, `condition`, … */
  readonly type: string;
  /** Whether the step calls a model. */
  readonly isLlm: boolean;
  /**
   * Whether the step's function is an `async function`. Code that was compiled for runtimes without them has plain
   * functions instead, and a plain function may return a promise too: both are run the same way, and this is false.
   */
  readonly isCoroutine: boolean;
  /** Whether the step's function is an `async function*`; the note on compiled code at {@link StepInfo.isCoroutine} applies here too. */
  readonly isAsyncGen: boolean;
  /** JSON Schema of the step's input, also of a Standard Schema; `true` where its library exposes none. */
  readonly paramsSchema?: Json;
  /** JSON Schema of the step's result, or else of its agent's answer. */
  readonly returnSchema?: Json;
  /** The tools that its agent may call. */
  readonly tools?: readonly string[];
}
