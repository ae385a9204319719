import type { StepweaveErrorData } from "../api/errors.js";
import type { Pending } from "../api/results.js";
import type { JournalEntry, JournalStore, ListedRun } from "../api/journal.js";
import { type AnsweredStep, stepsOf } from "./answered.js";
import { checkFunctions, checkId, journalFrom } from "./check.js";
import { standingOf } from "./summary.js";

/** What a journal says of its run. */
export interface Inspection extends ListedRun {
  /** The version of the journal. */
  readonly version: 1 | 2;
  readonly startedAt: number;
  /** The state with which it began. */
  readonly state: any;
  /** The approvals that it waits for while it is suspended; the keys are those of the option `answers`. */
  readonly pending: readonly Pending[];
  /** What stopped it, where something did. */
  readonly error?: Pick<StepweaveErrorData, "code" | "message" | "hint" | "step">;
  /** Why it was cancelled, if somebody said so. */
  readonly reason?: string;
  /** In the order of their first entries. */
  readonly steps: readonly AnsweredStep[];
}

/**
 * What is known of a run in a store, without running it: neither its workflow nor the engine is needed. Nothing when
 * there is no such run.
 *
 * ```ts
 * const run = await inspect(memoryStore(), "order-17");
 * if (run?.status === "suspended") for (const { key, message } of run.pending) console.log(key, message);
 * ```
 */
export async function inspect(store: Pick<JournalStore, "load">, id: string): Promise<Inspection | undefined> {
  checkFunctions(store, ["load"], "inspect() needs a store of journals", 'use one of "stepweave/stores"');
  checkId(id);
  const loaded = (await store.load(id)) ?? undefined;
  if (loaded === undefined) return undefined;
  const { entries } = journalFrom(loaded);
  const [first, last] = [entries[0] as JournalEntry, entries.at(-1) as JournalEntry];
  const start = (first.ok ?? {}) as { version?: 2; state?: unknown };
  const end = (last.key === "end" ? last.ok : undefined) as Partial<Inspection> | null | undefined;
  const { pending = [], error, reason } = end ?? {};
  return {
    id,
    version: start.version ?? 1,
    ...standingOf(entries),
    startedAt: first.at,
    state: start.state,
    pending,
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { reason }),
    steps: stepsOf(entries),
  };
}
