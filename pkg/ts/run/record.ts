import type { ErrorCode, StepRef } from "../api/errors.js";
import { StepweaveError } from "../api/errors.js";
import type { RunWarningEvent } from "../api/events.js";
import type { Pending, RunResult, StepResult } from "../api/results.js";
import type { Usage } from "../api/usage.js";
import type { WarningCode } from "../api/warning.js";
import { copyJson, EMPTY } from "../json/copy.js";
import { plain } from "../json/wide.js";
import { PINNED, SIMULATED, type EngineError } from "../wasm/boundary.js";
import type { AnswerExtras } from "../api/answer.js";
import { causeOf, type Cause } from "./cause.js";
import { type Execution, Executions, newExecution, type Spot } from "./executions.js";
import { giveInput } from "./input.js";
import { EventLog } from "./log.js";
import type { Plan } from "./plan.js";
import { Tail, type Hidden } from "./tail.js";
import { noteReplayed, totalOf } from "../json/usage.js";

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** A result of whatever kind, while it is made. */
type Ended = Draft<Omit<RunResult, "status" | "message" | "error" | "pending" | "wakeAt">> & {
  status: RunResult["status"];
  message?: string;
  error?: StepweaveError;
  pending?: readonly Pending[];
  wakeAt?: number;
};

/** A pending approval. */
export interface Question {
  readonly key: string;
  readonly message: string | undefined;
  readonly schema: unknown;
  /** The call of a tool that is to be allowed. */
  readonly tool: Pending["tool"];
  /** From when on it is too late. */
  readonly expiresAt: number | undefined;
}

/** What is known of a run: its events, and what became of each step. */
export class RunRecord {
  readonly log = new EventLog();
  /** What must not be shown, if there is anything: an endpoint may repeat the key that it refuses. */
  hidden: Hidden | undefined;
  /** The time of what is being recorded. */
  now = 0;
  /** Whether what is being recorded comes from a journal. */
  isReplaying = false;
  readonly errors: StepweaveError[] = [];
  readonly pending: Pending[] = [];
  /** When the earliest wait ends for which the run was suspended. */
  waitsUntil: number | undefined;
  readonly #warnings: RunWarningEvent[] = [];
  readonly #executions = new Executions();
  #exits: Plan["exits"];
  // Made when it is needed: most runs need none.
  #causes: Map<number, Cause> | undefined;
  /** The run that every event names. */
  #runId = "";
  /** The state that was frozen last: events and functions of several steps see the same one. */
  #frozen: object | undefined;
  #usage: Usage = NO_USAGE;
  /** What of it calls had used that the journal answered. */
  #replayed: Usage | undefined;
  /** When each run that this one is forked from had come so far, and how much later its fork went on. */
  readonly #gaps: { readonly from: number; readonly ms: number }[] = [];

  /** Thrown errors, by operation, until the engine reports which step failed. */
  get causes(): Map<number, Cause> {
    return (this.#causes ??= new Map());
  }

  /** The text without secrets. */
  redact(text: string): string {
    return this.hidden === undefined ? text : this.hidden.redact(text);
  }

  #message(text: string): string {
    return this.hidden === undefined ? text : this.hidden.redactMessage(text);
  }

  /** Takes note of what was thrown in an operation. */
  blame(op: number, thrown: unknown): void {
    this.causes.set(op, causeOf(thrown, this.hidden && ((text) => this.redact(text))));
  }

  /** No step took the time between the run that is forked and the fork. */
  leaveOut(from: number, to: number): void {
    this.#gaps.push({ from, ms: to - from });
  }

  /** The first event. Without a plan, the run ends before its first step. */
  runStart(runId: string, workflow: string, plan: Plan | undefined, input: object): void {
    this.#runId = runId;
    if (plan !== undefined) this.#executions.steps = plan.steps;
    this.#exits = plan?.exits;
    this.#append({ type: "run.start", seq: this.log.length, at: this.now, runId, workflow, input });
  }

  stepStart(step: number, scope: number, attempt: number, input: object): void {
    const known = this.#executions.at(step, scope);
    const ref = known === undefined ? this.#executions.refOf(step, scope) : known.ref;
    const event = { type: "step.start", seq: this.log.length, at: this.now, runId: this.#runId, step: ref, attempt, input: undefined };
    giveInput(event, input, this.#freeze);
    this.#append(event);
    if (known === undefined) {
      this.#executions.add(step, scope, newExecution(ref, event, input, attempt));
    } else {
      known.start = event;
      known.attempts = attempt;
      known.text = undefined;
    }
  }

  /** A state as events and functions may have it. */
  frozen(state: object): object {
    return this.#freeze(plain(state));
  }

  /** Freezing costs as much of what is frozen already. */
  readonly #freeze = (state: object): object => {
    if (state === this.#frozen) return state;
    return (this.#frozen = Object.freeze(state));
  };

  /** Takes back that the attempt of an execution, and a call in it, began in a replay. */
  goLive(step: number, scope: number, callId: string | undefined): void {
    const execution = this.#executions.at(step, scope);
    if (execution === undefined) return;
    delete execution.start.replayed;
    const call = callId === undefined ? undefined : execution.calls?.get(callId);
    if (call !== undefined) delete call.replayed;
  }

  /** A chunk of a step's text; returns what can be emitted by now. */
  stepText(step: number, scope: number, text: string): string {
    const execution = this.#executions.at(step, scope);
    const { hidden } = this;
    const shown = execution === undefined || hidden === undefined ? this.redact(text) : (execution.tail ??= new Tail(hidden)).push(text);
    if (shown !== "" || text === "") this.stepDelta(step, scope, shown);
    return shown;
  }

  /** Emits the held-back end of a step's text, now that no more comes; returns it. */
  releaseText(step: number, scope: number): string {
    const execution = this.#executions.at(step, scope);
    return execution === undefined ? "" : this.#release(execution);
  }

  /** What a step gives, as it is shown. */
  stepDelta(step: number, scope: number, text: string, value?: unknown): void {
    const execution = this.#executions.at(step, scope);
    this.#delta(execution?.ref ?? this.refOf(step, scope), text, value);
    if (execution === undefined || text === "") return;
    execution.text = (execution.text ?? "") + text;
    execution.isShown = true;
  }

  /** A chunk of a model's reasoning; returns what can be emitted by now. */
  stepReasoning(step: number, scope: number, text: string): string {
    const execution = this.#executions.at(step, scope);
    const { hidden } = this;
    const shown = execution === undefined || hidden === undefined ? this.redact(text) : (execution.reasoningTail ??= new Tail(hidden)).push(text);
    if (shown !== "") this.emitReasoning(step, scope, shown);
    return shown;
  }

  /** Emits the held-back end of a step's reasoning, now that no more comes; returns it. */
  releaseReasoning(step: number, scope: number): string {
    const rest = this.#executions.at(step, scope)?.reasoningTail?.release() ?? "";
    if (rest !== "") this.emitReasoning(step, scope, rest);
    return rest;
  }

  /** What a model thinks, as it is shown. */
  emitReasoning(step: number, scope: number, text: string): void {
    const execution = this.#executions.at(step, scope);
    if (execution !== undefined) execution.isShown = true;
    this.#emit("step.reasoning", { step: this.refOf(step, scope), text });
  }

  /** The answer emitted so far is discarded. */
  stepReset(step: number, scope: number): void {
    const execution = this.#executions.at(step, scope);
    if (execution !== undefined) {
      execution.text = undefined;
      execution.isShown = false;
    }
    this.#emit("step.reset", { step: this.refOf(step, scope) });
  }

  /** The same, out of a journal: the engine has emitted it already where an answer was dropped that the journal has. */
  stepResetAgain(step: number, scope: number): void {
    if (this.#executions.at(step, scope)?.isShown === true) this.stepReset(step, scope);
  }

  /** Emits what is held back of the steps that are cut off; gives it by their executions. */
  releaseAll(): { readonly key: string; readonly reasoning: string; readonly text: string }[] {
    if (this.hidden === undefined) return [];
    const cut = this.#executions.inOrder().filter(({ result }) => result === undefined);
    return cut.map((execution) => ({ key: execution.ref.key, reasoning: this.#releaseReasoning(execution), text: this.#release(execution) }));
  }

  /** A call of a model used this, whatever becomes of the step and of the run. */
  stepUsage(step: number, scope: number, usage: Usage): void {
    const execution = this.#executions.at(step, scope);
    if (execution !== undefined) execution.usage = execution.usage === undefined ? usage : totalOf([execution.usage, usage]);
    this.#usage = totalOf([this.#usage, usage]);
    if (!this.isReplaying) return;
    if (execution !== undefined) execution.replayed = totalOf([execution.replayed, usage]);
    this.#replayed = totalOf([this.#replayed, usage]);
  }

  toolStart(step: number, scope: number, callId: string, tool: string, input: unknown, byProvider: boolean): void {
    const execution = this.#executions.at(step, scope);
    // A model makes up ids and names too.
    const called = { callId: this.redact(callId), tool: this.redact(tool) };
    const event = this.#emit("tool.start", { step: this.refOf(step, scope), ...called, input, ...(byProvider && { byProvider }) });
    if (execution !== undefined) (execution.calls ??= new Map()).set(callId, event);
  }

  toolEnd(step: number, scope: number, callId: string, tool: string, durationMs: number, output: unknown, errorText: string | undefined, byProvider: boolean): void {
    const ref = this.refOf(step, scope);
    this.#executions.at(step, scope)?.calls?.delete(callId);
    const called = { step: ref, callId: this.redact(callId), tool: this.redact(tool) };
    const whose = byProvider && { byProvider };
    if (errorText === undefined) this.#emit("tool.done", { ...called, output, durationMs, ...whose });
    else this.#emit("tool.error", { ...called, error: this.#error(errorText, ref, undefined), durationMs, ...whose });
  }

  stepDone(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    elapsedMs: number,
    output: unknown,
    patch: object | undefined,
    extras: AnswerExtras | undefined,
    origin: number,
  ): void {
    const execution = this.#executions.at(step, scope) as Execution;
    this.#release(execution);
    const { ref, usage } = execution;
    const durationMs = this.#took(startedAt, elapsedMs);
    if (this.pending.length > 0) this.#stopAsking(ref);
    const { id, path, name, key } = ref;
    const result: Draft<StepResult> = { id, path, name, key, status: "done", attempts, startedAt, durationMs };
    const { now } = this;
    const runId = this.#runId;
    const seq = this.log.length;
    // The properties that most steps have are in the literal: a key that is added later takes a separate array.
    const event: Record<string, unknown> = patch === undefined
      ? { type: "step.done", seq, at: now, runId, step: ref, attempts, durationMs, input: undefined }
      : { type: "step.done", seq, at: now, runId, step: ref, attempts, durationMs, input: undefined, patch };
    giveInput(event, execution.seen, this.#freeze);
    if (output !== undefined) event.output = result.output = output;
    if (usage !== undefined) event.usage = result.usage = usage;
    noteReplayed(event, execution.replayed);
    if (extras !== undefined) for (const shown of [event, result]) Object.assign(shown, extras);
    if (origin === SIMULATED) event.simulated = result.simulated = true;
    else if (origin === PINNED) event.pinned = result.pinned = true;
    this.#append(event);
    execution.result = result;
    execution.text = undefined;
  }

  stepError(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    elapsedMs: number,
    errorText: string,
    retryInMs: number | undefined,
    stoppedBy: Spot | undefined,
  ): void {
    const execution = this.#executions.at(step, scope) as Execution;
    this.#release(execution);
    const { ref, text, usage } = execution;
    if (this.pending.length > 0) this.#stopAsking(ref);
    const durationMs = this.#took(startedAt, elapsedMs);
    const error = this.#error(errorText, ref, stoppedBy);
    const event: Record<string, unknown> = this.#emit("step.error", { step: ref, error, attempts, durationMs });
    if (retryInMs !== undefined) {
      event.retryInMs = retryInMs;
      return;
    }
    const { id, path, name, key } = ref;
    const result: Draft<StepResult> = { id, path, name, key, status: "error", attempts, startedAt, durationMs, error };
    if (text !== undefined) result.text = text;
    if (usage !== undefined) result.usage = usage;
    execution.result = result;
    // A container that a step inside it stopped has nothing to add to that step's own error.
    if (stoppedBy === undefined) this.errors.push(error);
  }

  stepSkipped(step: number, scope: number, reason: string): void {
    this.#emit("step.skipped", { step: this.refOf(step, scope), reason: this.redact(reason) });
    this.#close(step, scope, "skipped");
  }

  /** An execution waits for a person; without a question, for what is inside it. It may have several. */
  stepSuspended(step: number, scope: number, question: Question | undefined): void {
    const ref = this.refOf(step, scope);
    this.#emit("step.suspended", { step: ref });
    this.#close(step, scope, "suspended");
    if (question === undefined) return;
    const { key, message, schema, tool, expiresAt } = question;
    const pending: Draft<Pending> = { key, step: ref };
    if (message !== undefined) pending.message = message;
    if (schema !== undefined) pending.schema = schema;
    if (tool !== undefined) pending.tool = tool;
    if (expiresAt !== undefined) pending.expiresAt = expiresAt;
    this.pending.push(pending);
  }

  /** Nobody is asked any longer in calls of an attempt that is over. */
  #stopAsking({ key }: StepRef): void {
    for (let at = this.pending.length - 1; at >= 0; at -= 1) {
      if (this.pending[at]?.key.startsWith(`${key}#`)) this.pending.splice(at, 1);
    }
  }

  warning(spot: Spot | undefined, code: WarningCode, message: string): void {
    const event = this.#warning(code, message);
    if (spot !== undefined) event.step = this.refOf(spot.step, spot.scope);
    this.#append(event);
    this.#warnings.push(event);
  }

  /** A warning behind the last event: it is in the result alone. */
  lateWarning(code: WarningCode, message: string): void {
    const event = this.#warning(code, message);
    const { seq = -1 } = this.#warnings.at(-1) ?? {};
    this.#warnings.push({ ...event, seq: Math.max(event.seq, seq + 1) });
  }

  #warning(code: WarningCode, message: string): Draft<RunWarningEvent> {
    return { type: "run.warning", seq: this.log.length, at: this.now, runId: this.#runId, code, message: this.#message(message) };
  }

  /** An item of a foreach came to nothing, which the foreach survives. */
  itemError(spot: Spot, errorText: string): void {
    const error = this.#error(errorText, this.refOf(spot.step, spot.scope), undefined);
    this.warning(spot, "item_error", error.message);
    this.errors.push(error);
  }

  /** The last event. */
  runEnd(result: RunResult, reason: string | undefined): void {
    const type = `run.${result.status}`;
    const seq = this.log.length;
    const at = this.now;
    const runId = this.#runId;
    this.#append(reason === undefined ? { type, seq, at, runId, result } : { type, seq, at, runId, result, reason });
  }

  /** The engine's error, with the original error. */
  runError(errorText: string): StepweaveError {
    return this.#error(errorText, undefined, undefined);
  }

  /** The error with which an execution failed. */
  errorAt({ step, scope }: Spot): StepweaveError | undefined {
    return this.#executions.at(step, scope)?.result?.error;
  }

  /** The current attempt of an execution. */
  attemptOf(step: number, scope: number): number {
    return this.#executions.at(step, scope)?.attempts ?? 1;
  }

  /** Whether a step has begun. */
  get hasSteps(): boolean {
    return this.#executions.inOrder().length > 0;
  }

  /** How events and results refer to an execution. */
  refOf(step: number, scope: number): StepRef {
    return this.#executions.refOf(step, scope);
  }

  /** A round of a loop begins. */
  enter(scope: number, outer: number, step: number, round: number, prefix: string): void {
    this.#executions.enter(scope, outer, step, round, prefix);
  }

  /** The execution of this key. */
  spotOf(key: string): Spot | undefined {
    return this.#executions.spotOf(key);
  }

  /** The path of rounds and the step's id. */
  keyOf(step: number, scope: number): string {
    return this.refOf(step, scope).key;
  }

  /** The result, once nothing more happens: a step still in progress counts as cancelled. */
  result(runId: string, status: RunResult["status"], state: object, { error, reason }: { readonly error?: StepweaveError | undefined; readonly reason?: string | undefined }): RunResult {
    const stepResults = this.#executions.inOrder().map((execution) => (execution.result ??= this.#unfinished(execution, this.waitsUntil === undefined ? "cancelled" : "suspended")));
    const result: Ended = { runId, status, state, stepResults, usage: this.#usage, errors: this.errors, warnings: this.#warnings };
    noteReplayed(result, this.#replayed);
    if (error !== undefined) result.error = error;
    if (reason !== undefined) result.reason = reason;
    if (status === "done" && this.#exits !== undefined) this.#addMessage(result, this.#exits);
    if (status === "suspended") this.#addWaiting(result);
    // The status says which of the kinds of results this is.
    return result as unknown as RunResult;
  }

  /** What the step said that ended the run. Of several at the same time it is the first one of the document. */
  #addMessage(result: Ended, exits: ReadonlySet<string>): void {
    const message: unknown = result.stepResults.find(({ path, status }) => status === "done" && exits.has(path))?.output;
    if (typeof message === "string") result.message = message;
  }

  /** What a suspended run waits for. */
  #addWaiting(result: Ended): void {
    const { pending } = this;
    const wakeAt = pending.reduce((first, { expiresAt = Infinity }) => Math.min(first, expiresAt), this.waitsUntil ?? Infinity);
    result.pending = pending;
    if (wakeAt !== Infinity) result.wakeAt = wakeAt;
  }

  /** An event of a kind that few runs have. Those of every run and step are written out where they come: this copies. */
  #emit<Fields extends object>(type: string, fields: Fields) {
    const event = { type, seq: this.log.length, at: this.now, runId: this.#runId, ...fields };
    this.#append(event);
    return event;
  }

  #append(event: object): void {
    if (this.isReplaying) (event as { replayed?: boolean }).replayed = true;
    this.log.push(event);
  }

  #delta(step: StepRef, text: string, value: unknown): void {
    const event = { type: "step.delta", seq: this.log.length, at: this.now, runId: this.#runId, step, text };
    this.#append(value === undefined ? event : { ...event, value });
  }

  #releaseReasoning({ reasoningTail, ref }: Execution): string {
    const rest = reasoningTail?.release() ?? "";
    if (rest !== "") this.#emit("step.reasoning", { step: ref, text: rest });
    return rest;
  }

  #release(execution: Execution): string {
    this.#releaseReasoning(execution);
    const rest = execution.tail?.release() ?? "";
    if (rest === "") return rest;
    this.#delta(execution.ref, rest, undefined);
    execution.text = (execution.text ?? "") + rest;
    return rest;
  }

  /** Ends an execution that gives nothing. One that is disabled has never begun. */
  #close(step: number, scope: number, status: "skipped" | "suspended" | "cancelled"): void {
    const known = this.#executions.at(step, scope);
    const execution = known ?? newExecution(this.refOf(step, scope), { at: this.now }, EMPTY, 0);
    if (known === undefined) this.#executions.add(step, scope, execution);
    execution.result = this.#unfinished(execution, status);
  }

  /** How long something took of the time that this run and the one that it is forked from went on. */
  #took(startedAt: number, elapsedMs: number): number {
    return this.#gaps.reduce((left, { from, ms }) => (startedAt <= from ? left - ms : left), elapsedMs);
  }

  #unfinished({ ref, startedAt, attempts, text, usage }: Execution, status: "skipped" | "suspended" | "cancelled"): StepResult {
    const { id, path, name, key } = ref;
    const durationMs = this.#took(startedAt, this.now - startedAt);
    const result: Draft<StepResult> = { id, path, name, key, status, attempts, startedAt, durationMs };
    if (text !== undefined) result.text = text;
    if (usage !== undefined) result.usage = usage;
    return result;
  }

  /** `stoppedBy` is the step inside of a container that stopped it. */
  #error(text: string, step: StepRef | undefined, stoppedBy: Spot | undefined): StepweaveError {
    const { code, message, hint, retryable, retryAfterMs, op, problems } = JSON.parse(text) as EngineError;
    const inner = stoppedBy === undefined ? undefined : this.errorAt(stoppedBy);
    const cause = op == null ? undefined : this.causes.get(op);
    const thrown = cause === undefined ? {} : { cause: cause.thrown };
    return new StepweaveError(code as ErrorCode, this.#message(message), {
      ...(inner === undefined ? thrown : { cause: inner }),
      hint: hint ? this.#message(hint) : undefined,
      retryable,
      retryAfterMs,
      step,
      ...(problems !== undefined && { problems: copyJson(problems, "problems", undefined, (text) => this.redact(text)) as typeof problems }),
    });
  }
}

const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
