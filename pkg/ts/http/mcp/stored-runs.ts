import type { JournalStore } from "../../api/journal.js";
import type { Run } from "../../api/run.js";
import { occupied, Refused } from "../problem.js";
import type { Waiting } from "../served-runs.js";
import { inspectionOf } from "../served-store.js";

/** The runs of a store that calls continue: each goes on once, however many calls ask for it. */
export class StoredRuns {
  readonly #going = new Map<string, Promise<Run>>();

  constructor(
    private readonly store: JournalStore,
    private readonly staleMs: number,
  ) {}

  /** The run of this id that goes on here, or else the one that `begin` makes of what the store has. */
  async continued(id: string, begin: (run: Waiting) => Promise<Run>): Promise<Run> {
    for (let going = this.#going.get(id); going !== undefined; going = this.#going.get(id)) {
      // What another call could not begin, this one tries by itself.
      const run = await going.catch(() => undefined);
      if (run !== undefined) return run;
    }
    const begun = this.#stored(id).then(begin);
    // Before anything is waited for: of two calls at the same moment one begins.
    this.#going.set(id, begun);
    const over = (): void => void this.#going.delete(id);
    begun.then((run) => run.result).then(over, over);
    return begun;
  }

  async #stored(id: string): Promise<Waiting> {
    const journal = await this.store.load(id);
    if (journal === undefined) throw new Refused(404, "not_found", "the run is not kept any more", { hint: "call the tool without what was kept of it" });
    const found = await inspectionOf(journal);
    // Another instance may be at work on it, or have ended.
    if (found.status === "running" && Date.now() - found.updatedAt < this.staleMs) throw occupied();
    return { ...found, journal };
  }
}
