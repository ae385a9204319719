import { StepweaveError } from "../api/errors.js";
import type { EngineRequest } from "./request.js";

/**
 * Aborts the request to an endpoint that sends nothing, by the time of this machine: a run's own clock may be one that
 * skips waits.
 */
export class Silence {
  readonly #waits: EngineRequest["waits"];
  readonly #origin: string;
  readonly #controller: AbortController;
  #began = Date.now();
  readonly #hint: string | undefined;
  #hasBegun = false;
  /** One read waits at a time. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `hint` is for requests that no limit of models is about. */
  constructor(waits: EngineRequest["waits"], origin: string, controller: AbortController, hint?: string) {
    this.#hint = hint;
    this.#waits = waits;
    this.#origin = origin;
    this.#controller = controller;
    // An aborted request is not waited for, even if it never settles.
    controller.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** The request leaves now: what came before it takes nothing of its time. */
  begin(): void {
    this.#began = Date.now();
  }

  /** The first bytes have come. */
  hear(): void {
    this.#hasBegun = true;
  }

  /** What the promise gives; throws `timeout` when it takes longer than the endpoint may be silent. */
  broken<Value>(promise: PromiseLike<Value>): PromiseLike<Value> {
    const { firstByteMs, silenceMs } = this.#waits;
    const most = this.#hasBegun ? silenceMs : firstByteMs;
    if (most === undefined || this.#controller.signal.aborted) return promise;
    const left = this.#hasBegun ? most : Math.max(0, this.#began + most - Date.now());
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => {
        reject(this.#silent(most));
        this.#controller.abort();
      }, Math.min(left, LONGEST));
      promise.then(
        (value) => {
          clearTimeout(this.#timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(this.#timer);
          reject(error as Error);
        },
      );
    });
  }

  #silent(most: number): StepweaveError {
    return new StepweaveError("timeout", `${this.#origin} sent nothing for ${most} ms`, {
      hint: this.#hint ?? `try again, or raise limits.${this.#hasBegun ? "idleMs" : "firstTokenMs"}`,
      retryable: true,
    });
  }
}

/** What timers can wait: longer ones end at once. */
const LONGEST = 2 ** 31 - 1;
