import type { Limits } from "../api/document.js";
import { isStepweaveError, StepweaveError, textOf, type StepweaveErrorData } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { ByteStore } from "../api/files.js";
import type { Handlers } from "../api/functions.js";
import type { Clock, Fetch, MayReach, RunOptions } from "../api/run.js";
import { bring, CODE, type DocumentCode, usedBy } from "../authoring/bring.js";
import { afterTurn } from "../effects/clock.js";
import { relayOf } from "../effects/through.js";
import { both, deciderFor, originsFor } from "../effects/reach.js";
import { setCodeSource, type CodeSource } from "../run/code.js";
import { Driver } from "../run/driver.js";
import { limitsFor, stricter } from "../run/limits.js";
import { bytesFor } from "../run/options.js";
import { setServersSource, type ServersSource } from "../run/servers.js";
import { problemsOf } from "../run/plan.js";
import { documentWithin, Program } from "../run/program.js";
import { kindOf, optionsFrom, reading, unreadable } from "../schema/options.js";
import { Borrowed } from "./borrow.js";
import { InputSender } from "./inputs.js";
import { checkEndpoint, type DataOptions, isOurs, listen, type MessageEndpoint, packEvent, type ToPage, type ToWorker } from "./messages.js";
import { Renewals } from "./renewal.js";

/** How a worker serves, and the code that it has for the documents of its pages. */
export interface ServeOptions extends Omit<DocumentCode, "unnamed"> {
  /** Where messages come from and go to: the worker's own scope when absent; `parentPort` in Node. */
  endpoint?: MessageEndpoint | undefined;
  /** Replaces `fetch` for every run, to allow some endpoints only. */
  fetch?: Fetch | undefined;
  /** Decides about each request of every run; see `RunOptions`. */
  mayReach?: MayReach | undefined;
  /** What the requests of every run go through, in place of what its page says; see `RunOptions`. */
  relay?: RunOptions["relay"];
  /** Replaces the real time. */
  clock?: Clock | undefined;
  /** What no run may pass, whatever its document and its page say. */
  limits?: Limits | undefined;
  /** Where runs may send requests to, whatever their pages allow; see `RunOptions`. */
  allowOrigins?: readonly string[] | undefined;
  /**
   * How the sandbox of code steps is loaded when the first of them runs: `() => import("stepweave/sandbox")`.
   * A bundle needs it to load the sandbox that late; elsewhere it is found by itself.
   */
  sandbox?: CodeSource | undefined;
  /** How the client of MCP servers is loaded when the first tool of one is called, in the same way: `() => import("stepweave/mcp")`. */
  mcp?: ServersSource | undefined;
  /** What has the bytes of the files that states name by their digests, for every run: the store that the page's files were read into. */
  files?: ByteStore | undefined;
}

/**
 * Runs workflows for the page that connects to this worker. Call it while the worker's script is first run,
 * so that no message is missed; the script also imports an entry that provides the engine.
 *
 * ```ts
 * // worker.js
 * import "stepweave/web";
 * import { serve } from "stepweave/worker";
 * serve();
 * ```
 *
 * Documents name functions, tools, models and agents; `handlers`, `tools`, `models` and `agents` provide them, as
 * `Workflow.fromDocument` takes them, for every document that a page sends. They run here, and never cross to the page.
 *
 * Returns the function that stops it and cancels everything in progress.
 */
export function serve(options: ServeOptions = {}): () => void {
  const how = optionsFrom(options, ["endpoint", "fetch", "mayReach", "relay", "clock", "limits", "allowOrigins", "sandbox", "mcp", "files", ...CODE], "serve()");
  const { endpoint = globalThis as unknown as MessageEndpoint, sandbox, mcp } = how;
  checkEndpoint(endpoint, "serve()");
  if (sandbox !== undefined) setCodeSource(sandbox);
  if (mcp !== undefined) setServersSource(mcp);
  const server = new Server(endpoint, how);
  return () => server.stop();
}

class Server {
  readonly #endpoint: MessageEndpoint;
  readonly #options: ServeOptions;
  readonly #code: DocumentCode;
  readonly #limits: Limits | undefined;
  readonly #origins: ReadonlySet<string> | undefined;
  readonly #runs = new Map<string, Driver>();
  readonly #borrowed = new Borrowed((message) => this.#say(message));
  readonly #renewals = new Renewals((message) => this.#say(message));
  readonly #unlisten: readonly (() => void)[];

  constructor(endpoint: MessageEndpoint, options: ServeOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    const { handlers, tools, models, agents } = options;
    this.#code = { handlers, tools, models, agents };
    // What is wrong with it is an error here, and not in every run.
    bring({}, usedBy({}, this.#code), "serve()");
    this.#limits = reading("the limits of serve()", () => limitsFor(options.limits, "serve()"));
    this.#origins = reading("the origins of serve()", () => originsFor(options.allowOrigins, "serve()"));
    deciderFor(options.mayReach, "serve()");
    reading("the relay of serve()", () => relayOf(options.relay));
    bytesFor(options.files, "serve()");
    this.#unlisten = [
      listen(endpoint, "message", (message) => {
        if (!isOurs<ToWorker>(message)) return;
        try {
          this.#hear(message);
        } catch (error) {
          this.#refuse(message.id, error);
        }
      }),
      // What a port says when its other side is gone: nobody hears of these runs any more.
      listen(endpoint, "close", () => this.#cancelAll("the page closed the connection")),
    ];
    endpoint.start?.();
  }

  stop(): void {
    for (const unlisten of this.#unlisten) unlisten();
    this.#cancelAll("the worker stopped serving");
  }

  #hear(message: ToWorker): void {
    switch (message.stepweave) {
      case "start":
        return this.#start(message);
      case "cancel":
        return this.#runs.get(message.id)?.cancel(message.reason);
      case "validate":
        return this.#validate(message);
      case "ping":
        return this.#say({ stepweave: "alive" });
      case "renewed":
        return this.#renewals.hear(message);
      case "close":
        return this.#cancelAll("the page closed the connection");
      default:
        return this.#borrowed.hear(message);
    }
  }

  #start({ id, document, options, models }: Extract<ToWorker, { stepweave: "start" }>): void {
    const { fetch, mayReach, clock, files, relay = options?.relay } = this.#options;
    let program: Program;
    let bounds: Pick<RunOptions, "limits" | "allowOrigins">;
    let secrets: RunOptions["secrets"];
    try {
      const parts = bring(document, usedBy(document, this.#code), "serve()");
      // A model of the worker's own is not the page's to replace.
      const lent = this.#borrowed.functions(id, models) as Handlers;
      program = new Program({ ...parts, functions: { ...parts.functions, models: { ...lent, ...parts.functions.models } } });
      bounds = this.#boundsOf(options);
      secrets = this.#renewals.joined(id, options.secrets) as RunOptions["secrets"];
    } catch (error) {
      return this.#refuse(id, error);
    }
    const run = new Driver(program, { ...(options as RunOptions), ...bounds, secrets, fetch, mayReach, relay, clock, files }, id);
    this.#runs.set(id, run);
    let kept = 0;
    const inputs = new InputSender();
    const events = new Batch((batch) => {
      const entries = run.entriesFrom(kept);
      if (entries.length > 0) this.#say({ stepweave: "kept", id, from: kept, entries });
      kept += entries.length;
      this.#say({ stepweave: "events", id, events: batch.map((event) => packEvent(event, inputs)) });
    });
    const sent = send(run, events).finally(() => this.#runs.delete(id));
    run.result.then(
      // The last event goes before the result, as it does within one thread.
      () => sent.then(() => this.#say({ stepweave: "result", id })),
      (error: unknown) => sent.then(() => this.#say({ stepweave: "failed", id, error: dataOf(error) })),
    );
  }

  /** What both the worker and the page of a run allow. */
  #boundsOf({ limits, allowOrigins }: DataOptions): Pick<RunOptions, "limits" | "allowOrigins"> {
    const origins = both(originsFor(allowOrigins, "a run"), this.#origins);
    return { limits: stricter(limitsFor(limits, "a run"), this.#limits), allowOrigins: origins && [...origins] };
  }

  #validate({ id, document }: Extract<ToWorker, { stepweave: "validate" }>): void {
    if (typeof document !== "string") return this.#refuse(id, new StepweaveError("validation", `the document is ${kindOf(document)}, not JSON text`));
    const check = async (): Promise<void> => {
      const problems = await problemsOf(documentWithin(document) as string);
      this.#say({ stepweave: "problems", id, problems });
    };
    check().catch((error: unknown) => this.#say({ stepweave: "failed", id, error: dataOf(error) }));
  }

  /** What a page says that cannot be read ends what it was about. */
  #refuse(id: string | undefined, error: unknown): void {
    if (id !== undefined) this.#say({ stepweave: "failed", id, error: unreadable(error, "a message of the page").toJSON() });
  }

  #cancelAll(reason: string): void {
    for (const run of [...this.#runs.values()]) run.cancel(reason);
  }

  #say(message: ToPage): void {
    this.#endpoint.postMessage(message);
  }
}

/** Events of one turn go in one message: a model can send thousands of pieces in a second. */
class Batch {
  readonly #send: (events: RunEvent[]) => void;
  #events: RunEvent[] = [];

  constructor(send: (events: RunEvent[]) => void) {
    this.#send = send;
  }

  add(event: RunEvent): void {
    if (this.#events.push(event) === 1) afterTurn(() => this.flush());
  }

  flush(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    this.#send(events);
  }
}

async function send(run: Driver, events: Batch): Promise<void> {
  try {
    for await (const event of run.events) events.add(event);
  } catch {
    // The result says it.
  }
  events.flush();
}

function dataOf(error: unknown): StepweaveErrorData {
  return (isStepweaveError(error) ? error : new StepweaveError("internal", textOf(error), { cause: error })).toJSON();
}
