// Workflows and their steps.
export { validate, Workflow } from "./authoring/workflow.js";
export { agentStep, approvalStep, conditionStep, functionStep, parallelStep } from "./authoring/steps.js";
export type { DocumentCode } from "./authoring/bring.js";
export type { StateOf, WorkflowDefinition } from "./api/definition.js";
export type {
  AgentStep,
  ApprovalStep,
  ConditionStep,
  EndStep,
  ForeachStep,
  FunctionStep,
  HttpStep,
  LoopStep,
  ParallelStep,
  SequenceStep,
  Step,
  StepBase,
  SwitchStep,
  WaitStep,
  WorkflowStep,
} from "./api/steps.js";
export type { AgentInput, ChatMessage, InputPart } from "./api/conversation.js";
export type { Handler, Handlers, InputFrom, Patch, Predicate, RunContext, SessionState } from "./api/functions.js";
export type { Schema, StandardSchema, TypeOf } from "./api/schema.js";
export type { StepInfo } from "./api/workflow.js";
export type * from "./api/declared.js";

// Agents and tools.
export { Agent, type AgentDefinition } from "./authoring/agent.js";
export type { AgentEvent, AgentResult, AgentRun, AgentRunOptions, AgentStream, AnswerOf } from "./api/agent.js";
export type { AgentResponse } from "./api/answer.js";
export type { AgentTool } from "./authoring/agent-tools.js";
export { tool, Tool } from "./authoring/tool.js";
export type { ApprovalFunction, ProviderToolDefinition, ToolContext, ToolDefinition, ToolFunction, ToolOptions } from "./api/tool.js";

// Models.
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
export type { WorkersAiBinding } from "./models/workers-ai/binding.js";
export { customModel, type CustomModelOptions } from "./models/custom.js";
export type { Message } from "./api/conversation.js";
export type { ModelAnswer, ModelContext, ModelFunction, ModelPart, ModelRequest } from "./api/model-request.js";
export { fromAiSdk } from "./models/ai-sdk/model.js";
export type { AiSdkModel } from "./models/ai-sdk/types.js";
export { promptApi } from "./models/prompt-api/model.js";
export type { PromptApiOptions } from "./models/prompt-api/options.js";

// Runs, what they emit and what they result in.
export { init, type WasmInput } from "./wasm/source.js";
export type { Clock, Fetch, Run, RunOptions, RunStream, Secret, Secrets } from "./api/run.js";
export type { EventOf, EventType, Listener, RunEvent } from "./api/events.js";
export type { Pending, RunResult, StepResult } from "./api/results.js";
export type { Usage } from "./api/usage.js";
export type { WarningCode } from "./api/warning.js";
export type { Journal, JournalStore } from "./api/journal.js";
export { StepweaveError, type ErrorCode, type StepRef, type StepweaveErrorData } from "./api/errors.js";
export { publicError, type PublicError } from "./api/public-error.js";
export { publicEvent, publicResult, type PublicEvent, type PublicResult } from "./api/public-event.js";

// Documents.
export type { HttpFormPart, HttpPages, HttpRequestDocument, OnUnknown, SecretRef } from "./api/http.js";
export type {
  AgentDocument,
  Json,
  JsonObject,
  Limits,
  ModelDocument,
  ModelParams,
  Price,
  Problem,
  Provider,
  RetryPolicy,
  StepDocument,
  ToolChoice,
  ProviderToolDocument,
  ToolDocument,
  WorkflowDocument,
} from "./api/document.js";
