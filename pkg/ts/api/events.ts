import type { ToolDecision } from "./decision.js";
import type { StepRef, StepweaveError } from "./errors.js";
import type { Journal } from "./journal.js";

/** Tokens that models counted, and what they cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompts, those that the endpoint had kept. */
  readonly cachedInputTokens?: number;
  /** Of the prompts, those that the endpoint keeps from then on. */
  readonly cacheWriteTokens?: number;
  /** Of the answers, those of the reasoning. */
  readonly reasoningTokens?: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}

/** What became of a step. */
export interface StepResult extends StepRef {
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
  /** What had arrived of an answer that was not finished. */
  readonly text?: string;
  /** The tools that were chosen for a step of an agent, and what came of them. */
  readonly toolDecisions?: readonly ToolDecision[];
}

/** What every run comes to. */
interface RunEnd<State> {
  readonly runId: string;
  /** The state at the end; after a failure or a cancel, what had been reached. It is read-only. */
  readonly state: State;
  /** Of every step that was reached, in the order of the document. */
  readonly stepResults: readonly StepResult[];
  readonly usage: Usage;
  /** What failed, in the order in which it did; also failures the run survived. */
  readonly errors: readonly StepweaveError[];
  /** Everything that a person should look at and that stopped nothing, in order: the run's events `run.warning`. */
  readonly warnings: readonly RunWarningEvent[];
  /** What the outside answered, when a journal was kept: pass it to another run to go on, or to see this one again. */
  readonly journal?: Journal;
}

/** The result of a run that reached its end. */
export interface DoneResult<State = any> extends RunEnd<State> {
  readonly status: "done";
  readonly error?: undefined;
  readonly pending?: undefined;
}

interface StoppedResult<Status, State> extends RunEnd<State> {
  readonly status: Status;
  /** Of `errors`, the one that stopped the run. */
  readonly error: StepweaveError;
  readonly pending?: undefined;
}

/** The result of a run that a failure stopped; with the status `budget`, because its model calls used what `limits` allow. */
export type FailedResult<State = any> = StoppedResult<"error", State> | StoppedResult<"budget", State>;

/** The result of a run that was cancelled. */
export interface CancelledResult<State = any> extends RunEnd<State> {
  readonly status: "cancelled";
  readonly error?: undefined;
  readonly pending?: undefined;
}

/** The result of a run that waits for people. */
export interface SuspendedResult<State = any> extends RunEnd<State> {
  readonly status: "suspended";
  readonly error?: undefined;
  /** What people are asked. */
  readonly pending: readonly Pending[];
}

/**
 * What a run came to. Its `status` says what else it has: an `error` when a failure stopped it, what is `pending` when
 * it waits for people.
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
  /** What the person is told. */
  readonly message?: string;
  /** JSON Schema of the answer. */
  readonly schema?: any;
  /**
   * The call of a tool that is to be allowed, if it is about one: answer `true`, `false`, or
   * `{ approved, input, reason }` to change what the tool is called with or to tell the model why not. `callId` is
   * that of its `tool.start`, once it is called.
   */
  readonly tool?: { readonly name: string; readonly input: any; readonly callId: string };
}

interface EventBase {
  /** Counts up from 0 within a run. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** True for what comes out of a journal. */
  readonly replayed?: true;
}

/** The first event of a run. */
export interface RunStartEvent extends EventBase {
  readonly type: "run.start";
  readonly runId: string;
  /** The workflow's name. */
  readonly workflow: string;
}

/** A step begins, or begins again. */
export interface StepStartEvent extends EventBase {
  readonly type: "step.start";
  readonly step: StepRef;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** A piece of an agent's answer arrived, or a function yielded. */
export interface StepDeltaEvent extends EventBase {
  readonly type: "step.delta";
  readonly step: StepRef;
  /** Empty when a function yielded something else than a text. */
  readonly text: string;
  /** What a function yielded, if it is no text. */
  readonly value?: any;
}

/** A piece of what a model thinks before it answers, where its endpoint shows it. */
export interface StepReasoningEvent extends EventBase {
  readonly type: "step.reasoning";
  readonly step: StepRef;
  readonly text: string;
}

/** What was told of an answer is dropped: it did not hold, and the model is asked again, or another one is. */
export interface StepResetEvent extends EventBase {
  readonly type: "step.reset";
  readonly step: StepRef;
}

/** A model calls a tool. */
export interface ToolStartEvent extends EventBase {
  readonly type: "tool.start";
  readonly step: StepRef;
  /** Tells this call from the others of its step. */
  readonly callId: string;
  /** The tool's name. */
  readonly tool: string;
  readonly input: any;
}

/** A call of a tool gave its output. */
export interface ToolDoneEvent extends EventBase {
  readonly type: "tool.done";
  readonly step: StepRef;
  readonly callId: string;
  readonly tool: string;
  readonly output: any;
  readonly durationMs: number;
}

/** A call of a tool failed, or was not allowed. The model is told, and may go on without it. */
export interface ToolErrorEvent extends EventBase {
  readonly type: "tool.error";
  readonly step: StepRef;
  readonly callId: string;
  readonly tool: string;
  readonly error: StepweaveError;
  readonly durationMs: number;
}

/** A step is done. */
export interface StepDoneEvent extends EventBase {
  readonly type: "step.done";
  readonly step: StepRef;
  readonly attempts: number;
  readonly durationMs: number;
  readonly output?: any;
  /** What the step changed in the state. */
  readonly patch?: any;
  readonly usage?: Usage;
  /** True when a `demo` model made the output up. */
  readonly simulated?: boolean;
  /** The tools that were chosen for a step of an agent, and what came of them. */
  readonly toolDecisions?: readonly ToolDecision[];
}

/** An attempt failed. It is repeated when `retryInMs` is there. */
export interface StepErrorEvent extends EventBase {
  readonly type: "step.error";
  readonly step: StepRef;
  readonly error: StepweaveError;
  readonly attempts: number;
  readonly durationMs: number;
  readonly retryInMs?: number;
}

/** A step was left out. */
export interface StepSkippedEvent extends EventBase {
  readonly type: "step.skipped";
  readonly step: StepRef;
  readonly reason: string;
}

/** A step waits for a person's answer, or holds one that does. */
export interface StepSuspendedEvent extends EventBase {
  readonly type: "step.suspended";
  readonly step: StepRef;
}

/**
 * What a warning is about, as a word that stays the same between versions.
 *
 * | code | meaning |
 * | --- | --- |
 * | `log` | A function told a line with `context.log`. |
 * | `write_conflict` | Two members of a parallel wrote the same key; the value of the later one stays. |
 * | `output_overwritten` | Two steps have the same name, and one overwrote `<name>_output` of the other. |
 * | `item_error` | What an item of a foreach should give has no value, and the foreach goes on without it. |
 * | `fallback` | A model failed, and the next one is asked. |
 * | `output_mode` | A model does not take the schema of its answer, and is asked for JSON in words. |
 * | `param_dropped` | A parameter was left out, since the model takes none of the kind. |
 * | `cut_off` | A model's answer reached its limit of tokens. |
 * | `empty_answer` | A model answered with an empty text. |
 * | `usage_estimated` | A model told no usage, so that what counts for limits is an estimate. |
 * | `tool_selection` | No tools were chosen for a step of an agent, since choosing failed. |
 * | `unused_answer` | Nobody asked for an answer that was given. |
 * | `no_journal` | The run waits for a person, but nothing was kept to go on from. |
 * | `listener` | A listener threw. |
 */
export type WarningCode =
  | "log"
  | "write_conflict"
  | "output_overwritten"
  | "item_error"
  | "fallback"
  | "output_mode"
  | "param_dropped"
  | "cut_off"
  | "empty_answer"
  | "usage_estimated"
  | "tool_selection"
  | "unused_answer"
  | "no_journal"
  | "listener"
  // A worker may be of a later version, which knows more of them.
  | (string & {});

/** Something that a person should look at and that stops nothing, or a line that a function told. */
export interface RunWarningEvent extends EventBase {
  readonly type: "run.warning";
  readonly code: WarningCode;
  readonly message: string;
  readonly step?: StepRef;
}

interface EndEvent<Type extends string, Result> extends EventBase {
  readonly type: Type;
  readonly result: Result;
}

/** The last event of a run that was cancelled. */
interface CancelledEvent<State> extends EndEvent<"run.cancelled", CancelledResult<State>> {
  /** Why it was cancelled, if a reason was given. */
  readonly reason?: string;
}

/** The last event of a run: exactly one of the five comes, once. */
export type RunEndEvent<State = any> =
  | EndEvent<"run.done", DoneResult<State>>
  | EndEvent<"run.error", StoppedResult<"error", State>>
  | EndEvent<"run.budget", StoppedResult<"budget", State>>
  | EndEvent<"run.suspended", SuspendedResult<State>>
  | CancelledEvent<State>;

/** The kinds of events. */
export type EventType = RunEvent["type"];

/** The event of one type, such as `EventOf<"step.done">`. */
export type EventOf<Type extends EventType, State = any> = Extract<RunEvent<State>, { type: Type }>;

/** Is told of events of this type; `"*"` stands for all of them. */
export type Listener<Type extends EventType | "*" = "*", State = any> = (
  event: Type extends EventType ? EventOf<Type, State> : RunEvent<State>,
) => unknown;

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
