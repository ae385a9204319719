import type { Limits, Problem, WorkflowDocument } from "../api/document.js";
import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { Journal, JournalEntry } from "../api/journal.js";
import type { ModelFunction } from "../api/model-request.js";
import type { Model } from "../api/model.js";
import type { Relay, Run, RunOptions, Secrets } from "../api/run.js";
import { copyPatch } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { functionOf } from "../models/custom.js";
import { newId } from "../effects/ids.js";
import { RunHandle } from "../run/handle.js";
import { idOf, journalingOf } from "../run/journaling.js";
import { textOfDocument } from "../run/program.js";
import { kindOf, optionsFrom, quoted, reading, signalFrom, unreadable } from "../schema/options.js";
import { checkEndpoint, type DataOptions, errorFrom, isOurs, listen, type MessageEndpoint, type ToPage, type ToWorker } from "./messages.js";
import { RemoteRun, type Began } from "./remote-run.js";
import { apart } from "./renewal.js";

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
  /** With `replay: "edit"`: the id of the step from which on everything runs again. */
  from?: string | undefined;
  /** What happens with answers to requests that have changed: see `RunOptions`. */
  onMismatch?: RunOptions["onMismatch"];
  /** What people answered, by the keys of an earlier result's `pending`. */
  answers?: { readonly [key: string]: unknown } | undefined;
  /** Steps that give a pinned output instead of being run: see `RunOptions`. */
  pins?: RunOptions["pins"];
  /** The random seed: a whole number below 2³². */
  seed?: number | undefined;
  /** What the run may use at most, whatever its document says: see `RunOptions`. */
  limits?: Limits | undefined;
  /** Where the run may send requests to: see `RunOptions`. */
  allowOrigins?: readonly string[] | undefined;
  /** What the requests of steps and tools go through: see `RunOptions`. */
  relay?: Relay | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Anything that models should see as `context.metadata`. */
  metadata?: unknown;
  /**
   * Is called with what is added to the journal, as soon as it is, and with the index of the first of these entries: a
   * page that keeps them can take the run up again after it was closed. Entries from that index on replace earlier ones.
   */
  onJournal?: ((from: number, entries: readonly JournalEntry[]) => void) | undefined;
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
   * A worker that was passed to `connect` is the caller's; call this before `worker.terminate()`, which sends the worker nothing.
   */
  close(): void;
}

/** How a page connects. */
export interface ConnectOptions {
  /**
   * Models of the page that the worker's runs may call, by the `handler` under which documents name them: the browser's
   * own model, for example, which workers do not have.
   */
  models?: { readonly [handler: string]: Model | ModelFunction } | undefined;
  /**
   * Milliseconds that a worker may take to respond after a run was cancelled, before another one replaces it; 2000
   * when absent. Only if `connect` is given a function that makes workers.
   */
  patienceMs?: number | undefined;
}

/** A worker that can be ended. */
export interface OwnWorker extends MessageEndpoint {
  terminate(): unknown;
}

/**
 * Connects to a worker that serves, or to those that a function makes. Only data crosses: documents, states, events and results,
 * and the requests and responses of the page's models.
 *
 * ```ts
 * import { promptApi } from "stepweave/web";
 * import { connect } from "stepweave/worker";
 * const makeWorker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
 * const engine = connect(makeWorker, { models: { "on-device": promptApi() } });
 * ```
 *
 * With a function, the connection owns the worker: it is made at once, and ended by `close`. A worker that does not respond for
 * two seconds after a run was cancelled is ended too, and another one replaces it. The cancelled run then rejects
 * with `cancelled`; runs that keep a journal resume from it, and checks start again.
 */
export function connect(worker: MessageEndpoint | (() => OwnWorker), options: ConnectOptions = {}): Connection {
  const { models, patienceMs = PATIENCE_MS } = optionsFrom(options, ["models", "patienceMs"], "connect()");
  if (typeof patienceMs !== "number" || !(patienceMs >= 0)) throw new StepweaveError("validation", `the option \`patienceMs\` of connect() is ${quoted(patienceMs)}`, { hint: "write milliseconds: patienceMs: 2000" });
  return new Client(worker, reading("the models of connect()", () => functionsOf(models)), patienceMs);
}

/** How long a worker may take to answer after a run was cancelled. */
const PATIENCE_MS = 2000;

class Client implements Connection {
  #worker!: MessageEndpoint;
  readonly #make: (() => OwnWorker) | undefined;
  readonly #patienceMs: number;
  /** While a worker that was pinged is waited for. */
  #patience: ReturnType<typeof setTimeout> | undefined;
  readonly #runs = new Map<string, RemoteRun>();
  readonly #checks = new Map<string, Check>();
  #unlisten: (() => void)[] = [];
  readonly #models: Readonly<Record<string, ModelFunction>>;
  /** The models of the page that are being called. */
  readonly #called = new Map<string, AbortController>();
  #over: StepweaveError | undefined;

  constructor(worker: MessageEndpoint | (() => OwnWorker), models: Readonly<Record<string, ModelFunction>>, patienceMs: number) {
    this.#make = typeof worker === "function" ? worker : undefined;
    this.#models = models;
    this.#patienceMs = patienceMs;
    this.#attach(typeof worker === "function" ? worker() : worker);
  }

  #attach(worker: MessageEndpoint): void {
    checkEndpoint(worker, "connect()");
    this.#worker = worker;
    const died = (what: unknown): void => this.#end(crash(what));
    this.#unlisten = [
      listen(worker, "message", (message) => {
        if (!isOurs<ToPage>(message)) return;
        try {
          this.#hear(message);
        } catch (error) {
          this.#refuse(message.id, unreadable(error, "a message of the worker"));
        }
      }),
      listen(worker, "error", died),
      listen(worker, "messageerror", () => died("a message could not be read")),
      listen(worker, "exit", (code) => died(`it exited with ${String(code)}`)),
      // What a port says when its other side is gone.
      listen(worker, "close", () => died("its port was closed")),
    ];
    worker.start?.();
  }

  validate(document: string | object): Promise<readonly Problem[]> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const id = newId();
      let text: string;
      try {
        text = textOfDocument(document);
        this.#say({ stepweave: "validate", id, document: text });
      } catch (error) {
        const problems = isStepweaveError(error) ? error.problems : undefined;
        return problems === undefined ? reject(error) : resolve(problems);
      }
      this.#checks.set(id, { document: text, resolve, reject });
    });
  }

  start(document: string | object, options: RemoteRunOptions = {}): Run {
    // Several runs may resume the same journal at once, so this is not the id by which people know the run.
    const id = newId();
    const run = new RemoteRun(runIdOf(options, id), (reason) => this.#cancel(id, reason));
    if (this.#over !== undefined) {
      run.fail(this.#over);
      return new RunHandle(run);
    }
    try {
      const text = textOfDocument(document);
      const data = dataOf(options);
      const { secrets, renewals } = reading("the secrets of a run", () => apart(data.secrets));
      const began = { document: text, options: { ...data, secrets } };
      run.renewals = renewals;
      const signal = signalFrom(options.signal);
      run.begin(began, listenerFrom(options.onJournal));
      this.#runs.set(id, run);
      this.#begin(id, began);
      run.follow(signal);
    } catch (error) {
      this.#take(id);
      run.fail(isStepweaveError(error) ? error : uncopyable(error));
    }
    return new RunHandle(run);
  }

  close(): void {
    if (this.#over !== undefined) return;
    this.#say({ stepweave: "close" });
    this.#end(new StepweaveError("cancelled", "the connection to the worker was closed"));
  }

  #hear(message: ToPage): void {
    switch (message.stepweave) {
      case "alive":
        return this.#calm();
      case "kept":
        return this.#runs.get(message.id)?.keep(message.from, message.entries);
      case "events":
        return this.#runs.get(message.id)?.receive(message.events);
      case "result":
        this.#runs.get(message.id)?.finish();
        return void this.#take(message.id);
      case "problems":
        this.#checks.get(message.id)?.resolve(message.problems);
        this.#checks.delete(message.id);
        return;
      case "ask":
        return this.#lend(message);
      case "renew":
        return this.#renew(message);
      case "leave":
        this.#called.get(message.id)?.abort(new StepweaveError("cancelled", "nobody waits for this any more"));
        this.#called.delete(message.id);
        return;
      case "failed": {
        this.#refuse(message.id, errorFrom(message.error));
      }
    }
  }

  /** Ends what goes by this id with an error. */
  #refuse(id: string | undefined, error: StepweaveError): void {
    if (id === undefined) return;
    this.#take(id)?.fail(error);
    this.#checks.get(id)?.reject(error);
    this.#checks.delete(id);
  }

  #lend(message: Extract<ToPage, { stepweave: "ask" }>): void {
    const controller = new AbortController();
    this.#called.set(message.id, controller);
    const { signal } = controller;
    const session = this.#runs.get(message.run)?.session ?? new Map<string, unknown>();
    const run = async (): Promise<void> => {
      // Pages without such models do not load what calls them.
      const { lend } = await import("./lend.js");
      await lend(this.#models[message.model] as ModelFunction, message, signal, session, (said) => {
        // Whoever has left hears nothing more.
        if (!signal.aborted) this.#say(said);
      });
    };
    run()
      .catch((error: unknown) => this.#say({ stepweave: "broke", id: message.id, error: unreadable(error, "what the worker asks a model").toJSON() }))
      .finally(() => this.#called.delete(message.id));
  }

  #renew({ id, run, secret }: Extract<ToPage, { stepweave: "renew" }>): void {
    const say = (value: unknown): void => {
      if (this.#over === undefined) this.#say({ stepweave: "renewed", id, value: typeof value === "string" ? value : undefined });
    };
    // Whoever renews it reports for itself why there is no other one.
    Promise.resolve()
      .then(() => this.#runs.get(run)?.renewals.get(secret)?.())
      .then(say, () => say(undefined));
  }

  #take(id: string): RemoteRun | undefined {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    return run;
  }

  #begin(id: string, { document, options }: Began): void {
    this.#say({ stepweave: "start", id, document, options, models: Object.keys(this.#models) });
  }

  #cancel(id: string, reason: unknown): void {
    const run = this.#runs.get(id);
    if (this.#over !== undefined || run === undefined) return;
    run.isCancelled = true;
    this.#say({ stepweave: "cancel", id, reason: reason === undefined ? undefined : textOf(reason) });
    if (this.#make === undefined || this.#patience !== undefined) return;
    // Only a caller that wants something to end pings the worker, which may be busy for long with its work.
    this.#say({ stepweave: "ping" });
    this.#patience = setTimeout(() => this.#replace(), this.#patienceMs);
  }

  #calm(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  /** Ends a worker that gives no sign, and lets another one go on. */
  #replace(): void {
    this.#detach();
    for (const controller of this.#called.values()) controller.abort(new StepweaveError("cancelled", "the worker that asked was ended"));
    this.#called.clear();
    this.#attach((this.#make as () => OwnWorker)());
    for (const [id, run] of [...this.#runs]) {
      const began = run.isCancelled ? undefined : run.resume();
      if (began === undefined) this.#take(id)?.fail(ended(run, this.#patienceMs));
      else this.#begin(id, began);
    }
    for (const [id, { document }] of this.#checks) this.#say({ stepweave: "validate", id, document });
  }

  /** Hears nothing more of the worker; ends it if it is the connection's own. */
  #detach(): void {
    this.#calm();
    for (const unlisten of this.#unlisten) unlisten();
    if (this.#make !== undefined) (this.#worker as OwnWorker).terminate();
  }

  #end(error: StepweaveError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.#detach();
    const runs = [...this.#runs.values()];
    const checks = [...this.#checks.values()];
    for (const controller of this.#called.values()) controller.abort(error);
    this.#called.clear();
    this.#runs.clear();
    this.#checks.clear();
    for (const run of runs) run.fail(error);
    for (const check of checks) check.reject(error);
  }

  #say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

/** A check in progress. */
interface Check {
  readonly document: string;
  resolve(problems: readonly Problem[]): void;
  reject(error: StepweaveError): void;
}

const OPTIONS = ["state", "secrets", "signal", "journal", "replay", "from", "onMismatch", "answers", "pins", "seed", "limits", "allowOrigins", "relay", "sessionId", "userId", "tenantId", "metadata", "onJournal"];

/** The functions of the models that a page lends; throws `validation` for a model at an endpoint. */
function functionsOf(models: ConnectOptions["models"] = {}): Record<string, ModelFunction> {
  if (typeof models !== "object" || models === null) throw new StepweaveError("validation", `the option \`models\` of connect() is ${kindOf(models)}, not an object`, { hint: "write models: { [handler]: model }" });
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
    // Problems of the journal are reported by the result.
    return fresh;
  }
}

/** The options that cross. */
function dataOf(options: RemoteRunOptions): DataOptions {
  const { state, answers, signal: _, onJournal: __, ...data } = optionsFrom(options, OPTIONS, "a run in a worker");
  return { ...data, state: jsonOf("state", state), answers: jsonOf("answers", answers) };
}

function listenerFrom(given: unknown): RemoteRunOptions["onJournal"] {
  if (given === undefined || typeof given === "function") return given as RemoteRunOptions["onJournal"];
  throw new StepweaveError("validation", `the option \`onJournal\` of a run in a worker is ${kindOf(given)}, not a function`);
}

function jsonOf(option: string, given: unknown): object | undefined {
  if (typeof given !== "object" || given === null) return given as undefined;
  try {
    return copyPatch(given, option);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("validation", `the option \`${option}\` is not plain JSON: ${error.message}`, {
      hint: error.hintTo("pass"),
    });
  }
}

function uncopyable(error: unknown): StepweaveError {
  return new StepweaveError("validation", `the options cannot be sent to the worker: ${textOf(error)}`, {
    cause: error,
    hint: "only data crosses: leave out functions, and run the workflow in this thread if it needs handlers",
  });
}

/** The error of a run whose worker was ended because it gave no sign. */
function ended({ isCancelled }: RemoteRun, patienceMs: number): StepweaveError {
  return isCancelled
    ? new StepweaveError("cancelled", `the run was cancelled; its worker gave no sign for ${patienceMs} ms and was ended`)
    : new StepweaveError("cancelled", `another run was cancelled, and the worker gave no sign for ${patienceMs} ms and was ended`, {
        hint: "start it again; with journal: true a run goes on in the next worker by itself",
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
