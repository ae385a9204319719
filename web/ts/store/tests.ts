// The tests of workflows, as the text that a person has written.
import type { Database } from "./database.js";

/** The tests of all workflows. */
export class Tests {
  readonly #database: Database | undefined;

  constructor(database: Database | undefined) {
    this.#database = database;
  }

  /** Those of a workflow; nothing where it has none. */
  async read(workflow: string): Promise<string | undefined> {
    try {
      return await this.#database?.get("tests", workflow);
    } catch {
      return undefined;
    }
  }

  /** Keeps those of a workflow; whether it could. */
  async keep(workflow: string, text: string): Promise<boolean> {
    try {
      await this.#database?.put("tests", text, workflow);
      return this.#database !== undefined;
    } catch {
      return false;
    }
  }
}
