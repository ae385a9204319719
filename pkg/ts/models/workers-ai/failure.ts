import { isStepweaveError, StepweaveError, textOf, type ErrorCode } from "../../api/errors.js";

type Meaning = readonly [code: ErrorCode, what: string, hint: string, outlook?: "later"];

const NAME: Meaning = ["model", "does not know the model", "check its name: developers.cloudflare.com/workers-ai/models has them all"];
const ACCESS: Meaning = ["auth", "refuses access", "look at the account's Workers AI page; some models want their terms to be agreed to first"];
const LARGE: Meaning = ["limit", "cannot take so much at once", "shorten the input, the instructions or the history, or take a model that reads more"];
const SLOW: Meaning = ["timeout", "took too long", "try again, or ask for less", "later"];

/** What the codes of Workers AI mean, where it is more than a request that it does not accept. */
const MEANINGS: { readonly [code: string]: Meaning } = {
  5007: NAME,
  3042: NAME,
  5016: ACCESS,
  5018: ACCESS,
  3023: ACCESS,
  3041: ACCESS,
  3036: ["rate_limit", "has given what is free today", "take Cloudflare's paid plan, or wait until tomorrow"],
  3040: ["rate_limit", "has no room for the call", "try again; a retryPolicy does that by itself", "later"],
  3006: LARGE,
  5021: LARGE,
  3007: SLOW,
  3008: SLOW,
};

/** The failure that an error of the binding means. */
export function failureOf(thrown: unknown, model: string): StepweaveError {
  if (isStepweaveError(thrown)) return thrown;
  const words = textOf(thrown);
  const known = MEANINGS[/(?:^|: )(\d{4}): /.exec(words)?.[1] ?? ""];
  if (known !== undefined) return failed(known, words, model, thrown);
  if (/network connection lost|internal error; reference/i.test(words)) {
    return failed(["network", "broke off", "try again; a retryPolicy does that by itself", "later"], words, model, thrown);
  }
  if (/run remotely/i.test(words)) return failed(["model", "does not run on this machine", 'start wrangler dev with "remote": true for the binding'], words, model, thrown);
  return failed(["model", "failed", "its own words say what it does not accept; check the agent and the model's params"], words, model, thrown);
}

/** An error in the middle of an answer. */
export function errorInAnswer(error: unknown, model: string): StepweaveError {
  const { code } = (error ?? {}) as { code?: unknown };
  const words = typeof code === "number" ? `${code}: ${textOf(error)}` : textOf(error);
  return failed(MEANINGS[String(code)] ?? ["model", "reports an error in its answer", "try again; the text so far is in the step's result", "later"], words, model, error);
}

/** The failure of an answer that ends before it is whole. */
export function brokenOff(model: string): StepweaveError {
  return new StepweaveError("network", `Workers AI broke off before the answer of ${model} was whole`, {
    hint: "try again; the text so far is in the step's result",
    retryable: true,
  });
}

function failed([code, what, hint, outlook]: Meaning, words: string, model: string, cause: unknown): StepweaveError {
  return new StepweaveError(code, `Workers AI ${what} (${model}): ${words}`, { cause, hint, retryable: outlook === "later" });
}
