import { isStepweaveError, StepweaveError, textOf } from "../errors.js";
import type { RunEvent, RunResult } from "../events.js";
import type { Run, RunOptions } from "../types.js";
import { failureOf } from "./answers.js";
import type { BusRun } from "./bus.js";
import { afterTurn, brokenClock, realClock } from "./clock.js";
import type { Instance, Tenant } from "./instance.js";
import { Operations, type OperationsHome } from "./operations.js";
import { settingsOf, type Settings } from "./options.js";
import { Port } from "./port.js";
import type { Program } from "./program.js";
import { RunRecord } from "./record.js";
import { instanceLater, instanceNow } from "./source.js";

/** How long a run of functions that never wait may keep the thread, in milliseconds and in polls. */
const TURN_MS = 10;
const TURN_POLLS = 500;

type Outcome = { readonly result: RunResult } | { readonly error: StepweaveError };

/**
 * One run. It polls the engine, and when the engine has let go it makes the calls that the engine asked for
 * and settles them. No code of the user runs while the engine works.
 */
export class Driver implements Run, Tenant, OperationsHome, BusRun {
  readonly id: string;
  readonly options: RunOptions;
  readonly #program: Program;
  readonly #record = new RunRecord();
  readonly #port = new Port(this.#record);
  #settings: Settings | undefined;
  #operations: Operations | undefined;
  #session: Map<string, unknown> | undefined;
  #instance: Instance | undefined;
  #run = 0;
  #outcome: Outcome | undefined;
  #result: Promise<RunResult> | undefined;
  #told: ((outcome: Outcome) => void) | undefined;
  #isScheduled = false;
  #isLooping = false;
  #isDirty = false;
  #turnBegan = 0;
  #turnPolls = 0;

  constructor(program: Program, options: RunOptions | undefined, id = newId()) {
    this.id = id;
    this.#program = program;
    this.options = options ?? {};
    void program.bus.follow(this);
    try {
      this.#settings = settingsOf(this.options, program);
    } catch (error) {
      this.#reject(error);
      return;
    }
    const { signal, secrets } = this.#settings;
    this.#record.redact = (text) => secrets.redact(text);
    if (signal?.aborted) {
      this.cancel(signal.reason);
      return;
    }
    signal?.addEventListener("abort", this.#onAbort);
    // The caller holds the run before any of its own functions are called.
    queueMicrotask(this.#begin);
  }

  get causes(): Map<number, unknown> {
    return this.#record.causes;
  }

  get events(): AsyncIterable<RunEvent> {
    return { [Symbol.asyncIterator]: () => this.#record.log.read() };
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): ReturnType<RunRecord["log"]["read"]> {
    return this.#record.log.read(() => this.cancel("the loop over its events was left"));
  }

  get result(): Promise<RunResult> {
    if (this.#result === undefined) {
      this.#result = new Promise((resolve, reject) => {
        this.#told = (outcome) => ("result" in outcome ? resolve(outcome.result) : reject(outcome.error));
      });
      // Whoever does not look at the result must not be told of its failure by the runtime.
      this.#result.catch(() => {});
      if (this.#outcome !== undefined) this.#told?.(this.#outcome);
    }
    return this.#result;
  }

  cancel(reason?: unknown): void {
    if (this.#outcome !== undefined || this.#settings === undefined) return;
    const text = reason === undefined ? undefined : textOf(reason);
    const message = text === undefined ? "the run was cancelled" : `the run was cancelled: ${text}`;
    const error = new StepweaveError("cancelled", message, { cause: reason });
    this.#drop();
    const record = this.#record;
    record.now = this.#time();
    if (record.log.length === 0) record.runStart(this.id, this.#program.name, undefined);
    this.#conclude("cancelled", record.stateSoFar(this.#settings.state), error, { reason: text });
  }

  crash(error: StepweaveError): void {
    this.#reject(error);
  }

  abandon(error: StepweaveError): void {
    this.#reject(error);
  }

  /** What the run's functions share, made when one of them asks. */
  get session(): Map<string, unknown> {
    return (this.#session ??= new Map());
  }

  get log(): RunRecord["log"] {
    return this.#record.log;
  }

  warn(code: string, message: string, step?: number): void {
    // A run that is over has told its last event; what is wrong with its listeners must not be lost all the same.
    if (this.#outcome !== undefined) {
      if (code !== "log") console.error(`stepweave: ${message}`);
      return;
    }
    this.#record.now = this.#time();
    this.#record.warning(step, code, message);
    this.#record.log.show();
  }

  readonly #onAbort = (): void => this.cancel(this.#settings?.signal?.reason);

  readonly #begin = (): void => {
    if (this.#outcome !== undefined) return;
    try {
      const instance = instanceNow();
      if (instance !== undefined) this.#launch(instance);
      else instanceLater().then(this.#launch, (error: unknown) => this.#reject(error));
    } catch (error) {
      this.#reject(error);
    }
  };

  readonly #launch = (instance: Instance): void => {
    const settings = this.#settings;
    if (this.#outcome !== undefined || settings === undefined) return;
    try {
      const plan = this.#program.planOn(instance);
      this.#instance = instance;
      this.#operations = new Operations(this, plan, settings);
      instance.tenants.add(this);
      this.#run = instance.start(plan.number, settings.state, this.#port, Math.random() * 2 ** 32);
      this.#record.now = this.#time();
      this.#record.runStart(this.id, plan.name, plan);
    } catch (error) {
      this.#reject(error);
      return;
    }
    this.newTurn();
    this.#pump();
  };

  readonly #pump = (): void => {
    this.#isScheduled = false;
    if (this.#outcome !== undefined) return;
    this.#isLooping = true;
    try {
      this.#loop();
    } catch (error) {
      this.#reject(error);
    }
    this.#isLooping = false;
  };

  #loop(): void {
    const instance = this.#instance as Instance;
    const record = this.#record;
    const port = this.#port;
    const operations = this.#operations as Operations;
    do {
      const now = this.#time();
      if (this.#outcome !== undefined) return;
      this.#turnPolls += 1;
      // Asking for the time is a good part of what a poll costs: the run's own clock will do if it is the real one.
      const real = this.#settings?.clock === realClock ? now : Date.now();
      if (this.#turnPolls > TURN_POLLS || real - this.#turnBegan > TURN_MS) return this.#pause();
      this.#isDirty = false;
      record.now = now;
      const hasFinished = instance.poll(this.#run, now);
      record.log.show();
      if (hasFinished) return this.#finish();
      const { asks } = port;
      if (asks.length > 0) port.asks = [];
      for (const ask of asks) {
        operations.serve(ask);
        if (this.#outcome !== undefined) return;
      }
    } while (this.#isDirty);
  }

  settle(op: number, value: unknown): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#instance?.settle(this.#run, op, value);
    } catch (error) {
      return this.#reject(error);
    }
    this.#wake();
  }

  fail(op: number, thrown: unknown): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#instance?.fail(this.#run, op, JSON.stringify(failureOf(thrown)));
    } catch (error) {
      return this.#reject(error);
    }
    this.#wake();
  }

  /** Several answers that come together are followed by a single poll. */
  #wake(): void {
    this.#isDirty = true;
    if (this.#isLooping || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#pump);
  }

  #pause(): void {
    this.#isScheduled = true;
    afterTurn(() => {
      this.newTurn();
      this.#pump();
    });
  }

  newTurn(): void {
    this.#turnBegan = Date.now();
    this.#turnPolls = 0;
  }

  /** The clock's time; a clock that gives none ends the run. */
  #time(): number {
    let now: unknown;
    try {
      now = (this.#settings as Settings).clock.now();
    } catch (error) {
      this.abandon(brokenClock("now() failed", error));
      return this.#record.now;
    }
    if (typeof now === "number" && Number.isFinite(now)) return now;
    this.abandon(brokenClock(`now() gave ${String(now)}`, undefined));
    return this.#record.now;
  }

  #finish(): void {
    const { ending } = this.#port;
    if (ending === undefined) throw new StepweaveError("internal", "the engine finished a run without a result");
    // An engine that was interrupted, by its time limit for example, has no state to give.
    const state = ending.state ?? this.#record.stateSoFar((this.#settings as Settings).state);
    if (ending.error === undefined) return this.#conclude("done", state, undefined);
    const { stoppedBy } = ending;
    // A failure that stopped a step is in the list already; what stopped the run itself, such as its time limit, is not.
    const error = stoppedBy === undefined ? this.#record.runError(ending.error) : this.#record.results[stoppedBy]?.error;
    if (stoppedBy === undefined && error !== undefined) this.#record.errors.push(error);
    this.#conclude("error", state, new StepweaveError("cancelled", "the run has ended"), { error });
  }

  #conclude(
    status: RunResult["status"],
    state: object,
    aborting: StepweaveError | undefined,
    why: { readonly error?: StepweaveError | undefined; readonly reason?: string | undefined } = {},
  ): void {
    if (this.#outcome !== undefined) return;
    const result = this.#record.result(this.id, status, Object.freeze(state), why.error);
    this.#record.runEnd(result, why.reason);
    this.#record.log.show();
    this.#record.log.end();
    this.#end({ result }, aborting);
  }

  /** Ends the run because the call itself was wrong, or the engine failed. */
  #reject(thrown: unknown): void {
    if (this.#outcome !== undefined) return;
    const error = isStepweaveError(thrown)
      ? thrown
      : new StepweaveError("internal", `the run could not go on: ${textOf(thrown)}`, {
          cause: thrown,
          hint: "this is a fault of Stepweave: please report it with the workflow",
        });
    this.#drop();
    this.#record.log.break(error);
    this.#end({ error }, error);
  }

  /** Lets the engine forget the run. */
  #drop(): void {
    const instance = this.#instance;
    instance?.tenants.delete(this);
    if (this.#run === 0 || instance === undefined || instance.isDead) return;
    const run = this.#run;
    this.#run = 0;
    try {
      instance.cancel(run);
    } catch {
      // The instance has died of it and told its other runs; this one is over either way.
    }
  }

  #end(outcome: Outcome, reason: StepweaveError | undefined): void {
    this.#outcome = outcome;
    this.#instance?.tenants.delete(this);
    this.#settings?.signal?.removeEventListener("abort", this.#onAbort);
    this.#told?.(outcome);
    this.#operations?.abortAll(reason);
  }
}

/** An id that no other run has. */
export function newId(): string {
  // randomUUID is missing on pages that are not served securely.
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
