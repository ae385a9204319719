// Messages, as the client `@anthropic-ai/sdk` reads them.
import { reading } from "../reading.mjs";
import { vendor } from "./vendors.mjs";

const { Anthropic } = vendor("@anthropic-ai/sdk");

const FINISH = {
  end_turn: "stop",
  pause_turn: "paused",
  stop_sequence: "stop",
  tool_use: "toolCalls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
};

/** What the client reads from an answer at this base URL. */
export async function read(baseURL) {
  const client = new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
  const stream = client.beta.messages.stream({ model: "any", max_tokens: 1, messages: [] });
  try {
    return { reading: ofMessage(await stream.finalMessage()), parts: [] };
  } catch (error) {
    const failure = { error: { message: error.error?.error?.message ?? error.message } };
    return { reading: { ...ofMessage(stream.currentMessage), ...failure }, parts: [] };
  }
}

function ofMessage({ content, stop_reason: reason, usage }) {
  const of = (type) => content.filter((block) => block.type === type);
  return reading({
    // The client's own finalText() puts spaces between blocks, which cut sentences that cite in two.
    text: of("text").map(({ text }) => text).join(""),
    toolCalls: of("tool_use").map(({ id, name, input }) => ({ id, name, input })),
    usage: {
      inputTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      outputTokens: usage.output_tokens,
      cachedInputTokens: usage.cache_read_input_tokens,
      reasoningTokens: usage.output_tokens_details?.thinking_tokens,
    },
    finish: reason ? (FINISH[reason] ?? "other") : undefined,
    reasoning: of("thinking").map(({ thinking }) => thinking).join(""),
  });
}
