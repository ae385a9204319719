import type { RunEvent } from "../api/events.js";
import type { StepInfo } from "../api/workflow.js";
import { flagged } from "./flagged.js";
import type { Output } from "./io.js";
import { lineOf, Rows } from "./rows.js";
import { oneLine } from "./shown.js";

/** Shows the events of a run as they come. */
export interface Progress {
  follow(event: RunEvent): void;
  /** The run has ended: nothing is shown afterwards. */
  end(): void;
}

/** How often a terminal is drawn again, in milliseconds. */
const FRAME = 80;

/** A live tree where a person looks at a terminal, and otherwise a line for each step that ends. */
export function progressOn(output: Output, steps: readonly StepInfo[]): Progress {
  return output.isTTY === true ? new Tree(output, new Rows(steps)) : new Plain(output, new Rows(steps));
}

/** Shows nothing. */
export const SILENT: Progress = { follow: () => {}, end: () => {} };

/** Each event as a line of JSON, in the form that events have; errors as data, and without the journal, which has its own place. */
export function eventLines(output: Output): Progress {
  return {
    follow: (event) => void output.write(`${JSON.stringify(event, (key, value: unknown) => (key === "journal" ? undefined : value))}\n`),
    end: () => {},
  };
}

class Plain implements Progress {
  constructor(
    readonly output: Output,
    readonly rows: Rows,
  ) {}

  follow(event: RunEvent): void {
    const row = this.rows.follow(event);
    if (isWarning(event)) this.output.write(`${warning(event)}\n`);
    else if (row !== undefined && row.standing !== "running") this.output.write(`${lineOf(row)}\n`);
  }

  end(): void {}
}

/** Rows that are drawn over, as many as the terminal has lines; at the end all of them are written once more. */
class Tree implements Progress {
  #drawn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #warnings: string[] = [];

  constructor(
    readonly output: Output,
    readonly rows: Rows,
  ) {}

  follow(event: RunEvent): void {
    this.rows.follow(event);
    if (isWarning(event)) this.#warnings.push(warning(event));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#draw(this.rows.all.slice(-Math.max(1, (this.output.rows || 24) - 2)).map(lineOf));
    }, FRAME);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#draw(this.rows.all.map(lineOf));
    for (const line of this.#warnings) this.output.write(`${line}\n`);
  }

  #draw(lines: readonly string[]): void {
    const width = (this.output.columns || 80) - 1;
    const back = this.#drawn === 0 ? "" : `\x1b[${this.#drawn}A\r\x1b[J`;
    this.output.write(back + lines.map((line) => `${[...line].slice(0, width).join("")}\n`).join(""));
    this.#drawn = lines.length;
  }
}

/** Whether an event is a warning that is shown: how a run that waits is kept is said at its end. */
function isWarning(event: RunEvent): event is RunEvent & { readonly type: "run.warning" } {
  return event.type === "run.warning" && event.code !== "no_journal";
}

function warning(event: RunEvent & { readonly type: "run.warning" }): string {
  return `! ${event.step === undefined ? "" : `${oneLine(event.step.name, 80)}: `}${oneLine(flagged(event.message))}`;
}
