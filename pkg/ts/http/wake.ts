import { StepweaveError } from "../api/errors.js";
import type { JournalStore, ListedRun, RunFilter, RunStatus } from "../api/journal.js";
import { standingOf } from "../journal/summary.js";
import { optionsFrom, quoted } from "../schema/options.js";
import type { Settings } from "./options.js";
import { isTaken, isUnfit, ofRun, Refused } from "./problem.js";
import type { ServedRuns } from "./served-runs.js";

/** What `wake()` does. */
export interface WakeOptions {
  /** How many runs it resumes at most; 100 by default. */
  readonly limit?: number | undefined;
  /**
   * Also resumes runs whose process has ended: those that go on nowhere here, and whose last entry is older than so many
   * milliseconds. Choose more than your longest call takes, as another instance may be waiting for it. One that
   * waits for a time is left alone until a minute after that. By default none.
   */
  readonly staleMs?: number | undefined;
}

/** What `wake()` has done. */
export interface Woken {
  /** The runs that it resumed, and how they stand now. Those that another instance was faster to resume are not among them. */
  readonly runs: readonly { readonly runId: string; readonly status: RunStatus }[];
  /** How many journals it deleted, as `keepMs` says. */
  readonly deleted: number;
}

/** How many runs one call resumes where nothing else is said. */
export const AT_A_TIME = 100;
/** A process that is alive takes up its own waits: how late one has to be before another process does. */
const GRACE_MS = 60_000;
/** How many runs are resumed at once. */
const AT_ONCE = 10;
/** A run that what is deployed cannot continue is tried again after so long: it is to keep no other from being woken. */
const RETRY_MS = 3_600_000;
/** How many runs a page of a store has, and how many one look finds at most. */
const [PAGE, FOUND] = [1000, 100_000];
/** How many journals of a status are looked at in one go. */
const SWEPT = 1000;

/** Resumes what is due, and deletes what has expired, in the store of a handler. */
export class Waker {
  readonly #runs: ServedRuns;
  readonly #settings: Settings;
  /** Up to when runs are left alone that cannot be continued, by their ids. */
  readonly #unfit = new Map<string, number>();
  /** Runs that the last look has found and that were too many for one go. */
  #left: ListedRun[] = [];
  /** Where the last look at the journals of a status ended. */
  readonly #cursors = new Map<string, string | undefined>();

  constructor(runs: ServedRuns, settings: Settings) {
    this.#runs = runs;
    this.#settings = settings;
  }

  async wake(options: WakeOptions = {}): Promise<Woken> {
    const { limit = AT_A_TIME, staleMs } = optionsFrom(options, ["limit", "staleMs"], "wake()") as WakeOptions;
    if (!(Number.isInteger(limit) && limit > 0)) throw wrong("limit", limit);
    if (staleMs !== undefined && !(Number.isFinite(staleMs) && staleMs > 0)) throw wrong("staleMs", staleMs);
    const { store } = this.#settings;
    if (store === undefined) throw new StepweaveError("validation", "wake() needs a store, and this workflow is served without one", { hint: "give handler() a `store`: without one no run outlives its request" });
    // The store is looked through once for all that are due, however many go at a time.
    if (this.#left.length === 0) this.#left = await this.#due(store, staleMs);
    const due = this.#left.splice(0, limit);
    const runs: { runId: string; status: RunStatus }[] = [];
    const next = due.values();
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#resumeEach(next, runs)));
    return { runs, deleted: await this.#sweep(store) };
  }

  /** The runs whose time has come, the earliest first. */
  async #due(store: JournalStore, staleMs: number | undefined): Promise<ListedRun[]> {
    const now = Date.now();
    for (const [id, until] of this.#unfit) if (until <= now) this.#unfit.delete(id);
    const due = new Map<string, ListedRun>();
    const add = async (filter: RunFilter, isDue: (run: ListedRun) => boolean): Promise<void> => {
      for (let cursor: string | undefined; due.size < FOUND; ) {
        const page = await store.list({ ...filter, limit: PAGE, cursor });
        for (const run of page.runs) if ((this.#isOurs(run) || this.#runs.hasMark(run)) && !this.#unfit.has(run.id) && isDue(run)) due.set(run.id, run);
        cursor = page.cursor;
        if (cursor === undefined) return;
      }
    };
    // One look for both: what a store has no index for is read as a whole.
    await add({ wakeBefore: now }, ({ status, wakeAt = 0 }) => status === "suspended" || (status === "running" && wakeAt <= now - GRACE_MS));
    if (staleMs !== undefined) await add({ status: "running" }, ({ updatedAt, wakeAt = 0 }) => updatedAt < now - staleMs && wakeAt < now - GRACE_MS);
    return [...due.values()].sort((one, other) => (one.wakeAt ?? one.updatedAt) - (other.wakeAt ?? other.updatedAt));
  }

  /** Whether it is a run of this workflow, and nothing goes on in it here. */
  #isOurs(run: ListedRun): boolean {
    return this.#runs.owns(run) && !this.#runs.has(run.id);
  }

  async #resumeEach(due: Iterator<ListedRun>, runs: { runId: string; status: RunStatus }[]): Promise<void> {
    for (let next = due.next(); next.done !== true; next = due.next()) {
      const { id, updatedAt } = next.value;
      try {
        if (this.#runs.hasMark(next.value)) {
          await (await this.#runs.askAgain(id))?.ended;
          continue;
        }
        const run = await this.#runs.resume(id, updatedAt);
        if (run === undefined) continue;
        const result = await run.result;
        await this.#runs.over(run);
        // The store takes each answer once: who was slower stops there.
        // One that its store stopped stands as its journal says, and is due again.
        if (!isTaken(result)) runs.push({ runId: id, status: standingOf(result.journal?.entries ?? []).status });
      } catch (error) {
        // As many runs go on as may: the others are due next time.
        if (error instanceof Refused) return;
        if (isUnfit(error)) this.#unfit.set(id, Date.now() + RETRY_MS);
        await this.#settings.onError(ofRun(id, error), undefined);
      }
    }
  }

  async #sweep(store: JournalStore): Promise<number> {
    const now = Date.now();
    let deleted = 0;
    for (const [status, ms] of Object.entries(this.#settings.keepMs ?? {})) {
      if (ms === undefined) continue;
      let cursor = this.#cursors.get(status);
      for (let seen = 0; seen < SWEPT; ) {
        const page = await store.list({ status: status as RunStatus, cursor });
        for (const run of page.runs) {
          // A run whose time is still to come is no old one, however long it waits.
          if (!this.#isOurs(run) || run.updatedAt >= now - ms || (run.wakeAt ?? 0) > now) continue;
          await store.delete(run.id);
          deleted += 1;
        }
        seen += Math.max(page.runs.length, 1);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      this.#cursors.set(status, cursor);
    }
    return deleted;
  }
}

function wrong(name: string, value: unknown): StepweaveError {
  return new StepweaveError("validation", `the option \`${name}\` of wake() is ${quoted(value)}`, { hint: "write a number above 0" });
}
