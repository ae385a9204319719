import type { ChatMessage, InputPart } from "../api/conversation.js";
import type { CallResult, Content, PromptMessage, Resource } from "./shapes.js";

/** The form of a result that a model receives: its structured content, its text, or a list of content parts if it has other kinds too. */
export function outputOf({ structuredContent, content = [] }: CallResult, binary: "describe" | "include"): unknown {
  if (structuredContent !== undefined) return structuredContent;
  if (content.every((part) => part.type === "text")) return textOfContent(content);
  return content.map((part) => partOf(part, binary));
}

/** A message of a prompt, as agents take it. */
export function messageOf({ role, content }: PromptMessage): ChatMessage {
  return { role, content: [partOfInput(content)] };
}

/** Content as a part of an agent's input. */
export function partOfInput(content: Content): InputPart {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
      return { type: "image", mediaType: content.mimeType, data: content.data };
    case "audio":
      return { type: "file", mediaType: content.mimeType, data: content.data };
    case "resource": {
      const { uri, mimeType, text, blob } = content.resource;
      if (blob === undefined) return { type: "text", text: text ?? "" };
      return { type: mimeType?.startsWith("image/") === true ? "image" : "file", ...(mimeType !== undefined && { mediaType: mimeType }), data: blob, name: uri };
    }
    case "resource_link":
      return { type: "text", text: `${content.name}: ${content.uri}` };
    // What the protocol may have one day.
    default:
      return { type: "text", text: JSON.stringify(content) };
  }
}

/** The texts of a result. */
export function textOfContent(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function partOf(part: Content, binary: "describe" | "include"): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    // A model is shown an image, where its endpoint can.
    case "image":
      return { type: "image", mediaType: part.mimeType, data: part.data };
    case "audio":
      return { type: part.type, mediaType: part.mimeType, ...bytes(part.data, binary) };
    case "resource":
      return { type: "resource", ...resource(part.resource, binary) };
    case "resource_link": {
      const { uri, name, description, mimeType } = part;
      return { type: "resourceLink", uri, name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mediaType: mimeType }) };
    }
    // What the protocol may have one day.
    default:
      return part;
  }
}

function resource({ uri, mimeType, text, blob }: Resource, binary: "describe" | "include"): object {
  return { uri, ...(mimeType !== undefined && { mediaType: mimeType }), ...(text !== undefined && { text }), ...(blob !== undefined && bytes(blob, binary)) };
}

/** As base64, a picture is more than most models can read: they receive its size. */
function bytes(base64: string, binary: "describe" | "include"): object {
  if (binary === "include") return { data: base64 };
  return { bytes: Math.floor((base64.replace(/=+$/, "").length * 3) / 4) };
}
