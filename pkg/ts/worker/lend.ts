import type { ModelContext, ModelFunction } from "../api/model-request.js";
import { RefusedError } from "../effects/refusal.js";
import { EMPTY } from "../json/copy.js";
import { failureOfModel, PartReader, partsOf } from "../models/parts.js";
import type { ToPage, ToWorker } from "./messages.js";

/** Calls a model of the page for the worker, and sends the worker the response parts. */
export async function lend(
  model: ModelFunction,
  { id, request, context }: Extract<ToPage, { stepweave: "ask" }>,
  signal: AbortSignal,
  session: Map<string, unknown>,
  say: (message: ToWorker) => void,
): Promise<void> {
  const here: ModelContext = {
    ...context,
    signal,
    // What is no data stays on its side: each has its own.
    dependencies: EMPTY,
    sessionState: { get: (key) => session.get(key), set: (key, value) => void session.set(key, value) },
    log: (message) => say({ stepweave: "log", id, message: String(message) }),
  };
  try {
    const answer = await model(request, here);
    const parts = new PartReader(request.model, partsOf(answer, request.model));
    signal.addEventListener("abort", () => parts.close());
    for (let part = await parts.next(); part !== undefined; part = await parts.next()) say({ stepweave: "part", id, part });
    say({ stepweave: "answered", id });
  } catch (error) {
    const failure = failureOfModel(error, request.model);
    say({ stepweave: "broke", id, error: failure.toJSON(), ...(failure instanceof RefusedError && { refused: failure.refused }) });
  }
}
