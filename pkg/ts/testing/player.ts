import { StepweaveError } from "../api/errors.js";
import { canonical } from "../schema/json/canonical.js";
import { bytesOf } from "./bytes.js";
import { thrownFor } from "./failure.js";
import { withEqualMasks } from "./keys.js";
import { lined, nearest } from "./difference.js";
import type { Exchange, RecordedAnswer, RecordedEnd } from "./exchange.js";
import type { OutgoingRequest, RecordedRequest } from "./request.js";

/** How long something that was stopped when it was recorded waits to be stopped again, in milliseconds. */
const PATIENCE_MS = 1000;

/** Responds to requests from the recording, and never sends one. */
export class Player {
  readonly #name: string;
  readonly #exchanges: readonly Exchange[];
  readonly #unused: Set<Exchange>;

  constructor(exchanges: readonly Exchange[], name: string) {
    this.#name = name;
    this.#exchanges = exchanges;
    this.#unused = new Set(exchanges);
  }

  async fetch({ recorded, signal }: OutgoingRequest): Promise<Response> {
    signal.throwIfAborted();
    const { answer } = this.#take(recorded);
    return isEnd(answer) ? this.#failing(answer, recorded, signal) : this.#answering(answer, recorded);
  }

  /** Throws when a response was not used. */
  finish(): void {
    if (this.#unused.size === 0) return;
    const lines = [...this.#unused].map(({ request: { method, url } }) => `${method} ${url}`);
    throw new StepweaveError("validation", `${this.#name} has ${counted(lines.length)} that nobody asked for:${lined(lines)}`, {
      hint: "if the program asks less than it did, record the cassette again; else look for what is no longer asked",
    });
  }

  #take(sent: RecordedRequest): Exchange {
    const name = nameOf(sent);
    const exchange = this.#next(name);
    if (exchange === undefined) throw this.#unknown(sent, name);
    this.#unused.delete(exchange);
    return exchange;
  }

  #next(name: string): Exchange | undefined {
    for (const exchange of this.#unused) if (nameOf(exchange.request) === name) return exchange;
    return undefined;
  }

  #unknown(sent: RecordedRequest, name: string): StepweaveError {
    const { method, url } = sent;
    const same = this.#exchanges.filter(({ request }) => nameOf(request) === name).length;
    const hint = 'nothing was sent; if this is what should be asked now, record again with mode: "record"';
    if (same > 0) {
      return new StepweaveError("network", `${this.#name} has ${counted(same)} for this request, and it was asked once more: ${method} ${url}`, { hint });
    }
    const lines = nearest(this.#exchanges.map(({ request }) => request), sent);
    const compared = lines === undefined ? ": it is empty" : `; the nearest request that it has differs in${lined(lines)}`;
    return new StepweaveError("network", `${this.#name} has no answer for ${method} ${url}${compared}`, { hint });
  }

  #answering({ status, headers, pieces, end }: RecordedAnswer, sent: RecordedRequest): Response {
    if (pieces.length === 0 && end === undefined) return new Response(null, { status, headers });
    const left = [...pieces];
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const piece = left.shift();
          if (piece !== undefined) return controller.enqueue(bytesOf(piece) as Uint8Array<ArrayBuffer>);
          if (end === undefined) return controller.close();
          if (end !== "stopped") throw new TypeError(end.failed);
          await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
          if (!cancelled) throw this.#stopped(sent);
        },
        cancel: () => {
          cancelled = true;
        },
      },
      // Nothing is taken before it is read, as from a network that is slow.
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  }

  async #failing(end: RecordedEnd, sent: RecordedRequest, signal: AbortSignal): Promise<Response> {
    if (end !== "stopped") throw thrownFor(end, this.#next(nameOf(sent)));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    signal.throwIfAborted();
    throw this.#stopped(sent);
  }

  #stopped({ method, url }: RecordedRequest): StepweaveError {
    return new StepweaveError("network", `${this.#name} has only the beginning of the answer for ${method} ${url}: whoever recorded it stopped there`, {
      hint: "stop at the same place, or record the cassette again",
    });
  }
}

/** A string that two requests share exactly when they are equal. */
function nameOf({ method, url, json, body }: RecordedRequest): string {
  return withEqualMasks(canonical([method, url, json ?? null, body ?? null]));
}

function isEnd(answer: RecordedAnswer | RecordedEnd): answer is RecordedEnd {
  return answer === "stopped" || "failed" in answer;
}

function counted(count: number): string {
  return count === 1 ? "1 answer" : `${count} answers`;
}
