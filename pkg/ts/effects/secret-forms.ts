import { hex } from "../json/hex.js";

/** Shorter values hide nothing: local servers are given keys such as `none`, and taking those out would only make texts unreadable. */
export const SHORTEST_SECRET = 8;

/**
 * The forms in which a secret's value may come back: as it is, inside of JSON (once or twice), of an address, of a form, of
 * HTML, in hexadecimal, and in base64 wherever it stands in what was encoded, such as behind the user in `user:key`.
 * None of a value that is too short to be hidden. This is the second line: the first is where a secret may go.
 */
export function formsOf(value: string): readonly string[] {
  if (value.length < SHORTEST_SECRET) return [];
  const bytes = new TextEncoder().encode(value);
  const digits = hex(bytes);
  const once = quoted(value);
  const plain = [
    value,
    quoted(once),
    // Some writers of JSON escape slashes, whatever is not ASCII, or what HTML would take for its own.
    ...[/[<>&]/g, /[\u007f-\uffff]/g, /[<>&\u007f-\uffff]/g].map((letters) => escaped(once, letters)).concat(once).flatMap((form) => [form, form.replaceAll("/", "\\/")]),
    ...[...inAddress(value), encodeURI(value), new URLSearchParams([["", value]]).toString().slice(1)].flatMap((form) => [form, lowerEscapes(form)]),
    ...["&#39;", "&#x27;", "&apos;"].map((apostrophe) => html(value, apostrophe)),
    digits,
    digits.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => base64At(bytes, before)),
  ];
  return [...new Set(plain)].filter((form) => form.length >= SHORTEST_SECRET);
}

/** The longest first, since one may begin with another. */
export function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}

/** What a header says behind the word `Bearer` or its like, where there is one. */
export function withoutScheme(header: string): string {
  return header.slice(header.lastIndexOf(" ") + 1);
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escaped(json: string, letters: RegExp): string {
  return json.replace(letters, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As one value of an address: some writers, and readers of whole addresses, escape more than others. */
function inAddress(value: string): string[] {
  const usual = encodeURIComponent(value);
  return [/[!'()*]/g, /'/g].map((more) => usual.replace(more, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)).concat(usual);
}

/** `%2F` as `%2f`. */
function lowerEscapes(form: string): string {
  return form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function html(text: string, apostrophe: string): string {
  const escapes: { readonly [letter: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": apostrophe };
  return text.replace(/[&<>"']/g, (letter) => escapes[letter] as string);
}

/**
 * The base64 of bytes that come after so many others, in both alphabets: the characters that no neighbour changes.
 * Where a value is encoded alone, that is all of it.
 */
function base64At(bytes: Uint8Array, before: number): string[] {
  const letters = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes)).replace(/=+$/, "");
  const bits = (before + bytes.length) * 8;
  const inner = letters.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  const forms = before === 0 ? [inner, letters] : [inner];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_"), form.replaceAll("/", "\\/"), encodeURIComponent(form)]);
}
