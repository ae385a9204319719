import type { Json, JsonObject } from "../api/document.js";
import type { MediaPart } from "../api/conversation.js";

/** What stands before the digest of a file in the body of a request to a model, where its bytes go as base64. */
export const STORED = "stepweave-file:";

/** The bytes of a file as base64, when they stand in it: in `data`, or in a `data:` address. */
export function base64Of({ data, url }: { readonly data?: string; readonly url?: string }): string | undefined {
  return data ?? /^data:[^,]*;base64,(.*)$/s.exec(url ?? "")?.[1];
}

/** What files of the usual kinds begin with. */
const BEGINNINGS: readonly (readonly [mediaType: string, beginning: RegExp])[] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["application/pdf", /^%PDF/],
  ["audio/wav", /^RIFF.{4}WAVE/s],
  ["audio/ogg", /^OggS/],
  ["audio/flac", /^fLaC/],
  ["audio/mp4", /^.{4}ftypM4A/s],
  ["audio/mpeg", /^(?:ID3|\xff[\xfb\xf3\xf2])/],
];

/** What bytes are, by what they begin with; nothing where that says nothing. */
export function kindOfBytes(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...bytes.subarray(0, 12));
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0];
}

/** How many characters of base64 are as many bytes as {@link kindOfBytes} looks at. */
const BEGINNING = 16;

/** The same of bytes as base64, of which one that is no base64 says nothing. */
export function kindOfBase64(text: string): string | undefined {
  try {
    return kindOfBytes(Uint8Array.from(atob(text.slice(0, BEGINNING)), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
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
