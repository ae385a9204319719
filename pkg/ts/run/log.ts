import type { RunEvent } from "../api/events.js";

/** All events of a run. Each reader goes through it at its own pace, from the start. */
export class EventLog {
  readonly #entries: RunEvent[] = [];
  #shown = 0;
  #waiting: (() => void)[] | undefined;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /** Every event, shown or not. */
  get all(): readonly RunEvent[] {
    return this.#entries;
  }

  /** How many events there are; the next one's number. */
  get length(): number {
    return this.#entries.length;
  }

  /** Takes an event that readers see after the next {@link show}. */
  push(event: object): void {
    this.#entries.push(event as RunEvent);
  }

  /** Shows readers what was pushed. */
  show(): void {
    this.#shown = this.#entries.length;
    this.#wake();
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Nothing more will come, because of this. */
  break(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  /** A reader from the start; `left` is called when it stops early. */
  read(left?: () => void): AsyncIterableIterator<RunEvent> & { return(): Promise<IteratorResult<RunEvent>> } {
    let cursor = 0;
    let closed = false;
    const next = (): Promise<IteratorResult<RunEvent>> => {
      if (!closed && cursor < this.#shown) {
        const value = this.#entries[cursor] as RunEvent;
        cursor += 1;
        return Promise.resolve({ value, done: false });
      }
      if (closed || this.#ended) {
        if (closed || this.#failure === undefined) return Promise.resolve({ value: undefined, done: true });
        closed = true;
        return Promise.reject(this.#failure.error);
      }
      return new Promise((resolve) => (this.#waiting ??= []).push(() => resolve(next())));
    };
    return {
      next,
      return: () => {
        const early = !closed;
        closed = true;
        if (early) left?.();
        this.#wake();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Resolving promises runs no code of a reader at once, so this is safe anywhere. */
  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    for (const resume of waiting) resume();
  }
}
