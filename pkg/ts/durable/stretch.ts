import type { StepweaveError } from "../api/errors.js";
import type { Journal, JournalEntry, JournalStore } from "../api/journal.js";
import type { RunResult } from "../api/results.js";
import type { Run } from "../api/run.js";
import { notKept } from "./kept.js";

/** Engines keep 1 MiB at once, and a character takes at most three bytes. */
export const PIECE = 300_000;

/** Answers that are kept together wait for each other no longer than this. */
const TOGETHER_MS = 500;

/** A run between two stops, whose entries are handed to an engine instead of a store. */
export class Stretch {
  readonly #run: Run;
  readonly #together: number;
  #batch: JournalEntry[] = [];
  /** Those whose entries the engine has not kept. */
  #waiting: (() => void)[] = [];
  #taken: (() => void)[] = [];
  #pieces: string[] = [];
  #isDue = false;
  #due: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rejected: StepweaveError | undefined;
  #hasEnded = false;

  constructor(start: (store: JournalStore) => Run, journal: Journal | undefined, together: number) {
    this.#together = together;
    const nothing = async (): Promise<never> => Promise.reject(new Error("the journal of a run on an engine is the engine's"));
    this.#run = start({ load: async () => journal, append: (_, entries) => this.#append(entries), list: nothing, delete: nothing });
    this.#run.result.then(
      // A run that waits as it did before, as after an answer to nothing that it asks, keeps nothing of that.
      () => this.#hasEnded || this.#show(),
      (error: StepweaveError) => {
        this.#rejected = error;
        this.#show();
      },
    );
  }

  get result(): Promise<RunResult> {
    return this.#run.result;
  }

  /** The next piece of what is to be kept; of a batch without entries where the run waits as before. */
  async piece(): Promise<string> {
    if (this.#pieces.length === 0) {
      if (!this.#isDue) await new Promise<void>((due) => { this.#due = due; });
      if (this.#rejected !== undefined) return `r.${JSON.stringify(this.#rejected)}`;
      this.#take();
    }
    return this.#pieces.shift() as string;
  }

  /** The engine has kept all pieces of a batch. */
  acknowledge(): void {
    for (const kept of this.#taken.splice(0)) kept();
  }

  /** Nobody wants its entries any more: a run that still goes on ends. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#run.cancel("its engine has left it");
  }

  /** What a piece says of itself. */
  static read(kept: string): { readonly begins: boolean; readonly isLast: boolean; readonly rejected: boolean; readonly content: string } {
    if (typeof kept !== "string" || !/^(?:[bc][.+]|r\.)[\s\S]/.test(kept)) throw notKept();
    return { begins: kept.startsWith("b"), isLast: kept.charAt(1) === ".", rejected: kept.startsWith("r"), content: kept.slice(2) };
  }

  #append(entries: readonly JournalEntry[]): Promise<void> {
    this.#batch.push(...entries);
    this.#hasEnded ||= entries.at(-1)?.key === "end";
    if (this.#batch.length < this.#together && entries.at(-1)?.key !== "end") {
      this.#timer ??= setTimeout(() => this.#show(), TOGETHER_MS);
      return Promise.resolve();
    }
    return new Promise((kept) => {
      this.#waiting.push(kept);
      this.#show();
    });
  }

  #show(): void {
    this.#isDue = true;
    this.#due?.();
  }

  #take(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    const text = JSON.stringify(this.#batch);
    this.#batch = [];
    this.#taken.push(...this.#waiting.splice(0));
    for (let start = 0; start < text.length; start += PIECE) {
      const isLast = start + PIECE >= text.length;
      this.#pieces.push(`${start === 0 ? "b" : "c"}${isLast ? "." : "+"}${text.slice(start, start + PIECE)}`);
    }
  }
}
