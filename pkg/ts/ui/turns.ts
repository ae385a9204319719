import type { DroppedMetadata, UIMessageChunk } from "./chunk.js";

type Kind = "text" | "reasoning";

/** One answer of a model, with the calls of tools that it asked for. */
interface Turn {
  /** The text that is being told. */
  open: { readonly kind: Kind; readonly id: string } | undefined;
  hasText: boolean;
  hasCalls: boolean;
  /** Calls that have not ended. */
  running: number;
}

const DROPPED: DroppedMetadata = { stepweave: { dropped: true } };

/**
 * The answers of the models of a run, of which several may come at once. The AI SDK knows each of them as a step of
 * the message: between `start-step` and `finish-step`.
 */
export class Turns {
  readonly #say: (chunk: UIMessageChunk) => void;
  /** By the key of the step that asks. */
  readonly #turns = new Map<string, Turn>();
  /** Whose parts stand behind the last `start-step`. */
  readonly #latest = new Set<string>();
  /** What stands there and belongs to nobody's answer. */
  #notes: UIMessageChunk[] = [];
  #count = 0;
  /** Steps of the message that are over. Older readers forget open texts at a `finish-step`: it waits for their end. */
  #owed = 0;

  constructor(say: (chunk: UIMessageChunk) => void) {
    this.#say = say;
  }

  tell(key: string, kind: Kind, text: string): void {
    let turn = this.#turns.get(key);
    // A model that was given the results of its calls answers anew.
    if (turn?.hasCalls === true && turn.running === 0) turn = this.end(key);
    turn ??= this.#begin(key);
    if (turn.open?.kind !== kind) {
      this.#close(turn);
      turn.open = { kind, id: `${key}.${(this.#count += 1)}` };
      turn.hasText = true;
      this.#latest.add(key);
      this.#say({ type: `${kind}-start`, id: turn.open.id });
    }
    this.#say({ type: `${kind}-delta`, id: (turn.open as { id: string }).id, delta: text });
  }

  /** A tool is called; the chunk says so. */
  call(key: string, chunk: UIMessageChunk): void {
    const turn = this.#turns.get(key) ?? this.#begin(key);
    this.#close(turn);
    turn.hasCalls = true;
    turn.running += 1;
    this.#latest.add(key);
    this.#say(chunk);
  }

  /** A call has ended. */
  returned(key: string): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) turn.running = Math.max(0, turn.running - 1);
  }

  /** Something that belongs to nobody's answer. */
  note(chunk: UIMessageChunk): void {
    this.#notes.push(chunk);
    this.#say(chunk);
  }

  /** What was told of an answer is dropped. */
  drop(key: string): void {
    const turn = this.#turns.get(key);
    if (turn === undefined || !turn.hasText || turn.hasCalls) return;
    const isAlone = this.#latest.size === 1 && this.#latest.has(key);
    const isQuiet = [...this.#turns.values()].every((other) => other === turn || other.open === undefined);
    if (isAlone && isQuiet) {
      turn.open = undefined;
      turn.hasText = false;
      this.#latest.clear();
      this.#say({ type: "reset-step" });
      for (const note of this.#notes) this.#say(note);
    } else {
      // A reset would take away what others are telling.
      this.#close(turn, DROPPED);
    }
  }

  /** A step begins, or begins again. */
  renew(key: string): void {
    const turn = this.#turns.get(key);
    if (turn?.hasText === true || turn?.hasCalls === true) this.end(key);
  }

  /** The answer of a step is over. */
  end(key: string): undefined {
    const turn = this.#turns.get(key);
    if (turn === undefined) return;
    this.#turns.delete(key);
    this.#owed += 1;
    this.#close(turn);
    this.#settle();
  }

  endAll(): void {
    for (const key of [...this.#turns.keys()]) this.end(key);
  }

  /** Chunks that make a step of the message by themselves. */
  apart(chunks: readonly UIMessageChunk[]): void {
    this.#say({ type: "start-step" });
    for (const chunk of chunks) this.#say(chunk);
    this.#say({ type: "finish-step" });
  }

  #begin(key: string): Turn {
    const turn: Turn = { open: undefined, hasText: false, hasCalls: false, running: 0 };
    this.#turns.set(key, turn);
    this.#latest.clear();
    this.#notes = [];
    this.#say({ type: "start-step" });
    return turn;
  }

  #close(turn: Turn, providerMetadata?: DroppedMetadata): void {
    if (turn.open === undefined) return;
    const { kind, id } = turn.open;
    turn.open = undefined;
    this.#say({ type: `${kind}-end`, id, ...(providerMetadata !== undefined && { providerMetadata }) });
    this.#settle();
  }

  #settle(): void {
    for (const { open } of this.#turns.values()) if (open !== undefined) return;
    for (; this.#owed > 0; this.#owed -= 1) this.#say({ type: "finish-step" });
  }
}
