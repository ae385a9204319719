import { base64 } from "#base64";

/** The engine's bytes, out of the text they are shipped in. */
export function bytes(): Uint8Array<ArrayBuffer> {
  const decoder = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  if (typeof decoder.fromBase64 === "function") return decoder.fromBase64(base64);
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(base64, "base64");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
