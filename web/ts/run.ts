// A run as the builder follows it: what has happened since the last look.
import type { RunEvent } from "stepweave/slim";
import { MOST_EVENTS, type Keeping } from "./store/runs.js";
import type { RemoteRun } from "./workers.js";

/** How long what has arrived is gathered: text that streams reads the same, and the page has the time between for itself. */
const PAUSE_MS = 50;

/** How browsers say that a file of the page, or of its worker, did not come. */
export const NOT_LOADED = /dynamically imported module|importing a module script/i;

/** Why a run could not be run, as data. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A run that begins as soon as there is a worker for it. */
export class Run {
  readonly #begun: Promise<RemoteRun>;
  readonly #ended: Promise<void>;
  readonly #keeping: Keeping;
  /** What has happened since the last look, each event as JSON text. */
  #events: string[] = [];
  /** All that has happened, unless it is too much to be kept. */
  #all: string[] | undefined = [];
  #length = 0;
  #over = false;
  #shown = -PAUSE_MS;
  #wake = (): void => {};

  constructor(begun: Promise<RemoteRun>, keeping: Keeping) {
    this.#begun = begun;
    this.#keeping = keeping;
    this.#ended = this.#follow();
    // It is `next` that tells why.
    this.#ended.catch(() => {});
  }

  /**
   * What has happened since the last call, as a JSON array of events; nothing once the run is over. Rejects with why it
   * could not be run. Events come together, twenty times a second at most: a fast model tells more than anybody reads.
   */
  async next(): Promise<string | undefined> {
    if (this.#events.length === 0 && !this.#over) await new Promise<void>((wake) => (this.#wake = wake));
    if (!this.#over) await this.#pause();
    if (this.#events.length === 0) {
      await this.#ended;
      return undefined;
    }
    const events = this.#events;
    this.#events = [];
    return listed(events);
  }

  /** By which name it is stored until it has ended. */
  get stored(): string {
    return this.#keeping.run;
  }

  /** Stops it. */
  cancel(): void {
    this.#begun.then(
      (run) => run.cancel("stopped in the builder"),
      () => {},
    );
  }

  /** Stops it, so that it can be taken up again from where it is. */
  cut(): void {
    this.#keeping.cut();
    this.cancel();
  }

  /** Until it is time to show more; what comes after a while of nothing is shown with the next frame. */
  async #pause(): Promise<void> {
    const left = this.#shown + PAUSE_MS - performance.now();
    if (left > 0) await new Promise((done) => setTimeout(done, left));
    await frame();
    this.#shown = performance.now();
  }

  #take(event: string): void {
    this.#events.push(event);
    this.#length += event.length;
    if (this.#length > MOST_EVENTS) this.#all = undefined;
    this.#all?.push(event);
  }

  async #follow(): Promise<void> {
    try {
      const run = await this.#begun;
      for (const away of await this.#keeping.away) this.#take(JSON.stringify({ type: "page.away", ...away }));
      for await (const event of run.events) {
        for (const away of run.answered()) {
          this.#take(JSON.stringify({ type: "page.away", ...away }));
          this.#keeping.leaveOut(away);
        }
        this.#take(JSON.stringify(withoutState(event)));
        this.#wake();
      }
      const { status, pending } = await run.result;
      const asks = [...new Set(pending?.map(({ step }) => step.name))];
      const ends = pending?.flatMap(({ expiresAt }) => expiresAt ?? []) ?? [];
      const kept = this.#all && { events: listed(this.#all), sent: run.sent() };
      this.#keeping.end(status, kept, { asks, said: pending?.[0]?.message ?? "", until: ends.length > 0 ? Math.min(...ends) : undefined });
    } catch (error) {
      const refused = refusal(error);
      // A run whose worker stopped was cut off; every other one that is refused has nothing to go on with.
      this.#keeping.end(refused.code === "internal" ? "running" : "error");
      throw refused;
    } finally {
      this.#over = true;
      this.#wake();
    }
  }
}

/** JSON texts as one. */
function listed(events: readonly string[]): string {
  return `[${events.join(",")}]`;
}

/** The event without the whole state that a step sees: as JSON text it would be written anew for every step, and no card shows it. */
function withoutState(event: RunEvent): object {
  if (event.type !== "run.start" && event.type !== "step.start" && event.type !== "step.done") return event;
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  // Of a wide state an object would be made if it were read.
  return Object.fromEntries(Object.keys(fields).flatMap((key) => (key === "input" ? [] : [[key, fields[key]]])));
}

/** Until the next frame. A hidden page gets none, but its run goes on. */
function frame(): Promise<void> {
  return new Promise((done) => {
    if (document.hidden) setTimeout(done, PAUSE_MS);
    else requestAnimationFrame(() => done());
  });
}

function refusal(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  // It is no fault of the engine, which knows nothing of the page's files.
  if (NOT_LOADED.test(message)) return { code: "internal", message: "a file of the builder could not be loaded. Are you online?", hint: "check that you are online, and run it again" };
  if (error instanceof Error && "toJSON" in error) return (error as Error & { toJSON(): Refusal }).toJSON();
  return { code: "internal", message };
}
