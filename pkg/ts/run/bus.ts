import { StepweaveError, textOf } from "../api/errors.js";
import { EVENT_TYPES } from "../api/event-types.js";
import type { EventType, Listener, RunEvent } from "../api/events.js";
import { afterTurn } from "../effects/clock.js";
import { nearest } from "../schema/nearest.js";
import { quoted } from "../schema/options.js";
import type { EventLog } from "./log.js";

/** What a bus needs of a run. */
export interface BusRun {
  readonly log: EventLog;
  /** Emits a warning of the run. */
  warn(code: string, message: string): void;
}

/** Who listens to the runs of a workflow. */
export class Bus {
  readonly #listeners = new Map<EventType | "*", Set<Listener<any>>>();

  /** Adds a listener; the function that is given back removes it. */
  on(type: EventType | "*", listener: Listener<any>): () => void {
    if (typeof type !== "string" || typeof listener !== "function") {
      throw new StepweaveError("validation", "on() and once() take a type of event and a function", { hint: 'write workflow.on("step.done", (event) => …); "*" is every type' });
    }
    if (type !== "*" && !EVENT_TYPES.includes(type)) {
      const hint = nearest(type, EVENT_TYPES);
      throw new StepweaveError("validation", `there are no events of the type ${quoted(type)}`, { hint: hint === undefined ? `use "*" for every type, or ${EVENT_TYPES.join(", ")}` : `did you mean "${hint}"?` });
    }
    const known = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, known.add(listener));
    return () => this.off(type, listener);
  }

  /** The same for the next event of the type. */
  once(type: EventType | "*", listener: Listener<any>): () => void {
    const once = Object.assign((event: RunEvent): unknown => (this.off(type, once), listener(event)), { listener });
    return this.on(type, once);
  }

  off(type: EventType | "*", listener: Listener<any>): void {
    const known = this.#listeners.get(type);
    for (const one of known ?? []) if (one === listener || (one as { readonly listener?: unknown }).listener === listener) known?.delete(one);
    if (known?.size === 0) this.#listeners.delete(type);
  }

  /**
   * Passes the events of a run to the listeners. They are called outside of the run, so that none can disturb it. The promise
   * resolves when they have been called for its last event; without listeners there is none.
   */
  follow(run: BusRun): Promise<void> | undefined {
    return this.#listeners.size > 0 ? this.#follow(run) : undefined;
  }

  async #follow(run: BusRun): Promise<void> {
    let isAsync = false;
    try {
      for await (const event of run.log.read()) isAsync = this.#deliver(event, run) || isAsync;
    } catch {
      // The run was rejected: its caller receives the error.
    }
    // Async listeners that fail without waiting for anything have done so after a turn. Those that wait hold up no result.
    if (isAsync) await new Promise<void>(afterTurn);
  }

  /** Whether a listener is still at work. */
  #deliver(event: RunEvent, run: BusRun): boolean {
    let isAsync = false;
    for (const type of [event.type, "*"] as const) {
      for (const listener of [...(this.#listeners.get(type) ?? [])]) {
        try {
          const returned: unknown = listener(event);
          if (typeof (returned as { then?: unknown } | null | undefined)?.then !== "function") continue;
          isAsync = true;
          Promise.resolve(returned).catch((error: unknown) => complain(event, run, error));
        } catch (error) {
          complain(event, run, error);
        }
      }
    }
    return isAsync;
  }
}

/** The warning about a failing listener is not passed to that listener again if it fails at it. */
function complain(event: RunEvent, run: BusRun, error: unknown): void {
  if (event.type === "run.warning" && event.code === "listener") return;
  run.warn("listener", `a listener of ${event.type} failed: ${textOf(error)}`);
}
