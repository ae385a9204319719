import type { Json } from "../api/document.js";
import { ERROR_CODES, isStepweaveError, StepweaveError, textOf, type StepRef } from "../api/errors.js";
import type { RunEvent, RunResult } from "../api/events.js";
import type { JournalEntry, Told } from "../api/journal.js";
import type { Run, RunOptions } from "../api/run.js";
import { afterTurn, brokenClock, realClock, soon } from "../effects/clock.js";
import { jsonText, type Redact } from "../json/json.js";
import { REPLAYS } from "../wasm/boundary.js";
import type { Instance, Tenant } from "../wasm/instance.js";
import { instanceLater, instanceNow, loadParts } from "../wasm/source.js";
import { failureOf, failureOfFunction } from "./answers.js";
import type { BusRun } from "./bus.js";
import { cleanError } from "./cause.js";
import { idOf, journalingOf, unkept, type Journaling } from "./journaling.js";
import type { End, Logbook } from "./logbook.js";
import { Operations, type OperationsHome } from "./operations.js";
import { anySeed, NO_OPTIONS, settingsOf, unreadable, type Settings } from "./options.js";
import type { Plan } from "./plan.js";
import { Port } from "./port.js";
import type { Program } from "./program.js";
import { RunRecord, type Spot } from "./record.js";

/** How long a run of functions that never wait may keep the thread, in milliseconds and in polls. */
const TURN_MS = 10;
const TURN_POLLS = 500;

/** How long a run that is cancelled waits for its store to keep the end, in milliseconds. */
const PATIENCE_MS = 1000;

/** Why a run ended as it did. */
interface Why {
  readonly error?: StepweaveError | undefined;
  readonly reason?: string | undefined;
}

type Outcome = { readonly result: RunResult } | { readonly error: StepweaveError };

/**
 * One run. It polls the engine, and when the engine has let go it makes the calls that the engine asked for
 * and settles them. No code of the user runs while the engine works.
 */
export class Driver implements Run, Tenant, OperationsHome, BusRun {
  readonly id: string;
  readonly options: RunOptions;
  readonly #program: Program;
  readonly #record = new RunRecord();
  readonly #port = new Port(this.#record);
  #settings: Settings | undefined;
  #journaling: Journaling | undefined;
  #logbook: Logbook | undefined;
  /** While a journal answers, when it was answered. */
  #replayedAt: number | undefined;
  /** Whether the world was asked something. */
  #hasActed = false;
  #goneSteps: readonly string[] = [];
  #mismatchError: (() => StepweaveError) | undefined;
  #operations: Operations | undefined;
  #session: Map<string, unknown> | undefined;
  #instance: Instance | undefined;
  #run = 0;
  tenancy = -1;
  #outcome: Outcome | undefined;
  #result: Promise<RunResult> | undefined;
  #resolve: ((result: RunResult) => void) | undefined;
  #refuse: ((error: StepweaveError) => void) | undefined;
  /** While the end is still being written into the journal. */
  #closing: Promise<void> | undefined;
  /** Lets the wait for that end soon. */
  #hurry: (() => void) | undefined;
  /** While listeners are still to be called. */
  #following: Promise<void> | undefined;
  /** Removed from the signal when the run is over. */
  #onAbort: (() => void) | undefined;
  #isScheduled = false;
  #isLooping = false;
  #isDirty = false;
  #isEnding = false;
  #turnBegan = 0;
  #turnPolls = 0;

  constructor(program: Program, options: RunOptions | undefined, fresh = newId()) {
    let id = fresh;
    this.#program = program;
    this.options = options ?? NO_OPTIONS;
    try {
      this.#settings = options === undefined ? program.settings : settingsOf(options, program);
      this.#journaling = journalingOf(this.options);
      id = idOf(this.#journaling, id);
    } catch (error) {
      this.#reject(unreadable(error));
    }
    this.id = id;
    this.#following = program.bus.follow(this);
    if (this.#outcome !== undefined || this.#settings === undefined) return;
    const { signal, secrets, redact } = this.#settings;
    this.#port.redact = redact;
    this.#port.answers = this.#settings.answers;
    this.#port.maxEvents = this.#maxEvents;
    if (!secrets.isEmpty) this.#record.hidden = secrets;
    if (signal !== undefined) {
      try {
        this.#heed(signal);
      } catch (error) {
        this.#reject(unreadable(error));
      }
    }
    if (this.#outcome !== undefined) return;
    // The caller holds the run before any of its own functions are called.
    soon(() => this.#begin());
  }

  /** Cancels the run when the signal aborts, or has already done so. */
  #heed(signal: AbortSignal): void {
    if (signal.aborted) return this.cancel(signal.reason);
    this.#onAbort = () => this.cancel(signal.reason);
    signal.addEventListener("abort", this.#onAbort);
  }

  blame(op: number, thrown: unknown): void {
    this.#record.blame(op, thrown);
  }

  get redact(): Redact {
    return this.#settings?.redact;
  }

  get #maxEvents(): number {
    return (this.#settings as Settings).own.maxEvents;
  }

  get events(): AsyncIterable<RunEvent> {
    return { [Symbol.asyncIterator]: () => this.#record.log.read() };
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): ReturnType<RunRecord["log"]["read"]> {
    return this.#record.log.read(() => this.cancel("the loop over its events was left"));
  }

  get result(): Promise<RunResult> {
    if (this.#result === undefined) {
      this.#result = new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#refuse = reject;
      });
      if (this.#outcome !== undefined) this.#close();
    }
    return this.#result;
  }

  cancel(reason?: unknown): void {
    // Whoever cancels a run that waits for nothing but its store does not want to wait for that.
    if (this.#outcome !== undefined) return this.#hurry?.();
    this.#cancel(reason);
  }

  #cancel(reason: unknown, at?: number): void {
    if (this.#settings === undefined) return;
    const text = reason === undefined ? undefined : this.#record.redact(textOf(reason));
    const message = text === undefined ? "the run was cancelled" : `the run was cancelled: ${text}`;
    const error = new StepweaveError("cancelled", message, { cause: reason });
    this.#interrupt("cancelled", error, { reason: text }, at);
  }

  /** Ends the run where it is. `at` is when it ended, if that was earlier. */
  #interrupt(status: "cancelled" | "error", aborting: StepweaveError, why: Why, at?: number): void {
    // A clock of the user may cancel the run whenever it is asked for the time.
    if (this.#isEnding) return;
    this.#isEnding = true;
    try {
      const record = this.#record;
      record.now = at ?? this.time();
      if (this.#outcome !== undefined) return;
      const state = this.#drop() ?? (this.#settings as Settings).state;
      record.isReplaying = false;
      if (record.log.length === 0) record.runStart(this.id, this.#program.name, undefined);
      this.#conclude(status, state, aborting, why);
      this.#hurry?.();
    } catch (error) {
      // Whoever cancels with no stack left is told so, and can cancel again when there is some.
      this.#isEnding = false;
      throw error;
    }
  }

  crash(error: StepweaveError): void {
    this.#reject(error);
  }

  abandon(error: unknown): void {
    this.#reject(error);
  }

  /** What the run's functions share, made when one of them asks. */
  get session(): Map<string, unknown> {
    return (this.#session ??= new Map());
  }

  get log(): RunRecord["log"] {
    return this.#record.log;
  }

  get isJournaled(): boolean {
    return this.#logbook !== undefined;
  }

  /** What the run has added to its journal, from this place of it on. */
  entriesFrom(place: number): readonly JournalEntry[] {
    return this.#logbook?.entriesFrom(place) ?? [];
  }

  refOf({ step, scope }: Spot): StepRef {
    return this.#record.refOf(step, scope);
  }

  attemptOf({ step, scope }: Spot): number {
    return this.#record.attemptOf(step, scope);
  }

  tell(execution: string, told: Told): void {
    this.#logbook?.tell(execution, told, this.#record.now);
  }

  tellDelta({ step, scope }: Spot, value: unknown): void {
    if (this.#outcome !== undefined) return;
    const record = this.#record;
    record.now = this.time();
    record.stepDelta(step, scope, "", value);
    this.#logbook?.tell(record.keyOf(step, scope), { type: "delta", value: value as Json }, record.now);
    this.#showMore();
  }

  tellText({ step, scope }: Spot, text: string): string {
    if (this.#outcome !== undefined) return "";
    this.#record.now = this.time();
    return this.#toldText(step, scope, this.#record.stepText(step, scope, text), text === "");
  }

  releaseText({ step, scope }: Spot): string {
    if (this.#outcome !== undefined) return "";
    this.#record.now = this.time();
    return this.#toldText(step, scope, this.#record.releaseText(step, scope), false);
  }

  /** What is held back is not told yet, but an empty text that was given is. */
  #toldText(step: number, scope: number, shown: string, isEmpty: boolean): string {
    if (shown !== "" || isEmpty) this.#logbook?.tell(this.#record.keyOf(step, scope), { type: "delta", value: shown }, this.#record.now);
    this.#showMore();
    return shown;
  }

  /** Shows what functions told, unless it is too much. */
  #showMore(): void {
    this.#record.log.show();
    if (this.#record.log.length > this.#maxEvents) this.#tooManyEvents();
  }

  keep(entry: Omit<JournalEntry, "at">): Promise<void> | undefined {
    // While a journal answers, what is new waits: it happens when that is over.
    return this.#logbook?.keep({ ...entry, at: this.time() });
  }

  lose(error: unknown): void {
    if (this.#outcome !== undefined) return;
    const lost = cleanError(unkept(error), this.redact);
    this.#record.errors.push(lost);
    this.#interrupt("error", lost, { error: lost });
  }

  warn(code: string, message: string, spot?: Spot): void {
    // A run that is over has told its last event; what is wrong with its listeners must not be lost all the same.
    if (this.#outcome !== undefined) {
      if (code !== "log") console.error(`stepweave: ${message}`);
      return;
    }
    this.#record.now = this.time();
    this.#record.warning(spot, code, message);
    this.#showMore();
  }

  #begin(): void {
    if (this.#outcome !== undefined) return;
    try {
      const instance = instanceNow();
      if (instance !== undefined) this.#launch(instance);
      else instanceLater().then((later) => this.#launch(later), (error: unknown) => this.#reject(error));
    } catch (error) {
      this.#reject(error);
    }
  }

  #launch(instance: Instance): void {
    if (this.#outcome !== undefined) return;
    try {
      const plan = this.#program.planOn(instance, (this.#settings as Settings).limits);
      if ("missing" in plan) {
        // Other runs may have changed what there is meanwhile: it begins anew.
        loadParts(plan.missing).then(() => this.#begin(), (error: unknown) => this.#reject(error));
        return;
      }
      this.#instance = instance;
      instance.take(this);
      if (plan.schemas.length === 0 && this.#journaling === undefined) this.#enter(plan, this.#settings as Settings);
      else this.#prepare(plan).then(undefined, (error: unknown) => this.#reject(error));
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Brings what only some runs need: what checks schemas, and the journal. */
  async #prepare(plan: Plan): Promise<void> {
    const settings = this.#settings as Settings;
    const journaling = this.#journaling;
    // Both are loaded at the same time. Programs that keep no journal do not load what keeps one.
    const loading = journaling === undefined ? undefined : import("./taking-up.js");
    loading?.catch(() => {});
    if (plan.schemas.length > 0) {
      const { validatorFor } = await import("./schemas.js");
      this.#port.validator = await validatorFor(plan.schemas);
    }
    if (journaling === undefined || loading === undefined) return this.#enter(plan, settings);
    const { goneSteps, mismatchError, openLogbook, stateOver } = await loading;
    const { redact } = settings;
    const logbook = await openLogbook(journaling, { id: this.id, documentName: plan.name, redact, causes: this.#record.causes });
    if (this.#outcome !== undefined) return;
    const state = stateOver(logbook, journaling.replay, plan, settings.state, Object.keys(this.options.state ?? {}));
    if (journaling.replay === "resume") this.#goneSteps = goneSteps(logbook, plan);
    this.#mismatchError = () => mismatchError(this.#port.mismatches, this.id, this.#record);
    const { start } = logbook;
    const seed = start?.seed ?? settings.seed ?? anySeed();
    const isNew = start === undefined || journaling.replay === "edit";
    const at = (!isNew ? logbook.startedAt : undefined) ?? this.time();
    // Whoever cancels while the beginning is being kept has a journal that ends.
    this.#logbook = logbook;
    const owner = start?.owner ?? this.options.owner;
    const begun = { workflow: plan.name, document: plan.digest, state, seed, ...(owner !== undefined && { owner }) };
    if (isNew) await logbook.begin(begun, at).catch((error: unknown) => Promise.reject(unkept(error)));
    this.#enter(plan, { state, seed });
  }

  #enter(plan: Plan, { state, seed = anySeed() }: Pick<Settings, "state" | "seed">): void {
    const instance = this.#instance as Instance;
    const settings = this.#settings as Settings;
    if (this.#outcome !== undefined) return;
    this.#operations = new Operations(this, plan, settings);
    this.#port.schemas = plan.schemas;
    const record = this.#record;
    const logbook = this.#logbook;
    const journaling = this.#journaling;
    if (logbook?.start !== undefined) {
      this.#replayedAt = logbook.startedAt;
      record.isReplaying = true;
    }
    const from = journaling?.from === undefined ? undefined : indexOf(plan, journaling.from);
    this.#port.logbook = logbook;
    const replay = replayOf(journaling);
    this.#run = instance.start(plan.number, state, this.#port, seed, replay, from);
    const now = this.#replayedAt ?? this.time();
    record.now = now;
    record.runStart(this.id, plan.name, plan);
    this.newTurn(this.#replayedAt === undefined ? now : undefined);
    this.#pump(now);
  }

  /** `now` is the time, where it is known already: asking for it is a good part of what a poll costs. */
  #pump(now?: number): void {
    this.#isScheduled = false;
    if (this.#outcome !== undefined) return;
    this.#isLooping = true;
    try {
      this.#loop(now);
    } catch (error) {
      this.#reject(error);
    }
    this.#isLooping = false;
  }

  #loop(known: number | undefined): void {
    const instance = this.#instance as Instance;
    const record = this.#record;
    const port = this.#port;
    const operations = this.#operations as Operations;
    do {
      const now = known ?? this.#replayedAt ?? this.time();
      known = undefined;
      if (this.#outcome !== undefined) return;
      this.#turnPolls += 1;
      this.#isDirty = false;
      record.now = now;
      const hasFinished = instance.poll(this.#run, now);
      record.log.show();
      if (hasFinished) return this.#port.mismatches.length > 0 ? this.#endUnfit() : this.#finish();
      if (record.log.length > this.#maxEvents) return this.#tooManyEvents();
      const real = this.#realTime(now);
      // The engine knows every answer here: a run that is cancelled meanwhile ends where its journal does.
      if (this.#turnPolls > TURN_POLLS || (this.#turnPolls > 1 && real - this.#turnBegan > TURN_MS)) return this.#pause();
      const open = port.takeOpen();
      if (open !== undefined) {
        for (const ask of open) operations.serve(ask);
        continue;
      }
      // What pauses while a journal answers goes on first, at the time that the journal has come to.
      if (record.isReplaying && operations.isPausing && !this.#isDirty) return;
      // What a journal answers comes before anything is asked of the world: only its end is now.
      if (!this.#isDirty && this.#logbook !== undefined && this.#replay(this.#logbook)) {
        if (this.#outcome !== undefined) return;
        continue;
      }
      this.#replayedAt = undefined;
      record.isReplaying = false;
      if (port.mismatches.length > 0) return this.#endUnfit();
      this.#tellGoneSteps();
      if (this.#outcome !== undefined) return;
      const isCut = this.#logbook?.timeline.cut !== undefined;
      for (let ask = port.nextAsk(); ask !== undefined; ask = port.nextAsk()) {
        if (isCut && (ask.ask === "sleep" || ask.ask === "sleepUntil")) continue;
        this.#hasActed ||= ask.ask === "call" || ask.ask === "fetch" || ask.ask === "record";
        operations.serve(ask);
        if (this.#outcome !== undefined) return;
        // A journal answers one by one: what follows from an answer that is kept comes before the next one is.
        if (ask.ask === "record" && this.#isDirty) break;
      }
      if (this.#logbook !== undefined && !this.#isDirty) this.#endAsRecorded(this.#logbook);
      if (this.#outcome !== undefined) return;
    } while (this.#isDirty);
  }

  /** Gives the engine the earliest answer of the journal that it waits for. False: it waits for none. */
  #replay(logbook: Logbook): boolean {
    const next = logbook.timeline.next();
    if (next === undefined) return false;
    const { op, entry, pieces } = next;
    const record = this.#record;
    record.isReplaying = true;
    for (const { execution, told } of pieces) {
      record.now = Math.max(record.now, told.at ?? entry.at);
      this.#tellAgain(told, execution);
    }
    // What was answered early may be told behind what was answered late; no clock goes back for that.
    record.now = this.#replayedAt = Math.max(record.now, entry.at);
    // What is forked has its own journal, with what it takes over.
    const kept = this.#journaling?.replay === "edit" ? logbook.takeOver(next) : undefined;
    const settle = (): void => {
      if (entry.error === undefined) this.settle(op, entry.ok);
      else this.#settleFailed(op, entry.error);
    };
    if (kept === undefined) settle();
    else kept.then(settle, (error: unknown) => this.lose(error));
    return true;
  }

  #settleFailed(op: number, error: NonNullable<JournalEntry["error"]>): void {
    if (this.#outcome !== undefined) return;
    const { cause } = StepweaveError.from(error);
    if (cause !== undefined) this.blame(op, cause);
    // A journal may come from a version that knows other kinds of failures.
    const code = ERROR_CODES.has(error.code) ? error.code : "handler";
    this.#answer((instance) => instance.fail(this.#run, op, jsonText({ ...error, code })));
  }

  #tellAgain(told: Told, execution: string): void {
    const record = this.#record;
    const spot = record.spotOf(execution);
    if (told.type === "set") this.session.set(told.key, told.value);
    else if (spot === undefined) return;
    else if (told.type === "log") record.warning(spot, "log", told.message);
    else if (told.type === "reasoning") record.tellReasoning(spot.step, spot.scope, told.text);
    else if (told.type !== "delta") return;
    else if (typeof told.value === "string") record.stepDelta(spot.step, spot.scope, told.value);
    else record.stepDelta(spot.step, spot.scope, "", told.value);
  }

  /** A run that was cancelled asked what was never answered: its replay ends at the same place. */
  #endAsRecorded(logbook: Logbook): void {
    const { cut } = logbook.timeline;
    if (cut === undefined || this.#operations?.isIdle !== true) return;
    this.#cancel(cut.reason, cut.at);
  }

  /** Gives the run up: its journal has answers to other questions. Until it has asked the world, nothing has happened. */
  #endUnfit(): void {
    const error = (this.#mismatchError as () => StepweaveError)();
    if (!this.#hasActed) return this.#reject(error);
    this.#record.errors.push(error);
    this.#interrupt("error", error, { error });
  }

  /** Tells which steps are no longer there that the journal has answers of. */
  #tellGoneSteps(): void {
    const gone = this.#goneSteps;
    this.#goneSteps = [];
    for (const id of gone) this.warn("step_gone", `the journal has answers of the step \`${id}\`, which the workflow no longer has; a step that was renamed keeps its answers with id: ${JSON.stringify(id)}`);
  }

  #tooManyEvents(): void {
    const error = new StepweaveError("limit", `the run has told ${this.#maxEvents} events, which is its limit`, {
      hint: "raise limits.maxEvents, or look for a loop that goes on for too long",
    });
    this.#record.errors.push(error);
    this.#interrupt("error", error, { error });
  }

  // The call below is made for every single step: it is written out, so that no closure is made.

  settle(op: number, value: unknown): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#instance?.settle(this.#run, op, value);
    } catch (error) {
      return this.#reject(error);
    }
    this.#wake();
  }

  /** What follows from an answer that is kept comes at once, before another one is told to be kept. */
  settleKept(op: number): void {
    this.settle(op, undefined);
    if (!this.#isLooping) this.#pump();
  }

  settleYielded(op: number, value: unknown, yielded: unknown): void {
    this.#answer((instance) => instance.settleYielded(this.#run, op, value, yielded));
  }

  fail(op: number, error: unknown): void {
    this.#answer((instance) => instance.fail(this.#run, op, failureOf(error, this.redact)));
  }

  failFunction(op: number, thrown: unknown, wants: number): void {
    this.#answer((instance) => instance.fail(this.#run, op, failureOfFunction(thrown, wants, this.redact)));
  }

  #answer(tell: (instance: Instance) => void): void {
    if (this.#outcome !== undefined || this.#instance === undefined) return;
    try {
      tell(this.#instance);
    } catch (error) {
      return this.#reject(error);
    }
    this.#wake();
  }

  /** Several answers that come together are followed by a single poll. */
  #wake(): void {
    this.#isDirty = true;
    if (this.#isLooping || this.#isScheduled) return;
    // Where nothing else is under way, nothing else can come with it.
    if (this.#operations?.isIdle === true) return this.#pump();
    this.#isScheduled = true;
    // Made anew each time: kept in the run, it would keep runs that are over alive through collections of the young.
    soon(() => this.#pump());
  }

  #pause(): void {
    this.#isScheduled = true;
    afterTurn(() => {
      this.newTurn();
      this.#pump();
    });
  }

  newTurn(now?: number): void {
    this.#turnBegan = this.#realTime(now);
    this.#turnPolls = 0;
  }

  /** The run's own time will do if its clock is the real one. */
  #realTime(now: number | undefined): number {
    return now !== undefined && this.#settings?.clock === realClock ? now : Date.now();
  }

  /** The clock's time; a clock that gives none ends the run. */
  time(): number {
    let now: unknown;
    try {
      now = (this.#settings as Settings).clock.now();
    } catch (error) {
      this.abandon(brokenClock("now() failed", error));
      return this.#record.now;
    }
    if (typeof now === "number" && Number.isFinite(now)) return now;
    this.abandon(brokenClock(`now() gave ${String(now)}`, undefined));
    return this.#record.now;
  }

  #finish(): void {
    const { ending } = this.#port;
    if (ending === undefined) throw new StepweaveError("internal", "the engine finished a run without a result");
    const { state, stoppedBy } = ending;
    const answers = this.#settings?.answers;
    if (answers !== undefined) {
      for (const key of answers.keys()) {
        this.warn("unused_answer", `nobody asked for the answer \`${key}\`; the keys that are asked for are in result.pending`);
      }
    }
    if (ending.suspended) {
      if (this.#logbook === undefined) this.warn("no_journal", "the run waits for an answer, but no journal was kept to continue it: pass journal: true or a store");
      return this.#conclude("suspended", state, new StepweaveError("cancelled", "the run is suspended"));
    }
    if (ending.error === undefined) return this.#conclude("done", state, undefined);
    // A failure that stopped a step is in the list already; what stopped the run itself, such as its time limit, is not.
    const error = stoppedBy === undefined ? this.#record.runError(ending.error) : this.#record.errorAt(stoppedBy);
    if (stoppedBy === undefined && error !== undefined) this.#record.errors.push(error);
    const status = error?.code === "budget" ? "budget" : "error";
    this.#conclude(status, state, new StepweaveError("cancelled", "the run has ended"), { error });
  }

  #conclude(
    status: RunResult["status"],
    state: object,
    aborting: StepweaveError | undefined,
    why: Why = {},
  ): void {
    if (this.#outcome !== undefined) return;
    const logbook = this.#logbook;
    const result = this.#record.result(this.id, status, Object.freeze(state), why.error);
    const ended = logbook?.end(endOf(result, why), this.#record.now);
    if (logbook !== undefined) Object.defineProperty(result, "journal", { get: () => logbook.journal(), enumerable: true });
    // Whoever has the result may count on the journal.
    if (ended !== undefined) this.#awaitEnd(ended);
    this.#record.runEnd(result, why.reason);
    this.#record.log.show();
    this.#record.log.end();
    this.#end({ result }, aborting);
  }

  /** A store may never answer: a run that is cancelled does not wait for that longer than it must. */
  #awaitEnd(ended: Promise<void>): void {
    this.#closing = new Promise((resolve) => {
      let patience: ReturnType<typeof setTimeout> | undefined;
      const close = (): void => {
        clearTimeout(patience);
        this.#hurry = undefined;
        resolve();
      };
      this.#hurry = () => void (patience ??= setTimeout(close, PATIENCE_MS));
      ended.then(close, close);
    });
  }

  /** Tells the outcome once the journal's end is kept, or given up, and the listeners know of it. */
  #close(): void {
    if (this.#closing === undefined && this.#following === undefined) this.#settleResult();
    else void Promise.all([this.#closing, this.#following]).then(() => this.#settleResult());
  }

  #settleResult(): void {
    if (this.#onAbort !== undefined) this.#settings?.signal?.removeEventListener("abort", this.#onAbort);
    const outcome = this.#outcome as Outcome;
    if ("result" in outcome) return this.#resolve?.(outcome.result);
    // Whoever does not look at the result must not be told of its failure by the runtime.
    this.#result?.catch(() => {});
    this.#refuse?.(outcome.error);
  }

  /** Ends the run because the call itself was wrong, or the engine failed. */
  #reject(thrown: unknown): void {
    if (this.#outcome !== undefined) return;
    const wrong = isStepweaveError(thrown)
      ? thrown
      : new StepweaveError("internal", `the run could not go on: ${textOf(thrown)}`, {
          cause: thrown,
          hint: "this is a fault of Stepweave: please report it with the workflow",
        });
    const error = cleanError(wrong, this.redact);
    this.#drop();
    this.#record.log.break(error);
    this.#end({ error }, error);
  }

  /** Lets the engine forget the run, and gives the state that it had reached. */
  #drop(): object | undefined {
    const instance = this.#instance;
    instance?.dismiss(this);
    if (this.#run === 0 || instance === undefined || instance.isDead) return undefined;
    const run = this.#run;
    this.#run = 0;
    try {
      return instance.cancel(run);
    } catch {
      // The instance has died of it and told its other runs; this one is over either way.
      return undefined;
    }
  }

  #end(outcome: Outcome, reason: StepweaveError | undefined): void {
    this.#outcome = outcome;
    this.#instance?.dismiss(this);
    this.#close();
    this.#operations?.abortAll(reason);
  }
}

function replayOf(journaling: Journaling | undefined): number {
  if (journaling === undefined) return REPLAYS.none;
  const { replay, onMismatch } = journaling;
  return replay === "resume" && onMismatch === "anew" ? REPLAYS.renew : REPLAYS[replay];
}

/** What a journal keeps of an end. */
function endOf({ status, pending }: RunResult, { reason, error }: Why): End {
  return {
    status,
    ...(reason !== undefined && { reason }),
    ...(pending !== undefined && { pending }),
    ...(error !== undefined && { error: { code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }), ...(error.step !== undefined && { step: error.step }) } }),
  };
}

function indexOf(plan: Plan, id: string): number {
  const index = plan.steps.findIndex(({ ref }) => ref.id === id);
  if (index >= 0) return index;
  throw new StepweaveError("validation", `the workflow has no step with the id \`${id}\` to run from`, { hint: "take the id of a step's result" });
}

/** An id that no other run has. */
export function newId(): string {
  // randomUUID is missing on pages that are not served securely.
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
