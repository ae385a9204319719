import type { EnginePort } from "./boundary.js";
import { copyJson, diff, merge, mergeAll } from "./json.js";
import type { RunRecord } from "./record.js";

/** What the engine asks the world for. */
export type Ask =
  | { readonly ask: "call"; readonly op: number; readonly kind: number; readonly step: number; readonly attempt: number; readonly state: object }
  | { readonly ask: "fetch"; readonly op: number; readonly step: number; readonly request: string }
  | { readonly ask: "read"; readonly op: number; readonly stream: number }
  | { readonly ask: "close"; readonly stream: number }
  | { readonly ask: "sleep"; readonly op: number; readonly ms: number }
  | { readonly ask: "abort"; readonly op: number };

/** How the engine says a run ended. */
export interface Ending {
  readonly state: object | undefined;
  readonly error: string | undefined;
  readonly stoppedBy: number | undefined;
}

/**
 * The engine's side of a run. It is called while the engine works, so it only takes notes: the driver reads
 * them when the engine has let go.
 */
export class Port implements EnginePort {
  asks: Ask[] = [];
  ending: Ending | undefined;
  readonly #record: RunRecord;

  constructor(record: RunRecord) {
    this.#record = record;
  }

  merge(state: object, patch: object): object {
    return merge(state, patch);
  }

  mergeAll(state: object, patches: readonly object[]): object {
    return mergeAll(state, patches);
  }

  diff(before: object, after: object): object {
    return diff(before, after);
  }

  json(value: unknown): string {
    return JSON.stringify(value);
  }

  adopt(value: unknown): unknown {
    return copyJson(value, "value", Number.POSITIVE_INFINITY);
  }

  call(op: number, kind: number, step: number, attempt: number, state: object): void {
    this.asks.push({ ask: "call", op, kind, step, attempt, state });
  }

  fetch(op: number, step: number, request: string): void {
    this.asks.push({ ask: "fetch", op, step, request });
  }

  read(op: number, stream: number): void {
    this.asks.push({ ask: "read", op, stream });
  }

  close(stream: number): void {
    this.asks.push({ ask: "close", stream });
  }

  sleep(op: number, ms: number): void {
    this.asks.push({ ask: "sleep", op, ms });
  }

  abort(op: number): void {
    this.asks.push({ ask: "abort", op });
  }

  stepStart(step: number, attempt: number): void {
    this.#record.stepStart(step, attempt);
  }

  stepDelta(step: number, text: string): void {
    this.#record.stepDelta(step, text);
  }

  stepDone(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    usage: string | undefined,
    simulated: boolean,
  ): void {
    this.#record.stepDone(step, attempts, startedAt, durationMs, output, patch, usage, simulated);
  }

  stepError(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    error: string,
    retryInMs: number | undefined,
    stoppedBy: number | undefined,
  ): void {
    this.#record.stepError(step, attempts, startedAt, durationMs, error, retryInMs, stoppedBy);
  }

  stepSkipped(step: number, reason: string): void {
    this.#record.stepSkipped(step, reason);
  }

  warning(step: number | undefined, code: string, message: string): void {
    this.#record.warning(step, code, message);
  }

  finish(state: object | undefined, error: string | undefined, stoppedBy: number | undefined): void {
    this.ending = { state, error, stoppedBy };
  }
}
