import { StepweaveError } from "../api/errors.js";
import type { JournalEntry, JournalStore, RunSummary } from "../api/journal.js";
import { newId } from "../effects/ids.js";
import { isConflict } from "../journal/errors.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import { telling } from "./told.js";
import { AT_A_TIME, type WakeOptions, type Woken } from "./wake.js";

/** How a poller works. */
export interface PollerOptions extends WakeOptions {
  /** The handler's store: instances that share it take turns. */
  readonly store: JournalStore;
  /** How often to look for runs that are due, in milliseconds; 30 seconds by default. */
  readonly everyMs?: number | undefined;
  /** The id of the journal that says whose turn it is; `stepweave-poller` by default. Give each workflow of a store its own. */
  readonly lease?: string | undefined;
  /** Receives what went wrong; the next look comes all the same. `console.error` by default. */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** A poller at work. */
export interface Poller {
  /** Stops looking. Resolves when the runs that it has woken stand still. */
  stop(): Promise<void>;
}

const KEYS = ["store", "everyMs", "lease", "onError", "limit", "staleMs"];
/** How many entries a lease may have before it begins anew. */
const ENTRIES = 200;

/**
 * Wakes the runs of a handler where no cron does: in a process that stays, such as Node. Of several instances over one store
 * one looks at a time; when it ends, another one takes over.
 *
 * ```ts
 * const store = memoryStore();
 * const serve = handler(workflow, { authorize: bearer({ shop: token }), store, run: { longWaitMs: 60_000 } });
 * const polling = poller(serve, { store });
 * await polling.stop();
 * ```
 */
export function poller(serve: { wake(options?: WakeOptions): Promise<Woken> }, options: PollerOptions): Poller {
  if (!reading("the handler of poller()", () => typeof serve?.wake === "function")) throw wrong("poller() needs a handler", "write poller(handler(…), { store })");
  const { store, everyMs, lease, onError, wake } = reading("the options of poller()", () => checked(options));
  const turn = new Lease(store, lease);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let looking: Promise<void> = Promise.resolve();
  /** Resolves with how long the next look may wait: where as many runs were due as go at a time, more may be. */
  const look = async (): Promise<number> => {
    try {
      // A holder that misses two looks has ended.
      if (!(await turn.take(3 * everyMs))) return everyMs;
      return (await serve.wake(wake)).runs.length < (wake.limit ?? AT_A_TIME) ? everyMs : 0;
    } catch (error) {
      await onError(error);
      return everyMs;
    }
  };
  const later = (ms: number): void => {
    if (!isOver) timer = setTimeout(lookAgain, ms);
  };
  const lookAgain = (): void => void (looking = look().then(later, () => later(everyMs)));
  lookAgain();
  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      await looking;
      await turn.leave().catch(onError);
    },
  };
}

/** The options as they are used; `wake` has those for each look. */
function checked(options: PollerOptions) {
  const { store, everyMs = 30_000, lease = "stepweave-poller", onError, ...wake } = optionsFrom(options, KEYS, "poller()") as PollerOptions;
  if ((["load", "append", "delete"] as const).some((name) => typeof store?.[name] !== "function")) throw wrong(`the option \`store\` of poller() is ${quoted(store)}`, "give it the store of the handler");
  // A longer timer ends at once in every runtime.
  if (!(Number.isInteger(everyMs) && everyMs > 0 && everyMs < 2 ** 31)) throw wrong(`the option \`everyMs\` of poller() is ${quoted(everyMs)}`, "write milliseconds, a whole number above 0 and below 2³¹");
  if (typeof lease !== "string" || lease === "") throw wrong(`the option \`lease\` of poller() is ${quoted(lease)}`, "write a name");
  if (onError !== undefined && typeof onError !== "function") throw wrong(`the option \`onError\` of poller() is ${quoted(onError)}`, "write a function");
  return { store, everyMs, lease, onError: telling(onError), wake };
}

/** Whose turn it is, as a journal in the store: of two who append to it at once, one is refused. */
class Lease {
  readonly #store: JournalStore;
  readonly #id: string;
  readonly #holder = newId();

  constructor(store: JournalStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** Takes or keeps the turn for so long; false while it is another's. */
  async take(ms: number): Promise<boolean> {
    const now = Date.now();
    const entries = (await this.#store.load(this.#id))?.entries ?? [];
    const { holder, until } = lastOf(entries);
    if (holder !== this.#holder && until > now) return false;
    // Only its holder does this, while the turn is its own.
    if (holder === this.#holder && entries.length > ENTRIES) {
      await this.#store.delete(this.#id);
      return this.#append([], now + ms);
    }
    return this.#append(entries, now + ms);
  }

  /** Gives the turn back, so that another takes it at once. */
  async leave(): Promise<void> {
    const entries = (await this.#store.load(this.#id))?.entries ?? [];
    if (lastOf(entries).holder === this.#holder) await this.#append(entries, 0);
  }

  async #append(entries: readonly JournalEntry[], until: number): Promise<boolean> {
    const at = Date.now();
    const first: JournalEntry[] = entries.length === 0 ? [{ key: "start", at, seq: 0, ok: { version: 2, workflow: this.#id, state: {} } }] : [];
    const taken: JournalEntry = { key: "lease", at, seq: entries.length + first.length, ok: { holder: this.#holder, until } };
    const summary: RunSummary = { status: "done", documentName: this.#id, updatedAt: at };
    try {
      await this.#store.append(this.#id, [...first, taken], entries.length, summary);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }
}

/** Who has the turn, and until when. */
function lastOf(entries: readonly JournalEntry[]): { readonly holder?: string; readonly until: number } {
  const { holder, until } = Object(entries.at(-1)?.ok) as { holder?: unknown; until?: unknown };
  return { ...(typeof holder === "string" && { holder }), until: typeof until === "number" ? until : 0 };
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
