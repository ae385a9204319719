import type { ToolDecision } from "../../api/decision.js";
import { isStepweaveError, StepweaveError, type StepRef } from "../../api/errors.js";
import type { RunEndEvent, RunEvent, RunWarningEvent, StepErrorEvent } from "../../api/events.js";
import type { RunResult, StepResult } from "../../api/results.js";
import type { Usage } from "../../api/usage.js";
import { totalOf } from "../../json/usage.js";
import type { AnswerExtras } from "../../api/answer.js";
import { extrasOf } from "../../run/extras.js";
import { partId, partOf, type PartName } from "../compile/part.js";
import { outputKey, type ChainState } from "./state.js";

/** The properties of an event that are read before it is emitted. */
export interface StepEvent {
  readonly type: string;
  readonly step?: StepRef | undefined;
}

/** What is known of a step from its phases. */
interface Whole {
  readonly ref: StepRef;
  /** How often its function was called or, after that, its model. */
  attempts: number;
  usage: Usage | undefined;
  simulated: boolean;
  /** What its answer has besides the text. */
  extras: AnswerExtras;
  /** Undefined where no tools were chosen among. */
  decisions: readonly ToolDecision[] | undefined;
  /** Whether one of the chosen tools was called. */
  hasCalled: boolean;
}

type OfStep = Exclude<RunEvent<ChainState>, RunEndEvent<ChainState>> & { readonly step: StepRef };
type Result = RunResult<ChainState>;

/** The code of warnings about the choice of tools. */
const SELECTION = "tool_selection";

/** Emits the phases of steps with tools as those steps. */
export class Fold {
  readonly #begun = new Map<string, StepRef>();
  readonly #wholes = new Map<string, Whole>();
  readonly #errors = new Map<StepweaveError, StepweaveError>();

  /** An event as it is emitted; nothing when it is only of a phase. */
  event(event: Exclude<RunEvent<ChainState>, RunEndEvent<ChainState>>): StepEvent | undefined {
    if (!("step" in event) || event.step === undefined) return event;
    const { step } = event;
    const place = partOf(step.id);
    if (place === undefined) {
      if (event.type === "step.start") this.#begun.set(step.id, step);
      const whole = this.#wholes.get(step.id);
      return whole === undefined ? event : this.#ofWhole(event as OfStep, whole);
    }
    const whole = this.#wholeOf(place.step, step);
    const folded = { ...event, step: whole.ref };
    switch (event.type) {
      case "run.warning":
        // Before the first call, only the warnings of the selection are of interest.
        return place.part === "tools" && event.code === "log" && !whole.hasCalled ? changed(folded, { code: SELECTION }) : folded;
      case "step.start":
        if (!isAttempted(place.part)) return undefined;
        whole.attempts = event.attempt;
        return event.attempt > 1 ? folded : undefined;
      case "step.done":
        if (event.usage !== undefined && usesModel(place.part)) whole.usage = totalOf([whole.usage, event.usage]);
        whole.simulated ||= event.simulated === true;
        if (place.part === "answer") whole.extras = extrasOf(event);
        if (place.part === "tools") whole.decisions = event.output as Whole["decisions"];
        return undefined;
      case "step.error":
        if (place.part === "select" && event.retryInMs === undefined) return choiceFailed({ ...event, step: whole.ref });
        return isAttempted(place.part) && event.retryInMs !== undefined ? changed(folded, { error: this.#errorOf(event.error) }) : undefined;
      case "step.skipped":
      case "step.suspended":
        return undefined;
      case "tool.error":
        return changed(folded, { error: this.#errorOf(event.error) });
      case "tool.start":
        whole.hasCalled = true;
        return folded;
      case "tool.done":
        return folded;
      default:
        return place.part === "answer" ? folded : undefined;
    }
  }

  /** A result in which steps with tools are one step each. */
  result(result: Result): Result {
    if (this.#wholes.size === 0) return result;
    const { stepResults, errors, error, pending } = result;
    return {
      ...result,
      stepResults: stepResults.filter(({ id }) => partOf(id) === undefined).map((step) => this.#resultOf(step, stepResults)),
      errors: errors.filter(({ step }) => step === undefined || partOf(step.id)?.part !== "select").map((error) => this.#errorOf(error)),
      ...(error !== undefined && { error: this.#errorOf(error) }),
      ...(pending !== undefined && { pending: pending.map((one) => ({ ...one, step: this.#refOf(one.step) })) }),
    } as Result;
  }

  #ofWhole(event: OfStep, whole: Whole): StepEvent {
    if (event.type === "step.error") return changed(event, { attempts: whole.attempts, error: this.#errorOf(event.error) });
    return event.type === "step.done" ? changed(event, gathered(event.step.id, event.output, whole)) : event;
  }

  #resultOf(step: StepResult, all: readonly StepResult[]): StepResult {
    const whole = this.#wholes.get(step.id);
    if (whole === undefined) return step;
    const parts = all.filter(({ id }) => {
      const place = partOf(id);
      return place?.step === step.id && usesModel(place.part);
    });
    const answer = parts.find(({ id }) => id === partId(step.id, "answer"));
    // Those that failed have used something too.
    const counted = parts.flatMap(({ usage }) => usage ?? []);
    return Object.freeze({
      ...step,
      ...gathered(step.id, step.output, whole),
      ...(counted.length > 0 && { usage: totalOf(counted) }),
      ...(step.error !== undefined && { error: this.#errorOf(step.error) }),
      ...(answer?.text !== undefined && { text: answer.text }),
    });
  }

  /** An error of a phase as that of its step; the same one each time. */
  #errorOf(error: StepweaveError): StepweaveError {
    const { step, cause, code, message, hint, retryable, retryAfterMs, problems } = error;
    // A step that was stopped by one of its phases has nothing to add to that phase's own error.
    if (isStepweaveError(cause) && cause.step !== undefined && partOf(cause.step.id) !== undefined) return this.#errorOf(cause);
    const place = step && partOf(step.id);
    if (step === undefined || place === undefined) return error;
    const known = this.#errors.get(error);
    if (known !== undefined) return known;
    const folded = new StepweaveError(code, message, { hint, retryable, retryAfterMs, problems, step: this.#refOf(step), ...(cause !== undefined && { cause }) });
    this.#errors.set(error, folded);
    return folded;
  }

  #refOf(step: StepRef): StepRef {
    const place = partOf(step.id);
    return place === undefined ? step : this.#wholeOf(place.step, step).ref;
  }

  #wholeOf(name: string, part: StepRef): Whole {
    const known = this.#wholes.get(name);
    if (known !== undefined) return known;
    const ref = this.#begun.get(name) ?? { ...part, id: name };
    const whole: Whole = { ref, attempts: 1, usage: undefined, simulated: false, extras: {}, decisions: undefined, hasCalled: false };
    this.#wholes.set(name, whole);
    return whole;
  }
}

/** The output of a step, and the usage of its phases. */
function gathered(id: string, output: unknown, { attempts, usage, simulated, extras, decisions }: Whole): object {
  return {
    attempts,
    ...(output !== undefined && { output: (output as ChainState)[outputKey(id)] as unknown }),
    ...(usage !== undefined && { usage }),
    ...(simulated && { simulated }),
    ...extras,
    ...(decisions !== undefined && { toolDecisions: decisions }),
  };
}

/** Whether the attempts of a phase are those of its step. */
function isAttempted(part: PartName): boolean {
  return part === "call" || part === "answer" || part === "value";
}

/** Whether a phase asks a model: what else was computed or called has used nothing that a model tells of. */
function usesModel(part: PartName): boolean {
  return part === "select" || part === "answer";
}

function choiceFailed({ seq, at, runId, step, replayed, error }: StepErrorEvent): StepEvent {
  const warning: RunWarningEvent = { type: "run.warning", seq, at, runId, code: SELECTION, message: `no tools were chosen for \`${step.id}\`: ${error.message}`, step };
  return changed(warning, { ...(replayed && { replayed }) });
}

function changed(event: StepEvent, changes: object): StepEvent {
  return { ...event, ...changes };
}
