export { journalFrom, summaryOf } from "../journal/check.js";
export { durableObjectStore, type DurableStorage, type DurableValues } from "../journal/durable-object.js";
export { indexedDbStore } from "../journal/indexed-db.js";
export type { AnsweredStep, StepStanding } from "../journal/answered.js";
export { inspect, type Inspection } from "../journal/inspect.js";
export { sqlStore, type SqlStorage, type SqlStore } from "../journal/sql.js";
export { memoryStore } from "../journal/memory.js";
export type { Journal, JournalEntry, JournalStore, ListedRun, RunFilter, RunPage, RunStatus, RunSummary, Told } from "../api/journal.js";
export { unstorageStore, type UnstorageLike } from "../journal/unstorage.js";
