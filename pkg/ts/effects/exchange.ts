import { isStepweaveError, reasonOf, StepweaveError } from "../api/errors.js";
import type { Fetch } from "../api/run.js";
import { decoded } from "./decoded.js";
import { connected } from "./connected.js";
import { Hold } from "./held.js";
import { originOf } from "./origin.js";
import { pageOrigin, privately } from "./page.js";
import { senderTo, type Reach } from "./reach.js";
import { locationOf, MAX_HOPS, redirected as followed, type Redirectable } from "./redirect.js";
import type { SecretTable } from "./secrets.js";
import type { Answer, Bounds, Credential, Sending } from "./sending.js";
import { Silence } from "./silence.js";
import { checkKeyGoesThrough, viaRelay } from "./through.js";
import { traceHeaders } from "./trace.js";
import { hintFor, isUnsent } from "./unsent.js";

/** Gives what a run keeps of an answer; throws a StepweaveError where that cannot be. */
export type Keep = (answer: Answer) => unknown;

/** One request to one address. */
interface Hop extends Redirectable {
  readonly auth: Credential | undefined;
}

const WAITS = { firstByteMs: 120_000, silenceMs: 60_000 };

/** An endpoint that sends a byte now and then keeps nobody for longer. */
const LONGEST_MS = 600_000;

/**
 * Asks whether a request of a document may leave, and fetches what it needs for that. What this gives sends it at once, reads
 * its answer, and gives what is kept of it. Both throw a StepweaveError; the controller gives up either.
 */
export async function prepared(sending: Sending, idempotencyKey: string | undefined, bounds: Bounds, controller: AbortController, keep: Keep): Promise<() => Promise<unknown>> {
  const form = sending.parts === undefined ? undefined : await (await import("./multipart.js")).multipart(sending.parts);
  const hop: Hop = {
    method: sending.method,
    url: addressOf(sending),
    headers: {
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...sending.headers,
      ...(form !== undefined && { "content-type": form.type }),
    },
    body: form?.bytes ?? sending.body,
    auth: sending.auth,
  };
  const hold = new Hold(bounds);
  const line = new Line(sending, hop, bounds, controller, keep, hold);
  const send = await line.prepared();
  return async () => {
    try {
      return await line.answer(await send(), 0);
    } finally {
      hold.release();
    }
  };
}

/** A request under way: from its checks to the last byte of its answer. */
class Line {
  readonly #sending: Sending;
  readonly #hop: Hop;
  readonly #bounds: Bounds;
  readonly #controller: AbortController;
  /** Since when it is under way: what is asked and fetched before it leaves takes nothing of its time. */
  #began = Date.now();
  readonly #silence: Silence;
  readonly #keep: Keep;
  readonly #hold: Hold;

  constructor(sending: Sending, hop: Hop, bounds: Bounds, controller: AbortController, keep: Keep, hold: Hold) {
    this.#sending = sending;
    this.#hop = hop;
    this.#bounds = bounds;
    this.#controller = controller;
    this.#keep = keep;
    this.#hold = hold;
    this.#silence = new Silence(WAITS, hop.url.origin, controller, "try again; or ask an endpoint that answers sooner");
  }

  /** Sends the request, once it may leave. */
  async prepared(): Promise<() => Promise<Response>> {
    const { fetch, trace } = this.#bounds;
    const { signal } = this.#controller;
    const { method, url, body, auth } = this.#hop;
    const straight = await senderTo(url.href, this.#reach(), fetch);
    // Who was asked whether it may be sent may have said through what as well.
    const relay = await this.#bounds.relay();
    const send = viaRelay(relay, straight, fetch);
    signal.throwIfAborted();
    if (auth !== undefined) checkKeyGoesThrough(relay, auth.secret, url.origin);
    const authorization = await this.#authorization();
    const init = { method, ...(body !== undefined && { body }), signal, redirect: "manual", ...privately() } as RequestInit;
    const traced = relay === undefined ? traceHeaders(trace, url.origin) : undefined;
    const sendAs = ({ address, headers }: Authorization): Promise<Response> => this.#send(send, address, { ...init, headers: { ...headers, ...traced } });
    return async () => {
      const response = await sendAs(authorization);
      if (response.status !== 401 || (await authorization.another?.()) !== true) return response;
      // Tokens can be taken back before their time. Whoever answers so has done nothing: it is sent once more, with a new one.
      response.body?.cancel().catch(() => {});
      return sendAs(await this.#authorization());
    };
  }

  async #authorization(): Promise<Authorization> {
    const { auth, url, headers } = this.#hop;
    return auth === undefined ? { address: url.href, headers } : authorized(this.#hop, auth, this.#bounds, this.#controller.signal);
  }

  async #send(send: Fetch, address: string, init: RequestInit): Promise<Response> {
    this.#controller.signal.throwIfAborted();
    this.#began = Date.now();
    this.#silence.begin();
    try {
      const response = await this.#silence.broken(sent(send, address, init));
      if (typeof response?.status === "number" && typeof response.headers?.get === "function") return response;
    } catch (error) {
      throw await this.#unanswered(error, this.#bounds.secrets);
    }
    throw this.#perhapsDone(new StepweaveError("network", "the option `fetch` gave something else than a Response", { hint: "return what globalThis.fetch returns, or new Response(body, { status })" }));
  }

  /** The answer, or what it leads to after so many redirects. */
  async answer(response: Response, hops: number): Promise<unknown> {
    const next = this.#redirected(response);
    if (next === undefined) return this.#whole(response, hops);
    response.body?.cancel().catch(() => {});
    const line = new Line(this.#sending, next, this.#bounds, this.#controller, this.#keep, this.#hold);
    try {
      if (hops === MAX_HOPS) throw wrongWay(this.#hop, `redirected more than ${MAX_HOPS} times`, "write the address it leads to");
      const send = await line.prepared();
      return await line.answer(await send(), hops + 1);
    } catch (error) {
      // Whoever redirects has taken the request: what becomes of the next one says nothing about it.
      throw this.#perhapsDone(error);
    }
  }

  /** The request that an answer asks for; nothing where it is no redirect. */
  #redirected(response: Response): Hop | undefined {
    try {
      return redirected(response, this.#hop, this.#bounds.secrets);
    } catch (error) {
      // Only these two say that the request has to be made where they lead; the others may come after it was carried out.
      throw [307, 308].includes(response.status) ? error : this.#perhapsDone(error);
    }
  }

  /** The answer, with its body. */
  async #whole(response: Response, hops: number): Promise<unknown> {
    const head = { status: response.status, headers: headersOf(response), ...(hops > 0 && { origin: this.#hop.url.origin }) };
    try {
      return this.#keep({ ...head, body: await this.#body(response, head.headers["content-type"]) });
    } catch (error) {
      // What refuses a request does so by its status, however much it says.
      if (this.#sending.once && response.status >= 400 && isStepweaveError(error) && error.code === "limit") return this.#keep({ ...head, body: null });
      throw this.#perhapsDone(isStepweaveError(error) ? error : this.#unreadable(error));
    }
  }

  #unreadable(error: unknown): StepweaveError {
    return new StepweaveError("validation", `the answer of ${this.#hop.url.origin} cannot be read: ${this.#bounds.secrets.redact(reasonOf(error))}`, { hint: 'take it as it is with response: "text"', retryable: false });
  }

  async #body(response: Response, contentType: string | undefined): Promise<unknown> {
    const { method, url } = this.#hop;
    const bytes = method === "HEAD" ? new Uint8Array() : await this.#bytes(response);
    return decoded(bytes, contentType, this.#sending.response, { status: response.status, origin: url.origin, secrets: this.#bounds.secrets });
  }

  /** Where it may go. Where that is anywhere, what data says is never what code or a secret has named, whoever wrote the rest. */
  #reach(): Reach {
    const { reach, secrets } = this.#bounds;
    const { origins } = this.#sending;
    const { url, auth } = this.#hop;
    if (origins === undefined) return { ...reach, own: new Set(), secrets: { goTo: () => false } };
    // A key that the request does not use says nothing about where it may go.
    const goesAlong: Reach["secrets"] = { goTo: (origin) => auth !== undefined && secrets.isBoundTo(auth.secret, origin) };
    if (origins.some((origin) => originOf(origin) === url.origin)) return { ...reach, secrets: goesAlong };
    throw new StepweaveError("network", `nothing was sent to ${url.origin}: the request may go to ${origins.join(", ") || "no origin"}`, {
      hint: `if that is right, add "${url.origin}" to its \`origins\``,
      retryable: false,
    });
  }

  async #bytes(response: Response): Promise<Uint8Array> {
    const { maxBytes } = this.#sending;
    const reader = response.body?.getReader();
    if (reader === undefined) return new Uint8Array();
    const chunks: Uint8Array[] = [];
    let length = 0;
    const giveUp = (): void => {
      reader.cancel().catch(() => {});
      this.#controller.abort();
    };
    const tooLarge = (): StepweaveError => {
      giveUp();
      return new StepweaveError("limit", `the answer of ${this.#hop.url.origin} has more than ${maxBytes} bytes`, {
        hint: "ask for less, or raise the request's maxBytes, which may be 33554432",
        retryable: false,
      });
    };
    // An answer that announces more is not waited for.
    if (Number(response.headers.get("content-length")) > maxBytes) throw tooLarge();
    for (;;) {
      const { done, value } = await this.#next(reader);
      if (done) break;
      length += value.length;
      if (length > maxBytes) throw tooLarge();
      try {
        this.#hold.take(value.length);
      } catch (error) {
        giveUp();
        throw error;
      }
      if (Date.now() - this.#began > LONGEST_MS) {
        giveUp();
        throw new StepweaveError("timeout", `the answer of ${this.#hop.url.origin} has not ended within ${LONGEST_MS / 60_000} minutes`, { hint: "ask for something that ends", retryable: false });
      }
      chunks.push(value);
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
    try {
      const read = await this.#silence.broken(reader.read());
      this.#silence.hear();
      if (!read.done && !(read.value instanceof Uint8Array)) throw new TypeError("the body gives something else than bytes");
      return read;
    } catch (error) {
      if (isStepweaveError(error)) throw this.#lost(error.message, error, error.hint);
      const why = `the answer of ${this.#hop.url.origin} broke off: ${this.#bounds.secrets.redact(reasonOf(error))}`;
      throw this.#lost(why, error, "try again; if it happens often, look into the endpoint's log");
    }
  }

  async #unanswered(error: unknown, secrets: SecretTable): Promise<StepweaveError> {
    const { origin } = this.#hop.url;
    // What a relay could not bring back may have been carried out all the same.
    if (isStepweaveError(error)) {
      if (error.code === "timeout" || error.retryable) return this.#lost(error.message, error, error.hint);
      return error.code === "limit" ? this.#perhapsDone(error) : error;
    }
    const why = `${origin} could not be reached: ${secrets.redact(reasonOf(error))}`;
    const hint = this.#controller.signal.aborted ? undefined : await hintFor(error, this.#hop.url, this.#bounds.fetch);
    if (isUnsent(error)) return new StepweaveError("network", why, { cause: error, hint, retryable: true });
    return this.#lost(why, error, hint, pageOrigin() === undefined || hint === undefined ? LOOK : lookOfPage(this.#hop, hint));
  }

  /** An answer that did not come. A request that must not be sent twice may have been carried out all the same. */
  #lost(why: string, cause: unknown, hint: string | undefined, look = LOOK): StepweaveError {
    const code = isStepweaveError(cause) ? cause.code : "network";
    const error = new StepweaveError(code, why, { cause: isStepweaveError(cause) ? cause.cause : cause, hint, retryable: true });
    return this.#sending.once ? this.#unknown(error, look) : error;
  }

  /** What is thrown where an answer came that cannot be used: what must not be sent twice may have been carried out. */
  #perhapsDone<E>(error: E): E | StepweaveError {
    if (!this.#sending.once || !isStepweaveError(error) || error.code === "unknown_outcome") return error;
    return this.#unknown(error, error.hint === undefined ? LOOK : `${LOOK}. For its answer: ${error.hint}`);
  }

  #unknown({ message, cause }: StepweaveError, hint: string): StepweaveError {
    const { origin, pathname } = addressOf(this.#sending);
    return new StepweaveError("unknown_outcome", `${message}; nobody knows whether ${this.#sending.method} ${origin}${pathname} was carried out`, { cause, hint, retryable: false });
  }
}

/** What to do where nobody knows whether a request was carried out. */
const LOOK = 'look at the endpoint whether it was; then run again from this step, or set its onUnknown to "retry" or "skip" and resume';

/** The same in a page, which is told nothing of why: what kept the answer from it may have kept the request back as well. */
function lookOfPage(hop: Hop, why: string): string {
  const asked = isAskedFirst(hop) ? ". If it is CORS, most likely nothing was sent: browsers ask first whether such a request may be" : "";
  return `${LOOK}. Why there is no answer: ${why}${asked}`;
}

/** What a page may send without the browser asking the server first. */
const PLAIN = { methods: ["GET", "HEAD", "POST"], headers: ["accept", "accept-language", "content-language", "content-type"], types: /^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i };

/** Whether a browser asks a server whether a page may send this, before it sends it. */
function isAskedFirst({ method, headers, auth }: Hop): boolean {
  const isPlain = PLAIN.methods.includes(method) && Object.keys(headers).every((name) => PLAIN.headers.includes(name)) && PLAIN.types.test(headers["content-type"] ?? "text/plain");
  return !isPlain || (auth !== undefined && !("query" in auth));
}

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !name.startsWith("set-cookie")));
}

/** The one place from which a request of a document leaves. */
async function sent(send: Fetch, address: string, init: RequestInit): Promise<Response> {
  return connected(await send(address, init));
}

/** A request's address and headers with what says who sends it. */
interface Authorization {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether there is another one than this, which was refused. */
  readonly another?: () => boolean | Promise<boolean>;
}

async function authorized(hop: Hop, auth: Credential, bounds: Bounds, signal: AbortSignal): Promise<Authorization> {
  const { url, headers } = hop;
  if ("tokenUrl" in auth) {
    const { tokenFor } = await import("./oauth.js");
    const token = await tokenFor(auth, url, bounds, signal);
    return { address: url.href, headers: { ...headers, authorization: `Bearer ${token.value}` }, another: () => token.refused() };
  }
  const { secrets } = bounds;
  const value = secrets.valueFor(auth.secret, url.href, "the request's url");
  const another = secrets.renewal(auth.secret) && (async () => (await import("./renewal.js")).isRenewed(secrets, auth.secret, value));
  return { ...signed(hop, auth, value), ...(another && { another }) };
}

/** The request as it is sent with a secret's value. */
function signed({ url, headers }: Hop, auth: Exclude<Credential, { readonly tokenUrl: string }>, value: string): Pick<Authorization, "address" | "headers"> {
  if ("header" in auth) return { address: url.href, headers: { ...headers, [auth.header]: auth.prefix + value } };
  if ("user" in auth) return { address: url.href, headers: { ...headers, authorization: `Basic ${basic(auth.user, value)}` } };
  // A link to the next page may hold what stood there in the one before.
  const others = url.search.slice(1).split("&").filter((parameter) => parameter !== "" && !new URLSearchParams(parameter).has(auth.query));
  const query = [...others, `${encodeURIComponent(auth.query)}=${encodeURIComponent(value)}`].join("&");
  return { address: `${url.origin}${url.pathname}?${query}`, headers };
}

function basic(user: string, password: string): string {
  if (user.includes(":")) throw new StepweaveError("validation", "the user of basic authentication has a colon in it, behind which the password begins", { hint: "check `auth.basic.user`" });
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
}

function addressOf({ url, base }: Sending): URL {
  let address: URL;
  try {
    address = new URL(url, base);
  } catch {
    throw noAddress("the request has no http(s) address");
  }
  if (originOf(address.href) === undefined) throw noAddress(`the request goes to ${address.protocol}, and not to an http(s) address`);
  if (address.username !== "" || address.password !== "") throw noAddress("the address of the request has a user in it");
  address.hash = "";
  return address;
}

function noAddress(message: string): StepweaveError {
  return new StepweaveError("validation", message, { hint: "look at what its `url` comes to: https://, a host and a path, without a user", retryable: false });
}

/** The request that a redirect asks for; nothing where the answer is none. */
function redirected(response: Response, hop: Hop, secrets: SecretTable): Hop | undefined {
  if (response.type === "opaqueredirect") throw wrongWay(hop, "answered with a redirect, whose address pages are not shown", "write the address it leads to; or let requests go through a relay, which tells where it leads");
  const location = locationOf(response);
  if (location === undefined) return undefined;
  const next = followed(hop, response.status, location);
  // A query may hold secrets, and so does what stands before the host.
  const shown = secrets.redact(location).replace(/[?#].*$/s, "").replace(/^([a-z][a-z\d+.-]*:)?\/\/.*@/is, "$1//").slice(0, 200);
  if (typeof next === "string") throw wrongWay(hop, `redirects to ${shown}, ${next}`, "write the address it leads to");
  return { ...next, auth: next.url.origin === hop.url.origin ? hop.auth : undefined };
}

function wrongWay({ url }: Hop, what: string, hint: string): StepweaveError {
  return new StepweaveError("network", `${url.origin} ${what}`, { hint, retryable: false });
}
