import type { StepRef } from "../errors.js";
import type { RunContext, SessionState } from "../types.js";

/** What a context needs of its run. */
export interface ContextHome {
  readonly id: string;
  readonly options: {
    readonly sessionId?: string | undefined;
    readonly userId?: string | undefined;
    readonly tenantId?: string | undefined;
    readonly metadata?: unknown;
    readonly dependencies?: unknown;
  };
  /** What the run's functions share. */
  readonly session: Map<string, unknown>;
  warn(code: string, message: string, step: number): void;
}

/** What a handler gets besides the state. Most of it is looked up when it is asked for. */
export class HandlerContext implements RunContext {
  readonly step: StepRef;
  readonly attempt: number;
  readonly #home: ContextHome;
  readonly #index: number;
  #controller: AbortController | undefined;
  #reason: { readonly value: unknown } | undefined;

  constructor(home: ContextHome, index: number, step: StepRef, attempt: number) {
    this.#home = home;
    this.#index = index;
    this.step = step;
    this.attempt = attempt;
  }

  get runId(): string {
    return this.#home.id;
  }

  get sessionId(): string | undefined {
    return this.#home.options.sessionId;
  }

  get userId(): string | undefined {
    return this.#home.options.userId;
  }

  get tenantId(): string | undefined {
    return this.#home.options.tenantId;
  }

  get idempotencyKey(): string {
    return `${this.#home.id}/${this.step.path}`;
  }

  get sessionState(): SessionState {
    const { session } = this.#home;
    return { get: (key) => session.get(key), set: (key, value) => void session.set(key, value) };
  }

  get metadata(): any {
    return this.#home.options.metadata;
  }

  get dependencies(): any {
    return this.#home.options.dependencies;
  }

  get signal(): AbortSignal {
    // Made on demand: most handlers never look at it, and making one costs more than a whole step.
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason.value);
    }
    return this.#controller.signal;
  }

  /** Bound, so that `(state, { log }) => log("…")` works. */
  get log(): (message: string) => void {
    return (message) => this.#home.warn("log", String(message), this.#index);
  }

  /** Tells the handler that nobody waits for it any more. */
  abort(reason: unknown): void {
    this.#reason = { value: reason };
    this.#controller?.abort(reason);
  }
}
