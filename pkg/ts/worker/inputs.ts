import type { RunEvent } from "../api/events.js";
import { merge } from "../json/patch.js";
import { keysBetween, plain } from "../json/wide.js";
import { giveInput } from "../run/input.js";

/** What an input has that the one before it has not: a state is large, and most of it stays as it is from step to step. */
export interface InputChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly gone: readonly string[];
}

/** The inputs of one run's events on their way to the page. What the page has already is not sent again. */
export class InputSender {
  #sent: object = {};

  /** What leads from the input that was sent last to this one. Values never change, so the same one is the same. */
  changeTo(input: object): InputChange {
    const before = this.#sent;
    this.#sent = input;
    const isIn = (state: object, key: string): boolean => Object.hasOwn(state, key);
    const set = [...keysBetween(before, input)].filter((key) => isIn(input, key) && !(isIn(before, key) && Reflect.get(before, key) === Reflect.get(input, key)));
    const gone = [...keysBetween(input, before)].filter((key) => isIn(before, key) && !isIn(input, key));
    return { set: Object.fromEntries(set.map((key) => [key, Reflect.get(input, key)])), gone };
  }
}

/** The inputs of one run's events as the page gets them. */
export class InputReceiver {
  #last: object = {};
  /** By the key of the execution, until it is done. */
  readonly #open = new Map<string, object>();

  /** The input to which this leads. */
  changedBy({ set, gone }: InputChange): object {
    let input = this.#last;
    if (gone.length > 0) {
      input = { ...plain(input) };
      for (const key of gone) Reflect.deleteProperty(input, key);
    }
    return (this.#last = merge(input, set));
  }

  /** The event with its input, where it has one. */
  received(event: RunEvent): RunEvent {
    if (event.type === "run.start") return given(event, this.changedBy(event.input as InputChange));
    if (event.type === "step.start") {
      const input = this.changedBy(event.input as InputChange);
      this.#open.set(event.step.key, input);
      return given(event, input);
    }
    if (event.type !== "step.done") return event;
    const input = this.#open.get(event.step.key);
    this.#open.delete(event.step.key);
    return input === undefined ? event : given(event, input);
  }
}

function given(event: RunEvent, input: object): RunEvent {
  const received = { ...event, input };
  giveInput(received, input, Object.freeze);
  return received as RunEvent;
}
