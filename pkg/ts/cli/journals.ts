/// <reference types="node" />
import { stat } from "node:fs/promises";
import type { Journal, JournalStore, ListedRun } from "../api/journal.js";
import { isMark } from "../http/asking.js";
import { journalFrom } from "../journal/check.js";
import { NAME_OF_DOCUMENTS } from "../journal/documents.js";
import { type Given, misused } from "./arguments.js";
import { jsonOfFile } from "./files.js";
import { refuseOther } from "./kinds.js";
import { storeFrom } from "./run-flags.js";

/** The journals of a folder that is there, if one is named. */
export async function storeToRead(given: Given): Promise<JournalStore | undefined> {
  const folder = given.one("journal");
  if (folder === undefined) return undefined;
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw misused(`there is no folder ${folder}`, "check the path; it is read from the folder that you are in, and a run with --journal makes it");
  if (!found.isDirectory()) throw misused(`${folder} is no folder`, "write --journal with the folder of journals; the JSON file of one is written without the flag");
  return storeFrom(given);
}

/** A journal: by its id in the folder that `--journal` names, or the JSON file that it is in. */
export async function journalNamed(name: string, given: Given): Promise<Journal> {
  const store = await storeToRead(given);
  if (store === undefined) {
    const value = await jsonOfFile(name);
    refuseOther(value, name, "journal");
    return journalFrom(value);
  }
  const journal = await store.load(name);
  if (journal !== undefined) return journal;
  throw misused(`there is no run \`${name}\` in ${given.one("journal")}`, `stepweave inspect --journal ${given.one("journal")} lists the runs`);
}

/** Whether what a store lists is a run, and not what a server keeps beside its runs. */
export async function isRun({ id, documentName }: ListedRun, store: Pick<JournalStore, "load">): Promise<boolean> {
  if (documentName === NAME_OF_DOCUMENTS || isMark(id)) return false;
  // Whose turn it is to wake runs is kept under the name that it has as a workflow, which a run may have too.
  if (documentName !== id) return true;
  // What is damaged is listed as its summary has it.
  const journal = await store.load(id).catch(() => undefined);
  return journal?.entries[1]?.key !== "lease";
}
