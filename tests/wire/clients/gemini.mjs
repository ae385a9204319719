// Gemini's own format, as the client `@google/genai` reads it.
import { reading } from "../reading.mjs";
import { vendor } from "./vendors.mjs";

const { GoogleGenAI } = vendor("@google/genai");

const FILTERED = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];

/** What the client reads from an answer at this base URL. It gives the answer in parts and never as a whole. */
export async function read(baseUrl) {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
  const parts = [];
  let failure;
  try {
    for await (const part of await client.models.generateContentStream({ model: "any", contents: "any" })) parts.push(part);
  } catch (error) {
    failure = { error: { message: error.message } };
  }
  return { reading: { ...ofParts(parts), ...failure }, parts };
}

function ofParts(parts) {
  const toolCalls = parts.flatMap(({ functionCalls = [] }) => functionCalls.map(({ id, name, args }) => ({ ...(id && { id }), name, input: args })));
  const thoughts = parts.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []).filter(({ thought }) => thought);
  const last = (value) => parts.map(value).findLast((found) => found !== undefined);
  const usage = last(({ usageMetadata }) => usageMetadata);
  return reading({
    text: parts.map(({ text }) => text ?? "").join(""),
    toolCalls,
    usage: usage && {
      inputTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      cachedInputTokens: usage.cachedContentTokenCount,
      reasoningTokens: usage.thoughtsTokenCount,
    },
    finish: finishOf(last(({ candidates }) => candidates?.[0]?.finishReason), toolCalls),
    reasoning: thoughts.map(({ text }) => text).join(""),
  });
}

function finishOf(reason, toolCalls) {
  if (reason === undefined) return undefined;
  if (reason === "STOP") return toolCalls.length > 0 ? "toolCalls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return FILTERED.includes(reason) ? "filtered" : "other";
}
