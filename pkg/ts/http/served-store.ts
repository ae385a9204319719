import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { Journal, JournalStore } from "../api/journal.js";
import { isWrongCursor } from "../journal/cursor.js";
import { inspect, type Inspection } from "../journal/inspect.js";

/** A store as those read it who serve its runs: that it fails is no fault of who calls, and its words are for nobody but the server. */
export function servedStore(store: JournalStore): JournalStore {
  return {
    // Some stores say null for what they do not have.
    load: (id) => ofTheStore(async () => (await store.load(id)) ?? undefined),
    list: (filter) => ofTheStore(() => store.list(filter)),
    delete: (id) => ofTheStore(() => store.delete(id)),
    // What a run adds to its journal, its own error is about.
    append: (id, entries, expectedSeq, summary) => store.append(id, entries, expectedSeq, summary),
  };
}

/** What a journal says of its run. */
export function inspectionOf(journal: Journal): Promise<Inspection> {
  return ofTheStore(async () => (await inspect({ load: async () => journal }, journal.id)) as Inspection);
}

/** What comes of a store; what it rejects with, or has that nobody can read, is an error of the server's. */
export async function ofTheStore<Value>(read: () => PromiseLike<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    // That another was faster, or that a document names what the code has no longer, is said elsewhere; a cursor is the caller's.
    if (isWrongCursor(error) || (isStepweaveError(error) && error.code !== "validation")) throw error;
    throw new StepweaveError("handler", `the store has failed: ${textOf(error)}`, { cause: error, hint: (isStepweaveError(error) ? error.hint : undefined) ?? "see to the store" });
  }
}
