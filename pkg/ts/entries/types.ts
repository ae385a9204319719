// Names of what is a part of the types that `stepweave` exports, for programs that speak of such a part by itself.
export type { AgentState } from "../api/agent.js";
export type { AnswerExtras, AnswerSource } from "../api/answer.js";
export type { Inferred, TypedDefinition } from "../api/definition.js";
export type { AgentLimits, Attempted, Expressions, ForeachRules, HandlerRef, History, LoopRules, McpToolDocument, OutputMode, Source, StepDocumentBase, Wait } from "../api/document.js";
export type { ErrorDetails } from "../api/errors.js";
export type {
  RunEndEvent,
  RunStartEvent,
  RunWarningEvent,
  StepDeltaEvent,
  StepDoneEvent,
  StepErrorEvent,
  StepReasoningEvent,
  StepResetEvent,
  StepSkippedEvent,
  StepStartEvent,
  StepSuspendedEvent,
  ToolDoneEvent,
  ToolErrorEvent,
  ToolStartEvent,
} from "../api/events.js";
export type {
  CancelledResult,
  DoneResult,
  FailedResult,
  SuspendedResult,
} from "../api/results.js";
export type { PublicPending, PublicStepResult } from "../api/public-event.js";
export type { Files, Items } from "../api/functions.js";
export type { JournalEntry, ListedRun, RunFilter, RunPage, RunStatus, RunSummary, Told } from "../api/journal.js";
export type { StepHistory } from "../api/steps.js";
export type { MayReach, Relay, RunOptionsWithInput, TraceOptions } from "../api/run.js";
export type { AssistantPart, ContentPart, MediaPart, ToolResult } from "../api/conversation.js";
export type { FinishReason, ModelParts, ModelTool } from "../api/model-request.js";
export type { ToolChanges, ToolConfig } from "../authoring/agent-tools.js";
export type { AgentConstructor } from "../authoring/agent.js";
export type { WorkflowConstructor } from "../authoring/workflow.js";
export type { WorkersAiBindingOptions } from "../models/workers-ai/binding.js";
