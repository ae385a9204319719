// Requests of any tool, without keys: those are named, and never taken along.
import type { HttpRequestDocument } from "stepweave";
import type { Draft } from "./draft";
import { isSecret, piecesOf } from "./secrets";
import { slug } from "./text";

type Request = HttpRequestDocument;

/** A request as its file has it, in templates of ours. */
export interface Sent {
  /** Its node, and what people call it. */
  readonly id: string;
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** How it signs in, in the words of the file; empty where it does not. */
  readonly auth: string;
  /** The name of the key that a value reads, where the file has one for it. */
  readonly secretIn?: (value: string) => string | undefined;
  readonly draft: Draft;
}

/** The request that we send. Keys that stand in it are taken out, and named as secrets. */
export function seal(sent: Sent): Request {
  const { id, method, draft } = sent;
  const known = METHODS.find((each) => each === method);
  if (known === undefined) draft.remark(id, `Choose its method: it was ${method.slice(0, 40)}.`);
  const { url, query: inUrl } = addressOf(sent.url);
  const request: Request = { ...(known && known !== "GET" && { method: known }), url };
  request.url = withoutUser(sent, url, request);
  const query = { ...inUrl, ...sent.query };
  const headers = { ...sent.headers };
  signIn(sent, request, query, headers);
  if (Object.keys(query).length > 0) request.query = query;
  if (Object.keys(headers).length > 0) request.headers = headers;
  toSomewhere(sent, request);
  return request;
}

/** An origin that comes from data needs the person's word, and takes no key along. */
function toSomewhere({ id, draft }: Sent, request: Request): void {
  if (/^https?:\/\/[^{}\s/?#]+(?:[/?#]|$)/.test(request.url)) return;
  if (/^\{\{(?:(?!\}\}).)+\}\}/s.test(request.url)) {
    request.origins = "any";
    if (request.auth) {
      delete request.auth;
      draft.remark(id, "Its address comes from data, so no key goes along: name the origins that it may reach, then its key.");
    } else {
      draft.remark(id, "Its address comes from data: name the origins that it may reach instead of any.");
    }
    return;
  }
  draft.remark(id, `Write its address: it was ${request.url.slice(0, 80) || "empty"}.`);
  request.url = "https://example.invalid/";
}

/** A query that is written into the address, so that a key in it is seen. */
function addressOf(template: string): { url: string; query: Record<string, string> } {
  const [before = "", after] = template.trim().split(/\?(?![^{]*\}\})([\s\S]*)/, 2);
  const query: Record<string, string> = {};
  if (after === undefined) return { url: spaceless(template), query };
  if (after.includes("{{") || after.includes("#")) {
    // What reads something stays where it is encoded; a key is taken out all the same.
    const pairs = after.split("&");
    const isKey = (pair: string): boolean => /^[\w.%-]+=[^{}#]*$/.test(pair) && isSecret(pair.slice(0, pair.indexOf("=")), "parameter");
    for (const pair of pairs.filter(isKey)) query[unescaped(pair.slice(0, pair.indexOf("=")))] = "";
    const rest = pairs.filter((pair) => !isKey(pair)).join("&");
    return { url: spaceless(rest === "" ? before : `${before}?${rest}`), query };
  }
  for (const pair of after.split("&")) {
    const [name = "", ...value] = pair.split("=");
    if (name !== "") query[unescaped(name)] = unescaped(value.join("="));
  }
  return { url: spaceless(before), query };
}

/** An address has no spaces, except in its expressions. */
function spaceless(template: string): string {
  return template.trim().split(/(\{\{[\s\S]*?\}\})/).map((piece) => (piece.startsWith("{{") ? piece : piece.replace(/\s+/g, "%20"))).join("");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text;
  }
}

function signIn({ id, name: title, auth, secretIn, draft }: Sent, request: Request, query: Record<string, string>, headers: Record<string, string>): void {
  let secret = secretOf(title);
  // A request has one key.
  const named = (value: string): string | undefined => (request.auth === undefined ? secretIn?.(value) : undefined);
  for (const name of Object.keys(headers)) {
    if (OWNED.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) delete headers[name];
    else if (isSecret(name, "parameter") || REFUSED.test(name)) {
      const value = headers[name] ?? "";
      const bearer = /^\s*Bearer/i.test(value) || /^authorization$/i.test(name);
      delete headers[name];
      if (request.auth) draft.remark(id, `Its header ${name.slice(0, 60)} was left out: a request has one key.`);
      secret = named(value) ?? secret;
      request.auth ??= bearer ? { bearer: { secret } } : { header: { name, value: { secret } } };
    }
  }
  for (const name of Object.keys(query)) {
    const value = query[name] ?? "";
    const own = named(value);
    // A value that the data brings stays.
    if (own === undefined && (!isSecret(name, "parameter") || readsData(value))) continue;
    delete query[name];
    secret = own ?? secret;
    request.auth ??= { query: { name, value: { secret } } };
  }
  if (request.auth === undefined && auth !== "") {
    const header = /header\s+([\w-]+)\s*$/i.exec(auth)?.[1];
    request.auth = /basic/i.test(auth) ? { basic: { user: "user", password: { secret } } } : /header/i.test(auth) ? { header: { name: header === undefined || /apart/.test(header) ? "x-api-key" : header, value: { secret } } } : /query/i.test(auth) ? { query: { name: "key", value: { secret } } } : { bearer: { secret } };
    draft.remark(id, "Look at how it signs in: that is kept apart from the file.");
  }
  if (request.auth) draft.remark(id, `Give its key the name ${secret}, and its value where the workflow runs.`);
}

/** Headers that no document may have, whatever they are for, since they are called as those with keys. */
const REFUSED = /^(?!idempotency-key$)(?:.*(?:authorization|api[-_]?key|subscription-key|cookie|secret).*|.*(?:token|password|-key)|x-auth.*)$/i;

/** Whether a template reads something, and does not only say a text. */
function readsData(template: string): boolean {
  return piecesOf(template).some(({ text, isRead }) => isRead && text.startsWith("{{") && !/^\{\{\s*(["'])(?:\\.|(?!\1)[^\\])*\1\s*\}\}$/.test(text));
}

/** The address without a user in it, which no document has: he signs in. */
function withoutUser({ id, name: title, draft }: Sent, url: string, request: Request): string {
  const [whole, scheme = "", found = ""] = /^(https?:\/\/)((?:\{\{(?:(?!\}\})[\s\S])*\}\}|[^/?#\\{])*)@/i.exec(url) ?? [];
  if (whole === undefined) return url;
  const user = found.slice(0, 500).split(/:(?![^{]*\}\})/)[0] ?? "";
  request.auth = { basic: { user: user === "" ? "user" : unescaped(user), password: { secret: secretOf(title) } } };
  draft.remark(id, "A user stood in its address: he signs in now, and his password was left behind.");
  draft.heldKeys();
  return scheme + url.slice(whole.length);
}

function secretOf(title: string): string {
  return `${slug(title, "request").toUpperCase()}_KEY`;
}

const OWNED = /^(?:host|content-length|connection|transfer-encoding|accept-encoding|user-agent|origin|referer|sec-.*|proxy-.*|te|upgrade|expect|via|trailer|keep-alive|forwarded|x-forwarded-.*|access-control-.*|date|set-cookie)$/i;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
