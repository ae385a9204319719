import { functionOf } from "../custom-model.js";
import type { Problem, WorkflowDocument } from "../document.js";
import { newId } from "../engine/driver.js";
import { idOf, journalingOf } from "../engine/journaling.js";
import { copyPatch, NotJson } from "../engine/json.js";
import { EventLog } from "../engine/log.js";
import { textOfDocument } from "../engine/program.js";
import { isStepweaveError, StepweaveError, textOf } from "../errors.js";
import type { RunEvent, RunResult } from "../events.js";
import type { Journal } from "../journal/types.js";
import type { ModelFunction } from "../model-request.js";
import type { Model } from "../models.js";
import { refuseUnknown } from "../options.js";
import type { Run, RunOptions, Secrets } from "../types.js";
import { isOurs, listen, unpackEvent, type DataOptions, type MessageEndpoint, type ToPage, type ToWorker } from "./messages.js";

/** What a run in a worker is given: the options that are data, and a signal. */
export interface RemoteRunOptions {
  /** Keys that are merged over the workflow's initial state. */
  state?: object | undefined;
  /** Values for the secrets that the workflow names. */
  secrets?: Secrets | undefined;
  /** Cancels the run when it aborts. */
  signal?: AbortSignal | undefined;
  /** `true` keeps a journal, which the result then has; the journal of an earlier result takes that run up again. */
  journal?: true | Journal | undefined;
  /** What is taken from the journal: see `RunOptions`. */
  replay?: RunOptions["replay"];
  /** With `replay: "edit"`: the id of the step from which on everything is run anew. */
  from?: string | undefined;
  /** What people answered, by the keys of an earlier result's `pending`. */
  answers?: { readonly [key: string]: unknown } | undefined;
  /** What chance begins with: a whole number below 2³². */
  seed?: number | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Data for the record. */
  metadata?: unknown;
}

/**
 * A worker that runs workflows.
 *
 * ```ts
 * const engine = connect(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
 * const run = engine.start(documentText, { state: { topic: "bees" } });
 * for await (const event of run.events) console.log(event.type);
 * ```
 */
export interface Connection {
  /** Every problem of a document. */
  validate(document: string | object): Promise<readonly Problem[]>;
  /** Begins a run: the same shape as `Workflow.start` gives. */
  start(document: string | WorkflowDocument | object, options?: RemoteRunOptions): Run;
  /**
   * Ends the connection: runs in flight are cancelled in the worker, and their results reject with `cancelled`.
   * The worker itself is the caller's; call this before `worker.terminate()`, since nobody else tells.
   */
  close(): void;
}

/** How a page connects. */
export interface ConnectOptions {
  /**
   * Models of the page that the worker's runs may ask, by the `handler` under which documents name them: the browser's
   * own model, for example, which workers do not have.
   */
  models?: { readonly [handler: string]: Model | ModelFunction } | undefined;
}

/**
 * Connects to a worker that serves. Only data crosses: documents, states, events and results; and what models of the
 * page are asked and answer.
 *
 * ```ts
 * import { promptApi } from "stepweave/web";
 * import { connect } from "stepweave/worker";
 * const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
 * const engine = connect(worker, { models: { "on-device": promptApi() } });
 * ```
 */
export function connect(worker: MessageEndpoint, options: ConnectOptions = {}): Connection {
  refuseUnknown(options, ["models"], "connect()");
  return new Client(worker, functionsOf(options.models));
}

class Client implements Connection {
  readonly #worker: MessageEndpoint;
  readonly #runs = new Map<string, RemoteRun>();
  readonly #checks = new Map<string, { resolve(problems: readonly Problem[]): void; reject(error: StepweaveError): void }>();
  readonly #unlisten: (() => void)[];
  readonly #models: Readonly<Record<string, ModelFunction>>;
  /** The models of the page that are being asked. */
  readonly #asked = new Map<string, AbortController>();
  #over: StepweaveError | undefined;

  constructor(worker: MessageEndpoint, models: Readonly<Record<string, ModelFunction>>) {
    this.#worker = worker;
    this.#models = models;
    const died = (what: unknown): void => this.#end(crash(what));
    this.#unlisten = [
      listen(worker, "message", (message) => {
        if (isOurs<ToPage>(message)) this.#hear(message);
      }),
      listen(worker, "error", died),
      listen(worker, "messageerror", () => died("a message could not be read")),
      listen(worker, "exit", (code) => died(`it exited with ${String(code)}`)),
    ];
    worker.start?.();
  }

  validate(document: string | object): Promise<readonly Problem[]> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const id = newId();
      try {
        this.#say({ stepweave: "validate", id, document: textOfDocument(document) });
      } catch (error) {
        const problems = isStepweaveError(error) ? error.problems : undefined;
        return problems === undefined ? reject(error) : resolve(problems);
      }
      this.#checks.set(id, { resolve, reject });
    });
  }

  start(document: string | object, options: RemoteRunOptions = {}): Run {
    // The same journal may be taken up by several runs at once, so this is not the id by which people know the run.
    const id = newId();
    const run = new RemoteRun(runIdOf(options, id), (reason) => this.#cancel(id, reason));
    if (this.#over !== undefined) {
      run.fail(this.#over);
      return run;
    }
    try {
      this.#say({ stepweave: "start", id, document: textOfDocument(document), options: dataOf(options), models: Object.keys(this.#models) });
    } catch (error) {
      run.fail(isStepweaveError(error) ? error : uncopyable(error));
      return run;
    }
    this.#runs.set(id, run);
    run.follow(options.signal);
    return run;
  }

  close(): void {
    if (this.#over !== undefined) return;
    this.#say({ stepweave: "close" });
    this.#end(new StepweaveError("cancelled", "the connection to the worker was closed"));
  }

  #hear(message: ToPage): void {
    switch (message.stepweave) {
      case "events":
        return this.#runs.get(message.id)?.tell(message.events.map(unpackEvent));
      case "result":
        return this.#take(message.id)?.finish();
      case "problems":
        this.#checks.get(message.id)?.resolve(message.problems);
        this.#checks.delete(message.id);
        return;
      case "ask":
        return this.#lend(message);
      case "leave":
        this.#asked.get(message.id)?.abort(new StepweaveError("cancelled", "nobody waits for this any more"));
        this.#asked.delete(message.id);
        return;
      case "failed": {
        const error = StepweaveError.from(message.error);
        this.#take(message.id)?.fail(error);
        this.#checks.get(message.id)?.reject(error);
        this.#checks.delete(message.id);
      }
    }
  }

  #lend(message: Extract<ToPage, { stepweave: "ask" }>): void {
    const controller = new AbortController();
    this.#asked.set(message.id, controller);
    const { signal } = controller;
    const session = this.#runs.get(message.run)?.session ?? new Map<string, unknown>();
    const run = async (): Promise<void> => {
      // Pages that lend no models do not load what asks them.
      const { lend } = await import("./lend.js");
      await lend(this.#models[message.model] as ModelFunction, message, signal, session, (said) => {
        // Whoever has left hears nothing more.
        if (!signal.aborted) this.#say(said);
      });
    };
    void run().finally(() => this.#asked.delete(message.id));
  }

  #take(id: string): RemoteRun | undefined {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    return run;
  }

  #cancel(id: string, reason: unknown): void {
    if (this.#over !== undefined || !this.#runs.has(id)) return;
    this.#say({ stepweave: "cancel", id, reason: reason === undefined ? undefined : textOf(reason) });
  }

  #end(error: StepweaveError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    for (const unlisten of this.#unlisten) unlisten();
    const runs = [...this.#runs.values()];
    const checks = [...this.#checks.values()];
    for (const asked of this.#asked.values()) asked.abort(error);
    this.#asked.clear();
    this.#runs.clear();
    this.#checks.clear();
    for (const run of runs) run.fail(error);
    for (const check of checks) check.reject(error);
  }

  #say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

class RemoteRun implements Run {
  readonly id: string;
  readonly result: Promise<RunResult>;
  /** What the models of the page share while the run asks them. */
  readonly session = new Map<string, unknown>();
  readonly #log = new EventLog();
  readonly #cancel: (reason: unknown) => void;
  #last: RunResult | undefined;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: StepweaveError) => void;
  #unfollow: (() => void) | undefined;

  constructor(id: string, cancel: (reason: unknown) => void) {
    this.id = id;
    this.#cancel = cancel;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever does not look at the result must not be told of its failure by the runtime.
    this.result.catch(() => {});
  }

  get events(): AsyncIterable<RunEvent> {
    return { [Symbol.asyncIterator]: () => this.#log.read() };
  }

  cancel(reason?: unknown): void {
    this.#cancel(reason);
  }

  follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = (): void => this.cancel(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    this.#unfollow = () => signal.removeEventListener("abort", abort);
  }

  tell(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.#log.push(event);
      if ("result" in event) this.#last = event.result;
    }
    this.#log.show();
  }

  finish(): void {
    this.#unfollow?.();
    this.#log.end();
    this.#resolve(this.#last as RunResult);
  }

  fail(error: StepweaveError): void {
    this.#unfollow?.();
    this.#log.break(error);
    this.#reject(error);
  }
}

const OPTIONS = ["state", "secrets", "signal", "journal", "replay", "from", "answers", "seed", "sessionId", "userId", "tenantId", "metadata"];

/** The functions of the models that a page lends; throws `validation` for a model at an endpoint. */
function functionsOf(models: ConnectOptions["models"] = {}): Record<string, ModelFunction> {
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => {
      const fn = typeof model === "function" ? model : functionOf(model);
      if (fn !== undefined) return [name, fn];
      throw new StepweaveError("validation", `models.${name} is no model that is a function`, {
        hint: "pass what customModel(), fromAiSdk() or promptApi() gives; a model at an endpoint is written into the document",
      });
    }),
  );
}

/** The id of a run, which its journal may know already. */
function runIdOf(options: RemoteRunOptions, fresh: string): string {
  try {
    return idOf(journalingOf(options), fresh);
  } catch {
    // What is wrong with the journal is told by the result.
    return fresh;
  }
}

/** The options that cross. */
function dataOf(options: RemoteRunOptions): DataOptions {
  refuseUnknown(options, OPTIONS, "a run in a worker");
  const { state, answers, signal: _, ...data } = options;
  return { ...data, state: jsonOf("state", state), answers: jsonOf("answers", answers) };
}

function jsonOf(option: string, given: unknown): object | undefined {
  if (typeof given !== "object" || given === null) return given as undefined;
  try {
    return copyPatch(given, option);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("validation", `the option \`${option}\` is not plain JSON: ${error.message}`, {
      hint: error.hint.replace(/^return /, "pass "),
    });
  }
}

function uncopyable(error: unknown): StepweaveError {
  return new StepweaveError("validation", `the options cannot be sent to the worker: ${textOf(error)}`, {
    cause: error,
    hint: "only data crosses: leave out functions, and run the workflow in this thread if it needs handlers",
  });
}

function crash(what: unknown): StepweaveError {
  // The event of a script that could not be loaded says nothing.
  const said = typeof what === "string" ? what : (what as { message?: unknown } | undefined)?.message;
  const text = typeof said === "string" ? said : "";
  return new StepweaveError("internal", `the worker has stopped: ${text || "its script could not be loaded, or it failed"}`, {
    cause: what,
    hint: "look into the worker's console, then connect to a new worker",
  });
}
