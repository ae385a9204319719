import { StepweaveError } from "../errors.js";
import { batchOf, entriesOfText } from "./check.js";
import { conflict, damaged, unusable } from "./errors.js";
import type { JournalStore } from "./types.js";

/** How many entries a journal has, by its id. */
const COUNTS = "journals";
/** The text of the entries that came in one append, by id and by the number of entries before them. */
const BATCHES = "batches";

/**
 * Keeps journals in the browser, shared by all tabs and workers of an origin. Each append is one transaction, so that
 * of two tabs that resume the same journal exactly one continues it.
 *
 * ```ts
 * const store = indexedDbStore({ name: "my-app-runs" });
 * await workflow.run({ journal: "draft", store }); // also after a reload
 * ```
 */
export function indexedDbStore(options: { /** The database; `stepweave` when absent. */ name?: string } = {}): JournalStore {
  const database = new Database(options.name ?? "stepweave");
  return {
    async load(id) {
      const batches = await database.transact<string[]>("readonly", (transaction, resolve) => {
        const answer = transaction.objectStore(BATCHES).getAll(batchesOf(id));
        answer.onsuccess = () => resolve(answer.result as string[]);
      });
      if (batches.length === 0) return undefined;
      const place = `the journal \`${id}\` in ${database.title}`;
      return { version: 1, id, entries: batches.flatMap((text) => entriesOfText(text, place)) };
    },
    async append(id, entries, expectedSeq) {
      const { text, length } = batchOf(id, entries, expectedSeq);
      await database.transact<void>("readwrite", (transaction, resolve, reject) => {
        const counts = transaction.objectStore(COUNTS);
        const answer = counts.get(id);
        answer.onsuccess = () => {
          const count = (answer.result as number | undefined) ?? 0;
          if (count !== expectedSeq) return reject(conflict(id, count, expectedSeq));
          resolve();
          if (length === 0) return;
          counts.put(count + length, id);
          transaction.objectStore(BATCHES).add(text, [id, count]);
        };
      });
    },
    list: () =>
      database.transact("readonly", (transaction, resolve) => {
        const answer = transaction.objectStore(COUNTS).getAllKeys();
        answer.onsuccess = () => resolve(answer.result as string[]);
      }),
    delete: (id) =>
      database.transact("readwrite", (transaction, resolve) => {
        transaction.objectStore(COUNTS).delete(id);
        transaction.objectStore(BATCHES).delete(batchesOf(id));
        resolve();
      }),
  };
}

/** A key that is a list comes after every key that is a number. */
function batchesOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}

type Work<T> = (transaction: IDBTransaction, resolve: (value: T) => void, reject: (error: StepweaveError) => void) => void;

/** The database: opened when it is first used, let go when somebody else wants to delete it, then opened again. */
class Database {
  readonly title: string;
  readonly #name: string;
  #open: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.#name = name;
    this.title = `the IndexedDB database \`${name}\``;
  }

  /** What the work resolved with, once the transaction is on the disk. */
  async transact<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T> {
    const transaction = await this.#begin(mode);
    return new Promise<T>((done, failed) => {
      let outcome: { value: T } | undefined;
      let refusal: StepweaveError | undefined;
      const resolve = (value: T) => {
        outcome = { value };
      };
      const reject = (error: StepweaveError) => {
        refusal = error;
        transaction.abort();
      };
      transaction.oncomplete = () => {
        if (outcome === undefined) failed(new StepweaveError("internal", `a transaction of ${this.title} ended without an answer`));
        else done(outcome.value);
      };
      transaction.onabort = () => failed(refusal ?? this.#failure(transaction.error));
      work(transaction, resolve, reject);
    });
  }

  async #begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const connection = await this.#connection();
    try {
      return connection.transaction([COUNTS, BATCHES], mode, { durability: "strict" });
    } catch (error) {
      if (nameOf(error) === "NotFoundError") {
        throw damaged(this.title, "belongs to something else: it has no place for journals", "choose another name: indexedDbStore({ name: \"my-journals\" })");
      }
      // It was closed since: the browser cleared its data, or another tab deleted it.
      if (nameOf(error) === "InvalidStateError" && this.#open === undefined) return this.#begin(mode);
      throw this.#failure(error);
    }
  }

  #connection(): Promise<IDBDatabase> {
    this.#open ??= this.#connect().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  #connect(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      let request: IDBOpenDBRequest;
      try {
        request = indexedDB.open(this.#name, 1);
      } catch (error) {
        return reject(this.#closedDoor(error));
      }
      request.onupgradeneeded = () => {
        request.result.createObjectStore(COUNTS);
        request.result.createObjectStore(BATCHES);
      };
      request.onerror = () => reject(this.#closedDoor(request.error));
      request.onsuccess = () => {
        const connection = request.result;
        const letGo = () => {
          this.#open = undefined;
          connection.close();
        };
        // Whoever wants to delete the database, in this tab or another, does not have to wait for this one.
        connection.onversionchange = letGo;
        connection.onclose = letGo;
        resolve(connection);
      };
    });
  }

  #closedDoor(error: unknown): StepweaveError {
    if (typeof indexedDB === "undefined") {
      return unusable("there is no IndexedDB here", error, "in Node, Deno and Bun use fileStore of `stepweave/stores/node`; anywhere, memoryStore()");
    }
    if (nameOf(error) === "VersionError") {
      return unusable(`${this.title} is newer than this page`, error, "reload the page, or choose another name: indexedDbStore({ name: \"my-journals\" })");
    }
    return unusable(`${this.title} cannot be opened`, error, "private windows and blocked site data keep pages from storing anything: allow it, or use memoryStore()");
  }

  #failure(error: unknown): StepweaveError {
    const hint = nameOf(error) === "QuotaExceededError" ? "there is no room left for this site: delete journals that are no longer needed" : "nothing of this append was kept; try again";
    return unusable(`${this.title} refused`, error, hint);
  }
}

function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name;
}
