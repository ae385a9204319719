import { bytesOf, textIn, written, type WrittenBytes } from "./bytes.js";
import { reading } from "../schema/options.js";
import { cover, isForm, keysOf, masked, maskedForm, maskedJson, withoutKeys } from "./keys.js";

/** A request as a cassette keeps it: what it is known by, and no header, since those hold keys. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  /** The body, when it is JSON. */
  readonly json?: unknown;
  /** The body, when it is something else. */
  readonly body?: WrittenBytes;
}

/** A request that a program sends. */
export interface OutgoingRequest {
  readonly recorded: RecordedRequest;
  /** The keys that must not be kept. */
  readonly keys: readonly string[];
  readonly signal: AbortSignal;
  /** The arguments with which a `fetch` sends it. */
  readonly url: string;
  readonly init: RequestInit;
}

/** Reads the arguments of a `fetch`, whichever way they are given; `secrets` are those of the run that sends it. */
export async function outgoingOf(input: string | URL | Request, init: RequestInit | undefined, secrets: readonly string[]): Promise<OutgoingRequest> {
  const { request, given } = reading("the request to a cassette", () => ({ request: new Request(input, init), given: { ...init } }));
  const { method, url, headers, signal } = request;
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const { values, keys } = keysOf(url, headers, body && textIn(body), secrets);
  return {
    recorded: { method, url: masked(withoutKeys(url, values), keys), ...(body !== undefined && bodyOf(withoutBoundary(body, headers), keys, isForm(headers) ? maskedForm : String)) },
    keys,
    signal,
    url,
    // The headers as they were given, where they were: a browser takes some of them out of a request.
    init: { redirect: request.redirect, ...given, method, headers: given.headers ?? headers, signal, ...(body !== undefined && { body }) },
  };
}

/** A form with files without what separates its parts, which is another text each time that it is sent. */
function withoutBoundary(bytes: Uint8Array, headers: Headers): Uint8Array {
  const [, boundary] = /^multipart\/.*boundary="?([^";]+)/i.exec(headers.get("content-type") ?? "") ?? [];
  if (boundary === undefined) return bytes;
  const same = bytes.slice();
  cover(same, [boundary]);
  return same;
}

function bodyOf(bytes: Uint8Array, keys: readonly string[], withoutFields: (text: string) => string): Pick<RecordedRequest, "json" | "body"> {
  const text = textIn(bytes);
  if (text === undefined) {
    const shown = bytes.slice();
    cover(shown, keys);
    return { body: written(shown) };
  }
  const shown = masked(withoutFields(text), keys);
  try {
    return { json: maskedJson(JSON.parse(shown)) };
  } catch {
    return { body: shown };
  }
}

/** A request without keys that an endpoint has given: in a replay, the program has got stars. */
export function withoutGiven(request: RecordedRequest, given: readonly string[]): RecordedRequest {
  return given.length === 0 ? request : (JSON.parse(masked(JSON.stringify(request), given)) as RecordedRequest);
}

/** Whether this is a request as a cassette keeps it. */
export function isRecordedRequest(value: unknown): value is RecordedRequest {
  if (typeof value !== "object" || value === null) return false;
  const { method, url, body } = value as Partial<RecordedRequest>;
  return typeof method === "string" && typeof url === "string" && (body === undefined || bytesOf(body) !== undefined);
}
