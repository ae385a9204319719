import { StepweaveError } from "../api/errors.js";
import type { ModelContext, ModelFunction, ModelRequest } from "../api/model-request.js";
import { afterTurn } from "../effects/clock.js";
import type { Body } from "../effects/network.js";
import { jsonText } from "../json/size.js";
import { failureOfModel, partsOf, PartReader } from "../models/parts.js";
import type { StepFunction } from "./functions.js";

/** How long a model that never waits may keep the thread, in milliseconds. */
const TURN_MS = 10;

/** The answer of a model that is a function, as the bytes of an endpoint: each response part is a server-sent event. */
export class ModelStream implements Body {
  readonly #parts: PartReader;
  readonly #abort: (reason: unknown) => void;
  readonly #encoder = new TextEncoder();
  #hasEnded = false;
  #turnBegan = Date.now();

  private constructor(parts: PartReader, abort: (reason: unknown) => void) {
    this.#parts = parts;
    this.#abort = abort;
  }

  /** Calls the function with the request, which is JSON text; throws a StepweaveError. `abort` aborts the signal of its context. */
  static async open(model: StepFunction, body: string, context: ModelContext, abort: (reason: unknown) => void): Promise<ModelStream> {
    const request = JSON.parse(body) as ModelRequest;
    try {
      // While the code was loaded, the run may have ended.
      context.signal.throwIfAborted();
      const answer = await (model as ModelFunction)(request, context);
      return new ModelStream(new PartReader(request.model, partsOf(answer, request.model)), abort);
    } catch (error) {
      throw failureOfModel(error, request.model);
    }
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#hasEnded) return undefined;
    if (Date.now() - this.#turnBegan > TURN_MS) {
      await new Promise<void>(afterTurn);
      this.#turnBegan = Date.now();
    }
    let part;
    try {
      part = await this.#parts.next();
    } catch (error) {
      this.close(error);
      throw error;
    }
    // After it there is nothing left to abort: a reader that closes the answer now has all of it.
    if (part === undefined || part.type === "finish") this.#hasEnded = true;
    return part && this.#encoder.encode(`data: ${jsonText(part)}\n\n`);
  }

  close(reason: unknown = new StepweaveError("cancelled", "nobody waits for this any more")): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#abort(reason);
    this.#parts.close();
  }
}
