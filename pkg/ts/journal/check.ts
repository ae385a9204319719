import { StepweaveError, textOf } from "../api/errors.js";
import type { Journal, JournalEntry, RunSummary } from "../api/journal.js";
import { isObject } from "../api/json.js";
import { copyJson, MAX_DEPTH } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { kindOf, quoted, reading } from "../schema/options.js";
import { damaged } from "./errors.js";
import { checkedSummary } from "./list.js";
import { standingOf } from "./summary.js";

const FOREIGN = "give a journal as a run's result or a store's `load` has it";
const ALTERED = "journals are not meant to be edited: take an unchanged copy, or start the run anew";

/** How deep a journal may be nested: what its entries hold may be as deep as any value. */
export const JOURNAL_DEPTH = MAX_DEPTH + 8;

/**
 * A journal from JSON text or from plain data, checked and copied. Data that is not a journal, or damaged, is rejected
 * with the path of the first fault.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 *
 * const journal = journalFrom(await readFile("run.json", "utf8"));
 * await workflow.run({ journal, replay: "strict" });
 * ```
 */
export function journalFrom(json: unknown): Journal {
  const value = plain(typeof json === "string" ? parsed(json) : json, "journal");
  if (!isObject(value)) throw damaged("the journal", `is ${kindOf(value)}, not an object`, FOREIGN);
  const { version, id, entries } = value;
  if (version === undefined) throw damaged("journal.version", "is missing: this is something else than a journal", FOREIGN);
  if (version !== 1 && version !== 2) {
    throw damaged("journal.version", `is ${quoted(version)}; this version of stepweave reads 1 and 2`, "use the version of stepweave that wrote it, or a newer one");
  }
  if (typeof id !== "string" || id === "") throw damaged("journal.id", `is ${kindOf(id)}, not the run's id`, FOREIGN);
  const checked = entriesFrom(entries, "journal.entries");
  if (checked[0]?.key !== "start") {
    const fault = checked[0] === undefined ? "is missing: a journal begins with the entry `start`" : `is ${quoted(checked[0].key)}, where a journal begins with \`start\``;
    throw damaged("journal.entries[0].key", fault, ALTERED);
  }
  const begun = checked[0]?.ok;
  const written = isObject(begun) ? (begun.version ?? 1) : version;
  if (written !== version) throw damaged("journal.version", `is ${version}, and its first entry says ${quoted(written)}`, ALTERED);
  return value as unknown as Journal;
}

/**
 * What the entries of a journal say of their run: for a store that is given whole journals, and for those that were kept
 * before stores had summaries.
 *
 * ```ts
 * const other = memoryStore();
 * await other.append(journal.id, journal.entries, 0, summaryOf(journal.entries));
 * ```
 */
export function summaryOf(entries: readonly JournalEntry[]): RunSummary {
  return standingOf(entriesFrom(plain(entries, "entries"), "entries"));
}

/** Checks that a value is a list of entries. `place` names the list in error messages. */
export function entriesFrom(value: unknown, place: string): readonly JournalEntry[] {
  if (!Array.isArray(value)) throw damaged(place, `is ${kindOf(value)}, not a list of entries`, FOREIGN);
  value.forEach((entry, index) => checkEntry(entry, `${place}[${index}]`));
  return value;
}

/** Refuses what is no id of a journal. */
export function checkId(id: unknown): void {
  if (typeof id === "string" && id !== "") return;
  throw new StepweaveError("validation", `the id of a journal is ${kindOf(id)}, not a text`, { hint: "take the run's id, or a name of your own" });
}

/** Refuses what lacks functions of a storage, or of a store. */
export function checkFunctions(given: unknown, names: readonly string[], need: string, hint: string): void {
  const lacks = reading(need, () => names.find((name) => typeof (Object(given) as Record<string, unknown>)[name] !== "function"));
  if (lacks !== undefined) throw new StepweaveError("validation", `${need}: what it was given has no ${lacks}()`, { hint });
}

/** Entries as they are kept. */
export interface Batch {
  /** Their list as JSON. */
  readonly text: string;
  readonly length: number;
  /** How the run stands with them. */
  readonly summary: RunSummary;
}

/**
 * Entries that somebody wants to be kept, taken as they are now: what is changed later stays outside. What could not
 * be loaded again is refused here.
 */
export function batchOf(id: string, entries: readonly JournalEntry[], expectedSeq: number, summary: RunSummary): Batch {
  checkId(id);
  if (!Number.isSafeInteger(expectedSeq) || expectedSeq < 0) {
    throw new StepweaveError("validation", `expectedSeq is ${quoted(expectedSeq)}, not a number of entries`, { hint: "give the number of entries that the journal holds, 0 for a new one" });
  }
  const checked = entriesFrom(plain(entries, "entries"), "entries");
  return { text: JSON.stringify(checked), length: checked.length, summary: checkedSummary(summary) };
}

/** Entries from the text of a {@link Batch}. `place` names its storage in error messages. */
export function entriesOfText(text: unknown, place: string): readonly JournalEntry[] {
  if (typeof text !== "string") throw damaged(place, `is ${kindOf(text)}, not text`, ALTERED);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(place, `is not JSON: ${textOf(error)}`, ALTERED);
  }
  return entriesFrom(value, `${place}, entries`);
}

function checkEntry(entry: unknown, place: string): void {
  if (!isObject(entry)) throw damaged(place, `is ${kindOf(entry)}, not an entry`, ALTERED);
  const { key, asked, at, seq, error, told } = entry;
  if (typeof key !== "string" || key === "") throw damaged(`${place}.key`, `is ${kindOf(key)}, not a key`, ALTERED);
  if (typeof at !== "number") throw damaged(`${place}.at`, `is ${kindOf(at)}, not a time in milliseconds`, ALTERED);
  if (seq !== undefined && typeof seq !== "number") throw damaged(`${place}.seq`, `is ${kindOf(seq)}, not a number`, ALTERED);
  if (asked !== undefined && typeof asked !== "string") throw damaged(`${place}.asked`, `is ${kindOf(asked)}, not a hash`, ALTERED);
  if (error !== undefined) {
    if (!isObject(error) || typeof error.code !== "string" || typeof error.message !== "string") {
      throw damaged(`${place}.error`, "is not an error with a code and a message", ALTERED);
    }
    if (entry.ok !== undefined) throw damaged(place, "has an answer and an error, where an entry has one of them", ALTERED);
  }
  if (told !== undefined) checkTold(told, `${place}.told`);
}

function checkTold(told: unknown, place: string): void {
  if (!Array.isArray(told)) throw damaged(place, `is ${kindOf(told)}, not a list`, ALTERED);
  for (const [index, item] of told.entries()) {
    if (!isObject(item) || typeof item.type !== "string") throw damaged(`${place}[${index}]`, "does not say by its `type` what was told", ALTERED);
    for (const key of ["at", "seq"]) if (item[key] !== undefined && typeof item[key] !== "number") throw damaged(`${place}[${index}].${key}`, `is ${kindOf(item[key])}, not a number`, ALTERED);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged("the journal", `is not JSON: ${textOf(error)}`, "the text may be cut off: take the whole of it");
  }
}

/** A frozen copy of what was passed as data; throws `validation` for what JSON cannot hold. */
export function plain(value: unknown, root: string): unknown {
  try {
    return copyJson(value, root, JOURNAL_DEPTH);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("validation", error.message, { hint: error.hint, cause: error });
  }
}
