import { newId } from "../effects/ids.js";
import type { ModelContext, ModelFunction, ModelPart, ModelRequest } from "../api/model-request.js";
import { RefusedError } from "../effects/refusal.js";
import type { ToPage, ToWorker } from "./messages.js";
import { errorFrom } from "./messages.js";

/** What the page says about the models that it lends. */
export type Lent = Extract<ToWorker, { stepweave: "part" | "answered" | "broke" | "log" }>;

/** The models of the page, as functions in the worker: each call is forwarded to the page and waits for the response parts. */
export class Borrowed {
  readonly #say: (message: ToPage) => void;
  readonly #calls = new Map<string, { readonly context: ModelContext; readonly answer: ReadableStreamDefaultController<ModelPart> }>();

  constructor(say: (message: ToPage) => void) {
    this.#say = say;
  }

  /** Functions for the models of these names, for one run. */
  functions(run: string, names: readonly string[]): Record<string, ModelFunction> {
    return Object.fromEntries(names.map((name) => [name, (request: ModelRequest, context: ModelContext) => this.#ask(run, name, request, context)]));
  }

  hear(message: Lent): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    switch (message.stepweave) {
      case "part":
        return call.answer.enqueue(message.part);
      case "log":
        return call.context.log(message.message);
      case "answered":
        this.#calls.delete(message.id);
        return call.answer.close();
      case "broke": {
        this.#calls.delete(message.id);
        const error = errorFrom(message.error);
        return call.answer.error(message.refused === undefined ? error : new RefusedError(message.refused, error.cause));
      }
    }
  }

  #ask(run: string, model: string, request: ModelRequest, context: ModelContext): ReadableStream<ModelPart> {
    const id = newId();
    const { runId, sessionId, userId, tenantId, metadata, step, attempt, idempotencyKey } = context;
    return new ReadableStream<ModelPart>({
      start: (answer) => {
        this.#calls.set(id, { context, answer });
        this.#say({ stepweave: "ask", id, run, model, request, context: { runId, sessionId, userId, tenantId, metadata, step, attempt, idempotencyKey } });
      },
      cancel: () => {
        if (this.#calls.delete(id)) this.#say({ stepweave: "leave", id });
      },
    });
  }
}
