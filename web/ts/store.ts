// Keeps the open workflow for the next visit: in IndexedDB, and for the moment of leaving in localStorage,
// because a page that goes away cannot wait for a database. Keys of endpoints never come here.
import { get, set } from "idb-keyval";

const KEY = "stepweave.workflow";

interface Entry {
  readonly at: number;
  readonly text: string;
}

/** What was kept last, if anything was. */
export async function load(): Promise<string | undefined> {
  const stored = await get<Entry>(KEY).catch(() => undefined);
  const left = leftBehind();
  const newest = left !== undefined && left.at > (stored?.at ?? 0) ? left : stored;
  return newest?.text;
}

/** Keeps a text; tells whether the browser allowed it. */
export async function save(text: string): Promise<boolean> {
  const entry: Entry = { at: Date.now(), text };
  try {
    await set(KEY, entry);
    tryLocal((storage) => storage.removeItem(KEY));
    return true;
  } catch {
    return tryLocal((storage) => storage.setItem(KEY, JSON.stringify(entry)));
  }
}

/** Keeps a text while the page goes away. */
export function saveOnLeaving(text: string): void {
  const entry: Entry = { at: Date.now(), text };
  tryLocal((storage) => storage.setItem(KEY, JSON.stringify(entry)));
}

function leftBehind(): Entry | undefined {
  let entry: Entry | undefined;
  tryLocal((storage) => {
    const text = storage.getItem(KEY);
    if (text !== null) entry = JSON.parse(text) as Entry;
  });
  return entry;
}

function tryLocal(use: (storage: Storage) => void): boolean {
  try {
    use(localStorage);
    return true;
  } catch {
    return false;
  }
}
