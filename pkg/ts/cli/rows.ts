import type { RunEvent } from "../api/events.js";
import type { StepRef } from "../api/errors.js";
import type { StepInfo } from "../api/workflow.js";
import { oneLine, shownTime, shownUsage } from "./shown.js";

/** How an execution of a step stands. */
export type Standing = "running" | "waiting" | "done" | "error" | "skipped" | "suspended";

/** An execution of a step, as one line shows it. */
export interface Row {
  readonly depth: number;
  readonly name: string;
  standing: Standing;
  /** What stands behind the name. */
  note: string;
}

/** The executions of a run in the order in which they began, as its events say. */
export class Rows {
  readonly #depths: ReadonlyMap<string, number>;
  readonly #rows = new Map<string, Row>();

  constructor(steps: readonly Pick<StepInfo, "path">[]) {
    this.#depths = depthsOf(steps);
  }

  /** All rows. */
  get all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Takes an event in, and gives the row that it is about. */
  follow(event: RunEvent): Row | undefined {
    switch (event.type) {
      case "step.start":
        return this.#put(event.step, "running", event.attempt > 1 ? `attempt ${event.attempt}` : "");
      case "step.delta":
        return this.#put(event.step, "running", oneLine(event.text, 60));
      case "tool.start":
        return this.#put(event.step, "running", `calls ${oneLine(event.tool, 60)}`);
      case "step.done": {
        const parts = [event.pinned === true ? "pinned" : shownTime(event.durationMs), shownUsage(event.usage), event.simulated === true ? "simulated" : undefined];
        return this.#put(event.step, "done", parts.filter((part) => part !== undefined).join(" · "));
      }
      case "step.error": {
        const again = event.retryInMs === undefined ? "" : `; again in ${shownTime(event.retryInMs)}`;
        return this.#put(event.step, event.retryInMs === undefined ? "error" : "waiting", `${oneLine(event.error.message)}${again}`);
      }
      case "step.skipped":
        return this.#put(event.step, "skipped", oneLine(event.reason));
      case "step.suspended":
        return this.#put(event.step, "suspended", "waits for a person");
      default:
        return undefined;
    }
  }

  #put(step: StepRef, standing: Standing, note: string): Row {
    const known = this.#rows.get(step.key);
    if (known !== undefined) return Object.assign(known, { standing, note });
    const rounds = [...step.key.matchAll(/#(\d+)/g)].map(([round]) => round).join("");
    const row: Row = { depth: this.#depths.get(step.path) ?? 1, name: `${oneLine(step.name, 80)}${rounds === "" ? "" : ` ${rounds}`}`, standing, note };
    this.#rows.set(step.key, row);
    return row;
  }
}

const MARKS: { readonly [standing in Standing]: string } = { running: "…", waiting: "↻", done: "✓", error: "✗", skipped: "–", suspended: "?" };

/** A row as a line. */
export function lineOf({ depth, name, standing, note }: Row): string {
  return `${"  ".repeat(Math.min(depth, 20))}${MARKS[standing]} ${name}${note === "" ? "" : `  ${note}`}`;
}

/** How many other steps each step is in. */
function depthsOf(steps: readonly Pick<StepInfo, "path">[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  // Steps come in the order of the document, so what a step is in comes before it.
  for (const { path } of steps) {
    let depth = 0;
    for (let at = path.lastIndexOf("."); at > 0; at = path.lastIndexOf(".", at - 1)) {
      const outside = depths.get(path.slice(0, at));
      if (outside === undefined) continue;
      depth = outside + 1;
      break;
    }
    depths.set(path, depth);
  }
  return depths;
}
