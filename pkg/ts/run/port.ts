import { isStepweaveError, textOf } from "../api/errors.js";
import type { Usage } from "../api/events.js";
import type { JournalEntry } from "../api/journal.js";
import type { Bounds } from "../effects/rate-limiter.js";
import { copyJson } from "../json/copy.js";
import { diff, join, merge, mergeAll, sharedKeys } from "../json/patch.js";
import { bytesOf, jsonText } from "../json/size.js";
import type { Validator } from "../schema/violation.js";
import type { CompiledSchema, EngineError, EnginePort } from "../wasm/boundary.js";
import { spotOf, type Spot } from "./executions.js";
import type { Logbook } from "./logbook.js";
import type { RunRecord } from "./record.js";

/** A request of the engine to the outside. */
export type Ask =
  | { readonly ask: "call"; readonly op: number; readonly called: number; readonly wants: number; readonly step: number; readonly scope: number; readonly attempt: number; readonly state: object; readonly callId: string | undefined }
  | { readonly ask: "admit"; readonly op: number; readonly endpoint: string; readonly bounds: Bounds }
  | { readonly ask: "release"; readonly permit: number }
  | { readonly ask: "shut"; readonly permit: number; readonly ms: number }
  | { readonly ask: "fetch"; readonly op: number; readonly step: number; readonly scope: number; readonly request: string }
  | { readonly ask: "read"; readonly op: number; readonly stream: number }
  | { readonly ask: "close"; readonly stream: number }
  | { readonly ask: "sleep"; readonly op: number; readonly ms: number }
  | { readonly ask: "sleepUntil"; readonly op: number; readonly time: number }
  | { readonly ask: "pause"; readonly op: number }
  | { readonly ask: "answer"; readonly op: number; readonly key: string }
  | { readonly ask: "record"; readonly op: number; readonly entry: Omit<JournalEntry, "at"> }
  | { readonly ask: "abort"; readonly op: number };

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
export class Port implements EnginePort {
  /** Those that nobody has served stand behind those that were. */
  readonly #asks: (Ask | undefined)[] = [];
  #asked = 0;
  #served = 0;
  /**
   * Requests that take no time in a journal, and so are served while it answers: unanswered approvals,
   * which wait at once as they did in the recorded run, and pauses.
   */
  #open: Ask[] | undefined;
  /** The requests for which the journal has only the answer to another request. */
  readonly mismatches: { readonly spot: Spot; readonly key: string }[] = [];
  ending: Ending | undefined;
  /** The run's journal, if one is kept. */
  logbook: Logbook | undefined;
  /** What people answered, by key. */
  answers: ReadonlyMap<string, unknown> | undefined;
  /** How many events the run may emit. */
  maxEvents = Infinity;
  /** What finds faults in values; there when the plan has schemas. */
  validator: Validator | undefined;
  schemas: readonly CompiledSchema[] = [];
  /** Takes secrets out of texts, where there are any. */
  redact: ((text: string) => string) | undefined;
  readonly #record: RunRecord;

  constructor(record: RunRecord) {
    this.#record = record;
  }

  /** The earliest request of the engine that has not been served. */
  nextAsk(): Ask | undefined {
    if (this.#served === this.#asked) {
      this.#asked = this.#served = 0;
      return undefined;
    }
    const ask = this.#asks[this.#served];
    this.#asks[this.#served] = undefined;
    this.#served += 1;
    return ask;
  }

  /** Gives what is to be served while a journal answers, if there is anything new. */
  takeOpen(): readonly Ask[] | undefined {
    const open = this.#open;
    this.#open = undefined;
    return open;
  }

  merge(state: object, patch: object): object {
    return merge(state, patch);
  }

  mergeAll(state: object, patches: readonly object[]): object {
    return mergeAll(state, patches);
  }

  join(state: object, ends: readonly object[]): object | undefined {
    return join(state, ends);
  }

  diff(before: object, after: object): object {
    return diff(before, after);
  }

  sharedKeys(patches: readonly object[]): string | undefined {
    const shared = sharedKeys(patches);
    return shared.length === 0 ? undefined : jsonText(shared);
  }

  json(value: unknown): string {
    return jsonText(value);
  }

  adopt(value: unknown): unknown {
    return copyJson(value, "value", Number.POSITIVE_INFINITY, this.redact);
  }

  bytes(value: unknown): number {
    return bytesOf(value);
  }

  violations(schema: number, value: unknown, most: number): string {
    try {
      return jsonText({ violations: (this.validator as Validator).check(this.schemas[schema]?.schema, value, most) });
    } catch (error) {
      const { code, message, hint } = isStepweaveError(error) ? error : { code: "internal" as const, message: textOf(error), hint: undefined };
      return jsonText({ error: { code, message, hint } satisfies EngineError });
    }
  }

  filled(schema: number, value: unknown): unknown {
    try {
      const filled = (this.validator as Validator).fill(this.schemas[schema]?.schema, value);
      return filled === value ? undefined : filled;
    } catch {
      // A value too large to be filled in is too large to be checked, which is reported.
      return undefined;
    }
  }

  timeOf(text: string): number {
    return Date.parse(text);
  }

  recorded(key: string): string | undefined {
    return this.logbook?.timeline.asked(key);
  }

  mismatch(step: number, scope: number, key: string): void {
    this.mismatches.push({ spot: { step, scope }, key });
  }

  answer(op: number, key: string): void {
    const ask: Ask = { ask: "answer", op, key };
    if (this.logbook === undefined || this.answers?.has(key) === true) this.#ask(ask);
    else (this.#open ??= []).push(ask);
  }

  replay(op: number, key: string): void {
    (this.logbook as Logbook).timeline.wait(op, key);
  }

  record(op: number, key: string, step: number, scope: number, asked: string, value: unknown, error: string | undefined): void {
    this.#tellRest(step, scope);
    const entry = (this.logbook as Logbook).entry(key, this.#record.keyOf(step, scope), asked, value, error);
    this.#ask({ ask: "record", op, entry });
  }

  call(op: number, called: number, wants: number, step: number, scope: number, attempt: number, state: object, callId: string | undefined): void {
    this.#goLive(step, scope, callId);
    this.#ask({ ask: "call", op, called, wants, step, scope, attempt, state, callId });
  }

  admit(op: number, step: number, scope: number, endpoint: string, concurrency: number | undefined, requestsPerMinute: number | undefined): void {
    this.#goLive(step, scope);
    this.#ask({ ask: "admit", op, endpoint, bounds: { concurrency, requestsPerMinute } });
  }

  release(permit: number): void {
    this.#ask({ ask: "release", permit });
  }

  shut(permit: number, ms: number): void {
    this.#ask({ ask: "shut", permit, ms });
  }

  fetch(op: number, step: number, scope: number, request: string): void {
    this.#goLive(step, scope);
    this.#ask({ ask: "fetch", op, step, scope, request });
  }

  read(op: number, stream: number): void {
    this.#ask({ ask: "read", op, stream });
  }

  close(stream: number): void {
    this.#ask({ ask: "close", stream });
  }

  sleep(op: number, ms: number): void {
    this.#ask({ ask: "sleep", op, ms });
  }

  sleepUntil(op: number, time: number): void {
    this.#ask({ ask: "sleepUntil", op, time });
  }

  pause(op: number): void {
    if (this.#record.isReplaying) (this.#open ??= []).push({ ask: "pause", op });
    else this.#ask({ ask: "pause", op });
  }

  isFull(): boolean {
    return this.#record.log.length > this.maxEvents;
  }

  abort(op: number): void {
    if (this.logbook?.timeline.forget(op) !== true) this.#ask({ ask: "abort", op });
  }

  enter(scope: number, outer: number, step: number, round: number, prefix: string): void {
    this.#record.enter(scope, outer, step, round, prefix);
  }

  stepStart(step: number, scope: number, attempt: number): void {
    this.#record.stepStart(step, scope, attempt);
  }

  stepDelta(step: number, scope: number, text: string): void {
    this.#tellText(step, scope, this.#record.stepText(step, scope, text));
  }

  stepReasoning(step: number, scope: number, text: string): void {
    this.#tellReasoning(step, scope, this.#record.stepReasoning(step, scope, text));
  }

  stepReset(step: number, scope: number): void {
    this.#record.stepReset(step, scope);
  }

  stepUsage(step: number, scope: number, usage: string): void {
    this.#record.stepUsage(step, scope, JSON.parse(usage) as Usage);
  }

  toolStart(step: number, scope: number, callId: string, tool: string, input: unknown): void {
    this.#record.toolStart(step, scope, callId, tool, input);
  }

  toolEnd(step: number, scope: number, callId: string, tool: string, durationMs: number, output: unknown, error: string | undefined): void {
    this.#record.toolEnd(step, scope, callId, tool, durationMs, output, error);
  }

  stepDone(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    simulated: boolean,
  ): void {
    this.#record.stepDone(step, scope, attempts, startedAt, durationMs, output, patch, simulated);
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
  ): void {
    const call = callId === undefined || tool === undefined ? undefined : { name: tool, input, callId };
    const question = key === undefined ? undefined : { key, message, schema: schema === undefined ? undefined : this.schemas[schema]?.schema, tool: call };
    this.#record.stepSuspended(step, scope, question);
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

  #ask(ask: Ask): void {
    this.#asks[this.#asked] = ask;
    this.#asked += 1;
  }

  /** Emits the held-back rest of an answer that is complete now. */
  #tellRest(step: number, scope: number): void {
    this.#tellReasoning(step, scope, this.#record.releaseReasoning(step, scope));
    this.#tellText(step, scope, this.#record.releaseText(step, scope));
  }

  /** What the journal keeps of a step's text is what was shown of it. */
  #tellText(step: number, scope: number, shown: string): void {
    if (shown !== "") this.logbook?.tell(this.#record.keyOf(step, scope), { type: "delta", value: shown }, this.#record.now);
  }

  #tellReasoning(step: number, scope: number, shown: string): void {
    if (shown !== "") this.logbook?.tell(this.#record.keyOf(step, scope), { type: "reasoning", text: shown }, this.#record.now);
  }

  /** A step makes a request to the outside now: its start, and that of the call, is no replay. */
  #goLive(step: number, scope: number, callId?: string): void {
    if (this.#record.isReplaying) this.#record.goLive(step, scope, callId);
  }
}
