export { Agent, type AgentDefinition, type AnswerOf } from "./authoring/agent.js";
export { fromAiSdk } from "./models/ai-sdk/model.js";
export type { AiSdkModel } from "./models/ai-sdk/types.js";
export type { DocumentCode } from "./authoring/bring.js";
export { stepConfig, type ResolvedStepConfig, type StepConfigOptions } from "./reasoning/definition/config.js";
export type { AgentContext, ContextState } from "./reasoning/running/context.js";
export { run, type CustomRun, type CustomRunFunction, type RunningAgent, type StepCalls } from "./reasoning/definition/custom.js";
export { createAgent, type SingleStepAgent } from "./reasoning/definition/factory.js";
export { act, createStepHelper, observe, synthesize, think, type StepHelper } from "./reasoning/definition/helpers.js";
export type { Interaction } from "./reasoning/running/history.js";
export { isIdentifier } from "./reasoning/definition/identifier.js";
export { canExecuteWith, isCompatibleWith, stepMetadata, type CompatibilityMode, type StepMetadata } from "./reasoning/definition/metadata.js";
export { ModelConfig, type ModelConfigOptions } from "./reasoning/definition/model.js";
export {
  step,
  type HelperOptions,
  type ModelSource,
  type Sampling,
  type StepFunction,
  type StepOptions,
  type StepParam,
  type StepRecord,
  type StepSchema,
  type StepType,
} from "./reasoning/definition/record.js";
export type { AgentEvent, AgentResult, AgentRun, AgentRunOptions, AgentStream } from "./reasoning/running/run.js";
export type { ToolScope } from "./reasoning/tools/scope.js";
export { toolSelection, type SelectionOptions, type ToolSelection, type ToolSelectionOptions } from "./reasoning/tools/selection.js";
export type { ChainState } from "./reasoning/running/state.js";
export type { StepContext } from "./reasoning/running/step-context.js";
export type { AgentTool, ToolChanges, ToolConfig } from "./reasoning/tools/toolbox.js";
export type { ChosenTool, ToolDecision } from "./reasoning/tools/decision.js";
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
export {
  StepweaveError,
  type ErrorCode,
  type ErrorDetails,
  type StepRef,
  type StepweaveErrorData,
} from "./api/errors.js";
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
export type { Journal, JournalEntry, JournalStore, ListedRun, RunFilter, RunPage, RunStatus, RunSummary, Told } from "./journal/types.js";
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
  type Model,
  type ModelOptions,
  type WorkersAiOptions,
} from "./models/providers.js";
export { promptApi, type PromptApiOptions } from "./models/prompt-api/model.js";
export { publicError, type PublicError } from "./api/public-error.js";
export type { TypeOf } from "./schema/infer.js";
export type { StandardSchema } from "./schema/standard.js";
export type { StepInfo } from "./authoring/step-info.js";
export { agentStep, conditionStep, functionStep, parallelStep } from "./authoring/steps.js";
export { tool, Tool, type ToolContext, type ToolDefinition, type ToolFunction, type ToolOptions } from "./authoring/tool.js";
export type {
  AgentInput,
  AgentResponse,
  AnswerSource,
  AgentStep,
  ApprovalStep,
  ChatMessage,
  Clock,
  ConditionStep,
  Fetch,
  Files,
  ForeachStep,
  FunctionStep,
  Handler,
  Handlers,
  Inferred,
  InputFrom,
  InputPart,
  Items,
  LoopStep,
  ParallelStep,
  Patch,
  Predicate,
  Run,
  RunContext,
  RunOptions,
  RunStream,
  Schema,
  Secret,
  Secrets,
  SequenceStep,
  SessionState,
  StateOf,
  Step,
  StepBase,
  StepConfig,
  SwitchStep,
  TypedDefinition,
  WaitStep,
  WorkflowDefinition,
  WorkflowStep,
} from "./api/types.js";
export type { WorkersAiBinding, WorkersAiBindingOptions } from "./models/workers-ai/model.js";
export { validate, Workflow, type WorkflowConstructor } from "./authoring/workflow.js";
