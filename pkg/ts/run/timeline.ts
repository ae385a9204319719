import type { JournalEntry, Told } from "../api/journal.js";
import { executionOf } from "../journal/execution.js";
import type { Journaling } from "./journaling.js";

/** Something that was emitted before an answer came, and by which execution. */
export interface Piece {
  readonly execution: string;
  readonly emitted: Told;
  /** The index of the answer that it belongs to. */
  readonly of: number;
}

/** What a journal answers next. */
export interface Answered {
  readonly op: number;
  readonly index: number;
  readonly entry: JournalEntry;
  /** What was emitted before, by this execution and by others in progress. */
  readonly pieces: readonly Piece[];
}

/** Where a journal ends while its run waits: when that was, and why, or up to when it is suspended. */
export type Cut = { readonly at: number } & ({ readonly wakeAt: number } | { readonly wakeAt?: undefined; readonly reason: string | undefined });

/** The key under which the engine keeps that a whole run took too long. */
export const RUN_TIMEOUT = "timeout";
/** The key of a journal's first entry: what was started. */
export const START = "start";
/** The key of an entry that says how a run ended; more may follow. */
export const END = "end";

/** What a journal has, in the order in which it happened. Which answers are taken over is the engine's decision. */
export class Timeline {
  readonly #entries: readonly JournalEntry[];
  readonly #replay: Journaling["replay"];
  /** Indices of answers, by key. */
  readonly #indices = new Map<string, number>();
  /** Operations that wait for an answer, by its index. */
  readonly #waiting = new Map<number, number>();
  readonly #waitingIndices = new Map<number, number>();
  /** Answers that no operation was given yet, by their index. */
  readonly #rest = new Set<number>();
  /** No operation waits for an answer before this index. */
  #cursor = 0;
  /** The emitted values, in order, with the index of the answer that they belong to. */
  readonly #pieces: { readonly index: number; readonly emitted: Told }[] = [];
  #nextPiece = 0;
  readonly #given = new Set<Told>();
  /** The index of the end with which a run is replayed. */
  #end: number | undefined;

  constructor(entries: readonly JournalEntry[], replay: Journaling["replay"]) {
    this.#entries = entries;
    this.#replay = replay;
    for (const [index, { key }] of entries.entries()) this.#indices.set(key, index);
    for (const [key, index] of this.#indices) if (key !== START && key !== END && key !== RUN_TIMEOUT) this.#rest.add(index);
    // A time limit that the run has passed later is history.
    const timeout = this.#indices.get(RUN_TIMEOUT);
    if (timeout !== undefined && entries.slice(timeout + 1).some(({ key }) => key !== END)) this.#indices.delete(RUN_TIMEOUT);
    for (const index of this.#indices.values()) {
      for (const emitted of entries[index]?.told ?? []) if (emitted.seq !== undefined) this.#pieces.push({ index, emitted });
    }
    const last = entries.length - 1;
    // Nobody waits for an end: what it has is emitted in its turn, where a run is replayed as a whole.
    if (replay === "strict" && entries[last]?.key === END) this.#end = last;
    this.#pieces.sort((one, other) => (one.emitted.seq as number) - (other.emitted.seq as number));
  }

  /** Whether the journal is one of version 1, whose requests cannot be compared. */
  get isOld(): boolean {
    return (this.#entries[0]?.ok as { version?: unknown } | null | undefined)?.version === undefined;
  }

  /** How the run ended, where it is replayed as a whole and was cancelled or suspended: what it still waited for never comes. */
  get cut(): Cut | undefined {
    const last = this.#entries.at(-1);
    const { status, reason, wakeAt } = ((last?.key === END ? last.ok : undefined) ?? {}) as { status?: unknown; reason?: unknown; wakeAt?: unknown };
    if (this.#replay !== "strict" || last === undefined) return undefined;
    if (status === "suspended" && typeof wakeAt === "number") return { at: last.at, wakeAt };
    return status === "cancelled" ? { at: last.at, reason: typeof reason === "string" ? reason : undefined } : undefined;
  }

  /** The fingerprint of the request under this key, if there is an answer. */
  fingerprintOf(key: string): string | undefined {
    const index = this.#indices.get(key);
    // The open requests of a cancelled run are in no journal: its replay waits there, as it did.
    if (index === undefined) return key === RUN_TIMEOUT && this.cut !== undefined ? "" : undefined;
    return this.isOld && this.#replay !== "edit" ? "" : (this.#entries[index]?.asked ?? "");
  }

  /** Whether there are answers that no operation was given yet: any of them may turn out to be one to another request. */
  get hasMore(): boolean {
    return this.#rest.size > 0;
  }

  /** The keys that have answers. */
  keys(): Iterable<string> {
    return this.#indices.keys();
  }

  /** An operation wants the answer under this key. */
  wait(op: number, key: string): void {
    const index = this.#indices.get(key);
    if (index === undefined) return;
    this.#waiting.set(index, op);
    this.#waitingIndices.set(op, index);
    this.#cursor = Math.min(this.#cursor, index);
  }

  /** True if the operation waited here; it does so no longer. */
  forget(op: number): boolean {
    const index = this.#waitingIndices.get(op);
    if (index === undefined) return false;
    this.#waiting.delete(index);
    return this.#waitingIndices.delete(op);
  }

  /** The earliest answer that an operation waits for. */
  next(): Answered | undefined {
    if (this.#waiting.size === 0) return undefined;
    while (!this.#waiting.has(this.#cursor)) this.#cursor += 1;
    const index = this.#cursor;
    const op = this.#waiting.get(index) as number;
    const entry = this.#entries[index] as JournalEntry;
    const pieces = this.#before(index, entry);
    this.forget(op);
    this.#rest.delete(index);
    return { op, index, entry, pieces };
  }

  /** What was emitted up to the end by executions that have no answer. */
  rest(): Piece[] {
    return this.#upTo(Infinity);
  }

  /** What was emitted before an answer, by executions in progress. */
  #before(index: number, entry: JournalEntry): Piece[] {
    // With the last answer the engine ends its run, unless that was cut: nothing comes behind it.
    const isLast = index + 1 === this.#end && this.cut === undefined;
    const pieces = entry.seq === undefined ? [] : this.#upTo(isLast ? Infinity : entry.seq);
    // Values that were skipped belong to executions that had not begun then, as they had when the values were emitted.
    for (const emitted of entry.told ?? []) if (!this.#given.has(emitted)) pieces.push(this.#piece(index, emitted));
    return pieces;
  }

  #upTo(seq: number): Piece[] {
    const pieces: Piece[] = [];
    for (; this.#nextPiece < this.#pieces.length; this.#nextPiece += 1) {
      const { index, emitted } = this.#pieces[this.#nextPiece] as { index: number; emitted: Told };
      if ((emitted.seq as number) > seq) break;
      if (index === this.#end || this.#waiting.has(index)) pieces.push(this.#piece(index, emitted));
    }
    return pieces;
  }

  #piece(of: number, emitted: Told): Piece {
    this.#given.add(emitted);
    return { execution: emitted.by ?? executionOf((this.#entries[of] as JournalEntry).key) ?? "", emitted, of };
  }
}
