import type { Journal } from "../api/journal.js";
import { journalFrom } from "../journal/check.js";
import { type Given, misused } from "./arguments.js";
import { jsonOfFile } from "./files.js";
import { storeFrom } from "./run-flags.js";

/** A journal: by its id in the folder that `--journal` names, or the JSON file that it is in. */
export async function journalNamed(name: string, given: Given): Promise<Journal> {
  const store = storeFrom(given);
  if (store === undefined) return journalFrom(await jsonOfFile(name));
  const journal = await store.load(name);
  if (journal !== undefined) return journal;
  throw misused(`there is no run \`${name}\` in ${given.one("journal")}`, `stepweave inspect --journal ${given.one("journal")} lists the runs`);
}
