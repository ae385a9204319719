// To which origins a run may send anything: those that the person agreed to, and those that the person is asked about.

/** What a run may reach. */
export class Permissions {
  readonly #ask: (origin: string) => void;
  #allowed = new Set<string>();
  /** What the person let a request of this run go to, for once or for longer. */
  #passed = new Set<string>();
  /** Who waits for an answer, by the origin. */
  readonly #waiting = new Map<string, (howLong: string) => void>();
  /** One question after the other, since the page shows one. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ask: (origin: string) => void) {
    this.#ask = ask;
  }

  /** Begins a run, to which these origins are allowed. */
  begin(allowed: readonly string[]): void {
    this.#allowed = new Set(allowed);
    this.#passed = new Set(allowed);
  }

  /** Whether the person has ever let this run go there. */
  hasPassed(origin: string): boolean {
    return this.#passed.has(origin);
  }

  /** Whether a request may go there; asks the person when nobody has said so. */
  async allows(origin: string): Promise<boolean> {
    if (this.#allowed.has(origin)) return true;
    const turn = this.#turn.then(async () => {
      // The question before this one may have been about the same origin.
      if (this.#allowed.has(origin)) return true;
      const howLong = await new Promise<string>((answered) => {
        this.#waiting.set(origin, answered);
        this.#ask(origin);
      });
      if (howLong === "run") this.#allowed.add(origin);
      const isAllowed = howLong === "run" || howLong === "once";
      if (isAllowed) this.#passed.add(origin);
      return isAllowed;
    });
    this.#turn = turn;
    return turn;
  }

  /** The person's answer: `once`, `run` or `never`. */
  answer(origin: string, howLong: string): void {
    const answered = this.#waiting.get(origin);
    this.#waiting.delete(origin);
    answered?.(howLong);
  }
}
