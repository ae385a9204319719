export { journalFrom } from "./journal/check.js";
export { durableObjectStore, type DurableStorage, type DurableValues } from "./journal/durable-object.js";
export { indexedDbStore } from "./journal/indexed-db.js";
export { memoryStore } from "./journal/memory.js";
export type { Journal, JournalEntry, JournalStore, Told } from "./journal/types.js";
export { unstorageStore, type UnstorageLike } from "./journal/unstorage.js";
