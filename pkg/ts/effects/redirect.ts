import { originOf } from "./origin.js";

/** How many redirects are followed, one after the other. */
export const MAX_HOPS = 5;

/** A request as far as a redirect changes it. The names of its headers are in lower case. */
export interface Redirectable {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** What an origin may be sent that nobody has named: nothing that says who asks, or what is known of them. */
const HARMLESS = ["accept", "accept-language", "range", "user-agent"];

/** What says something about a body, and goes with it. */
const OF_A_BODY = /^content-|^idempotency-key$/;

/** Where a response leads; nothing where it is no redirect. */
export function locationOf({ status, headers }: Pick<Response, "status" | "headers">): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? (headers.get("location") ?? undefined) : undefined;
}

/**
 * The request that follows a redirect. Another origin gets no secret, no cookie and no body. Where the request would be
 * another one without its body there is a reason instead why it is not followed.
 */
export function redirected(request: Redirectable, status: number, location: string): Redirectable | string {
  const url = URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
  const origin = originOf(url?.href);
  if (url === undefined || origin === undefined) return "which is no http(s) address";
  if (url.username !== "" || url.password !== "") return "which holds a name or a password";
  url.hash = "";
  const isAsked = ["GET", "HEAD"].includes(request.method);
  // As browsers do it: a form that was sent is answered by a page to look at.
  const becomesGet = !isAsked && (status === 303 || (request.method === "POST" && status < 303));
  const isOther = origin !== request.url.origin;
  if (isOther && !isAsked && !becomesGet) return `which is another origin, and its ${request.method} goes to no other`;
  const headers = Object.entries(request.headers).filter(([name]) => !(becomesGet && OF_A_BODY.test(name)) && (!isOther || HARMLESS.includes(name)));
  return {
    url,
    method: becomesGet ? "GET" : request.method,
    headers: Object.fromEntries(headers),
    body: becomesGet || isOther ? undefined : request.body,
  };
}
