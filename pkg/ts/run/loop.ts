import { StepweaveError } from "../api/errors.js";
import { afterTurn, realClock, soon } from "../effects/clock.js";
import { SHORTEST_SECRET } from "../effects/secret-forms.js";
import { failureOf, failureOfFunction } from "./answers.js";
import type { Ask, Asks, CallAsk } from "./asks.js";
import type { Ending } from "./ending.js";
import { Operations, type Answers } from "./operations.js";
import type { RunParts } from "./parts.js";
import type { Plan } from "./plan.js";
import type { Replay } from "./replay.js";
import { Turn } from "./turn.js";
import type { Voice } from "./voice.js";

/** What a run begins with. */
export interface Beginning {
  readonly plan: Plan;
  readonly state: object;
  readonly seed: number;
  /** How the engine uses the journal: one of `REPLAYS`. */
  readonly mode: number;
  /** The step from which everything runs again, by its index in the plan. */
  readonly from: number | undefined;
  /** Whether pinned steps are not run. */
  readonly pins: boolean;
}

/**
 * Polls the engine, and after each poll carries out the engine's operations and settles them. No code of the user runs
 * while the engine works.
 */
export class Loop implements Answers {
  readonly #run: RunParts;
  readonly #ending: Ending;
  readonly #voice: Voice;
  readonly #replay: Replay | undefined;
  readonly #turn = new Turn();
  /** When the last answer came that the journal has. */
  #answeredAt = -Infinity;
  /** While the consequences of an answer come that the journal has: when that was answered. */
  #keptAt: number | undefined;
  #isScheduled = false;
  #isLooping = false;
  /** Whether the engine was given something since it was polled. */
  #isDirty = false;

  constructor(run: RunParts, ending: Ending, voice: Voice, replay: Replay | undefined) {
    this.#run = run;
    this.#ending = ending;
    this.#voice = voice;
    this.#replay = replay;
  }

  begin({ plan, state, seed, mode, from, pins }: Beginning): void {
    const { id, engine, port, record, settings } = this.#run;
    this.#run.operations = new Operations({ answers: this, voice: this.#voice, ending: this.#ending }, plan, settings);
    port.schemas = plan.schemas;
    engine.start(plan.number, state, port, seed, mode, from, pins);
    const recorded = this.#replay?.at;
    // A replay emits the first events at the time that the journal has, so the run does too, although its store took a while.
    const began = this.#replay?.beganAt;
    const now = recorded ?? began ?? this.#ending.time();
    record.now = now;
    record.runStart(id, plan.name, plan, state);
    if (record.hidden !== undefined) for (const name of settings.secrets.shown) record.warning(undefined, "secret_shown", `the secret ${name} is shorter than ${SHORTEST_SECRET} characters, so that it is not taken out of what endpoints send back`);
    this.#turn.begin(began === undefined ? this.#real(now) : undefined);
    this.#pump(now);
  }

  // The call below is made for every single step: it is written out, so that no closure is made.

  settle(op: number, value: unknown): void {
    if (this.#ending.isThere) return;
    try {
      this.#run.engine.settle(op, value);
    } catch (error) {
      return this.#ending.reject(error);
    }
    this.#wake();
  }

  settleKept(op: number, at: number): void {
    if (this.#ending.isThere) return;
    try {
      this.#run.engine.settle(op, undefined);
    } catch (error) {
      return this.#ending.reject(error);
    }
    this.#isDirty = true;
    // What came meanwhile has its own time; only an answer before this one, of another machine's clock, may be later.
    this.#keptAt = this.#answeredAt = Math.max(at, this.#answeredAt);
    // The consequences of an answer come at once, before the next one is reported as kept, and at the time that the journal
    // has: a replay says the same, however long the store took.
    if (!this.#isLooping) this.#pump();
  }

  settleRefused(op: number, answer: object, reason: StepweaveError): void {
    this.#run.port.refused.set(answer, reason);
    this.settle(op, answer);
  }

  settleYielded(op: number, value: unknown, yielded: unknown): void {
    this.#answer(() => this.#run.engine.settleYielded(op, value, yielded));
  }

  fail(op: number, error: unknown): void {
    this.#answer(() => this.#run.engine.fail(op, failureOf(error, this.#voice.redact)));
  }

  failFunction(op: number, thrown: unknown, wants: number): void {
    this.#answer(() => this.#run.engine.fail(op, failureOfFunction(thrown, wants, this.#voice.redact)));
  }

  failWith(op: number, error: string): void {
    this.#answer(() => this.#run.engine.fail(op, error));
  }

  blame(op: number, thrown: unknown): void {
    this.#run.record.blame(op, thrown);
  }

  newTurn(): void {
    this.#turn.begin();
  }

  callNow(ask: CallAsk): void {
    this.#run.port.asks.hold(ask);
    this.#wake();
  }

  #answer(give: () => void): void {
    if (this.#ending.isThere) return;
    try {
      give();
    } catch (error) {
      return this.#ending.reject(error);
    }
    this.#wake();
  }

  /** Several answers that come together are followed by a single poll. */
  #wake(): void {
    this.#isDirty = true;
    if (this.#isLooping || this.#isScheduled) return;
    // If no other operation is in progress, no other can settle with it.
    if (this.#run.operations?.isIdle === true) return this.#pump();
    this.#isScheduled = true;
    // Created each time: if the run kept it, runs that are over would survive minor collections.
    soon(() => this.#pump());
  }

  /** `now` is the time, where it is known already: reading it is a good part of the cost of a poll. */
  #pump(now?: number): void {
    this.#isScheduled = false;
    if (this.#ending.isThere) return;
    this.#isLooping = true;
    try {
      this.#loop(now);
    } catch (error) {
      this.#ending.reject(error);
    }
    this.#isLooping = false;
    this.#keptAt = undefined;
  }

  #loop(known: number | undefined): void {
    const { engine, port, record } = this.#run;
    const operations = this.#run.operations as Operations;
    const ending = this.#ending;
    const replay = this.#replay;
    do {
      const now = known ?? replay?.at ?? this.#keptAt ?? ending.time();
      known = undefined;
      if (ending.isThere) return;
      this.#turn.countPoll();
      this.#isDirty = false;
      record.now = now;
      const hasFinished = engine.poll(now);
      record.log.show();
      if (hasFinished) {
        this.#passOnRefusals(operations);
        return port.mismatches.length > 0 ? replay?.endUnfit() : this.#finish();
      }
      if (record.log.length > port.maxEvents) return ending.failOfEvents();
      // The engine knows every answer here: a run that is cancelled meanwhile ends where its journal does.
      if (this.#turn.isOver(this.#real(now))) return this.#pause();
      const open = port.asks.takeOpen();
      if (open !== undefined) {
        for (const ask of open) operations.serve(ask);
        continue;
      }
      // During a replay, a paused task continues first, at the time that the journal has reached.
      if (record.isReplaying && operations.isPausing && !this.#isDirty) return;
      // The answers of a journal come before any request to the outside: only after the last one is it now.
      if (!this.#isDirty && replay?.answer(this) === true) {
        if (ending.isThere) return;
        continue;
      }
      record.isReplaying = false;
      if (port.mismatches.length > 0) return replay?.endUnfit();
      this.#answeredAt = Math.max(this.#answeredAt, replay?.at ?? -Infinity);
      replay?.end();
      if (ending.isThere || !this.#askWorld(operations)) return;
      if (replay !== undefined && !this.#isDirty && !port.asks.isHolding) replay.endAsRecorded();
      if (ending.isThere) return;
    } while (this.#isDirty);
    if (port.asks.isHolding) return this.#pause();
    this.#suspendOverLongWait(operations);
  }

  /** Whoever resumes the run later waits for the rest only: the journal has the end of each wait. */
  #suspendOverLongWait(operations: Operations): void {
    const { longWaitMs } = this.#run.settings;
    if (longWaitMs === Infinity) return;
    const until = operations.waitsUntil;
    if (until !== undefined && until - this.#ending.time() > longWaitMs) this.#ending.suspend(until);
  }

  /**
   * Has the operations carry out what the engine requested. False: this has ended the run, or it waits for its journal. A function may keep the thread:
   * once the time of the turn is used up, no further one is called in it, while time limits begin and requests leave.
   */
  #askWorld(operations: Operations): boolean {
    const { asks } = this.#run.port;
    if (this.#replay?.isKeeping(asks, () => this.#wake()) === true) return false;
    const isCut = this.#replay?.isCut === true;
    let hasCalled = false;
    for (let ask = asks.next(); ask !== undefined; ask = hasCalled ? this.#nextInTime(asks) : asks.next()) {
      if (isCut && (ask.ask === "sleep" || ask.ask === "sleepUntil")) continue;
      hasCalled ||= ask.ask === "call";
      operations.serve(ask);
      if (this.#ending.isThere) return false;
      // A journal answers one by one: what follows from an answer that is kept comes before the next one is.
      if (ask.ask === "record" && this.#isDirty) break;
    }
    return true;
  }

  #nextInTime(asks: Asks): Ask | undefined {
    if (asks.isEmpty) return undefined;
    return this.#turn.isUsedUp() ? asks.nextButCalls() : asks.next();
  }

  /** What an endpoint has said of its load holds for others, also where it has ended this run. */
  #passOnRefusals(operations: Operations): void {
    const { asks } = this.#run.port;
    for (let ask = asks.next(); ask !== undefined; ask = asks.next()) if (ask.ask === "shut") operations.serve(ask);
  }

  #pause(): void {
    this.#isScheduled = true;
    afterTurn(() => {
      this.newTurn();
      this.#pump();
    });
  }

  /** The run's own time will do for the length of a turn if its clock is the real one. */
  #real(now: number): number | undefined {
    return this.#run.settings.clock === realClock && this.#keptAt === undefined ? now : undefined;
  }

  /** The engine has reached the run's end. */
  #finish(): void {
    const { port, record, settings } = this.#run;
    const { ending } = port;
    if (ending === undefined) throw new StepweaveError("internal", "the engine finished a run without a result");
    const { state, stoppedBy } = ending;
    for (const key of settings.answers?.keys() ?? []) {
      // That is said now, and in no journal.
      record.isReplaying = false;
      this.#voice.warn("unused_answer", `nobody waits for the answer \`${key}\`; the keys that are waited for are in result.pending`);
    }
    if (ending.suspended) {
      if (!this.#voice.isJournaled) this.#voice.warn("no_journal", "the run waits for an answer, but no journal was kept to continue it: pass journal: true or a store");
      return this.#ending.conclude("suspended", state, new StepweaveError("cancelled", "the run is suspended"));
    }
    if (ending.error === undefined) return this.#ending.conclude("done", state, undefined);
    // A failure that stopped a step is in the list already; what stopped the run itself, such as its time limit, is not.
    const error = stoppedBy === undefined ? record.runError(ending.error) : record.errorAt(stoppedBy);
    const unfit = stoppedBy === undefined ? this.#replay?.unfitInput(error) : undefined;
    if (unfit !== undefined) return this.#ending.reject(unfit);
    if (stoppedBy === undefined && error !== undefined) record.errors.push(error);
    const status = error?.code === "budget" ? "budget" : "error";
    this.#ending.conclude(status, state, new StepweaveError("cancelled", "the run has ended"), { error });
  }
}
