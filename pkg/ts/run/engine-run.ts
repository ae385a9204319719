import type { StepweaveError } from "../api/errors.js";
import type { EnginePort } from "../wasm/boundary.js";
import type { Instance, Tenant } from "../wasm/instance.js";

/** A run inside an instance of the engine, where it is known by a number. */
export class EngineRun implements Tenant {
  tenancy = -1;
  readonly #crashed: (error: StepweaveError) => void;
  #instance: Instance | undefined;
  #number = 0;
  /** An answer that the next poll takes along: crossing the boundary once costs half of crossing it twice. 0 is no operation. */
  #op = 0;
  #answer: unknown;

  /** `crashed` is called when the instance dies. */
  constructor(crashed: (error: StepweaveError) => void) {
    this.#crashed = crashed;
  }

  crash(error: StepweaveError): void {
    this.#crashed(error);
  }

  /** The run belongs to this instance from now on, and ends when that dies. */
  moveInto(instance: Instance): void {
    this.#instance = instance;
    instance.take(this);
  }

  start(plan: number, state: object, port: EnginePort, seed: number, replay: number, from: number | undefined, pins: boolean): void {
    this.#number = (this.#instance as Instance).start(plan, state, port, seed, replay, from, pins);
  }

  /** Lets the engine work until everything in the run waits for the outside; whether it has finished. */
  poll(now: number): boolean {
    const instance = this.#instance as Instance;
    const op = this.#op;
    if (op === 0) return instance.poll(this.#number, now);
    const answer = this.#answer;
    this.#op = 0;
    this.#answer = undefined;
    return instance.resume(this.#number, op, answer, now);
  }

  settle(op: number, value: unknown): void {
    this.#settleHeld();
    this.#op = op;
    this.#answer = value;
  }

  settleYielded(op: number, value: unknown, yielded: unknown): void {
    this.#settleHeld();
    this.#instance?.settleYielded(this.#number, op, value, yielded);
  }

  /** The error is JSON text. */
  fail(op: number, error: string): void {
    this.#settleHeld();
    this.#instance?.fail(this.#number, op, error);
  }

  /** The instance may die without ending the run. */
  leave(): void {
    this.#instance?.dismiss(this);
  }

  /** Lets the engine forget the run, and gives the state that it had reached. */
  drop(): object | undefined {
    const instance = this.#instance;
    instance?.dismiss(this);
    if (this.#number === 0 || instance === undefined || instance.isDead) return undefined;
    const run = this.#number;
    this.#number = 0;
    try {
      return instance.cancel(run);
    } catch {
      // The instance has died of it and informed its other runs; this one is over either way.
      return undefined;
    }
  }

  /** The engine takes answers in their order. */
  #settleHeld(): void {
    const op = this.#op;
    if (op === 0) return;
    const answer = this.#answer;
    this.#op = 0;
    this.#answer = undefined;
    this.#instance?.settle(this.#number, op, answer);
  }
}
