export { fileStore } from "../journal/file.js";
export type { Journal, JournalEntry, JournalStore, ListedRun, RunFilter, RunPage, RunStatus, RunSummary, Told } from "../api/journal.js";
