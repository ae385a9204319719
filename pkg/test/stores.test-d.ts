// Types alone: what must compile, and what must not.
import type { Journal, JournalEntry, JournalStore, UnstorageLike } from "stepweave/stores";
import { journalFrom, memoryStore, unstorageStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";

declare const storage: UnstorageLike;

export const stores: JournalStore[] = [memoryStore(), fileStore("./journals"), unstorageStore(storage, { prefix: "runs" })];

export const journal: Journal = journalFrom("{}");
export const first: JournalEntry | undefined = journal.entries[0];

// @ts-expect-error: entries are read-only.
journal.entries.push(first);
// @ts-expect-error: an entry has a time.
export const timeless: JournalEntry = { key: "start" };
// @ts-expect-error: an answer is JSON.
export const strange: JournalEntry = { key: "start", at: 1, ok: () => 1 };
