export type { AgentEvent, AgentResult, AgentRun, AgentRunOptions, AgentState, AgentStream, AnswerOf } from "./api/agent.js";
export { Agent, type AgentDefinition } from "./authoring/agent.js";
export { fromAiSdk } from "./models/ai-sdk/model.js";
export type { AiSdkModel } from "./models/ai-sdk/types.js";
export type { AgentTool, ToolChanges, ToolConfig } from "./authoring/agent-tools.js";
export type { DocumentCode } from "./authoring/bring.js";
export type {
  AgentDocument,
  AgentLimits,
  Attempted,
  Expressions,
  ForeachRules,
  HandlerRef,
  History,
  Json,
  JsonObject,
  Limits,
  LoopRules,
  ModelDocument,
  ModelParams,
  OutputMode,
  Price,
  Problem,
  Provider,
  RetryPolicy,
  Source,
  StepDocument,
  StepDocumentBase,
  ToolChoice,
  ToolDocument,
  Wait,
  WorkflowDocument,
} from "./api/document.js";
export { customModel, type CustomModelOptions } from "./models/custom.js";
export { init, type PartInputs, type WasmInput } from "./wasm/source.js";
export { StepweaveError, type ErrorCode, type ErrorDetails, type StepRef, type StepweaveErrorData } from "./api/errors.js";
export type {
  EventType,
  Listener,
  Pending,
  CancelledResult,
  DoneResult,
  FailedResult,
  RunEndEvent,
  RunEvent,
  RunResult,
  RunStartEvent,
  RunWarningEvent,
  WarningCode,
  StepDeltaEvent,
  StepDoneEvent,
  StepErrorEvent,
  StepReasoningEvent,
  StepResetEvent,
  StepResult,
  StepSkippedEvent,
  StepStartEvent,
  StepSuspendedEvent,
  SuspendedResult,
  ToolDoneEvent,
  ToolErrorEvent,
  ToolStartEvent,
  Usage,
} from "./api/events.js";
export type { Journal, JournalEntry, JournalStore, ListedRun, RunFilter, RunPage, RunStatus, RunSummary, Told } from "./api/journal.js";
export type {
  AssistantPart,
  ContentPart,
  FinishReason,
  MediaPart,
  Message,
  ModelAnswer,
  ModelContext,
  ModelFunction,
  ModelPart,
  ModelParts,
  ModelRequest,
  ModelTool,
  ToolResult,
} from "./api/model-request.js";
export {
  anthropic,
  azure,
  deepseek,
  demo,
  gemini,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  ollama,
  openai,
  openaiResponses,
  openrouter,
  together,
  vllm,
  workersAi,
  xai,
} from "./models/providers.js";
export type { Model, ModelOptions, WorkersAiOptions } from "./api/model.js";
export { promptApi } from "./models/prompt-api/model.js";
export type { PromptApiOptions } from "./models/prompt-api/options.js";
export { publicError, type PublicError } from "./api/public-error.js";
export type { TypeOf, StandardSchema, Schema } from "./api/schema.js";
export type { StepInfo } from "./api/workflow.js";
export { agentStep, conditionStep, functionStep, parallelStep } from "./authoring/steps.js";
export { tool, Tool } from "./authoring/tool.js";
export type { ToolContext, ToolDefinition, ToolFunction, ToolOptions } from "./api/tool.js";
export type { AgentInput, ChatMessage, Files, Handler, Handlers, InputFrom, InputPart, Items, Patch, Predicate, RunContext, SessionState } from "./api/functions.js";
export type { AgentResponse, AnswerSource } from "./api/answer.js";
export type {
  AgentStep,
  ApprovalStep,
  ConditionStep,
  ForeachStep,
  FunctionStep,
  LoopStep,
  ParallelStep,
  SequenceStep,
  Step,
  StepBase,
  SwitchStep,
  WaitStep,
  WorkflowStep,
} from "./api/steps.js";
export type { Clock, Fetch, Run, RunOptions, RunStream, Secret, Secrets } from "./api/run.js";
export type { Inferred, StateOf, TypedDefinition, WorkflowDefinition } from "./api/definition.js";
export type { WorkersAiBinding, WorkersAiBindingOptions } from "./models/workers-ai/binding.js";
export { validate, Workflow, type WorkflowConstructor } from "./authoring/workflow.js";
