/** How long a run of functions that never wait may keep the thread, in milliseconds and in polls. */
const TURN_MS = 10;
const TURN_POLLS = 500;

/** A run's turn of the event loop, by the time of this machine: a run's own clock may be one that tests wind. */
export class Turn {
  #began = 0;
  #polls = 0;

  /** `now` is the real time, where it is known: reading it is a good part of the cost of a poll. */
  begin(now = Date.now()): void {
    this.#began = now;
    this.#polls = 0;
  }

  countPoll(): void {
    this.#polls += 1;
  }

  /** Whether others go first. `now` is as above. */
  isOver(now: number | undefined): boolean {
    return this.#polls > TURN_POLLS || (this.#polls > 1 && this.isUsedUp(now));
  }

  /** Whether its time is over. `now` is as above. */
  isUsedUp(now = Date.now()): boolean {
    return now - this.#began > TURN_MS;
  }
}
