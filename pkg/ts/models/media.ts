import type { Json, JsonObject } from "../api/document.js";
import type { MediaPart } from "../api/conversation.js";

/** The bytes of a file as base64, when they stand in it: in `data`, or in a `data:` address. */
export function base64Of({ data, url }: { readonly data?: string; readonly url?: string }): string | undefined {
  return data ?? /^data:[^,]*;base64,(.*)$/s.exec(url ?? "")?.[1];
}

/** Bytes of a call: a function takes only so many arguments. Divisible by three, so that no padding comes in between. */
const CHUNK = 0x6000;

/** Bytes as base64. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += CHUNK) text += btoa(String.fromCharCode(...bytes.subarray(from, from + CHUNK)));
  return text;
}

/**
 * The content parts of a tool's result, if there are images or files in it: its output is one, or a list of these, of texts
 * and of any other objects with a `type`, which are sent as JSON.
 */
export function mediaIn(output: Json): readonly (MediaPart | { readonly type: "text"; readonly text: string })[] | undefined {
  const list = Array.isArray(output) ? output : [output];
  const parts = list.map((part) => partOf(part as JsonObject | null));
  return parts.every((part) => part !== undefined) && parts.some(({ type }) => type !== "text") ? parts : undefined;
}

function partOf(part: JsonObject | null): MediaPart | { readonly type: "text"; readonly text: string } | undefined {
  const { type, text, mediaType, data, url } = part ?? {};
  if (typeof type !== "string") return undefined;
  if (type === "text" && typeof text === "string") return { type, text };
  const isMedium = (type === "image" || type === "file") && typeof mediaType === "string" && (typeof data === "string") !== (typeof url === "string");
  return isMedium ? (part as unknown as MediaPart) : { type: "text", text: JSON.stringify(part) };
}
