import { formsOf, longestFirst, withoutScheme } from "../effects/secret-forms.js";

const KEY_HEADER = /^(?:proxy-)?authorization$|^cookie$|key|token|secret/i;
/** What a key is called that is no secret: endpoints are meant to repeat it. */
const SHOWN_HEADER = /^(?:x-)?idempotency-key$/i;
const KEY_PARAMETER = /^(?:x-)?(?:api[-_]?)?key$|^(?:(?:access|auth|id)[-_])?token$|^sig(?:nature)?$/i;
const STAR = 0x2a;

/** An address without the keys in it. */
export function withoutKeys(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()]) if (KEY_PARAMETER.test(name)) url.searchParams.delete(name);
  return url.href;
}

/** The keys that a request carries, in each form in which an endpoint may repeat them. */
export function keysOf(address: string, headers: Headers): readonly string[] {
  const url = new URL(address);
  const keys = [url.username, url.password];
  for (const [name, value] of url.searchParams) if (KEY_PARAMETER.test(name)) keys.push(value);
  for (const [name, value] of headers) if (KEY_HEADER.test(name) && !SHOWN_HEADER.test(name)) keys.push(withoutScheme(value));
  return [...new Set(keys.flatMap(formsOf))].sort(longestFirst);
}

/** A string with stars instead of keys. */
export function starred(text: string, keys: readonly string[]): string {
  return keys.reduce((shown, key) => shown.replaceAll(key, "*".repeat(key.length)), text);
}

/** Chunks of bytes with stars instead of keys, also of those that are spread over several chunks. */
export function starredPieces(pieces: readonly Uint8Array[], keys: readonly string[]): readonly Uint8Array[] {
  if (keys.length === 0) return pieces;
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  const places = pieces.map((piece) => {
    whole.set(piece, offset);
    return (offset += piece.length);
  });
  for (const key of keys) cover(whole, new TextEncoder().encode(key));
  return places.map((end, at) => whole.subarray(places[at - 1] ?? 0, end));
}

function cover(bytes: Uint8Array, key: Uint8Array): void {
  const [first] = key;
  if (first === undefined) return;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (key.every((byte, offset) => bytes[at + offset] === byte)) bytes.fill(STAR, at, at + key.length);
  }
}
