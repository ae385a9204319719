import type { JournalStore, RunSummary } from "../api/journal.js";
import { batchOf, checkId, entriesOfText } from "./check.js";
import { conflict } from "./errors.js";
import { pageOf } from "./list.js";
import { journalOf } from "./summary.js";

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
  const journals = new Map<string, { readonly texts: readonly string[]; readonly count: number; readonly summary: RunSummary }>();
  return {
    async load(id) {
      checkId(id);
      const journal = journals.get(id);
      if (journal === undefined) return undefined;
      return journalOf(id, journal.texts.flatMap((text) => entriesOfText(text, `the journal \`${id}\``)));
    },
    async append(id, entries, expectedSeq, given) {
      const { text, length, summary } = batchOf(id, entries, expectedSeq, given);
      const { texts, count } = journals.get(id) ?? { texts: [], count: 0 };
      if (count !== expectedSeq) throw conflict(id, count, expectedSeq);
      if (length > 0) journals.set(id, { texts: [...texts, text], count: count + length, summary });
    },
    list: (filter) =>
      pageOf(filter, async function* (after) {
        for (const id of [...journals.keys()].sort()) {
          const journal = journals.get(id);
          if (journal !== undefined && (after === undefined || id > after)) yield { at: id, run: { id, ...journal.summary } };
        }
      }),
    async delete(id) {
      checkId(id);
      journals.delete(id);
    },
  };
}
