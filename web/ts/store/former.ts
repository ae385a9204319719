// Takes over what older versions of the page have stored: one text for each tab, in the database `keyval-store` and, of
// the moment in which a page was left, in localStorage.
import { openDB } from "idb";
import type { Database } from "./database.js";

const DATABASE = "keyval-store";
const STORE = "keyval";
const PREFIX = "stepweave.workflow";

interface Former {
  readonly at: number;
  readonly text: string;
}

/** Moves every workflow of older pages into the database. What cannot be moved now stays for the next visit. */
export async function takeOverFormer(database: Database): Promise<void> {
  const inStorage = fromStorage();
  const inDatabase = await fromDatabase();
  const places = new Map(inDatabase);
  for (const [place, former] of inStorage) {
    if (former.at > (places.get(place)?.at ?? 0)) places.set(place, former);
  }
  if (places.size > 0) {
    const transaction = database.transaction(["workflows", "snapshots"], "readwrite");
    const seen = new Set<string>();
    for (const { at, text } of places.values()) {
      // Each further tab began with a copy of the first one's.
      if (seen.has(text)) continue;
      seen.add(text);
      const id = crypto.randomUUID();
      void transaction.objectStore("workflows").put({ id, name: nameIn(text), createdAt: at, changedAt: at });
      void transaction.objectStore("snapshots").put({ workflow: id, last: 0, text });
    }
    await transaction.done;
  }
  for (const place of inStorage.keys()) tryStorage((storage) => storage.removeItem(place));
  if (inDatabase.size > 0) await forget([...inDatabase.keys()]);
}

function fromStorage(): Map<string, Former> {
  const found = new Map<string, Former>();
  tryStorage((storage) => {
    for (const place of Object.keys(storage).filter((key) => key.startsWith(PREFIX))) {
      const former = formerIn(storage.getItem(place));
      if (former !== undefined) found.set(place, former);
    }
  });
  return found;
}

async function fromDatabase(): Promise<Map<string, Former>> {
  const found = new Map<string, Former>();
  try {
    // Opening would create it.
    const databases = await indexedDB.databases();
    if (!databases.some(({ name }) => name === DATABASE)) return found;
    const database = await openDB(DATABASE);
    try {
      if (!database.objectStoreNames.contains(STORE)) return found;
      for (const place of await database.getAllKeys(STORE)) {
        if (typeof place !== "string" || !place.startsWith(PREFIX)) continue;
        const former = valid(await database.get(STORE, place));
        if (former !== undefined) found.set(place, former);
      }
    } finally {
      database.close();
    }
  } catch {
    // What cannot be read today is not removed either.
  }
  return found;
}

async function forget(places: readonly string[]): Promise<void> {
  try {
    const database = await openDB(DATABASE);
    const transaction = database.transaction(STORE, "readwrite");
    for (const place of places) void transaction.store.delete(place);
    await transaction.done;
    database.close();
  } catch {
    // They are found again next time, and are copies then.
  }
}

function formerIn(text: string | null): Former | undefined {
  try {
    return valid(JSON.parse(text ?? "null"));
  } catch {
    return undefined;
  }
}

function valid(value: unknown): Former | undefined {
  const { at, text } = (value ?? {}) as Partial<Former>;
  return typeof at === "number" && typeof text === "string" ? { at, text } : undefined;
}

function nameIn(text: string): string {
  try {
    const { document } = JSON.parse(text) as { document?: { name?: unknown } };
    return typeof document?.name === "string" ? document.name : "Untitled";
  } catch {
    return "Untitled";
  }
}

function tryStorage(use: (storage: Storage) => void): void {
  try {
    use(localStorage);
  } catch {
    // A browser that keeps nothing has nothing to take over.
  }
}
