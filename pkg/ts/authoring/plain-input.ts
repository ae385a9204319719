import { StepweaveError } from "../api/errors.js";
import { base64, bytesIn } from "../json/base64.js";
import { isConversation } from "./conversation.js";

/** A conversation as a state can hold it: bytes become base64, and addresses texts. Anything else stays as it is. */
export function plainInput(input: unknown): unknown {
  if (!isConversation(input)) return input;
  return input.map((message, index) => {
    const { content } = message as { readonly content?: unknown };
    return Array.isArray(content) ? { ...message, content: content.map((part, at) => plainPart(part, `part ${at + 1} of message ${index + 1}`)) } : message;
  });
}

function plainPart(part: unknown, what: string): unknown {
  const { type, data, url } = (part ?? {}) as { readonly type?: unknown; readonly data?: unknown; readonly url?: unknown };
  if (type !== "image" && type !== "file") return part;
  if (typeof Blob === "function" && data instanceof Blob) {
    throw new StepweaveError("validation", `${what} has a Blob as \`data\`, whose bytes cannot be read at once`, { hint: "pass await blob.arrayBuffer(), and blob.type as its mediaType" });
  }
  const bytes = bytesIn(data);
  return { ...(part as object), ...(bytes !== undefined && { data: base64(bytes) }), ...(url instanceof URL && { url: url.href }) };
}
