// Runs that have not ended: their journals, entry by entry, so that a run which waits for a person or was cut off by a
// reload can be taken up again; and the events of each workflow's last run that has ended. Neither holds keys.
import { digestsIn, forgetBytes, holdBytes } from "../files/bytes.js";
import { all, type Database, type KeptRun } from "./database.js";

/** How many runs of a workflow are kept; the oldest one goes first. */
const MOST = 10;

/** A run as it was kept. */
export interface StoredRun {
  readonly run: string;
  /** When it was begun, or taken up last. */
  readonly at: number;
  readonly document: string;
  /** The text of its journal's entries, as a JSON array; of a run that has ended, that of its events. */
  readonly entries: string;
  /** Whether it waits for a person. */
  readonly suspended: boolean;
}

/** What a run is given to be kept by. */
export interface Keeping {
  readonly run: string;
  /** Keeps what was added to its journal, from this index on. */
  entries(from: number, entries: readonly object[]): void;
  /** It has ended, with these events; or waits for a person, or is still `running` for all that is known of it. */
  end(status: string, events?: string): void;
}

/** The runs of all workflows. */
export class Runs {
  readonly #database: Database | undefined;

  constructor(database: Database | undefined) {
    this.#database = database;
  }

  /** Keeps a run that begins, or one that is taken up again, as long as this page is there; `files` are the digests that it is given. */
  keep(workflow: string, document: string, again: string | undefined, files: readonly string[]): Keeping {
    const run = again ?? crypto.randomUUID();
    const at = Date.now();
    if (files.length > 0) void holdBytes();
    let letGo = (): void => {};
    // What a tab runs no other one offers to take up.
    if ("locks" in navigator) {
      const held = new Promise<void>((done) => (letGo = done));
      navigator.locks.request(lockOf(run), () => held).catch(() => {});
    }
    // Each transaction is on its way at once: the database keeps their order, and a page that goes away waits for nothing.
    if (again === undefined) {
      void this.#try(async (database) => {
        await database.put("runs", { workflow, run, at, document, suspended: false, ...(files.length > 0 && { files }) });
        const kept = await database.getAll("runs", all(workflow));
        const old = kept.sort((a, b) => b.at - a.at).slice(MOST);
        for (const { run } of old) await this.#remove(database, workflow, run);
      });
    } else if (files.length > 0) {
      // An answer may have files too.
      void this.#try(async (database) => {
        const transaction = database.transaction("runs", "readwrite");
        const kept = await transaction.store.get([workflow, run]);
        if (kept !== undefined) void transaction.store.put({ ...kept, files });
        await transaction.done;
      });
    }
    return {
      run,
      entries: (from, entries) =>
        void this.#try(async (database) => {
          const transaction = database.transaction("entries", "readwrite", { durability: "relaxed" });
          for (const [index, entry] of entries.entries()) void transaction.store.put(JSON.stringify(entry), [run, from + index]);
          transaction.commit();
          await transaction.done;
        }),
      end: (status, events) => {
        const ending = this.#try(async (database) => {
          if (status === "running") return;
          if (status !== "suspended") {
            // Whoever gave it files expects them to be gone.
            const isKept = events !== undefined && files.length === 0;
            return isKept ? this.#end(database, { workflow, run, at, document, suspended: false, ended: true }, events) : this.#remove(database, workflow, run);
          }
          const transaction = database.transaction("runs", "readwrite");
          const kept = await transaction.store.get([workflow, run]);
          if (kept !== undefined) void transaction.store.put({ ...kept, suspended: true });
          await transaction.done;
        });
        void ending.then(letGo);
      },
    };
  }

  /** The newest run of a workflow that waits or was cut off. */
  async waiting(workflow: string): Promise<StoredRun | undefined> {
    let found: StoredRun | undefined;
    await this.#try(async (database) => {
      const held = new Set(("locks" in navigator ? (await navigator.locks.query()).held : [])?.map(({ name }) => name));
      const kept = (await database.getAll("runs", all(workflow))).filter(({ ended, run }) => ended !== true && !held.has(lockOf(run)));
      const newest = kept.sort((a, b) => b.at - a.at)[0];
      if (newest === undefined) return;
      const { run, at, document, suspended } = newest;
      const entries = await database.getAll("entries", all(run));
      // A run without an entry has done nothing that would be lost.
      if (entries.length === 0) return this.#remove(database, workflow, run);
      found = { run, at, document, suspended, entries: `[${entries.join(",")}]` };
    });
    return found;
  }

  /** The last run of a workflow that has ended. */
  async ended(workflow: string): Promise<StoredRun | undefined> {
    let found: StoredRun | undefined;
    await this.#try(async (database) => {
      // A page that went away may not have forgotten the one before.
      const [last] = (await database.getAll("runs", all(workflow))).filter(({ ended }) => ended === true).sort((a, b) => b.at - a.at);
      if (last === undefined) return;
      const entries = await database.get("entries", [last.run, 0]);
      if (entries !== undefined) found = { ...last, entries };
    });
    return found;
  }

  /** Forgets a run. */
  async forget(workflow: string, run: string): Promise<void> {
    await this.#try((database) => this.#remove(database, workflow, run));
  }

  /** Forgets the bytes of files that no kept run was given and that no conversation speaks of. */
  async forgetFiles(): Promise<void> {
    const needed = async (database: Database): Promise<Set<string>> => {
      const [runs, chats] = await Promise.all([database.getAll("runs"), database.getAll("chats")]);
      return new Set([...runs.flatMap(({ files = [] }) => files), ...chats.flatMap(digestsIn)]);
    };
    await this.#try((database) => forgetBytes(() => needed(database)));
  }

  /** Keeps what a run that has ended emitted in the place of its journal, and then of the run before it nothing. */
  async #end(database: Database, ended: KeptRun, events: string): Promise<void> {
    const { workflow, run } = ended;
    const transaction = database.transaction(["runs", "entries"], "readwrite");
    void transaction.objectStore("runs").put(ended);
    void transaction.objectStore("entries").delete(all(run));
    void transaction.objectStore("entries").put(events, [run, 0]);
    transaction.commit();
    await transaction.done;
    const before = (await database.getAll("runs", all(workflow))).filter((kept) => kept.ended === true && kept.run !== run);
    for (const { run } of before) await this.#remove(database, workflow, run);
  }

  async #remove(database: Database, workflow: string, run: string): Promise<void> {
    const transaction = database.transaction(["runs", "entries"], "readwrite");
    void transaction.objectStore("runs").delete([workflow, run]);
    void transaction.objectStore("entries").delete(all(run));
    await transaction.done;
  }

  /** A run goes on when it cannot be kept: the banner says already that nothing is stored. */
  async #try(work: (database: Database) => Promise<void>): Promise<void> {
    if (this.#database === undefined) return;
    try {
      await work(this.#database);
    } catch {
      // See above.
    }
  }
}

function lockOf(run: string): string {
  return `stepweave.run.${run}`;
}
