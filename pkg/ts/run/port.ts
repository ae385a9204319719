import type { Usage } from "../api/usage.js";
import type { AnswerExtras } from "../api/answer.js";
import type { EnginePort } from "../wasm/boundary.js";
import { plain } from "../json/wide.js";
import { Values } from "../wasm/values.js";
import { Asks, type Ask } from "./asks.js";
import { spotOf, type Spot } from "./executions.js";
import type { Logbook } from "./logbook.js";
import type { RunRecord } from "./record.js";
import { decisionFor, inputOf } from "./tool-inputs.js";

/** How the engine says a run ended. */
export interface Ending {
  readonly state: object;
  readonly suspended: boolean;
  readonly error: string | undefined;
  readonly stoppedBy: Spot | undefined;
}

/**
 * The engine's side of a run. It is called while the engine works, so it only takes notes: the driver reads
 * them when the engine has let go.
 */
export class Port extends Values implements EnginePort {
  readonly asks = new Asks();
  /** The requests for which the journal has only the answer to another request. */
  readonly mismatches: { readonly spot: Spot; readonly key: string }[] = [];
  ending: Ending | undefined;
  /** The run's journal, if one is kept. */
  logbook: Logbook | undefined;
  /** What people answered, by key. */
  answers: ReadonlyMap<string, unknown> | undefined;
  /** How many events the run may emit. */
  maxEvents = Infinity;
  readonly #record: RunRecord;

  constructor(record: RunRecord) {
    super();
    this.#record = record;
  }

  recorded(key: string): string | undefined {
    return this.logbook?.timeline.fingerprintOf(key);
  }

  mismatch(step: number, scope: number, key: string): void {
    this.mismatches.push({ spot: { step, scope }, key });
  }

  answer(op: number, key: string): void {
    const ask: Ask = { ask: "answer", op, key };
    if (this.logbook === undefined || this.answers?.has(key) === true) this.asks.add(ask);
    else this.asks.addOpen(ask);
  }

  replay(op: number, key: string): void {
    (this.logbook as Logbook).timeline.wait(op, key);
  }

  record(op: number, key: string, step: number, scope: number, fingerprints: string, value: unknown, error: string | undefined): void {
    this.#emitRest(step, scope);
    const entry = (this.logbook as Logbook).entry(key, this.#record.keyOf(step, scope), fingerprints, plain(value), error);
    this.asks.add({ ask: "record", op, entry });
  }

  call(op: number, called: number, wants: number, step: number, scope: number, attempt: number, state: object, callId: string | undefined): void {
    this.#goLive(step, scope, callId);
    this.asks.add({ ask: "call", op, called, wants, step, scope, attempt, state: this.#record.frozen(state), callId });
  }

  admit(op: number, step: number, scope: number, endpoint: string, concurrency: number | undefined, requestsPerMinute: number | undefined): void {
    this.#goLive(step, scope);
    this.asks.add({ ask: "admit", op, step, scope, endpoint, bounds: { concurrency, requestsPerMinute } });
  }

  release(permit: number): void {
    this.asks.add({ ask: "release", permit });
  }

  shut(permit: number, ms: number): void {
    this.asks.add({ ask: "shut", permit, ms });
  }

  fetch(op: number, step: number, scope: number, request: string): void {
    this.#goLive(step, scope);
    this.asks.add({ ask: "fetch", op, step, scope, request });
  }

  prepare(op: number, step: number, scope: number, request: string): void {
    this.#goLive(step, scope);
    this.asks.add({ ask: "prepare", op, step, scope, request });
  }

  exchange(op: number, prepared: number): void {
    this.asks.add({ ask: "exchange", op, prepared });
  }

  read(op: number, stream: number): void {
    this.asks.add({ ask: "read", op, stream });
  }

  close(stream: number): void {
    this.asks.add({ ask: "close", stream });
  }

  sleep(op: number, ms: number): void {
    this.asks.add({ ask: "sleep", op, ms });
  }

  sleepUntil(op: number, time: number): void {
    this.asks.add({ ask: "sleepUntil", op, time });
  }

  pause(op: number): void {
    if (this.#record.isReplaying) this.asks.addOpen({ ask: "pause", op });
    else this.asks.add({ ask: "pause", op });
  }

  isFull(): boolean {
    return this.#record.log.length > this.maxEvents;
  }

  abort(op: number): void {
    if (this.logbook?.timeline.forget(op) !== true) this.asks.addAbort(op);
  }

  enter(scope: number, outer: number, step: number, round: number, prefix: string): void {
    this.#record.enter(scope, outer, step, round, prefix);
  }

  stepStart(step: number, scope: number, attempt: number, input: object): void {
    this.#record.stepStart(step, scope, attempt, input);
  }

  stepDelta(step: number, scope: number, text: string): void {
    this.#emitText(step, scope, this.#record.stepText(step, scope, text));
  }

  stepReasoning(step: number, scope: number, text: string): void {
    this.#emitReasoning(step, scope, this.#record.stepReasoning(step, scope, text));
  }

  stepReset(step: number, scope: number): void {
    this.#record.stepReset(step, scope);
    // A time limit that cuts an answer off leaves none in the journal: a replay drops what that has emitted all the same.
    if (!this.#record.isReplaying) this.logbook?.note(this.#record.keyOf(step, scope), { type: "reset" }, this.#record.now);
  }

  /** Emits what is held back of the steps that the end of the run cuts off. */
  releaseAll(): void {
    for (const { key, reasoning, text } of this.#record.releaseAll()) {
      this.#noteReasoning(key, reasoning);
      this.#noteText(key, text);
    }
  }

  stepUsage(step: number, scope: number, usage: string): void {
    this.#record.stepUsage(step, scope, JSON.parse(usage) as Usage);
  }

  toolStart(step: number, scope: number, callId: string, tool: string, input: unknown, byProvider: boolean): void {
    this.#record.toolStart(step, scope, callId, tool, input, byProvider);
  }

  toolEnd(step: number, scope: number, callId: string, tool: string, durationMs: number, output: unknown, error: string | undefined, byProvider: boolean): void {
    this.#record.toolEnd(step, scope, callId, tool, durationMs, plain(output), error, byProvider);
  }

  stepDone(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    extras: AnswerExtras | undefined,
    origin: number,
  ): void {
    this.#record.stepDone(step, scope, attempts, startedAt, durationMs, plain(output), patch, extras, origin);
  }

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
  ): void {
    this.#record.stepError(step, scope, attempts, startedAt, durationMs, error, retryInMs, spotOf(stoppedByStep, stoppedByScope));
  }

  stepSkipped(step: number, scope: number, reason: string): void {
    this.#record.stepSkipped(step, scope, reason);
  }

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
  ): void {
    const call = callId === undefined || tool === undefined ? undefined : { name: tool, input, callId };
    const question = key === undefined ? undefined : { key, message, schema: this.#shown(schema, tool), tool: call, expiresAt };
    this.#record.stepSuspended(step, scope, question);
  }

  /** The schema of an answer, as people are shown it. */
  #shown(schema: number | undefined, tool: string | undefined): unknown {
    const own = schema === undefined ? undefined : this.schemas[schema]?.schema;
    const input = tool === undefined ? undefined : inputOf(this.schemas, tool)?.schema;
    return own === undefined || input === undefined ? own : decisionFor(own, input);
  }

  itemError(step: number, scope: number, error: string): void {
    this.#record.itemError({ step, scope }, error);
  }

  warning(step: number | undefined, scope: number | undefined, code: string, message: string): void {
    this.#record.warning(spotOf(step, scope), code, message);
  }

  finish(
    state: object,
    suspended: boolean,
    error: string | undefined,
    stoppedByStep: number | undefined,
    stoppedByScope: number | undefined,
  ): void {
    this.ending = { state, suspended, error, stoppedBy: spotOf(stoppedByStep, stoppedByScope) };
  }

  /** Emits the held-back rest of an answer that is complete now. */
  #emitRest(step: number, scope: number): void {
    this.#emitReasoning(step, scope, this.#record.releaseReasoning(step, scope));
    this.#emitText(step, scope, this.#record.releaseText(step, scope));
  }

  /** What the journal keeps of a step's text is what was shown of it. */
  #emitText(step: number, scope: number, shown: string): void {
    this.#noteText(this.#record.keyOf(step, scope), shown);
  }

  #emitReasoning(step: number, scope: number, shown: string): void {
    this.#noteReasoning(this.#record.keyOf(step, scope), shown);
  }

  #noteText(key: string, shown: string): void {
    if (shown !== "") this.logbook?.note(key, { type: "delta", value: shown }, this.#record.now);
  }

  #noteReasoning(key: string, shown: string): void {
    if (shown !== "") this.logbook?.note(key, { type: "reasoning", text: shown }, this.#record.now);
  }

  /** A step makes a request to the outside now: its start, and that of the call, is no replay. */
  #goLive(step: number, scope: number, callId?: string): void {
    if (this.#record.isReplaying) this.#record.goLive(step, scope, callId);
  }
}
