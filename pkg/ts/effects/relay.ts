import { isStepweaveError, reasonOf, StepweaveError, type ErrorCode } from "../api/errors.js";
import type { Fetch, Relay } from "../api/run.js";
import { unframed } from "./unframed.js";

/** What a relay says is wrong. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** What says it for a relay that broke down, or for what stands before it: the relay may have sent the request. */
function brokenDown(status: number): Refusal {
  return { code: "internal", message: `status ${status}, without its own words`, hint: "look at the relay's log, and at what stands before it" };
}

/** What its refusals mean to a run. What is retryable may have reached the site all the same; the rest was not sent, or answered. */
const MEANINGS: Readonly<Record<string, readonly [code: ErrorCode, retryable: boolean]>> = {
  token: ["auth", false],
  origin: ["auth", false],
  request: ["validation", false],
  too_large: ["limit", false],
  unreachable: ["network", true],
  timeout: ["network", true],
  internal: ["network", true],
};

/** The longest refusal that is read. */
const MAX_REFUSAL = 16_384;

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/** Sends a request through a relay, and gives the site's answer as fetch would; throws what is the relay's own, or a StepweaveError. */
export async function sendThrough({ url: relay, token }: Relay, send: Fetch, url: string, init: RequestInit): Promise<Response> {
  const { method = "GET", headers, body = null, ...rest } = init;
  const request = ascii(JSON.stringify({ url, method, headers: Object.fromEntries(new Headers(headers)) }));
  const { origin } = new URL(relay);
  let response: Response;
  try {
    response = await send(relay, { ...rest, method: "POST", headers: { "x-relay-token": token, "x-relay-request": request }, body, redirect: "manual" });
  } catch (error) {
    // Who gave the request up is told that, and who replaces fetch says why in their own words.
    if (isStepweaveError(error) || init.signal?.aborted === true) throw error;
    throw new StepweaveError("network", `the relay at ${origin} could not be reached: ${reasonOf(error)}`, { cause: error, hint: "check the relay's address, that it is up, and that it lets this page call it", retryable: true });
  }
  const said = response.headers.get("x-relay-response");
  if (said === null) throw errorFor((await refusalIn(response)) ?? (response.status < 500 ? undefined : brokenDown(response.status)), origin);
  const { status, headers: own } = answerIn(said, origin);
  const bytes = response.body?.pipeThrough(unframed((refusal) => errorFor(refusalFrom(refusal), origin))) ?? null;
  if (!BODILESS.includes(status)) return new Response(bytes, { status, headers: own });
  bytes?.cancel().catch(() => {});
  return new Response(null, { status, headers: own });
}

function answerIn(said: string, origin: string): { status: number; headers: Headers } {
  try {
    const { status, headers } = JSON.parse(said) as { status: unknown; headers: unknown };
    if (typeof status === "number" && status >= 200 && status <= 599) return { status, headers: new Headers(Object.entries(headers as object).map(([name, value]) => [name, inBytes(String(value))])) };
  } catch {
    // The error below says it.
  }
  throw noRelay(origin, "gave an answer that no relay gives");
}

/** A value as fetch has it, a letter for each byte: Workers read headers as UTF-8, such as the name of a file in Chinese. */
function inBytes(value: string): string {
  return /[^\0-\xff]/.test(value) ? String.fromCharCode(...new TextEncoder().encode(value)) : value;
}

async function refusalIn(response: Response): Promise<Refusal | undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let piece = await reader?.read(); piece?.done === false && text.length < MAX_REFUSAL; piece = await reader?.read()) text += decoder.decode(piece.value, { stream: true });
    reader?.cancel().catch(() => {});
    return refusalFrom((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return undefined;
  }
}

function refusalFrom(data: unknown): Refusal | undefined {
  const { code, message, hint } = Object(data) as Record<string, unknown>;
  return typeof code === "string" && typeof message === "string" ? { code, message, hint: typeof hint === "string" ? hint : undefined } : undefined;
}

function errorFor(refusal: Refusal | undefined, origin: string): StepweaveError {
  if (refusal === undefined) return noRelay(origin, "refused without saying why");
  const [code, retryable] = Object.hasOwn(MEANINGS, refusal.code) ? MEANINGS[refusal.code]! : (["network", false] as const);
  return new StepweaveError(code, `the relay at ${origin} did not give the site's answer: ${refusal.message}`, { hint: refusal.hint, retryable });
}

function noRelay(origin: string, what: string): StepweaveError {
  return new StepweaveError("network", `the relay at ${origin} ${what}`, { hint: "check that the address leads to a relay, such as that of examples/relay", retryable: false });
}

/** Headers hold no other characters. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
