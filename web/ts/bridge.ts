// What the builder's wasm asks of the page. Values cross as JSON text.
import { promptApi } from "stepweave/slim";
import { connect, type Connection, type RemoteRunOptions } from "stepweave/worker";
import { prefer, preference } from "./preferences.js";
import type { Allow } from "./runner.js";
import { moveTo, save, saveOnLeaving } from "./store.js";

type Run = ReturnType<Connection["start"]>;

/** The secrets of a run, its journal if it may wait for a person, and the answers; and where it may send anything. */
interface StartOptions extends Pick<RemoteRunOptions, "secrets" | "journal" | "answers"> {
  readonly allow: readonly string[];
}

/** The part of the browser's own model that is asked before a run. */
interface OwnModel {
  availability(options: { expectedInputs: readonly object[]; expectedOutputs: readonly object[] }): Promise<string>;
}

/** The bridge that the builder is mounted with. */
export class Bridge {
  #connection: Connection | undefined;
  /** Checks what is asked about while a run is under way, which may keep its worker busy. */
  #checker: Connection | undefined;
  #worker: Worker | undefined;
  #allowed: readonly string[] = [];
  readonly #runs = new Map<number, Run>();
  #last = 0;

  /** Begins a run; gives its number. */
  start(document: string, options: string, onEvents: (events: string) => void, onEnd: (refusal?: string) => void): number {
    const { allow, ...given } = JSON.parse(options) as StartOptions;
    const number = ++this.#last;
    const run = this.#connect(allow).start(document, given);
    this.#runs.set(number, run);
    void this.#follow(number, run, onEvents, onEnd);
    return number;
  }

  /** Stops a run. */
  cancel(number: number): void {
    this.#runs.get(number)?.cancel("stopped in the builder");
  }

  /** Checks a document with the engine. */
  validate(document: string, onProblems: (problems?: string) => void): void {
    const checker = this.#runs.size === 0 ? this.#connect() : (this.#checker ??= connect(newWorker));
    checker.validate(document).then(
      (problems) => onProblems(JSON.stringify(problems)),
      (error: unknown) => {
        this.#forget(error);
        onProblems();
      },
    );
  }

  /** Tells how far the browser has a model of its own: `none`, or the word of its `availability`. */
  onDevice(onTold: (word: string) => void): void {
    const { LanguageModel } = globalThis as { LanguageModel?: OwnModel };
    const english = [{ type: "text", languages: ["en"] }];
    const asked = LanguageModel?.availability({ expectedInputs: english, expectedOutputs: english }) ?? Promise.resolve("none");
    asked.then(onTold, () => onTold("none"));
  }

  save(text: string, onSaved: (saved: boolean) => void): void {
    void save(text).then(onSaved);
  }

  /** Keeps a text where it is, then goes on with what another tab has left; nothing when a tab has that open. */
  takeOver(place: string, text: string, onKept: (kept?: string) => void): void {
    const moved = save(text).then(() => moveTo(place));
    moved.then(
      (kept) => (kept === undefined ? onKept() : onKept(JSON.stringify(kept))),
      () => onKept(),
    );
  }

  saveOnLeaving(text: string): void {
    saveOnLeaving(text);
  }

  preference(name: string): string | undefined {
    return preference(name);
  }

  prefer(name: string, value: string): void {
    prefer(name, value);
  }

  /** Puts a text on the clipboard. */
  copy(text: string, onDone: (copied: boolean) => void): void {
    navigator.clipboard.writeText(text).then(
      () => onDone(true),
      () => onDone(false),
    );
  }

  /** Offers a text as a file. */
  download(name: string, text: string): void {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  async #follow(number: number, run: Run, onEvents: (events: string) => void, onEnd: (refusal?: string) => void): Promise<void> {
    const frames = new Frames((events) => onEvents(JSON.stringify(events)));
    try {
      for await (const event of run.events) frames.add(event);
      await run.result;
      frames.flush();
      onEnd();
    } catch (error) {
      frames.flush();
      this.#forget(error);
      onEnd(refusal(error));
    } finally {
      this.#runs.delete(number);
    }
  }

  #connect(allow?: readonly string[]): Connection {
    // A worker that does not react to Stop is replaced: the next one may send to the same places.
    const make = (): Worker => {
      this.#worker = newWorker();
      this.#worker.postMessage({ allow: this.#allowed } satisfies Allow);
      return this.#worker;
    };
    if (allow !== undefined) this.#allowed = allow;
    if (this.#connection === undefined) this.#connection = connect(make, { models: { "on-device": promptApi() } });
    else this.#worker?.postMessage({ allow: this.#allowed } satisfies Allow);
    return this.#connection;
  }

  // A worker that has stopped serves nobody any more: the next call starts a new one.
  #forget(error: unknown): void {
    if ((error as { code?: unknown } | null)?.code !== "internal") return;
    this.#connection?.close();
    this.#checker?.close();
    this.#connection = undefined;
    this.#checker = undefined;
  }
}

function newWorker(): Worker {
  return new Worker(new URL("./runner.ts", import.meta.url), { type: "module", name: "stepweave" });
}

/** Events of one frame go over together: a fast model tells more than a screen can show. */
class Frames {
  readonly #send: (events: readonly object[]) => void;
  #events: object[] = [];

  constructor(send: (events: readonly object[]) => void) {
    this.#send = send;
  }

  add(event: object): void {
    if (this.#events.push(event) > 1) return;
    // A hidden page gets no frames, but its run goes on.
    if (document.hidden) setTimeout(() => this.flush(), 50);
    else requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    this.#send(events);
  }
}

function refusal(error: unknown): string {
  if (error instanceof Error && "toJSON" in error) return JSON.stringify(error);
  return JSON.stringify({ code: "internal", message: error instanceof Error ? error.message : String(error) });
}
