// What of a file is a key: by the name that it stands under, and by what it looks like. The words and the shapes are in
// `keys.json`, the one table of them.
import table from "./keys.json" with { type: "json" };

/** What stands where a key stood, if an empty text would mean something else: in a comparison, and within a longer text. */
export const GONE = "(a key was here)";

/** The same in an address, which has no spaces. */
const GONE_IN_ADDRESS = "a-key-was-here";

/** Where a name stands. In a query and a header, a mere `key` is one of a service; in data it may be a key of anything. */
export type Place = "data" | "parameter";

type List = keyof typeof table.names;

/** The words of each list of the table. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(table.names).map(([list, words]) => [list, words.split(" ")]));

/** Whether what stands under this name is a key. The page's wasm reads the same table in the same way (`src/model/keys`). */
export function isSecret(name: string, place: Place = "data"): boolean {
  // What is longer is no name, and would take long to take apart.
  const words = name.slice(-200).replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2").toLowerCase().split(/[^a-z\d]+/).filter(Boolean);
  // What tells one of several keys from another.
  while (words.length > 1 && (/^v?\d+$/.test(words.at(-1) ?? "") || has("oneOf", words.at(-1) ?? ""))) words.pop();
  const last = bare(words.at(-1) ?? "");
  // Such a name only tells something about a key.
  if (words.length > 1 && has("tails", last)) return false;
  const joined = words.join("");
  if (place === "parameter" && has("inParameters", joined)) return true;
  if (has("alone", joined) || words.map(bare).some((word) => has("always", word) || endsWith(word, "alwaysEnds"))) return true;
  // In one word, or with more behind it, also in the plural.
  if (wordsOf("keysOf").some((whose) => joined.includes(`${whose}key`)) || endsWith(/^(.*)tokens?$/.exec(joined)?.[1] ?? "", "tokensOf")) return true;
  const before = words.slice(0, -1);
  if (last === "pass") return before.some((word) => has("logins", word));
  // Tokens also turn pages, and are pieces of text.
  if (last.endsWith("token") || last === "jwt") return !before.some((word) => has("turning", word)) && !endsWith(last.replace(/token$/, ""), "turningInOneWord");
  // Some keys are names of data.
  return last === "key" && before.length > 0 && !before.some((word) => has("ofData", word));
}

function bare(word: string): string {
  return word.replace(/\d+$/, "");
}

function wordsOf(list: List): readonly string[] {
  return WORDS.get(list) ?? [];
}

function has(list: List, word: string): boolean {
  return wordsOf(list).includes(word);
}

function endsWith(word: string, list: List): boolean {
  return wordsOf(list).some((end) => word.endsWith(end));
}

/** What stands under names of keys and is none. */
const NO_KEY = /^(?:string|number|integer|boolean|object|array|function|text|null|none|undefined|true|false|required|optional|missing|invalid|expired|bearer|basic)$/i;

/** A text under the name of a key, without the key. What it reads stays, and the word that says how it signs in. */
export function emptied(text: string): string {
  if (NO_KEY.test(text.trim())) return text;
  const sign = text.startsWith("=") ? "=" : "";
  const body = text.slice(sign.length);
  const scheme = /^\s*(?:bearer|basic|token|bot|apikey|key)\s+/i.exec(body)?.[0] ?? "";
  let [read, rest] = ["", ""];
  for (const { text: piece, isRead } of piecesOf(body.slice(scheme.length))) {
    if (isRead && !/^\{\{\s*(["'`])[^"'`$]*\1\s*\}\}$/.test(piece)) read += piece;
    else rest += piece;
  }
  if (!/[\p{L}\p{N}]/u.test(rest)) return text;
  // A sign of equality with nothing behind it would be an expression without one.
  return read === "" ? scheme : sign + scheme + read;
}

/** A text in its pieces: what it reads, in the expressions of n8n, Dify and templates, and what it says itself. */
export function piecesOf(text: string): { text: string; isRead: boolean }[] {
  const pieces: { text: string; isRead: boolean }[] = [];
  let from = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", from)) {
    let close = text.indexOf("}}", open + 2);
    // An object in the expression ends in braces too.
    while (close >= 0 && text[close + 2] === "}") close += 1;
    if (close < 0) break;
    pieces.push(...interpolated(text.slice(from, open)), { text: text.slice(open, close + 2), isRead: true });
    from = close + 2;
  }
  return [...pieces, ...interpolated(text.slice(from))];
}

/** The pieces of a text of JavaScript, `${name}`, and of Python, `{name}`. */
function interpolated(text: string): { text: string; isRead: boolean }[] {
  return text.split(/(\$\{[^{}]*\}|\{[A-Za-z_][\w.]*\})/).map((piece, index) => ({ text: piece, isRead: index % 2 === 1 }));
}

/** A value without what looks like a key, whatever it stands under, and whether there was one. */
export function withoutKeys<T>(value: T): { value: T; found: boolean } {
  let found = false;
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") {
      const left = withoutShapes(value);
      found ||= left !== value;
      return left;
    }
    if (Array.isArray(value)) return value.map(clean);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [clean(name), clean(inner)])) : value;
  };
  return { value: clean(value) as T, found };
}

/** A text without what looks like a key, whatever it stands under. */
export function withoutShapes(text: string): string {
  let clean = text.replace(PRIVATE, GONE).replace(SHAPES, GONE);
  for (const address of ADDRESSES) clean = clean.replace(address, (_whole, before: string) => before + GONE_IN_ADDRESS);
  // The user of an address stays for the step that signs in as him, unless he has no password and looks like one.
  clean = clean.replace(/\b([a-z][a-z\d+.-]{0,20}:\/\/)([^\s/?#@"'`<>:{}]*):([^\s/?#@"'`<>{}]+)@/gi, "$1$2:@").replace(/\b(https?:\/\/)[\w-]{20,}:?@/gi, "$1:@");
  return clean.replace(/([?&])([\w.%-]+)=([^&#\s"'`<>{}\\]+)/g, (whole, sign: string, name: string) => (isSecret(name, "parameter") ? `${sign}${name}=` : whole));
}

/** The key alone and not the words around it, which code looks for to take them away. */
const PRIVATE = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:\\[nr]|[\sA-Za-z0-9+/=:,]){40,}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g;

/** What is sent in a header before a key, with the key. */
const SCHEMES = ["Bearer\\s+[\\w.~+/-]{20,}=*", "Basic\\s+(?=[A-Za-z0-9+/]*[0-9=])[A-Za-z0-9+/]{8,}={0,2}"];

const SHAPES = new RegExp(`(?<=^|[^\\w-]|\\\\[nrt])(?:${[...table.shapes, ...SCHEMES].join("|")})`, "g");

/** Addresses whose path is the key: the part that says whose they are, and the key. */
const ADDRESSES: readonly RegExp[] = [
  /(\bhooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[^\s"'`<>{}?#\\]+/gi,
  /(\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[^\s"'`<>{}?#\\/]+\/[^\s"'`<>{}?#\\/]+/gi,
  /(\.webhook\.office\.com\/webhookb2\/|\boutlook\.office(?:365)?\.com\/webhook\/)[^\s"'`<>{}?#\\]+/gi,
  /(\bhooks\.zapier\.com\/hooks\/catch\/|\bhook\.[\w.-]{0,20}(?:make|integromat)\.com\/)[^\s"'`<>{}?#\\]+/gi,
  /(\bmaker\.ifttt\.com\/trigger\/[^\s"'`<>/]+\/(?:json\/)?with\/key\/)[^\s"'`<>{}?#\\/]+/gi,
  /(\bopen\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/(?:v2\/)?hook\/)[^\s"'`<>{}?#\\/]+/gi,
  /(\/hooks\/)[a-z0-9]{26}\b/g,
  /(\bapi\.telegram\.org\/(?:file\/)?bot)[^\s"'`<>{}?#\\/]+/gi,
  /(\/bot)\d{6,}:[\w-]{20,}/g,
];

/** Code, an expression, or text that is nearly JSON: without what looks like a key, and without texts under names of keys. */
export function withoutNamed(code: string, lost: (name: string) => void): string {
  const gone = (before: string, name: string, quote: string, value: string, instead: (value: string) => string): string => {
    if (!isSecret(name)) return before + quote + withoutNamed(value, lost) + quote;
    const left = instead(value);
    if (left !== value) lost(name);
    return before + quote + left + quote;
  };
  return code
    .replace(ASSIGNED, (_whole, before: string, _open: string, name: string, quote: string, value: string) => gone(before, name, quote, value, emptied))
    .replace(CALLED, (_whole, before: string, _open: string, name: string, quote: string, value: string) => gone(before, name, quote, value, emptied))
    // A comparison with an empty text might let somebody in.
    .replace(COMPARED, (_whole, before: string, name: string, quote: string, value: string) => gone(before, name, quote, value, (text) => (text === "" || NO_KEY.test(text) ? text : GONE)))
    .replace(NUMBERED, (whole, before: string, name: string) => (isSecret(name) ? (lost(name), `${before}""`) : whole));
}

/** A text in quotes, which may be escaped: the groups are the quote, of the given number, and the text. */
const quotedText = (group: number): string => `(\\\\{0,4}["'\`])((?:(?!\\${group})(?:\\\\.|[^\\\\\\n]))*)\\${group}`;
/** `name: "…"`, `"name": "…"`, `name = "…"`, `name ?? "…"`, `name: string = "…"`, `of["name"] = "…"`. */
const ASSIGNED = new RegExp(`((?<![\\w.-])(?:\\w+\\.)*(\\\\{0,4}["'\`]?)([A-Za-z_][\\w-]*)\\2(?:\\s*\\])?\\s*(?::\\s*\\w+\\s*=|:|\\+?=|(?:\\?\\?|\\|\\|)=?)(?!=)\\s*)${quotedText(4)}`, "g");
/** `headers.set("name", "…")`. */
const CALLED = new RegExp(`(\\.(?:set|append|header|setRequestHeader)\\(\\s*(["'\`])([A-Za-z_][\\w-]*)\\2\\s*,\\s*)${quotedText(4)}`, "g");
/** `of.name === "…"`. */
const COMPARED = new RegExp(`((?<![\\w-])([A-Za-z_][\\w-]*)["'\`]?(?:\\s*\\])?\\s*[!=]==?\\s*)${quotedText(3)}`, "g");
/** `"name": 123456`. */
const NUMBERED = /("([A-Za-z_][\w-]*)"\s*:\s*)\d{3,}(?=\s*[,}\]])/g;
