import { StepweaveError } from "../../api/errors.js";
import { base64Of, mediaIn } from "../media.js";
import type { ContentPart, MediaPart, Message, ToolResult } from "../../api/conversation.js";
import type { ModelRequest } from "../../api/model-request.js";
import type { Expected, Prompt, PromptContent } from "./types.js";

/** The conversation as the browser takes it; the last message is the question. */
export function conversationOf({ instructions, messages }: ModelRequest): Prompt[] {
  const system: Prompt[] = instructions === undefined ? [] : [{ role: "system", content: [textOf(instructions)] }];
  return [...system, ...messages.map(promptOf)];
}

/** What the model has to understand. */
export function expectedIn(prompts: readonly Prompt[], languages: readonly string[]): Expected[] {
  const others = new Set(prompts.flatMap(({ content }) => content.map(({ type }) => type)));
  others.delete("text");
  return [{ type: "text", languages }, ...[...others].map((type) => ({ type }))];
}

function promptOf(message: Message): Prompt {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.map(contentOf) };
    case "assistant":
      return { role: "assistant", content: message.content.flatMap((part) => (part.type === "text" ? [textOf(part.text)] : [])) };
    case "tool":
      return { role: "user", content: message.results.flatMap(gaveOf) };
  }
}

function gaveOf({ name, output }: ToolResult): PromptContent[] {
  const parts = mediaIn(output);
  if (parts !== undefined) return [textOf(`${name}:`), ...parts.map(contentOf)];
  return [textOf(`${name}: ${typeof output === "string" ? output : JSON.stringify(output)}`)];
}

function contentOf(part: ContentPart): PromptContent {
  if (part.type === "text") return textOf(part.text);
  const bytes = bytesOf(part);
  const kind = part.mediaType.split("/")[0];
  if (kind === "text") return textOf(`${part.name === undefined ? "" : `${part.name}:\n`}${new TextDecoder().decode(bytes)}`);
  if (kind === "image" || kind === "audio") return { type: kind, value: new Blob([bytes], { type: part.mediaType }) };
  throw unusable(part, `the browser's own model reads no ${part.mediaType}`, "give it text, images or sound");
}

function bytesOf(part: MediaPart): Uint8Array<ArrayBuffer> {
  const base64 = base64Of(part);
  if (base64 === undefined) throw unusable(part, "the browser's own model fetches nothing", "give the file's bytes as base64 in `data`, not its `url`");
  try {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  } catch (error) {
    throw unusable(part, "its `data` is no base64", "encode the file's bytes as base64", error);
  }
}

function unusable({ name, mediaType }: MediaPart, why: string, hint: string, cause?: unknown): StepweaveError {
  return new StepweaveError("model", `the file ${name ?? `(${mediaType})`} cannot be shown: ${why}`, cause === undefined ? { hint } : { hint, cause });
}

function textOf(value: string): PromptContent {
  return { type: "text", value };
}
