// Made by `cargo xtask schema` from core/src/events.rs, which says who receives what: edit that.
import type { CancelledResult, DoneResult, StoppedResult, SuspendedResult } from "./results.js";
import type {
  EventBase,
  RunStartEvent,
  StepStartEvent,
  StepDeltaEvent,
  StepReasoningEvent,
  StepResetEvent,
  ToolStartEvent,
  ToolDoneEvent,
  ToolErrorEvent,
  StepDoneEvent,
  StepErrorEvent,
  StepSkippedEvent,
  StepSuspendedEvent,
  RunWarningEvent,
} from "./step-events.js";
export type * from "./step-events.js";

/** The last event of a run that reached its end. */
export interface RunDoneEvent<State = any> extends EventBase {
  readonly type: "run.done";
  /** What the run came to. */
  readonly result: DoneResult<State>;
}

/** The last event of a run that a failure stopped. */
export interface RunErrorEvent<State = any> extends EventBase {
  readonly type: "run.error";
  /** What the run came to. */
  readonly result: StoppedResult<"error", State>;
}

/** The last event of a run whose model calls used what `limits` allow. */
export interface RunBudgetEvent<State = any> extends EventBase {
  readonly type: "run.budget";
  /** What the run came to. */
  readonly result: StoppedResult<"budget", State>;
}

/** The last event of a run that waits: for people, or for a time. */
export interface RunSuspendedEvent<State = any> extends EventBase {
  readonly type: "run.suspended";
  /** What the run came to. */
  readonly result: SuspendedResult<State>;
}

/** The last event of a run that was cancelled. */
export interface RunCancelledEvent<State = any> extends EventBase {
  readonly type: "run.cancelled";
  /** What the run came to. */
  readonly result: CancelledResult<State>;
  /** Why it was cancelled, if a reason was given. */
  readonly reason?: string;
}

/** The last event of a run: exactly one of these comes, once. */
export type RunEndEvent<State = any> =
  | RunDoneEvent<State>
  | RunErrorEvent<State>
  | RunBudgetEvent<State>
  | RunSuspendedEvent<State>
  | RunCancelledEvent<State>;

/**
 * What a run tells while it goes on.
 *
 * ```ts
 * for await (const event of workflow.stream()) {
 *   if (event.type === "step.delta") process.stdout.write(event.text);
 * }
 * ```
 */
export type RunEvent<State = any> =
  | RunStartEvent
  | StepStartEvent
  | StepDeltaEvent
  | StepReasoningEvent
  | StepResetEvent
  | ToolStartEvent
  | ToolDoneEvent
  | ToolErrorEvent
  | StepDoneEvent
  | StepErrorEvent
  | StepSkippedEvent
  | StepSuspendedEvent
  | RunWarningEvent
  | RunEndEvent<State>;

/** The kinds of events. */
export type EventType = RunEvent["type"];

/** The event of one type, such as `EventOf<"step.done">`. */
export type EventOf<Type extends EventType, State = any> = Extract<RunEvent<State>, { type: Type }>;

/** Is called with the events of this type; `"*"` stands for all of them. */
export type Listener<Type extends EventType | "*" = "*", State = any> = (
  event: Type extends EventType ? EventOf<Type, State> : RunEvent<State>,
) => unknown;
