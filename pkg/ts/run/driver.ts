import { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { JournalEntry } from "../api/journal.js";
import type { Run, RunOptions } from "../api/run.js";
import { soon } from "../effects/clock.js";
import { newId } from "../effects/ids.js";
import { wideStatesFor } from "../json/wide.js";
import { unreadable } from "../schema/options.js";
import { REPLAYS } from "../wasm/boundary.js";
import type { Instance } from "../wasm/instance.js";
import { instanceLater, instanceNow } from "../wasm/source.js";
import { Ending } from "./ending.js";
import { EngineRun } from "./engine-run.js";
import { idOf, journalingOf, type Journaling } from "./journaling.js";
import { Loop } from "./loop.js";
import { anySeed, NO_OPTIONS, settingsOf, type Settings } from "./options.js";
import { Outcome } from "./outcome.js";
import type { RunParts } from "./parts.js";
import type { Plan } from "./plan.js";
import { Port } from "./port.js";
import type { Program } from "./program.js";
import { RunRecord } from "./record.js";
import type { Replay } from "./replay.js";
import { Voice } from "./voice.js";

/** A run as the package knows it: it checks what the run is given, brings what it needs, and begins it. */
export class Driver implements Run {
  readonly id: string;
  readonly #program: Program;
  readonly #record = new RunRecord();
  readonly #outcome = new Outcome();
  #journaling: Journaling | undefined;
  /** These are there unless the options are wrong. */
  #run: RunParts | undefined;
  #ending: Ending | undefined;

  constructor(program: Program, options: RunOptions | undefined, fresh = newId()) {
    this.#program = program;
    this.id = fresh;
    try {
      const settings = options === undefined ? program.settings : settingsOf(options, program);
      this.#journaling = journalingOf(options ?? NO_OPTIONS);
      this.id = idOf(this.#journaling, fresh);
      this.#open(options ?? NO_OPTIONS, settings);
    } catch (error) {
      this.#refuse(unreadable(error, "the options of the run"));
    }
  }

  get log(): RunRecord["log"] {
    return this.#record.log;
  }

  get events(): AsyncIterable<RunEvent> {
    return { [Symbol.asyncIterator]: () => this.log.read() };
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): ReturnType<RunRecord["log"]["read"]> {
    return this.log.read(() => this.cancel("the loop over its events was left"));
  }

  get result(): Promise<RunResult> {
    return this.#outcome.result;
  }

  cancel(reason?: unknown): void {
    if (this.#outcome.isThere) this.#outcome.hurry();
    else this.#ending?.cancel(reason);
  }

  /** The entries that the run has added to its journal, from this index on. */
  entriesFrom(index: number): readonly JournalEntry[] {
    return this.#run?.port.logbook?.entriesFrom(index) ?? [];
  }

  /** The call itself was wrong. */
  #refuse(error: StepweaveError): void {
    if (this.#ending !== undefined) return this.#ending.reject(error);
    this.log.break(error);
    this.#outcome.set({ error });
  }

  #open(options: RunOptions, settings: Settings): void {
    const record = this.#record;
    const outcome = this.#outcome;
    const { signal, secrets, redact } = settings;
    const port = new Port(record);
    port.redact = redact;
    port.answers = settings.answers;
    port.maxEvents = settings.own.maxEvents;
    if (!secrets.isEmpty) record.hidden = secrets;
    const engine = new EngineRun((error) => this.#ending?.reject(error));
    const run: RunParts = { id: this.id, name: this.#program.name, options, settings, record, port, engine, outcome, operations: undefined };
    const ending = new Ending(run);
    const voice = new Voice(run, ending);
    this.#run = run;
    this.#ending = ending;
    outcome.awaitListeners(this.#program.bus.follow(voice));
    if (signal !== undefined) this.#heed(signal);
    // The caller holds the run before any of its own functions are called.
    if (!outcome.isThere) soon(() => this.#begin(run, ending, voice));
  }

  /** Cancels the run when the signal aborts, or has already done so. */
  #heed(signal: AbortSignal): void {
    if (signal.aborted) return this.cancel(signal.reason);
    const abort = (): void => this.cancel(signal.reason);
    signal.addEventListener("abort", abort);
    this.#outcome.onSettled = () => signal.removeEventListener("abort", abort);
  }

  #begin(run: RunParts, ending: Ending, voice: Voice): void {
    if (ending.isThere) return;
    try {
      const instance = instanceNow();
      if (instance !== undefined) this.#launch(instance, run, ending, voice);
      else instanceLater().then((later) => this.#launch(later, run, ending, voice), (error: unknown) => ending.reject(error));
    } catch (error) {
      ending.reject(error);
    }
  }

  #launch(instance: Instance, run: RunParts, ending: Ending, voice: Voice): void {
    if (ending.isThere) return;
    try {
      const { settings } = run;
      const { pins = false } = settings;
      const plan = this.#program.planOn(instance, settings.limits, pins);
      // Before anything of the run is kept: one that cannot begin is nothing to take up.
      startOf(plan, this.#journaling);
      for (const id of Object.keys(pins)) if (!plan.steps.some(({ ref }) => ref.id === id)) throw noStep(id, "to pin");
      run.engine.moveInto(instance);
      const wide = wideStatesFor(settings.state, plan.steps.length);
      if (wide === undefined && plan.schemas.length === 0 && this.#journaling === undefined) this.#enter(plan, new Loop(run, ending, voice, undefined), { ...settings, pins });
      else this.#prepare(plan, instance, run, ending, voice, wide).then(undefined, (error: unknown) => ending.reject(error));
    } catch (error) {
      ending.reject(error);
    }
  }

  /** Brings what only some runs need: what checks schemas, what keeps wide states, and the journal. */
  async #prepare(plan: Plan, instance: Instance, run: RunParts, ending: Ending, voice: Voice, wide: Promise<void> | undefined): Promise<void> {
    const journaling = this.#journaling;
    // Both are loaded at the same time. Programs that keep no journal do not load what keeps one.
    const loading = journaling === undefined ? undefined : import("./replay.js");
    loading?.catch(() => {});
    if (plan.schemas.length > 0) {
      const { validatorFor } = await import("./schemas.js");
      run.port.validator = await validatorFor(plan.schemas);
    }
    await wide;
    let replay: Replay | undefined;
    let { state, seed, pins = false }: Pick<Settings, "state" | "seed" | "pins"> = run.settings;
    if (journaling !== undefined && loading !== undefined) {
      const { Replay } = await loading;
      const begun = await Replay.open(run, ending, voice, plan, journaling);
      if (begun === undefined) return;
      ({ replay, state, seed, pins } = begun);
    }
    if (ending.isThere) return;
    // The pins of a run that is taken up are in its journal.
    const planned = pins === (run.settings.pins ?? false) ? plan : this.#program.planOn(instance, run.settings.limits, pins);
    this.#enter(planned, new Loop(run, ending, voice, replay), { state, seed, pins });
  }

  #enter(plan: Plan, loop: Loop, { state, seed = anySeed(), pins }: Pick<Settings, "state" | "seed" | "pins">): void {
    loop.begin({ plan, state, seed, mode: modeOf(this.#journaling), from: startOf(plan, this.#journaling), pins: typeof pins === "object" });
  }
}

/** How the engine uses the journal. */
function modeOf(journaling: Journaling | undefined): number {
  if (journaling === undefined) return REPLAYS.none;
  const { replay, onMismatch } = journaling;
  return replay === "resume" && onMismatch === "anew" ? REPLAYS.renew : REPLAYS[replay];
}

/** The index of the step from which a part of the workflow is run anew. */
function startOf(plan: Plan, journaling: Journaling | undefined): number | undefined {
  const id = journaling?.from;
  if (id === undefined) return undefined;
  // The steps of a tool run anew with whoever calls it.
  const index = plan.steps.findIndex(({ ref }) => ref.id === id && !ref.path.startsWith("tools."));
  if (index >= 0) return index;
  throw noStep(id, "to run from");
}

function noStep(id: string, use: string): StepweaveError {
  return new StepweaveError("validation", `the workflow has no step with the id \`${id}\` ${use}`, { hint: "take the id of a step's result" });
}
