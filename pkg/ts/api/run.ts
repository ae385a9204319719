import type { ByteStore } from "./files.js";
import type { Json, Limits } from "./document.js";
import type { RunEvent } from "./events.js";
import type { RunResult } from "./results.js";
import type { Journal, JournalStore } from "./journal.js";

/** Gets another value for a secret; rejects where there is none. */
export type Renew = () => PromiseLike<string>;

/**
 * The value of a secret and the origins it may be sent to. A plain string is enough for a name that belongs
 * to a known endpoint, such as `OPENAI_API_KEY`. `renew` gets another value once an endpoint, a model's or a request's, or an
 * MCP server has refused this one with 401, and it is sent to once more: what `secret()` of a sign-in gives (`stepweave/mcp`) has it.
 *
 * ```ts
 * await workflow.run({ secrets: { MY_KEY: { value: key, origins: ["https://llm.example.com"] } } });
 * ```
 */
export type Secret = string | { value: string; origins: readonly string[]; renew?: Renew | undefined };

/** Values for the secrets that a document names. `undefined` counts as absent. */
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
  /** Resolves after `ms`, by which `now()` has advanced then; may resolve or reject early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): PromiseLike<void>;
}

/** A function that can replace `fetch`. */
export type Fetch = (url: string, init: RequestInit) => PromiseLike<Response>;

/**
 * Decides whether a run may send something to an origin: anything but `true` means no. The time that it takes, for example
 * to ask a person, is no part of the time that an endpoint has.
 */
export type MayReach = (origin: string) => boolean | PromiseLike<boolean>;

/**
 * A relay, through which requests go to sites that no page may read: such as that of `examples/relay`. It sees what is sent
 * and what comes back.
 */
export interface Relay {
  /** Its address. */
  url: string;
  /** The token that it was set up with. */
  token: string;
  /** `true` lets requests with a key go through it too. By default these fail and nothing is sent. */
  secrets?: boolean | undefined;
}

/**
 * The trace that a run belongs to, by the standard W3C Trace Context. `traced()` of `stepweave/otel` makes spans of it; without
 * that the `traceparent` is passed on as it is.
 *
 * ```ts
 * await workflow.run({ trace: { parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", origins: ["https://api.example.com"] } });
 * ```
 */
export interface TraceOptions {
  /** The `traceparent` of the request that the run is for; what is none is ignored. */
  parent?: string | null | undefined;
  /** The origins that receive a `traceparent` with the requests of the run; nobody else does, and in a page nobody. */
  origins?: readonly string[] | undefined;
}

/**
 * The options of a single run.
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
   * Limits of the run, whatever its document says: of each limit the stricter one applies. `docs/untrusted.md`
   * describes the other bounds on untrusted documents.
   */
  limits?: Limits | undefined;
  /**
   * The origins that the document may send requests to, such as `["https://api.openai.com"]`; none with `[]`. What code names
   * can always be reached: its models, and the literal addresses of its `http` steps and tools. By default the document can
   * reach everything but, outside of pages, this machine and its own network.
   */
  allowOrigins?: readonly string[] | undefined;
  /**
   * Decides about each request of the document, once `allowOrigins` and the document itself allow it, for example by asking
   * a person. What code names is sent without asking.
   */
  mayReach?: MayReach | undefined;
  /**
   * Sends the requests of steps and tools, not those to models, through a relay. A function is called for each request, once
   * that may be sent, and may take its time: with `mayReach`, a person can say both at once.
   */
  relay?: Relay | (() => Relay | undefined | Promise<Relay | undefined>) | undefined;
  /** The trace that the run belongs to, and the origins that receive it. */
  trace?: TraceOptions | undefined;
  /** Replaces the real time. */
  clock?: Clock | undefined;
  /**
   * Keeps the answers of the outside: `true` for a new journal, the journal of an earlier result or the id of one in
   * `store` to resume that run.
   */
  journal?: true | Journal | string | undefined;
  /** Where the journal is kept, entry by entry: see `stepweave/stores`. */
  store?: JournalStore | undefined;
  /**
   * Waits that last longer than so many milliseconds suspend the run, once nothing else of it goes on: its result says with
   * `wakeAt` when to resume it. By default a run waits in memory. Needs a journal.
   */
  longWaitMs?: number | undefined;
  /**
   * Which answers of the journal are used. `resume`, the default: all; the failure that stopped the run is tried
   * again. `edit`: those to unchanged requests, as a new run. `strict`: all, and a missing one is an
   * error.
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
  /** The owner of the run, for the lists of stores. The value at its first start counts. */
  owner?: string | undefined;
  /** What has the bytes of the files that the state names by their digests: the store that `readFiles` kept them in. */
  files?: ByteStore | undefined;
  /** The answers of people, by the keys of an earlier result's `pending`. */
  answers?: { readonly [key: string]: unknown } | undefined;
  /**
   * Steps that are not run and give a pinned output: `true` for the `pins` of the document, or outputs by the ids of
   * steps, which are used instead of those. A function's output is its patch. For trials: without the option every step is
   * run. A resumed run keeps the pins it began with.
   */
  pins?: boolean | { readonly [step: string]: Json } | undefined;
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
 * The options of a run whose workflow has an `input` with keys that have to be given: its `state` has them, unless the run goes on
 * from a journal.
 */
export type RunOptionsWithInput<Input> = RunOptions<Input> & ({ journal: Journal | string | undefined } | { state: Input });

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

/** By this a workflow has what checks options for its runs before one begins; throws `validation`. The same in every copy of the package. */
export const CHECK: unique symbol = Symbol.for("stepweave.check") as never;
