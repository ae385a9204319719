import { reasonOf, StepweaveError } from "../api/errors.js";
import { written } from "./bytes.js";
import { longestFirst } from "../effects/secret-forms.js";
import { kindOf, reading } from "../schema/options.js";
import { failureOf } from "./failure.js";
import type { Exchange, RecordedAnswer, RecordedEnd } from "./exchange.js";
import { keysGiven, starred, starredPieces } from "./keys.js";
import { withoutGiven, type OutgoingRequest, type RecordedRequest } from "./request.js";

/** Headers that say something about an answer to whoever reads it. All others may hold what is nobody's business. */
const KEPT_HEADER = /^(?:content-type|location|retry-after(?:-ms)?|x-should-retry|mcp-session-id|mcp-protocol-version)$|ratelimit|request-id$/;

/** What sends a request. */
export type Send = (url: string, init: RequestInit) => PromiseLike<Response>;

/** Sends requests, and keeps what is answered. */
export class Recorder {
  readonly #send: Send;
  /** In the order in which the requests were sent. */
  readonly #takes: Take[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  async fetch(request: OutgoingRequest): Promise<Response> {
    const take = new Take(request);
    this.#takes.push(take);
    let response: Response;
    try {
      response = await this.#send(request.url, request.init);
    } catch (error) {
      take.end = request.signal.aborted ? "stopped" : failureOf(error);
      throw error;
    }
    if (!reading("the answer of `fetch`", () => Object.prototype.toString.call(response) === "[object Response]")) {
      take.end = { failed: "it gave no Response" };
      throw new StepweaveError("validation", `the option \`fetch\` of cassette() gave ${kindOf(response)}, not a Response`, { hint: "pass (url, init) => Promise<Response>" });
    }
    // What a browser does not let anyone see cannot be kept either.
    if (response.type === "opaqueredirect" || response.type === "opaque" || response.type === "error") {
      take.end = { failed: `the answer was an ${response.type}` };
      return response;
    }
    return take.follow(response);
  }

  /** What was recorded; throws when something is still on its way. */
  exchanges(): readonly Exchange[] {
    const late = this.#takes.find((take) => !take.hasBegun);
    if (late !== undefined) {
      const { method, url } = late.request;
      throw new StepweaveError("validation", `the cassette cannot be saved yet: ${method} ${url} has no answer so far`, {
        hint: "wait for the result of the run first: await run.result",
      });
    }
    // What one request is sent with may be what another one was given.
    const given = this.#takes.flatMap((take) => take.given).sort(longestFirst);
    const keys = [...new Set([...given, ...this.#takes.flatMap((take) => take.keys)])].sort(longestFirst);
    return this.#takes.map((take) => take.exchange(given, keys));
  }
}

/** One exchange while it is recorded. */
class Take {
  readonly request: RecordedRequest;
  readonly keys: readonly string[];
  readonly #pieces: Uint8Array[] = [];
  #head: Pick<RecordedAnswer, "status" | "headers"> | undefined;
  end: RecordedEnd | "whole" | undefined;

  constructor({ recorded, keys }: OutgoingRequest) {
    this.request = recorded;
    this.keys = keys;
  }

  get hasBegun(): boolean {
    return this.#head !== undefined || this.end !== undefined;
  }

  /** The same answer, whose body is kept as it is read. */
  follow(response: Response): Response {
    const { status, statusText, headers, body } = response;
    const kept = [...headers].filter(([name]) => KEPT_HEADER.test(name));
    this.#head = { status, headers: Object.fromEntries(kept) };
    if (body === null) {
      this.end = "whole";
      return response;
    }
    const reader = body.getReader();
    const followed = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          // It was cancelled meanwhile.
          if (this.end !== undefined) return;
          if (done) {
            this.end = "whole";
            return controller.close();
          }
          // A copy: what reads it may pass it on for good.
          this.#pieces.push(value.slice());
          controller.enqueue(value);
        } catch (error) {
          this.end ??= { failed: reasonOf(error) };
          throw error;
        }
      },
      cancel: (reason) => {
        this.end = "stopped";
        return reader.cancel(reason);
      },
    });
    return new Response(followed, { status, statusText, headers });
  }

  /** The keys that the answer gives. */
  get given(): readonly string[] {
    return keysGiven(this.#pieces);
  }

  /** Without all keys that are known by now, those that answers have `given` and the others. */
  exchange(given: readonly string[], keys: readonly string[]): Exchange {
    const { end = "stopped" } = this;
    const request = withoutGiven(this.request, given);
    const ended = typeof end === "object" ? { ...end, failed: starred(end.failed, keys) } : end;
    if (this.#head === undefined) return { request, answer: ended === "whole" ? "stopped" : ended };
    const headers = Object.fromEntries(Object.entries(this.#head.headers).map(([name, value]) => [name, starred(value, keys)]));
    const pieces = starredPieces(this.#pieces, keys).map(written);
    return { request, answer: { ...this.#head, headers, pieces, ...(ended !== "whole" && { end: ended }) } };
  }
}
