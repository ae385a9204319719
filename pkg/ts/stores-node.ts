export { fileStore } from "./journal/file.js";
export type { Journal, JournalEntry, JournalStore, Told } from "./journal/types.js";
