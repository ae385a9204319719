// Chat completions, as the client `openai` reads them.
import { reading, toolCall } from "../reading.mjs";
import { vendor } from "./vendors.mjs";

const { OpenAI } = vendor("openai");

const FINISH = { stop: "stop", length: "length", tool_calls: "toolCalls", function_call: "toolCalls", content_filter: "filtered" };

/** What the client reads from an answer at this base URL, and the parts it read that from. */
export async function read(baseURL) {
  const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
  const stream = client.chat.completions.stream({ model: "any", messages: [] });
  const parts = [];
  let completion;
  stream.on("chunk", (chunk, soFar) => {
    parts.push(chunk);
    completion = soFar;
  });
  let failure;
  try {
    completion = await stream.finalChatCompletion();
  } catch (error) {
    failure = failureOf(error);
  }
  return { reading: { ...ofCompletion(completion), ...failure }, parts };
}

function ofCompletion({ choices: [choice], usage } = { choices: [] }) {
  const { content, tool_calls: calls = [], refusal } = choice?.message ?? {};
  return reading({
    text: content ?? "",
    toolCalls: calls.map(({ id, function: { name, arguments: json } }) => toolCall(id, name, json)),
    usage: tokens(usage),
    finish: refusal ? "refused" : finishOf(choice?.finish_reason),
    refusal,
  });
}

export function tokens(usage) {
  return (
    usage && {
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
      cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
      reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
    }
  );
}

function finishOf(reason) {
  return reason ? (FINISH[reason] ?? "other") : undefined;
}

function failureOf({ error, message, code }) {
  return { error: { message: error?.message ?? message, ...(code && { code: String(code) }) } };
}
