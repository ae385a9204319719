import type { Json } from "../api/document.js";
import type { StepRef } from "../api/errors.js";
import type { JournalEntry, Told } from "../api/journal.js";
import type { RunOptions } from "../api/run.js";
import type { Redact } from "../json/copy.js";
import type { BusRun } from "./bus.js";
import type { ContextHome } from "./context.js";
import type { Ending } from "./ending.js";
import type { Spot } from "./executions.js";
import type { EventLog } from "./log.js";
import type { RunParts } from "./parts.js";

/** What the functions of a run say while they work: it goes into the events, and into the journal where one is kept. */
export class Voice implements ContextHome, BusRun {
  readonly #run: RunParts;
  readonly #ending: Ending;
  #session: Map<string, unknown> | undefined;

  constructor(run: RunParts, ending: Ending) {
    this.#run = run;
    this.#ending = ending;
  }

  get id(): string {
    return this.#run.id;
  }

  get options(): RunOptions {
    return this.#run.options;
  }

  get redact(): Redact {
    return this.#run.settings.redact;
  }

  get isJournaled(): boolean {
    return this.#run.port.logbook !== undefined;
  }

  get log(): EventLog {
    return this.#run.record.log;
  }

  /** The state that the run's functions share, created on first access. */
  get session(): Map<string, unknown> {
    return (this.#session ??= new Map());
  }

  /** How events and results refer to an execution. */
  refOf({ step, scope }: Spot): StepRef {
    return this.#run.record.refOf(step, scope);
  }

  /** The current attempt of an execution. */
  attemptOf({ step, scope }: Spot): number {
    return this.#run.record.attemptOf(step, scope);
  }

  /** The tool about whose call a person was asked under this key, if the run's journal says so. */
  toolAskedAbout(key: string): string | undefined {
    return this.#run.port.logbook?.toolAskedAbout(key);
  }

  /** Whether a person was asked under this key about a call, and the model that makes it has been asked anew since. */
  isAskedAnew(key: string): boolean {
    return this.#run.port.logbook?.isAskedAnew(key) === true;
  }

  note(execution: string, emitted: Told): void {
    this.#run.port.logbook?.note(execution, emitted, this.#run.record.now);
  }

  /** Emits a chunk of a step's output. */
  emitDelta({ step, scope }: Spot, value: unknown): void {
    if (this.#ending.isThere) return;
    const { record } = this.#run;
    record.now = this.#ending.time();
    record.stepDelta(step, scope, "", value);
    this.note(record.keyOf(step, scope), { type: "delta", value: value as Json });
    this.#show();
  }

  /** Emits a chunk of a step's text; returns what can be emitted by now. */
  emitText({ step, scope }: Spot, text: string): string {
    if (this.#ending.isThere) return "";
    const { record } = this.#run;
    record.now = this.#ending.time();
    return this.#emitted(step, scope, record.stepText(step, scope, text), text === "");
  }

  /** Emits the held-back end of a step's text, and returns it. */
  releaseText({ step, scope }: Spot): string {
    if (this.#ending.isThere) return "";
    const { record } = this.#run;
    record.now = this.#ending.time();
    return this.#emitted(step, scope, record.releaseText(step, scope), false);
  }

  warn(code: string, message: string, spot?: Spot): void {
    const { record } = this.#run;
    if (this.#ending.isThere) {
      if (code !== "log") this.#ending.warn(code, message);
      return;
    }
    record.now = this.#ending.time();
    record.warning(spot, code, message);
    this.#show();
  }

  /** Keeps an answer in the journal; gives nothing when it is kept at once. */
  keep(entry: JournalEntry): Promise<void> | undefined {
    // While a journal answers, what is new waits: it happens when that is over.
    return this.#run.port.logbook?.keep(entry);
  }

  /** Held-back text is not emitted yet, but an empty text of the step is. */
  #emitted(step: number, scope: number, shown: string, isEmpty: boolean): string {
    if (shown !== "" || isEmpty) this.note(this.#run.record.keyOf(step, scope), { type: "delta", value: shown });
    this.#show();
    return shown;
  }

  /** Emits the values and lines of functions, unless they are too many. */
  #show(): void {
    const { record, port } = this.#run;
    record.log.show();
    if (record.log.length > port.maxEvents) this.#ending.failOfEvents();
  }
}
