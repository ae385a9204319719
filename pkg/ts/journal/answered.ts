import type { StepweaveErrorData } from "../api/errors.js";
import type { JournalEntry } from "../api/journal.js";
import type { Usage } from "../api/usage.js";
import { totalOf } from "../json/usage.js";
import { askingModel, executionOf } from "./execution.js";

/**
 * How an execution of a step stands by its last entry: `answered`; `waiting` for a time or for a person who has one;
 * `sent`, where a request that must not be sent twice has no answer so far, so that nobody knows whether it was carried out;
 * or `late`, where a time limit was over first.
 */
export type StepStanding = "answered" | "waiting" | "sent" | "late";

/** An execution of a step that a journal has something of. */
export interface AnsweredStep {
  /** The path of rounds and the step's id. */
  readonly key: string;
  readonly standing: StepStanding;
  /** How many of its requests were answered: a step may make several, and in several attempts. That a wait is over is the answer of the clock. */
  readonly answers: number;
  /** When the last of them came, in milliseconds since 1970. */
  readonly answeredAt?: number;
  /** That one, if it was a failure. */
  readonly error?: StepweaveErrorData;
  /** What its models counted. */
  readonly usage?: Usage;
}

/** The executions of a journal, in the order of their first entries. */
export function stepsOf(entries: readonly JournalEntry[]): AnsweredStep[] {
  const steps = new Map<string, Execution>();
  for (const entry of entries) {
    const key = executionOf(entry.key);
    if (key === undefined) continue;
    const execution = steps.get(key) ?? new Execution(key);
    steps.set(key, execution);
    execution.follow(entry);
  }
  return [...steps.values()].map((execution) => execution.step);
}

/** What the entries of one execution say. */
class Execution {
  readonly #key: string;
  /** The requests that were sent and have no answer, of the attempt that made the last of them. */
  readonly #sent = new Set<string>();
  /** The waits that are not over. */
  readonly #waits = new Set<string>();
  #attempt = 0;
  #isLate = false;
  #last: Pick<AnsweredStep, "answers" | "answeredAt" | "error" | "usage"> = { answers: 0 };

  constructor(key: string) {
    this.#key = key;
  }

  follow(entry: JournalEntry): void {
    const { key } = entry;
    const [around, word] = [key.slice(0, key.lastIndexOf("/")), key.slice(key.lastIndexOf("/") + 1)];
    this.#begin(Number(/^\d+(?=\/)/.exec(key.slice(this.#key.length + 1)) ?? 0));
    if (word === "deadline") this.#waits.add(around);
    else if (word.endsWith(".sent")) this.#sent.add(key.slice(0, -".sent".length));
    else if (/^(?:.*\.)?timeout$/.test(word)) this.#isLate = true;
    // One of the waits is the pause between two attempts, which has no time of its own.
    else if (word === "waited" ? this.#waits.delete(around) : !/^(?:(?:.*\.)?again|seen\d+)$/.test(word)) this.#answer(entry);
  }

  get step(): AnsweredStep {
    return { key: this.#key, standing: this.#standing, ...this.#last };
  }

  get #standing(): StepStanding {
    if (this.#sent.size > 0) return "sent";
    if (this.#waits.size > 0) return "waiting";
    return this.#isLate ? "late" : "answered";
  }

  /** Another attempt begins anew: what is open of those before it stays so for nobody. */
  #begin(attempt: number): void {
    if (attempt <= this.#attempt) return;
    this.#attempt = attempt;
    this.#sent.clear();
  }

  #answer({ key, at, ok, error }: JournalEntry): void {
    this.#sent.delete(key);
    this.#isLate = false;
    if (key.endsWith("/answer")) this.#waits.delete(key.slice(0, -"/answer".length));
    // A model's answer says what it used; what a function or a tool gave may look alike and is none.
    const used = askingModel(key) !== undefined ? (Object(ok) as { usage?: Usage }).usage : undefined;
    const usage = used === undefined ? this.#last.usage : totalOf([this.#last.usage, used]);
    this.#last = { answers: this.#last.answers + 1, answeredAt: at, ...(error !== undefined && { error }), ...(usage !== undefined && { usage }) };
  }
}
