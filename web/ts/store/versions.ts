// Versions of workflows: documents that were kept by themselves, at each run and when a person asked for it.
import { all, type Database, type Version } from "./database.js";

/** How many versions that runs have made are kept of a workflow; those of a person all stay. */
const MOST_OF_RUNS = 50;

/** What a list says of a version. */
export type VersionEntry = Omit<Version, "document" | "workflow">;

/** The versions of all workflows. */
export class Versions {
  readonly #database: Database | undefined;

  constructor(database: Database | undefined) {
    this.#database = database;
  }

  /** Keeps a document of this name, which a person has given it. */
  keep(workflow: string, name: string, document: string): Promise<boolean> {
    return this.#keep({ workflow, name, document, ofRun: false });
  }

  /** Keeps the document that a run begins with, unless the newest version is the same. */
  keepOfRun(workflow: string, document: string): Promise<boolean> {
    return this.#keep({ workflow, name: "", document, ofRun: true });
  }

  /** The versions of a workflow, the newest first. */
  async list(workflow: string): Promise<readonly VersionEntry[]> {
    const versions = (await this.#database?.getAll("versions", all(workflow)).catch(() => [])) ?? [];
    return versions.map(({ document: _, workflow: __, ...entry }) => entry).reverse();
  }

  /** The document of a version. */
  async read(workflow: string, number: number): Promise<string | undefined> {
    try {
      return (await this.#database?.get("versions", [workflow, number]))?.document;
    } catch {
      return undefined;
    }
  }

  /** Gives a version a name; one that has a name stays, however many runs there are. */
  async rename(workflow: string, number: number, name: string): Promise<boolean> {
    try {
      const transaction = this.#begin();
      const version = await transaction.store.get([workflow, number]);
      if (version === undefined) return false;
      void transaction.store.put({ ...version, name, ofRun: version.ofRun && name === "" });
      await transaction.done;
      return true;
    } catch {
      return false;
    }
  }

  /** Removes a version; `restore` brings it back. */
  remove(workflow: string, number: number): Promise<boolean> {
    return import("./removed.js").then(
      ({ remove }) => remove(this.#database, workflow, number),
      () => false,
    );
  }

  /** Brings the version back that was removed last of a workflow. */
  restore(workflow: string): Promise<boolean> {
    return import("./removed.js").then(
      ({ restore }) => restore(this.#database, workflow),
      () => false,
    );
  }

  async #keep(version: Omit<Version, "number" | "at">): Promise<boolean> {
    try {
      const transaction = this.#begin();
      const { store } = transaction;
      const newest = (await store.openCursor(all(version.workflow), "prev"))?.value;
      if (version.ofRun && newest?.document === version.document) return true;
      void store.add({ ...version, number: (newest?.number ?? 0) + 1, at: Date.now() });
      if (version.ofRun) {
        let ofRuns = 0;
        for (let cursor = await store.openCursor(all(version.workflow), "prev"); cursor !== null; cursor = await cursor.continue()) {
          if (!cursor.value.ofRun) continue;
          ofRuns += 1;
          if (ofRuns > MOST_OF_RUNS) void cursor.delete();
        }
      }
      await transaction.done;
      return true;
    } catch {
      return false;
    }
  }

  #begin() {
    if (this.#database === undefined) throw new Error("nothing is stored");
    return this.#database.transaction("versions", "readwrite");
  }
}
