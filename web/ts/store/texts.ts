// What is kept of each workflow as one text, which the page writes as a whole: its tests, or the conversations that people
// have with it. No key is ever in it.
import type { Database } from "./database.js";

/** One such text for each workflow. */
export class Texts {
  readonly #database: Database | undefined;
  readonly #name: "tests" | "chats";
  /** Learns of a workflow that its text was stored. */
  readonly #kept: (workflow: string) => void;

  constructor(database: Database | undefined, name: "tests" | "chats", kept: (workflow: string) => void = () => {}) {
    [this.#database, this.#name, this.#kept] = [database, name, kept];
  }

  /** That of a workflow; nothing where it has none. */
  async read(workflow: string): Promise<string | undefined> {
    try {
      return await this.#database?.get(this.#name, workflow);
    } catch {
      return undefined;
    }
  }

  /** Stores it in place of what was there; whether that could be done. */
  async keep(workflow: string, text: string): Promise<boolean> {
    try {
      if (this.#database === undefined) return false;
      const transaction = this.#database.transaction(this.#name, "readwrite", { durability: "relaxed" });
      const put = transaction.store.put(text, workflow);
      // A page that is left meanwhile would break off one that is still open.
      transaction.commit();
      await Promise.all([put, transaction.done]);
      this.#kept(workflow);
      return true;
    } catch {
      return false;
    }
  }

  /** Forgets it. */
  async forget(workflow: string): Promise<void> {
    // What cannot be removed now goes with its workflow.
    await this.#database?.delete(this.#name, workflow).catch(() => {});
  }
}
