import { markInAllCopies } from "../api/copies.js";
import type { WorkflowDocument } from "../api/document.js";
import type { EventType, Listener } from "../api/events.js";
import type { Handlers } from "../api/functions.js";
import type { RunResult } from "../api/results.js";
import { CHECK, type Run, type RunOptions, type RunStream } from "../api/run.js";
import type { StepInfo, Workflow } from "../api/workflow.js";
import { Driver } from "../run/driver.js";
import { RunHandle } from "../run/handle.js";
import { openTo } from "../run/functions.js";
import { settingsOf } from "../run/options.js";
import type { Parts, Program } from "../run/program.js";
import { reading } from "../schema/options.js";
import { stepsOf } from "./step-info.js";

/** What a document becomes with the code of another program. */
type Bring = (document: unknown, program: Program) => Parts;

/** A workflow of a document and its code: what `Workflow.fromDocument` gives. */
export class ProgramWorkflow<State = any> implements Workflow<State> {
  readonly #program: Program;
  readonly #bring: Bring;
  #steps: readonly StepInfo[] | undefined;

  constructor(program: Program, bring: Bring = (document, { handlers }) => ({ document, functions: openTo(handlers), secrets: new Map(), origins: new Set(), tools: undefined })) {
    this.#program = program;
    this.#bring = bring;
    // A workflow by what it is, whether a definition or a document made it.
    markInAllCopies(ProgramWorkflow);
    // Not a method: a computed name would keep the class in every bundle that needs anything else of its file.
    Object.defineProperty(this, CHECK, { value: (options: RunOptions) => settingsOf(options, program) });
  }

  /** @internal */
  static get name(): string {
    return "Workflow";
  }

  get name(): string {
    return this.#program.name;
  }

  get steps(): readonly StepInfo[] {
    return (this.#steps ??= reading("the steps of the workflow", () => stepsOf(this.#program)));
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
    const { pins: _, ...document } = JSON.parse(this.#program.text) as WorkflowDocument;
    return document;
  }

  withDocument(document: WorkflowDocument): Workflow<State> {
    return new ProgramWorkflow(this.#program.over(this.#bring(document, this.#program)), this.#bring);
  }
}
