import { StepweaveError } from "../api/errors.js";
import type { Journal, JournalEntry, JournalStore, RunStatus, RunSummary, Told } from "../api/journal.js";
import type { Pending } from "../api/results.js";
import { askingModel, executionOf, isOfWorkflow, mayWait } from "../journal/execution.js";
import { pendingIn, WakeTimes } from "../journal/summary.js";
import { copyJson, type Redact } from "../json/copy.js";
import { isEqual } from "../json/equal.js";
import type { EngineError } from "../wasm/boundary.js";
import type { Cause } from "./cause.js";
import type { Journaling } from "./journaling.js";
import { END, START, Timeline, type Answered } from "./timeline.js";

/** What a journal says of its beginning. */
export interface Start {
  /** The version of the journal; absent in those of version 1. */
  readonly version?: 2;
  readonly workflow: string;
  /** The fingerprint of the document. */
  readonly document: string;
  readonly state: object;
  readonly seed: number;
  /** Whose run it is. */
  readonly owner?: string;
  /** The outputs of steps that are not run. */
  readonly pins?: object;
  /** When it, and each run that it was forked from, was forked from another one. */
  readonly forks?: readonly number[];
}

/** What a journal says of an end. */
export interface End {
  readonly status: RunStatus;
  /** Why it was cancelled. */
  readonly reason?: string;
  /** The pending approvals. */
  readonly pending?: readonly object[];
  /** When it can go on without an answer. */
  readonly wakeAt?: number;
  /** What stopped it. */
  readonly error?: object;
  /** The fingerprint of its document, where it is another than the one that it began with. */
  readonly document?: string;
}

/** How a run uses its journal. */
export interface LogbookOptions {
  readonly id: string;
  readonly store: JournalStore | undefined;
  /** What was recorded before. */
  readonly recorded: readonly JournalEntry[];
  readonly replay: Journaling["replay"];
  /** The name of the workflow that runs now. */
  readonly documentName: string;
  /** The fingerprint of its document. */
  readonly document: string;
  /** Takes secrets out of texts. */
  readonly redact: Redact;
  /** The original errors, by operation. */
  readonly causes: ReadonlyMap<number, Cause>;
}

type Draft = Omit<JournalEntry, "at" | "seq">;

/** A run's journal: what was recorded before, and what is being added. */
export class Logbook {
  readonly timeline: Timeline;
  readonly #options: LogbookOptions;
  readonly #entries: JournalEntry[];
  /** What functions emitted since their last entry, by execution. */
  readonly #emitted = new Map<string, Told[]>();
  /** In a fork, the emitted values that are reused, by the index of their answer. */
  readonly #taken = new Map<number, Told[]>();
  /** Counts emitted values and answers. */
  #seq = 0;
  readonly #wakeTimes: WakeTimes;
  #status: RunStatus = "running";
  /** Of a suspended run: when it can go on. */
  #wakeAt: number | undefined;
  #owner: string | undefined;
  /**
   * Of a run that is taken up: what it has read before it changes anything, as long as its journal has answers that it has not come
   * to, for it may turn out to be another one's.
   */
  #held: JournalEntry[] | undefined;
  /** Entries that the store has not acknowledged, each with what is to be called then. */
  #unkept: { entry: JournalEntry; kept: () => void; lost: (error: unknown) => void }[] = [];
  #kept: number;
  #writing: Promise<void> | undefined;
  /** Whether the store has failed: the journal breaks off there, as after a crash. */
  #isLost = false;

  constructor(options: LogbookOptions) {
    const { recorded, replay } = options;
    this.#options = options;
    this.timeline = new Timeline(recorded, replay);
    this.#entries = replay === "edit" ? [] : [...recorded];
    this.#kept = this.#entries.length;
    if (replay === "resume" && recorded.length > 0) this.#held = [];
    this.#wakeTimes = new WakeTimes(this.#entries);
    this.#owner = this.start?.owner;
    for (const { seq = 0, told = [] } of this.#entries) this.#seq = told.reduce((most, { seq = 0 }) => Math.max(most, seq), Math.max(this.#seq, seq));
  }

  /** What the journal says of its beginning, if it has one. */
  get start(): Start | undefined {
    return this.#options.recorded[0]?.ok as unknown as Start | undefined;
  }

  /** When the journal began. */
  get startedAt(): number | undefined {
    return this.#options.recorded[0]?.at;
  }

  /** The tool about whose call a person was asked under this key, if about one. */
  toolAskedAbout(key: string): string | undefined {
    return this.#pending().filter((one) => one.key === key).at(-1)?.tool?.name;
  }

  /**
   * Whether the journal has a person asked under this key, in a call of a tool that a model has made which this run has asked
   * anew: the call may be another one.
   */
  isAskedAnew(key: string): boolean {
    const { recorded, replay } = this.#options;
    if (replay === "edit" || !this.#pending().some((one) => one.key === key)) return false;
    return this.#entries.slice(recorded.length).some((entry) => {
      const execution = askingModel(entry.key);
      return execution !== undefined && [`${execution}/tool`, `${execution}#tool`].some((call) => key.startsWith(call));
    });
  }

  /** Whether the run had come to a step: to an answer of one, or to a person or a time that it waits for. */
  get hasSteps(): boolean {
    const { recorded } = this.#options;
    return recorded.some(({ key, ok }) => {
      if (key === END) return Object(ok).status === "suspended";
      const execution = executionOf(key);
      return execution !== undefined && !isOfWorkflow(execution);
    });
  }

  /** The ids of the steps that people were asked in. */
  get askedSteps(): readonly string[] {
    return this.#pending().map(({ step }) => step.id);
  }

  #pending(): readonly Pending[] {
    return this.#options.recorded.flatMap(pendingIn);
  }

  /** Records what a function emitted. */
  note(execution: string, emitted: Told, at: number): void {
    const known = this.#emitted.get(execution) ?? [];
    this.#emitted.set(execution, known);
    known.push({ ...emitted, at, seq: this.#count() });
  }

  /** The entry of an answer, with what was emitted before it. */
  entry(key: string, execution: string, fingerprints: string, value: unknown, error: string | undefined): Draft {
    const emitted = this.#emitted.get(execution);
    this.#emitted.delete(execution);
    const answer = error === undefined ? { ok: (value ?? null) as JournalEntry["ok"] } : { error: this.#failure(error) };
    return { key, asked: fingerprints, ...answer, ...(emitted !== undefined && { told: emitted }) } as Draft;
  }

  /** Takes over what a journal answers into the one of a fork. Nothing is given when that is done at once. */
  takeOver({ index, entry, pieces }: Answered): Promise<void> | undefined {
    for (const { emitted, of } of pieces) {
      const taken = this.#taken.get(of) ?? [];
      this.#taken.set(of, taken);
      taken.push({ ...emitted, seq: this.#count() });
    }
    const emitted = this.#taken.get(index);
    return this.keep(emitted === undefined ? entry : { ...entry, told: emitted });
  }

  /** The entry of the beginning. */
  begin(start: Omit<Start, "version">, at: number): Promise<void> {
    this.#owner = start.owner;
    return this.#add({ key: START, at, ok: { version: 2, ...start } as unknown as NonNullable<JournalEntry["ok"]> });
  }

  /** The entry of the end. A run that only reads adds none, nor does one that its store stopped: that is no outcome of it, and it can be taken up. */
  end(end: End, at: number): Promise<void> {
    if (this.#options.replay === "strict" || this.#isLost) return Promise.resolve();
    // Where this fails, so does the end behind it.
    this.release()?.catch(() => {});
    this.#status = end.status;
    this.#wakeAt = end.wakeAt;
    const { document } = this.#options;
    const begunWith = Object(this.#entries[0]?.ok).document as unknown;
    const ok = copyJson({ ...end, ...(document !== begunWith && { document }) }, "end", undefined, this.#options.redact) as NonNullable<JournalEntry["ok"]>;
    // A run that had ended, and was looked at again, has nothing to add.
    const last = this.#entries.at(-1);
    if (last?.key === END && isEqual(last.ok, ok)) return Promise.resolve();
    const told = end.status === "suspended" ? [] : this.#cutOff();
    return this.#add({ key: END, at, seq: this.#count(), ok, ...(told.length > 0 && { told }) });
  }

  /** What was emitted by executions that get no answer any more. */
  #cutOff(): Told[] {
    const told = [...this.#emitted].flatMap(([by, emitted]) => emitted.map((one) => ({ ...one, by })));
    return told.sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
  }

  /** Adds an entry; resolves when it is kept for good. Nothing is given when that is so at once. */
  keep(entry: Draft & { readonly at: number }): Promise<void> | undefined {
    if (this.#options.replay === "strict") return undefined;
    this.#wakeTimes.follow(entry);
    const added = { ...entry, seq: this.#count() };
    if (this.#held !== undefined && mayWait(entry.key) && this.timeline.hasMore) {
      this.#held.push(added);
      return undefined;
    }
    // In front of what is added now, and kept no later.
    this.release()?.catch(() => {});
    if (this.#options.store !== undefined) return this.#add(added);
    this.#entries.push(added);
    return undefined;
  }

  /** Adds what was held back; resolves when it is kept for good. Nothing is given where there was nothing. */
  release(): Promise<unknown> | undefined {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held.length === 0 ? undefined : Promise.all(held.map((entry) => this.#add(entry)));
  }

  /** What was recorded, earlier and now. */
  journal(): Journal {
    const entries = this.#options.replay === "strict" ? this.#options.recorded : this.#entries;
    const version = this.#options.recorded.length > 0 && this.timeline.isOld && this.#options.replay !== "edit" ? 1 : 2;
    return Object.freeze({ version, id: this.#options.id, entries: Object.freeze([...entries]) });
  }

  #count(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** The journal's entries from this index on. */
  entriesFrom(index: number): readonly JournalEntry[] {
    return this.#options.replay === "strict" ? [] : this.#entries.slice(index);
  }

  #add(entry: JournalEntry): Promise<void> {
    const { store } = this.#options;
    this.#entries.push(entry);
    if (store === undefined) return Promise.resolve();
    return new Promise((kept, lost) => {
      this.#unkept.push({ entry, kept, lost });
      // What comes in the same turn goes in one append.
      this.#writing ??= Promise.resolve().then(() => this.#write(store));
    });
  }

  async #write(store: JournalStore): Promise<void> {
    while (this.#unkept.length > 0) {
      const batch = this.#unkept;
      this.#unkept = [];
      try {
        const entries = batch.map(({ entry }) => entry);
        await store.append(this.#options.id, entries, this.#kept, this.#summary(entries.at(-1) as JournalEntry));
        this.#kept += batch.length;
        for (const { kept } of batch) kept();
      } catch (error) {
        for (const { lost } of [...batch, ...this.#unkept]) lost(error);
        this.#unkept = [];
        this.#isLost = true;
        // The journal says what is kept: a later run goes on from there.
        this.#entries.length = this.#kept;
      }
    }
    this.#writing = undefined;
  }

  #summary({ at }: JournalEntry): RunSummary {
    const wakeAt = this.#status === "running" ? this.#wakeTimes.earliest : this.#wakeAt;
    const owner = this.#owner;
    const { documentName } = this.#options;
    return { status: this.#status, documentName, updatedAt: at, ...(wakeAt !== undefined && { wakeAt }), ...(owner !== undefined && { owner }) };
  }

  /** A failure without the properties that only this run has. */
  #failure(text: string): JournalEntry["error"] {
    const { code, message, hint, retryable, retryAfterMs, afterDelta, usage, outputMode, problems, op } = JSON.parse(text) as EngineError;
    const cause = op == null ? undefined : this.#options.causes.get(op)?.data;
    const data = { ...new StepweaveError(code, message, { hint, retryable, problems }).toJSON(), ...(cause !== undefined && { cause }) };
    const rest = { retryAfterMs: retryAfterMs ?? undefined, afterDelta, usage, outputMode };
    return copyJson({ ...data, ...rest }, "error", undefined, this.#options.redact) as unknown as JournalEntry["error"];
  }
}
