import type { JsonObject } from "../../api/document.js";
import { StepweaveError } from "../../api/errors.js";
import type { CancelledResult, DoneResult, FailedResult, RunEndEvent, RunEvent, RunWarningEvent, SuspendedResult } from "../../api/events.js";
import type { RunOptions } from "../../api/run.js";
import { newId } from "../../run/driver.js";
import { idOf, journalingOf } from "../../run/journaling.js";
import { EventLog } from "../../run/log.js";
import type { StepRecord } from "../definition/record.js";
import type { AgentContext } from "./context.js";
import type { ChainState } from "./state.js";

/** What a single run of an agent is given: the same as of a workflow, but for the state, which is what its steps keep. */
export interface AgentRunOptions extends Omit<RunOptions, "state"> {
  /** Values that `context.state` begins with. They are copied. */
  state?: JsonObject | undefined;
  /** `true`: the last step's text is told in pieces, `false`: no step's; each step says for itself when absent. */
  stream?: boolean | undefined;
}

/** What every run of an agent comes to. */
interface AgentEnd {
  /** What each step resulted in, by its name. */
  readonly results: { readonly [step: string]: any };
  /** The steps by name, as this run has gone through them: with `toolDecisions`, where a model chose among tools. */
  readonly records: { readonly [step: string]: StepRecord };
  /** What the agent knows of this run. */
  readonly context: AgentContext;
}

/** The result of an agent's run that reached its end. */
interface AgentDone<Value> extends DoneResult<ChainState>, AgentEnd {
  /**
   * What was passed on last: the result of the last step, unless that was left out, failed though it was not
   * required, or does not pass its result. Of a custom run, what it returned; of an agent without steps, its answer.
   */
  readonly value: Value;
  /** The value, when it is a text. */
  readonly text?: string;
}

/** The result of an agent's run that did not reach its end. */
interface AgentStopped extends AgentEnd {
  readonly value?: undefined;
  readonly text?: undefined;
}

/**
 * What a run of an agent came to: what a run of a workflow comes to, and, when its status is `done`, what the agent
 * made of it.
 *
 * ```ts
 * const result = await agent.run("the garden");
 * if (result.status === "done") console.log(result.value);
 * else console.log(result.error?.message ?? result.status);
 * ```
 */
export type AgentResult<Value = any> =
  | AgentDone<Value>
  | (FailedResult<ChainState> & AgentStopped)
  | (CancelledResult<ChainState> & AgentStopped)
  | (SuspendedResult<ChainState> & AgentStopped);

/** What a run of an agent tells: the events of a workflow, of which the last has the agent's result. */
export type AgentEvent<Value = any> = Exclude<RunEvent<ChainState>, RunEndEvent> | AgentEndEvent<Value>;

type AgentEndEvent<Value, Ending = RunEndEvent<ChainState>> = Ending extends RunEndEvent
  ? Omit<Ending, "result"> & { readonly result: Extract<AgentResult<Value>, Ending["result"]> }
  : never;

/** A run of an agent under way. */
export interface AgentRun<Value = any> {
  /** The run's id, also in its events and its result. */
  readonly id: string;
  /** Everything the run tells. Each loop over it starts at the first event; leaving a loop changes nothing. */
  readonly events: AsyncIterable<AgentEvent<Value>>;
  /**
   * What the run results in, as text: in pieces where its last step streams, else in one. A value that is no text is
   * only in the result. Ends with the error of a run that is not done.
   */
  readonly textStream: AsyncIterable<string>;
  /** Resolves when the run has ended, also with a failure or a cancel; rejects when the call itself was wrong. */
  readonly result: Promise<AgentResult<Value>>;
  /** Ends the run with the status `cancelled`; does nothing when it has ended. */
  cancel(reason?: unknown): void;
}

/** The events of a run of an agent; leaving the loop cancels the run. */
export interface AgentStream<Value = any> extends AsyncIterableIterator<AgentEvent<Value>> {
  return(): Promise<IteratorResult<AgentEvent<Value>>>;
}

/** A run of an agent, as it is handed out at once: what runs it may have to be loaded first. */
export class ChainRun implements AgentRun {
  readonly id: string;
  readonly log = new EventLog();
  /** What was told that a person should look at. */
  readonly warnings: RunWarningEvent[] = [];
  readonly result: Promise<AgentResult>;
  readonly #last: string | undefined;
  #stop: ((reason?: unknown) => void) | undefined;
  #cancelled: { readonly reason: unknown } | undefined;

  /** `last` is the step whose text the run results in, if there is one. */
  constructor(options: AgentRunOptions, last: string | undefined, begin: (run: ChainRun) => Promise<AgentResult>) {
    this.id = idFor(options);
    this.#last = last;
    this.result = begin(this);
    // Whoever does not look at the result must not be told of its failure by the runtime.
    this.result.catch((error: unknown) => this.log.break(error));
  }

  get events(): AsyncIterable<AgentEvent> {
    return { [Symbol.asyncIterator]: () => this.log.read() as AgentStream };
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#texts() };
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): AgentStream {
    return this.log.read(() => this.cancel("the loop over its events was left")) as AgentStream;
  }

  cancel(reason?: unknown): void {
    if (this.#stop === undefined) this.#cancelled ??= { reason };
    else this.#stop(reason);
  }

  /** From now on this cancels the run, also if somebody wanted that before. */
  heed(stop: (reason?: unknown) => void): void {
    this.#stop = stop;
    if (this.#cancelled !== undefined) stop(this.#cancelled.reason);
  }

  async *#texts(): AsyncGenerator<string, void> {
    let told = "";
    for await (const event of this.events) {
      if (event.type === "step.delta" && event.step.id === this.#last && event.text !== "") {
        told += event.text;
        yield event.text;
      }
      if (!("result" in event)) continue;
      const { status, text = "", error } = event.result;
      if (status !== "done") throw error ?? new StepweaveError("cancelled", `the run ended with the status ${status}`);
      // What was told already may be all of it.
      const rest = text.startsWith(told) ? text.slice(told.length) : text;
      if (rest !== "") yield rest;
    }
  }

  /** Tells an event, as the next one. */
  tell<Event extends { readonly type: string }>(event: Event): void {
    const told = { ...event, seq: this.log.length };
    if (event.type === "run.warning") this.warnings.push(told as unknown as RunWarningEvent);
    this.log.push(told);
    this.log.show();
  }
}

/** A journal that is taken up goes on under its own id. What is wrong with the options is told by the run itself. */
function idFor(options: AgentRunOptions): string {
  const fresh = newId();
  try {
    return idOf(journalingOf(options), fresh);
  } catch {
    return fresh;
  }
}
