import { StepweaveError, type StepRef } from "../api/errors.js";

/** What of an event is read here. */
interface TextEvent {
  readonly type: string;
  readonly step?: StepRef | undefined;
  readonly text?: string;
  readonly result?: { readonly status: string; readonly text?: string | undefined; readonly error?: StepweaveError | undefined };
}

/** The text that a run results in, in the pieces in which it comes. `isOf` says whose text that is. */
export async function* textsOf(events: AsyncIterable<TextEvent>, isOf: (step: StepRef) => boolean): AsyncGenerator<string, void> {
  let given = "";
  for await (const { type, step, text = "", result } of events) {
    if (step !== undefined && isOf(step)) {
      if (type === "step.delta" && text !== "") {
        given += text;
        yield text;
      }
      // Text before a tool call, or before another attempt, does not belong to the answer.
      if (type === "tool.start" || type === "step.reset") given = "";
    }
    if (result === undefined) continue;
    if (result.status !== "done") throw result.error ?? new StepweaveError("cancelled", `the run ended with the status ${result.status}`);
    const whole = result.text ?? "";
    // What was given already may be all of it.
    const rest = whole.startsWith(given) ? whole.slice(given.length) : whole;
    if (rest !== "") yield rest;
  }
}
