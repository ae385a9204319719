import type { Clock } from "../api/run.js";
import { brokenClock } from "./clock.js";
import type { OwnOrigins } from "./reach.js";

/** How often the endpoint of a model may be called. */
export interface Bounds {
  /** HTTP requests in flight at once. */
  readonly concurrency: number | undefined;
  /** Requests that begin within a minute, whichever minute it is. */
  readonly requestsPerMinute: number | undefined;
}

/** Permission to call an endpoint. */
export interface Permit {
  /** Gives it back; a second time changes nothing. */
  release(): void;
  /** Lets nobody else through for so many milliseconds. */
  shut(ms: number): void;
}

interface Waiter {
  readonly bounds: Bounds;
  readonly pass: (permit: Permit) => void;
  readonly fail: (error: unknown) => void;
  /** Called once, with the milliseconds, where the endpoint holds it for long. */
  held: ((ms: number) => void) | undefined;
}

const FAILED = "it failed while a request waited for its turn";

const MINUTE_MS = 60_000;

/** What is held for less is not worth a word. */
const LONG_MS = 1000;

/**
 * The `maxBackoffMs` of runs that say nothing else. Whoever waits for longer does so by itself: what one run would put up with
 * holds no other one.
 */
const LONGEST_SHUT_MS = 60_000;

/** How often a sleep may end at the time at which it began: clocks are set back, but not so often. */
const MOST_STILL = 100;

/** Times come from clocks: runs that share a clock, as all do without their own, share their rate limiters. */
const limiters = new WeakMap<Clock, Map<string, RateLimiter>>();

/** Who has named an endpoint: code, or a document alone, which may be a stranger's and takes nothing of what code has room for. */
export type NamedBy = "code" | "document";

/** Who has named the endpoint of a request. Models that are functions are code's, and have names. */
export function namerOf(endpoint: string, own: OwnOrigins): NamedBy {
  return own === "all" || own.has(endpoint) || !/^https?:/.test(endpoint) ? "code" : "document";
}

/** The rate limiter of an endpoint for the runs of a clock. */
export function rateLimiterOf(clock: Clock, endpoint: string, namedBy: NamedBy = "code"): RateLimiter {
  let ofClock = limiters.get(clock);
  if (ofClock === undefined) limiters.set(clock, (ofClock = new Map<string, RateLimiter>()));
  const key = `${namedBy} ${endpoint}`;
  let limiter = ofClock.get(key);
  if (limiter === undefined) ofClock.set(key, (limiter = new RateLimiter(clock)));
  return limiter;
}

/** Lets requests through to an endpoint, one after another in the order in which they came, as each one's bounds allow. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #underWay = 0;
  /** When the requests of the last minute began. */
  #begun: number[] = [];
  #shutUntil = Number.NEGATIVE_INFINITY;
  /** How many sleeps have ended one after the other without the time having advanced. */
  #still = 0;
  #alarm: { readonly time: number; readonly controller: AbortController } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the request may begin; rejects when the signal aborts, or when the clock does not work. `held` is called where the endpoint has it wait. */
  admit(bounds: Bounds, signal: AbortSignal, held?: (ms: number) => void): Promise<Permit> {
    return new Promise((pass, fail) => {
      if (signal.aborted) return fail(signal.reason);
      const waiter: Waiter = { bounds, pass, fail, held };
      const leave = (): void => {
        const index = this.#waiting.indexOf(waiter);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        fail(signal.reason);
        this.#advance();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
      this.#advance();
    });
  }

  #advance(sleptSince = Number.NEGATIVE_INFINITY): void {
    try {
      const now = this.#clock.now();
      this.#still = now > sleptSince ? 0 : this.#still + 1;
      if (this.#still > MOST_STILL) return this.#giveUp("sleep() ends, and now() does not advance", undefined);
      this.#begun = this.#begun.filter((begun) => begun + MINUTE_MS > now);
      for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
        const time = this.#timeFor(waiter.bounds);
        if (time > now) {
          this.#wake(time, now);
          return this.#explain(now);
        }
        this.#waiting.shift();
        this.#underWay += 1;
        this.#begun.push(now);
        waiter.pass(this.#permit());
      }
      this.#wake(Number.POSITIVE_INFINITY, now);
    } catch (error) {
      this.#giveUp(FAILED, error);
    }
  }

  #explain(now: number): void {
    const left = this.#shutUntil - now;
    if (left < LONG_MS) return;
    // Whoever hears of it may give up at once.
    for (const waiter of [...this.#waiting]) {
      const { held } = waiter;
      waiter.held = undefined;
      held?.(left);
    }
  }

  /** When the next request may begin; never, as long as none of those in flight ends. */
  #timeFor({ concurrency = Number.POSITIVE_INFINITY, requestsPerMinute = Number.POSITIVE_INFINITY }: Bounds): number {
    if (this.#underWay >= concurrency) return Number.POSITIVE_INFINITY;
    const begun = this.#begun[this.#begun.length - requestsPerMinute];
    return begun === undefined ? this.#shutUntil : Math.max(this.#shutUntil, begun + MINUTE_MS);
  }

  /** Looks again at this time. */
  #wake(time: number, now: number): void {
    if (this.#alarm?.time === time) return;
    this.#alarm?.controller.abort();
    this.#alarm = undefined;
    if (time === Number.POSITIVE_INFINITY) return;
    const controller = new AbortController();
    this.#alarm = { time, controller };
    const asleep = async (): Promise<void> => this.#clock.sleep(time - now, controller.signal);
    const ring = (): boolean => {
      if (controller.signal.aborted) return false;
      this.#alarm = undefined;
      return true;
    };
    asleep().then(
      () => ring() && this.#advance(now),
      (error: unknown) => ring() && this.#giveUp(FAILED, error),
    );
  }

  /** A clock that does not work cannot schedule anything. */
  #giveUp(what: string, error: unknown): void {
    this.#still = 0;
    for (const { fail } of this.#waiting.splice(0)) fail(brokenClock(what, error));
  }

  #shut(ms: number): void {
    try {
      this.#shutUntil = Math.max(this.#shutUntil, this.#clock.now() + Math.min(ms, LONGEST_SHUT_MS));
    } catch (error) {
      this.#giveUp(FAILED, error);
    }
  }

  #permit(): Permit {
    let isGiven = true;
    return {
      release: () => {
        if (!isGiven) return;
        isGiven = false;
        this.#underWay -= 1;
        this.#advance();
      },
      shut: (ms) => this.#shut(ms),
    };
  }
}
