import { isStepweaveError, StepweaveError, textOf, type ErrorCode } from "../errors.js";
import type { FinishReason } from "../model-request.js";
import { originOf } from "../models.js";
import type { AiSdkModel } from "./types.js";

/** The failure that a provider's error means. */
export function failureOf(thrown: unknown, model: AiSdkModel): StepweaveError {
  if (isStepweaveError(thrown)) return thrown;
  const call = callErrorIn(thrown);
  if (call?.statusCode !== undefined) return refusal(call, call.statusCode, model, thrown);
  const name = nameOf(call ?? thrown);
  const words = wordsOf(call ?? thrown);
  const failed = (code: ErrorCode, what: string, hint: string, retryable = false): StepweaveError =>
    new StepweaveError(code, `${placeOf(call, model)} ${what}: ${words}`, { cause: thrown, hint, retryable });
  if (name === "AI_LoadAPIKeyError") return failed("auth", "has no key", "give the provider its key: createOpenAI({ apiKey }), for example");
  if (call !== undefined || NETWORK.test(`${name} ${words}`)) {
    return failed("network", "could not be reached, or broke off", "check the provider's address; a retryPolicy repeats what fails now and then", true);
  }
  if (name === "TimeoutError") return failed("timeout", "took too long", "try again, or give the provider more time", true);
  if (name.startsWith("AI_")) return failed("model", "cannot answer", "its own words say what it does not accept; check the agent and the model's params");
  if (/rate.?limit/i.test(kindOf(thrown))) return failed("rate_limit", "asks to come back later", "wait, send less at once, or raise the limit at the provider", true);
  // What comes in the middle of an answer is the endpoint's own error, in whatever form.
  return failed("model", "failed", "try again, or look at the provider's status page", true);
}

/** The failure of an answer that ends before it is whole. */
export function brokenOff(model: AiSdkModel): StepweaveError {
  return new StepweaveError("network", `${placeOf(undefined, model)} broke off before its answer was whole`, {
    hint: "try again; the text so far is in the step's result",
    retryable: true,
  });
}

/** Why a content filter stopped the model, by the provider's own word. */
export function filteredBy(raw: string | undefined): FinishReason {
  return raw === "refusal" ? "refused" : "filtered";
}

/** What the AI SDK throws when a request fails, in what matters here. */
interface CallError {
  readonly url?: unknown;
  readonly statusCode?: number | undefined;
  readonly responseBody?: unknown;
  readonly responseHeaders?: { readonly [name: string]: string } | undefined;
  readonly isRetryable?: unknown;
}

function callErrorIn(thrown: unknown): CallError | undefined {
  for (let error = thrown, depth = 0; typeof error === "object" && error !== null && depth < 4; depth += 1) {
    if (nameOf(error) === "AI_APICallError" || typeof (error as CallError).statusCode === "number") return error as CallError;
    error = (error as { cause?: unknown }).cause;
  }
  return undefined;
}

function refusal(call: CallError, status: number, model: AiSdkModel, cause: unknown): StepweaveError {
  const [code, what, hint, outlook] = meaningOf(status, `${wordsOf(call)} ${typeof call.responseBody === "string" ? call.responseBody : ""}`, model);
  return new StepweaveError(code, `${placeOf(call, model)} ${what} (status ${status}): ${wordsOf(call)}`, {
    cause,
    hint,
    retryable: outlook === "later" || (outlook === undefined && call.isRetryable === true),
    retryAfterMs: retryAfter(call.responseHeaders ?? {}),
  });
}

type Meaning = readonly [code: ErrorCode, what: string, hint: string, outlook?: "later" | "never"];

/** What a refusal means, as the engine sees it at its own endpoints: some say with their words what their status does not. */
function meaningOf(status: number, words: string, { modelId }: AiSdkModel): Meaning {
  if (status === 401 || /API_KEY_INVALID/.test(words)) return ["auth", "does not accept the key", "check the key that the provider was made with"];
  if (status === 413 || /context.?(length|window)|prompt is too long/i.test(words)) {
    return ["limit", "cannot take so much at once", "shorten the input, the instructions or the history, or take a model that reads more"];
  }
  if (status === 402 || (status === 429 && /insufficient_quota|credit balance|billing/i.test(words))) {
    return ["rate_limit", "takes no more calls", "look at the quota and the credit of the account", "never"];
  }
  if (status === 403) return ["auth", "refuses access", "the key may not use this model, or the endpoint does not allow this page's origin"];
  if (status === 404) return ["model", `does not know the model \`${modelId}\` or the address`, "check the model's name and the provider's baseURL"];
  if (status === 429) return ["rate_limit", "asks to come back later", "wait, send less at once, or raise the limit at the provider", "later"];
  if (status === 408 || status === 409 || status >= 500) return ["model", "failed", "try again, or look at the provider's status page"];
  return ["model", "refuses the request", "its own words say what it does not accept; check the model's params"];
}

/** Milliseconds until the endpoint wants to be asked again. */
function retryAfter(headers: { readonly [name: string]: string }): number | undefined {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return Math.round(milliseconds);
  const after = headers["retry-after"] ?? "";
  const wait = /^\s*[\d.]+\s*$/.test(after) ? Number.parseFloat(after) * 1000 : Date.parse(after) - Date.now();
  return wait >= 0 ? Math.round(wait) : undefined;
}

/** Whom an error is about: never the whole address, which may hold a key. */
function placeOf(call: CallError | undefined, { provider }: AiSdkModel): string {
  return originOf(call?.url) ?? provider;
}

function nameOf(error: unknown): string {
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "";
}

/** Characters of a provider's own words that are told: some repeat the whole answer. */
const QUOTED = 300;

function wordsOf(error: unknown): string {
  const words = textOf(error).replace(/\s+/g, " ");
  return words.length > QUOTED ? `${words.slice(0, QUOTED)}…` : words;
}

/** What an endpoint calls its error. */
function kindOf(error: unknown): string {
  const { type, code } = (error ?? {}) as { type?: unknown; code?: unknown };
  return `${typeof type === "string" ? type : ""} ${typeof code === "string" ? code : ""}`;
}

/** How runtimes say that a connection failed. */
const NETWORK = /fetch failed|failed to fetch|load failed|network ?error|terminated|socket hang up|other side closed|ECONN|ENOTFOUND|EPIPE/i;
