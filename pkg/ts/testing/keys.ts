import { isObject } from "../api/json.js";
import { formsOf, longestFirst, SHORTEST_SECRET, withoutScheme } from "../effects/secret-forms.js";
import { bytesOf, textIn } from "./bytes.js";

const KEY_HEADER = /^(?:proxy-)?authorization$|^cookie$|key|token|secret/i;
/** What a key is called that is no secret: endpoints are meant to repeat it. */
const SHOWN_HEADER = /^(?:x-)?idempotency-key$/i;
/** What a key is called in an address. Of `next_token`, `sort_key` and the like requests are known. */
const KEY_PARAMETER =
  /^(?:x-|xi-)?(?:(?:api|app|hapi|auth|access|license|private|secret|ocp-apim|subscription)[-_]?)*key$|^(?:x-)?(?:(?:access|api|app|auth|bearer|id|refresh|session|x-amz-security)[-_]?)?token$|^(?:(?:api|app|client|consumer|shared)[-_]?)?secret$|^(?:x-(?:amz|goog)-)?(?:sig|signature)$|^x-(?:amz|goog)-credential$|^(?:appid|auth|password|passwd|passphrase)$/i;
/** What a key is called among the fields of a body or an answer, where names such as `key` and `token` may be anything. */
const KEY_FIELD = /^(?:client[-_]?(?:secret|assertion)|(?:access|refresh|id)[-_]?token|password)$/i;
/** What stands in a request in the place of a key, so that another one finds the same answer. */
const MASK = "***";
const STAR = 0x2a;
/** What a program has got from a recording in the place of a key. */
const STARS = /^\*+$/;
/** As many stars as the key had letters, or a mask: for a request, it is the same. */
const MASKS = /\*{3,}/g;

/** The keys of a request. */
export interface Keys {
  /** As they are. */
  readonly values: readonly string[];
  /** Each form in which an endpoint may repeat them, the longest first. */
  readonly keys: readonly string[];
}

/** An address without what its names say are keys, and with a mask for these values, whatever they are called. */
export function withoutKeys(address: string, values: readonly string[]): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  for (const [name, value] of [...url.searchParams]) {
    if (KEY_PARAMETER.test(name)) url.searchParams.delete(name);
    else if (values.includes(value)) url.searchParams.set(name, MASK);
  }
  return url.href;
}

/** The keys that a request carries, and the secrets of the run that sends it. */
export function keysOf(address: string, headers: Headers, body: string | undefined, secrets: readonly string[]): Keys {
  const url = new URL(address);
  const keys = [url.username, url.password, ...(body === undefined ? [] : keysIn(body, isForm(headers)))];
  for (const [name, value] of url.searchParams) if (KEY_PARAMETER.test(name)) keys.push(value);
  for (const [name, value] of headers) if (KEY_HEADER.test(name) && !SHOWN_HEADER.test(name)) keys.push(withoutScheme(value), ...passwordIn(value));
  // What is found by its name and is short may be anything; that a secret is one is known, however short it is.
  return { values: [...secrets, ...keys.filter(({ length }) => length >= SHORTEST_SECRET)], keys: allForms([...secrets, ...keys].filter((key) => !STARS.test(key))) };
}

/** The password of basic authentication, which an endpoint may repeat without the user. */
function passwordIn(header: string): readonly string[] {
  const [, pair = ""] = /^basic +(\S+)$/i.exec(header) ?? [];
  const text = textIn(bytesOf({ base64: pair }) ?? new Uint8Array()) ?? "";
  return text.includes(":") ? [text.slice(text.indexOf(":") + 1)] : [];
}

function allForms(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.flatMap(formsOf))].sort(longestFirst);
}

/** Whether a body is a form as addresses have it. */
export function isForm(headers: Headers): boolean {
  return headers.get("content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true;
}

/** The same form without the values of its keys. */
export function maskedForm(text: string): string {
  const form = new URLSearchParams(text);
  const names = [...form.keys()].filter((name) => KEY_FIELD.test(name));
  for (const name of names) form.set(name, MASK);
  return names.length === 0 ? text : form.toString();
}

/** The same JSON without the values of its keys. */
export function maskedJson(json: unknown): unknown {
  if (!isObject(json) || !Object.keys(json).some((name) => KEY_FIELD.test(name))) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, KEY_FIELD.test(name) && typeof value === "string" ? MASK : value]));
}

function keysIn(text: string, isForm: boolean): readonly string[] {
  const fields = isForm ? [...new URLSearchParams(text)] : Object.entries(objectIn(text));
  return fields.flatMap(([name, value]) => (KEY_FIELD.test(name) && typeof value === "string" ? [value] : []));
}

function objectIn(text: string): object {
  try {
    return /^\s*\{/.test(text) ? (JSON.parse(text) as object) : {};
  } catch {
    return {};
  }
}

/** What is sent, without keys. */
export function masked(text: string, keys: readonly string[]): string {
  return keys.reduce((shown, key) => shown.replaceAll(key, MASK), text);
}

/** What a request is known by, however long the keys were that stars stand for. */
export function withEqualMasks(name: string): string {
  return name.replace(MASKS, MASK);
}

/** The keys that an answer gives, as an endpoint of tokens does. */
export function keysGiven(pieces: readonly Uint8Array[]): readonly string[] {
  return allForms(keysIn(textIn(joined(pieces)) ?? "", false));
}

/** A string with stars instead of keys. */
export function starred(text: string, keys: readonly string[]): string {
  return keys.reduce((shown, key) => shown.replaceAll(key, "*".repeat(key.length)), text);
}

/** The chunks of an answer with stars instead of keys, also of those that are spread over several chunks. */
export function starredPieces(pieces: readonly Uint8Array[], keys: readonly string[]): readonly Uint8Array[] {
  const whole = joined(pieces);
  cover(whole, keys);
  let end = 0;
  return pieces.map(({ length }) => whole.subarray(end, (end += length)));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Puts stars into bytes in the place of texts. */
export function cover(bytes: Uint8Array, texts: readonly string[]): void {
  for (const text of texts) {
    const hidden = new TextEncoder().encode(text);
    const [first] = hidden;
    if (first === undefined) continue;
    for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
      if (hidden.every((byte, offset) => bytes[at + offset] === byte)) bytes.fill(STAR, at, at + hidden.length);
    }
  }
}
