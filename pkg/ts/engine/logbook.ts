import { isStepweaveError, StepweaveError } from "../errors.js";
import { JOURNAL_DEPTH, journalFrom } from "../journal/check.js";
import type { Journal, JournalEntry, JournalStore, Told } from "../journal/types.js";
import type { EngineError } from "./boundary.js";
import type { Cause } from "./cause.js";
import { unkept, wrong, type Journaling } from "./journaling.js";
import { copyJson, isEqual, type Redact } from "./json.js";
import type { Settings } from "./options.js";
import type { Plan } from "./plan.js";

/** The key of a journal's first entry: what was started. */
const START = "start";
/** The key of an entry that says how a run ended; more may follow. */
const END = "end";
/** The key under which the engine keeps that a whole run took too long. */
const RUN_TIMEOUT = "timeout";

/** What a journal says of its beginning. */
export interface Start {
  readonly workflow: string;
  /** Tells documents apart. */
  readonly document: string;
  readonly state: object;
  readonly seed: number;
}

/** How a run uses its journal. */
export interface LogbookOptions {
  readonly id: string;
  readonly store: JournalStore | undefined;
  /** What was recorded before. */
  readonly recorded: readonly JournalEntry[];
  readonly use: "append" | "fork" | "read";
  /** Takes secrets out of texts. */
  readonly redact: Redact;
  /** What was thrown in the first place, by operation. */
  readonly causes: ReadonlyMap<number, Cause>;
}

/**
 * A run's journal: what was recorded before, and what is being added. Which answers are taken over is the engine's
 * decision; in which order they come is decided here.
 */
export class Logbook {
  readonly #options: LogbookOptions;
  readonly #entries: JournalEntry[];
  /** Places of earlier answers, by key. */
  readonly #places = new Map<string, number>();
  /** Operations that wait for an earlier answer, by its place. */
  readonly #waiting = new Map<number, number>();
  readonly #waitingPlaces = new Map<number, number>();
  /** No operation waits for an answer before this place. */
  #cursor = 0;
  /** What functions told since their last entry, by execution. */
  readonly #told = new Map<string, Told[]>();
  /** Entries that the store has not acknowledged, each with what is to be called then. */
  #unkept: { entry: JournalEntry; kept: () => void; lost: (error: unknown) => void }[] = [];
  #kept: number;
  #writing: Promise<void> | undefined;

  constructor(options: LogbookOptions) {
    this.#options = options;
    this.#entries = options.use === "fork" ? [] : [...options.recorded];
    this.#kept = this.#entries.length;
    const { recorded } = options;
    for (const [place, { key }] of recorded.entries()) this.#places.set(key, place);
    // A time limit that a later part of the run went beyond is history.
    const timeout = this.#places.get(RUN_TIMEOUT);
    if (timeout !== undefined && recorded.slice(timeout + 1).some(({ key }) => key !== END)) this.#places.delete(RUN_TIMEOUT);
  }

  /** What the journal says of its beginning, if it has one. */
  get start(): Start | undefined {
    return this.#options.recorded[0]?.ok as unknown as Start | undefined;
  }

  /** When the journal began. */
  get startedAt(): number | undefined {
    return this.#options.recorded[0]?.at;
  }

  /** Whether this is the replay of a run that was cancelled: what it still waited for never comes. */
  get isCut(): boolean {
    const last = this.#options.recorded.at(-1);
    return this.#options.use === "read" && last?.key === END && (last.ok as { status?: unknown } | null)?.status === "cancelled";
  }

  /** The fingerprint of what was asked under this key, if there is an answer. */
  asked(key: string): string | undefined {
    const place = this.#places.get(key);
    // What a run that was cancelled still asked is in no journal: its replay waits there, as it did.
    if (place === undefined && key === RUN_TIMEOUT && this.isCut) return "";
    return place === undefined ? undefined : (this.#options.recorded[place]?.asked ?? "");
  }

  /** An operation wants the answer under this key. */
  wait(op: number, key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#waiting.set(place, op);
    this.#waitingPlaces.set(op, place);
    this.#cursor = Math.min(this.#cursor, place);
  }

  /** True if the operation waited here; it does so no longer. */
  forget(op: number): boolean {
    const place = this.#waitingPlaces.get(op);
    if (place === undefined) return false;
    this.#waiting.delete(place);
    return this.#waitingPlaces.delete(op);
  }

  /** The earliest answer that an operation waits for. */
  next(): { readonly op: number; readonly entry: JournalEntry } | undefined {
    if (this.#waiting.size === 0) return undefined;
    while (!this.#waiting.has(this.#cursor)) this.#cursor += 1;
    const place = this.#cursor;
    const op = this.#waiting.get(place) as number;
    this.forget(op);
    return { op, entry: this.#options.recorded[place] as JournalEntry };
  }

  /** Takes note of what a function told. */
  tell(execution: string, told: Told): void {
    const known = this.#told.get(execution) ?? [];
    this.#told.set(execution, known);
    known.push(told);
  }

  /** The entry of an answer, with what was told on the way to it. */
  entry(key: string, execution: string, asked: string, value: unknown, error: string | undefined): Omit<JournalEntry, "at"> {
    const told = this.#told.get(execution);
    this.#told.delete(execution);
    const answer = error === undefined ? { ok: (value ?? null) as JournalEntry["ok"] } : { error: this.#failure(error) };
    return { key, asked, ...answer, ...(told !== undefined && { told }) } as Omit<JournalEntry, "at">;
  }

  /** The entry of the beginning. */
  begin(start: Start, at: number): Promise<void> {
    return this.#add({ key: START, at, ok: start as unknown as NonNullable<JournalEntry["ok"]> });
  }

  /** The entry of the end; a run that only read adds none. */
  end(status: string, at: number): Promise<void> {
    return this.#add({ key: END, at, ok: { status } });
  }

  /** Adds an entry; resolves when it is kept for good. Nothing is given when that is so at once. */
  keep(entry: JournalEntry): Promise<void> | undefined {
    if (this.#options.use === "read") return undefined;
    if (this.#options.store === undefined) {
      this.#entries.push(entry);
      return undefined;
    }
    return this.#add(entry);
  }

  /** What was recorded, earlier and now. */
  journal(): Journal {
    const entries = this.#options.use === "read" ? this.#options.recorded : this.#entries;
    return Object.freeze({ version: 1, id: this.#options.id, entries: Object.freeze([...entries]) });
  }

  /** What is in the journal from this place on. */
  entriesFrom(place: number): readonly JournalEntry[] {
    return this.#options.use === "read" ? [] : this.#entries.slice(place);
  }

  #add(entry: JournalEntry): Promise<void> {
    const { store, use } = this.#options;
    if (use === "read") return Promise.resolve();
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
        await store.append(this.#options.id, batch.map(({ entry }) => entry), this.#kept);
        this.#kept += batch.length;
        for (const { kept } of batch) kept();
      } catch (error) {
        for (const { lost } of [...batch, ...this.#unkept]) lost(error);
        this.#unkept = [];
        // The journal says what is kept: a later run goes on from there.
        this.#entries.length = this.#kept;
      }
    }
    this.#writing = undefined;
  }

  /** A failure without what only this run can tell. */
  #failure(text: string): JournalEntry["error"] {
    const { code, message, hint, retryable, retryAfterMs, afterDelta, usage, outputMode, problems, op } = JSON.parse(text) as EngineError;
    const cause = op == null ? undefined : this.#options.causes.get(op)?.data;
    const data = { ...new StepweaveError(code, message, { hint, retryable, problems }).toJSON(), ...(cause !== undefined && { cause }) };
    const rest = { retryAfterMs: retryAfterMs ?? undefined, afterDelta, usage, outputMode };
    return copyJson({ ...data, ...rest }, "error", undefined, this.#options.redact) as unknown as JournalEntry["error"];
  }
}

/** Opens the journal of a run. */
export async function openLogbook(
  journaling: Journaling,
  id: string,
  redact: Redact,
  causes: ReadonlyMap<number, Cause>,
): Promise<Logbook> {
  const { source, store, replay } = journaling;
  let recorded: Journal | undefined;
  try {
    recorded = typeof source === "string" ? ((await store?.load(source)) ?? undefined) : source;
  } catch (error) {
    throw isStepweaveError(error) ? error : unkept(error);
  }
  // What is taken from it becomes part of the state: it is copied and checked as what a function returns is.
  if (recorded !== undefined) recorded = checked(recorded, redact);
  if (recorded === undefined && replay !== "resume") throw wrong(`there is no journal \`${String(source)}\` in the store`, "check its name");
  const use = replay === "strict" ? "read" : replay === "edit" ? "fork" : "append";
  return new Logbook({ id, store, recorded: recorded?.entries ?? [], use, redact, causes });
}

function checked(given: Journal, redact: Redact): Journal {
  const journal = journalFrom(given);
  const start = journal.entries[0]?.ok as Partial<Start> | null | undefined;
  const { state, seed, document } = start ?? {};
  if (typeof state !== "object" || state === null || Array.isArray(state) || typeof seed !== "number" || typeof document !== "string") {
    throw wrong("journal.entries[0].ok does not say what was started", "take an unchanged copy of the journal, or start the run anew");
  }
  return redact === undefined ? journal : (copyJson(journal, "journal", JOURNAL_DEPTH, redact) as Journal);
}

/** The state with which a run over a journal begins; throws `validation` when the journal is that of something else. */
export function stateOver(logbook: Logbook, { replay }: Journaling, plan: Plan, settings: Settings): object {
  const { start } = logbook;
  if (start === undefined) return settings.state;
  if (replay !== "edit" && start.document !== plan.digest) {
    throw wrong(
      `the journal was kept with another version of the workflow \`${start.workflow}\``,
      'run the workflow as it was then, or write replay: "edit" to run anew what has changed',
    );
  }
  if (!settings.hasState) return Object.freeze({ ...start.state });
  if (replay !== "edit" && !isEqual(settings.state, start.state)) {
    throw wrong("the run that the journal tells began with another state", 'leave `state` out, or write replay: "edit"');
  }
  return settings.state;
}
