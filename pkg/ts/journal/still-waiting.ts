import type { Journal, JournalEntry, JournalStore } from "../api/journal.js";
import type { SuspendedResult } from "../api/results.js";
import type { Run } from "../api/run.js";
import { standingOf } from "./summary.js";

/** Answers of people, by the keys of what they answer. */
type Answers = Readonly<Record<string, unknown>>;

/** A run over a journal that has its end: nothing is called. */
type Replayed = (journal: Journal) => Run;

/**
 * What a run still waits for that has failed because an answer did not fit. A journal keeps no such answer, so that the
 * replay of the run waits for another one. Nothing where it ended otherwise.
 */
export async function stillWaiting(journal: Journal, answers: Answers, replayed: Replayed): Promise<SuspendedResult | undefined> {
  const { entries } = journal;
  if (standingOf(entries).status !== "error") return undefined;
  const kept = new Set(entries.map(({ key }) => key));
  const unkept = new Set(Object.keys(answers).filter((key) => !kept.has(`${key}/answer`)));
  if (unkept.size === 0) return undefined;
  // What cannot be replayed failed for another reason.
  const result = await replayed(journal).result.catch(() => undefined);
  return result?.status === "suspended" && result.pending.some(({ key }) => unkept.has(key)) ? result : undefined;
}

/** The store for a run that is given answers: where one of them does not fit, its journal says that the run waits for another. */
export function keepingItWaiting(store: JournalStore, journal: Journal, answers: Answers, replayed: Replayed): JournalStore {
  const before = [...journal.entries];
  return {
    load: (id) => store.load(id),
    list: (filter) => store.list(filter),
    delete: (id) => store.delete(id),
    append: async (id, entries, expectedSeq, summary) => {
      const still = await stillWaiting({ ...journal, entries: [...before, ...entries] }, answers, replayed);
      const kept = still === undefined ? entries : [...entries.slice(0, -1), waitingEnd(entries.at(-1) as JournalEntry, still)];
      await store.append(id, kept, expectedSeq, still === undefined ? summary : { ...summary, ...standingOf([...before, ...kept]) });
      before.push(...kept);
    },
  };
}

/** The end of a run that waits, made of that of one that failed. */
function waitingEnd(end: JournalEntry, { pending, wakeAt }: SuspendedResult): JournalEntry {
  const { error: _, ...rest } = Object(end.ok) as Readonly<Record<string, unknown>>;
  const ok = { ...rest, status: "suspended", pending, ...(wakeAt !== undefined && { wakeAt }) };
  return { ...end, ok: ok as unknown as NonNullable<JournalEntry["ok"]> };
}
