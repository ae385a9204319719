import { isStepweaveError, StepweaveError } from "../api/errors.js";
import { privately } from "./page.js";
import { senderTo } from "./reach.js";
import type { Bounds, Credential } from "./sending.js";
import { Silence } from "./silence.js";
import { checkKeyGoesThrough, viaRelay } from "./through.js";

type Client = Extract<Credential, { readonly tokenUrl: string }>;

/** A token as a request is sent with it. */
export interface Token {
  readonly value: string;
  /** Has the next request fetch another one. Whether that may help: it was there before the request, and may have been taken back meanwhile. */
  refused(): boolean;
}

interface GivenToken {
  readonly value: string;
  readonly until: number;
}

/** Tokens last for a while. They are kept for the run whose secret bought them. */
const tokens = new WeakMap<object, Map<string, SharedToken>>();

/** A token for all requests of a run that need the same one: it is on its way or there. */
class SharedToken {
  readonly #controller = new AbortController();
  readonly #token: Promise<GivenToken>;
  #waiting = 0;
  /** For ever while it is on its way. */
  #until = Number.POSITIVE_INFINITY;

  constructor(fetch: (controller: AbortController) => Promise<GivenToken>) {
    this.#token = fetch(this.#controller);
    this.#token.then(
      ({ until }) => void (this.#until = until),
      () => void (this.#until = 0),
    );
  }

  /** Whether a request can still be sent with it. One that failed, or that everybody gave up, is fetched again. */
  get isUsable(): boolean {
    return this.#until > Date.now() && !this.#controller.signal.aborted;
  }

  get isThere(): boolean {
    return this.#until < Number.POSITIVE_INFINITY;
  }

  /** Its value. Who gives up waits no longer, and the last one to do so gives up the token. */
  async value(signal: AbortSignal): Promise<string> {
    this.#waiting += 1;
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => {
        if (this.#waiting === 1) this.#controller.abort(signal.reason);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", giveUp);
    });
    try {
      return (await Promise.race([this.#token, givenUp])).value;
    } finally {
      this.#waiting -= 1;
      signal.removeEventListener("abort", giveUp);
    }
  }
}

/** A token is not used in its last seconds. */
const MARGIN_MS = 30_000;

/** The longest answer with a token that is read, and how long all of it may take. */
const MAX_BYTES = 65_536;
const LONGEST_MS = 60_000;

/** A token for the program's own credentials, fetched where they go; throws `auth`. */
export async function tokenFor(client: Client, url: URL, bounds: Bounds, signal: AbortSignal): Promise<Token> {
  const { tokenUrl, clientId, scope, secret } = client;
  // Where the secret may go, its tokens may go too, and nowhere else.
  bounds.secrets.valueFor(secret, url.href, "the request's url", [...new Set([url.origin, new URL(tokenUrl).origin])]);
  const known = tokens.get(bounds.secrets) ?? new Map<string, SharedToken>();
  tokens.set(bounds.secrets, known);
  const name = JSON.stringify([secret, tokenUrl, clientId, scope]);
  let token = known.get(name);
  const isKept = token?.isUsable === true && token.isThere;
  if (token?.isUsable !== true) known.set(name, (token = new SharedToken((own) => fetched(client, bounds, own))));
  const shared = token;
  const refused = (): boolean => {
    if (known.get(name) === shared) known.delete(name);
    return isKept;
  };
  return { value: await shared.value(signal), refused };
}

async function fetched({ tokenUrl, clientId, scope, secret }: Client, bounds: Bounds, controller: AbortController): Promise<GivenToken> {
  const value = bounds.secrets.valueFor(secret, tokenUrl, "auth.oauth2.tokenUrl");
  const straight = await senderTo(tokenUrl, bounds.reach, bounds.fetch);
  const relay = await bounds.relay();
  checkKeyGoesThrough(relay, secret, new URL(tokenUrl).origin);
  const send = viaRelay(relay, straight, bounds.fetch);
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: value, ...(scope !== undefined && { scope }) });
  const { origin } = new URL(tokenUrl);
  // It never hears of bytes, so that the time for the first one is the time for all of them.
  const silence = new Silence({ firstByteMs: LONGEST_MS }, origin, controller, "check `auth.oauth2.tokenUrl`, and that what answers there is up");
  let response: Response;
  let text: string | undefined;
  try {
    const init: RequestInit = {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
      redirect: "manual",
      signal: controller.signal,
      ...privately(),
    } as RequestInit;
    response = await silence.broken(send(tokenUrl, init));
    text = await textOf(response, silence);
  } catch (error) {
    if (isStepweaveError(error)) throw error;
    throw new StepweaveError("network", `${origin} gave no token: it could not be reached`, { cause: error, hint: "check `auth.oauth2.tokenUrl`", retryable: true });
  }
  if (text === undefined) {
    throw new StepweaveError("limit", `${origin} gave no token: its answer has more than ${MAX_BYTES} bytes`, { hint: "check `auth.oauth2.tokenUrl`: it leads to something else than tokens", retryable: false });
  }
  const { access_token: given, token_type: type = "bearer", expires_in: seconds, error, error_description: description } = read(text);
  if (response.status === 200 && String(type).toLowerCase() !== "bearer") {
    throw new StepweaveError("auth", `${origin} gave a token of another type than bearer, which is the one that can be sent`, { hint: "check `auth.oauth2`: ask the endpoint for bearer tokens", retryable: false });
  }
  if (response.status === 200 && typeof given === "string" && /^[\x21-\x7e]+$/.test(given)) {
    bounds.secrets.hide(given, `${secret}`);
    return { value: given, until: Date.now() + (typeof seconds === "number" ? seconds * 1000 : 300_000) - MARGIN_MS };
  }
  const why = bounds.secrets.redact([error, description].filter((one) => typeof one === "string").join(": ")).slice(0, 200);
  const message = `${origin} gave no token (status ${response.status})${why === "" ? "" : `: ${why}`}`;
  const retryAfterMs = waitOf(response.headers.get("retry-after"));
  if (response.status === 429 || (response.status === 503 && retryAfterMs !== undefined)) {
    throw new StepweaveError("rate_limit", message, { hint: "ask for fewer tokens; a retryPolicy waits as long as the endpoint says", retryable: true, retryAfterMs });
  }
  if (response.status >= 500) throw new StepweaveError("network", message, { hint: "try again, which a retryPolicy does by itself; or look at the endpoint's status page", retryable: true, retryAfterMs });
  throw new StepweaveError("auth", message, { hint: `check \`auth.oauth2\`, and that the secret ${secret} belongs to the client`, retryable: false });
}

/** The milliseconds of a `retry-after`: seconds, or a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) && wait <= Number.MAX_SAFE_INTEGER ? Math.max(0, Math.ceil(wait)) : undefined;
}

/** The text of a body; nothing where it is longer than an answer with a token is. */
async function textOf({ body }: Response, silence: Silence): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for (;;) {
    const piece = await (reader && silence.broken(reader.read()));
    if (piece === undefined || piece.done) return text + decoder.decode();
    length += piece.value.length;
    if (length > MAX_BYTES) {
      reader?.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(piece.value, { stream: true });
  }
}

function read(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
