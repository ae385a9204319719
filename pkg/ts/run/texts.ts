import { StepweaveError, type StepRef } from "../api/errors.js";

/** What of an event is read here. */
interface TextEvent {
  readonly type: string;
  readonly step?: StepRef | undefined;
  readonly text?: string;
  readonly byProvider?: boolean;
  readonly result?: { readonly status: string; readonly text?: string | undefined; readonly error?: StepweaveError | undefined };
}

/**
 * The text that a run results in, in the pieces in which it comes, after what is said before tools are called. `isOf` says
 * whose text that is.
 */
export async function* textsOf(events: AsyncIterable<TextEvent>, isOf: (step: StepRef) => boolean): AsyncGenerator<string, void> {
  let answer = new Answer();
  for await (const { type, step, text = "", byProvider, result } of events) {
    if (step !== undefined && isOf(step)) {
      if (type === "step.delta") yield* answer.goOn(text);
      if (type === "step.reset") answer.beginAgain();
      // What comes after the calls of an agent is another text; a provider makes its own within one.
      if (type === "tool.start" && byProvider !== true) answer = new Answer();
    }
    if (result === undefined) continue;
    if (result.status !== "done") throw result.error ?? new StepweaveError("cancelled", `the run ended with the status ${result.status}`);
    yield* answer.end(result.text ?? "");
  }
}

/** An answer as it is given out: what has been given cannot be taken back, and nothing of it is given again. */
class Answer {
  #given = "";
  /** How much of what was given has been said since the answer began, or began again. */
  #said = 0;

  /** What is new in the next piece. */
  *goOn(piece: string): Generator<string, void> {
    const known = this.#given.slice(this.#said, this.#said + piece.length);
    if (!piece.startsWith(known)) throw differing();
    this.#said += piece.length;
    const rest = piece.slice(known.length);
    this.#given += rest;
    if (rest !== "") yield rest;
  }

  beginAgain(): void {
    this.#said = 0;
  }

  /** What is new in the whole, of which each piece may have come already. */
  *end(whole: string): Generator<string, void> {
    if (!whole.startsWith(this.#given)) throw differing();
    this.beginAgain();
    yield* this.goOn(whole);
  }
}

function differing(): StepweaveError {
  return new StepweaveError("conflict", "the text of the run was dropped after a part of it had been given, and goes on otherwise", {
    hint: "read the `text` of the run's `result`; or read its `events`, where `step.reset` says that the text so far is dropped",
  });
}
