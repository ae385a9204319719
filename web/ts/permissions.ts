// To which origins a run may send anything: those that the person agreed to, and those that the person has to allow first.

/** What a run may reach. */
export class Permissions {
  readonly #ask: (origin: string) => void;
  #allowed = new Set<string>();
  /** What the person let a request of this run go to, for once or for longer. */
  #passed = new Set<string>();
  /** Where the person let no request of this run go. */
  readonly #denied = new Set<string>();
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
    this.#denied.clear();
  }

  /** Whether the person has ever let this run go there. */
  hasPassed(origin: string): boolean {
    return this.#passed.has(origin);
  }

  /** Whether a request may go there; asks the person when nobody has said so. */
  async allows(origin: string): Promise<boolean> {
    const said = this.#said(origin);
    if (said !== undefined) return said;
    const turn = this.#turn.then(async () => {
      // The question before this one may have been about the same origin: items of a list that wait share its answer.
      const said = this.#said(origin);
      if (said !== undefined) return said;
      const howLong = await new Promise<string>((answered) => {
        this.#waiting.set(origin, answered);
        this.#ask(origin);
      });
      if (howLong === "run") this.#allowed.add(origin);
      const isAllowed = howLong === "run" || howLong === "once";
      (isAllowed ? this.#passed : this.#denied).add(origin);
      return isAllowed;
    });
    this.#turn = turn;
    return turn;
  }

  /** What was said of all requests of this run that go there; nothing where the person has to be asked. */
  #said(origin: string): boolean | undefined {
    if (this.#allowed.has(origin)) return true;
    return this.#denied.has(origin) ? false : undefined;
  }

  /** The person's answer: `once`, `run` or `never`. */
  answer(origin: string, howLong: string): void {
    const answered = this.#waiting.get(origin);
    this.#waiting.delete(origin);
    answered?.(howLong);
  }
}
