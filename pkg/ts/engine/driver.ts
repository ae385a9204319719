import { isStepweaveError, StepweaveError, textOf } from "../errors.js";
import type { RunEvent, RunResult } from "../events.js";
import type { Clock, Run, RunOptions } from "../types.js";
import { answerOf, failureOf } from "./answers.js";
import { afterTurn, realClock } from "./clock.js";
import { HandlerContext, type ContextHome } from "./context.js";
import type { Instance, Tenant } from "./instance.js";
import { Network } from "./network.js";
import { settingsOf, type Settings } from "./options.js";
import type { Plan } from "./plan.js";
import { Port, type Ask } from "./port.js";
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
export class Driver implements Run, Tenant, ContextHome {
  readonly id: string;
  readonly options: RunOptions;
  readonly #program: Program;
  readonly #record = new RunRecord();
  readonly #port = new Port(this.#record);
  /** What is under way outside, by operation. */
  readonly #pending = new Map<number, { abort(reason?: unknown): void }>();
  #settings: Settings | undefined;
  #network: Network | undefined;
  #instance: Instance | undefined;
  #plan: Plan | undefined;
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
    try {
      this.#settings = settingsOf(this.options, program);
    } catch (error) {
      this.#reject(error);
      return;
    }
    const { signal } = this.#settings;
    if (signal?.aborted) this.cancel(signal.reason);
    signal?.addEventListener("abort", this.#onAbort);
    // The caller holds the run before any of its own functions are called.
    queueMicrotask(this.#begin);
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
    this.#conclude("cancelled", record.stateSoFar(this.#settings.state), error, text);
  }

  crash(error: StepweaveError): void {
    this.#reject(error);
  }

  tell(step: number, message: string): void {
    if (this.#outcome !== undefined) return;
    this.#record.now = this.#time();
    this.#record.warning(step, "log", message);
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
      this.#plan = this.#program.planOn(instance);
      this.#instance = instance;
      instance.tenants.add(this);
      this.#run = instance.start(this.#plan.number, settings.state, this.#port, Math.random() * 2 ** 32);
    } catch (error) {
      this.#reject(error);
      return;
    }
    this.#record.now = this.#time();
    this.#record.runStart(this.id, this.#plan.name, this.#plan);
    this.#newTurn();
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
        this.#serve(ask);
        if (this.#outcome !== undefined) return;
      }
    } while (this.#isDirty);
  }

  #serve(ask: Ask): void {
    switch (ask.ask) {
      case "call":
        return this.#call(ask.op, ask.kind, ask.step, ask.attempt, ask.state);
      case "fetch":
        return this.#send(ask.op, ask.request);
      case "read":
        return this.#read(ask.op, ask.stream);
      case "sleep":
        return this.#sleep(ask.op, ask.ms);
      case "close":
        return this.#network?.close(ask.stream);
      case "abort": {
        const pending = this.#pending.get(ask.op);
        this.#pending.delete(ask.op);
        return pending?.abort(new StepweaveError("cancelled", "nobody waits for this any more"));
      }
    }
  }

  #call(op: number, kind: number, index: number, attempt: number, state: object): void {
    const call = this.#plan?.functions[index]?.[kind];
    const step = this.#plan?.steps[index]?.ref;
    if (call === undefined || step === undefined) throw new Error(`the engine calls step ${index}, which has no function`);
    const context = new HandlerContext(this, index, step, attempt);
    try {
      const value = call(state, context);
      // What is there at once is settled at once: no promise, no turn of the microtask queue.
      if (!isThenable(value)) return this.#settle(op, answerOf(kind, value, step));
      this.#pending.set(op, context);
      Promise.resolve(value).then(
        (later) => {
          if (this.#pending.delete(op)) this.#answer(op, () => answerOf(kind, later, step));
        },
        (error: unknown) => {
          if (this.#pending.delete(op)) this.#fail(op, error);
        },
      );
    } catch (error) {
      this.#fail(op, error);
    }
  }

  #send(op: number, request: string): void {
    const controller = new AbortController();
    const { fetch, secrets } = this.#settings as Settings;
    const network = (this.#network ??= new Network(fetch, secrets));
    this.#pending.set(op, controller);
    network.fetch(request, controller.signal).then(
      (reply) => {
        if (!this.#arrived(op)) network.close(reply.stream);
        else this.#settle(op, reply);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#fail(op, error);
      },
    );
  }

  #read(op: number, stream: number): void {
    const network = this.#network as Network;
    this.#pending.set(op, { abort: () => network.close(stream) });
    network.read(stream).then(
      (bytes) => {
        if (this.#arrived(op)) this.#settle(op, bytes);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#fail(op, error);
      },
    );
  }

  #sleep(op: number, ms: number): void {
    const controller = new AbortController();
    this.#pending.set(op, controller);
    // Inside an async function, so that a clock that throws at once is a rejection too.
    const asleep = async (clock: Clock): Promise<void> => clock.sleep(ms, controller.signal);
    asleep((this.#settings as Settings).clock).then(
      () => {
        if (this.#arrived(op)) this.#settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#abandon(brokenClock("sleep() failed", error));
      },
    );
  }

  /** Whether anyone still waits for this. What comes from outside comes with a new turn of the event loop. */
  #arrived(op: number): boolean {
    if (!this.#pending.delete(op)) return false;
    this.#newTurn();
    return true;
  }

  #answer(op: number, answer: () => unknown): void {
    let value: unknown;
    try {
      value = answer();
    } catch (error) {
      return this.#fail(op, error);
    }
    this.#settle(op, value);
  }

  #settle(op: number, value: unknown): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#instance?.settle(this.#run, op, value);
    } catch (error) {
      return this.#reject(error);
    }
    this.#wake();
  }

  #fail(op: number, thrown: unknown): void {
    if (this.#outcome !== undefined) return;
    const failure = failureOf(thrown);
    this.#record.causes.set(op, thrown);
    try {
      this.#instance?.fail(this.#run, op, JSON.stringify(failure));
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
      this.#newTurn();
      this.#pump();
    });
  }

  #newTurn(): void {
    this.#turnBegan = Date.now();
    this.#turnPolls = 0;
  }

  /** The clock's time; a clock that gives none ends the run. */
  #time(): number {
    let now: unknown;
    try {
      now = (this.#settings as Settings).clock.now();
    } catch (error) {
      this.#abandon(brokenClock("now() failed", error));
      return this.#record.now;
    }
    if (typeof now === "number" && Number.isFinite(now)) return now;
    this.#abandon(brokenClock(`now() gave ${String(now)}`, undefined));
    return this.#record.now;
  }

  #finish(): void {
    const { ending } = this.#port;
    if (ending === undefined) throw new StepweaveError("internal", "the engine finished a run without a result");
    if (ending.error === undefined) return this.#conclude("done", ending.state, undefined);
    // A failure that stopped a step is in the list already; what stopped the run itself, such as its time limit, is not.
    if (ending.stoppedBy === undefined) this.#record.errors.push(this.#record.runError(ending.error));
    this.#conclude("error", ending.state, new StepweaveError("cancelled", "the run has ended"));
  }

  #conclude(status: RunResult["status"], state: object, aborting: StepweaveError | undefined, reason?: string): void {
    if (this.#outcome !== undefined) return;
    const result = this.#record.result(this.id, status, state);
    this.#record.runEnd(result, reason);
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
    this.#record.log.break(error);
    this.#end({ error }, error);
  }

  #abandon(error: StepweaveError): void {
    this.#drop();
    this.#reject(error);
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
    this.#network?.closeAll();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    // Last, because listeners of the signals are code of the user.
    for (const one of pending) one.abort(reason);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function brokenClock(what: string, cause: unknown): StepweaveError {
  return new StepweaveError("validation", `the option \`clock\` does not work: ${what}`, {
    cause,
    hint: "now() gives milliseconds as a number, sleep(ms, signal) gives a promise",
  });
}

/** An id that no other run has. */
export function newId(): string {
  // randomUUID is missing on pages that are not served securely.
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
