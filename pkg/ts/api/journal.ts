import type { Json } from "./document.js";
import type { StepweaveErrorData } from "./errors.js";

/**
 * Something that a function emitted while it ran, besides its result. A replay emits it again.
 *
 * ```ts
 * const emitted: Told[] = [{ type: "log", message: "attempt 1: 200" }, { type: "set", key: "visits", value: 3 }];
 * ```
 */
export type Told = {
  /** When, in milliseconds since 1970. */
  readonly at?: number;
  /** Its number among all events and answers of the run. */
  readonly seq?: number;
  /** The execution that emitted it, where a run ended before that had an answer: its end has what was emitted. */
  readonly by?: string;
} & (
  /** A line of `context.log`. */
  | { readonly type: "log"; readonly message: string }
  /** A value that was put into `context.sessionState`. */
  | { readonly type: "set"; readonly key: string; readonly value: Json }
  /** A value that a generator yielded, or a chunk of an answer. */
  | { readonly type: "delta"; readonly value: Json }
  /** A chunk of a model's reasoning. */
  | { readonly type: "reasoning"; readonly text: string }
  /** What was emitted of an answer is dropped. */
  | { readonly type: "reset" }
);

/**
 * One answer that a run received from the outside: the result of a function, the answer of a model or a person. The first
 * entry of a journal, with the key `start`, describes the run's start; `end` its end, and more may follow
 * when it is resumed.
 *
 * ```ts
 * const entry: JournalEntry = { key: "s4#17/s6/1", at: 1767225600000, ok: { patch: { price: 12 } } };
 * ```
 */
export interface JournalEntry {
  /** The key of the request, independent of timing: the path of rounds, the step and the attempt. */
  readonly key: string;
  /** The fingerprint of the request, or several. An answer to a changed request is not used again. */
  readonly asked?: string;
  /** When the answer came, in milliseconds since 1970. */
  readonly at: number;
  /** Its number among all events and answers of the run. */
  readonly seq?: number;
  /** The answer. */
  readonly ok?: Json;
  /** The failure, instead of an answer. */
  readonly error?: StepweaveErrorData;
  /** What was emitted before the answer. */
  readonly told?: readonly Told[];
}

/**
 * Everything a run received from the outside, as plain JSON: enough to resume it, or to replay it without calling anything.
 *
 * ```ts
 * import { writeFile } from "node:fs/promises";
 *
 * const { journal } = await workflow.run({ journal: true });
 * await writeFile("run.json", JSON.stringify(journal));
 * ```
 */
export interface Journal {
  /** 2; 1 in journals that an earlier version of stepweave began, which are still read. */
  readonly version: 1 | 2;
  /** The run's id. */
  readonly id: string;
  readonly entries: readonly JournalEntry[];
}

/** The status of a run. `running` also means a run whose process ended before it did. */
export type RunStatus = "running" | "suspended" | "done" | "error" | "budget" | "cancelled";

/** A run as a store lists it without reading its journal. */
export interface RunSummary {
  readonly status: RunStatus;
  /** When a waiting run can continue, in milliseconds since 1970: the end of its earliest wait, or the expiry of an approval. */
  readonly wakeAt?: number;
  /** The owner: the option `owner` of the run when it was first started. */
  readonly owner?: string;
  /** The name of its workflow. */
  readonly documentName: string;
  /** When its last entry came, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** A run that a store lists. */
export interface ListedRun extends RunSummary {
  readonly id: string;
}

/** Filters runs: only those that match all given keys are listed. */
export interface RunFilter {
  readonly status?: RunStatus | undefined;
  readonly owner?: string | undefined;
  /** Only runs that wait for a time which is not later than this. */
  readonly wakeBefore?: number | undefined;
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** How many runs a page has at most; 100 when absent. */
  readonly limit?: number | undefined;
}

/** One page of a store's runs. */
export interface RunPage {
  readonly runs: readonly ListedRun[];
  /** Present when there are more: pass it to get them. */
  readonly cursor?: string;
}

/**
 * Where journals are kept. `stepweave/stores` and `stepweave/stores/node` have some; any object with these four
 * functions is one.
 *
 * ```ts
 * const store: JournalStore = fileStore("./journals");
 * await workflow.run({ journal: "order-17", store }); // starts it, or resumes it after a crash
 * for (const { id } of (await store.list({ status: "running", wakeBefore: Date.now() })).runs) await workflow.run({ journal: id, store });
 * ```
 */
export interface JournalStore {
  /** The journal of this id, or nothing when there is none. Rejects when it is damaged. */
  load(id: string): Promise<Journal | undefined>;
  /**
   * Appends entries after the `expectedSeq` existing ones: all of them or none, and durably once it resolves.
   * Rejects with the code `conflict` when the journal holds another number of entries: another process has continued it.
   * The summary is the status of the run with them; it replaces the one before.
   */
  append(id: string, entries: readonly JournalEntry[], expectedSeq: number, summary: RunSummary): Promise<void>;
  /** Runs by their summaries, without reading their journals. Each is in one page, in no particular order. */
  list(filter?: RunFilter): Promise<RunPage>;
  /** Deletes a journal. It is no error when there is none. */
  delete(id: string): Promise<void>;
}
