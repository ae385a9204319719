import type { TextRun } from "../api/agent.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { Run } from "../api/run.js";

/** A run as its caller has it: with what is documented, and nothing else. */
export class RunHandle<State = any> implements Run<State> {
  readonly id: string;
  readonly #run: Run<State>;

  /** `run` is the same with more, which is for this package. */
  constructor(run: Run<State>) {
    this.id = run.id;
    this.#run = run;
  }

  get events(): AsyncIterable<RunEvent<State>> {
    return this.#run.events;
  }

  get result(): Promise<RunResult<State>> {
    return this.#run.result;
  }

  cancel(reason?: unknown): void {
    this.#run.cancel(reason);
  }
}

/** A run of an agent as its caller has it, likewise. */
export class TextRunHandle<Event, Result> implements TextRun<Event, Result> {
  readonly id: string;
  readonly #run: TextRun<Event, Result>;

  /** `run` is the same with more, which is for this package. */
  constructor(run: TextRun<Event, Result>) {
    this.id = run.id;
    this.#run = run;
  }

  get events(): AsyncIterable<Event> {
    return this.#run.events;
  }

  get textStream(): AsyncIterable<string> {
    return this.#run.textStream;
  }

  get result(): Promise<Result> {
    return this.#run.result;
  }

  cancel(reason?: unknown): void {
    this.#run.cancel(reason);
  }
}
