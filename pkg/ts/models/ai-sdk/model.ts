import { StepweaveError, textOf } from "../../api/errors.js";
import type { Model } from "../../api/model.js";
import { optionsFrom, quoted, reading } from "../../schema/options.js";
import { CUSTOM_OPTIONS, customModel, type CustomModelOptions } from "../custom.js";
import type { AiSdkModel } from "./types.js";

/** The versions of the AI SDK's specification of language models that are understood. */
const VERSIONS: readonly string[] = ["v2", "v3", "v4"];

/**
 * A language model of the AI SDK, of any of its providers. The package `ai` itself is not needed.
 *
 * ```ts
 * import { createOpenAI } from "@ai-sdk/openai";
 * import { Agent, fromAiSdk } from "stepweave";
 *
 * const provider = createOpenAI({ apiKey: process.env.OPENAI_API_KEY });
 * const agent = new Agent({ name: "writer", model: fromAiSdk(provider("gpt-5-mini"), { params: { maxOutputTokens: 500 } }) });
 * ```
 *
 * Params have the names of the AI SDK or those of OpenAI: `temperature`, `topP` or `top_p`, `topK`, `maxOutputTokens` or
 * `max_tokens`, `stopSequences` or `stop`, `seed`, `presencePenalty`, `frequencyPenalty`, `headers`, `providerOptions`.
 * Anything else goes to the provider as one of its own options. The provider sends the requests itself, with its own key:
 * the run's `secrets` and its `fetch` do not apply.
 */
export function fromAiSdk(model: AiSdkModel, options: CustomModelOptions = {}): Model {
  const settings = optionsFrom(options, CUSTOM_OPTIONS, "fromAiSdk()");
  if (typeof model !== "object" && typeof model !== "function") {
    throw new StepweaveError("validation", `fromAiSdk() needs a model, not ${typeof model === "string" ? `the name ${quoted(model)}` : quoted(model)}`, {
      hint: 'pass what a provider gives: fromAiSdk(openai("gpt-5-mini")) with openai of "@ai-sdk/openai"',
    });
  }
  const { specificationVersion, modelId, doStream } = reading("the model of fromAiSdk()", () => {
    const { specificationVersion, modelId, doStream } = (model ?? {}) as Partial<AiSdkModel>;
    return { specificationVersion, modelId, doStream };
  });
  if (typeof modelId !== "string" || typeof doStream !== "function") {
    throw new StepweaveError("validation", "fromAiSdk() was given something else than a language model of the AI SDK", {
      hint: 'pass a model, not its provider: fromAiSdk(openai("gpt-5-mini")), not fromAiSdk(openai)',
    });
  }
  if (specificationVersion === undefined || !VERSIONS.includes(specificationVersion)) {
    throw new StepweaveError("validation", `the model ${modelId} is of version ${textOf(specificationVersion)} of the AI SDK's specification, which is not understood`, {
      hint: `take a version of its provider's package that gives models of ${VERSIONS.join(", ")}`,
    });
  }
  return customModel(
    modelId,
    async function* (request, context) {
      const { ask } = await import("./ask.js");
      yield* ask(model, request, context);
    },
    settings,
  );
}
