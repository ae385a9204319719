// The database of the page: every workflow, what has happened to it, its versions and its runs. No key of an endpoint
// is ever in it.
import { openDB, type DBSchema, type IDBPDatabase } from "idb";

/** The version of this schema. A page that meets a higher one leaves the database as it is. */
const VERSION = 2;
export const NAME = "stepweave-builder";

/** A workflow as a list shows it. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly changedAt: number;
  /** When it was deleted; it is kept for a while. */
  readonly deletedAt?: number;
  /** Its layout, made small. */
  readonly picture?: string;
}

/** A workflow at one moment. */
interface Snapshot {
  readonly workflow: string;
  /** The number of the last change that is in it. */
  readonly last: number;
  readonly text: string;
}

/** A document that was kept by itself. */
export interface Version {
  readonly workflow: string;
  readonly number: number;
  readonly name: string;
  readonly at: number;
  /** Whether a run made it, and not a person. */
  readonly ofRun: boolean;
  readonly document: string;
}

/** A time in which nothing of a run went on: it waited for a person, or the page was closed. */
export interface Away {
  readonly from: number;
  readonly to: number;
  readonly forPerson: boolean;
  /** Whether other steps went on meanwhile. */
  readonly beside?: true;
}

/** A run that has not ended yet, or waits for a person; or the last one that has ended. */
export interface KeptRun {
  readonly workflow: string;
  readonly run: string;
  readonly at: number;
  /** Its number among the runs of its workflow; an older page has not kept it. */
  readonly number?: number;
  readonly document: string;
  /** Whether it waits for a person. */
  readonly suspended: boolean;
  /** The names of the steps that wait; an older page has not kept them. */
  readonly asks?: readonly string[];
  /** The first words of what the first of them says to the person; an older page has not kept them. */
  readonly said?: string;
  /** When the first of what it asks is over without an answer. */
  readonly until?: number | undefined;
  /** The digests of the files that it was given, where there are any. */
  readonly files?: readonly string[];
  /** When nothing of it went on, where that is so. */
  readonly away?: readonly Away[];
  /** Whether it has ended: what is kept of it is what it emitted, as a JSON array, and what its agents and requests saw, and it has no journal any more. */
  readonly ended?: boolean;
  /** How long what it emitted is, in characters. */
  readonly length?: number;
}

interface Schema extends DBSchema {
  workflows: { key: string; value: Entry };
  snapshots: { key: string; value: Snapshot };
  /** What has happened since the snapshot, by the workflow and the number of the change. */
  changes: { key: [string, number]; value: string };
  versions: { key: [string, number]; value: Version };
  runs: { key: [string, string]; value: KeptRun };
  /** Journals of runs, by the run and the number of the entry; of those that have ended, their events. */
  entries: { key: [string, number]; value: string };
  /** The tests of workflows, and the conversations with them, as texts by the workflow. */
  tests: { key: string; value: string };
  chats: { key: string; value: string };
}

export type Database = IDBPDatabase<Schema>;

/** Why nothing can be stored: the browser refuses, a newer page has stored in another way, there is no room, another tab has changed the same, or the browser has thrown the database away. */
export type Trouble = "refused" | "newer" | "full" | "conflict" | "gone";

/** Opens the database; `leave` is called when a newer page wants to change it. */
export async function openDatabase(leave: (trouble: Trouble) => void): Promise<Database | Trouble> {
  try {
    return await openDB<Schema>(NAME, VERSION, {
      upgrade(database, before) {
        if (before < 1) {
          database.createObjectStore("workflows", { keyPath: "id" });
          database.createObjectStore("snapshots", { keyPath: "workflow" });
          database.createObjectStore("changes");
          database.createObjectStore("versions", { keyPath: ["workflow", "number"] });
          database.createObjectStore("runs", { keyPath: ["workflow", "run"] });
          database.createObjectStore("entries");
        }
        database.createObjectStore("tests");
        database.createObjectStore("chats");
      },
      blocking(_current, _wanted, event) {
        (event.target as IDBDatabase).close();
        leave("newer");
      },
      terminated: () => leave("gone"),
    });
  } catch (error) {
    return troubleOf(error);
  }
}

/** What an error of the database means to a person. */
export function troubleOf(error: unknown): Trouble {
  switch ((error as { name?: string } | null)?.name) {
    case "VersionError":
      return "newer";
    case "QuotaExceededError":
      return "full";
    case "ConstraintError":
      return "conflict";
    default:
      return "refused";
  }
}

/** All keys that begin with this id. A key that is a list comes after every number and text. */
export function all(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}

/** The keys of an id that come after a number. */
export function after(id: string, last: number): IDBKeyRange {
  return IDBKeyRange.bound([id, last], [id, []], true);
}
