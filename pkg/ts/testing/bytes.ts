import { base64 } from "../json/base64.js";

/** Bytes as they stand in a JSON file: as text where they are text, so that people can read and compare it. */
export type WrittenBytes = string | { readonly base64: string };

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as JSON has them. A chunk that begins or ends within a character is no text. */
export function written(bytes: Uint8Array): WrittenBytes {
  return textIn(bytes) ?? { base64: base64(bytes) };
}

/** The bytes that {@link written} made this of; undefined when it made it of none. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === "string") return new TextEncoder().encode(value);
  const base64 = typeof value === "object" && value !== null ? (value as { base64?: unknown }).base64 : undefined;
  if (typeof base64 !== "string") return undefined;
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** What bytes say, if they are text. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
