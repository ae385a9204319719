import type { Limits } from "./document.js";
import type { RunEvent, RunResult } from "./events.js";
import type { Journal, JournalStore } from "./journal.js";

/**
 * The value of a secret and the origins it may go to. A plain text is enough for a name that belongs
 * to a known endpoint, such as `OPENAI_API_KEY`.
 *
 * ```ts
 * await workflow.run({ secrets: { MY_KEY: { value: key, origins: ["https://llm.example.com"] } } });
 * ```
 */
export type Secret = string | { value: string; origins: readonly string[] };

/** Values for the secrets that a document names. `undefined` counts as not given. */
export type Secrets = { readonly [name: string]: Secret | undefined };

/**
 * The source of a run's time. Tests use their own, so that nothing waits.
 *
 * ```ts
 * let now = 0;
 * const clock = { now: () => now, sleep: async (ms: number) => { now += ms; } };
 * await workflow.run({ clock });
 * ```
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; may resolve or reject early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): PromiseLike<void>;
}

/** A function that can stand in for `fetch`. */
export type Fetch = (url: string, init: RequestInit) => PromiseLike<Response>;

/**
 * What a single run is given.
 *
 * ```ts
 * await workflow.run({ state: { topic: "bees" }, secrets: { OPENAI_API_KEY: key }, signal: AbortSignal.timeout(60_000) });
 * ```
 */
export interface RunOptions<State = any> {
  /** Keys that are merged over the workflow's initial state. They are copied. */
  state?: Partial<State> | undefined;
  /** Values for the secrets that the workflow names. */
  secrets?: Secrets | undefined;
  /** Cancels the run when it aborts. */
  signal?: AbortSignal | undefined;
  /** Replaces `globalThis.fetch` for the calls to models. */
  fetch?: Fetch | undefined;
  /**
   * What the run may use at most, whatever its document says: of each limit the stricter one holds. `docs/untrusted.md`
   * says what else documents of others are held to.
   */
  limits?: Limits | undefined;
  /**
   * The origins that the document may send requests to, such as `["https://api.openai.com"]`; none with `[]`. Models that code
   * gives are reached in any case. Where nothing is said the document reaches everything but, outside of pages, this machine
   * and its own network.
   */
  allowOrigins?: readonly string[] | undefined;
  /** Replaces the real time. */
  clock?: Clock | undefined;
  /**
   * Keeps what the outside answers: `true` for a new journal, the journal of an earlier result or the id of one in
   * `store` to take that run up again.
   */
  journal?: true | Journal | string | undefined;
  /** Where the journal is kept, entry by entry: see `stepweave/stores`. */
  store?: JournalStore | undefined;
  /**
   * What is taken from the journal. `resume`, the default: what was answered; what failed and stopped the run is
   * tried again. `edit`: what was answered to the same question, as a new run. `strict`: everything, and what is
   * missing is an error.
   */
  replay?: "resume" | "edit" | "strict" | undefined;
  /** With `replay: "edit"`: the id of the step from which on everything runs again. */
  from?: string | undefined;
  /**
   * What happens when a run is resumed and the workflow makes another request under the key of a journal entry:
   * `refuse`, the default, reports every such step and leaves the run as it is; `anew` resumes under the same id and runs
   * these steps, and those that depend on them, again.
   */
  onMismatch?: "refuse" | "anew" | undefined;
  /** Whose run it is, for the lists of stores. What began the run counts. */
  owner?: string | undefined;
  /** What people answered, by the keys of an earlier result's `pending`. */
  answers?: { readonly [key: string]: unknown } | undefined;
  /** The random seed, from which randomness such as the jitter of retries is derived: a whole number below 2³². */
  seed?: number | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Anything that handlers should see as `context.metadata`. */
  metadata?: unknown;
  /** Anything that handlers should see as `context.dependencies`. */
  dependencies?: unknown;
}

/**
 * A run in progress.
 *
 * ```ts
 * const run = workflow.start();
 * setTimeout(() => run.cancel("it took too long"), 10_000);
 * for await (const event of run.events) console.log(event.type);
 * const result = await run.result;
 * ```
 */
export interface Run<State = any> {
  /** The run's id, also in its events and its result. */
  readonly id: string;
  /** All events of the run. Each loop over it starts at the first event; leaving a loop changes nothing. */
  readonly events: AsyncIterable<RunEvent<State>>;
  /**
   * Resolves when the run has ended, also with a failure or a cancel. It rejects only when the call itself
   * was wrong (a broken document, a bad option) or the engine failed (`internal`). Not looking at it is fine.
   */
  readonly result: Promise<RunResult<State>>;
  /**
   * Ends the run with the status `cancelled`; does nothing when it has ended. With a store, the result waits at most a
   * second for the journal's last entry to be acknowledged.
   */
  cancel(reason?: unknown): void;
}

/** The events of a run; leaving the loop cancels the run. */
export interface RunStream<State = any> extends AsyncIterableIterator<RunEvent<State>> {
  return(): Promise<IteratorResult<RunEvent<State>>>;
}
