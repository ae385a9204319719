import type { StepweaveError } from "../api/errors.js";
import type { RunResult } from "../api/results.js";

/** How long a run that is cancelled waits for its store to keep the end, in milliseconds. */
const PATIENCE_MS = 1000;

/** How a run ended: with a result, or with the error of a call that was wrong. */
export type Conclusion = { readonly result: RunResult } | { readonly error: StepweaveError };

/** How a run ends, for those who wait for it. */
export class Outcome {
  #end: Conclusion | undefined;
  // Created when the result is read: of many runs only the events are.
  #result: Promise<RunResult> | undefined;
  #resolve: ((result: RunResult) => void) | undefined;
  #reject: ((error: StepweaveError) => void) | undefined;
  /** While the end is still being written into the journal. */
  #writing: Promise<void> | undefined;
  /** Lets the wait for that end soon. */
  #hurry: (() => void) | undefined;
  /** While listeners are still to be called. */
  #listening: Promise<void> | undefined;
  /** Whether the result has settled. */
  #isGiven = false;
  /** Called when the result settles. */
  onSettled: (() => void) | undefined;

  get isThere(): boolean {
    return this.#end !== undefined;
  }

  /** Whether there is a result that nobody has been given so far: what is added to it is seen. */
  get hasUnseenResult(): boolean {
    return !this.#isGiven && this.#end !== undefined && "result" in this.#end;
  }

  get result(): Promise<RunResult> {
    if (this.#result === undefined) {
      this.#result = new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      });
      if (this.#end !== undefined) this.#close();
    }
    return this.#result;
  }

  /** The run has ended. */
  set(end: Conclusion): void {
    this.#end = end;
    this.#close();
  }

  /** The result settles after listeners have been called for the last event. */
  awaitListeners(called: Promise<void> | undefined): void {
    this.#listening = called;
  }

  /** The result settles when the end is in the journal, or writing it was given up. */
  awaitJournal(written: Promise<void>): void {
    this.#writing = new Promise((resolve) => {
      let patience: ReturnType<typeof setTimeout> | undefined;
      const close = (): void => {
        clearTimeout(patience);
        this.#hurry = undefined;
        resolve();
      };
      this.#hurry = () => void (patience ??= setTimeout(close, PATIENCE_MS));
      written.then(close, close);
    });
  }

  /** A store may never answer: whoever cancels a run that waits for nothing else does not wait longer than it must. */
  hurry(): void {
    this.#hurry?.();
  }

  #close(): void {
    if (this.#writing === undefined && this.#listening === undefined) this.#settle();
    else void Promise.all([this.#writing, this.#listening]).then(() => this.#settle());
  }

  #settle(): void {
    this.#isGiven = true;
    this.onSettled?.();
    const end = this.#end as Conclusion;
    if ("result" in end) return this.#resolve?.(end.result);
    // If nobody looks at the result, the runtime must not report its failure.
    this.#result?.catch(() => {});
    this.#reject?.(end.error);
  }
}
