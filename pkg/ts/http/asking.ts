import type { JournalEntry, JournalStore, RunSummary } from "../api/journal.js";
import { isConflict } from "../journal/errors.js";
import { pendingIn, standingOf } from "../journal/summary.js";

/** What lists of a store show for a mark. */
const NAME = "stepweave-asking";
/** How long people may take to be asked before that is tried again: at first, and at most. */
const [FIRST_MS, MOST_MS] = [30_000, 3_600_000];

/**
 * A mark in the store that people have yet to be asked by `onSuspended`. It is kept before the run is said to wait, and deleted
 * once they were asked: where that failed, or its process ended, it is due like a run that waits for a time.
 */
export interface Mark {
  readonly id: string;
  readonly runId: string;
  /** The keys of the approvals. */
  readonly keys: readonly string[];
}

/** The name under which the marks of this workflow's runs are listed. */
export function markName(workflow: string): string {
  return `${NAME} ${workflow}`;
}

/** Whether this is the id of a mark. */
export function isMark(id: string): boolean {
  return id.startsWith(`${NAME}-`);
}

/** The same store, which keeps a mark with each stop of a run at approvals that nobody has been asked about. */
export function marking(store: JournalStore, workflow: string, asked: ReadonlySet<string>, marked: (mark: Mark) => void): JournalStore {
  return {
    ...store,
    append: async (runId, entries, expectedSeq, summary) => {
      const keys = pendingIn(entries.at(-1)).flatMap(({ key }) => (asked.has(key) ? [] : [key]));
      if (keys.length > 0) {
        const mark = { id: `${NAME}-${runId}-${expectedSeq + entries.length}`, runId, keys };
        const begun: JournalEntry = { key: "start", at: Date.now(), seq: 0, ok: { version: 2, workflow: markName(workflow), state: { runId, keys } } };
        // A process that ended in between may have kept it.
        await append(store, mark.id, [], [begun, due(FIRST_MS, 1)]).catch(unlessTaken);
        marked(mark);
      }
      await store.append(runId, entries, expectedSeq, summary);
    },
  };
}

/** The mark of this id, put off for longer each time; nothing where it is gone, or another process is faster. */
export async function claimed(store: JournalStore, id: string): Promise<Mark | undefined> {
  const entries = (await store.load(id))?.entries ?? [];
  const { runId, keys } = Object((entries[0]?.ok as { state?: unknown } | undefined)?.state) as Partial<Mark>;
  if (runId === undefined || keys === undefined) return undefined;
  const ms = Math.min(FIRST_MS * 2 ** (entries.length - 1), MOST_MS);
  const isOurs = await append(store, id, entries, [due(ms, entries.length)]).then(() => true, unlessTaken);
  return isOurs === true ? { id, runId, keys } : undefined;
}

function due(ms: number, seq: number): JournalEntry {
  const at = Date.now();
  return { key: "end", at, seq, ok: { status: "suspended", wakeAt: at + ms } };
}

async function append(store: JournalStore, id: string, before: readonly JournalEntry[], entries: readonly JournalEntry[]): Promise<void> {
  const summary: RunSummary = standingOf([...before, ...entries]);
  await store.append(id, entries, before.length, summary);
}

function unlessTaken(error: unknown): undefined {
  if (!isConflict(error)) throw error;
}
