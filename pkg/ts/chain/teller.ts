import { isStepweaveError, StepweaveError } from "../errors.js";
import type { RunEvent, RunResult, StepResult } from "../events.js";
import type { Run } from "../types.js";
import type { AgentContext } from "./context.js";
import type { AgentResult, ChainRun } from "./run.js";
import { passedIn, type ChainState, type StepTable } from "./state.js";

/** Tells the run of a program, and those of the steps that a custom run calls, as one run of an agent. */
export class Teller {
  readonly #run: ChainRun;
  readonly #context: AgentContext;
  readonly #steps: StepTable;
  /** The id of the one step that the run is about, if there is one: the custom run. */
  readonly #only: string | undefined;
  readonly #calls = new Map<Run<ChainState>, Promise<RunResult<ChainState>>>();
  readonly #called: RunResult<ChainState>[] = [];
  #opened: () => void = () => {};
  /** Resolves when it is told that the custom run has begun: what it calls is told after that. */
  readonly #opening = new Promise<void>((resolve) => (this.#opened = resolve));

  constructor(run: ChainRun, context: AgentContext, steps: StepTable, only: string | undefined) {
    this.#run = run;
    this.#context = context;
    this.#steps = steps;
    this.#only = only;
  }

  /** Tells everything of a run, to its end. */
  async follow(run: Run<ChainState>): Promise<AgentResult> {
    for await (const event of run.events) {
      if ("result" in event) {
        await Promise.allSettled(this.#calls.values());
        const result = this.#resultOf(only(event.result, this.#only));
        this.#run.tell({ ...event, result });
        this.#run.log.end();
        return result;
      }
      if (!isAbout(event, this.#only)) continue;
      this.#run.tell(event);
      if (event.type === "step.start") this.#opened();
    }
    throw noEnd();
  }

  /** Tells what a called step tells; resolves with what came of it when everything is told. */
  async called(run: Run<ChainState>, step: string): Promise<RunResult<ChainState>> {
    const outcome = this.#tell(run, step);
    this.#calls.set(run, outcome);
    try {
      const result = await outcome;
      this.#called.push(result);
      return result;
    } finally {
      this.#calls.delete(run);
    }
  }

  /** Gives up the calls that are under way, and waits until they have ended. */
  async dropCalls(): Promise<void> {
    for (const run of this.#calls.keys()) run.cancel("the custom run has ended");
    await Promise.allSettled(this.#calls.values());
  }

  /** A called run has no beginning and no end of its own: those are of the run that calls. */
  async #tell(run: Run<ChainState>, step: string): Promise<RunResult<ChainState>> {
    await this.#opening;
    for await (const event of run.events) {
      if ("result" in event) return only(event.result, step);
      if (event.type !== "run.start" && isAbout(event, step)) this.#run.tell(event);
    }
    throw noEnd();
  }

  #resultOf(outer: RunResult<ChainState>): AgentResult {
    const { status } = outer;
    const context = this.#context;
    // What a custom run's steps resulted in is in the state of the run only once the custom run has returned.
    const state = status === "done" ? outer.state : Object.freeze({ ...outer.state, ...context.chain });
    context.follow(state);
    const value: unknown = status !== "done" ? undefined : "output" in state ? state.output : passedIn(state, this.#steps);
    const runs = [...this.#called, outer];
    const stepResults: StepResult[] = [];
    let [inputTokens, outputTokens] = [0, 0];
    for (const { usage, stepResults: some } of runs) {
      inputTokens += usage.inputTokens;
      outputTokens += usage.outputTokens;
      stepResults.push(...some);
    }
    return Object.freeze({
      ...outer,
      state,
      stepResults,
      usage: Object.freeze({ inputTokens, outputTokens }),
      errors: originals(runs),
      ...(value !== undefined && { value }),
      ...(typeof value === "string" && { text: value }),
      results: context.results,
      context,
    });
  }
}

/** Whether an event belongs to a step, and not to one that only keeps its place. */
function isAbout(event: RunEvent, step: string | undefined): boolean {
  return step === undefined || !("step" in event) || event.step === undefined || event.step.id === step;
}

function only(result: RunResult<ChainState>, step: string | undefined): RunResult<ChainState> {
  if (step === undefined) return result;
  return { ...result, stepResults: result.stepResults.filter(({ id }) => id === step) };
}

/** What failed, each failure once: a custom run that lets a step's failure through has nothing to add to it. */
function originals(runs: readonly RunResult[]): StepweaveError[] {
  const errors: StepweaveError[] = [];
  for (const error of runs.flatMap((run) => run.errors)) {
    if (!isStepweaveError(error.cause) || !errors.includes(error.cause)) errors.push(error);
  }
  return errors;
}

function noEnd(): StepweaveError {
  return new StepweaveError("internal", "a run told no last event");
}
