import type { StepweaveError } from "../api/errors.js";

/** How much of a message is read, and what is said of one that is larger. */
export interface Bound {
  /** Whether a message of so many bytes may be read; so many of a call's response just came. */
  fits(longest: number, came: number): boolean;
  tooLarge(): StepweaveError;
}

let mark: string | undefined;

/**
 * The key in the `_meta` of the result that stands for one that was cut off: no server can know it. It is drawn with the
 * first response, since a Worker draws nothing at random while its modules load.
 */
export function cutMark(): string {
  return (mark ??= `stepweave.cut.${crypto.randomUUID()}`);
}

/**
 * A response of which no message holds more bytes than the bound: neither a body as a whole nor one of its server-sent
 * events. It is counted while it comes, for the SDK reads bodies whole, and behind the bound nothing more is read.
 */
export function bounded(response: Response, request: RequestInit | undefined, bound: Bound): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isEvents = /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
  const meter = isEvents ? new EventMeter() : new BodyMeter();
  const reader = body.getReader();
  // A stream that belongs to no call is no part of a list, whose pages are counted together.
  const counts = idOf(request?.body) !== undefined;
  const counted = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (bound.fits(meter.longest(value), counts ? value.length : 0)) return controller.enqueue(value);
        const error = bound.tooLarge();
        await reader.cancel(error).catch(() => {});
        if (isEvents) endEvents(controller, request);
        else controller.error(error);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(counted, { status, statusText, headers });
}

/**
 * Ends a stream of events. The SDK requests a stream that broke off once more, and would get the same again: so the call
 * has a result that says what happened, and a stream that belongs to no call stays open without a word.
 */
function endEvents(controller: ReadableStreamDefaultController<Uint8Array>, request: RequestInit | undefined): void {
  const id = idOf(request?.body);
  if (id === undefined) {
    request?.signal?.addEventListener("abort", () => controller.error(request.signal?.reason), { once: true });
    return;
  }
  const result = { resultType: "complete", content: [], isError: true, _meta: { [cutMark()]: true } };
  // Blank lines end what was cut off: it is no JSON, and reported to nobody.
  controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`));
  controller.close();
}

/** The id of the call that a request carries. */
function idOf(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return (JSON.parse(body) as { id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}

/** Measures messages while they come: how long the longest is of those that have a part in these bytes. */
interface Meter {
  longest(bytes: Uint8Array): number;
}

class BodyMeter implements Meter {
  #length = 0;

  longest(bytes: Uint8Array): number {
    return (this.#length += bytes.length);
  }
}

const LINE_FEED = 10;
const RETURN = 13;

/** An event ends with a blank line; lines end with CR, LF, or both. */
class EventMeter implements Meter {
  #length = 0;
  #isLineEmpty = true;
  #isBehindReturn = false;

  longest(bytes: Uint8Array): number {
    let longest = this.#length;
    for (const byte of bytes) {
      const isSecondHalf = byte === LINE_FEED && this.#isBehindReturn;
      this.#isBehindReturn = byte === RETURN;
      if (isSecondHalf) continue;
      if (byte !== LINE_FEED && byte !== RETURN) {
        this.#isLineEmpty = false;
        this.#length += 1;
        if (this.#length > longest) longest = this.#length;
      } else if (this.#isLineEmpty) this.#length = 0;
      else this.#isLineEmpty = true;
    }
    return longest;
  }
}
