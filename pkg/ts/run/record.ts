import type { ErrorCode, StepRef } from "../api/errors.js";
import { StepweaveError } from "../api/errors.js";
import type { Pending, RunResult, RunWarningEvent, StepResult, Usage, WarningCode } from "../api/events.js";
import { totalOf } from "./usage.js";
import type { EngineError } from "../wasm/boundary.js";
import { causeOf, type Cause } from "./cause.js";
import { copyJson } from "../json/json.js";
import { EventLog } from "./log.js";
import type { Plan } from "./plan.js";
import { Tail, type Hidden } from "./tail.js";

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** A result of whatever kind, while it is made. */
type Ended = Draft<Omit<RunResult, "status" | "error" | "pending">> & {
  status: RunResult["status"];
  error?: StepweaveError;
  pending?: readonly Pending[];
};

/** One execution of a step: the step's index in the plan, and the scope it is in; 0 is outside of all loops. */
export interface Spot {
  readonly step: number;
  readonly scope: number;
}

/** The spot of two numbers that are there together or not at all. */
export function spotOf(step: number | undefined, scope: number | undefined): Spot | undefined {
  return step === undefined || scope === undefined ? undefined : { step, scope };
}

/** What is known of one execution of a step. */
interface Slot {
  readonly ref: StepRef;
  /** The event with which it began. */
  readonly start: { readonly at: number; replayed?: boolean };
  attempts: number;
  /** What has arrived of its answer. */
  text: string | undefined;
  /** What of that is held back: it may begin a secret. */
  tail: Tail | undefined;
  /** The same of its reasoning. */
  reasoningTail: Tail | undefined;
  /** The events with which its calls of tools began, by id, until they end. */
  calls: Map<string, { replayed?: boolean }> | undefined;
  /** What its calls of models used so far. */
  usage: Usage | undefined;
  result: StepResult | undefined;
}

/** What a person is asked. */
export interface Question {
  readonly key: string;
  readonly message: string | undefined;
  readonly schema: unknown;
  /** The call of a tool that is to be allowed. */
  readonly tool: Pending["tool"];
}

/** The executions outside of all loops, or those of one round. */
class Scope {
  /** By step; the first one is the step behind the loop. */
  readonly slots: (Slot | undefined)[] = [];
  /** By loop, the scopes of its rounds; made for the first of them. */
  rounds: Map<number, Scope[]> | undefined;
  constructor(
    readonly first: number,
    readonly prefix: string,
  ) {}
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
  readonly #warnings: RunWarningEvent[] = [];
  readonly #scopes: Scope[] = [new Scope(0, "")];
  #steps: Plan["steps"] = NO_STEPS;
  // The maps are made when they are needed: most runs need none.
  #causes: Map<number, Cause> | undefined;
  /** For answers of a journal: the steps by id, and as many scopes as were looked at by prefix. */
  #stepOf: Map<string, number> | undefined;
  #scopeOf: Map<string, number> | undefined;
  #scopesLookedAt = 0;
  #usage: Usage = NO_USAGE;

  /** What was thrown, by operation, until the engine tells which step it failed. */
  get causes(): Map<number, Cause> {
    return (this.#causes ??= new Map());
  }

  /** The text without secrets. */
  redact(text: string): string {
    return this.hidden === undefined ? text : this.hidden.redact(text);
  }

  /** Takes note of what was thrown in an operation. */
  blame(op: number, thrown: unknown): void {
    this.causes.set(op, causeOf(thrown, this.hidden && ((text) => this.redact(text))));
  }

  /** The first event. Without a plan, the run ends before its first step. */
  runStart(runId: string, workflow: string, plan: Plan | undefined): void {
    if (plan !== undefined) this.#steps = plan.steps;
    this.#tell({ type: "run.start", seq: this.log.length, at: this.now, runId, workflow });
  }

  /** A round of a loop begins. */
  enter(scope: number, outer: number, step: number, round: number, prefix: string): void {
    const inner = new Scope(step + 1, prefix);
    this.#scopes[scope] = inner;
    const around = this.#scope(outer);
    const rounds = (around.rounds ??= new Map());
    const known = rounds.get(step) ?? [];
    known[round] = inner;
    rounds.set(step, known);
  }

  stepStart(step: number, scope: number, attempt: number): void {
    const { slots, first } = this.#scope(scope);
    const known = slots[step - first];
    const ref = known === undefined ? this.#newRef(step, scope) : known.ref;
    const event = { type: "step.start", seq: this.log.length, at: this.now, step: ref, attempt };
    this.#tell(event);
    if (known === undefined) {
      slots[step - first] = newSlot(ref, event, attempt);
    } else {
      known.attempts = attempt;
      known.text = undefined;
    }
  }

  /** Takes back that an execution, and a call in it, began in a replay. */
  goLive(step: number, scope: number, callId: string | undefined): void {
    const slot = this.#slot(step, scope);
    if (slot === undefined) return;
    delete slot.start.replayed;
    const call = callId === undefined ? undefined : slot.calls?.get(callId);
    if (call !== undefined) delete call.replayed;
  }

  /** A piece of text that a step gives; gives what of it is told by now. */
  stepText(step: number, scope: number, text: string): string {
    const slot = this.#slot(step, scope);
    const { hidden } = this;
    const shown = slot === undefined || hidden === undefined ? this.redact(text) : (slot.tail ??= new Tail(hidden)).push(text);
    if (shown !== "" || text === "") this.stepDelta(step, scope, shown);
    return shown;
  }

  /** Tells what was held back of a step's text, now that no more comes; gives it. */
  releaseText(step: number, scope: number): string {
    const slot = this.#slot(step, scope);
    return slot === undefined ? "" : this.#release(slot);
  }

  /** What a step gives, as it is shown. */
  stepDelta(step: number, scope: number, text: string, value?: unknown): void {
    const slot = this.#slot(step, scope);
    this.#delta(slot?.ref ?? this.refOf(step, scope), text, value);
    if (slot !== undefined && text !== "") slot.text = (slot.text ?? "") + text;
  }

  /** A piece of what a model thinks; gives what of it is told by now. */
  stepReasoning(step: number, scope: number, text: string): string {
    const slot = this.#slot(step, scope);
    const { hidden } = this;
    const shown = slot === undefined || hidden === undefined ? this.redact(text) : (slot.reasoningTail ??= new Tail(hidden)).push(text);
    if (shown !== "") this.tellReasoning(step, scope, shown);
    return shown;
  }

  /** Tells what was held back of a step's reasoning, now that no more comes; gives it. */
  releaseReasoning(step: number, scope: number): string {
    const rest = this.#slot(step, scope)?.reasoningTail?.release() ?? "";
    if (rest !== "") this.tellReasoning(step, scope, rest);
    return rest;
  }

  /** What a model thinks, as it is shown. */
  tellReasoning(step: number, scope: number, text: string): void {
    this.#tell({ type: "step.reasoning", seq: this.log.length, at: this.now, step: this.refOf(step, scope), text });
  }

  /** What was told of an answer is dropped. */
  stepReset(step: number, scope: number): void {
    const slot = this.#slot(step, scope);
    if (slot !== undefined) slot.text = undefined;
    this.#tell({ type: "step.reset", seq: this.log.length, at: this.now, step: this.refOf(step, scope) });
  }

  /** A call of a model used this, whatever becomes of the step and of the run. */
  stepUsage(step: number, scope: number, usage: Usage): void {
    const slot = this.#slot(step, scope);
    if (slot !== undefined) slot.usage = slot.usage === undefined ? usage : totalOf([slot.usage, usage]);
    this.#usage = totalOf([this.#usage, usage]);
  }

  toolStart(step: number, scope: number, callId: string, tool: string, input: unknown): void {
    const slot = this.#slot(step, scope);
    // A model makes up ids and names too.
    const called = { callId: this.redact(callId), tool: this.redact(tool) };
    const event = { type: "tool.start", seq: this.log.length, at: this.now, step: this.refOf(step, scope), ...called, input };
    this.#tell(event);
    if (slot !== undefined) (slot.calls ??= new Map()).set(callId, event);
  }

  toolEnd(step: number, scope: number, callId: string, tool: string, durationMs: number, output: unknown, errorText: string | undefined): void {
    const ref = this.refOf(step, scope);
    this.#slot(step, scope)?.calls?.delete(callId);
    const told = { seq: this.log.length, at: this.now, step: ref, callId: this.redact(callId), tool: this.redact(tool) };
    if (errorText === undefined) this.#tell({ type: "tool.done", ...told, output, durationMs });
    else this.#tell({ type: "tool.error", ...told, error: this.#error(errorText, ref, undefined), durationMs });
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
    const slot = this.#slot(step, scope) as Slot;
    this.#release(slot);
    const { ref, usage } = slot;
    const { id, path, name, key } = ref;
    const result: Draft<StepResult> = { id, path, name, key, status: "done", attempts, startedAt, durationMs };
    const { now } = this;
    const seq = this.log.length;
    // What most steps have stands in the literal: a key that is added later takes an array of its own.
    const event: Record<string, unknown> = patch === undefined
      ? { type: "step.done", seq, at: now, step: ref, attempts, durationMs }
      : { type: "step.done", seq, at: now, step: ref, attempts, durationMs, patch };
    if (output !== undefined) event.output = result.output = output;
    if (usage !== undefined) event.usage = result.usage = usage;
    if (simulated) event.simulated = result.simulated = true;
    this.#tell(event);
    slot.result = result;
    slot.text = undefined;
  }

  stepError(
    step: number,
    scope: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    errorText: string,
    retryInMs: number | undefined,
    stoppedBy: Spot | undefined,
  ): void {
    const slot = this.#slot(step, scope) as Slot;
    this.#release(slot);
    const { ref, text, usage } = slot;
    const error = this.#error(errorText, ref, stoppedBy);
    const event: Record<string, unknown> = { type: "step.error", seq: this.log.length, at: this.now, step: ref, error, attempts, durationMs };
    this.#tell(event);
    if (retryInMs !== undefined) {
      event.retryInMs = retryInMs;
      return;
    }
    const { id, path, name, key } = ref;
    const result: Draft<StepResult> = { id, path, name, key, status: "error", attempts, startedAt, durationMs, error };
    if (text !== undefined) result.text = text;
    if (usage !== undefined) result.usage = usage;
    slot.result = result;
    // A container that a step inside it stopped has nothing to add to that step's own error.
    if (stoppedBy === undefined) this.errors.push(error);
  }

  stepSkipped(step: number, scope: number, reason: string): void {
    this.#tell({ type: "step.skipped", seq: this.log.length, at: this.now, step: this.refOf(step, scope), reason: this.redact(reason) });
    this.#close(step, scope, "skipped");
  }

  /** An execution waits for a person; without a question, for what is inside it. It may have several. */
  stepSuspended(step: number, scope: number, question: Question | undefined): void {
    const ref = this.refOf(step, scope);
    this.#tell({ type: "step.suspended", seq: this.log.length, at: this.now, step: ref });
    this.#close(step, scope, "suspended");
    if (question === undefined) return;
    const { key, message, schema, tool } = question;
    const pending: Draft<Pending> = { key, step: ref };
    if (message !== undefined) pending.message = message;
    if (schema !== undefined) pending.schema = schema;
    if (tool !== undefined) pending.tool = tool;
    this.pending.push(pending);
  }

  warning(spot: Spot | undefined, code: WarningCode, message: string): void {
    const event: Draft<RunWarningEvent> = { type: "run.warning", seq: this.log.length, at: this.now, code, message: this.redact(message) };
    if (spot !== undefined) event.step = this.refOf(spot.step, spot.scope);
    this.#tell(event);
    this.#warnings.push(event);
  }

  /** An item of a foreach came to nothing, which the foreach survives. */
  itemError(spot: Spot, errorText: string): void {
    const error = this.#error(errorText, this.refOf(spot.step, spot.scope), undefined);
    this.warning(spot, "item_error", error.message);
    this.errors.push(error);
  }

  /** The last event. */
  runEnd(result: RunResult, reason: string | undefined): void {
    const event = { type: `run.${result.status}`, seq: this.log.length, at: this.now, result };
    this.#tell(reason === undefined ? event : { ...event, reason });
  }

  /** The error that the engine tells, with what was thrown in the first place. */
  runError(errorText: string): StepweaveError {
    return this.#error(errorText, undefined, undefined);
  }

  /** The error with which an execution failed. */
  errorAt({ step, scope }: Spot): StepweaveError | undefined {
    return this.#slot(step, scope)?.result?.error;
  }

  /** Which attempt of an execution is under way. */
  attemptOf(step: number, scope: number): number {
    return this.#slot(step, scope)?.attempts ?? 1;
  }

  /** How events and results refer to an execution. */
  refOf(step: number, scope: number): StepRef {
    return this.#slot(step, scope)?.ref ?? this.#newRef(step, scope);
  }

  /** The execution of this key. */
  spotOf(key: string): Spot | undefined {
    const cut = key.lastIndexOf("/") + 1;
    const scopeOf = (this.#scopeOf ??= new Map());
    for (; this.#scopesLookedAt < this.#scopes.length; this.#scopesLookedAt += 1) {
      const prefix = this.#scopes[this.#scopesLookedAt]?.prefix;
      if (prefix !== undefined) scopeOf.set(prefix, this.#scopesLookedAt);
    }
    this.#stepOf ??= new Map(this.#steps.map(({ ref }, index) => [ref.id, index]));
    return spotOf(this.#stepOf.get(key.slice(cut)), scopeOf.get(key.slice(0, cut)));
  }

  /** The path of rounds and the step's id. */
  keyOf(step: number, scope: number): string {
    return this.refOf(step, scope).key;
  }

  /** The result, once nothing more happens: what is still under way counts as cancelled. */
  result(runId: string, status: RunResult["status"], state: object, error?: StepweaveError): RunResult {
    const stepResults: StepResult[] = [];
    this.#collect(this.#scope(0), stepResults);
    const result: Ended = { runId, status, state, stepResults, usage: this.#usage, errors: this.errors, warnings: this.#warnings };
    if (error !== undefined) result.error = error;
    if (status === "suspended") result.pending = this.pending;
    // The status says which of the kinds of results this is.
    return result as unknown as RunResult;
  }

  #tell(event: object): void {
    if (this.isReplaying) (event as { replayed?: boolean }).replayed = true;
    this.log.push(event);
  }

  #delta(step: StepRef, text: string, value: unknown): void {
    const event = { type: "step.delta", seq: this.log.length, at: this.now, step, text };
    this.#tell(value === undefined ? event : { ...event, value });
  }

  #release(slot: Slot): string {
    const reasoning = slot.reasoningTail?.release() ?? "";
    if (reasoning !== "") this.#tell({ type: "step.reasoning", seq: this.log.length, at: this.now, step: slot.ref, text: reasoning });
    const rest = slot.tail?.release() ?? "";
    if (rest === "") return rest;
    this.#delta(slot.ref, rest, undefined);
    slot.text = (slot.text ?? "") + rest;
    return rest;
  }

  #scope(scope: number): Scope {
    const found = this.#scopes[scope];
    if (found === undefined) throw new Error(`the engine names a scope ${scope} that it has not opened`);
    return found;
  }

  #slot(step: number, scope: number): Slot | undefined {
    const { slots, first } = this.#scope(scope);
    return slots[step - first];
  }

  #newRef(step: number, scope: number): StepRef {
    const planned = this.#steps[step];
    // What is checked before the first step and behind the last one belongs to the workflow itself.
    if (planned === undefined) return WHOLE;
    if (scope === 0) return planned.ref;
    return Object.freeze({ ...planned.ref, key: this.#scope(scope).prefix + planned.ref.id });
  }

  /** Ends an execution that gives nothing. One that is disabled has never begun. */
  #close(step: number, scope: number, status: "skipped" | "suspended" | "cancelled"): void {
    const { slots, first } = this.#scope(scope);
    const ref = this.refOf(step, scope);
    const slot = (slots[step - first] ??= newSlot(ref, { at: this.now }, 0));
    slot.result = this.#unfinished(slot, status);
  }

  #unfinished({ ref, start, attempts, text, usage }: Slot, status: "skipped" | "suspended" | "cancelled"): StepResult {
    const { id, path, name, key } = ref;
    const durationMs = this.now - start.at;
    const result: Draft<StepResult> = { id, path, name, key, status, attempts, startedAt: start.at, durationMs };
    if (text !== undefined) result.text = text;
    if (usage !== undefined) result.usage = usage;
    return result;
  }

  /** In the order of the document, round by round. */
  #collect({ slots, rounds, first }: Scope, results: StepResult[]): void {
    for (let index = 0; index < slots.length; index += 1) {
      const slot = slots[index];
      if (slot === undefined) continue;
      if (slot.result === undefined) this.#release(slot);
      results.push((slot.result ??= this.#unfinished(slot, "cancelled")));
      const known = rounds?.get(first + index);
      if (known !== undefined) for (const round of known) if (round !== undefined) this.#collect(round, results);
    }
  }

  /** `stoppedBy` is the step inside of a container that stopped it. */
  #error(text: string, step: StepRef | undefined, stoppedBy: Spot | undefined): StepweaveError {
    const { code, message, hint, retryable, retryAfterMs, op, problems } = JSON.parse(text) as EngineError;
    const inner = stoppedBy === undefined ? undefined : this.errorAt(stoppedBy);
    const cause = op == null ? undefined : this.causes.get(op);
    const thrown = cause === undefined ? {} : { cause: cause.thrown };
    return new StepweaveError(code as ErrorCode, this.redact(message), {
      ...(inner === undefined ? thrown : { cause: inner }),
      hint: hint ? this.redact(hint) : undefined,
      retryable,
      retryAfterMs,
      step,
      ...(problems !== undefined && { problems: copyJson(problems, "problems", undefined, (text) => this.redact(text)) as typeof problems }),
    });
  }
}

const NO_STEPS: Plan["steps"] = [];

const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0 });

const WHOLE: StepRef = Object.freeze({ id: "workflow", path: "", name: "workflow", key: "workflow" });

function newSlot(ref: StepRef, start: Slot["start"], attempts: number): Slot {
  return { ref, start, attempts, text: undefined, tail: undefined, reasoningTail: undefined, calls: undefined, usage: undefined, result: undefined };
}
