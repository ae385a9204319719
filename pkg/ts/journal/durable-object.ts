import type { Journal, JournalStore } from "../api/journal.js";
import { batchOf, checkFunctions, checkId, entriesOfText } from "./check.js";
import { conflict, damaged } from "./errors.js";
import { pageOf, type Row } from "./list.js";
import { journalOf } from "./summary.js";
import { countOf, standingIn, type Held } from "./held.js";

const COUNTS = "stepweave/journal/";
const BATCHES = "stepweave/entries/";

/** A value may have 128 KiB, in older kinds of storage; a character takes at most two bytes. */
const PIECE = 60_000;

/** How many runs are looked at in one go. */
const AT_ONCE = 200;

/** What this uses of a Durable Object's storage, inside and outside of a transaction. */
export interface DurableValues {
  get<T>(key: string): Promise<T | undefined>;
  put<T>(key: string, value: T): Promise<void>;
  list<T>(options: { prefix: string; startAfter?: string; limit?: number }): Promise<Map<string, T>>;
  delete(key: string): Promise<boolean>;
}

/** What {@link durableObjectStore} uses of a Durable Object's storage: `ctx.storage` is one. */
export interface DurableStorage extends DurableValues {
  transaction<T>(closure: (transaction: DurableValues) => Promise<T>): Promise<T>;
  sync(): Promise<void>;
}

/**
 * Keeps journals in a Cloudflare Durable Object, beside whatever else it stores: its keys begin with `stepweave/`.
 *
 * ```ts
 * export class Runs extends DurableObject {
 *   async fetch(request: Request) {
 *     const store = durableObjectStore(this.ctx.storage);
 *     return Response.json(await workflow.run({ journal: "order-17", store }));
 *   }
 * }
 * ```
 */
export function durableObjectStore(storage: DurableStorage): JournalStore {
  checkFunctions(storage, ["transaction", "list", "sync"], "durableObjectStore() needs the storage of a Durable Object", "pass ctx.storage");
  const load = async (id: string): Promise<Journal | undefined> => {
    checkId(id);
    const { held, pieces } = await storage.transaction(async (values) => ({
      held: await values.get<Held>(countKey(id)),
      pieces: await values.list<string>({ prefix: entriesKey(id) }),
    }));
    if (held === undefined) return undefined;
    const place = `the journal \`${id}\``;
    const count = countOf(held, place);
    const entries = [...textsOf(pieces).values()].flatMap((text) => entriesOfText(text, place));
    if (entries.length !== count) throw damaged(place, `lacks entries: ${entries.length} of ${count} are there`, "delete it, or put back what was removed from the object's storage");
    return journalOf(id, entries);
  };
  return {
    load,
    async append(id, entries, expectedSeq, given) {
      const { text, length, summary } = batchOf(id, entries, expectedSeq, given);
      await storage.transaction(async (values) => {
        const count = countOf(await values.get<Held>(countKey(id)), `the journal \`${id}\``);
        if (count !== expectedSeq) throw conflict(id, count, expectedSeq);
        if (length === 0) return;
        const key = `${entriesKey(id)}${ordered(count)}/`;
        const writes = [values.put<Held>(countKey(id), { count: count + length, summary })];
        for (let start = 0; start < text.length; start += PIECE) {
          writes.push(values.put(`${key}${ordered(start)}`, text.slice(start, start + PIECE)));
        }
        await Promise.all(writes);
      });
      await storage.sync();
    },
    list: (filter) => pageOf(filter, (after) => rows(storage, load, after)),
    async delete(id) {
      checkId(id);
      await storage.transaction(async (values) => {
        const pieces = await values.list<string>({ prefix: entriesKey(id) });
        await Promise.all([countKey(id), ...pieces.keys()].map((key) => values.delete(key)));
      });
      await storage.sync();
    },
  };
}


async function* rows(storage: DurableValues, load: (id: string) => Promise<Journal | undefined>, from: string | undefined): AsyncGenerator<Row> {
  for (let after = from, more = true; more; ) {
    const found = await storage.list<Held>({ prefix: COUNTS, limit: AT_ONCE, ...(after !== undefined && { startAfter: countKey(after) }) });
    for (const [key, held] of found) {
      const id = JSON.parse(key.slice(COUNTS.length)) as string;
      after = id;
      const summary = await standingIn(held, () => load(id));
      if (summary !== undefined) yield { at: id, run: { id, ...summary } };
    }
    more = found.size === AT_ONCE;
  }
}

// Quoted, an id ends where it ends: no id is the beginning of another, and half a surrogate pair is written out.
function countKey(id: string): string {
  return COUNTS + JSON.stringify(id);
}

function entriesKey(id: string): string {
  return `${BATCHES}${JSON.stringify(id)}/`;
}

/** A number that sorts as text does. */
function ordered(count: number): string {
  return String(count).padStart(12, "0");
}

/** The texts of the batches, put together again. Keys come sorted. */
function textsOf(pieces: ReadonlyMap<string, string>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, piece] of pieces) {
    const batch = key.slice(0, key.lastIndexOf("/"));
    texts.set(batch, (texts.get(batch) ?? "") + piece);
  }
  return texts;
}
