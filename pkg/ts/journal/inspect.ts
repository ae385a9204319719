import type { StepweaveErrorData } from "../api/errors.js";
import type { Pending } from "../api/results.js";
import type { JournalEntry, JournalStore, ListedRun } from "../api/journal.js";
import type { Usage } from "../api/usage.js";
import { totalOf } from "../json/usage.js";
import { checkFunctions, checkId, journalFrom } from "./check.js";
import { askingModel, executionOf } from "./execution.js";
import { standingOf } from "./summary.js";

/** An execution of a step that has an answer. */
export interface AnsweredStep {
  /** The path of rounds and the step's id. */
  readonly key: string;
  /** How many of its requests were answered: a step may make several, and in several attempts. */
  readonly answers: number;
  /** When the last of them came, in milliseconds since 1970. */
  readonly answeredAt: number;
  /** That one, if it was a failure. */
  readonly error?: StepweaveErrorData;
  /** What its models counted. */
  readonly usage?: Usage;
}

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
  /** In the order of their first answers. */
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

function stepsOf(entries: readonly JournalEntry[]): AnsweredStep[] {
  const steps = new Map<string, AnsweredStep>();
  for (const { key, at, ok, error } of entries) {
    const execution = executionOf(key);
    if (execution === undefined) continue;
    const before = steps.get(execution);
    // A model's answer says what it used; what a function or a tool gave may look alike and is none.
    const used = askingModel(key) !== undefined ? (Object(ok) as { usage?: Usage }).usage : undefined;
    const usage = used === undefined ? before?.usage : totalOf([before?.usage, used]);
    steps.set(execution, { key: execution, answers: (before?.answers ?? 0) + 1, answeredAt: at, ...(error !== undefined && { error }), ...(usage !== undefined && { usage }) });
  }
  return [...steps.values()];
}
