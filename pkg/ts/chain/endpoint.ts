import type { Json } from "../document.js";
import { customModel, functionOf } from "../custom-model.js";
import { keyOf, openai, type Model } from "../models.js";
import { present, type ModelConfig } from "./model.js";

/** The model of another name at the same endpoint, with the same key. */
export function modelNamed(model: Model, name: string): Model {
  if (name === model.model) return model;
  const { provider, baseUrl, params } = model;
  const own = functionOf(model);
  if (own !== undefined) return customModel(name, own, { params });
  if (provider !== "openai") return Object.freeze({ ...model, model: name });
  return openai(name, { apiKey: keyOf(model)?.value ?? model.apiKey, baseUrl, params });
}

/** What a config adds to the body of a request. */
export function requestParams({ temperature, topP, extra }: ModelConfig): Record<string, Json> {
  return present({ temperature, top_p: topP, ...extra });
}

/**
 * Whether a model takes a temperature. OpenAI's reasoning models refuse a request that has one; other endpoints
 * may give the same names to whatever they like.
 */
export function takesSampling({ provider, model, baseUrl }: Model): boolean {
  return !(provider === "openai" && baseUrl === undefined && /^(?:o\d|gpt-5)(?!.*chat)/.test(model));
}
