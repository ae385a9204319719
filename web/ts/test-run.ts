// Tests that run in a worker of their own, as the builder follows them.
import type { Tested } from "./tests.js";

/** Tests under way. */
export class TestRun {
  readonly #worker: Worker;
  readonly #said: Tested[] = [];
  #isOver = false;
  #wake = (): void => {};

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<{ tested?: Tested } | null>) => {
      if (data?.tested !== undefined) this.#hear(data.tested);
    });
    worker.addEventListener("error", () => {
      this.#hear({ error: "The worker in which tests run has stopped." });
      this.stop();
    });
  }

  /** The next that comes of them as JSON text; nothing once they are over. */
  async next(): Promise<string | undefined> {
    while (this.#said.length === 0) {
      if (this.#isOver) return undefined;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    return JSON.stringify(this.#said.shift());
  }

  /** Stops them. */
  stop(): void {
    this.#isOver = true;
    this.#worker.terminate();
    this.#wake();
  }

  #hear(tested: Tested): void {
    if ("end" in tested) return this.stop();
    this.#said.push(tested);
    this.#wake();
  }
}
