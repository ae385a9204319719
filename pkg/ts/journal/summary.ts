import type { Journal, JournalEntry, RunStatus, RunSummary } from "../api/journal.js";
import type { Pending } from "../api/results.js";

/** Entries that a store has kept as the journal that they are. */
export function journalOf(id: string, entries: readonly JournalEntry[]): Journal {
  return { version: versionOf(entries), id, entries };
}

/** The version of a journal, which its first entry has since there are several; one that is not known is left to be refused. */
export function versionOf(entries: readonly JournalEntry[]): 1 | 2 {
  const { version = 1 } = Object(entries[0]?.ok) as { version?: 1 | 2 };
  return version;
}

/** What entries that are known to be some say of their run. */
export function standingOf(entries: readonly JournalEntry[]): RunSummary {
  const { workflow, owner } = (entries[0]?.ok ?? {}) as { workflow?: unknown; owner?: unknown };
  const last = entries.at(-1);
  const end = (last?.key === "end" ? last.ok : undefined) as { status?: unknown; wakeAt?: unknown } | null | undefined;
  const status = STATUSES.find((known) => known === end?.status) ?? "running";
  const kept = typeof end?.wakeAt === "number" ? end.wakeAt : undefined;
  // Earlier versions did not keep it with the end.
  const wakeAt = status === "running" || status === "suspended" ? (kept ?? new WakeTimes(entries).earliest) : undefined;
  return {
    status,
    documentName: typeof workflow === "string" ? workflow : "",
    updatedAt: last?.at ?? 0,
    ...(wakeAt !== undefined && { wakeAt }),
    ...(typeof owner === "string" && { owner }),
  };
}

/** What a run waits for whose journal ends with this entry. */
export function pendingIn(entry: Pick<JournalEntry, "key" | "ok"> | undefined): readonly Pending[] {
  return entry?.key === "end" ? ((Object(entry.ok) as { pending?: readonly Pending[] }).pending ?? []) : [];
}

/** In which ways a run can stand. */
export const STATUSES: readonly RunStatus[] = ["running", "suspended", "done", "error", "budget", "cancelled"];

/** The times up to which a run waits: the engine keeps when a wait is to end, or a person too late, and that this is over. */
export class WakeTimes {
  readonly #times = new Map<string, number>();

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) this.follow(entry);
  }

  /** The first of them. */
  get earliest(): number | undefined {
    let earliest: number | undefined;
    for (const time of this.#times.values()) if (earliest === undefined || time < earliest) earliest = time;
    return earliest;
  }

  /** Takes note of an entry. */
  follow({ key, ok }: Pick<JournalEntry, "key" | "ok">): void {
    if (key.endsWith("/deadline") && typeof ok === "number") this.#times.set(key.slice(0, -"/deadline".length), ok);
    else if (/\/(?:waited|answer)$/.test(key)) this.#times.delete(key.slice(0, key.lastIndexOf("/")));
  }
}
