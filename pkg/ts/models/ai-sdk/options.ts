import { StepweaveError } from "../../api/errors.js";
import { base64Of, mediaIn } from "../media.js";
import type { MediaPart, Message, ToolResult } from "../../api/conversation.js";
import type { ModelRequest } from "../../api/model-request.js";
import { echoed, partOf } from "./said.js";
import { namesOf } from "../spellings.js";
import type { AiSdkModel } from "./types.js";

/** What `doStream` is called with. */
export function optionsOf(model: AiSdkModel, request: ModelRequest, signal: AbortSignal): object {
  const { instructions, messages, tools, toolChoice, output, params } = request;
  return {
    prompt: [
      ...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
      ...messages.map((message) => messageOf(message, model)),
    ],
    ...(tools !== undefined && tools.length > 0 && { tools: tools.map(({ name, description, input }) => ({ type: "function", name, description, inputSchema: input ?? NO_INPUT })) }),
    ...(toolChoice !== undefined && { toolChoice: typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.tool } }),
    ...(output !== undefined && { responseFormat: { type: "json", schema: output } }),
    ...settingsOf(params, model),
    abortSignal: signal,
  };
}

const NO_INPUT = { type: "object", properties: {} };

/** The settings of the AI SDK. What else is written goes to the provider. */
const SETTINGS: ReadonlySet<string> = new Set(["temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "seed", "presencePenalty", "frequencyPenalty", "reasoning", "headers"]);

function settingsOf(params: ModelRequest["params"], model: AiSdkModel): object {
  const settings: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  const { providerOptions = {}, ...rest } = params;
  for (const [name, value] of Object.entries(rest)) {
    const setting = name === "reasoningEffort" && model.specificationVersion === "v4" ? "reasoning" : [name, namesOf(name)[0]].find((known) => SETTINGS.has(known));
    if (setting === undefined) own[name] = value;
    else settings[setting] = setting === "stopSequences" && !Array.isArray(value) ? [value] : value;
  }
  // The options of a provider go by the first word of its name: `openai.responses` takes those of `openai`.
  const provider = model.provider.split(".")[0]?.trim() ?? "";
  const given = providerOptions as { readonly [provider: string]: object };
  const all = Object.keys(own).length === 0 ? given : { ...given, [provider]: { ...own, ...given[provider] } };
  return Object.keys(all).length === 0 ? settings : { ...settings, providerOptions: all };
}

function messageOf(message: Message, model: AiSdkModel): object {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : fileOf(part, model))) };
    case "assistant":
      return { role: "assistant", content: echoed(message.echo, model) ?? message.content.map(partOf) };
    case "tool":
      return { role: "tool", content: message.results.map((result) => resultOf(result, model)) };
  }
}

function fileOf(file: MediaPart, { specificationVersion }: AiSdkModel): object {
  const { mediaType, name } = file;
  const bytes = base64Of(file);
  const from = bytes ?? addressOf(file.url);
  // Since version 4 it is said what the data are.
  const tagged = bytes === undefined ? { type: "url", url: from } : { type: "data", data: from };
  return { type: "file", mediaType, ...(name !== undefined && { filename: name }), data: specificationVersion === "v4" ? tagged : from };
}

/** An image or another file that a tool gave. */
function shownOf(file: MediaPart, model: AiSdkModel): object {
  const { mediaType, name, url } = file;
  const data = base64Of(file);
  switch (model.specificationVersion) {
    case "v4":
      return fileOf(file, model);
    case "v3": {
      const kind = file.type === "image" ? "image" : "file";
      return { ...(data === undefined ? { type: `${kind}-url`, url } : { type: `${kind}-data`, data, mediaType }), ...(kind === "file" && data !== undefined && name !== undefined && { filename: name }) };
    }
    default:
      return data === undefined ? { type: "text", text: String(url) } : { type: "media", data, mediaType };
  }
}

function addressOf(url: string | undefined): URL {
  try {
    return new URL(url ?? "");
  } catch (error) {
    throw new StepweaveError("validation", `a file has no \`data\`, and its \`url\` is no address: ${String(url)}`, {
      cause: error,
      hint: 'give its bytes as base64 in `data`, or a whole address such as "https://example.com/photo.png"',
    });
  }
}

function resultOf({ id, name, output, isError }: ToolResult, model: AiSdkModel): object {
  const parts = mediaIn(output);
  if (parts !== undefined) {
    const value = parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : shownOf(part, model)));
    return { type: "tool-result", toolCallId: id, toolName: name, output: { type: "content", value } };
  }
  const type = `${isError === true ? "error-" : ""}${typeof output === "string" ? "text" : "json"}`;
  return { type: "tool-result", toolCallId: id, toolName: name, output: { type, value: output } };
}
