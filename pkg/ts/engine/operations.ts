import { StepweaveError, type StepRef } from "../errors.js";
import type { Clock } from "../types.js";
import { answerOf } from "./answers.js";
import { brokenClock } from "./clock.js";
import { HandlerContext, type ContextHome } from "./context.js";
import { Network } from "./network.js";
import type { Settings } from "./options.js";
import type { Plan } from "./plan.js";
import type { Ask } from "./port.js";

/** The run that operations belong to. */
export interface OperationsHome extends ContextHome {
  /** What was thrown, by operation. */
  readonly causes: Map<number, unknown>;
  settle(op: number, value: unknown): void;
  fail(op: number, thrown: unknown): void;
  /** Ends the run: it cannot go on. */
  abandon(error: StepweaveError): void;
  /** Something came from outside. */
  newTurn(): void;
}

/** What a run has under way outside the engine: calls of functions, requests, waits. */
export class Operations {
  readonly #home: OperationsHome;
  readonly #plan: Plan;
  readonly #settings: Settings;
  readonly #pending = new Map<number, { abort(reason?: unknown): void }>();
  #network: Network | undefined;

  constructor(home: OperationsHome, plan: Plan, settings: Settings) {
    this.#home = home;
    this.#plan = plan;
    this.#settings = settings;
  }

  /** Does what the engine asked for. */
  serve(ask: Ask): void {
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
    const call = this.#plan.functions[index]?.[kind];
    const step = this.#plan.steps[index]?.ref;
    if (call === undefined || step === undefined) throw new Error(`the engine calls step ${index}, which has no function`);
    const context = new HandlerContext(this.#home, index, step, attempt);
    let value: unknown;
    let isLater: boolean;
    try {
      value = call(Object.freeze(state), context);
      isLater = isThenable(value);
    } catch (error) {
      return this.#fail(op, error);
    }
    // What is there at once is settled at once: no promise, no turn of the microtask queue.
    if (!isLater) return this.#answer(op, kind, value, step);
    this.#pending.set(op, context);
    Promise.resolve(value).then(
      (later) => {
        if (this.#pending.delete(op)) this.#answer(op, kind, later, step);
      },
      (error: unknown) => {
        if (this.#pending.delete(op)) this.#fail(op, error);
      },
    );
  }

  #send(op: number, request: string): void {
    const controller = new AbortController();
    const network = (this.#network ??= new Network(this.#settings.fetch, this.#settings.secrets));
    this.#pending.set(op, controller);
    network.fetch(request, controller.signal).then(
      (reply) => {
        if (!this.#arrived(op)) network.close(reply.stream);
        else this.#home.settle(op, reply);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #read(op: number, stream: number): void {
    const network = this.#network as Network;
    this.#pending.set(op, { abort: () => network.close(stream) });
    network.read(stream).then(
      (bytes) => {
        if (this.#arrived(op)) this.#home.settle(op, bytes);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #sleep(op: number, ms: number): void {
    const controller = new AbortController();
    this.#pending.set(op, controller);
    // Inside an async function, so that a clock that throws at once is a rejection too.
    const asleep = async (clock: Clock): Promise<void> => clock.sleep(ms, controller.signal);
    asleep(this.#settings.clock).then(
      () => {
        if (this.#arrived(op)) this.#home.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#home.abandon(brokenClock("sleep() failed", error));
      },
    );
  }

  /** Whether anyone still waits for this. What comes from outside comes with a new turn of the event loop. */
  #arrived(op: number): boolean {
    if (!this.#pending.delete(op)) return false;
    this.#home.newTurn();
    return true;
  }

  #answer(op: number, kind: number, value: unknown, step: StepRef): void {
    let answer: unknown;
    try {
      answer = answerOf(kind, value, step);
    } catch (error) {
      return this.#refuse(op, error);
    }
    this.#home.settle(op, answer);
  }

  /** Gives everything up. Listeners of the signals are code of the user: this comes last. */
  abortAll(reason: unknown): void {
    this.#network?.closeAll();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const one of pending) one.abort(reason);
  }

  /** Tells the engine what code of the user threw, and keeps it as the cause. */
  #fail(op: number, thrown: unknown): void {
    this.#home.causes.set(op, thrown);
    this.#home.fail(op, thrown);
  }

  /** Tells the engine an error of our own: the cause is what it was made of. */
  #refuse(op: number, error: unknown): void {
    const cause = error instanceof Error ? error.cause : error;
    if (cause !== undefined) this.#home.causes.set(op, cause);
    this.#home.fail(op, error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
