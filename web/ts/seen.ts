// The states that steps of this visit's runs saw. They stay here, and cross to the builder's wasm where a person looks at one.
import type { RunEvent } from "stepweave/slim";

/** What an execution begins with. Of a wide state an object is made when it is read. */
type Start = Extract<RunEvent, { type: "step.start" }>;

/** The runs that the page can show: those that have ended, and the one in progress. */
const MOST_RUNS = 11;

/** Nobody looks at so many executions; the oldest go first. */
const MOST_EXECUTIONS = 2_000;

export class Seen {
  readonly #runs = new Map<string, Map<string, Start>>();

  /** The events of a run, whose states are kept as they pass. */
  async *keeping(run: string, events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent, void> {
    const starts = this.#runs.get(run) ?? new Map<string, Start>();
    this.#runs.delete(run);
    this.#runs.set(run, starts);
    shorten(this.#runs, MOST_RUNS);
    for await (const event of events) {
      if (event.type === "step.start") {
        starts.set(event.step.key, event);
        shorten(starts, MOST_EXECUTIONS);
      }
      yield event;
    }
  }

  /** The state that an execution saw, as JSON text. */
  state(run: string, key: string): string | undefined {
    const start = this.#runs.get(run)?.get(key);
    return start && JSON.stringify(start.input);
  }
}

/** Leaves so many, the latest ones. */
function shorten(map: Map<string, unknown>, most: number): void {
  for (const [key] of map) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
