import type { Json, JsonObject } from "../document.js";
import { renamed, type Model } from "../models.js";
import type { Setting } from "./chain.js";
import { isModel, present, type ModelConfig } from "./model.js";
import type { StepRecord } from "./record.js";

/** The model that is asked: the one that is named, at the endpoint of the agent's unless it comes whole. */
export function usedModel(named: ModelConfig | Model | undefined, own: Model): Model {
  if (named === undefined) return own;
  if (isModel(named)) return named;
  return named.name === own.model ? own : renamed(own, named.name);
}

/** What a step's model is asked with. From what counts least: the type, the agent's model, the agent, the step. `left` names what its model would refuse. */
export function paramsOf(step: StepRecord, setting: Setting): { readonly params: JsonObject; readonly left: string } {
  const { temperature, topP } = step.sampling;
  const wanted = { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) };
  const said = { ...inherited(step.model, setting.model), ...setting.params, ...ownParams(step.model) };
  if (takesSampling(usedModel(step.model, setting.model))) return { params: { ...wanted, ...said }, left: "" };
  return { params: said, left: Object.keys(wanted).filter((key) => !Object.hasOwn(said, key)).join(" and no ") };
}

/** What a model is asked with that chooses tools: its own parameters, and no chance. */
export function choosingParams(named: ModelConfig | Model | undefined, own: Model): JsonObject {
  const { temperature: _, ...said }: { readonly [key: string]: Json } = { ...inherited(named, own), ...ownParams(named) };
  return takesSampling(usedModel(named, own)) ? { ...said, temperature: 0 } : said;
}

/** A model that comes whole has nothing of the one that it takes the place of. */
function inherited(named: ModelConfig | Model | undefined, own: Model): JsonObject {
  return named !== undefined && isModel(named) ? {} : (own.params ?? {});
}

function ownParams(named: ModelConfig | Model | undefined): JsonObject {
  if (named === undefined) return {};
  if (isModel(named)) return named.params ?? {};
  const { temperature, topP, extra } = named;
  return present({ temperature, top_p: topP, ...extra });
}

/**
 * Whether a model takes a temperature. OpenAI's reasoning models refuse a request that has one; other endpoints
 * may give the same names to whatever they like.
 */
function takesSampling({ provider, model, baseUrl, sampling }: Model): boolean {
  return sampling ?? !(provider === "openai" && baseUrl === undefined && /^(?:o\d|gpt-5)(?!.*chat)/.test(model));
}
