/**
 * Names under which formats know one setting. Code that writes one of them has set it, whichever of them a document writes. The
 * engine has those that it translates in `core/src/models/settings.rs`.
 */
const SPELLINGS: readonly (readonly [string, ...string[]])[] = [
  ["maxOutputTokens", "max_output_tokens", "max_tokens", "max_completion_tokens", "maxTokens"],
  ["stopSequences", "stop_sequences", "stop"],
  ["reasoningEffort", "reasoning_effort", "reasoning", "thinking", "thinkingConfig", "output_config"],
  ["topP", "top_p"],
  ["topK", "top_k"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
];

/** All names of the setting that a parameter is, that of this package first. */
export function spellingsOf(name: string): readonly [string, ...string[]] {
  return SPELLINGS.find((names) => names.includes(name)) ?? [name];
}
