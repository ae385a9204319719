// Keeps the open workflow for the next visit: in IndexedDB, and for the moment of leaving in localStorage,
// because a page that goes away cannot wait for a database. Keys of endpoints never come here.
//
// Each open tab has a place of its own, so that no tab overwrites what another one keeps. A lock says which places
// are taken; the browser lets go of it when the tab goes away.
import { get, keys, set } from "idb-keyval";

const FIRST = "stepweave.workflow";

/** What a tab finds when it opens. */
export interface Kept {
  /** The workflow that was kept, if any was. */
  readonly text: string | undefined;
  /** Whether another tab has the builder open too. */
  readonly shared: boolean;
  /** Workflows that other tabs have left behind. */
  readonly left: readonly Left[];
}

/** A workflow that a tab has left behind. */
export interface Left {
  readonly place: string;
  readonly name: string;
}

interface Entry {
  readonly at: number;
  readonly text: string;
}

let place = FIRST;
let release = (): void => {};

/** Takes a place for this tab and gives what is kept there; a further tab begins with a copy of the first one's. */
export async function load(): Promise<Kept> {
  let number = 1;
  while (!(await claim(placeOf(number)))) number += 1;
  const text = (await read(place)) ?? (await read(FIRST));
  return { text, shared: number > 1, left: await leftBehind(text) };
}

/** Moves this tab to a place that another one has left; nothing when a tab has taken it meanwhile. */
export async function moveTo(wanted: string): Promise<Kept | undefined> {
  const before = release;
  if (!(await claim(wanted))) return undefined;
  before();
  const text = await read(wanted);
  return { text, shared: false, left: await leftBehind(text) };
}

/** Keeps a text; tells whether the browser allowed it. */
export async function save(text: string): Promise<boolean> {
  const entry: Entry = { at: Date.now(), text };
  const own = place;
  try {
    await set(own, entry);
    tryLocal((storage) => storage.removeItem(own));
    return true;
  } catch {
    return tryLocal((storage) => storage.setItem(own, JSON.stringify(entry)));
  }
}

/** Keeps a text while the page goes away. */
export function saveOnLeaving(text: string): void {
  const entry: Entry = { at: Date.now(), text };
  tryLocal((storage) => storage.setItem(place, JSON.stringify(entry)));
}

function placeOf(number: number): string {
  return number === 1 ? FIRST : `${FIRST}.${number}`;
}

/** Takes a place unless another tab has it. Without locks all tabs share the first one. */
function claim(wanted: string): Promise<boolean> {
  if (!("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      if (lock === null) {
        resolve(false);
        return undefined;
      }
      place = wanted;
      return new Promise((letGo) => {
        release = letGo;
        resolve(true);
      });
    };
    navigator.locks.request(wanted, { ifAvailable: true }, hold).catch(() => resolve(true));
  });
}

async function read(from: string): Promise<string | undefined> {
  const stored = await get<Entry>(from).catch(() => undefined);
  let entry: Entry | undefined;
  tryLocal((storage) => {
    const text = storage.getItem(from);
    if (text !== null) entry = JSON.parse(text) as Entry;
  });
  const newest = entry !== undefined && entry.at > (stored?.at ?? 0) ? entry : stored;
  return newest?.text;
}

async function leftBehind(own: string | undefined): Promise<readonly Left[]> {
  const stored = await keys<string>().catch(() => []);
  const places = new Set(stored.filter((key) => typeof key === "string"));
  tryLocal((storage) => Object.keys(storage).forEach((key) => places.add(key)));
  const taken = await takenPlaces();
  const left: Left[] = [];
  const seen = new Set([own]);
  for (const other of [...places].sort()) {
    if (!other.startsWith(FIRST) || other === place || taken.has(other)) continue;
    const text = await read(other);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    left.push({ place: other, name: nameIn(text) });
  }
  return left;
}

async function takenPlaces(): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name === undefined ? [] : [name])));
}

function nameIn(text: string): string {
  try {
    const { document } = JSON.parse(text) as { document?: { name?: unknown } };
    return typeof document?.name === "string" ? document.name : "Untitled";
  } catch {
    return "Untitled";
  }
}

function tryLocal(use: (storage: Storage) => void): boolean {
  try {
    use(localStorage);
    return true;
  } catch {
    return false;
  }
}
