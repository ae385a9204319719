import { causesOf, isStepweaveError, StepweaveError, textOf, type ErrorCode } from "../../api/errors.js";
import type { FinishReason } from "../../api/model-request.js";
import { originOf } from "../../effects/origin.js";
import { RefusedError } from "../../effects/refusal.js";
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
  for (const met of causesOf(thrown)) if (nameOf(met) === "AI_APICallError" || typeof (met as CallError).statusCode === "number") return met;
  return undefined;
}

/** The refusal as the endpoint said it: what it means is the engine's to say, as at its own endpoints. */
function refusal(call: CallError, status: number, model: AiSdkModel, cause: unknown): RefusedError {
  const { responseBody, responseHeaders: headers = {} } = call;
  const body = typeof responseBody === "string" && responseBody.length > 2 ? responseBody : textOf(call);
  return new RefusedError({ status, headers, body, origin: placeOf(call, model) }, cause);
}

/** Whom an error is about: never the whole address, which may hold a key. */
function placeOf(call: CallError | undefined, { provider }: AiSdkModel): string {
  return originOf(call?.url) ?? provider;
}

function nameOf(error: unknown): string {
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "";
}

/** Characters of a provider's own message that are quoted: some repeat the whole answer. */
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
