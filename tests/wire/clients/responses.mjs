// Responses, as the client `openai` reads them.
import { reading, toolCall } from "../reading.mjs";
import { vendor } from "./vendors.mjs";

const { OpenAI } = vendor("openai");

const CUT_SHORT = { max_output_tokens: "length", content_filter: "filtered" };

/** What the client reads from an answer at this base URL, and the events it read that from. */
export async function read(baseURL) {
  const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
  const stream = client.responses.stream({ model: "any", input: [] });
  try {
    const response = await stream.finalResponse();
    return { reading: ofResponse(response), parts: [{ response }] };
  } catch (error) {
    const parts = [];
    for await (const part of await client.responses.create({ model: "any", input: [], stream: true })) parts.push(part);
    return { reading: reading({ error: { message: error.error?.message ?? error.message } }), parts };
  }
}

export function ofResponse({ output, status, incomplete_details: details, usage }) {
  const of = (type) => output.filter((item) => item.type === type);
  const content = of("message").flatMap((message) => message.content);
  const calls = of("function_call");
  const refusal = content.map((part) => part.refusal ?? "").join("");
  return reading({
    text: content.map((part) => part.text ?? "").join(""),
    toolCalls: calls.map((call) => toolCall(call.call_id, call.name, call.arguments)),
    usage: usage && {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cachedInputTokens: usage.input_tokens_details?.cached_tokens,
      reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
    },
    finish: refusal ? "refused" : finishOf(status, details, calls),
    reasoning: of("reasoning").map(thought).join(""),
    refusal,
  });
}

// The whole of the reasoning where the endpoint shows it, else its summary.
function thought({ content, summary }) {
  const parts = content?.length > 0 ? content : summary;
  return parts.map((part) => part.text).join("");
}

function finishOf(status, details, calls) {
  if (status === "incomplete") return CUT_SHORT[details?.reason] ?? "other";
  return calls.length > 0 ? "toolCalls" : "stop";
}
