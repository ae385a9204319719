import type { CancelledResult, DoneResult, FailedResult, RunEndEvent, RunEvent, SuspendedResult } from "./events.js";
import type { RunOptions } from "./run.js";

/** What a single run of an agent is given: the same as of a workflow, but for the state. */
export type AgentRunOptions = Omit<RunOptions, "state">;

/** The state of an agent's run: what it is asked, and what it answered. */
export interface AgentState {
  readonly input: any;
  readonly answer_output?: any;
}

/** The result of a run in which the agent has answered. */
interface AgentDone<Value> extends DoneResult<AgentState> {
  /** What the agent answered: a text, or what its `output` says. */
  readonly value: Value;
  /** The answer, when it is a text. */
  readonly text?: string;
}

/** The result of a run in which it has not. */
interface Unanswered {
  readonly value?: undefined;
  readonly text?: undefined;
}

/**
 * What a run of an agent came to: what a run of a workflow comes to, and, when its status is `done`, the answer.
 *
 * ```ts
 * const result = await agent.run("the garden");
 * if (result.status === "done") console.log(result.value);
 * else console.log(result.error?.message ?? result.status);
 * ```
 */
export type AgentResult<Value = any> =
  | AgentDone<Value>
  | (FailedResult<AgentState> & Unanswered)
  | (CancelledResult<AgentState> & Unanswered)
  | (SuspendedResult<AgentState> & Unanswered);

/** What a run of an agent emits: the events of a workflow, of which the last has the agent's result. */
export type AgentEvent<Value = any> = Exclude<RunEvent<AgentState>, RunEndEvent> | EndWith<AgentResult<Value>, AgentState>;

/** The last events of a run whose results are these. */
export type EndWith<Result, State, Ending = RunEndEvent<State>> = Ending extends RunEndEvent
  ? Omit<Ending, "result"> & { readonly result: Extract<Result, Ending["result"]> }
  : never;

/** A run under way whose text can be read as it comes. */
export interface TextRun<Event, Result> {
  /** The run's id, also in its events and its result. */
  readonly id: string;
  /** Everything the run emits. Each loop over it starts at the first event; leaving a loop changes nothing. */
  readonly events: AsyncIterable<Event>;
  /**
   * What the run results in, as text, in the pieces in which it comes. A value that is no text is only in the result.
   * Ends with the error of a run that is not done.
   */
  readonly textStream: AsyncIterable<string>;
  /** Resolves when the run has ended, also with a failure or a cancel; rejects when the call itself was wrong. */
  readonly result: Promise<Result>;
  /** Ends the run with the status `cancelled`; does nothing when it has ended. */
  cancel(reason?: unknown): void;
}

/** A run of an agent under way. */
export interface AgentRun<Value = any> extends TextRun<AgentEvent<Value>, AgentResult<Value>> {}

/** The events of a run of an agent; leaving the loop cancels the run. */
export interface AgentStream<Value = any> extends AsyncIterableIterator<AgentEvent<Value>> {
  return(): Promise<IteratorResult<AgentEvent<Value>>>;
}
