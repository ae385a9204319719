// A reading is what a client took out of an answer, in one shape for all formats:
//
//   text, toolCalls: [{ id?, name, input }], finish: stop | length | toolCalls | filtered | refused | other
//   usage?: { inputTokens, outputTokens, cachedInputTokens?, reasoningTokens? }
//   reasoning?, refusal?, error?: { message, code? }
//
// Tokens are counted alike: input is all that was read, from a cache or not; output is all that was written, reasoning included.

/** The reading with only what there is. */
export function reading({ text = "", toolCalls = [], usage, ...rest }) {
  const { inputTokens, outputTokens, ...parts } = usage ?? {};
  const counted = usage && { usage: { inputTokens, outputTokens, ...present(parts) } };
  return { text, toolCalls, ...counted, ...present(rest) };
}

/** A tool call whose input came as JSON text; one without parameters may come as no text at all. */
export function toolCall(id, name, json) {
  return { id, name, input: json === "" ? {} : JSON.parse(json) };
}

function present(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== 0 && value !== ""));
}
