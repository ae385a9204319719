import type { AnswerMetadata, UIMessageChunk } from "./chunk.js";

type Kind = "text" | "reasoning";

/** One answer of a model, with its tool calls. */
interface Turn {
  /** Which answer: readers know it by this. */
  readonly answer: string;
  /** The text that is being written. */
  open: { readonly kind: Kind; readonly id: string } | undefined;
  hasText: boolean;
  hasCalls: boolean;
  /** Calls that have not ended. */
  running: number;
}

/**
 * The answers of the models of a run, of which several may come at once. The AI SDK knows each of them as a step of
 * the message: between `start-step` and `finish-step`.
 */
export class Turns {
  readonly #say: (chunk: UIMessageChunk) => void;
  /** By the key of the calling step. */
  readonly #turns = new Map<string, Turn>();
  #count = 0;
  #mark = "";
  /** Steps of the message that are over. Older readers forget open texts at a `finish-step`: it waits for their end. */
  #owed = 0;

  constructor(say: (chunk: UIMessageChunk) => void) {
    this.#say = say;
  }

  /** The message goes on: what comes now has other ids than what it has. */
  goOn(mark: string): void {
    this.#mark = `${mark}.`;
  }

  write(key: string, kind: Kind, text: string): void {
    const turn = this.#answering(key);
    if (turn.open?.kind !== kind) {
      this.#close(turn);
      turn.open = { kind, id: this.#next(key) };
      turn.hasText = true;
      this.#say({ type: `${kind}-start`, id: turn.open.id, providerMetadata: { stepweave: { answer: turn.answer } } });
    }
    this.#say({ type: `${kind}-delta`, id: (turn.open as { id: string }).id, delta: text });
  }

  /** Parts of an answer that are no texts. */
  add(key: string, chunksOf: (answer: string) => readonly UIMessageChunk[]): void {
    const turn = this.#answering(key);
    this.#close(turn);
    for (const chunk of chunksOf(turn.answer)) this.#say(chunk);
  }

  /** A tool is called; the chunk says so. */
  call(key: string, chunk: UIMessageChunk): void {
    const turn = this.#turns.get(key) ?? this.#begin(key);
    this.#close(turn);
    turn.hasCalls = true;
    turn.running += 1;
    this.#say(chunk);
  }

  /** A call has ended. */
  returned(key: string): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) turn.running = Math.max(0, turn.running - 1);
  }

  /** The answer so far is dropped: its last text is marked, and the next answer is a separate step. No chunk that all readers know removes text. */
  drop(key: string): void {
    const turn = this.#turns.get(key);
    if (turn === undefined || !turn.hasText || turn.hasCalls) return;
    this.#close(turn, { stepweave: { answer: turn.answer, dropped: true } });
    this.end(key);
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

  /** The answer that is emitted. A model that was given the results of its calls answers anew. */
  #answering(key: string): Turn {
    const turn = this.#turns.get(key);
    if (turn?.hasCalls === true && turn.running === 0) this.end(key);
    return this.#turns.get(key) ?? this.#begin(key);
  }

  #begin(key: string): Turn {
    const turn: Turn = { answer: this.#next(key), open: undefined, hasText: false, hasCalls: false, running: 0 };
    this.#turns.set(key, turn);
    this.#say({ type: "start-step" });
    return turn;
  }

  #next(key: string): string {
    this.#count += 1;
    return `${key}.${this.#mark}${this.#count}`;
  }

  #close(turn: Turn, providerMetadata?: AnswerMetadata): void {
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
