// Nodes of n8n that serve another one: models, tools, memories, parsers.
import type { Json } from "stepweave";
import { at, data, isData, text } from "../data";
import { modelOf, type Draft } from "../draft";
import type { Names } from "./names";
import { parsed } from "./schema";
import { kindOf, type Source } from "./source";
import { toolOf } from "./tools";

/** Says of a node that serves others what it is now; `agentOf` builds it in. */
export function helperOf(source: Source, draft: Draft): void {
  const kind = kindOf(source);
  const about = { name: source.name, kind };
  if (kind.startsWith("lm")) draft.became(source.name, about, "a model of the workflow", "whole");
  else if (/^tool|Tool$/.test(kind)) draft.became(source.name, about, "a tool of the workflow", "whole");
  else if (kind.startsWith("memory")) draft.became(source.name, about, "the history of an agent step", "whole");
  else if (kind.startsWith("outputParser")) draft.became(source.name, about, "the answer's schema of an agent", "whole");
  else {
    draft.became(source.name, about, "a note in this list", "part");
    draft.remark(source.name, "Search in vectors and what belongs to it is no kind of step: call the service with a request, or with a tool.");
  }
}

/** Whether what a node answers has fields. */
export function hasFields(source: Source, served: ReadonlyMap<string, Source[]>): boolean {
  const kind = kindOf(source);
  return kind === "informationExtractor" || kind === "sentimentAnalysis" || (served.get(source.name) ?? []).some((helper) => kindOf(helper).startsWith("outputParser"));
}

/** What serves an agent, built in. */
export interface Helped {
  readonly model: string;
  readonly tools: string[];
  readonly output?: Json;
  readonly remembers: boolean;
}

export function helpedBy(source: Source, served: ReadonlyMap<string, Source[]>, draft: Draft, names: Names): Helped {
  const helpers = served.get(source.name) ?? [];
  const models = helpers.filter((helper) => kindOf(helper).startsWith("lm"));
  const tools: string[] = [];
  let output: Json | undefined;
  let remembers = false;
  for (const helper of helpers) {
    const kind = kindOf(helper);
    if (/^tool|Tool$/.test(kind)) tools.push(toolOf(helper, draft, names));
    else if (kind.startsWith("memory")) remembers = true;
    else if (kind.startsWith("outputParser")) output = parsed(helper, draft) ?? output;
  }
  const [model] = models;
  return { model: draft.model(modelSettings(model ?? source, draft)), tools, remembers, ...(output !== undefined && { output }) };
}

/** What nodes of n8n ask that name no model. */
const DEFAULTS: readonly (readonly [RegExp, string])[] = [
  [/openrouter/i, "openai/gpt-4.1-mini"],
  [/openai(?!.*azure)/i, "gpt-4o-mini"],
  [/anthropic/i, "claude-sonnet-4-20250514"],
  [/gemini/i, "gemini-2.5-flash"],
  [/deepseek/i, "deepseek-chat"],
  [/mistral/i, "mistral-small-latest"],
  [/ollama/i, "llama3.2"],
];

/** The model that a node names, which may be the node itself. */
export function modelSettings(source: Source, draft: Draft): ReturnType<typeof modelOf>["settings"] {
  const { parameters } = source;
  const named = [parameters["model"], parameters["modelId"], parameters["modelName"], at(parameters, "options", "model")].map((value) => text(isData(value) ? value["value"] : value)).find(Boolean) ?? "";
  const kind = kindOf(source);
  // A file does not have what n8n sets by itself.
  const [, fallback = ""] = named === "" ? (DEFAULTS.find(([pattern]) => pattern.test(kind)) ?? []) : [];
  const name = (named.startsWith("=") || named.includes("{{") ? "" : named.replace(/^models\//, "")) || fallback;
  if (fallback !== "") draft.remark(source.name, `The file does not name its model: look whether ${fallback} is right.`);
  const { temperature, maxTokens, topP } = data(parameters["options"]);
  const params: Record<string, Json> = {};
  if (typeof temperature === "number") params["temperature"] = temperature;
  if (typeof maxTokens === "number" && maxTokens > 0) params["maxOutputTokens"] = Math.floor(maxTokens);
  if (typeof topP === "number") params["top_p"] = topP;
  const { settings, known } = modelOf(kind, name, params);
  if (!known) draft.remark(source.name, "Choose its model: until then an offline simulation answers.");
  return settings;
}
