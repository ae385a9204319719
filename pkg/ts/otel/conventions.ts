/**
 * The names of OpenTelemetry's semantic conventions for generative AI, version 1.45.0. All of them are in development there:
 * they stand here alone, so that another version is a change of this file.
 */
export const OPERATION = "gen_ai.operation.name";
export const WORKFLOW_NAME = "gen_ai.workflow.name";
export const AGENT_NAME = "gen_ai.agent.name";
export const CONVERSATION_ID = "gen_ai.conversation.id";
export const PROVIDER = "gen_ai.provider.name";
export const REQUEST_MODEL = "gen_ai.request.model";
export const RESPONSE_ID = "gen_ai.response.id";
export const INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
export const CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens";
export const CACHE_CREATION_TOKENS = "gen_ai.usage.cache_creation.input_tokens";
export const REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens";
export const TOOL_NAME = "gen_ai.tool.name";
export const TOOL_TYPE = "gen_ai.tool.type";
export const TOOL_CALL_ID = "gen_ai.tool.call.id";
export const TOOL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const TOOL_RESULT = "gen_ai.tool.call.result";
export const OUTPUT_MESSAGES = "gen_ai.output.messages";
export const ERROR_TYPE = "error.type";

/** The operations of {@link OPERATION}, with which the names of spans begin. */
export const INVOKE_WORKFLOW = "invoke_workflow";
export const INVOKE_AGENT = "invoke_agent";
export const CHAT = "chat";
export const EXECUTE_TOOL = "execute_tool";

/** What the conventions call a provider, where that is another name than ours. */
const PROVIDERS: { readonly [provider: string]: string } = {
  openaiResponses: "openai",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
  azure: "azure.ai.openai",
};

/** The name of a provider in the conventions; our own where they have none. */
export function providerName(provider: string): string {
  return Object.hasOwn(PROVIDERS, provider) ? (PROVIDERS[provider] as string) : provider;
}

/** What no convention names: attributes of our own. */
export const OWN = {
  RUN_ID: "stepweave.run.id",
  RUN_STATUS: "stepweave.run.status",
  STEP_ID: "stepweave.step.id",
  STEP_KEY: "stepweave.step.key",
  STEP_TYPE: "stepweave.step.type",
  STEP_ATTEMPTS: "stepweave.step.attempts",
  COST: "stepweave.usage.cost",
} as const;
