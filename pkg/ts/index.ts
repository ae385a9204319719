export { Agent, type AgentDefinition } from "./agent.js";
export type {
  AgentDocument,
  Attempted,
  HandlerRef,
  Json,
  JsonObject,
  Limits,
  ModelDocument,
  Problem,
  RetryPolicy,
  StepDocument,
  StepDocumentBase,
  WorkflowDocument,
} from "./document.js";
export { init, type WasmInput } from "./engine/source.js";
export {
  StepweaveError,
  type ErrorCode,
  type ErrorDetails,
  type StepRef,
  type StepweaveErrorData,
} from "./errors.js";
export type {
  RunEndEvent,
  RunEvent,
  RunResult,
  RunStartEvent,
  RunWarningEvent,
  StepDeltaEvent,
  StepDoneEvent,
  StepErrorEvent,
  StepResult,
  StepSkippedEvent,
  StepStartEvent,
  Usage,
} from "./events.js";
export { demo, openai, type Model, type ModelOptions } from "./models.js";
export type {
  AgentStep,
  Clock,
  ConditionStep,
  Fetch,
  FunctionStep,
  Handler,
  Handlers,
  InputFrom,
  ParallelStep,
  Patch,
  Predicate,
  Run,
  RunContext,
  RunOptions,
  RunStream,
  Secret,
  Secrets,
  SequenceStep,
  Step,
  StepBase,
  WorkflowDefinition,
} from "./types.js";
export { validate, Workflow } from "./workflow.js";
