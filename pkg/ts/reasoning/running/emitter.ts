import { isStepweaveError, StepweaveError } from "../../api/errors.js";
import type { RunResult, StepResult } from "../../api/results.js";
import type { Usage } from "../../api/usage.js";
import type { Run } from "../../api/run.js";
import { totalOf } from "../../json/usage.js";
import type { Streaming } from "../compile/streaming.js";
import { changed } from "../definition/record.js";
import { chainOf, follow, type AgentContext } from "./context.js";
import { extrasOf } from "../../run/extras.js";
import { Fold, type StepEvent } from "./fold.js";
import type { ReasoningResult, ChainRun } from "./run.js";
import { lastPassed, passedIn, type ChainState, type StepTable } from "./state.js";

/** Emits the run of a program, and those of the steps that a custom run calls, as one run of an agent. */
export class Emitter {
  readonly #run: ChainRun;
  readonly #context: AgentContext;
  readonly #steps: StepTable;
  readonly #streaming: Streaming;
  /** The id of the one step that the run is about, if there is one: the custom run. */
  readonly #only: string | undefined;
  readonly #calls = new Map<Run<ChainState>, Promise<RunResult<ChainState>>>();
  readonly #called: RunResult<ChainState>[] = [];
  #opened: () => void = () => {};
  /** Resolves when the start of the custom run has been emitted: its calls are emitted after that. */
  readonly #opening = new Promise<void>((resolve) => (this.#opened = resolve));

  constructor(run: ChainRun, context: AgentContext, steps: StepTable, streaming: Streaming, only: string | undefined) {
    this.#run = run;
    this.#context = context;
    this.#steps = steps;
    this.#streaming = streaming;
    this.#only = only;
  }

  /** Emits everything of a run, to its end. */
  async follow(run: Run<ChainState>): Promise<ReasoningResult> {
    const fold = new Fold();
    for await (const event of run.events) {
      if ("result" in event) {
        await Promise.allSettled(this.#calls.values());
        const result = this.#resultOf(only(fold.result(event.result), this.#only));
        this.#run.emit({ ...event, result });
        this.#run.log.end();
        return result;
      }
      this.#pass(fold.event(event), this.#only);
      if (event.type === "step.start") this.#opened();
    }
    throw noEnd();
  }

  /** Emits the events of a called step; resolves with its outcome when all of them are emitted. */
  async called(run: Run<ChainState>, step: string): Promise<RunResult<ChainState>> {
    const outcome = this.#emit(run, step);
    this.#calls.set(run, outcome);
    try {
      const result = await outcome;
      this.#called.push(result);
      return result;
    } finally {
      this.#calls.delete(run);
    }
  }

  /** What the calls that have ended used. */
  get used(): Usage {
    return totalOf(this.#called.map(({ usage }) => usage));
  }

  /** Cancels the calls in progress, and waits until they have ended. */
  async dropCalls(): Promise<void> {
    for (const run of this.#calls.keys()) run.cancel("the custom run has ended");
    await Promise.allSettled(this.#calls.values());
  }

  /** A called run has no start and no end event: those are of the calling run. */
  async #emit(run: Run<ChainState>, step: string): Promise<RunResult<ChainState>> {
    await this.#opening;
    const fold = new Fold();
    for await (const event of run.events) {
      if ("result" in event) return only(fold.result(event.result), step);
      if (event.type !== "run.start") this.#pass(fold.event(event), step);
    }
    throw noEnd();
  }

  /** Emits an event, if it is about the step, or no step is selected, and is no chunk of a text that is emitted as a whole. */
  #pass(event: StepEvent | undefined, only: string | undefined): void {
    if (event === undefined || (only !== undefined && event.step !== undefined && event.step.id !== only)) return;
    if (event.type === "step.delta" && !this.#streaming(event.step?.id ?? "")) return;
    this.#run.emit(event);
  }

  #resultOf(outer: RunResult<ChainState>): ReasoningResult {
    const { status } = outer;
    const context = this.#context;
    // What a custom run's steps resulted in is in the state of the run only once the custom run has returned.
    const state = status === "done" ? outer.state : Object.freeze({ ...outer.state, ...chainOf(context) });
    follow(context, state);
    const value: unknown = status !== "done" ? undefined : "output" in state ? state.output : passedIn(state, this.#steps);
    const runs = [...this.#called, outer];
    const stepResults = runs.flatMap((run) => run.stepResults);
    return Object.freeze({
      ...outer,
      state,
      stepResults,
      usage: totalOf(runs.map(({ usage }) => usage)),
      errors: originals(runs),
      warnings: Object.freeze([...this.#run.warnings]),
      ...(value !== undefined && { value }),
      ...(typeof value === "string" && { text: value }),
      ...(status === "done" && extrasOf(this.#lastOf(state, stepResults) ?? {})),
      results: context.results,
      records: recordsOf(this.#steps, stepResults),
      context,
    } as ReasoningResult);
  }

  /** What became of the step that the value comes from. */
  #lastOf(state: ChainState, results: readonly StepResult[]): StepResult | undefined {
    if (this.#only !== undefined) return this.#called.at(-1)?.stepResults.at(-1);
    const name = lastPassed(state, this.#steps)?.step.name;
    return results.find(({ id }) => id === name);
  }
}

/** The steps with what was chosen for them; of one that was called several times, with the last choice. */
function recordsOf(steps: StepTable, results: readonly StepResult[]): ReasoningResult["records"] {
  const chosen = new Map(results.map(({ id, toolDecisions }) => [id, toolDecisions]));
  const recorded = [...steps].map(([name, step]) => {
    const decisions = chosen.get(name);
    return [name, decisions === undefined ? step : changed(step, { toolDecisions: decisions })];
  });
  return Object.freeze(Object.fromEntries(recorded));
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
  return new StepweaveError("internal", "a run emitted no last event");
}
