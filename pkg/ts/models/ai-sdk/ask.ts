import { sentAgain } from "../../effects/sent-again.js";
import { base64 } from "../../json/base64.js";
import { inputOf, isCount } from "../parts.js";
import type { ModelContext, ModelPart, ModelRequest } from "../../api/model-request.js";
import { brokenOff, failureOf, filteredBy } from "./failure.js";
import { optionsOf } from "./options.js";
import { Said } from "./said.js";
import type { AiSdkModel, FileData, FinishReason, StreamPart, Usage, Warning } from "./types.js";

/** Calls a model of the AI SDK; yields its response parts. */
export async function* ask(model: AiSdkModel, request: ModelRequest, context: ModelContext): AsyncGenerator<ModelPart> {
  let reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  try {
    const options = optionsOf(model, request, context.signal);
    const { stream } = await sentAgain(() => model.doStream(options));
    reader = stream.getReader();
    const answer = new Answer(model, context);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw brokenOff(model);
      yield* answer.partsOf(value);
      if (value.type === "finish") return;
    }
  } catch (error) {
    throw failureOf(error, model);
  } finally {
    // A stream that has failed reports it again here; it has been reported.
    reader?.cancel().catch(() => {});
  }
}

/** The parts of one answer. */
class Answer {
  readonly #model: AiSdkModel;
  readonly #context: ModelContext;
  readonly #said = new Said();

  constructor(model: AiSdkModel, context: ModelContext) {
    this.#model = model;
    this.#context = context;
  }

  *partsOf(part: StreamPart): Generator<ModelPart> {
    switch (part.type) {
      case "stream-start":
        for (const warning of part.warnings ?? []) this.#context.log(`${this.#model.modelId}: ${wordsOf(warning)}`);
        return;
      case "text-start":
        return this.#said.text("text", part.id, "", part.providerMetadata);
      case "reasoning-start":
        return this.#said.text("reasoning", part.id, "", part.providerMetadata);
      case "text-end":
        return this.#said.end("text", part.id, part.providerMetadata);
      case "reasoning-end":
        return this.#said.end("reasoning", part.id, part.providerMetadata);
      case "text-delta":
        this.#said.text("text", part.id, part.delta, part.providerMetadata);
        yield { type: "text", text: part.delta };
        return;
      case "reasoning-delta":
        this.#said.text("reasoning", part.id, part.delta, part.providerMetadata);
        yield { type: "reasoning", text: part.delta };
        return;
      case "tool-call": {
        // A tool that the provider executes itself has ended when it is reported.
        if (part.providerExecuted === true) return;
        const { toolCallId: id, toolName: name, providerMetadata } = part;
        const input = inputOf(part.input);
        this.#said.call({ id, name, input }, providerMetadata);
        yield { type: "toolCall", id, name, input };
        return;
      }
      case "file":
        yield fileOf(part.mediaType, part.data);
        return;
      case "reasoning-file":
        return this.#context.log(`${this.#model.modelId} gave a file of its thoughts (${part.mediaType}), which is left out`);
      case "source": {
        const { url, title = part.filename } = part;
        if (url !== undefined || title !== undefined) yield { type: "source", ...(url !== undefined && { url }), ...(title !== undefined && { title }) };
        return;
      }
      case "response-metadata":
        if (part.id !== undefined) yield { type: "response", id: part.id };
        return;
      case "error":
        throw part.error;
      case "finish":
        return yield* this.#finish(part.finishReason, part.usage);
    }
  }

  *#finish(finishReason: FinishReason, usage: Usage | undefined): Generator<ModelPart> {
    const echo = this.#said.echo(this.#model);
    if (echo !== undefined) yield { type: "echo", value: echo };
    const counted = usageOf(usage ?? {});
    if (counted !== undefined) yield counted;
    const { unified, raw } = typeof finishReason === "string" ? { unified: finishReason, raw: undefined } : finishReason;
    switch (unified) {
      case "stop":
      case "length":
        yield { type: "finish", reason: unified };
        return;
      case "tool-calls":
        yield { type: "finish", reason: "toolCalls" };
        return;
      case "content-filter":
        yield { type: "finish", reason: filteredBy(raw) };
        return;
      case "error":
      case "interrupted":
        throw brokenOff(this.#model);
      default:
        yield { type: "finish", reason: "other" };
    }
  }
}

/** A file that the model made. */
function fileOf(mediaType: string, given: FileData | undefined): ModelPart {
  const { data, url } = typeof given === "object" && !(given instanceof Uint8Array) ? given : { data: given, url: undefined };
  const type = mediaType.startsWith("image/") ? "image" : "file";
  if (data === undefined) return { type, mediaType, url: String(url) };
  return { type, mediaType, data: typeof data === "string" ? data : base64(data) };
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): ModelPart | undefined {
  const input = typeof inputTokens === "object" && inputTokens !== null ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens, cacheWrite: undefined };
  const output = typeof outputTokens === "object" && outputTokens !== null ? outputTokens : { total: outputTokens, reasoning: reasoningTokens };
  if (!isCount(input.total) && !isCount(output.total)) return undefined;
  return {
    type: "usage",
    inputTokens: isCount(input.total) ? input.total : 0,
    outputTokens: isCount(output.total) ? output.total : 0,
    ...(isCount(input.cacheRead) && { cachedInputTokens: input.cacheRead }),
    ...(isCount(input.cacheWrite) && { cacheWriteTokens: input.cacheWrite }),
    ...(isCount(output.reasoning) && { reasoningTokens: output.reasoning }),
  };
}

function wordsOf({ type, setting, feature, tool, details, message }: Warning): string {
  const about = setting ?? feature ?? tool?.name;
  const said = message ?? details;
  return [about === undefined ? type : `${about} (${type})`, said].filter((words) => words !== undefined).join(": ");
}
