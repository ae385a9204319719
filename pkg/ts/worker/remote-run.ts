import { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { JournalEntry } from "../api/journal.js";
import type { Renew, Run } from "../api/run.js";
import { journalOf } from "../journal/summary.js";
import { EventLog } from "../run/log.js";
import { InputReceiver } from "./inputs.js";
import { unpackEvent, type DataOptions, type PackedEvent } from "./messages.js";

/** What a run was begun with. */
export interface Began {
  readonly document: string;
  readonly options: DataOptions;
}

/** A run in a worker, as the page has it. It knows how far its journal is, so that another worker can go on with it. */
export class RemoteRun implements Run {
  readonly id: string;
  readonly result: Promise<RunResult>;
  /** The state that the models of the page share during the run. */
  readonly session = new Map<string, unknown>();
  /** What renews its secrets. */
  renewals: ReadonlyMap<string, Renew> = new Map();
  /** Whether somebody wants it to end. */
  isCancelled = false;
  readonly #log = new EventLog();
  readonly #cancel: (reason: unknown) => void;
  /** What the worker has added to the journal. */
  #entries: JournalEntry[] = [];
  #began: Began | undefined;
  #onJournal: ((from: number, entries: readonly JournalEntry[]) => void) | undefined;
  /** How often each event was emitted that a worker which resumes the run emits again. */
  #again: Map<string, number> | undefined;
  /** Of the worker that runs it now. */
  #inputs = new InputReceiver();
  #last: RunResult | undefined;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: StepweaveError) => void;
  #unfollow: (() => void) | undefined;

  constructor(id: string, cancel: (reason: unknown) => void) {
    this.id = id;
    this.#cancel = cancel;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // If nobody looks at the result, the runtime must not report its failure.
    this.result.catch(() => {});
  }

  get events(): AsyncIterable<RunEvent> {
    return { [Symbol.asyncIterator]: () => this.#log.read() };
  }

  cancel(reason?: unknown): void {
    this.#cancel(reason);
  }

  follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = (): void => this.cancel(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    this.#unfollow = () => signal.removeEventListener("abort", abort);
  }

  begin(began: Began, onJournal: ((from: number, entries: readonly JournalEntry[]) => void) | undefined): void {
    this.#began = began;
    this.#onJournal = onJournal;
    const { journal, replay } = began.options;
    if (typeof journal === "object" && replay !== "edit") this.#entries = [...journal.entries];
  }

  /** The worker has added entries to the journal, from this index on. */
  keep(from: number, entries: readonly JournalEntry[]): void {
    this.#entries.length = from;
    for (const entry of entries) this.#entries.push(entry);
    const onJournal = this.#onJournal;
    // In a turn of its own: the run does not fail of an error in it.
    if (onJournal !== undefined) queueMicrotask(() => onJournal(from, entries));
  }

  /** With what another worker goes on where this one is; nothing for a run without a journal. */
  resume(): Began | undefined {
    const began = this.#began;
    if (began?.options.journal === undefined) return undefined;
    const { replay, from, state, ...options } = began.options;
    this.#again = new Map();
    this.#inputs = new InputReceiver();
    for (const event of this.#log.all) {
      const name = nameOf(event);
      this.#again.set(name, (this.#again.get(name) ?? 0) + 1);
    }
    if (replay === "strict" || this.#entries.length === 0) return began;
    return { document: began.document, options: { ...options, journal: journalOf(this.id, this.#entries) } };
  }

  receive(events: readonly PackedEvent[]): void {
    for (const packed of events) {
      const event = unpackEvent(packed, this.#inputs);
      if (this.#isAgain(event)) continue;
      // The events of another worker have other numbers.
      this.#log.push(this.#again === undefined ? event : { ...event, seq: this.#log.length });
      if ("result" in event) this.#last = event.result;
    }
    this.#log.show();
  }

  finish(): void {
    if (this.#last === undefined) throw new StepweaveError("validation", "the worker sent the end of a run without its result", { hint: "load the same version of stepweave in the page and in its worker" });
    this.#unfollow?.();
    this.#log.end();
    this.#resolve(this.#last);
  }

  fail(error: StepweaveError): void {
    this.#unfollow?.();
    this.#log.break(error);
    this.#reject(error);
  }

  /** Whether an event from the journal has been emitted before. Events that never came into the journal happen again. */
  #isAgain(event: RunEvent): boolean {
    if (this.#again === undefined || (event.type !== "run.start" && event.replayed !== true)) return false;
    const name = nameOf(event);
    const left = this.#again.get(name) ?? 0;
    this.#again.set(name, left - 1);
    return left > 0;
  }
}

/** What identifies the events of a run, apart from their content. */
function nameOf(event: RunEvent): string {
  const { type, step, attempt, callId } = event as { type: string; step?: { key?: string }; attempt?: number; callId?: string };
  return [type, step?.key, attempt, callId].join(" ");
}
