// The bytes of images and sounds that runs are given, by their digests, which are all that states and journals have of
// them. They are in a database of their own, which workers write and read.
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { ByteStore } from "stepweave/files";

interface Schema extends DBSchema {
  bytes: { key: string; value: Uint8Array };
}

const NAME = "stepweave-builder-files";

/** Held by each tab that may still give a run what it has read. */
const LOCK = "stepweave.files";

/** The digests in a text. */
export function digestsIn(text: string): readonly string[] {
  return [...new Set(text.match(/sha256-[0-9a-f]{64}/g))];
}

/** Where the bytes are kept. */
export const storedBytes: ByteStore = {
  put: (digest, bytes) => within(async (database) => void (await database.put("bytes", bytes, digest))),
  get: (digest) => within((database) => database.get("bytes", digest)),
};

let held: Promise<void> | undefined;

/** Keeps all bytes as long as this page is there: its runs can be begun again with them. */
export function holdBytes(): Promise<void> {
  return (held ??= new Promise((done) => {
    if (!("locks" in navigator)) return done();
    const forever = (): Promise<void> => {
      done();
      return new Promise(() => {});
    };
    navigator.locks.request(LOCK, { mode: "shared" }, forever).catch(() => done());
  }));
}

/** Forgets the bytes that nobody needs any more, unless there is a tab that may need them; `needed` says which are. */
export async function forgetBytes(needed: () => Promise<ReadonlySet<string>>): Promise<void> {
  if (!("locks" in navigator) || !(await hasBytes())) return;
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    const kept = await needed();
    await within(async (database) => {
      const { store, done } = database.transaction("bytes", "readwrite");
      for (const digest of await store.getAllKeys()) if (!kept.has(digest)) void store.delete(digest);
      await done;
    });
  });
}

/** Whether any were ever kept: a page without files makes no database for them. */
async function hasBytes(): Promise<boolean> {
  return (await indexedDB.databases()).some(({ name }) => name === NAME);
}

async function within<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  const database = await openDB<Schema>(NAME, 1, { upgrade: (fresh) => void fresh.createObjectStore("bytes") });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
