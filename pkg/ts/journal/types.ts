import type { Json } from "../document.js";
import type { StepweaveErrorData } from "../errors.js";

/**
 * Something that a function told while it worked, besides what it returned. A replay tells it again.
 *
 * ```ts
 * const told: Told[] = [{ type: "log", message: "attempt 1: 200" }, { type: "set", key: "visits", value: 3 }];
 * ```
 */
export type Told =
  /** A line of `context.log`. */
  | { readonly type: "log"; readonly message: string }
  /** A value that was put into `context.sessionState`. */
  | { readonly type: "set"; readonly key: string; readonly value: Json }
  /** A piece of what a step yields while it works. */
  | { readonly type: "delta"; readonly value: Json }
  /** A piece of what a model thinks. */
  | { readonly type: "reasoning"; readonly text: string };

/**
 * One answer that a run got from the outside: what a function returned, a model said or a person decided. The first
 * entry of a journal, with the key `start`, says what was started; `end` says how the run ended, and more may follow
 * when it is resumed.
 *
 * ```ts
 * const entry: JournalEntry = { key: "s4#17/s6/1", at: 1767225600000, ok: { patch: { price: 12 } } };
 * ```
 */
export interface JournalEntry {
  /** What was asked, independent of timing: the path of iterations, the step and the attempt. */
  readonly key: string;
  /** A hash of what was asked. An answer to something else is not used again. */
  readonly asked?: string;
  /** When the answer came, in milliseconds since 1970. */
  readonly at: number;
  /** The answer. */
  readonly ok?: Json;
  /** The failure, in place of an answer. */
  readonly error?: StepweaveErrorData;
  /** What was told on the way. */
  readonly told?: readonly Told[];
}

/**
 * Everything a run got from the outside, as plain JSON: enough to resume it, or to run it again without asking anybody.
 *
 * ```ts
 * import { writeFile } from "node:fs/promises";
 *
 * const { journal } = await workflow.run({ journal: true });
 * await writeFile("run.json", JSON.stringify(journal));
 * ```
 */
export interface Journal {
  readonly version: 1;
  /** The run's id. */
  readonly id: string;
  readonly entries: readonly JournalEntry[];
}

/**
 * Where journals are kept. `stepweave/stores` and `stepweave/stores/node` have some; any object with these four
 * functions is one.
 *
 * ```ts
 * const store: JournalStore = fileStore("./journals");
 * await workflow.run({ journal: "order-17", store }); // starts it, or resumes it after a crash
 * for (const id of await store.list()) console.log(id, (await store.load(id))?.entries.length);
 * ```
 */
export interface JournalStore {
  /** The journal of this id, or nothing when none was begun. Rejects when it is damaged. */
  load(id: string): Promise<Journal | undefined>;
  /**
   * Adds entries behind the `expectedSeq` that are there already: all of them or none, and durably once it resolves.
   * Rejects with the code `conflict` when the journal holds another number of entries: somebody else has continued it.
   */
  append(id: string, entries: readonly JournalEntry[], expectedSeq: number): Promise<void>;
  /** The ids of the journals that are there, in no particular order. */
  list(): Promise<readonly string[]>;
  /** Forgets a journal. It is no error when there is none. */
  delete(id: string): Promise<void>;
}
