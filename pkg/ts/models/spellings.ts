import type { ModelParams } from "../api/document.js";

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

/** Parameters over others, whichever of its names a setting has in either. */
export function putOver(params: ModelParams, over: ModelParams): ModelParams {
  const replaced = Object.keys(over).flatMap(namesOf);
  return { ...Object.fromEntries(Object.entries(params).filter(([name]) => !replaced.includes(name))), ...over };
}

function namesOf(name: string): Names {
  return SPELLINGS.find((names) => names.includes(name)) ?? [name];
}
