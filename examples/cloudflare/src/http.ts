import { publicError, type ErrorCode } from "stepweave";

/** The longest body that is read. */
const MAX_BODY_BYTES = 256 * 1024;

/** An answer other than 200, thrown from wherever it becomes clear. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: { hint?: string; headers?: Record<string, string> } = {},
  ) {
    super(message);
  }
}

// What the caller can mend is a 4xx, what the endpoint of the model did is a 502 to 504. A busy or refusing endpoint is no
// 429 or 401: these would say that the caller calls too often, or has the wrong token.
const STATUS: Partial<Record<ErrorCode, number>> = {
  validation: 400,
  template: 422,
  limit: 422,
  budget: 422,
  model: 502,
  auth: 502,
  network: 502,
  rate_limit: 503,
  timeout: 504,
};

/** An error as an answer: `{ "error": { code, message, hint?, step? } }`. */
export function failure(error: unknown): Response {
  if (error instanceof HttpError) {
    const { code, message, status, details } = error;
    return Response.json({ error: { code, message, hint: details.hint } }, { status, headers: details.headers ?? {} });
  }
  // The whole of it is for `wrangler tail`.
  console.error(error);
  const shown = publicError(error);
  return Response.json({ error: shown }, { status: STATUS[shown.code] ?? 500 });
}

/** The state in the body of a request; an empty body leaves the workflow its own initial state. */
export async function stateFrom(request: Request): Promise<object> {
  const text = await bodyOf(request);
  let state: unknown;
  try {
    state = text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new HttpError(400, "not_json", `the body is not JSON: ${(error as Error).message}`, { hint: 'send a state: {"text": "…"}' });
  }
  if (typeof state === "object" && state !== null && !Array.isArray(state)) return state;
  throw new HttpError(400, "validation", "the body is no JSON object", { hint: 'send a state: {"text": "…"}' });
}

/** Refuses a request without the token, if there is one. */
export async function authorise(request: Request, token: string | undefined): Promise<void> {
  if (token === undefined) return;
  const given = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const [left, right] = await Promise.all([digest(given), digest(token)]);
  // All bytes of two digests: how long this takes tells nothing about the token.
  if (left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0) return;
  throw new HttpError(401, "unauthorized", "this workflow needs an access token", {
    hint: "send the header Authorization: Bearer <token>",
    headers: { "www-authenticate": "Bearer" },
  });
}

async function bodyOf(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // Counted while it arrives: the length that a caller announces is only a claim.
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new HttpError(413, "too_large", `the body is longer than ${MAX_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
