import type { StepweaveError } from "../api/errors.js";
import type { EnginePort } from "../wasm/boundary.js";
import type { Instance, Tenant } from "../wasm/instance.js";

/** A run inside an instance of the engine, where it is known by a number. */
export class EngineRun implements Tenant {
  tenancy = -1;
  readonly #crashed: (error: StepweaveError) => void;
  #instance: Instance | undefined;
  #number = 0;

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

  start(plan: number, state: object, port: EnginePort, seed: number, replay: number, from: number | undefined): void {
    this.#number = (this.#instance as Instance).start(plan, state, port, seed, replay, from);
  }

  /** Lets the engine work until everything in the run waits for the outside; whether it has finished. */
  poll(now: number): boolean {
    return (this.#instance as Instance).poll(this.#number, now);
  }

  settle(op: number, value: unknown): void {
    this.#instance?.settle(this.#number, op, value);
  }

  settleYielded(op: number, value: unknown, yielded: unknown): void {
    this.#instance?.settleYielded(this.#number, op, value, yielded);
  }

  /** The error is JSON text. */
  fail(op: number, error: string): void {
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
}
