/** The names of one setting, that of this package first. */
type Names = readonly [string, ...string[]];

/** Names under which formats know one setting. The engine has the same, in `core/src/models/settings.rs`. */
const SPELLINGS: readonly Names[] = [
  ["maxOutputTokens", "max_output_tokens", "max_tokens", "max_completion_tokens", "maxTokens"],
  ["stopSequences", "stop_sequences", "stop"],
  ["reasoningEffort", "reasoning_effort"],
  ["topP", "top_p"],
  ["topK", "top_k"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
];

/** Objects in which formats say, among other things, how much a model thinks. */
const THOUGHT: readonly string[] = ["reasoning", "thinking", "thinkingConfig", "output_config"];

/** All names under which a document could change the setting that a parameter is. */
export function spellingsOf(name: string): Names {
  const names = THOUGHT.includes(name) ? namesOf("reasoningEffort") : namesOf(name);
  return names.includes("reasoningEffort") ? [...names, ...THOUGHT] : names;
}

/** All names of the setting that a parameter is, that of this package first. */
export function namesOf(name: string): Names {
  return SPELLINGS.find((names) => names.includes(name)) ?? [name];
}
