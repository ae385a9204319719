import { StepweaveError, textOf } from "../../api/errors.js";
import type { ModelContext, ModelPart, ModelRequest } from "../../api/model-request.js";
import { conversationOf, expectedIn } from "./conversation.js";
import { failureOf, missing, notReady } from "./failure.js";
import type { PromptApiOptions } from "./options.js";
import type { LanguageModels, PromptOptions, Session, SessionOptions } from "./types.js";

/** Calls the browser's own model; yields its answer in chunks. */
export async function* ask(options: PromptApiOptions, request: ModelRequest, context: ModelContext): AsyncGenerator<ModelPart> {
  const models = languageModels();
  if (request.tools !== undefined && request.toolChoice !== "none") {
    throw new StepweaveError("model", "the browser's own model calls no tools", {
      hint: "take the tools out of the agent, or give it another model",
    });
  }
  const prompts = conversationOf(request);
  const { languages = ["en"], inputLanguages = languages, onDownload } = options;
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([context.signal, gaveUp.signal]);
  // Thrown in a listener of the browser's, it would be nobody's failure.
  const report = (share: number): void => {
    try {
      onDownload?.(share);
    } catch (error) {
      gaveUp.abort(new StepweaveError("handler", `onDownload of promptApi() failed: ${textOf(error)}`, { cause: error }));
    }
  };
  const session: SessionOptions = {
    expectedInputs: expectedIn(prompts, inputLanguages),
    expectedOutputs: [{ type: "text", languages }],
    ...samplingOf(models, request, context),
  };
  const settings: PromptOptions = { signal, ...(request.output !== undefined && { responseConstraint: request.output }) };
  let opened: Session | undefined;
  try {
    const availability = await models.availability(session);
    if (availability === "unavailable") throw notReady(session);
    if (availability !== "available") context.log("the browser downloads its model first; that takes a while");
    opened = await models.create({
      ...session,
      initialPrompts: prompts.slice(0, -1),
      signal,
      monitor: (monitor) => monitor.addEventListener("downloadprogress", (event) => report((event as ProgressEvent).loaded)),
    });
    signal.throwIfAborted();
    const question = prompts.slice(-1);
    const inputTokens = (opened.contextUsage ?? 0) + ((await opened.measureContextUsage?.(question, settings)) ?? 0);
    const reader = opened.promptStreaming(question, settings).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield { type: "text", text: piece.value };
    const { contextUsage } = opened;
    if (contextUsage !== undefined) {
      const [input, all] = [Math.round(inputTokens), Math.round(contextUsage)];
      yield { type: "usage", inputTokens: input, outputTokens: Math.max(0, all - input) };
    }
  } catch (error) {
    throw failureOf(error);
  } finally {
    opened?.destroy();
  }
}

/** The browser's interface; throws `model` where it is not there, with what to do. */
function languageModels(): LanguageModels {
  const { LanguageModel } = globalThis as { LanguageModel?: LanguageModels };
  if (typeof LanguageModel?.create === "function") return LanguageModel;
  throw missing();
}

/** Pages cannot choose how the model samples; extensions choose both values or none. */
function samplingOf(models: LanguageModels, { params }: ModelRequest, context: ModelContext): { temperature?: number; topK?: number } {
  const { temperature, topK = params.top_k, top_k: _, ...rest } = params;
  const canSample = models.params !== undefined && typeof temperature === "number" && typeof topK === "number";
  const left = [...Object.keys(rest), ...(canSample ? [] : Object.keys(params).filter((name) => !(name in rest)))];
  if (left.length > 0) context.log(`the browser's own model takes no ${left.join(", ")} here; left out`);
  return canSample ? { temperature, topK } : {};
}
