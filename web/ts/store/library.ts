// All workflows that are stored in this browser.
import { forgetAllowed } from "./allowed-place.js";
import { all, type Database, type Entry } from "./database.js";
import { announceDeleted, announceRestored, editedNow } from "./turn.js";

/** How long a deleted workflow is kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** A workflow as it is stored. */
export interface Stored {
  readonly snapshot: string;
  readonly changes: readonly string[];
  /** The number of the last change. */
  readonly last: number;
}

/** The list of workflows, and what can be done with one that is not open. */
export class Library {
  readonly #database: Database | undefined;
  /** When the newest workflow was added here. */
  #latest = 0;

  constructor(database: Database | undefined) {
    this.#database = database;
  }

  /** Every workflow, the one that was changed last first. Those that were deleted long ago are removed for good. */
  async list(): Promise<readonly Entry[]> {
    const entries = (await this.#database?.getAll("workflows").catch(() => [])) ?? [];
    const gone = entries.filter(({ deletedAt }) => deletedAt !== undefined && Date.now() - deletedAt > KEPT_MS);
    // What cannot be removed today is removed another time.
    for (const { id } of gone) this.#remove(id).catch(() => {});
    return entries.filter((entry) => !gone.includes(entry)).sort((a, b) => b.changedAt - a.changedAt);
  }

  /** The name, or the name with the first number behind it, that no workflow in the list has. Those that are deleted have none. */
  async freeName(name: string): Promise<string> {
    const taken = new Set((await this.list()).filter(({ deletedAt }) => deletedAt === undefined).map((entry) => entry.name));
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`;
    return free;
  }

  /** Whether a workflow is in the list. */
  async has(id: string): Promise<boolean> {
    const entry = await this.#database?.get("workflows", id).catch(() => undefined);
    return entry !== undefined && entry.deletedAt === undefined;
  }

  /** What is stored of a workflow; nothing when nothing is. Rejects when the browser does not give it back. */
  async read(id: string): Promise<Stored | undefined> {
    const transaction = this.#database?.transaction(["workflows", "snapshots", "changes"]);
    if (transaction === undefined) return undefined;
    const changes = transaction.objectStore("changes");
    const [entry, snapshot, texts, keys] = await Promise.all([
      transaction.objectStore("workflows").get(id),
      transaction.objectStore("snapshots").get(id),
      changes.getAll(all(id)),
      changes.getAllKeys(all(id)),
    ]);
    if (snapshot !== undefined) return { snapshot: snapshot.text, changes: texts, last: keys.at(-1)?.[1] ?? snapshot.last };
    if (entry !== undefined) throw new Error(`nothing but the name of the workflow ${id} is there`);
    return undefined;
  }

  /** All that is stored of a workflow as a file has it, whether it can be read or not. */
  async text(id: string): Promise<string | undefined> {
    try {
      const transaction = this.#database?.transaction(["workflows", "snapshots", "changes"]);
      if (transaction === undefined) return undefined;
      const [entry, snapshot, changes] = await Promise.all([
        transaction.objectStore("workflows").get(id),
        transaction.objectStore("snapshots").get(id),
        transaction.objectStore("changes").getAll(all(id)),
      ]);
      return JSON.stringify({ entry, snapshot, changes }, undefined, 2);
    } catch {
      return undefined;
    }
  }

  /** Stores a new workflow; gives its id. */
  async add(name: string, text: string, picture: string): Promise<string | undefined> {
    const id = crypto.randomUUID();
    // What is added first is older, also within a millisecond.
    const now = Math.max(Date.now(), this.#latest + 1);
    this.#latest = now;
    try {
      const transaction = this.#begin(["workflows", "snapshots"]);
      void transaction.objectStore("workflows").put({ id, name, picture, createdAt: now, changedAt: now });
      void transaction.objectStore("snapshots").put({ workflow: id, last: 0, text });
      await transaction.done;
      return id;
    } catch {
      return undefined;
    }
  }

  /** Adds a change to a workflow that is not open, which gives it another name. */
  async rename(id: string, name: string, change: string): Promise<boolean> {
    try {
      // The tab that edits it numbers its changes itself.
      if ((await editedNow()).has(id)) return false;
      const transaction = this.#begin(["workflows", "snapshots", "changes"]);
      const changes = transaction.objectStore("changes");
      const keys = await changes.getAllKeys(all(id));
      const snapshot = await transaction.objectStore("snapshots").get(id);
      const entry = await transaction.objectStore("workflows").get(id);
      if (snapshot === undefined || entry === undefined) return false;
      void changes.add(change, [id, (keys.at(-1)?.[1] ?? snapshot.last) + 1]);
      void transaction.objectStore("workflows").put({ ...entry, name, changedAt: Date.now() });
      await transaction.done;
      return true;
    } catch {
      return false;
    }
  }

  /** Deletes a workflow; it can be restored for a while. */
  async delete(id: string): Promise<boolean> {
    const deleted = await this.#mark(id, { deletedAt: Date.now() });
    if (deleted) announceDeleted(id);
    return deleted;
  }

  /** Brings a deleted workflow back. */
  async restore(id: string): Promise<boolean> {
    const restored = await this.#mark(id, {});
    if (restored) announceRestored(id);
    return restored;
  }

  async #mark(id: string, mark: Pick<Entry, "deletedAt">): Promise<boolean> {
    try {
      const transaction = this.#begin(["workflows"]);
      const before = await transaction.objectStore("workflows").get(id);
      if (before === undefined) return false;
      const { deletedAt: _, ...entry } = before;
      void transaction.objectStore("workflows").put({ ...entry, ...mark });
      await transaction.done;
      return true;
    } catch {
      return false;
    }
  }

  async #remove(id: string): Promise<void> {
    const transaction = this.#begin(["workflows", "snapshots", "changes", "versions", "runs", "entries", "tests", "chats"]);
    const runs = await transaction.objectStore("runs").getAll(all(id));
    for (const { run } of runs) void transaction.objectStore("entries").delete(all(run));
    void transaction.objectStore("runs").delete(all(id));
    void transaction.objectStore("versions").delete(all(id));
    void transaction.objectStore("tests").delete(id);
    void transaction.objectStore("chats").delete(id);
    void transaction.objectStore("changes").delete(all(id));
    void transaction.objectStore("snapshots").delete(id);
    void transaction.objectStore("workflows").delete(id);
    await transaction.done;
    forgetAllowed(id);
  }

  #begin<Name extends "workflows" | "snapshots" | "changes" | "versions" | "runs" | "entries" | "tests" | "chats">(stores: Name[]) {
    if (this.#database === undefined) throw new Error("nothing is stored");
    return this.#database.transaction(stores, "readwrite");
  }
}
