/** How many bytes become characters in one call: a call takes only so many arguments. */
const CHUNK = 8192;

/** Bytes as text for addresses. */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of such a text; nothing in any other, also where another text stands for the same bytes. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    return base64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
