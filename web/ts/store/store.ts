// The workflow that is open in this tab, and its way to the database: each change at once, a snapshot now and then.
import { openDatabase, troubleOf, type Database, type Entry, type Trouble } from "./database.js";
import { takeOverFormer } from "./former.js";
import { Library, type Stored } from "./library.js";
import { Runs } from "./runs.js";
import { Texts } from "./texts.js";
import { idInAddress, offeredBefore, offeredInAddress, Trail } from "./trail.js";
import { editedNow, Turn } from "./turn.js";
import { Versions } from "./versions.js";

/** A workflow as it was found. Without a text there is none yet. */
export interface Opened {
  readonly id: string;
  readonly snapshot: string | undefined;
  readonly changes: readonly string[];
  /** Whether something is stored that the browser does not give back. */
  readonly damaged: boolean;
  /** Whether this tab edits it; otherwise it follows another one. */
  readonly editing: boolean;
  /** Why nothing is stored. */
  readonly trouble: Trouble | undefined;
  /** Why the workflow that the address names is not this one: it is deleted, or not known here. */
  readonly lost?: Absent | undefined;
  /** The address of a file of this site that the page is to open. */
  readonly offered?: string | undefined;
}

type Absent = "deleted" | "unknown";

/** What a tab learns while a workflow is open. */
type News = { readonly change: string } | { readonly opened: Opened } | "following" | "deleted" | "restored" | "freed" | "said" | "outdated" | { readonly address: string } | "closed" | { readonly trouble: Trouble };

/** Where workflows are stored. */
export class Store {
  readonly library: Library;
  readonly versions: Versions;
  readonly runs: Runs;
  readonly tests: Texts;
  readonly chats: Texts;
  readonly #database: Database | undefined;
  readonly #trail: Trail;
  /** Where Back, Forward or a link has led, until that is open. */
  readonly #ledTo = new Set<string>();
  #trouble: Trouble | undefined;
  #id = "";
  /** The number of the last change. */
  #last = 0;
  /** When it was made, if it was made here. */
  #changedAt: number | undefined;
  /** Why a change is missing among those that are stored; what came after it would be made on something else. */
  #missing: Trouble | undefined;
  #turn: Turn | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #news: News[] = [];
  #wake = (): void => {};

  private constructor(database: Database | Trouble, early: Trouble | undefined) {
    this.#database = typeof database === "string" ? undefined : database;
    this.#trouble = typeof database === "string" ? database : early;
    this.library = new Library(this.#database);
    this.versions = new Versions(this.#database);
    this.runs = new Runs(this.#database, (workflow) => workflow === this.#id && this.#announce("freed"));
    this.tests = new Texts(this.#database, "tests");
    this.chats = new Texts(this.#database, "chats", (workflow) => workflow === this.#id && this.#turn?.tellSaid());
    this.#trail = new Trail({ elsewhere: (id) => void this.#arrive(id), closed: () => this.#announce("closed") });
  }

  static async open(): Promise<Store> {
    let early: Trouble | undefined;
    let store: Store | undefined;
    const database = await openDatabase((trouble) => {
      early = trouble;
      if (store !== undefined) store.#fail(trouble);
    });
    // What cannot be taken over stays where it is, and is tried again at the next visit.
    if (typeof database !== "string") await takeOverFormer(database).catch(() => {});
    store = new Store(database, early);
    return store;
  }

  /** The workflow that the address names, else the one that was changed last. */
  async begin(): Promise<Opened> {
    const offered = offeredInAddress() ?? (offeredBefore() || undefined);
    this.#trail.offer(offered);
    const wanted = idInAddress();
    const entries = await this.library.list();
    const there = entries.filter((entry) => entry.deletedAt === undefined);
    const lost = wanted === undefined ? undefined : absenceOf(wanted, entries);
    if (wanted !== undefined && lost === undefined) return { ...(await this.enter(wanted)), offered };
    const edited = await editedNow();
    const entry = there.find(({ id }) => !edited.has(id)) ?? there[0];
    const opened = await this.enter(entry?.id ?? crypto.randomUUID());
    return { ...opened, lost, offered };
  }

  /**
   * Opens a workflow in this tab instead of the one before, which is open until the very turn in which this resolves:
   * what a person does meanwhile still belongs to it.
   */
  async enter(id: string): Promise<Opened> {
    const isLedTo = this.#ledTo.delete(id);
    if (id === this.#id) return this.#read();
    const isLeft = await this.library.has(this.#id);
    const opened = await this.#open(id);
    if (isLedTo) return opened;
    // Where the one before is gone, Back does not lead to it.
    if (isLeft) this.#trail.add(id);
    else this.#trail.replace(id);
    return opened;
  }

  /** A dialog is open, or a step's form where that takes the place of other views: Back closes it. */
  dialogOpened(): void {
    this.#trail.cover();
  }

  /** None is open. */
  dialogClosed(): void {
    this.#trail.uncover();
  }

  async #arrive(id: string): Promise<void> {
    if (await this.library.has(id)) {
      this.#ledTo.add(id);
      return this.#announce({ address: id });
    }
    this.#trail.replace(this.#id);
    this.#announce({ opened: { ...(await this.#read()), lost: absenceOf(id, await this.library.list()) } });
  }

  async #open(id: string): Promise<Opened> {
    const turn: Turn = await Turn.take(id, {
      changed: (text, last) => {
        if (turn === this.#turn) this.#follow(text, last);
      },
      turned: async (editing) => {
        if (turn !== this.#turn) return;
        if (editing) return void this.#announce({ opened: await this.#read() });
        this.#announce("following");
        await this.#writing;
      },
      deleted: () => {
        if (turn === this.#turn) this.#announce("deleted");
      },
      restored: () => {
        if (turn === this.#turn) this.#announce("restored");
      },
      said: () => {
        if (turn === this.#turn) this.#announce("said");
      },
    });
    const found = await this.#find(id);
    this.#turn?.leave();
    this.#turn = turn;
    this.#id = id;
    this.#changedAt = undefined;
    this.#missing = undefined;
    return this.#opened(found);
  }

  /** Edits the open workflow here; the tab that does so now follows. */
  async seize(): Promise<Opened> {
    await this.#turn?.seize();
    return this.#read();
  }

  /** A newer version of the page is there, and files of this one are gone. */
  outdated(): void {
    this.#announce("outdated");
  }

  /** The workflow that is open. */
  get id(): string {
    return this.#id;
  }

  /** What has happened since the last call: waits until something has. */
  async next(): Promise<News> {
    while (this.#news.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    return this.#news.shift() as News;
  }

  /** Stores a change; tells why it could not be stored. */
  append(text: string): Promise<Trouble | undefined> {
    const last = (this.#last += 1);
    this.#changedAt = Date.now();
    this.#turn?.announce(text, last);
    if (this.#missing !== undefined) return Promise.resolve(this.#missing);
    const storing = this.#write((database) => {
      const transaction = database.transaction("changes", "readwrite", { durability: "relaxed" });
      // Where two tabs edit without knowing of each other, the second of two changes is refused.
      const added = transaction.store.add(text, [this.#id, last]);
      transaction.commit();
      return Promise.all([added, transaction.done]);
    });
    return storing.then((trouble) => (this.#missing = trouble ?? this.#missing));
  }

  /** Stores all of the open workflow, instead of the changes that led to it. */
  snapshot(text: string, name: string, picture: string): Promise<Trouble | undefined> {
    const id = this.#id;
    const last = this.#last;
    const changedAt = this.#changedAt;
    const storing = this.#write(async (database) => {
      const transaction = database.transaction(["workflows", "snapshots", "changes"], "readwrite");
      const workflows = transaction.objectStore("workflows");
      void transaction.objectStore("snapshots").put({ workflow: id, last, text });
      void transaction.objectStore("changes").delete(IDBKeyRange.bound([id], [id, last]));
      const now = Date.now();
      const before = await workflows.get(id);
      void workflows.put({ createdAt: now, ...kept(before, changedAt), id, name, picture, changedAt: changedAt ?? before?.changedAt ?? now });
      await transaction.done;
    });
    return storing.then((trouble) => {
      if (trouble === undefined && id === this.#id) this.#missing = undefined;
      return trouble;
    });
  }

  /** What a list says of the open workflow. */
  describe(name: string, picture: string): Promise<Trouble | undefined> {
    const id = this.#id;
    // What is added to the list meanwhile was changed later.
    const changedAt = this.#changedAt ?? Date.now();
    return this.#write(async (database) => {
      // After every change that is on its way.
      const transaction = database.transaction(["workflows", "changes"], "readwrite", { durability: "relaxed" });
      const workflows = transaction.objectStore("workflows");
      const before = await workflows.get(id);
      if (before !== undefined) void workflows.put({ ...kept(before, changedAt), name, picture, changedAt });
      await transaction.done;
    });
  }

  /** Asks the browser not to throw away what is stored here when it needs room. */
  async persist(): Promise<boolean> {
    try {
      return (await navigator.storage.persisted()) || (await navigator.storage.persist());
    } catch {
      return false;
    }
  }

  /** A change of the tab that edits. After one that was missed, all is read again. */
  #follow(text: string, last: number): void {
    if (last <= this.#last) return;
    if (last === this.#last + 1) {
      this.#last = last;
      this.#announce({ change: text });
    } else {
      void this.#read().then((opened) => this.#announce({ opened }));
    }
  }

  async #read(): Promise<Opened> {
    return this.#opened(await this.#find(this.#id));
  }

  /** What is stored of a workflow; `damaged` when the browser does not give it back. */
  async #find(id: string): Promise<Stored | "damaged" | undefined> {
    try {
      return await this.library.read(id);
    } catch {
      return "damaged";
    }
  }

  #opened(found: Stored | "damaged" | undefined): Opened {
    const stored = found === "damaged" ? undefined : found;
    this.#last = stored?.last ?? 0;
    return {
      id: this.#id,
      snapshot: stored?.snapshot,
      changes: stored?.changes ?? [],
      damaged: found === "damaged",
      editing: this.#turn?.isEditing ?? true,
      trouble: this.#trouble,
    };
  }

  async #write(work: (database: Database) => Promise<unknown>): Promise<Trouble | undefined> {
    if (this.#database === undefined || this.#trouble === "newer") return this.#trouble ?? "refused";
    try {
      const writing = work(this.#database);
      this.#writing = Promise.allSettled([this.#writing, writing]);
      await writing;
      return undefined;
    } catch (error) {
      return this.#trouble ?? troubleOf(error);
    }
  }

  #fail(trouble: Trouble): void {
    this.#trouble = trouble;
    this.#announce({ trouble });
  }

  #announce(news: News): void {
    this.#news.push(news);
    this.#wake();
  }
}

/** Why there is no workflow of this id in the list; nothing where there is. */
function absenceOf(wanted: string, entries: readonly Entry[]): Absent | undefined {
  const found = entries.find(({ id }) => id === wanted);
  if (found === undefined) return "unknown";
  return found.deletedAt === undefined ? undefined : "deleted";
}

/** A workflow that another tab has deleted, and that was changed here since, is there again. */
function kept(entry: Entry, changedAt?: number): Entry;
function kept(entry: Entry | undefined, changedAt?: number): Entry | undefined;
function kept(entry: Entry | undefined, changedAt = 0): Entry | undefined {
  if (entry?.deletedAt === undefined || entry.deletedAt > changedAt) return entry;
  const { deletedAt: _, ...rest } = entry;
  return rest;
}
