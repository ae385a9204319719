import { isStepweaveError, StepweaveError, textOf, type ErrorCode } from "../../api/errors.js";
import type { SessionOptions } from "./types.js";

/** What the browser has to be, in a few words. */
const NEEDS = "it needs Chrome 148 or newer on a desktop computer, with 22 GB of free disk and a graphics card of more than 4 GB or 16 GB of memory";

/** The error where there is no such interface. */
export function missing(): StepweaveError {
  const scope = globalThis as { document?: unknown; importScripts?: unknown; isSecureContext?: boolean };
  const [why, hint] =
    typeof scope.importScripts === "function"
      ? ["workers have none", 'lend it the page\'s: connect(worker, { models: { "on-device": promptApi() } }), with handler: "on-device" in the document']
      : scope.document === undefined
        ? ["this is no page in a browser", "take another model here; an agent's `fallbacks` name those that stand in"]
        : scope.isSecureContext === false
          ? ["this page is not served securely", "serve it over https, or from localhost"]
          : ["this browser has none", `${NEEDS}; an agent's \`fallbacks\` name models that stand in`];
  return new StepweaveError("model", `there is no LanguageModel here: ${why}`, { hint });
}

/** The error where the interface is there but no model. */
export function notReady({ expectedInputs, expectedOutputs }: SessionOptions): StepweaveError {
  const kinds = expectedInputs.map(({ type }) => type).join(", ");
  const languages = expectedOutputs.flatMap(({ languages = [] }) => languages).join(", ");
  return new StepweaveError("model", `the browser's own model is not available here for ${kinds} with answers in ${languages}`, {
    hint: `${NEEDS}; chrome://on-device-internals says what is missing`,
  });
}

/** The failure that an error of the browser means. */
export function failureOf(thrown: unknown): StepweaveError {
  if (isStepweaveError(thrown)) return thrown;
  const { name, requested, quota } = (thrown ?? {}) as { name?: unknown; requested?: unknown; quota?: unknown };
  const failed = (what: string, hint: string, code: ErrorCode = "model", retryable = false): StepweaveError =>
    new StepweaveError(code, `the browser's own model ${what}: ${textOf(thrown)}`, { cause: thrown, hint, retryable });
  switch (name) {
    case "NotAllowedError":
      return failed("may not be used", "it has to be downloaded, which a click begins: call await LanguageModel.create() in its listener. In a frame, the page has to allow `language-model`");
    case "NotSupportedError":
      return failed("cannot do this", "take other `languages`, text only, or a simpler output schema");
    case "QuotaExceededError": {
      const sizes = typeof requested === "number" && typeof quota === "number" ? ` (${requested} tokens, of ${quota} that fit)` : "";
      return failed(`cannot read that much${sizes}`, "shorten the input, the instructions or the history", "limit");
    }
    case "NetworkError":
      return failed("could not be downloaded", "try again when the network is better", "network", true);
    case "EncodingError":
      return failed("cannot read a file", "give images and sounds in a format that browsers show");
    default:
      return failed("failed", "try again; chrome://on-device-internals says more", "model", name === "UnknownError" || name === "OperationError");
  }
}
