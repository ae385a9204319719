import { StepweaveError } from "../api/errors.js";
import type { JournalEntry, JournalStore, RunSummary } from "../api/journal.js";
import { optionsFrom, quoted } from "../schema/options.js";
import { batchOf, checkFunctions, checkId, entriesOfText } from "./check.js";
import { conflict, damaged, unlessDamaged } from "./errors.js";
import { pageOf, type Row } from "./list.js";
import { Recent } from "./recent.js";
import { idFromName, nameFromId } from "./storage-name.js";
import { journalOf, standingOf } from "./summary.js";

/** Says in what follows that it is a batch of entries. No driver takes such a text for JSON and reads it in its own way. */
const MARK = "stepweave 2 ";
/** The same of a batch without a summary, as it was before. */
const OLD_MARK = "stepweave 1 ";
const UNCHANGED = "put back what was there, or delete the journal and start the run anew";
/** How many items are requested at once. */
const AT_ONCE = 32;

/** What {@link unstorageStore} uses of an unstorage `Storage`. */
export interface UnstorageLike {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base: string): Promise<string[]>;
}

/**
 * Keeps journals in any driver of [unstorage](https://unstorage.unjs.io): Redis, S3, Cloudflare KV, a folder, …
 *
 * **One writer only.** Drivers cannot compare and write in one go, so this store does not keep two processes from
 * continuing the same journal at the same moment; within a process it does, for all stores over one storage. How
 * durable an append is, and how soon others see it, is the driver's to say.
 *
 * ```ts
 * import { createStorage } from "unstorage";
 * import redis from "unstorage/drivers/redis";
 *
 * const store = unstorageStore(createStorage({ driver: redis({ url }) }), { prefix: "runs" });
 * ```
 */
export function unstorageStore(
  storage: UnstorageLike,
  options: { /** What keys begin with; `journals` when absent. */ prefix?: string | undefined } = {},
): JournalStore {
  const { prefix = "journals" } = optionsFrom(options, ["prefix"], "unstorageStore()");
  checkFunctions(storage, ["getItem", "setItem", "removeItem", "getKeys"], "unstorageStore() needs a storage of unstorage", "pass what createStorage() gives");
  if (typeof prefix !== "string" || !/^[\w.-]+(:[\w.-]+)*$/.test(prefix)) {
    throw new StepweaveError("validation", `the prefix ${quoted(prefix)} is no beginning of a key`, { hint: "use letters, digits, `_`, `-`, `.` and, between them, `:`" });
  }
  const writer = writerOf(storage);
  const baseOf = (id: string) => `${prefix}:${nameFromId(id)}`;

  async function read(id: string): Promise<JournalEntry[]> {
    const base = baseOf(id);
    const keys = batchKeys(base, await storage.getKeys(base));
    const texts = await textsAt(storage, keys);
    // The last one can be the rest of an interrupted append that was never acknowledged.
    if (texts.at(-1) === undefined) texts.pop();
    const entries: JournalEntry[] = [];
    for (const [index, text] of texts.entries()) {
      const [key, due] = [keys[index], keyOf(base, entries.length)];
      if (key !== due) throw damaged(`the journal \`${id}\``, `lacks \`${due}\` in the storage`, UNCHANGED);
      if (text === undefined) throw damaged(`\`${key}\` in the storage`, "is not what was stored there", UNCHANGED);
      entries.push(...entriesOfText(text.entries, `\`${key}\` in the storage`));
    }
    writer.ends.put(base, entries.length);
    return entries;
  }

  async function checkEnd(id: string, expected: number): Promise<void> {
    const base = baseOf(id);
    const isFree = async () => textOf(await storage.getItem(keyOf(base, expected))) === undefined;
    if (writer.ends.get(base) === expected && (await isFree())) return;
    const held = (await read(id)).length;
    if (held !== expected) throw conflict(id, held, expected);
  }

  /** A run is known by its first batch, and how it stands by its last. */
  async function* rows(after: string | undefined): AsyncGenerator<Row> {
    const keys = new Set(await storage.getKeys(prefix));
    const lasts = new Map<string, string>();
    for (const key of [...keys].sort()) {
      const base = /^(.*):\d{12}$/s.exec(key)?.[1];
      if (base !== undefined && keys.has(keyOf(base, 0))) lasts.set(base, key);
    }
    const positionOf = (base: string): string => base.slice(prefix.length + 1);
    const bases = [...lasts.keys()].filter((base) => after === undefined || positionOf(base) > after).sort();
    for (let start = 0; start < bases.length; start += AT_ONCE) {
      const some = bases.slice(start, start + AT_ONCE);
      const texts = await textsAt(storage, some.map((base) => lasts.get(base) as string));
      for (const [index, base] of some.entries()) {
        const at = positionOf(base);
        const id = idFromName(at);
        // The last batch can be the torn rest of an append, or one from before there were summaries.
        const summary = texts[index]?.summary ?? (await standing(id));
        if (summary !== undefined) yield { at, run: { id, ...summary } };
      }
    }
  }

  async function standing(id: string): Promise<RunSummary | undefined> {
    const entries = await unlessDamaged(() => writer.inTurn(baseOf(id), () => read(id)));
    return entries === undefined || entries.length === 0 ? undefined : standingOf(entries);
  }

  return {
    async load(id) {
      checkId(id);
      return writer.inTurn(baseOf(id), async () => {
        const entries = await read(id);
        return entries.length === 0 ? undefined : journalOf(id, entries);
      });
    },
    async append(id, entries, expectedSeq, given) {
      const { text, length, summary } = batchOf(id, entries, expectedSeq, given);
      const base = baseOf(id);
      await writer.inTurn(base, async () => {
        await checkEnd(id, expectedSeq);
        if (length === 0) return;
        const shown = JSON.stringify(summary);
        await storage.setItem(keyOf(base, expectedSeq), `${MARK}${text.length} ${shown.length} ${shown}${text}`);
        writer.ends.put(base, expectedSeq + length);
      });
    },
    list: (filter) => pageOf(filter, rows),
    async delete(id) {
      checkId(id);
      const base = baseOf(id);
      await writer.inTurn(base, async () => {
        writer.ends.forget(base);
        // The first one goes first: what is half deleted must not look like a run that did less.
        for (const key of batchKeys(base, await storage.getKeys(base))) await storage.removeItem(key);
      });
    },
  };
}

/** What the stores over one storage share: they take turns, and know how far each journal goes. */
interface Writer {
  /** The number of entries of a journal, by the beginning of its keys. */
  readonly ends: Recent<number>;
  inTurn<T>(base: string, work: () => Promise<T>): Promise<T>;
}

const writers = new WeakMap<UnstorageLike, Writer>();

function writerOf(storage: UnstorageLike): Writer {
  const known = writers.get(storage);
  if (known !== undefined) return known;
  const last = new Map<string, Promise<unknown>>();
  const writer: Writer = {
    ends: new Recent(1000),
    inTurn(base, work) {
      const mine = (last.get(base) ?? Promise.resolve()).then(work, work);
      last.set(base, mine);
      const leave = () => void (last.get(base) === mine && last.delete(base));
      mine.then(leave, leave);
      return mine;
    },
  };
  writers.set(storage, writer);
  return writer;
}

function keyOf(base: string, from: number): string {
  return `${base}:${String(from).padStart(12, "0")}`;
}

/** Those of a journal itself: a longer id can have the same beginning. */
function batchKeys(base: string, keys: readonly string[]): string[] {
  return keys.filter((key) => /^:\d{12}$/.test(key.slice(base.length))).sort();
}

/** A batch of entries, as JSON text, and how the run stood with them. */
interface StoredBatch {
  readonly entries: string;
  readonly summary: RunSummary | undefined;
}

async function textsAt(storage: UnstorageLike, keys: readonly string[]): Promise<(StoredBatch | undefined)[]> {
  const texts: (StoredBatch | undefined)[] = [];
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    const values = await Promise.all(keys.slice(start, start + AT_ONCE).map((key) => storage.getItem(key)));
    texts.push(...values.map(textOf));
  }
  return texts;
}

/** The text of a batch, if all of it is there. */
function textOf(value: unknown): StoredBatch | undefined {
  if (typeof value !== "string") return undefined;
  if (value.startsWith(OLD_MARK)) {
    const end = value.indexOf(" ", OLD_MARK.length);
    const entries = value.slice(end + 1);
    return Number(value.slice(OLD_MARK.length, end)) === entries.length ? { entries, summary: undefined } : undefined;
  }
  const [head, length, shown] = /^stepweave 2 (\d+) (\d+) /.exec(value) ?? [];
  if (head === undefined) return undefined;
  const behind = head.length + Number(shown);
  const entries = value.slice(behind);
  return Number(length) === entries.length ? { entries, summary: JSON.parse(value.slice(head.length, behind)) as RunSummary } : undefined;
}
