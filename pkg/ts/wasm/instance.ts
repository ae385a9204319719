import { createGlue } from "#glue";
import { StepweaveError, textOf } from "../api/errors.js";
import type { EnginePort, Glue } from "./boundary.js";

/** Something that ends when its instance dies. */
export interface Tenant {
  /** Its index among the tenants, which the instance keeps; negative for none. */
  tenancy: number;
  crash(error: StepweaveError): void;
}

/**
 * One copy of the engine with its own memory. Any exception out of an export means that this memory
 * can no longer be trusted: the instance dies, and everything that ran on it ends with `internal`.
 */
export class Instance {
  // A list in which each knows its index: a set would keep released runs alive through many minor collections.
  readonly #tenants: Tenant[] = [];
  #glue: Glue | undefined;
  #busy = false;

  /** @internal */
  constructor(module: WebAssembly.Module) {
    const glue = createGlue();
    const { exports } = new WebAssembly.Instance(module, { "./stepweave_bg.js": glue as unknown as WebAssembly.ModuleImports });
    glue.__wbg_set_wasm(exports);
    (exports.__wbindgen_start as () => void)();
    this.#glue = glue;
  }

  get isDead(): boolean {
    return this.#glue === undefined;
  }

  /** Lets something run here. */
  take(tenant: Tenant): void {
    tenant.tenancy = this.#tenants.push(tenant) - 1;
  }

  /** Something runs here no longer. */
  dismiss(tenant: Tenant): void {
    const index = tenant.tenancy;
    if (index < 0) return;
    tenant.tenancy = -1;
    const last = this.#tenants.pop();
    if (last === undefined || last === tenant) return;
    this.#tenants[index] = last;
    last.tenancy = index;
  }

  compile(text: string, bounds: string): string {
    return this.#enter((glue) => glue.compile(text, bounds));
  }

  release(plan: number): void {
    if (!this.isDead) this.#enter((glue) => glue.release(plan));
  }

  start(plan: number, state: object, port: EnginePort, seed: number, replay: number, from: number | undefined, pins: boolean): number {
    return this.#enter((glue) => glue.start(plan, state, port, seed, replay, from, pins));
  }

  // The calls below are made for every single step: they are written out, so that no closure is made.

  poll(run: number, now: number): boolean {
    const glue = this.#begin();
    try {
      return glue.poll(run, now);
    } catch (error) {
      throw this.#trap(error);
    } finally {
      this.#busy = false;
    }
  }

  settle(run: number, op: number, value: unknown): void {
    const glue = this.#begin();
    try {
      glue.settle(run, op, value);
    } catch (error) {
      throw this.#trap(error);
    } finally {
      this.#busy = false;
    }
  }

  /** Settles an operation and polls. */
  resume(run: number, op: number, value: unknown, now: number): boolean {
    const glue = this.#begin();
    try {
      return glue.resume(run, op, value, now);
    } catch (error) {
      throw this.#trap(error);
    } finally {
      this.#busy = false;
    }
  }

  fail(run: number, op: number, error: string): void {
    this.#enter((glue) => glue.fail(run, op, error));
  }

  settleYielded(run: number, op: number, value: unknown, yielded: unknown): void {
    this.#enter((glue) => glue.settleYielded(run, op, value, yielded));
  }

  /** Drops a run and gives the state that it had reached. */
  cancel(run: number): object | undefined {
    return this.#enter((glue) => glue.cancel(run));
  }

  #enter<Result>(call: (glue: Glue) => Result): Result {
    const glue = this.#begin();
    try {
      return call(glue);
    } catch (error) {
      throw this.#trap(error);
    } finally {
      this.#busy = false;
    }
  }

  #begin(): Glue {
    if (this.#glue === undefined) throw new StepweaveError("internal", "this copy of the engine has stopped");
    // Entering twice would corrupt the engine's memory. No path of this package leads here.
    if (this.#busy) throw new StepweaveError("internal", "the engine was entered while it worked");
    this.#busy = true;
    return this.#glue;
  }

  #trap(thrown: unknown): StepweaveError {
    // The glue holds the memory: letting go of it frees both.
    this.#glue = undefined;
    this.#busy = false;
    const error = new StepweaveError("internal", `the engine stopped: ${textOf(thrown)}`, {
      cause: thrown,
      hint: "this is a fault of Stepweave: please report it with the workflow; the next run starts on a fresh engine",
    });
    for (const tenant of this.#tenants.splice(0)) {
      tenant.tenancy = -1;
      tenant.crash(error);
    }
    return error;
  }
}
