import type { Json } from "../document.js";
import { customModel, functionOf } from "../custom-model.js";
import { renamed, type Model } from "../models.js";
import { present, type ModelConfig } from "./model.js";

/** The model of another name at the same endpoint, with the same key. */
export function modelNamed(model: Model, name: string): Model {
  if (name === model.model) return model;
  const own = functionOf(model);
  return own === undefined ? renamed(model, name) : customModel(name, own, { params: model.params });
}

/** What a config adds to the body of a request. */
export function requestParams({ temperature, topP, extra }: ModelConfig): Record<string, Json> {
  return present({ temperature, top_p: topP, ...extra });
}

/**
 * Whether a model takes a temperature. OpenAI's reasoning models refuse a request that has one; other endpoints
 * may give the same names to whatever they like.
 */
export function takesSampling({ provider, model, baseUrl, sampling }: Model): boolean {
  return sampling ?? !(provider === "openai" && baseUrl === undefined && /^(?:o\d|gpt-5)(?!.*chat)/.test(model));
}
