import type { RunEvent } from "../api/events.js";

/** What an input has that the one before it has not: a state is large, and most of it stays as it is from step to step. */
export interface InputChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly gone: readonly string[];
}

/** The inputs of one run's events on their way to the page. What the page has already is not sent again. */
export class InputSender {
  #sent: Readonly<Record<string, unknown>> = {};

  /** What leads from the input that was sent last to this one. Values never change, so the same one is the same. */
  changeTo(input: object): InputChange {
    const before = this.#sent;
    const after = input as Readonly<Record<string, unknown>>;
    this.#sent = after;
    const set = Object.entries(after).filter(([key, value]) => !Object.hasOwn(before, key) || before[key] !== value);
    return { set: Object.fromEntries(set), gone: Object.keys(before).filter((key) => !Object.hasOwn(after, key)) };
  }
}

/** The inputs of one run's events as the page gets them. */
export class InputReceiver {
  #last: Readonly<Record<string, unknown>> = Object.freeze({});
  /** By the key of the execution, until it is done. */
  readonly #open = new Map<string, object>();

  /** The input to which this leads. */
  changedBy({ set, gone }: InputChange): object {
    const input = { ...this.#last, ...set };
    for (const key of gone) delete input[key];
    return (this.#last = Object.freeze(input));
  }

  /** The event with its input, where it has one. */
  received(event: RunEvent): RunEvent {
    if (event.type === "run.start") return { ...event, input: this.changedBy(event.input as InputChange) };
    if (event.type === "step.start") {
      const input = this.changedBy(event.input as InputChange);
      this.#open.set(event.step.key, input);
      return { ...event, input };
    }
    if (event.type !== "step.done") return event;
    const input = this.#open.get(event.step.key);
    this.#open.delete(event.step.key);
    return { ...event, input };
  }
}
