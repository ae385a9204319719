// The workers in which workflows are checked and run. The page loads this with its first check, after its first card.
import { promptApi, type RunEvent } from "stepweave/slim";
import { connect, type Connection, type RemoteRunOptions } from "stepweave/worker";
import { allAllowed, allow, allowedTo } from "./allowed.js";
import type { Outcome } from "./outcome.js";
import { NOT_LOADED } from "./run.js";
import type { Allow, Asked, Lacking, Ordered, Permitted } from "./runner.js";
import type { Away } from "./store/database.js";
import { Seen } from "./seen.js";
import { TestRun } from "./test-run.js";
import type { TestOrder } from "./tests.js";

/** A run in a worker. */
export type RemoteRun = Pick<ReturnType<Connection["start"]>, "result" | "cancel"> & {
  readonly events: AsyncIterable<RunEvent>;
  /** The times in which a person was asked about an origin, since the last call. */
  answered(): readonly Away[];
  /** The states that those of its steps saw that have sent something, as they are kept. */
  sent(): string;
};

/** What a run is given: its secrets, its journal if it may wait for a person, the answers, whether pins are used, and where it begins. */
export type RunOptions = Pick<RemoteRunOptions, "state" | "secrets" | "journal" | "answers" | "pins" | "replay" | "from" | "onJournal">;

/** A worker for runs, and a second one for checks as long as a run keeps the first one busy. */
export class Workers {
  readonly seen = new Seen();
  #connection: Connection | undefined;
  #checker: Connection | undefined;
  #worker: Worker | undefined;
  /** Where the latest run may send anything, and through what. */
  #may: Allow = { allow: [], relay: undefined };
  /** Which workflow the latest run is of, and its document: what is always allowed to it holds for these. */
  #latest = { workflow: "", document: "" };
  #running = 0;
  /** Whether a file of the worker did not come: a browser does not fetch it again in the same worker. */
  #isLacking = false;
  /** Origins that runs ask about, and who waits for the next one. */
  readonly #origins: string[] = [];
  #wake = (origin: string): void => void this.#origins.push(origin);
  /** When the last question was asked, and the times of those that were answered. */
  #askedAt = 0;
  #answered: Away[] = [];

  /** Begins a run of a workflow by this name, which may send something to these origins, through a relay that the person has chosen. */
  start(name: string, workflow: string, document: string, options: RunOptions, may: Allow): RemoteRun {
    this.#latest = { workflow, document };
    const run = this.#connect({ ...may, allow: [...may.allow, ...allowedTo(workflow, document)] }).start(document, options);
    this.#answered = [];
    this.#running += 1;
    const end = (): void => {
      this.#running -= 1;
    };
    run.result.then(end, (error: unknown) => {
      end();
      this.#forget(error);
    });
    return { events: this.seen.keeping(name, run.events), result: run.result, cancel: (reason) => run.cancel(reason), answered: () => this.#answered.splice(0), sent: () => this.seen.sent(name, document) };
  }

  /** Every problem of a document. */
  async validate(document: string): Promise<readonly object[]> {
    const checker = this.#running === 0 ? this.#connect() : (this.#checker ??= connect(newWorker));
    try {
      return await checker.validate(document);
    } catch (error) {
      this.#forget(error);
      throw error;
    }
  }

  /** Runs a workflow that asks an endpoint whether it works, in a worker that reaches nothing else; gives its outcome. */
  async probe(document: string, secrets: RunOptions["secrets"], origin: string): Promise<unknown> {
    const connection = connect(() => {
      const worker = newWorker();
      worker.postMessage({ allow: [origin], relay: undefined } satisfies Allow);
      return worker;
    });
    try {
      const { status, state, errors } = await connection.start(document, { secrets: secrets ?? {} }).result;
      return { status, state, errors: errors.map(({ message, hint }) => ({ message, hint: hint?.replace(THROUGH_RELAY, OWN_RELAY) })) };
    } finally {
      connection.close();
    }
  }

  /** Runs tests of a workflow, which may send something to these origins, in a worker of their own. */
  test(order: TestOrder, workflow: string, origins: readonly string[]): TestRun {
    const worker = newWorker();
    const run = new TestRun(worker);
    worker.postMessage({ allow: [...origins, ...allowedTo(workflow, order.document)], relay: order.relay } satisfies Allow);
    worker.postMessage({ order } satisfies Ordered);
    return run;
  }

  /** What a workflow that sends nothing makes of its values, or why it fails. It gives the key `preview`, or asks a person the text; more than so many characters are left out. */
  async evaluate(document: string, most: number): Promise<Outcome> {
    const evaluator = this.#running === 0 ? this.#connect() : (this.#checker ??= connect(newWorker));
    try {
      const { state, errors, pending } = await evaluator.start(document, { pins: true, journal: true }).result;
      const [failure] = errors;
      if (failure !== undefined) return { error: failure.message };
      const value = pending?.[0]?.message ?? state["preview"];
      const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
      return { value: text.length > most ? `${text.slice(0, most)}…` : text };
    } catch (error) {
      this.#forget(error);
      throw error;
    }
  }

  /** The next origin that a run asks about. */
  async nextOrigin(): Promise<string> {
    return this.#origins.shift() ?? new Promise((wake) => (this.#wake = wake));
  }

  /** Answers a run that asks about an origin, and has its requests go through a relay from then on where there is one. */
  allow(origin: string, howLong: string, relay = this.#may.relay): void {
    this.#may = { ...this.#may, relay };
    this.#answered.push({ from: this.#askedAt, to: Date.now(), forPerson: true, beside: true });
    const isAlways = howLong === "always";
    if (isAlways) allow(this.#latest.workflow, this.#latest.document, origin);
    this.#worker?.postMessage({ permitted: origin, howLong: isAlways ? "run" : howLong, relay } satisfies Permitted);
  }

  /** The origins that are always allowed to runs of a workflow, without this one from now on. */
  allowed(workflow: string, without?: string): readonly string[] {
    return allAllowed(workflow, without);
  }

  #hear = ({ data }: MessageEvent<Partial<Asked & Lacking> | null>): void => {
    this.#isLacking ||= data?.lacking === true;
    if (typeof data?.asked !== "string") return;
    this.#askedAt = Date.now();
    const wake = this.#wake;
    this.#wake = (origin) => void this.#origins.push(origin);
    wake(data.asked);
  };

  #connect(may = this.#may): Connection {
    this.#may = may;
    if (this.#isLacking && this.#running === 0) this.#leave();
    // A worker that does not react to Stop is replaced: the next one may send to the same places.
    const make = (): Worker => {
      this.#worker = newWorker();
      this.#worker.addEventListener("message", this.#hear);
      this.#worker.postMessage(this.#may);
      return this.#worker;
    };
    if (this.#connection === undefined) this.#connection = connect(make, { models: { "on-device": promptApi() } });
    else this.#worker?.postMessage(this.#may);
    return this.#connection;
  }

  // A worker that has stopped serves nobody any more, and one that lacks a file not all: the next call starts a new one.
  #forget(error: unknown): void {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    if (code === "internal" || NOT_LOADED.test(String(message))) this.#leave();
  }

  #leave(): void {
    this.#isLacking = false;
    this.#connection?.close();
    this.#checker?.close();
    this.#connection = undefined;
    this.#checker = undefined;
  }
}

/** What helps a request, which is how an endpoint is asked here; and what helps calls of a model, which go through no relay of the page. */
const THROUGH_RELAY = /let requests go through a relay, .*$/;
const OWN_RELAY = "a relay of your own can call it in the page's place: write its address as the base URL";

function newWorker(): Worker {
  return new Worker(new URL("./runner.ts", import.meta.url), { type: "module", name: "stepweave" });
}
