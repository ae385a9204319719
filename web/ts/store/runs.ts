// Runs that have not ended: their journals, entry by entry, so that a run which waits for a person or was cut off by a
// reload can be taken up again; and the events of each workflow's last runs that have ended. Neither holds keys.
import { digestsIn, forgetBytes, holdBytes } from "../files/bytes.js";
import { all, type Away, type Database, type KeptRun } from "./database.js";

/** How many runs of a workflow are kept that have not ended, and how many that have; the oldest one goes first. */
const MOST = 10;

/** How long, in characters, the events of a workflow's runs that have ended may be together: the page reads them all when it opens it. */
export const MOST_EVENTS = 4_000_000;

/** How much is kept of what a run says to a person, in characters. */
const MOST_SAID = 200;

/** Under which numbers the entries of a run are kept that has ended. */
const EVENTS = 0;
const SENT = 1;

/** A run as it was kept. */
export interface StoredRun {
  readonly run: string;
  /** When it was begun, or taken up last. */
  readonly at: number;
  /** Its number among the runs of its workflow, where it is known. */
  readonly number?: number;
  readonly document: string;
  /** The text of its journal's entries, as a JSON array; of a run that has ended, that of its events. */
  readonly entries: string;
  /** Whether it waits for a person. */
  readonly suspended: boolean;
}

/** A run that can be taken up again. */
export interface LeftRun {
  readonly run: string;
  /** When it was begun. */
  readonly at: number;
  /** Whether it waits for a person; otherwise it was cut off. */
  readonly suspended: boolean;
  /** The names of the steps that wait, where they are known. */
  readonly asks: readonly string[];
  /** When the first of what it asks is over without an answer, in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** The first words of what it was given, or else of what it asks; nothing where neither has any. */
  readonly about: string;
}

/** What is known of a run that begins. */
interface Known {
  /** By which name it is stored that is taken up again. */
  readonly again?: string | undefined;
  /** Its number among the runs of its workflow. */
  readonly number: number;
  /** When nothing of it went on before it is taken up. */
  readonly away?: Away | undefined;
}

/** What a run waits for: the names of the steps that ask, what the first of them says, and when the first is over. */
interface Asked {
  readonly asks: readonly string[];
  readonly said: string;
  readonly until?: number | undefined;
}

/** What is kept of a run that has ended, each as JSON text: its events, and what its steps saw that have sent something. */
export interface Ended {
  readonly events: string;
  readonly sent: string;
}

/** What a run is given to be kept by. */
export interface Keeping {
  readonly run: string;
  /** All times in which nothing of it went on. */
  readonly away: Promise<readonly Away[]>;
  /** Keeps what was added to its journal, from this index on. */
  entries(from: number, entries: readonly object[]): void;
  /** Leaves a time out in which a person was asked, also once it is taken up again. */
  leaveOut(away: Away): void;
  /** It has ended, and this is kept of it; or waits for a person, or is still `running` for all that is known of it. */
  end(status: string, kept?: Ended, asked?: Asked): void;
  /** Nothing more of it is kept: it can be taken up again as it is now. */
  cut(): void;
}

/** The runs of all workflows. */
export class Runs {
  readonly #database: Database | undefined;
  /** Learns of a workflow that a run of it is no longer held elsewhere. */
  readonly #freed: (workflow: string) => void;
  /** Runs that this tab runs, and those whose end elsewhere it awaits. */
  readonly #known = new Set<string>();

  constructor(database: Database | undefined, freed: (workflow: string) => void) {
    this.#database = database;
    this.#freed = freed;
  }

  /** Keeps a run that begins, or one that is taken up again, as long as this page is there; `files` are the digests that it is given. */
  keep(workflow: string, document: string, { again, number, away }: Known, files: readonly string[]): Keeping {
    const run = again ?? crypto.randomUUID();
    const at = Date.now();
    if (files.length > 0) void holdBytes();
    let letGo = (): void => {};
    let isCut = false;
    // What a tab runs no other one offers to take up.
    if ("locks" in navigator) {
      this.#known.add(run);
      const held = new Promise<void>((done) => (letGo = done)).finally(() => this.#known.delete(run));
      navigator.locks.request(lockOf(run), () => held).catch(() => {});
    }
    // Each transaction is on its way at once: the database keeps their order, and a page that goes away waits for nothing.
    if (again === undefined) {
      void this.#try(async (database) => {
        const transaction = database.transaction("runs", "readwrite");
        void transaction.store.put({ workflow, run, at, number, document, suspended: false, ...(files.length > 0 && { files }) });
        // What is not committed is lost, with all that comes behind it, if the page goes away.
        transaction.commit();
        await transaction.done;
        const open = (await database.getAll("runs", all(workflow))).filter(({ ended }) => ended !== true);
        await this.#remove(database, newest(open).slice(MOST));
      });
    } else {
      // It waits no longer. An answer may have files too.
      void this.#change([workflow, run], { suspended: false, ...(files.length > 0 && { files }) });
    }
    return {
      run,
      away: this.#leaveOut([workflow, run], away),
      cut: () => (isCut = true),
      leaveOut: (away) => void this.#leaveOut([workflow, run], away),
      entries: (from, entries) =>
        void this.#try(async (database) => {
          if (isCut) return;
          const transaction = database.transaction("entries", "readwrite", { durability: "relaxed" });
          for (const [index, entry] of entries.entries()) void transaction.store.put(JSON.stringify(entry), [run, from + index]);
          transaction.commit();
          await transaction.done;
        }),
      end: (status, kept, { asks, said, until } = { asks: [], said: "" }) => {
        const ending = this.#try(async (database) => {
          if (status === "running" || isCut) return;
          if (status === "suspended") return this.#change([workflow, run], { suspended: true, asks, said: said.slice(0, MOST_SAID), until });
          // Whoever gave it files expects them to be gone.
          const isKept = kept !== undefined && files.length === 0;
          return isKept ? this.#end(database, { workflow, run, at, number, document, suspended: false, ended: true, length: kept.events.length }, kept) : this.#remove(database, [{ workflow, run }]);
        });
        void ending.then(letGo);
      },
    };
  }

  /** The runs of a workflow that wait or were cut off, the newest first; none that a tab runs. */
  async waiting(workflow: string): Promise<readonly LeftRun[]> {
    const found: LeftRun[] = [];
    await this.#try(async (database) => {
      // One that begins or ends meanwhile is held before or after.
      const before = await heldLocks();
      const kept = newest(await database.getAll("runs", all(workflow)));
      const held = [...before, ...(await heldLocks())];
      for (const { run, at, suspended, asks = [], said = "", until, document, ended } of kept) {
        if (ended === true) continue;
        if (held.includes(lockOf(run))) {
          this.#await(workflow, run);
          continue;
        }
        const first = await database.get("entries", [run, 0]);
        if (first !== undefined) found.push({ run, at, suspended, asks, until, about: await about(first, document, said) });
        // A run without an entry has done nothing that would be lost.
        else await this.#remove(database, [{ workflow, run }]);
      }
    });
    return found;
  }

  /** A tab that runs one may go: the page before a reload may do so after this one has looked. */
  #await(workflow: string, run: string): void {
    if (this.#known.has(run)) return;
    this.#known.add(run);
    const free = navigator.locks.request(lockOf(run), () => {}).finally(() => this.#known.delete(run));
    free.then(() => this.#freed(workflow)).catch(() => {});
  }

  /** The highest number of a run of a workflow that is kept; 0 where none is. */
  async lastNumber(workflow: string): Promise<number> {
    let last = 0;
    await this.#try(async (database) => {
      const kept = await database.getAll("runs", all(workflow));
      // Those of an older page have none, and are counted.
      last = Math.max(kept.length, ...kept.map(({ number = 0 }) => number));
    });
    return last;
  }

  /** Whether a tab runs it. */
  async isGoingOn(run: string): Promise<boolean> {
    return (await heldLocks()).includes(lockOf(run));
  }

  /** The workflow of each run that waits for a person, and that no tab runs. */
  async waitedFor(): Promise<readonly string[]> {
    let found: readonly string[] = [];
    await this.#try(async (database) => {
      const held = await heldLocks();
      const waits = (await database.getAll("runs")).filter((one) => one.suspended && one.ended !== true && !held.includes(lockOf(one.run)));
      found = waits.map(({ workflow }) => workflow);
    });
    return found;
  }

  /** A run that waits or was cut off, with its journal; nothing once another tab runs it, or has ended or discarded it. */
  async left(workflow: string, run: string): Promise<StoredRun | undefined> {
    let found: StoredRun | undefined;
    await this.#try(async (database) => {
      const transaction = database.transaction(["runs", "entries"]);
      const kept = await transaction.objectStore("runs").get([workflow, run]);
      const entries = await transaction.objectStore("entries").getAll(all(run));
      if (kept === undefined || kept.ended === true || (await heldLocks()).includes(lockOf(run))) return;
      const { at, number, document, suspended } = kept;
      found = { run, at, ...(number !== undefined && { number }), document, suspended, entries: `[${entries.join(",")}]` };
    });
    return found;
  }

  /** The last runs of a workflow that have ended, the newest first. */
  async ended(workflow: string): Promise<readonly StoredRun[]> {
    let found: readonly StoredRun[] = [];
    await this.#try(async (database) => {
      const kept = lastEnded(await database.getAll("runs", all(workflow)));
      const texts = await Promise.all(kept.map(({ run }) => database.get("entries", [run, EVENTS])));
      found = kept.flatMap((run, index) => (texts[index] === undefined ? [] : [{ ...run, entries: texts[index] }]));
    });
    return found;
  }

  /** The state that an execution saw of a run that has ended, if that has sent something, as JSON text. */
  async saw(run: string, key: string): Promise<string | undefined> {
    let found: string | undefined;
    await this.#try(async (database) => {
      const kept = (JSON.parse((await database.get("entries", [run, SENT])) ?? "{}") as Readonly<Record<string, unknown>>)[key];
      if (typeof kept === "string") found = kept;
    });
    return found;
  }

  /** Forgets a run. */
  async forget(workflow: string, run: string): Promise<void> {
    await this.#try((database) => this.#remove(database, [{ workflow, run }]));
  }

  /** Forgets the bytes of files that no kept run was given and that no conversation speaks of. */
  async forgetFiles(): Promise<void> {
    const needed = async (database: Database): Promise<Set<string>> => {
      const [runs, chats] = await Promise.all([database.getAll("runs"), database.getAll("chats")]);
      return new Set([...runs.flatMap(({ files = [] }) => files), ...chats.flatMap(digestsIn)]);
    };
    await this.#try((database) => forgetBytes(() => needed(database)));
  }

  /** Keeps what a run that has ended emitted in the place of its journal, and forgets the runs for which there is no room then. */
  async #end(database: Database, ended: KeptRun, { events, sent }: Ended): Promise<void> {
    const { workflow, run } = ended;
    const transaction = database.transaction(["runs", "entries"], "readwrite");
    void transaction.objectStore("runs").put(ended);
    void transaction.objectStore("entries").delete(all(run));
    void transaction.objectStore("entries").put(events, [run, EVENTS]);
    void transaction.objectStore("entries").put(sent, [run, SENT]);
    transaction.commit();
    await transaction.done;
    const kept = await database.getAll("runs", all(workflow));
    const last = lastEnded(kept);
    await this.#remove(
      database,
      kept.filter((one) => one.ended === true && !last.includes(one)),
    );
  }

  /** Keeps one more time in which nothing of a run went on; gives all of them. */
  async #leaveOut(key: [workflow: string, run: string], away: Away | undefined): Promise<readonly Away[]> {
    if (away === undefined) return [];
    let all: readonly Away[] = [away];
    await this.#try(async (database) => {
      const transaction = database.transaction("runs", "readwrite");
      const kept = await transaction.store.get(key);
      // A run that is only looked at while it waits has had no time of its own since.
      all = [...(kept?.away ?? []).filter(({ from }) => from !== away.from), away];
      if (kept !== undefined) void transaction.store.put({ ...kept, away: all });
      await transaction.done;
    });
    return all;
  }

  /** Changes what is known of a run, unless that is no longer kept. */
  #change(key: [workflow: string, run: string], change: Partial<KeptRun>): Promise<void> {
    return this.#try(async (database) => {
      const transaction = database.transaction("runs", "readwrite");
      const kept = await transaction.store.get(key);
      if (kept !== undefined) void transaction.store.put({ ...kept, ...change });
      await transaction.done;
    });
  }

  /** Removes runs, all of them or none: of some that are gone without the others, a page that closes would leave a gap in the list. */
  async #remove(database: Database, runs: readonly Pick<KeptRun, "workflow" | "run">[]): Promise<void> {
    if (runs.length === 0) return;
    const transaction = database.transaction(["runs", "entries"], "readwrite");
    for (const { workflow, run } of runs) {
      void transaction.objectStore("runs").delete([workflow, run]);
      void transaction.objectStore("entries").delete(all(run));
    }
    transaction.commit();
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

/** What tells a run from others; nothing where the file that reads it does not come. */
async function about(first: string, document: string, said: string): Promise<string> {
  return import("./about.js").then(
    ({ about }) => about(first, document, said),
    () => "",
  );
}

/** The runs among them that have ended and are kept, the newest first: the first one always, and more as long as there is room. */
function lastEnded(runs: readonly KeptRun[]): readonly KeptRun[] {
  let length = 0;
  const ended = newest(runs.filter(({ ended }) => ended === true)).slice(0, MOST);
  // One that an older page has kept does not say how long it is.
  return ended.filter((run, index) => (length += run.length ?? MOST_EVENTS) <= MOST_EVENTS || index === 0);
}

function newest(runs: readonly KeptRun[]): readonly KeptRun[] {
  return [...runs].sort((a, b) => b.at - a.at);
}

/** What tabs hold; nothing where the browser has no locks. */
async function heldLocks(): Promise<readonly (string | undefined)[]> {
  if (!("locks" in navigator)) return [];
  return ((await navigator.locks.query()).held ?? []).map(({ name }) => name);
}

function lockOf(run: string): string {
  return `stepweave.run.${run}`;
}
