import { isObject } from "../api/json.js";
import { formsOf, longestFirst, withoutScheme } from "../effects/secret-forms.js";
import { bytesOf, textIn } from "./bytes.js";

const KEY_HEADER = /^(?:proxy-)?authorization$|^cookie$|key|token|secret/i;
/** What a key is called that is no secret: endpoints are meant to repeat it. */
const SHOWN_HEADER = /^(?:x-)?idempotency-key$/i;
/** What a key is called in an address. Of `next_token`, `sort_key` and the like requests are known. */
const KEY_PARAMETER =
  /^(?:x-|xi-)?(?:(?:api|app|hapi|auth|access|license|private|secret|ocp-apim|subscription)[-_]?)*key$|^(?:x-)?(?:(?:access|api|app|auth|bearer|id|refresh|session|x-amz-security)[-_]?)?token$|^(?:(?:api|app|client|consumer|shared)[-_]?)?secret$|^(?:x-(?:amz|goog)-)?(?:sig|signature)$|^x-(?:amz|goog)-credential$|^(?:appid|auth|password|passwd|passphrase)$/i;
/** What a key is called among the fields of a body or an answer, where names such as `key` and `token` may be anything. */
const KEY_FIELD = /^(?:client[-_]?(?:secret|assertion)|(?:access|refresh|id)[-_]?token|password)$/i;
/** What stands in the place of such a field, so that another key finds the same answer. */
const MASK = "***";
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
export function keysOf(address: string, headers: Headers, body: string | undefined): readonly string[] {
  const url = new URL(address);
  const keys = [url.username, url.password, ...(body === undefined ? [] : keysIn(body, isForm(headers)))];
  for (const [name, value] of url.searchParams) if (KEY_PARAMETER.test(name)) keys.push(value);
  for (const [name, value] of headers) if (KEY_HEADER.test(name) && !SHOWN_HEADER.test(name)) keys.push(withoutScheme(value), ...passwordIn(value));
  return allForms(keys);
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

/** A string with stars instead of keys. */
export function starred(text: string, keys: readonly string[]): string {
  return keys.reduce((shown, key) => shown.replaceAll(key, "*".repeat(key.length)), text);
}

/** The chunks of an answer with stars instead of keys, also of those that are spread over several chunks, and of those that it gives, as an endpoint of tokens does. */
export function starredPieces(pieces: readonly Uint8Array[], keys: readonly string[]): readonly Uint8Array[] {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  const places = pieces.map((piece) => {
    whole.set(piece, offset);
    return (offset += piece.length);
  });
  cover(whole, [...keys, ...allForms(keysIn(textIn(whole) ?? "", false))]);
  return places.map((end, at) => whole.subarray(places[at - 1] ?? 0, end));
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
