/**
 * The wasm boundary as TypeScript sees it. Everything is synchronous: the engine asks for the world through
 * the port while it is polled, and is answered by operation number afterwards.
 */
export interface Glue {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
  compile(text: string): string;
  release(plan: number): void;
  start(plan: number, state: object, port: EnginePort, seed: number): number;
  poll(run: number, now: number): boolean;
  settle(run: number, op: number, value: unknown): void;
  fail(run: number, op: number, error: string): void;
  cancel(run: number): void;
}

/** What `compile` answers, as JSON text. */
export interface Compiled {
  /** 0 when the document is refused. */
  readonly plan: number;
  readonly problems: readonly import("../document.js").Problem[];
  /** Every step in pre-order: the port speaks of steps by their index here. */
  readonly steps: readonly { readonly id: string; readonly path: string; readonly name: string; readonly type: string }[];
}

/** Which function of a step is called. */
export const CALL_RUN = 0;
export const CALL_CONDITION = 1;
export const CALL_INPUT = 2;

/** What the engine calls while it works. An implementation records and returns: it never runs code of the user. */
export interface EnginePort {
  merge(state: object, patch: object): object;
  mergeAll(state: object, patches: readonly object[]): object;
  diff(before: object, after: object): object;
  json(state: object): string;
  /** Freezes a value that the engine made. */
  adopt(value: unknown): unknown;
  call(op: number, kind: number, step: number, attempt: number, state: object): void;
  fetch(op: number, step: number, request: string): void;
  read(op: number, stream: number): void;
  close(stream: number): void;
  sleep(op: number, ms: number): void;
  abort(op: number): void;
  stepStart(step: number, attempt: number): void;
  stepDelta(step: number, text: string): void;
  stepDone(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    usage: string | undefined,
    simulated: boolean,
  ): void;
  stepError(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    error: string,
    retryInMs: number | undefined,
    stoppedBy: number | undefined,
  ): void;
  stepSkipped(step: number, reason: string): void;
  warning(step: number | undefined, code: string, message: string): void;
  finish(state: object | undefined, error: string | undefined, stoppedBy: number | undefined): void;
}

/** What the port's `fetch` is given, as JSON text. */
export interface EngineRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly auth?: { readonly secret: string; readonly header: string; readonly prefix: string };
}

/** How a failure is told to the engine and back, as JSON text. */
export interface EngineError {
  readonly code: import("../errors.js").ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The operation whose failure this is, to find the cause again. */
  readonly op?: number | undefined;
}
