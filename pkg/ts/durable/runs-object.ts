import type { JournalStore } from "../api/journal.js";
import { StepweaveError } from "../api/errors.js";
import { isObject } from "../api/json.js";
import { isMark } from "../http/asking.js";
import { serve } from "../http/handler.js";
import type { ServerOptions, WhoMayCall } from "../http/options.js";
import type { ResumeOptions } from "../http/resume-options.js";
import type { OptionsOfRuns, ServedRunOptions } from "../http/run-options.js";
import type { ServedRuns } from "../http/served-runs.js";
import { ofRun } from "../http/problem.js";
import { telling } from "../http/told.js";
import type { Deployed } from "../journal/documents.js";
import { memoryStore } from "../journal/memory.js";
import { sqlStore, type SqlStorage, type SqlStore } from "../journal/sql.js";
import type { Inspection } from "../journal/inspect.js";
import { quoted, reading, withoutUndefined } from "../schema/options.js";

/** While runs go on, an alarm comes so often: it keeps the object in memory, and takes the runs up again where that was lost. */
const HEARTBEAT_MS = 30_000;

/** Waits up to this stay in memory: to be evicted and to wake up costs more. */
const LONG_WAIT_MS = 10_000;

/** A run that cannot be resumed, such as one of a document that has changed, is tried again after so long. */
const RETRY_MS = 3_600_000;

/** What is due is started for so long in one go; what is left comes with the next alarm, after a pause. */
const WAKING_MS = 10_000;
const PAUSE_MS = 1000;

/** What this uses of the first argument of a Durable Object's constructor. */
export interface ObjectContext {
  readonly storage: SqlStorage & { getAlarm(): Promise<number | null>; setAlarm(time: number): Promise<void> };
  waitUntil(promise: Promise<unknown>): void;
}

/** The options of {@link runsObject}: those of `handler()`, but for the store, which is the object's own. */
export type RunsObjectOptions = Omit<ServerOptions, "store"> & WhoMayCall;

/** A Durable Object that keeps runs and drives them. */
export interface RunsObject {
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
  /**
   * Resumes a run, however it has ended, and resolves with how it stands then. No address leads here: only a Worker that has
   * the object calls it, where the class is made with `DurableObject`.
   */
  resume(runId: string, options?: ResumeOptions): Promise<Inspection>;
}

/**
 * Makes a Durable Object of a workflow: it serves the addresses of `handler()`, keeps its runs in its SQLite database, is
 * evicted while they wait, and wakes by itself. With `DurableObject` of "cloudflare:workers" as `base` Workers call its
 * method `resume`, and `DurableObjectNamespace<Runs>` is its type. The page docs/durable.md says how it is deployed.
 *
 * ```ts
 * import { bearer } from "stepweave/http";
 * import { runsObject } from "stepweave/durable";
 *
 * interface Env { TOKEN: string; RUNS: { getByName(name: string): { fetch(request: Request): Promise<Response> } } }
 *
 * export class Runs extends runsObject(workflow, ({ TOKEN }: Env) => ({ authorize: bearer({ shop: TOKEN }) })) {}
 *
 * export default { fetch: (request: Request, env: Env) => env.RUNS.getByName("all").fetch(request) };
 * ```
 */
export function runsObject<Env = unknown, Base extends object = object>(
  workflow: Deployed,
  options: RunsObjectOptions | ((env: Env) => RunsObjectOptions),
  base?: abstract new (context: any, env: any) => Base,
): new (context: ObjectContext, env: Env) => RunsObject & Base {
  // Faults that do not depend on the environment are found where the Worker is loaded.
  if (typeof options !== "function") serve(workflow, reading("the options of runsObject()", () => ({ ...options, store: memoryStore() })));
  if (base !== undefined && typeof base !== "function") throw new StepweaveError("validation", `the third argument of runsObject() is ${quoted(base)}`, { hint: 'pass DurableObject of "cloudflare:workers", or nothing' });
  const Extended = (base ?? class {}) as new (context: ObjectContext, env: Env) => object;
  return class extends Extended {
    readonly #runs: ObjectRuns;

    constructor(context: ObjectContext, env: Env) {
      super(context, env);
      this.#runs = new ObjectRuns(workflow, typeof options === "function" ? options(env) : options, context);
    }

    fetch(request: Request): Promise<Response> {
      return this.#runs.fetch(request);
    }

    alarm(): Promise<void> {
      return this.#runs.alarm();
    }

    resume(runId: string, options?: ResumeOptions): Promise<Inspection> {
      return this.#runs.resume(runId, options);
    }
  } as unknown as new (context: ObjectContext, env: Env) => RunsObject & Base;
}

/** The runs of one object. */
class ObjectRuns {
  readonly #context: ObjectContext;
  readonly #store: SqlStore;
  readonly #served: ReturnType<typeof serve>;
  readonly #onError: (error: unknown) => Promise<void>;
  /** When the alarm comes, as far as this life of the object knows. */
  #alarmAt = Infinity;
  #revived: Promise<void> | undefined;

  constructor(workflow: Deployed, options: RunsObjectOptions, context: ObjectContext) {
    const { run: own, onError } = options;
    this.#context = context;
    this.#store = sqlStore(reading("the context of a Durable Object", () => (Object(context) as ObjectContext).storage));
    this.#onError = telling(onError);
    // What is no options is refused by what checks them.
    const over = (own: ServedRunOptions | undefined): ServedRunOptions => (own === undefined || isObject(own) ? { longWaitMs: LONG_WAIT_MS, ...withoutUndefined(own ?? {}) } : own);
    const run: OptionsOfRuns = typeof own === "function" ? async (principal, request) => over(await own(principal, request)) : over(own);
    // The store is of this object alone: its runs are of this workflow, however that was named when they began.
    this.#served = serve(workflow, { ...options, run, store: this.#alarmed(this.#store) }, () => true);
  }

  async fetch(request: Request): Promise<Response> {
    await (this.#revived ??= this.#revive());
    return this.#served.fetch(request, undefined, this.#context);
  }

  async resume(id: string, options?: ResumeOptions): Promise<Inspection> {
    await (this.#revived ??= this.#revive());
    const resumed = this.#served.fetch.resume(id, options);
    this.#context.waitUntil(resumed.catch(() => {}));
    return resumed;
  }

  async alarm(): Promise<void> {
    this.#alarmAt = Infinity;
    await (this.#revived = this.#revive());
    await this.#wake();
    if (this.#runs.isBusy) await this.#wakeBy(Date.now() + HEARTBEAT_MS);
    const earliest = this.#store.earliest();
    if (earliest !== undefined) await this.#wakeBy(Math.max(earliest, Date.now() + PAUSE_MS));
  }

  get #runs(): ServedRuns {
    return this.#served.runs;
  }

  /** Whatever is kept of a run is kept together with the alarm that wakes it. */
  #alarmed(store: JournalStore): JournalStore {
    return {
      ...store,
      append: async (id, entries, expectedSeq, summary) => {
        const heartbeat = summary.status === "running" ? Date.now() + HEARTBEAT_MS : Infinity;
        // Marks that people have yet to be asked are among them.
        const waits = summary.status === "suspended" ? (summary.wakeAt ?? Infinity) : Infinity;
        await Promise.all([this.#wakeBy(Math.min(heartbeat, waits)), store.append(id, entries, expectedSeq, summary)]);
      },
    };
  }

  /** Has the object woken at this time, or earlier. */
  async #wakeBy(time: number): Promise<void> {
    if (time >= this.#alarmAt) return;
    const before = this.#alarmAt;
    this.#alarmAt = time;
    await this.#context.storage.setAlarm(time).catch((error: unknown) => {
      // Whoever asks next sets it: a run that this stopped is taken up then.
      this.#alarmAt = before;
      throw error;
    });
  }

  /** Resumes runs that went on when an earlier life of the object ended. */
  async #revive(): Promise<void> {
    // An alarm of an earlier life may come sooner than any that is set now.
    this.#alarmAt = (await this.#context.storage.getAlarm()) ?? Infinity;
    for (let last: string | undefined; ; ) {
      const ids = this.#store.running(last, 100);
      for (const id of ids) await this.#resume(id);
      last = ids.at(-1);
      if (last === undefined) return;
    }
  }

  /** Resumes suspended runs whose time has come, the earliest first. */
  async #wake(): Promise<void> {
    const began = Date.now();
    while (Date.now() - began < WAKING_MS) {
      const ids = this.#store.due(began, this.#runs.room);
      const started = (await Promise.all(ids.map((id) => this.#resume(id)))).filter((result) => result !== undefined);
      if (started.length === 0) return;
      // Most of them end soon, and make room for others.
      await Promise.race([Promise.all(started.map(({ ended }) => ended)), new Promise((resolve) => setTimeout(resolve, PAUSE_MS))]);
    }
  }

  /** Resolves when the run goes on, with what settles at its end; nothing when it goes on already, or cannot. */
  async #resume(id: string): Promise<{ readonly ended: Promise<unknown> } | undefined> {
    if (this.#runs.room === 0) return undefined;
    try {
      if (isMark(id)) return await this.#runs.askAgain(id);
      const run = await this.#runs.resume(id);
      return run === undefined ? undefined : { ended: run.result.catch((error: unknown) => this.#leave(id, error)) };
    } catch (error) {
      await this.#leave(id, error);
      return undefined;
    }
  }

  /** What cannot be resumed now may be with the next version of the Worker. */
  async #leave(id: string, error: unknown): Promise<undefined> {
    this.#store.putOff(id, Date.now() + RETRY_MS);
    await this.#wakeBy(Date.now() + RETRY_MS);
    await this.#onError(ofRun(id, error));
  }
}
