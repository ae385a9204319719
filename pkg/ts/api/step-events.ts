// Made by `cargo xtask schema` from core/src/events.rs, which says who receives what: edit that.
import type { AnswerSource } from "./answer.js";
import type { ToolDecision } from "./decision.js";
import type { StepRef, StepweaveError } from "./errors.js";
import type { MediaPart } from "./conversation.js";
import type { Usage } from "./usage.js";
import type { WarningCode } from "./warning.js";

/** What every event has. */
export interface EventBase {
  /** Counts up from 0 within a run. In one that goes on from its journal an event may have another number. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Which run. */
  readonly runId: string;
  /** Whether it comes out of a journal. */
  readonly replayed?: true;
}

/** The first event of a run. */
export interface RunStartEvent extends EventBase {
  readonly type: "run.start";
  /** The workflow's name. */
  readonly workflow: string;
  /** The state that the run begins with; it is read-only. */
  readonly input: any;
}

/** A step begins, or begins again. */
export interface StepStartEvent extends EventBase {
  readonly type: "step.start";
  readonly step: StepRef;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The state that the step sees; it is read-only. */
  readonly input: any;
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
  /** The piece. */
  readonly text: string;
}

/** The answer that arrived so far is dropped: it did not hold, and the model is called again, or another one is. */
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
  /** What it is called with. */
  readonly input: any;
  /** Whether the provider of the model ran it, as a tool of its own. */
  readonly byProvider?: true;
}

/** A call of a tool gave its output. */
export interface ToolDoneEvent extends EventBase {
  readonly type: "tool.done";
  readonly step: StepRef;
  /** Tells this call from the others of its step. */
  readonly callId: string;
  /** The tool's name. */
  readonly tool: string;
  /** What it gave. */
  readonly output: any;
  readonly durationMs: number;
  /** Whether the provider of the model ran it, as a tool of its own. */
  readonly byProvider?: true;
}

/** A call of a tool failed, or was not allowed. The model receives the error, and may go on. */
export interface ToolErrorEvent extends EventBase {
  readonly type: "tool.error";
  readonly step: StepRef;
  /** Tells this call from the others of its step. */
  readonly callId: string;
  /** The tool's name. */
  readonly tool: string;
  /** Why. */
  readonly error: StepweaveError;
  readonly durationMs: number;
  /** Whether the provider of the model ran it, as a tool of its own. */
  readonly byProvider?: true;
}

/** A step is done. */
export interface StepDoneEvent extends EventBase {
  readonly type: "step.done";
  readonly step: StepRef;
  /** How many attempts there were. */
  readonly attempts: number;
  readonly durationMs: number;
  /** The state that the step saw: that of its `step.start`. */
  readonly input: any;
  /** What an agent answered, or what a condition decided. */
  readonly output?: any;
  /** What the step changed in the state. */
  readonly patch?: any;
  /** What its models counted. */
  readonly usage?: Usage;
  /** Whether a `demo` model made the output up. */
  readonly simulated?: true;
  /** Whether the step was not run, and gave its pinned output. */
  readonly pinned?: true;
  /** The endpoint's id of an agent's answer. */
  readonly responseId?: string;
  /** What an agent's answer cites. */
  readonly sources?: readonly AnswerSource[];
  /** The images and other files that an agent's model made. */
  readonly files?: readonly MediaPart[];
  /** The tools that were chosen for a step of an agent, and what came of them. */
  readonly toolDecisions?: readonly ToolDecision[];
}

/** An attempt failed. It is repeated when `retryInMs` is there. */
export interface StepErrorEvent extends EventBase {
  readonly type: "step.error";
  readonly step: StepRef;
  /** Why. */
  readonly error: StepweaveError;
  /** How many attempts there were. */
  readonly attempts: number;
  readonly durationMs: number;
  /** How long the run waits for the next attempt. */
  readonly retryInMs?: number;
}

/** A step was left out. */
export interface StepSkippedEvent extends EventBase {
  readonly type: "step.skipped";
  readonly step: StepRef;
  /** Why. */
  readonly reason: string;
}

/** A step waits for a person's answer, or holds one that does. */
export interface StepSuspendedEvent extends EventBase {
  readonly type: "step.suspended";
  readonly step: StepRef;
}

/** Something that a person should look at and that stops nothing, or a line that a function logged. */
export interface RunWarningEvent extends EventBase {
  readonly type: "run.warning";
  /** What it is about. */
  readonly code: WarningCode;
  /** What there is to see. */
  readonly message: string;
  /** The step that it is about, if about one. */
  readonly step?: StepRef;
}
