import type { ErrorCode } from "../errors.js";
import { StepweaveError, textOf } from "../errors.js";
import type { RunResult, StepResult, Usage } from "../events.js";
import type { EngineError } from "./boundary.js";
import { EventLog } from "./log.js";
import { stateSoFar } from "./partial.js";
import type { Plan } from "./plan.js";

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** What is known of a run: its events, and what became of each step. */
export class RunRecord {
  readonly log = new EventLog();
  /** Takes secrets out of what errors say: an endpoint may repeat the key that it refuses. */
  redact: (text: string) => string = (text) => text;
  /** The time of what is being recorded. */
  now = 0;
  readonly errors: StepweaveError[] = [];
  /** What was thrown, by operation, until the engine tells which step it failed. */
  readonly causes = new Map<number, unknown>();
  readonly patches: (object | undefined)[] = [];
  readonly results: (StepResult | undefined)[] = [];
  // By step, while it is under way.
  readonly #begun: ({ at: number } | undefined)[] = [];
  readonly #attempts: number[] = [];
  readonly #texts: (string | undefined)[] = [];
  #steps: Plan["steps"] = [];
  #usage: Usage = NO_USAGE;

  /** The first event. Without a plan, the run ends before its first step. */
  runStart(runId: string, workflow: string, plan: Plan | undefined): void {
    if (plan !== undefined) this.#steps = plan.steps;
    this.log.push({ type: "run.start", seq: this.log.length, at: this.now, runId, workflow });
  }

  stepStart(step: number, attempt: number): void {
    const event = { type: "step.start", seq: this.log.length, at: this.now, step: this.#ref(step), attempt };
    this.log.push(event);
    this.#attempts[step] = attempt;
    this.#begun[step] ??= event;
    if (attempt > 1) this.#texts[step] = undefined;
  }

  stepDelta(step: number, text: string): void {
    this.log.push({ type: "step.delta", seq: this.log.length, at: this.now, step: this.#ref(step), text });
    this.#texts[step] = (this.#texts[step] ?? "") + text;
  }

  stepDone(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    output: unknown,
    patch: object | undefined,
    usageText: string | undefined,
    simulated: boolean,
  ): void {
    const ref = this.#ref(step);
    const { id, path, name } = ref;
    const result: Draft<StepResult> = { id, path, name, status: "done", attempts, startedAt, durationMs };
    const event: Record<string, unknown> = { type: "step.done", seq: this.log.length, at: this.now, step: ref, attempts, durationMs };
    if (patch !== undefined) {
      event.patch = patch;
      this.patches[step] = patch;
    }
    if (output !== undefined) event.output = result.output = output;
    if (usageText !== undefined) event.usage = result.usage = this.#count(usageText);
    if (simulated) event.simulated = result.simulated = true;
    this.log.push(event);
    this.results[step] = result;
    this.#begun[step] = undefined;
  }

  stepError(
    step: number,
    attempts: number,
    startedAt: number,
    durationMs: number,
    errorText: string,
    retryInMs: number | undefined,
    stoppedBy: number | undefined,
  ): void {
    const ref = this.#ref(step);
    const error = this.#error(errorText, step, stoppedBy);
    const event: Record<string, unknown> = { type: "step.error", seq: this.log.length, at: this.now, step: ref, error, attempts, durationMs };
    this.log.push(event);
    if (retryInMs !== undefined) {
      event.retryInMs = retryInMs;
      return;
    }
    const { id, path, name } = ref;
    const result: Draft<StepResult> = { id, path, name, status: "error", attempts, startedAt, durationMs, error };
    const text = this.#texts[step];
    if (text !== undefined) result.text = text;
    this.results[step] = result;
    this.#begun[step] = undefined;
    // A container that a step inside it stopped has nothing to add to that step's own error.
    if (stoppedBy === undefined) this.errors.push(error);
  }

  stepSkipped(step: number, reason: string): void {
    const ref = this.#ref(step);
    this.log.push({ type: "step.skipped", seq: this.log.length, at: this.now, step: ref, reason });
    const { id, path, name } = ref;
    const startedAt = this.#begun[step]?.at ?? this.now;
    const attempts = this.#attempts[step] ?? 0;
    this.results[step] = { id, path, name, status: "skipped", attempts, startedAt, durationMs: this.now - startedAt };
    this.#begun[step] = undefined;
  }

  warning(step: number | undefined, code: string, message: string): void {
    const event = { type: "run.warning", seq: this.log.length, at: this.now, code, message };
    this.log.push(step === undefined ? event : { ...event, step: this.#ref(step) });
  }

  /** The last event. */
  runEnd(result: RunResult, reason: string | undefined): void {
    const event = { type: `run.${result.status}`, seq: this.log.length, at: this.now, result };
    this.log.push(reason === undefined ? event : { ...event, reason });
  }

  /** The error that the engine tells, with what was thrown in the first place. */
  runError(errorText: string): StepweaveError {
    return this.#error(errorText, undefined, undefined);
  }

  /** The state as far as it had come, when the engine cannot say. */
  stateSoFar(initial: object): object {
    return stateSoFar(this.#steps, this.patches, this.results, initial);
  }

  /** The result, once nothing more happens: what is still under way counts as cancelled. */
  result(runId: string, status: RunResult["status"], state: object, error?: StepweaveError): RunResult {
    for (const [step, begun] of this.#begun.entries()) {
      if (begun === undefined) continue;
      const { id, path, name } = this.#ref(step);
      const startedAt = begun.at;
      const attempts = this.#attempts[step] ?? 1;
      const durationMs = this.now - startedAt;
      const result: Draft<StepResult> = { id, path, name, status: "cancelled", attempts, startedAt, durationMs };
      const text = this.#texts[step];
      if (text !== undefined) result.text = text;
      this.results[step] = result;
    }
    const stepResults: StepResult[] = [];
    for (const result of this.results) if (result !== undefined) stepResults.push(result);
    const result: Draft<RunResult> = { runId, status, state, stepResults, usage: this.#usage, errors: this.errors };
    if (error !== undefined) result.error = error;
    return result;
  }

  #ref(step: number) {
    const found = this.#steps[step];
    if (found === undefined) throw new Error(`the engine names a step ${step} that the plan does not have`);
    return found.ref;
  }

  /** `stoppedBy` is the step inside of a container that stopped it. */
  #error(text: string, step: number | undefined, stoppedBy: number | undefined): StepweaveError {
    const { code, message, hint, retryable, op } = JSON.parse(text) as EngineError;
    const inner = stoppedBy === undefined ? undefined : this.results[stoppedBy]?.error;
    const thrown = op != null && this.causes.has(op) ? { cause: this.#shown(this.causes.get(op)) } : {};
    return new StepweaveError(code as ErrorCode, this.redact(message), {
      ...(inner === undefined ? thrown : { cause: inner }),
      hint: hint ? this.redact(hint) : undefined,
      retryable,
      step: step === undefined ? undefined : this.#ref(step),
    });
  }

  /** What was thrown, unless it, or what it was caused by, would show a secret. */
  #shown(thrown: unknown): unknown {
    let at = thrown;
    for (let depth = 0; depth < MAX_CAUSES && at !== undefined && at !== null; depth += 1) {
      const { stack, cause } = at as { stack?: unknown; cause?: unknown };
      const text = `${textOf(at)}${typeof stack === "string" ? stack : ""}`;
      if (this.redact(text) !== text) return new Error(this.redact(textOf(thrown)));
      at = cause;
    }
    return thrown;
  }

  #count(text: string): Usage {
    const usage = JSON.parse(text) as Usage;
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
    };
    return usage;
  }
}

/** How far causes of causes are looked into. */
const MAX_CAUSES = 16;

const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
