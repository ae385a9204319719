import type { ModelParams, OutputMode, Price, Provider } from "./document.js";

/** Settings of a model, besides its name. */
export interface ModelOptions {
  /**
   * The key, or the name of the secret that holds it. A key given here goes to the origin of `baseUrl` only
   * and never into a document. Without it, a provider's own endpoint asks for the provider's secret, such as
   * `ANTHROPIC_API_KEY`; other addresses are called without a key.
   */
  apiKey?: string | { secret: string } | undefined;
  /** Where the endpoint is, up to and with its version: `http://localhost:11434/v1`, for example. */
  baseUrl?: string | undefined;
  /** Parameters for the request body, as they are: `{ temperature: 0.2, maxOutputTokens: 500 }`. */
  params?: ModelParams | undefined;
  /** More headers for its requests. They must not contain a key. */
  headers?: { readonly [name: string]: string } | undefined;
  /** The version of the endpoint's API, where it has several: Anthropic's and Azure's have. */
  apiVersion?: string | undefined;
  /** Whether it takes a temperature and the like; what is known of the model decides when absent. */
  sampling?: boolean | undefined;
  /** How it is made to answer with a JSON value; what is known of the endpoint decides when absent. */
  outputMode?: OutputMode | undefined;
  /** What it costs, over the built-in prices. */
  price?: Price | undefined;
  /** HTTP requests to its endpoint that may be in flight at once. */
  concurrency?: number | undefined;
  /** Requests that may begin at its endpoint within a minute. */
  requestsPerMinute?: number | undefined;
}

/** Settings of a model of Workers AI: the account, or an address that stands for it. */
export interface WorkersAiOptions extends ModelOptions {
  /** The id of the Cloudflare account whose models are called. */
  accountId?: string | undefined;
}

/** A language model: at an endpoint, made by `openai`, `anthropic` and their like; offline, made by `demo`; or a function. It never changes. */
export interface Model {
  readonly provider: Provider;
  readonly model: string;
  readonly baseUrl?: string;
  /** The name of the secret that is the key, when one was named. */
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
