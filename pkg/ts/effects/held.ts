import { StepweaveError } from "../api/errors.js";

/** Bytes that the answers to the requests of a run may have together while they are read. */
const MOST = 256 * 1024 * 1024;

/** The bytes of a run's answers that are under way, by what bounds its requests. */
const held = new WeakMap<object, { bytes: number }>();

/** What one answer holds of that. */
export class Hold {
  readonly #all: { bytes: number };
  #own = 0;

  constructor(run: object) {
    this.#all = held.get(run) ?? { bytes: 0 };
    held.set(run, this.#all);
  }

  /** Takes room for more bytes; throws `limit` where all answers together have too many. */
  take(bytes: number): void {
    this.#own += bytes;
    this.#all.bytes += bytes;
    if (this.#all.bytes <= MOST) return;
    throw new StepweaveError("limit", `the answers that are read at once have more than ${MOST} bytes together`, {
      hint: "have fewer requests under way at once, with a lower `concurrency`; or ask for less",
      retryable: false,
    });
  }

  /** Gives it back: what was made of the answer is the run's now. */
  release(): void {
    this.#all.bytes -= this.#own;
    this.#own = 0;
  }
}
