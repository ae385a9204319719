import type { EndWith, TextRun, Unanswered } from "../../api/agent.js";
import type { JsonObject } from "../../api/document.js";
import type { RunEndEvent, RunEvent, RunWarningEvent } from "../../api/events.js";
import type { CancelledResult, DoneResult, FailedResult, SuspendedResult } from "../../api/results.js";
import type { RunOptions } from "../../api/run.js";
import { newId } from "../../effects/ids.js";
import { idOf, journalingOf } from "../../run/journaling.js";
import { EventLog } from "../../run/log.js";
import type { AnswerExtras } from "../../api/answer.js";
import { textsOf } from "../../run/texts.js";
import type { StepRecord } from "../definition/record.js";
import type { AgentContext } from "./context.js";
import type { ChainState } from "./state.js";

/** What a single run of an agent is given: the same as of a workflow, but for the state, which is what its steps keep. */
export interface ReasoningRunOptions extends Omit<RunOptions, "state"> {
  /** Values that `context.state` begins with. They are copied. */
  state?: JsonObject | undefined;
  /** `true`: the last step's text is emitted in chunks, `false`: no step's; each step decides when absent. */
  stream?: boolean | undefined;
}

/** The common properties of all results of an agent. */
interface ReasoningEnd {
  /** What each step resulted in, by its name. */
  readonly results: { readonly [step: string]: any };
  /** The steps by name, as this run has gone through them: with `toolDecisions`, where a model chose among tools. */
  readonly records: { readonly [step: string]: StepRecord };
  /** What the agent knows of this run. */
  readonly context: AgentContext;
}

/**
 * The result of an agent's run that reached its end. What an answer has besides its text is that of the step whose result
 * is the value; of a custom run, of the step that it called last.
 */
interface ReasoningDone<Value> extends DoneResult<ChainState>, ReasoningEnd, AnswerExtras {
  /**
   * What was passed on last: the result of the last step, unless that was left out, failed though it was not
   * required, or does not pass its result. Of a custom run, what it returned.
   */
  readonly value: Value;
  /** The value, when it is a text. */
  readonly text?: string;
}

/** The result of an agent's run that did not reach its end. */
interface ReasoningStopped extends ReasoningEnd, Unanswered {}

/**
 * The result of an agent's run: that of a workflow, and, when its status is `done`, the agent's
 * value.
 *
 * ```ts
 * const result = await agent.run("the garden");
 * if (result.status === "done") console.log(result.value);
 * else console.log(result.error?.message ?? result.status);
 * ```
 */
export type ReasoningResult<Value = any> =
  | ReasoningDone<Value>
  | (FailedResult<ChainState> & ReasoningStopped)
  | (CancelledResult<ChainState> & ReasoningStopped)
  | (SuspendedResult<ChainState> & ReasoningStopped);

/** The events of an agent's run: those of a workflow, of which the last has the agent's result. */
export type ReasoningEvent<Value = any> = Exclude<RunEvent<ChainState>, RunEndEvent> | EndWith<ReasoningResult<Value>, ChainState>;

/** A run of an agent in progress. Its text comes in chunks where its last step streams, else in one piece. */
export interface ReasoningRun<Value = any> extends TextRun<ReasoningEvent<Value>, ReasoningResult<Value>> {}

/** The events of a run of an agent; leaving the loop cancels the run. */
export interface ReasoningStream<Value = any> extends AsyncIterableIterator<ReasoningEvent<Value>> {
  return(): Promise<IteratorResult<ReasoningEvent<Value>>>;
}

/** A run of an agent, as it is handed out at once: what runs it may have to be loaded first. */
export class ChainRun implements ReasoningRun {
  readonly id: string;
  readonly log = new EventLog();
  /** The warnings that were emitted. */
  readonly warnings: RunWarningEvent[] = [];
  readonly result: Promise<ReasoningResult>;
  readonly #last: string | undefined;
  #stop: ((reason?: unknown) => void) | undefined;
  #cancelled: { readonly reason: unknown } | undefined;

  /** `last` is the step whose text the run results in, if there is one. */
  constructor(options: ReasoningRunOptions, last: string | undefined, begin: (run: ChainRun) => Promise<ReasoningResult>) {
    this.id = idFor(options);
    this.#last = last;
    this.result = begin(this);
    // If nobody looks at the result, the runtime must not report its failure.
    this.result.catch((error: unknown) => this.log.break(error));
  }

  get events(): AsyncIterable<ReasoningEvent> {
    return { [Symbol.asyncIterator]: () => this.log.read() as ReasoningStream };
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => textsOf(this.events, ({ id }) => id === this.#last) };
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): ReasoningStream {
    return this.log.read(() => this.cancel("the loop over its events was left")) as ReasoningStream;
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

  /** Emits an event, as the next one. */
  emit<Event extends { readonly type: string }>(event: Event): void {
    const numbered = { ...event, seq: this.log.length };
    if (event.type === "run.warning") this.warnings.push(numbered as unknown as RunWarningEvent);
    this.log.push(numbered);
    this.log.show();
  }
}

/** A journal that is resumed continues under its own id. Mistakes in the options are reported by the run itself. */
function idFor(options: ReasoningRunOptions): string {
  const fresh = newId();
  try {
    return idOf(journalingOf(options), fresh);
  } catch {
    return fresh;
  }
}
