import { StepweaveError, textOf } from "../api/errors.js";
import type { Journal, JournalStore } from "../api/journal.js";
import type { RunOptions } from "../api/run.js";
import { isConflict } from "../journal/errors.js";
import { quoted } from "../schema/options.js";
import { REPLAYS } from "../wasm/boundary.js";

/** How a run uses a journal, as its options say. */
export interface Journaling {
  readonly replay: "resume" | "edit" | "strict";
  readonly store: JournalStore | undefined;
  /** What was recorded, or where it is to be found. */
  readonly source: Journal | string | undefined;
  readonly from: string | undefined;
  /** What happens with answers to requests that have changed. */
  readonly onMismatch: "refuse" | "anew";
}

/** Reads the options; throws `validation`. Nothing when no journal is kept. */
export function journalingOf({ journal, store, replay, from, onMismatch }: RunOptions): Journaling | undefined {
  if (journal !== undefined && journal !== true && typeof journal !== "string" && (typeof journal !== "object" || journal === null)) {
    throw wrong(`the option \`journal\` is ${quoted(journal)}`, "write journal: true, or pass the journal of an earlier result or the id of one in `store`; leave it out to keep none");
  }
  if (journal === undefined && store === undefined) {
    if (replay !== undefined || from !== undefined || onMismatch !== undefined) throw wrong("`replay`, `from` and `onMismatch` need a journal", "pass the `journal` of an earlier result");
    return undefined;
  }
  if (replay !== undefined && (typeof replay !== "string" || !Object.hasOwn(REPLAYS, replay))) throw wrong(`there is no replay ${quoted(replay)}`, 'use "resume", "edit" or "strict"');
  if (from !== undefined && replay !== "edit") throw wrong("`from` runs a part of a workflow anew", 'write replay: "edit" beside it');
  if (onMismatch !== undefined && onMismatch !== "refuse" && onMismatch !== "anew") throw wrong(`there is no onMismatch ${quoted(onMismatch)}`, 'use "refuse" or "anew"');
  if (onMismatch !== undefined && replay !== undefined && replay !== "resume") throw wrong(`\`onMismatch\` is for runs that are taken up, and this is a replay: "${replay}"`, "leave one of the two out");
  if (store !== undefined && (typeof store?.load !== "function" || typeof store.append !== "function")) {
    throw wrong("the option `store` is no store of journals", 'use one of "stepweave/stores", or an object with load, append, list and delete');
  }
  if (typeof journal === "string") {
    if (store === undefined) throw wrong("a journal that is named needs a `store`", 'write store: memoryStore() from "stepweave/stores", or pass the journal itself');
    if (journal === "") throw wrong("the name of a journal is empty", "take the run's id, or a name of your own");
  } else if (typeof journal === "object" && ((journal.version !== 1 && journal.version !== 2) || !Array.isArray(journal.entries) || journal.entries[0]?.key !== "start" || typeof journal.id !== "string")) {
    throw wrong("the option `journal` is no journal of this version", 'pass the `journal` of a result, or what journalFrom of "stepweave/stores" has read');
  }
  const source = typeof journal === "string" || typeof journal === "object" ? journal : undefined;
  if (source === undefined && replay !== undefined) throw wrong(`replay: "${replay}" needs the journal of an earlier run`, "pass it as `journal`");
  return { replay: replay ?? "resume", store, source, from, onMismatch: onMismatch ?? "refuse" };
}

/** The id of a run: a resumed run keeps that of its journal. */
export function idOf(journaling: Journaling | undefined, fresh: string): string {
  const source = journaling?.source;
  if (source === undefined || journaling?.replay === "edit") return fresh;
  return typeof source === "string" ? source : source.id;
}

/** The error of a run whose journal cannot be kept. */
export function unkept(error: unknown): StepweaveError {
  if (isConflict(error)) return error;
  return new StepweaveError("handler", `the journal cannot be kept: ${textOf(error)}`, {
    cause: error,
    hint: "see to the store; what it has acknowledged is safe, and the run can be resumed from there",
  });
}

/** The error of a call that is wrong. */
export function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
