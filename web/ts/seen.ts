// The states that steps of this visit's runs saw. They stay here, and cross to the builder's wasm where a person looks at one.
// Those of steps that have sent something are kept with a run that has ended.
import type { RunEvent } from "stepweave/slim";

/** What an execution begins with. Of a wide state an object is made when it is read. */
type Start = Extract<RunEvent, { type: "step.start" }>;

/** The runs that the page can show: those that have ended, and the one in progress. */
const MOST_RUNS = 11;

/** Nobody looks at so many executions; the oldest go first. */
const MOST_EXECUTIONS = 2_000;

/** How much is kept of a run with its events, in characters; the latest executions come first. */
const MOST_KEPT = 1_000_000;

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

  /** The states that the agents and requests of a run saw, as one JSON object of texts by the keys of executions; as many as there is room for. */
  sent(run: string, document: string): string {
    const senders = sendersIn(document);
    const kept: Record<string, string> = {};
    let length = 0;
    for (const [key, { step, input }] of [...(this.#runs.get(run) ?? [])].reverse()) {
      if (!senders.has(step.id)) continue;
      const text = JSON.stringify(input);
      length += text.length;
      if (length > MOST_KEPT) break;
      kept[key] = text;
    }
    return JSON.stringify(kept);
  }
}

/** The ids of the steps that send something. */
function sendersIn(document: string): ReadonlySet<unknown> {
  const ids = new Set<unknown>();
  JSON.parse(document, (_, value: unknown) => {
    const { id, type } = Object(value) as { id?: unknown; type?: unknown };
    if (type === "agent" || type === "http") ids.add(id);
    return value;
  });
  return ids;
}

/** Leaves so many, the latest ones. */
function shorten(map: Map<string, unknown>, most: number): void {
  for (const [key] of map) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
