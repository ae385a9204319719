import { isStepweaveError, reasonOf, StepweaveError } from "../api/errors.js";
import type { Fetch } from "../api/run.js";
import { connected } from "./connected.js";
import { originOf } from "./origin.js";
import { pageOrigin } from "./page.js";
import { senderTo, type Reach } from "./reach.js";
import type { EngineRequest } from "./request.js";
import type { SecretTable } from "./secrets.js";
import { sentAgain } from "./sent-again.js";
import { Silence } from "./silence.js";
import { type Trace, traceHeaders } from "./trace.js";

/** What a run's requests are bound by. */
export interface NetworkOptions {
  readonly fetch: Fetch | undefined;
  readonly reach: Reach;
  readonly secrets: SecretTable;
  readonly trace: Trace | undefined;
}

/** The beginning of an answer, as the engine takes it. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly stream: number;
  /** What is known of a refusal that the endpoint does not say. */
  readonly hint?: string | undefined;
}

/** An answer's bytes, as they come. */
export interface Body {
  /** The next bytes, or undefined at the end; throws a StepweaveError. */
  read(): Promise<Uint8Array | undefined>;
  /** Gives the answer up; one that has ended does nothing. */
  close(reason?: unknown): void;
}

/** Only requests from pages carry this header: Anthropic answers them because of it. */
const PAGES_ONLY = "anthropic-dangerous-direct-browser-access";

/** A run's connections. Secrets are put in here, at the last moment, and go to their own origins only. */
export class Network {
  readonly #fetch: Fetch | undefined;
  readonly #reach: Reach;
  readonly #secrets: SecretTable;
  readonly #trace: Trace | undefined;
  readonly #streams = new Map<number, Body>();
  #last = 0;

  constructor({ fetch, reach, secrets, trace }: NetworkOptions) {
    this.#fetch = fetch;
    this.#reach = reach;
    this.#secrets = secrets;
    this.#trace = trace;
  }

  /** Sends a request, which the controller gives up, also while its answer is being read; throws a StepweaveError. */
  async fetch(request: EngineRequest, controller: AbortController): Promise<Reply> {
    const { signal } = controller;
    const headers: Record<string, string> = { ...request.headers, ...traceHeaders(this.#trace, originOf(request.url)) };
    if (pageOrigin() === undefined) delete headers[PAGES_ONLY];
    const key = this.#authorize(headers, request);
    const found = senderTo(request.url, this.#reach, this.#fetch);
    const send = typeof found === "function" ? found : await found;
    // Whoever gave the call up meanwhile wants nothing to be sent.
    signal.throwIfAborted();
    const origin = originOf(request.url) ?? request.url;
    // A redirect is never followed: a key, and what a state holds, must not reach an address that nobody named.
    const init: RequestInit = { method: request.method, headers, body: request.body, signal, redirect: "manual" };
    let silence = new Silence(request.waits, origin, controller);
    const answer = (): PromiseLike<Response> => silence.broken(sentAgain(async () => connected(await send(request.url, init))));
    let response: Response;
    try {
      response = await answer();
      if (response?.status === 401 && (await this.#isRenewed(request, key))) {
        response.body?.cancel().catch(() => {});
        signal.throwIfAborted();
        this.#authorize(headers, request);
        silence = new Silence(request.waits, origin, controller);
        response = await answer();
      }
    } catch (error) {
      throw await this.#unreachable(error, request, signal);
    }
    refuseRedirect(checked(response), origin);
    const hint = response.status === 403 ? await hintWhenForbidden(request) : undefined;
    const body = new ResponseBody(response, controller, silence, origin, this.#secrets);
    return { status: response.status, headers: Object.fromEntries(response.headers), stream: this.#keep(body), hint };
  }

  /** Puts the key in, and gives it. */
  #authorize(headers: Record<string, string>, { auth, url }: EngineRequest): string | undefined {
    if (auth === undefined) return undefined;
    const value = this.#secrets.valueFor(auth.secret, url);
    headers[auth.header] = auth.prefix + value;
    return value;
  }

  /** Whether there is another key than the one that was refused. */
  async #isRenewed({ auth }: EngineRequest, refused: string | undefined): Promise<boolean> {
    if (auth === undefined || refused === undefined || this.#secrets.renewal(auth.secret) === undefined) return false;
    const { isRenewed } = await import("./renewal.js");
    return isRenewed(this.#secrets, auth.secret, refused);
  }

  /** Takes an answer that comes from elsewhere than an endpoint. */
  take(body: Body): Reply {
    return { status: 200, headers: {}, stream: this.#keep(body) };
  }

  /** The next bytes of an answer, or undefined at its end; throws a StepweaveError. */
  async read(stream: number): Promise<Uint8Array | undefined> {
    return this.#streams.get(stream)?.read();
  }

  /** Gives an answer up. */
  close(stream: number, reason?: unknown): void {
    const body = this.#streams.get(stream);
    this.#streams.delete(stream);
    body?.close(reason);
  }

  /** Gives every answer up. */
  closeAll(reason: unknown): void {
    for (const stream of [...this.#streams.keys()]) this.close(stream, reason);
  }

  #keep(body: Body): number {
    this.#last += 1;
    this.#streams.set(this.#last, body);
    return this.#last;
  }

  async #unreachable(error: unknown, request: EngineRequest, signal: AbortSignal): Promise<StepweaveError> {
    // A replacement for fetch that refuses an address says why in its own words.
    if (isStepweaveError(error)) return error;
    const origin = originOf(request.url) ?? request.url;
    const reason = this.#secrets.redact(reasonOf(error));
    return new StepweaveError("network", `${origin} could not be reached: ${reason}`, {
      cause: error,
      // Who gave the call up wants no advice.
      hint: signal.aborted ? undefined : await this.#hint(request, origin),
      retryable: true,
    });
  }

  async #hint(request: EngineRequest, origin: string): Promise<string> {
    const general = `check that the endpoint at ${origin} is up and that the address is right; a retryPolicy repeats what fails now and then`;
    const page = pageOrigin();
    try {
      const { hintForProgram, hintWhenUnreachable } = await import("./unreachable.js");
      if (page === undefined) return hintForProgram(request) ?? general;
      return await hintWhenUnreachable(request, page, this.#fetch ?? ((url, init) => globalThis.fetch(url, init)));
    } catch {
      // Without a network, what knows more could not be loaded either.
      return general;
    }
  }
}

async function hintWhenForbidden(request: EngineRequest): Promise<string | undefined> {
  const page = pageOrigin();
  if (page === undefined) return undefined;
  const unreachable = await import("./unreachable.js").catch(() => undefined);
  return unreachable?.hintWhenForbidden(request, page);
}

/** What an endpoint answers. */
class ResponseBody implements Body {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #controller: AbortController;
  readonly #silence: Silence;
  readonly #origin: string;
  readonly #secrets: SecretTable;
  #isOver = false;

  constructor(response: Response, controller: AbortController, silence: Silence, origin: string, secrets: SecretTable) {
    this.#reader = response.body?.getReader();
    this.#controller = controller;
    this.#silence = silence;
    this.#origin = origin;
    this.#secrets = secrets;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined;
    try {
      const { done, value } = await this.#silence.broken(this.#reader.read());
      this.#isOver = done;
      if (done) return undefined;
      this.#silence.hear();
      if (value instanceof Uint8Array) return value;
      throw new TypeError("the body gives something else than bytes");
    } catch (error) {
      if (isStepweaveError(error)) throw error;
      throw new StepweaveError("network", `the answer of ${this.#origin} broke off: ${this.#secrets.redact(reasonOf(error))}`, {
        cause: error,
        hint: "try again; if it happens often, look into the endpoint's log",
        retryable: true,
      });
    }
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // A body that failed before reports it again here; it has been reported.
    this.#reader?.cancel().catch(() => {});
    // If only the body is cancelled, Firefox lets the endpoint continue its answer, which may cost money.
    this.#controller.abort();
  }
}

/** A replacement for fetch may give anything. */
function checked(response: Response | undefined): Response {
  const body = response?.body;
  const isWhole = typeof response?.status === "number" && typeof response.headers?.get === "function";
  if (response !== undefined && isWhole && (body == null || typeof body.getReader === "function")) return response;
  throw new StepweaveError("network", "the option `fetch` gave something else than a Response", {
    hint: "return what globalThis.fetch returns, or new Response(body, { status })",
  });
}

function refuseRedirect(response: Response, origin: string): void {
  const redirects = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400 && response.status !== 304);
  if (!redirects) return;
  response.body?.cancel().catch(() => {});
  const target = response.headers.get("location");
  throw new StepweaveError("network", `${origin} answered with a redirect${target === null ? "" : ` to ${target}`}, which is not followed`, {
    hint: "write the address it leads to as the model's baseUrl",
  });
}
