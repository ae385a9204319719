import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { RunResult } from "../api/results.js";
import type { WarningCode } from "../api/warning.js";
import { brokenClock } from "../effects/clock.js";
import { isConflict } from "../journal/errors.js";
import { plain } from "../json/wide.js";
import { cleanError } from "./cause.js";
import { unkept } from "./journaling.js";
import type { End } from "./logbook.js";
import type { Conclusion } from "./outcome.js";
import type { RunParts } from "./parts.js";

/** Why a run ended as it did. */
export interface Why {
  readonly error?: StepweaveError | undefined;
  readonly reason?: string | undefined;
}

/** The ways in which a run ends, each of which aborts the operations in progress and emits the last event. */
export class Ending {
  readonly #run: RunParts;
  #isInterrupting = false;

  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Whether the run is over. */
  get isThere(): boolean {
    return this.#run.outcome.isThere;
  }

  /** The clock's time; a clock that gives none ends the run. */
  time(): number {
    let now: unknown;
    try {
      now = this.#run.settings.clock.now();
    } catch (error) {
      this.reject(brokenClock("now() failed", error));
      return this.#run.record.now;
    }
    if (typeof now === "number" && Number.isFinite(now)) return now;
    this.reject(brokenClock(`now() gave ${textOf(now)}`, undefined));
    return this.#run.record.now;
  }

  /** Ends the run because somebody says so. `at` is when it ended, if that was earlier. */
  cancel(reason: unknown, at?: number): void {
    const text = reason === undefined ? undefined : this.#run.record.redact(textOf(reason));
    const message = text === undefined ? "the run was cancelled" : `the run was cancelled: ${text}`;
    const error = new StepweaveError("cancelled", message, { cause: reason });
    this.#interrupt("cancelled", error, { reason: text }, at);
  }

  /** Ends the run where it is with this error. */
  fail(error: StepweaveError): void {
    this.#run.record.errors.push(error);
    this.#interrupt("error", error, { error });
  }

  failOfEvents(): void {
    this.fail(
      new StepweaveError("limit", `the run has emitted ${this.#run.port.maxEvents} events, which is its limit`, {
        hint: "raise limits.maxEvents, or look for a loop that goes on for too long",
      }),
    );
  }

  /** Ends the run for now: it waits for nothing but a time. `at` is when that was, if it was earlier. */
  suspend(until: number, at?: number): void {
    this.#run.record.waitsUntil = until;
    this.#interrupt("suspended", new StepweaveError("cancelled", "the run is suspended"), {}, at);
  }

  /** The journal cannot be kept. */
  lose(error: unknown): void {
    if (!this.isThere) this.fail(cleanError(unkept(error), this.#run.settings.redact));
  }

  /** A run that is over has emitted its last event: a warning is in its result, also once somebody has that. */
  warn(code: WarningCode, message: string): void {
    const { record, outcome } = this.#run;
    record.lateWarning(code, message);
    if (!outcome.hasUnseenResult) console.error(`stepweave: ${record.redact(message)}`);
  }

  /** Ends the run as the engine said, or as it was interrupted. */
  conclude(status: RunResult["status"], state: object, aborting: StepweaveError | undefined, why: Why = {}): void {
    if (this.isThere) return;
    const { id, record, port, outcome } = this.#run;
    const { logbook } = port;
    port.releaseAll();
    const result = record.result(id, status, Object.freeze(plain(state)), why);
    const written = logbook?.end(endOf(result, why), record.now);
    if (logbook !== undefined) Object.defineProperty(result, "journal", { get: () => logbook.journal(), enumerable: true });
    // Whoever has the result may count on the journal, or is warned.
    written?.catch((error: unknown) => this.warn(isConflict(error) ? "end_conflict" : "end_lost", `the journal has not the end of the run: ${textOf(error)}`));
    if (written !== undefined) outcome.awaitJournal(written);
    record.runEnd(result, why.reason);
    record.log.show();
    record.log.end();
    this.#end({ result }, aborting);
  }

  /** Ends the run because the call itself was wrong, or the engine failed. */
  reject(thrown: unknown): void {
    if (this.isThere) return;
    const { engine, record, settings } = this.#run;
    const wrong = isStepweaveError(thrown)
      ? thrown
      : new StepweaveError("internal", `the run could not go on: ${textOf(thrown)}`, {
          cause: thrown,
          hint: "this is a fault of Stepweave: please report it with the workflow",
        });
    const error = cleanError(wrong, settings.redact);
    engine.drop();
    record.log.break(error);
    this.#end({ error }, error);
  }

  #interrupt(status: "cancelled" | "error" | "suspended", aborting: StepweaveError, why: Why, at?: number): void {
    // A clock of the user may cancel the run whenever it is read.
    if (this.#isInterrupting) return;
    this.#isInterrupting = true;
    const { id, name, record, engine, operations, outcome, settings } = this.#run;
    try {
      record.now = at ?? this.time();
      if (this.isThere) return;
      const state = engine.drop() ?? settings.state;
      record.isReplaying = false;
      if (record.log.length === 0) record.runStart(id, name, undefined, settings.state);
      for (const [what, spot] of operations?.unanswered ?? []) record.warning(spot, "unknown_outcome", `${what} was sent and has no answer: nobody knows whether it was carried out`);
      this.conclude(status, state, aborting, why);
      outcome.hurry();
    } catch (error) {
      // A caller that cancels with no stack left gets an error, and can cancel again when there is some.
      this.#isInterrupting = false;
      throw error;
    }
  }

  #end(end: Conclusion, reason: StepweaveError | undefined): void {
    const { engine, operations, outcome } = this.#run;
    engine.leave();
    outcome.set(end);
    operations?.abortAll(reason);
  }
}

/** What a journal keeps of an end. */
function endOf({ status, pending, wakeAt }: RunResult, { reason, error }: Why): End {
  return {
    status,
    ...(reason !== undefined && { reason }),
    ...(pending !== undefined && { pending }),
    ...(wakeAt !== undefined && { wakeAt }),
    ...(error !== undefined && { error: { code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }), ...(error.step !== undefined && { step: error.step }) } }),
  };
}
