import { ERROR_CODES, StepweaveError } from "../api/errors.js";
import type { JournalEntry } from "../api/journal.js";
import { mayWait } from "../journal/execution.js";
import { jsonText } from "../json/size.js";
import { WANTS_OUTPUT, WANTS_PATCH } from "../wasm/boundary.js";
import type { Ask, Asks } from "./asks.js";
import type { Ending } from "./ending.js";
import { unkept, type Journaling } from "./journaling.js";
import type { Logbook } from "./logbook.js";
import type { Answers } from "./operations.js";
import { anySeed } from "./options.js";
import type { RunParts } from "./parts.js";
import type { Plan } from "./plan.js";
import { goneSteps, inputError, mismatchError, openLogbook, pinsOver, stateOver } from "./taking-up.js";
import type { Piece } from "./timeline.js";
import type { Voice } from "./voice.js";

/** What a run over a journal begins with. */
export interface Begun {
  readonly replay: Replay;
  readonly state: object;
  readonly seed: number;
  /** The outputs of steps that are not run. */
  readonly pins: object | false;
}

/** What a journal answers of its run, in the order in which it was answered. */
export class Replay {
  /** While the journal answers, when it was answered. */
  at: number | undefined;
  /** When the run began, as its journal has it. */
  readonly beganAt: number;
  readonly #run: RunParts;
  readonly #ending: Ending;
  readonly #voice: Voice;
  readonly #journaling: Journaling;
  readonly #logbook: Logbook;
  /** When the run was forked: between the answers that it took over and these times nothing of it went on. */
  readonly #forks: readonly number[];
  /** Whether a request was made that changes anything outside, or in the journal. */
  #hasActed = false;
  /** Whether what comes before that request is being kept. */
  #isKeeping = false;
  /** What is said of steps whose answers the workflow no longer takes. */
  #goneSteps: readonly string[];

  /**
   * Opens the journal of a run, and begins a new one; nothing when the run has ended meanwhile. Throws where the journal
   * is that of something else, and where the store cannot be read or written.
   */
  static async open(run: RunParts, ending: Ending, voice: Voice, plan: Plan, journaling: Journaling): Promise<Begun | undefined> {
    const { id, options, port, record, settings } = run;
    const logbook = await openLogbook(journaling, { id, documentName: plan.name, document: plan.digest, redact: settings.redact, causes: record.causes });
    if (ending.isThere) return undefined;
    const state = stateOver(logbook, journaling.replay, plan, settings.state, Object.keys(options.state ?? {}));
    const gone = journaling.replay === "resume" ? goneSteps(logbook, plan) : [];
    const { start } = logbook;
    const seed = start?.seed ?? settings.seed ?? anySeed();
    const pins = pinsOver(logbook, journaling.replay, settings.pins);
    const isNew = start === undefined || journaling.replay === "edit";
    // What is forked began when the run before it did: the answers that it takes over keep their times.
    const at = logbook.startedAt ?? ending.time();
    // Whoever cancels while the beginning is being kept has a journal that ends.
    port.logbook = logbook;
    const owner = start?.owner ?? options.owner;
    const forks = [...(start?.forks ?? []), ...(start !== undefined && isNew ? [ending.time()] : [])];
    const begun = { workflow: plan.name, document: plan.digest, state, seed, ...(owner !== undefined && { owner }), ...(pins !== false && { pins }), ...(forks.length > 0 && { forks }) };
    if (isNew) await logbook.begin(begun, at).catch((error: unknown) => Promise.reject(unkept(error)));
    return { replay: new Replay(run, ending, voice, journaling, logbook, gone, at, forks), state, seed, pins };
  }

  private constructor(run: RunParts, ending: Ending, voice: Voice, journaling: Journaling, logbook: Logbook, gone: readonly string[], beganAt: number, forks: readonly number[]) {
    this.#run = run;
    this.#ending = ending;
    this.#voice = voice;
    this.#journaling = journaling;
    this.#logbook = logbook;
    this.#goneSteps = gone;
    this.beganAt = beganAt;
    this.#forks = forks;
    if (logbook.start === undefined) return;
    this.at = logbook.startedAt;
    run.record.isReplaying = true;
  }

  /** Whether the journal ends while the run waited. */
  get isCut(): boolean {
    return this.#logbook.timeline.cut !== undefined;
  }

  /** The error of a run that has begun, whose input is refused before any step: what the workflow demands of inputs now ends no such run. */
  unfitInput(error: StepweaveError | undefined): StepweaveError | undefined {
    return error?.code === "validation" && this.#logbook.hasSteps && !this.#run.record.hasSteps ? inputError(error) : undefined;
  }

  /** Gives the engine the earliest answer of the journal that it waits for. False: it waits for none. */
  answer(answers: Answers): boolean {
    const next = this.#logbook.timeline.next();
    if (next === undefined) return false;
    const { op, entry, pieces } = next;
    const { record } = this.#run;
    record.isReplaying = true;
    this.#leaveOutBefore(entry.at);
    for (const piece of pieces) this.#emitAgain(piece, entry.at);
    // An early answer may be emitted after a late one; no clock goes back for that.
    record.now = this.at = Math.max(record.now, entry.at);
    // What is forked has its own journal, with what it takes over.
    const kept = this.#journaling.replay === "edit" ? this.#logbook.takeOver(next) : undefined;
    const settle = (): void => {
      if (entry.error === undefined) answers.settle(op, entry.ok);
      else this.#fail(answers, op, entry.error);
    };
    if (kept === undefined) settle();
    else kept.then(settle, (error: unknown) => this.#ending.lose(error));
    return true;
  }

  /** The journal has no more answers: requests are made to the outside from now on. */
  end(): void {
    this.#leaveOutBefore(Infinity);
    this.at = undefined;
    const gone = this.#goneSteps;
    this.#goneSteps = [];
    for (const message of gone) this.#voice.warn("step_gone", message);
  }

  /** A cancelled or suspended run had requests without answers: its replay ends at the same point. */
  endAsRecorded(): void {
    const { cut } = this.#logbook.timeline;
    if (cut === undefined || this.#run.operations?.isIdle !== true) return;
    for (const piece of this.#logbook.timeline.rest()) this.#emitAgain(piece, cut.at);
    if (cut.wakeAt === undefined) this.#ending.cancel(cut.reason, cut.at);
    else this.#ending.suspend(cut.wakeAt, cut.at);
  }

  /**
   * Whether nothing is requested yet: what the run has only read is kept before its first request that changes anything, or
   * another crash would have it decide again. `kept` is called when it is.
   */
  isKeeping(asks: Asks, kept: () => void): boolean {
    if (this.#hasActed || !asks.some(isAct)) return this.#isKeeping;
    this.#hasActed = true;
    const held = this.#logbook.release();
    if (held === undefined) return false;
    this.#isKeeping = true;
    const goOn = (): void => {
      this.#isKeeping = false;
      kept();
    };
    held.then(goOn, (error: unknown) => this.#ending.lose(error));
    return true;
  }

  /** Ends the run: its journal has answers to other questions. Until it has changed anything, nothing has happened. */
  endUnfit(): void {
    const { id, port, record } = this.#run;
    const error = mismatchError(port.mismatches, id, record);
    if (this.#hasActed) this.#ending.fail(error);
    else this.#ending.reject(error);
  }

  /** No step took the time between the last answer that a fork took over and the fork. */
  #leaveOutBefore(next: number): void {
    const { at = Infinity } = this;
    const fork = this.#forks.filter((fork) => at < fork && fork <= next).at(-1);
    if (fork !== undefined) this.#run.record.leaveOut(at, fork);
  }

  #fail(answers: Answers, op: number, error: NonNullable<JournalEntry["error"]>): void {
    if (this.#ending.isThere) return;
    const { cause } = StepweaveError.from(error);
    if (cause !== undefined) this.#run.record.blame(op, cause);
    // A journal may come from a version that knows other kinds of failures.
    const code = ERROR_CODES.has(error.code) ? error.code : "handler";
    answers.failWith(op, jsonText({ ...error, code }));
  }

  #emitAgain({ emitted, execution }: Piece, at: number): void {
    const { record } = this.#run;
    record.now = Math.max(record.now, emitted.at ?? at);
    const spot = record.spotOf(execution);
    if (emitted.type === "set") this.#voice.session.set(emitted.key, emitted.value);
    else if (spot === undefined) return;
    else if (emitted.type === "log") record.warning(spot, "log", emitted.message);
    else if (emitted.type === "reasoning") record.emitReasoning(spot.step, spot.scope, emitted.text);
    else if (emitted.type === "reset") record.stepResetAgain(spot.step, spot.scope);
    else if (emitted.type !== "delta") return;
    else if (typeof emitted.value === "string") record.stepDelta(spot.step, spot.scope, emitted.value);
    else record.stepDelta(spot.step, spot.scope, "", emitted.value);
  }
}

/** Whether a request changes anything outside, or in the journal. */
function isAct(ask: Ask): boolean {
  if (ask.ask === "call") return ask.wants === WANTS_PATCH || ask.wants === WANTS_OUTPUT;
  return ask.ask === "fetch" || ask.ask === "prepare" || (ask.ask === "record" && !mayWait(ask.entry.key));
}
