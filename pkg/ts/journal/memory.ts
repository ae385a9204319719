import { batchOf, entriesOfText } from "./check.js";
import { conflict } from "./errors.js";
import type { JournalStore } from "./types.js";

/**
 * Keeps journals as long as the program runs: for tests, and to resume a run in the page that began it.
 *
 * ```ts
 * const store = memoryStore();
 * await workflow.run({ journal: "draft", store });
 * ```
 */
export function memoryStore(): JournalStore {
  // As text, so that nobody who holds an entry can change what is kept.
  const journals = new Map<string, { texts: string[]; count: number }>();
  return {
    async load(id) {
      const journal = journals.get(id);
      if (journal === undefined) return undefined;
      return { version: 1, id, entries: journal.texts.flatMap((text) => entriesOfText(text, `the journal \`${id}\``)) };
    },
    async append(id, entries, expectedSeq) {
      const { text, length } = batchOf(id, entries, expectedSeq);
      const journal = journals.get(id) ?? { texts: [], count: 0 };
      if (journal.count !== expectedSeq) throw conflict(id, journal.count, expectedSeq);
      if (length === 0) return;
      journal.texts.push(text);
      journal.count += length;
      journals.set(id, journal);
    },
    async list() {
      return [...journals.keys()];
    },
    async delete(id) {
      journals.delete(id);
    },
  };
}
