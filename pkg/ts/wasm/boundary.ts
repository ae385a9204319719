import type { StandardSchema } from "../api/schema.js";

/**
 * The wasm boundary as TypeScript sees it. Everything is synchronous: the engine writes its requests to
 * the port while it is polled, and receives the answers by operation number afterwards.
 */
export interface Glue {
  /** @internal */
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
  compile(text: string, bounds: string): string;
  release(plan: number): void;
  start(plan: number, state: object, port: EnginePort, seed: number, replay: number, from: number | undefined, pins: boolean): number;
  poll(run: number, now: number): boolean;
  settle(run: number, op: number, value: unknown): void;
  resume(run: number, op: number, value: unknown, now: number): boolean;
  settleYielded(run: number, op: number, value: unknown, yielded: unknown): void;
  fail(run: number, op: number, error: string): void;
  cancel(run: number): object | undefined;
}

/** What `compile` answers, as JSON text. */
export interface Compiled {
  /** 0 when the document is refused. */
  readonly plan: number;
  readonly problems: readonly import("../api/document.js").Problem[];
  /** Every step in pre-order: the port speaks of steps by their index here. */
  readonly steps: readonly { readonly id: string; readonly path: string; readonly name: string; readonly type: string }[];
  /** The functions that steps call: the port speaks of them by their index here. */
  readonly functions: readonly CompiledFunction[];
  /**
   * The schemas of the document, and where they stand. The port speaks of those of a plan by their index here; where
   * the document is refused they are those that could be found.
   */
  readonly schemas: readonly CompiledSchema[];
  /** The fingerprint of the document. */
  readonly digest: string;
}

/** A function that a step calls: one of the host by its name, or code; what is neither is the tool of an MCP server. */
export interface CompiledFunction {
  readonly path: string;
  readonly handler?: string;
  readonly code?: string;
}

/** A JSON Schema and where it stands in the document; nowhere, where it is the engine's own. */
export interface CompiledSchema {
  readonly path: string;
  readonly schema: unknown;
  /** A function of the host checks in its place: people are shown it. */
  readonly isShownOnly?: true;
  /** The tool whose input it is, and the schema that code has for that beside it. */
  readonly beside?: { readonly tool: string; readonly schema: unknown };
  /** The schema of a library that it was derived of, which decides. */
  readonly library?: StandardSchema;
}

/** What a function has to give. */
export const WANTS_PATCH = 0;
export const WANTS_DECISION = 1;
export const WANTS_TEXT = 2;
export const WANTS_LIST = 3;
export const WANTS_CHECKED = 4;
export const WANTS_OUTPUT = 5;
export const WANTS_CHECKED_KEYS = 6;

/** How `start` uses a journal. */
export const REPLAYS = { none: 0, resume: 1, edit: 2, strict: 3, renew: 4 } as const;

/** Where what a step gave comes from: from where the document says, from the demo model, or from a pin. */
export const SIMULATED = 1;
export const PINNED = 2;

/** What the engine calls while it works. An implementation takes notes and returns: it never runs code of the user. */
export interface EnginePort {
  merge(state: object, patch: object): object;
  mergeAll(state: object, patches: readonly object[]): object;
  /** The state with what each of these later states changed in it; nothing if two of them changed the same key. */
  join(state: object, ends: readonly object[]): object | undefined;
  diff(before: object, after: object): object;
  /** The keys that several of the patches have, as JSON text: `[{ key, first, second }]`, the patches by their indices. */
  sharedKeys(patches: readonly object[]): string | undefined;
  json(value: object): string;
  /** Freezes a value that the engine made. */
  adopt(value: unknown): unknown;
  bytes(value: unknown): number;
  violations(schema: number, value: unknown, most: number): string;
  /** The value with what a schema says for missing keys; undefined where none is missing. */
  filled(schema: number, value: unknown): unknown;
  timeOf(text: string): number;
  recorded(key: string): string | undefined;
  /** The request under this key is not the one that the journal has an answer to. */
  mismatch(step: number, scope: number, key: string): void;
  answer(op: number, key: string): void;
  replay(op: number, key: string): void;
  record(op: number, key: string, step: number, scope: number, fingerprints: string, value: unknown, error: string | undefined): void;
  call(op: number, called: number, wants: number, step: number, scope: number, attempt: number, state: object, callId: string | undefined): void;
  admit(op: number, step: number, scope: number, endpoint: string, concurrency: number | undefined, requestsPerMinute: number | undefined): void;
  /** Gives back the leave that this operation gave. */
  release(permit: number): void;
  /** Makes other requests to the endpoint of this permit wait for so many milliseconds. */
  shut(permit: number, milliseconds: number): void;
  fetch(op: number, step: number, scope: number, request: string): void;
  /** Asks whether a request of the document may leave, and fetches what it needs for that. */
  prepare(op: number, step: number, scope: number, request: string): void;
  /** Sends the request that this operation has prepared; settled with the whole answer. */
  exchange(op: number, prepared: number): void;
  read(op: number, stream: number): void;
  close(stream: number): void;
  sleep(op: number, milliseconds: number): void;
  sleepUntil(op: number, time: number): void;
  /** Ends in a later turn of the event loop. */
  pause(op: number): void;
  isFull(): boolean;
  /** Gives up an operation, or what it gave and nobody has used. */
  abort(op: number): void;
  enter(scope: number, outer: number, step: number, round: number, prefix: string): void;
  stepStart(step: number, scope: number, attempt: number, input: object): void;
  stepDelta(step: number, scope: number, text: string): void;
  stepReasoning(step: number, scope: number, text: string): void;
  stepReset(step: number, scope: number): void;
  stepUsage(step: number, scope: number, usage: string): void;
  toolStart(step: number, scope: number, callId: string, tool: string, input: unknown, byProvider: boolean): void;
  toolEnd(
    step: number,
    scope: number,
    callId: string,
    tool: string,
    durationMs: number,
    output: unknown,
    error: string | undefined,
    byProvider: boolean,
  ): void;
  stepDone(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    extras: object | undefined,
    origin: number,
  ): void;
  stepError(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    error: string,
    retryInMs: number | undefined,
    stoppedByStep: number | undefined,
    stoppedByScope: number | undefined,
  ): void;
  stepSkipped(step: number, scope: number, reason: string): void;
  stepSuspended(
    step: number,
    scope: number,
    key: string | undefined,
    message: string | undefined,
    schema: number | undefined,
    callId: string | undefined,
    tool: string | undefined,
    input: unknown,
    expiresAt: number | undefined,
  ): void;
  itemError(step: number, scope: number, error: string): void;
  warning(step: number | undefined, scope: number | undefined, code: string, message: string): void;
  finish(
    state: object,
    suspended: boolean,
    error: string | undefined,
    stoppedByStep: number | undefined,
    stoppedByScope: number | undefined,
  ): void;
}

/** A failure as it is passed to the engine and back, as JSON text. */
export interface EngineError {
  readonly code: import("../api/errors.js").ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether some of a model's answer had been emitted before. */
  readonly afterDelta?: boolean | undefined;
  /** What the call of a model used that ended so. */
  readonly usage?: import("../api/usage.js").Usage | undefined;
  /** Another output mode for the same request to a model that rejected it. */
  readonly outputMode?: string | undefined;
  readonly problems?: readonly import("../api/document.js").Problem[] | undefined;
  /** Where a schema of a library refuses a value, as JSON Pointers. */
  readonly faults?: readonly string[] | undefined;
  /** What an endpoint said that refused what a model sent by itself: the engine makes the error of it. */
  readonly refused?: import("../effects/refusal.js").Refusal | undefined;
  /** The operation whose failure this is, to find the cause again. */
  readonly op?: number | undefined;
}
