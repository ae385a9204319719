import { StepweaveError, textOf } from "../api/errors.js";
import type { Model, ModelOptions, WorkersAiOptions } from "../api/model.js";
import { faultOfKey, KEY_HINT } from "../effects/key.js";
import { originOf } from "../effects/origin.js";
import { presetOf, PRESETS, type EndpointProvider } from "../effects/presets.js";
import { kindOf, optionsFrom, reading } from "../schema/options.js";
import type { WorkersAiBinding, WorkersAiBindingOptions } from "./workers-ai/binding.js";
import { workersAiBinding } from "./workers-ai/model.js";

/**
 * A model that speaks OpenAI chat completions: OpenAI's, or any other endpoint that does.
 *
 * ```ts
 * openai("gpt-5-mini", { apiKey: process.env.OPENAI_API_KEY });
 * openai("my-model", { baseUrl: "https://llm.example.com/v1", apiKey: { secret: "MY_KEY" } });
 * ```
 */
export function openai(model: string, options?: ModelOptions): Model {
  return endpoint("openai", model, options);
}

/**
 * A model that speaks OpenAI Responses: OpenAI's, or any other endpoint that does.
 *
 * ```ts
 * openaiResponses("gpt-5", { params: { reasoning: { effort: "low", summary: "auto" } } });
 * ```
 */
export function openaiResponses(model: string, options?: ModelOptions): Model {
  return endpoint("openaiResponses", model, options);
}

/**
 * A model of Anthropic. `apiVersion` is sent as `anthropic-version`.
 *
 * ```ts
 * anthropic("claude-sonnet-5", { params: { max_tokens: 2000 } });
 * ```
 */
export function anthropic(model: string, options?: ModelOptions): Model {
  return endpoint("anthropic", model, options);
}

/**
 * A model of Google's Gemini API, in its own format.
 *
 * ```ts
 * gemini("gemini-3.5-flash", { apiKey: { secret: "GOOGLE_API_KEY" } });
 * ```
 */
export function gemini(model: string, options?: ModelOptions): Model {
  return endpoint("gemini", model, options);
}

/**
 * A model that OpenRouter leads to.
 *
 * ```ts
 * openrouter("meta-llama/llama-4-scout");
 * ```
 */
export function openrouter(model: string, options?: ModelOptions): Model {
  return endpoint("openrouter", model, options);
}

/**
 * A model of Groq.
 *
 * ```ts
 * groq("openai/gpt-oss-20b");
 * ```
 */
export function groq(model: string, options?: ModelOptions): Model {
  return endpoint("groq", model, options);
}

/**
 * A model of Mistral.
 *
 * ```ts
 * mistral("mistral-medium-latest");
 * ```
 */
export function mistral(model: string, options?: ModelOptions): Model {
  return endpoint("mistral", model, options);
}

/**
 * A model of DeepSeek.
 *
 * ```ts
 * deepseek("deepseek-v4-flash");
 * ```
 */
export function deepseek(model: string, options?: ModelOptions): Model {
  return endpoint("deepseek", model, options);
}

/**
 * A model of xAI.
 *
 * ```ts
 * xai("grok-4");
 * ```
 */
export function xai(model: string, options?: ModelOptions): Model {
  return endpoint("xai", model, options);
}

/**
 * A model of Together.
 *
 * ```ts
 * together("meta-llama/Llama-3.3-70B-Instruct-Turbo");
 * ```
 */
export function together(model: string, options?: ModelOptions): Model {
  return endpoint("together", model, options);
}

/**
 * A model of Ollama on this machine, or where `baseUrl` says.
 *
 * ```ts
 * ollama("llama3.2");
 * ```
 */
export function ollama(model: string, options?: ModelOptions): Model {
  return endpoint("ollama", model, options);
}

/**
 * A model of LM Studio on this machine, or where `baseUrl` says.
 *
 * ```ts
 * lmstudio("qwen3-8b");
 * ```
 */
export function lmstudio(model: string, options?: ModelOptions): Model {
  return endpoint("lmstudio", model, options);
}

/**
 * A model of vLLM on this machine, or where `baseUrl` says.
 *
 * ```ts
 * vllm("Qwen/Qwen3-8B", { baseUrl: "https://gpu.example.com/v1", apiKey: { secret: "VLLM_KEY" } });
 * ```
 */
export function vllm(model: string, options?: ModelOptions): Model {
  return endpoint("vllm", model, options);
}

/**
 * A model of llama.cpp's llama-server on this machine, or where `baseUrl` says.
 *
 * ```ts
 * llamacpp("any-name");
 * ```
 */
export function llamacpp(model: string, options?: ModelOptions): Model {
  return endpoint("llamacpp", model, options);
}

/**
 * A model that is deployed at Azure OpenAI. `baseUrl` is your resource's own address.
 *
 * ```ts
 * azure("my-deployment", { baseUrl: "https://my-resource.openai.azure.com/openai/v1" });
 * ```
 */
export function azure(model: string, options?: ModelOptions): Model {
  return endpoint("azure", model, options);
}

/**
 * A model of Cloudflare's Workers AI: in a Worker through its binding, from anywhere else over HTTP.
 *
 * ```ts
 * workersAi(env.AI, "@cf/meta/llama-3.3-70b-instruct-fp8-fast");
 * workersAi("@cf/meta/llama-3.1-8b-instruct", { accountId: "0123456789abcdef0123456789abcdef" });
 * ```
 */
export function workersAi(model: string, options?: WorkersAiOptions): Model;
export function workersAi(binding: WorkersAiBinding, model: string, options?: WorkersAiBindingOptions): Model;
export function workersAi(first: string | WorkersAiBinding, second?: string | WorkersAiOptions, third?: WorkersAiBindingOptions): Model {
  if (typeof first !== "string") return workersAiBinding(first, second as string, third);
  const { accountId, ...rest } = optionsFrom((second ?? {}) as WorkersAiOptions, ["accountId", ...OPTIONS], "workersAi()");
  if (accountId !== undefined && typeof accountId !== "string") throw new StepweaveError("validation", `the accountId of workersAi() is ${kindOf(accountId)}, not an id`, { hint: ADDRESSES["workersAi"] });
  const own = accountId === undefined ? undefined : `${PRESETS.workersAi.origin}/client/v4/accounts/${reading("the accountId of workersAi()", () => encodeURIComponent(accountId))}/ai/v1`;
  return endpoint("workersAi", first, { ...rest, baseUrl: rest.baseUrl ?? own });
}

/**
 * The offline model: no network, no key, the same answer every time. What it says is a simulation, and is
 * labelled as one. It takes its time, 18 ms for three words, so that its answer can be watched; with `testClock()` none.
 *
 * ```ts
 * const agent = new Agent({ name: "writer", model: demo() });
 * ```
 */
export function demo(): Model {
  return Object.freeze({ provider: "demo", model: "demo" } as const);
}

const OPTIONS = ["baseUrl", "apiKey", "params", "headers", "apiVersion", "sampling", "outputMode", "price", "concurrency", "requestsPerMinute"];

/** Providers whose users each have their own address, and the option that sets it. */
const ADDRESSES: { readonly [provider: string]: string } = {
  azure: 'write baseUrl: "https://my-resource.openai.azure.com/openai/v1"',
  workersAi: "write accountId: the id of your Cloudflare account; or the baseUrl of a gateway",
};

function endpoint(provider: EndpointProvider, model: string, options: ModelOptions = {}): Model {
  const given = optionsFrom(options, OPTIONS, `${provider}()`);
  if (typeof model !== "string" || model.trim() === "") {
    throw new StepweaveError("validation", `${provider}() needs the name of a model`, { hint: `write ${provider}("the-model")` });
  }
  const { apiKey, baseUrl } = given;
  if (baseUrl === undefined && Object.hasOwn(ADDRESSES, provider)) {
    throw new StepweaveError("validation", `${provider}() needs to know where the model ${model} is`, { hint: ADDRESSES[provider] });
  }
  if (baseUrl !== undefined && originOf(baseUrl) === undefined) {
    throw new StepweaveError("validation", `baseUrl of the model ${model} is no http(s) address: ${textOf(baseUrl)}`, {
      hint: 'write the whole address, such as "http://localhost:11434/v1"',
    });
  }
  refuseKey(apiKey, `${provider}("${model}")`);
  const said: { readonly [option: string]: unknown } = { ...given, apiKey: reading(`the apiKey of ${provider}()`, () => namedKey(provider, apiKey, baseUrl)) };
  const made = Object.freeze(Object.fromEntries([["provider", provider], ["model", model], ...OPTIONS.map((option) => [option, said[option]])].filter(([, value]) => value !== undefined))) as Model;
  if (typeof apiKey === "string") keys.set(made, apiKey);
  return made;
}

/** @internal The model of another name at the same endpoint, with the same key. What it costs and takes is its own. */
export function renamed(model: Model, name: string): Model {
  const { price: _, sampling: __, ...rest } = model;
  const made: Model = Object.freeze({ ...rest, model: name });
  const key = keys.get(model);
  if (key !== undefined) keys.set(made, key);
  return made;
}

// A side table and no property: whatever prints or stores a model cannot show its key.
const keys = new WeakMap<Model, string>();

/** @internal The key that was given as text; it may go to {@link addressOf} only. */
export function keyOf(model: Model): string | undefined {
  return keys.get(model);
}

/** @internal The address of a model's endpoint, or its origin where that is all that is said; nothing where there is none. */
export function addressOf({ provider, baseUrl }: Model): string | undefined {
  return baseUrl ?? presetOf(provider).origin;
}

/** Refuses what is no key; the message never shows it. */
function refuseKey(apiKey: unknown, who: string): void {
  if (apiKey === undefined || apiKey === null || typeof apiKey === "object") return;
  if (typeof apiKey !== "string") throw new StepweaveError("validation", `the apiKey of ${who} is no text`, { hint: 'write apiKey: key, or apiKey: { secret: "MY_KEY" }' });
  const fault = faultOfKey(apiKey);
  if (fault === undefined) return;
  throw new StepweaveError("validation", `the apiKey of ${who} ${fault}`, { hint: apiKey === "" ? "check where it comes from, or leave it out" : KEY_HINT });
}

function namedKey(provider: EndpointProvider, apiKey: ModelOptions["apiKey"], baseUrl: string | undefined): { secret: string } | undefined {
  if (typeof apiKey === "string") return undefined;
  if (typeof apiKey === "object" && apiKey !== null) return { secret: apiKey.secret };
  const { origin, secret } = presetOf(provider);
  // An address that somebody else chose does not get the provider's key; Azure has no common address.
  const isOwn = baseUrl === undefined || origin === undefined || originOf(baseUrl) === origin;
  return secret !== undefined && isOwn ? { secret } : undefined;
}
