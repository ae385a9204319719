import type { JsonObject } from "./document.js";
import { StepweaveError } from "./errors.js";
import { refuseUnknown } from "./options.js";

/** Settings of a model, besides its name. */
export interface ModelOptions {
  /**
   * The key, or the name of the secret that holds it. A key given here goes to the origin of `baseUrl` only
   * and never into a document. Without it, OpenAI's own endpoint asks for the secret `OPENAI_API_KEY`.
   */
  apiKey?: string | { secret: string } | undefined;
  /** Where the endpoint is, up to and with `/v1`: `http://localhost:11434/v1`, for example. */
  baseUrl?: string | undefined;
  /** Parameters for the request body, as they are: `{ temperature: 0.2 }`. */
  params?: JsonObject | undefined;
}

/** A language model: at an endpoint, made by {@link openai}, offline, made by {@link demo}, or a function. */
export interface Model {
  readonly provider: "openai" | "demo" | "custom";
  readonly model: string;
  readonly baseUrl?: string;
  /** The name of the secret that is the key, when one was named. */
  readonly apiKey?: { readonly secret: string };
  readonly params?: JsonObject;
}

/**
 * A model that speaks OpenAI chat completions: OpenAI's, or any other endpoint that does.
 *
 * ```ts
 * openai("gpt-5-mini", { apiKey: process.env.OPENAI_API_KEY });
 * openai("llama3.2", { baseUrl: "http://localhost:11434/v1" });
 * ```
 */
export function openai(model: string, options: ModelOptions = {}): Model {
  refuseUnknown(options, ["apiKey", "baseUrl", "params"], "openai()");
  const { apiKey, baseUrl, params } = options;
  if (typeof model !== "string" || model.trim() === "") {
    throw new StepweaveError("validation", "openai() needs the name of a model", { hint: 'write openai("gpt-5-mini")' });
  }
  if (baseUrl !== undefined && originOf(baseUrl) === undefined) {
    throw new StepweaveError("validation", `baseUrl of the model ${model} is no http(s) address: ${String(baseUrl)}`, {
      hint: 'write the whole address, such as "http://localhost:11434/v1"',
    });
  }
  const made: Model = {
    provider: "openai",
    model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...namedKey(apiKey, baseUrl),
    ...(params !== undefined && { params }),
  };
  if (typeof apiKey === "string") {
    keys.set(made, { value: apiKey, origin: originOf(baseUrl ?? OPENAI_URL) as string });
  }
  return Object.freeze(made);
}

/**
 * The offline model: no network, no key, the same answer every time. What it says is a simulation, and is
 * labelled as one.
 *
 * ```ts
 * const agent = new Agent({ name: "writer", model: demo() });
 * ```
 */
export function demo(): Model {
  return Object.freeze({ provider: "demo", model: "demo" } as const);
}

/** @internal The endpoint of a model that names none. */
export const OPENAI_URL = "https://api.openai.com/v1";

/** @internal A key that was given as text, with the one origin it may go to. */
export interface BoundKey {
  readonly value: string;
  readonly origin: string;
}

// A side table and no property: whatever prints or stores a model cannot show its key.
const keys = new WeakMap<Model, BoundKey>();

/** @internal */
export function keyOf(model: Model): BoundKey | undefined {
  return keys.get(model);
}

/** @internal The origin of an http(s) address. */
export function originOf(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  try {
    const { protocol, origin } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? origin : undefined;
  } catch {
    return undefined;
  }
}

function namedKey(apiKey: ModelOptions["apiKey"], baseUrl: string | undefined): { apiKey?: { secret: string } } {
  if (typeof apiKey === "object" && apiKey !== null) return { apiKey: { secret: apiKey.secret } };
  if (apiKey === undefined && baseUrl === undefined) return { apiKey: { secret: "OPENAI_API_KEY" } };
  return {};
}
