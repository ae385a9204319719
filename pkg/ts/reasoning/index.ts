export { ReasoningAgent, type ReasoningAgentDefinition } from "./agent.js";
export { stepConfig, type ResolvedStepConfig, type StepConfigOptions } from "./definition/config.js";
export type { AgentContext, ContextState } from "./running/context.js";
export { run, type CustomRun, type CustomRunDecorator, type CustomRunFunction, type CustomRunHelper, type CustomRunOptions, type RunningAgent, type StepCalls } from "./definition/custom.js";
export { createAgent, type SingleStepAgent } from "./factory.js";
export { act, createStepHelper, observe, synthesize, think, type StepDecorator, type StepHelper, type StepMethod } from "./definition/helpers.js";
export type { Interaction } from "./running/history.js";
export type { DecoratedAgent, MethodDecorator } from "./definition/decorator.js";
export { isIdentifier } from "./definition/identifier.js";
export { canExecuteWith, isCompatibleWith, stepMetadata } from "./definition/metadata.js";
export type {
  CompatibilityMode,
  StepMetadata,
  HelperOptions,
  ModelSource,
  Sampling,
  StepFunction,
  StepOptions,
  StepParam,
  StepSchema,
  StepType,
} from "./definition/options.js";
export { ModelConfig, type ModelConfigOptions } from "./definition/model.js";
export { step, type StepRecord } from "./definition/record.js";
export type { ReasoningEvent, ReasoningResult, ReasoningRun, ReasoningRunOptions, ReasoningStream } from "./running/run.js";
export type { ToolScope } from "./tools/scope.js";
export { toolSelection, type SelectionOptions, type ToolSelection, type ToolSelectionOptions } from "./tools/selection.js";
export type { ChainState } from "./running/state.js";
export type { StepContext } from "./running/step-context.js";
export type { AgentTool, ToolChanges, ToolConfig } from "../authoring/agent-tools.js";
export type { ChosenTool, ToolDecision } from "../api/decision.js";
