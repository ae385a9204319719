import type { Journal, JournalStore, RunFilter, RunSummary } from "../api/journal.js";
import { batchOf, checkFunctions, checkId, entriesOfText } from "./check.js";
import { conflict, damaged, unusable } from "./errors.js";
import { pageOf, type Row } from "./list.js";
import { journalOf } from "./summary.js";

/** A row may have 2 MB, and a character takes at most three bytes. */
const PIECE = 500_000;

/** How many runs are looked at in one go. */
const AT_ONCE = 200;

const TABLES = [
  "CREATE TABLE IF NOT EXISTS stepweave_runs (id TEXT PRIMARY KEY, count INTEGER NOT NULL, status TEXT NOT NULL, wake_at REAL, owner TEXT, summary TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS stepweave_entries (id TEXT NOT NULL, start INTEGER NOT NULL, piece INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id, start, piece)) WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS stepweave_waits ON stepweave_runs (status, wake_at)",
];

type SqlValue = string | number | null;

/** What {@link sqlStore} uses of a Durable Object's storage: `ctx.storage` is one, where the class is kept in SQLite. */
export interface SqlStorage {
  readonly sql: { exec(query: string, ...bindings: SqlValue[]): { toArray(): Record<string, unknown>[] } };
  transactionSync<Value>(closure: () => Value): Value;
  sync(): Promise<void>;
}

/** A store that finds the runs whose time has come without looking at the others. */
export interface SqlStore extends JournalStore {
  /** Suspended runs that can go on by this time, the earliest first. */
  due(time: number, limit: number): string[];
  /** When the earliest suspended run can go on. */
  earliest(): number | undefined;
  /** Runs that have not ended and are not suspended, in order, behind this id. */
  running(after: string | undefined, limit: number): string[];
  /** Has a suspended run found later than it says: its journal stays as it is. */
  putOff(id: string, time: number): void;
}

/**
 * Keeps journals in the SQLite database of a Cloudflare Durable Object, in tables of their own, whose names begin with `stepweave_`.
 *
 * ```ts
 * export class Runs extends DurableObject {
 *   async fetch(request: Request) {
 *     return Response.json(await workflow.run({ journal: "order-17", store: sqlStore(this.ctx.storage) }));
 *   }
 * }
 * ```
 */
export function sqlStore(storage: SqlStorage): SqlStore {
  checkFunctions(storage, ["transactionSync", "sync"], "sqlStore() needs the storage of a Durable Object", "pass ctx.storage of a class that is listed under new_sqlite_classes");
  const sql = databaseOf(storage);
  const read = <Type>(query: string, ...bindings: SqlValue[]): Type[] => sql.exec(query, ...bindings).toArray() as Type[];
  const countOf = (id: string): number => read<{ count: number }>("SELECT count FROM stepweave_runs WHERE id = ?", keyOf(id))[0]?.count ?? 0;
  const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => JSON.parse(id) as string);
  return {
    async load(id): Promise<Journal | undefined> {
      checkId(id);
      const count = countOf(id);
      if (count === 0) return undefined;
      const texts = new Map<number, string>();
      for (const { start, text } of read<{ start: number; text: string }>("SELECT start, text FROM stepweave_entries WHERE id = ? ORDER BY start, piece", keyOf(id))) {
        texts.set(start, (texts.get(start) ?? "") + text);
      }
      const place = `the journal \`${id}\``;
      const entries = [...texts.values()].flatMap((text) => entriesOfText(text, place));
      if (entries.length !== count) throw damaged(place, `lacks entries: ${entries.length} of ${count} are there`, "delete it, or put back what was removed from the object's database");
      return journalOf(id, entries);
    },
    async append(id, entries, expectedSeq, given) {
      const { text, length, summary } = batchOf(id, entries, expectedSeq, given);
      storage.transactionSync(() => {
        const count = countOf(id);
        if (count !== expectedSeq) throw conflict(id, count, expectedSeq);
        if (length === 0) return;
        const key = keyOf(id);
        for (const [number, piece] of piecesOf(text).entries()) sql.exec("INSERT INTO stepweave_entries VALUES (?, ?, ?, ?)", key, count, number, piece);
        const { status, wakeAt = null, owner } = summary;
        sql.exec("INSERT OR REPLACE INTO stepweave_runs VALUES (?, ?, ?, ?, ?, ?)", key, count + length, status, wakeAt, owner === undefined ? null : keyOf(owner), JSON.stringify(summary));
      });
      await storage.sync();
    },
    list: (filter) => pageOf(filter, (after) => rows(read, filter, after)),
    async delete(id) {
      checkId(id);
      storage.transactionSync(() => {
        for (const table of ["stepweave_entries", "stepweave_runs"]) sql.exec(`DELETE FROM ${table} WHERE id = ?`, keyOf(id));
      });
      await storage.sync();
    },
    due: (time, limit) => idsOf(read("SELECT id FROM stepweave_runs WHERE status = 'suspended' AND wake_at <= ? ORDER BY wake_at LIMIT ?", time, limit)),
    earliest: () => read<{ first: number | null }>("SELECT min(wake_at) AS first FROM stepweave_runs WHERE status = 'suspended'")[0]?.first ?? undefined,
    running: (after, limit) => idsOf(read("SELECT id FROM stepweave_runs WHERE status = 'running' AND id > ? ORDER BY id LIMIT ?", after === undefined ? "" : keyOf(after), limit)),
    putOff: (id, time) => void sql.exec("UPDATE stepweave_runs SET wake_at = ? WHERE id = ?", time, keyOf(id)),
  };
}

function databaseOf(storage: SqlStorage): SqlStorage["sql"] {
  try {
    const { sql } = storage;
    for (const table of TABLES) sql.exec(table);
    return sql;
  } catch (error) {
    throw unusable("sqlStore() needs a Durable Object that is kept in SQLite", error, "list its class under new_sqlite_classes in the configuration of the Worker, or use durableObjectStore(ctx.storage)");
  }
}

async function* rows(read: <Type>(query: string, ...bindings: SqlValue[]) => Type[], { status, owner }: RunFilter = {}, from: string | undefined): AsyncGenerator<Row> {
  const wanted = Object.entries({ status, owner: owner === undefined ? undefined : keyOf(owner) }).filter(([, value]) => value !== undefined) as [string, string][];
  const conditions = wanted.map(([name]) => ` AND ${name} = ?`).join("");
  for (let after = from, more = true; more; ) {
    // No key is empty.
    const bindings = [after === undefined ? "" : keyOf(after), ...wanted.map(([, value]) => value)];
    const found = read<{ id: string; summary: string }>(`SELECT id, summary FROM stepweave_runs WHERE id > ?${conditions} ORDER BY id LIMIT ${AT_ONCE}`, ...bindings);
    for (const { id: key, summary } of found) {
      const id = JSON.parse(key) as string;
      after = id;
      yield { at: id, run: { id, ...(JSON.parse(summary) as RunSummary) } };
    }
    more = found.length === AT_ONCE;
  }
}

/** SQLite keeps texts as UTF-8, in which half a surrogate pair is none: JSON writes it out. */
function keyOf(text: string): string {
  return JSON.stringify(text);
}

/** The text in pieces that have no half of a pair at an end. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const isInPair = /[\ud800-\udbff]/.test(text.charAt(start + PIECE - 1));
    const end = start + PIECE - (isInPair ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
