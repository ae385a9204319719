import type { JournalEntry } from "../api/journal.js";
import type { Bounds } from "../effects/rate-limiter.js";

/** A request of the engine to the outside. */
export type Ask =
  | { readonly ask: "call"; readonly op: number; readonly called: number; readonly wants: number; readonly step: number; readonly scope: number; readonly attempt: number; readonly state: object; readonly callId: string | undefined }
  | { readonly ask: "admit"; readonly op: number; readonly step: number; readonly scope: number; readonly endpoint: string; readonly bounds: Bounds }
  | { readonly ask: "release"; readonly permit: number }
  | { readonly ask: "shut"; readonly permit: number; readonly ms: number }
  | { readonly ask: "fetch"; readonly op: number; readonly step: number; readonly scope: number; readonly request: string }
  | { readonly ask: "prepare"; readonly op: number; readonly step: number; readonly scope: number; readonly request: string }
  | { readonly ask: "exchange"; readonly op: number; readonly prepared: number }
  | { readonly ask: "read"; readonly op: number; readonly stream: number }
  | { readonly ask: "close"; readonly stream: number }
  | { readonly ask: "sleep"; readonly op: number; readonly ms: number }
  | { readonly ask: "sleepUntil"; readonly op: number; readonly time: number }
  | { readonly ask: "pause"; readonly op: number }
  | { readonly ask: "answer"; readonly op: number; readonly key: string }
  | { readonly ask: "record"; readonly op: number; readonly entry: Omit<JournalEntry, "at"> }
  | { readonly ask: "abort"; readonly op: number };

/** A request to call a function. */
export type CallAsk = Ask & { readonly ask: "call" };

/** What the engine has requested, until it is served. */
export class Asks {
  /** Those that nobody has served stand behind those that were. */
  readonly #asks: (Ask | undefined)[] = [];
  #added = 0;
  #served = 0;
  /**
   * Requests that take no time in a journal, and so are served while it answers: unanswered approvals,
   * which wait at once as they did in the recorded run, and pauses.
   */
  #open: Ask[] | undefined;
  /** The calls that wait for another turn of the event loop, by their operations. */
  #held: Map<number, CallAsk> | undefined;
  /** Goes on behind those that were taken: from the beginning of the map it would pass all of them each time. */
  #heldNext: MapIterator<CallAsk> | undefined;

  /** The earliest request of the engine that has not been served. */
  next(): Ask | undefined {
    const held = this.#heldNext?.next().value ?? (this.#heldNext = this.#held?.values())?.next().value;
    if (held === undefined) return this.#queued();
    this.#held?.delete(held.op);
    return held;
  }

  /** The earliest that is no call: those before it are held. */
  nextButCalls(): Ask | undefined {
    let ask = this.#queued();
    for (; ask?.ask === "call"; ask = this.#queued()) this.hold(ask);
    return ask;
  }

  /** Keeps a call for another turn. */
  hold(ask: CallAsk): void {
    (this.#held ??= new Map()).set(ask.op, ask);
  }

  /** Whether calls wait for another turn. */
  get isHolding(): boolean {
    return this.#held !== undefined && this.#held.size > 0;
  }

  /** Whether one of those that nobody has served is like this. */
  some(isLike: (ask: Ask) => boolean): boolean {
    return this.#asks.slice(this.#served, this.#added).some((ask) => ask !== undefined && isLike(ask));
  }

  get isEmpty(): boolean {
    return this.#served === this.#added && !this.isHolding;
  }

  #queued(): Ask | undefined {
    if (this.#served === this.#added) {
      this.#added = this.#served = 0;
      return undefined;
    }
    const ask = this.#asks[this.#served];
    this.#asks[this.#served] = undefined;
    this.#served += 1;
    return ask;
  }

  /** Gives what is to be served while a journal answers, if there is anything new. */
  takeOpen(): readonly Ask[] | undefined {
    const open = this.#open;
    this.#open = undefined;
    return open;
  }

  add(ask: Ask): void {
    this.#asks[this.#added] = ask;
    this.#added += 1;
  }

  /** Adds that nobody waits for an operation any more: a call that was held is not made. */
  addAbort(op: number): void {
    this.#held?.delete(op);
    this.add({ ask: "abort", op });
  }

  /** Adds one that is served while a journal answers. */
  addOpen(ask: Ask): void {
    (this.#open ??= []).push(ask);
  }
}
