// Conversations that people have with their workflows: one record for each workflow, which the page writes as a whole. It
// holds what was said and the messages that the next turn goes on with, and never a key.
import type { Database } from "./database.js";

/** The conversations of all workflows. */
export class Chats {
  readonly #database: Database | undefined;

  constructor(database: Database | undefined) {
    this.#database = database;
  }

  /** What is stored of a workflow's conversations. */
  async read(workflow: string): Promise<string | undefined> {
    try {
      return (await this.#database?.get("chats", workflow))?.text;
    } catch {
      return undefined;
    }
  }

  /** Stores them in place of what was there; whether that could be done. */
  async keep(workflow: string, text: string): Promise<boolean> {
    try {
      if (this.#database === undefined) return false;
      await this.#database.put("chats", { workflow, text });
      return true;
    } catch {
      return false;
    }
  }

  /** Forgets them. */
  async forget(workflow: string): Promise<void> {
    // What cannot be removed now goes with its workflow.
    await this.#database?.delete("chats", workflow).catch(() => {});
  }
}
