import { StepweaveError } from "../api/errors.js";
import type { Journal, JournalStore } from "../api/journal.js";
import { kindOf, optionsFrom } from "../schema/options.js";
import { batchOf, checkId, entriesOfText } from "./check.js";
import { conflict, damaged, unusable } from "./errors.js";
import { pageOf, type Row } from "./list.js";
import { journalOf } from "./summary.js";
import { countOf, standingIn, type Held } from "./held.js";

/** How many entries a journal has and how its run stands, by its id; in older databases the number alone. */
const COUNTS = "journals";
/** The text of the entries that came in one append, by id and by the number of entries before them. */
const BATCHES = "batches";

/** How many runs are looked at in one transaction. */
const AT_ONCE = 200;

/**
 * Keeps journals in the browser, shared by all tabs and workers of an origin. Each append is one transaction, so that
 * of two tabs that resume the same journal exactly one continues it.
 *
 * ```ts
 * const store = indexedDbStore({ name: "my-app-runs" });
 * await workflow.run({ journal: "draft", store }); // also after a reload
 * ```
 */
export function indexedDbStore(options: { /** The database; `stepweave` when absent. */ name?: string | undefined } = {}): JournalStore {
  const { name = "stepweave" } = optionsFrom(options, ["name"], "indexedDbStore()");
  if (typeof name !== "string") throw new StepweaveError("validation", `the name of a database is ${kindOf(name)}, not a text`, { hint: 'write indexedDbStore({ name: "my-app-runs" })' });
  const database = new Database(name);
  const placeOf = (id: string): string => `the journal \`${id}\` in ${database.title}`;
  const load = async (id: string): Promise<Journal | undefined> => {
    checkId(id);
    const [held, batches] = await database.transact<[unknown, string[]]>("readonly", (transaction, resolve) => {
      const held = transaction.objectStore(COUNTS).get(id);
      const answer = transaction.objectStore(BATCHES).getAll(batchesOf(id));
      answer.onsuccess = () => resolve([held.result, answer.result as string[]]);
    });
    const place = placeOf(id);
    if (countOf(held, place) === 0 && batches.length === 0) return undefined;
    return journalOf(id, batches.flatMap((text) => entriesOfText(text, place)));
  };
  return {
    load,
    async append(id, entries, expectedSeq, given) {
      const { text, length, summary } = batchOf(id, entries, expectedSeq, given);
      await database.transact<void>("readwrite", (transaction, resolve, reject) => {
        const counts = transaction.objectStore(COUNTS);
        const answer = counts.get(id);
        answer.onsuccess = () => {
          let count: number;
          try {
            count = countOf(answer.result, placeOf(id));
          } catch (error) {
            return reject(error as StepweaveError);
          }
          if (count !== expectedSeq) return reject(conflict(id, count, expectedSeq));
          resolve();
          if (length === 0) return;
          counts.put({ count: count + length, summary } satisfies Held, id);
          transaction.objectStore(BATCHES).add(text, [id, count]);
        };
      });
    },
    list: (filter) => pageOf(filter, (after) => rows(database, load, after)),
    async delete(id) {
      checkId(id);
      await database.transact<void>("readwrite", (transaction, resolve) => {
        transaction.objectStore(COUNTS).delete(id);
        transaction.objectStore(BATCHES).delete(batchesOf(id));
        resolve();
      });
    },
  };
}


async function* rows(database: Database, load: (id: string) => Promise<Journal | undefined>, from: string | undefined): AsyncGenerator<Row> {
  for (let after = from, more = true; more; ) {
    const range = after === undefined ? null : IDBKeyRange.lowerBound(after, true);
    const found = await database.transact<[string[], Held[]]>("readonly", (transaction, resolve) => {
      const counts = transaction.objectStore(COUNTS);
      const ids = counts.getAllKeys(range, AT_ONCE);
      const all = counts.getAll(range, AT_ONCE);
      all.onsuccess = () => resolve([ids.result as string[], all.result as Held[]]);
    });
    const [ids, all] = found;
    for (const [index, id] of ids.entries()) {
      const summary = await standingIn(all[index], () => load(id));
      if (summary !== undefined) yield { at: id, run: { id, ...summary } };
    }
    after = ids.at(-1);
    more = ids.length === AT_ONCE;
  }
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
