// Sends requests for pages: most sites let no page of another origin read their answers.
// A Worker by its default export; `cargo xtask start` serves the same code beside the builder.
import { isInsideHost } from "../../pkg/ts/effects/inside.ts";

/** A request as it is sent on; its body comes apart. */
interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whom a relay serves, and where it sends. */
export interface RelaySettings {
  /** What callers have to know. */
  readonly token: string;
  /** The origins whose pages may call, or `*` for all. Programs that are no pages send no origin; to them the token alone counts. */
  readonly origins: readonly string[];
  /** The names by which it may be called, with the port. A page that calls it by another one has had its own name resolved to this machine. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins in its own network that it may send to nevertheless. */
  readonly inside?: readonly string[] | undefined;
  /** What sends to the public internet, instead of `fetch`. */
  readonly send?: Send | undefined;
}

/** Sends one request and follows no redirect. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

const MEGABYTE = 2 ** 20;
const MAX_BYTES = 32 * MEGABYTE;
const MAX_MS = 120_000;
const SHORTEST_TOKEN = 16;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** What belongs to one connection, to a browser, or to whoever stands between; never to the request itself. */
const OF_A_CONNECTION =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|content-length|accept-encoding|cookie2?|set-cookie2?|origin|referer|via|forwarded|(?:proxy|sec|cf|x-forwarded|x-relay)-.*)$/;

/** What a response has for its own connection, besides. Its body is handed on unpacked. */
const OF_A_PACKED_BODY = /^(?:content-encoding|alt-svc|strict-transport-security)$/;

/** Why the relay itself does not answer with what a site says. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The handler of a relay. A site's answer has the header `x-relay-response`; the relay's own refusals have none. */
export function relay(settings: RelaySettings): (request: Request) => Promise<Response> {
  const token = digest(settings.token);
  return async (request) => {
    let response: Response;
    try {
      response = await answer(request, settings, await token);
    } catch (error) {
      response = refused(error);
    }
    const origin = request.headers.get("origin");
    if (origin !== null && mayCall(origin, settings)) {
      response.headers.set("access-control-allow-origin", origin);
      response.headers.set("access-control-expose-headers", "x-relay-response");
    }
    response.headers.set("vary", "origin");
    response.headers.set("cache-control", "no-store");
    // What a site sends must not be shown as a page of the relay's own origin.
    response.headers.set("x-content-type-options", "nosniff");
    response.headers.set("content-security-policy", "sandbox; default-src 'none'");
    return response;
  };
}

/** What `wrangler.jsonc` and `wrangler secret put` set: lists are separated by commas or spaces. */
interface Bindings {
  readonly RELAY_TOKEN?: unknown;
  readonly ALLOWED_ORIGINS?: unknown;
  readonly INSIDE_ORIGINS?: unknown;
}

let handler: ((request: Request) => Promise<Response>) | undefined;

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    try {
      handler ??= relay(settingsOf(env));
    } catch (error) {
      return refused(error);
    }
    return handler(request);
  },
};

function settingsOf({ RELAY_TOKEN, ALLOWED_ORIGINS, INSIDE_ORIGINS }: Bindings): RelaySettings {
  const token = typeof RELAY_TOKEN === "string" ? RELAY_TOKEN.trim() : "";
  if (token.length < SHORTEST_TOKEN) {
    throw new Refusal(500, "configuration", `RELAY_TOKEN has less than ${SHORTEST_TOKEN} characters`, "set a long random one with npx wrangler secret put RELAY_TOKEN");
  }
  return { token, origins: listOf(ALLOWED_ORIGINS), inside: listOf(INSIDE_ORIGINS) };
}

function listOf(text: unknown): string[] {
  return typeof text === "string" ? text.split(/[\s,]+/).filter((one) => one !== "") : [];
}

async function answer(request: Request, settings: RelaySettings, token: Uint8Array): Promise<Response> {
  const { hosts } = settings;
  // Of the address itself, not of a header: where the two differ, the address is what was connected to.
  if (hosts !== undefined && !hosts.includes(new URL(request.url).host)) {
    throw new Refusal(421, "host", `the relay is not called ${new URL(request.url).host}`, `call it by ${hosts.join(" or ")}`);
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !mayCall(origin, settings)) {
    throw new Refusal(403, "origin", `pages of ${origin} may not call the relay`, "name the page's origin in the relay's setting ALLOWED_ORIGINS");
  }
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (request.method !== "POST") throw new Refusal(405, "method", `${request.method} is not answered by the relay`, "it takes POST, and what to send in x-relay-request", { allow: "POST, OPTIONS" });
  if (!isSame(await digest(request.headers.get("x-relay-token") ?? ""), token)) {
    throw new Refusal(401, "token", "the relay was given no token, or another one", "write the relay's token where its address is set");
  }
  return send(requested(request.headers.get("x-relay-request")), request, settings);
}

/** A page's browser obeys it only where the response names its origin too. */
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "x-relay-token, x-relay-request, content-type",
  "access-control-allow-private-network": "true",
  "access-control-max-age": "7200",
};

function mayCall(origin: string, { origins }: RelaySettings): boolean {
  return origins.includes(origin) || origins.includes("*");
}

/** Reads what to send. */
function requested(text: string | null): Outgoing {
  const { url, method, headers } = parsed(text);
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw malformed("`url` is no http(s) address");
  if (typeof method !== "string" || !METHODS.includes(method)) throw malformed(`\`method\` is none of ${METHODS.join(", ")}`);
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) throw malformed("`headers` is no object");
  const { href, username, password } = new URL(url);
  if (username !== "" || password !== "") throw malformed("`url` holds a name or a password");
  try {
    const kept = [...new Headers(headers as Record<string, string>)].filter(([name]) => !OF_A_CONNECTION.test(name));
    return { url: href, method, headers: Object.fromEntries(kept) };
  } catch {
    // The reason would quote the value, which may be a key.
    throw malformed("`headers` has a name or a value that no header can have");
  }
}

function parsed(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // The refusal below says it.
  }
  throw malformed("it is no JSON object");
}

function malformed(what: string): Refusal {
  return new Refusal(400, "request", `the header x-relay-request cannot be read: ${what}`, 'write {"url": "https://…", "method": "GET", "headers": {}}');
}

async function send(outgoing: Outgoing, incoming: Request, settings: RelaySettings): Promise<Response> {
  const signal = AbortSignal.any([incoming.signal, AbortSignal.timeout(MAX_MS)]);
  const body = ["GET", "HEAD"].includes(outgoing.method) ? undefined : await bodyOf(incoming, signal);
  // A redirect is an answer: only the run knows where it may go.
  return relayed(await sent(outgoing, body, signal, settings), outgoing.url, signal);
}

/** Whether a relay sends to an origin: one of the public internet, or of its own network if its owner has named it. */
export function reaches(origin: string, inside: readonly string[] = []): boolean {
  return inside.includes(origin) || !isInsideHost(new URL(origin).hostname);
}

async function sent({ url, method, headers }: Outgoing, body: Uint8Array<ArrayBuffer> | undefined, signal: AbortSignal, { inside = [], send: outside }: RelaySettings): Promise<Response> {
  const origin = originOf(url);
  if (!reaches(origin, inside)) throw insideRefusal(`${origin} is the relay's own machine or in its own network`);
  const isNamed = inside.includes(origin);
  const init: RequestInit = { method, headers, signal, redirect: "manual", ...(body !== undefined && { body }) };
  try {
    // Awaited here, so that what fails is caught. Called as plain functions: `fetch` is refused as a method.
    return await (isNamed || outside === undefined ? fetch(url, init) : outside(url, init));
  } catch (error) {
    // What looks at addresses while it connects says so as an error that no repetition mends.
    throw (error as { retryable?: unknown }).retryable === false ? insideRefusal(reasonOf(error)) : failure(error, origin, signal);
  }
}

function failure(error: unknown, origin: string, signal: AbortSignal): Refusal {
  if (signal.aborted) return new Refusal(504, "timeout", `${origin} has not answered the relay within ${MAX_MS / 1000} seconds`, "try again later");
  return new Refusal(502, "unreachable", `the relay's connection to ${origin} failed: ${reasonOf(error)}`, "look whether the address is right and the site is up");
}

function insideRefusal(why: string): Refusal {
  return new Refusal(403, "inside", why, "the relay sends to the public internet, and to the origins of its own network that its owner has named: in INSIDE_ORIGINS, or in STEPWEAVE_RELAY_INSIDE for the one of `cargo xtask start`");
}

function relayed(response: Response, url: string, signal: AbortSignal): Response {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > MAX_BYTES) {
    response.body?.cancel().catch(() => {});
    throw tooLarge(url, String(length));
  }
  const headers = [...response.headers].filter(([name]) => !OF_A_CONNECTION.test(name) && !OF_A_PACKED_BODY.test(name));
  const said = ascii(JSON.stringify({ status: response.status, url, headers: Object.fromEntries(headers) }));
  return new Response(framed(response, url, signal), { headers: { "content-type": "application/octet-stream", "x-relay-response": said } });
}

/** In place of a length: what follows is why the relay broke off. */
const BROKEN = 0xffffffff;

/**
 * A body in pieces, each after its length in four bytes; a length of zero is the end. Workers end the body of a response
 * in the same way whether it is whole or was cut off, so that nothing but the bytes themselves can tell.
 */
function framed({ body }: Response, url: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  const encoder = new TextEncoder();
  let size = 0;
  const next = async (): Promise<[length: number, bytes: Uint8Array]> => {
    try {
      let piece = await reader?.read();
      // A piece of nothing would look like the end.
      while (piece?.done === false && piece.value.byteLength === 0) piece = await reader?.read();
      const bytes = piece?.value ?? new Uint8Array();
      size += bytes.byteLength;
      if (size > MAX_BYTES) throw tooLarge(url, `more than ${MAX_BYTES}`);
      return [bytes.byteLength, bytes];
    } catch (error) {
      const refusal = error instanceof Refusal ? error : failure(error, originOf(url), signal);
      reader?.cancel(refusal).catch(() => {});
      return [BROKEN, encoder.encode(JSON.stringify(told(refusal)))];
    }
  };
  return new ReadableStream({
    async pull(controller) {
      const [length, bytes] = await next();
      const head = new Uint8Array(4);
      new DataView(head.buffer).setUint32(0, length);
      controller.enqueue(head);
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      if (length === 0 || length === BROKEN) controller.close();
    },
    cancel: (reason) => reader?.cancel(reason),
  });
}

function tooLarge(url: string, length: string): Refusal {
  return new Refusal(502, "too_large", `${originOf(url)} answers with ${length} bytes, and the relay hands on at most ${MAX_BYTES}`, "ask the site for less, such as a page of a list");
}

/** The body of a call. It is counted while it arrives, and no longer waited for than the answer: what a caller announces is only a claim. */
async function bodyOf({ body }: Request, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return undefined;
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // What is cancelled has no more to read.
  const end = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  for (let read = await reader.read(); !read.done && !signal.aborted; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > MAX_BYTES) {
      end();
      throw new Refusal(413, "too_large", `the relay takes bodies of at most ${MAX_BYTES} bytes`, "send less at once");
    }
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
  }
  if (signal.aborted) throw new Refusal(408, "timeout", `the body has not arrived at the relay within ${MAX_MS / 1000} seconds`, "try again later");
  signal.removeEventListener("abort", end);
  return size === 0 ? undefined : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function refused(error: unknown): Response {
  if (error instanceof Refusal) {
    return Response.json({ error: told(error) }, { status: error.status, headers: error.headers });
  }
  console.error(error);
  return Response.json({ error: { code: "internal", message: "the relay failed", hint: "its own log says why" } }, { status: 500 });
}

function told({ code, message, hint }: Refusal): object {
  return { code, message, hint };
}

/** Headers hold no other characters. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** What an error says, with what lies behind it: `fetch` says no more than that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  return String(cause?.message || cause?.code || message || error);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Looks at every byte of both: how long that takes tells nothing about them. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? 0)), 0) === 0;
}
