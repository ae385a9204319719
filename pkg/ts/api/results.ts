import type { AnswerExtras } from "./answer.js";
import type { ToolDecision } from "./decision.js";
import type { StepRef, StepweaveError } from "./errors.js";
import type { Journal } from "./journal.js";
import type { RunWarningEvent } from "./step-events.js";
import type { Usage } from "./usage.js";

/** What became of a step. */
export interface StepResult extends StepRef, AnswerExtras {
  readonly status: "done" | "error" | "skipped" | "cancelled" | "suspended";
  /** How many times it was tried. */
  readonly attempts: number;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What an agent answered, or what a condition decided. */
  readonly output?: any;
  readonly error?: StepweaveError;
  readonly usage?: Usage;
  /** True when a `demo` model made the output up. */
  readonly simulated?: boolean;
  /** True when the step was not run and gave its pinned output. */
  readonly pinned?: boolean;
  /** What had arrived of an answer that was not finished. */
  readonly text?: string;
  /** The tools that were chosen for a step of an agent, and what came of them. */
  readonly toolDecisions?: readonly ToolDecision[];
}

/** What every run comes to. */
interface RunEnd {
  readonly runId: string;
  /** Of every step that was reached, in the order of the document. */
  readonly stepResults: readonly StepResult[];
  readonly usage: Usage;
  /** What failed, in the order in which it did; also failures the run survived. */
  readonly errors: readonly StepweaveError[];
  /**
   * Everything that a person should look at and that stopped nothing, in order: the run's events `run.warning`, and with the
   * code `listener` those listeners that failed after the last event. If an async listener fails later still, the list has
   * that as soon as it happens, and it is logged to the console too.
   */
  readonly warnings: readonly RunWarningEvent[];
  /** What the outside answered, when a journal was kept: pass it to another run to go on, or to see this one again. */
  readonly journal?: Journal;
}

/** What a run comes to that did not reach its end. */
interface CutShort<State> extends RunEnd {
  /** What had been reached of the state: the steps behind that wrote nothing, and of an input that does not fit keys may be missing. It is read-only. */
  readonly state: Partial<State>;
}

/** The result of a run that reached its end. */
export interface DoneResult<State = any> extends RunEnd {
  readonly status: "done";
  /** The state at the end. It is read-only. */
  readonly state: State;
  readonly reason?: undefined;
  /** The message of the end step that ended the run, if one with a message did. */
  readonly message?: string;
  readonly error?: undefined;
  readonly pending?: undefined;
  readonly wakeAt?: undefined;
}

/** The result of a run that was stopped, with this status. */
export interface StoppedResult<Status, State> extends CutShort<State> {
  readonly status: Status;
  readonly reason?: undefined;
  readonly message?: undefined;
  /** Of `errors`, the one that stopped the run. */
  readonly error: StepweaveError;
  readonly pending?: undefined;
  readonly wakeAt?: undefined;
}

/** The result of a run that a failure stopped; with the status `budget`, because its model calls used what `limits` allow. */
export type FailedResult<State = any> = StoppedResult<"error", State> | StoppedResult<"budget", State>;

/** The result of a run that was cancelled. */
export interface CancelledResult<State = any> extends CutShort<State> {
  readonly status: "cancelled";
  /** Why, if a reason was given: that of `cancel(reason)`, or of the signal. */
  readonly reason?: string;
  readonly message?: undefined;
  readonly error?: undefined;
  readonly pending?: undefined;
  readonly wakeAt?: undefined;
}

/** The result of a run that waits for people, or with `longWaitMs` for a time. */
export interface SuspendedResult<State = any> extends CutShort<State> {
  readonly status: "suspended";
  readonly reason?: undefined;
  readonly message?: undefined;
  readonly error?: undefined;
  /** What people are asked; empty when the run waits for a time alone. */
  readonly pending: readonly Pending[];
  /** When the run can go on without an answer, in milliseconds since 1970: the end of a wait, or from when on an answer is too late. */
  readonly wakeAt?: number;
}

/**
 * What a run came to. Its `status` says what else it has: an `error` when a failure stopped it, what is `pending` when
 * it waits for people. Only when it is `done` the `state` is whole; before that, any key may be missing.
 *
 * ```ts
 * const result = await workflow.run({ state: { topic: "bees" } });
 * if (result.status === "error") console.log(result.error.message);
 * ```
 */
export type RunResult<State = any> = DoneResult<State> | FailedResult<State> | CancelledResult<State> | SuspendedResult<State>;

/**
 * What a run waits for.
 *
 * ```ts
 * const { status, pending, journal } = await workflow.run({ journal: true });
 * if (status === "suspended") {
 *   const answers = Object.fromEntries(pending.map(({ key }) => [key, { approved: true }]));
 *   await workflow.run({ journal, answers });
 * }
 * ```
 */
export interface Pending {
  /** The key under which the answer is expected in the option `answers`. */
  readonly key: string;
  readonly step: StepRef;
  /** The message to the person. */
  readonly message?: string;
  /** JSON Schema of the answer. Where a call is to be allowed, its `input` has that of the tool. */
  readonly schema?: any;
  /** From when on it is too late to answer, in milliseconds since 1970, if the step has `expiresMs`. */
  readonly expiresAt?: number;
  /**
   * The call of a tool that is to be allowed, if it is about one: answer `true`, `false`, or
   * `{ approved, input, reason }` to change what the tool is called with or what goes back to the model. `callId` is
   * that of its `tool.start`, once it is called.
   */
  readonly tool?: { readonly name: string; readonly input: any; readonly callId: string };
}
