import type { ModelParams, ModelSettings, OutputMode, Price, Provider } from "./document.js";

/** Settings of a model, besides its name. */
export interface ModelOptions extends ModelSettings {
  /**
   * The key, or the name of the secret that holds it. A key given here goes to the origin of `baseUrl` only
   * and never into a document. Without it, a provider's own endpoint uses the provider's secret, such as
   * `ANTHROPIC_API_KEY`; other addresses are called without a key.
   */
  apiKey?: string | { secret: string } | undefined;
  /** The address of the endpoint, up to and with its version: `http://localhost:11434/v1`, for example. */
  baseUrl?: string | undefined;
}

/** Settings of a model of Workers AI: the account, or instead an address. */
export interface WorkersAiOptions extends ModelOptions {
  /** The id of the Cloudflare account whose models are called. */
  accountId?: string | undefined;
}

/** A language model: at an endpoint, made by `openai`, `anthropic` and the like; offline, made by `demo`; or a function. It is immutable. */
export interface Model {
  readonly provider: Provider;
  readonly model: string;
  readonly baseUrl?: string;
  /** The name of the secret with the key, if there is one. */
  readonly apiKey?: { readonly secret: string };
  readonly params?: ModelParams;
  readonly headers?: { readonly [name: string]: string };
  readonly apiVersion?: string;
  readonly sampling?: boolean;
  readonly outputMode?: OutputMode;
  readonly price?: Price;
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
}
