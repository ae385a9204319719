import { StepweaveError, type StepRef } from "../api/errors.js";
import type { JournalEntry } from "../api/journal.js";
import type { Clock } from "../api/run.js";
import { afterTurn, brokenClock } from "../effects/clock.js";
import { Network, type Body, type Reply } from "../effects/network.js";
import type { Permit } from "../effects/rate-limiter.js";
import type { EngineRequest } from "../effects/request.js";
import { bytesOf } from "../json/json.js";
import { WANTS_OUTPUT, WANTS_PATCH } from "../wasm/boundary.js";
import { answerOf, NotAgain, tooLarge, yieldOf, type Taking } from "./answers.js";
import { HandlerContext, type ContextHome } from "./context.js";
import type { StepFunction } from "./functions.js";
import type { Settings } from "./options.js";
import type { Plan } from "./plan.js";
import type { Ask } from "./port.js";
import type { Spot } from "./record.js";
import { UnderWay } from "./under-way.js";

/** The run that operations belong to. */
export interface OperationsHome extends ContextHome {
  /** Takes note of what was thrown in an operation. */
  blame(op: number, thrown: unknown): void;
  settle(op: number, value: unknown): void;
  /** An answer is in the journal for good. */
  settleKept(op: number): void;
  settleYielded(op: number, value: unknown, yielded: unknown): void;
  /** Something of our own failed. */
  fail(op: number, error: unknown): void;
  /** A function threw that was called for this. */
  failFunction(op: number, thrown: unknown, wants: number): void;
  /** Ends the run: it cannot go on. */
  abandon(error: unknown): void;
  /** How events and results refer to an execution. */
  refOf(spot: Spot): StepRef;
  /** Which attempt of an execution is under way. */
  attemptOf(spot: Spot): number;
  /** Tells a part of what a step gives. */
  tellDelta(spot: Spot, value: unknown): void;
  /** Tells a piece of the text that a step gives; gives what of it is told by now. */
  tellText(spot: Spot, text: string): string;
  /** Tells what was held back of a step's text, and gives it. */
  releaseText(spot: Spot): string;
  /** The time; a clock that gives none ends the run. */
  time(): number;
  /** Keeps an answer in the journal; gives nothing when it is kept at once. */
  keep(entry: Omit<JournalEntry, "at">): Promise<void> | undefined;
  /** The journal cannot be kept. */
  lose(error: unknown): void;
  /** Something came from outside. */
  newTurn(): void;
}

/** How long a generator that never waits may keep the thread, in milliseconds. */
const TURN_MS = 10;

/** What a run has under way outside the engine: calls of functions, requests, waits. */
export class Operations {
  readonly #home: OperationsHome;
  readonly #plan: Plan;
  readonly #settings: Settings;
  readonly #taking: Taking;
  // Runs of functions that return at once wait for nothing: these are made when they are needed.
  #pending: UnderWay<{ abort(reason?: unknown): void }> | undefined;
  /** What endpoints may be asked at the moment, by the operation that gave leave. */
  #permits: Map<number, Permit> | undefined;
  #network: Network | undefined;
  #pauses = 0;
  /** Why everything was given up: nothing starts afterwards. */
  #over: { readonly reason: unknown } | undefined;

  constructor(home: OperationsHome, plan: Plan, settings: Settings) {
    this.#home = home;
    this.#plan = plan;
    this.#settings = settings;
    this.#taking = { redact: settings.redact, maxBytes: settings.own.maxResultBytes };
  }

  /** Does what the engine asked for. */
  serve(ask: Ask): void {
    switch (ask.ask) {
      case "call":
        return this.#call(ask);
      case "admit":
        return this.#admit(ask);
      case "release":
        return this.#release(ask.permit);
      case "shut":
        return this.#permits?.get(ask.permit)?.shut(ask.ms);
      case "fetch":
        return this.#send(ask);
      case "read":
        return this.#read(ask.op, ask.stream);
      case "sleep":
        return this.#sleep(ask.op, ask.ms);
      case "sleepUntil":
        return this.#sleep(ask.op, Math.max(0, ask.time - this.#home.time()));
      case "pause":
        return this.#pause(ask.op);
      case "answer": {
        const { answers } = this.#settings;
        const answer = answers?.get(ask.key);
        answers?.delete(ask.key);
        return this.#home.settle(ask.op, answer);
      }
      case "record":
        return this.#keep(ask.op, ask.entry);
      case "close":
        return this.#network?.close(ask.stream);
      case "abort": {
        const pending = this.#pending?.take(ask.op);
        // What came just before it was given up is given back.
        this.#release(ask.op);
        return pending?.abort(new StepweaveError("cancelled", "nobody waits for this any more"));
      }
    }
  }

  #call(ask: Ask & { readonly ask: "call" }): void {
    const { op, state } = ask;
    const call = this.#plan.functions[ask.called];
    if (call === undefined) throw new Error(`the engine calls a function ${ask.called}, which is not in the plan`);
    const step = this.#home.refOf(ask);
    const context = new HandlerContext(this.#home, ask, step, this.#plan.tools[ask.called]);
    let value: unknown;
    let isLater: boolean;
    try {
      value = call(Object.freeze(state), context);
      isLater = isThenable(value);
      if (!isLater && isGenerator(value)) {
        value = this.#iterate(ask, value, context);
        isLater = true;
      }
    } catch (error) {
      return this.#fail(ask, error);
    }
    // What is there at once is settled at once: no promise, no turn of the microtask queue.
    if (!isLater) return this.#answer(ask, value, step);
    this.#begin(op, context);
    Promise.resolve(value).then(
      (later) => {
        if (this.#pending?.take(op) !== undefined) this.#answer(ask, later, step);
      },
      (error: unknown) => {
        if (this.#pending?.take(op) !== undefined) this.#fail(ask, error);
      },
    );
  }

  /** Runs a generator to its end, telling what it yields. */
  async #iterate(ask: Ask & { readonly ask: "call" }, generator: Generator | AsyncGenerator, context: HandlerContext): Promise<unknown> {
    const home = this.#home;
    const yielded: unknown[] = [];
    let room = this.#taking.maxBytes;
    let text = "";
    let began = Date.now();
    // The caller has put the operation among those that are waited for before the first part comes.
    await undefined;
    try {
      while (this.#pending?.has(ask.op)) {
        const { done, value } = await generator.next();
        if (!this.#pending?.has(ask.op)) break;
        if (done === true) {
          text += home.releaseText(ask);
          return yielded.length === 0 ? value : new Yielded(value, collected(yielded, text));
        }
        const part = yieldOf(value, context.step, this.#taking);
        room -= typeof part === "string" ? part.length : bytesOf(part);
        if (room < 0) throw tooLarge(`\`${context.step.name}\``, this.#taking.maxBytes);
        yielded.push(part);
        if (ask.wants === WANTS_OUTPUT) {
          // It is no part of the step's answer, and told as a whole.
          if (typeof part === "string") text += part;
        } else if (typeof part === "string") {
          // Not what is redacted already: a secret may be spread over several parts.
          text += home.tellText(ask, value as string);
        } else {
          text += home.releaseText(ask);
          home.tellDelta(ask, part);
        }
        if (Date.now() - began > TURN_MS) {
          // One that never waits must not keep the thread: it can be cancelled, and others go on.
          await new Promise<void>(afterTurn);
          began = Date.now();
        }
      }
    } catch (error) {
      if (this.#pending?.has(ask.op)) home.releaseText(ask);
      await close(generator);
      throw error;
    }
    await close(generator);
    return undefined;
  }

  /** Something is under way now; what is begun after the end is given up at once. */
  #begin(op: number, pending: { abort(reason?: unknown): void }): void {
    if (this.#over === undefined) this.#await(op, pending);
    else pending.abort(this.#over.reason);
  }

  #await(op: number, pending: { abort(reason?: unknown): void }): void {
    (this.#pending ??= new UnderWay()).add(op, pending);
  }

  #keep(op: number, entry: Omit<JournalEntry, "at">): void {
    const kept = this.#home.keep(entry);
    if (kept === undefined) return this.#home.settleKept(op);
    this.#await(op, { abort: () => {} });
    kept.then(
      () => {
        if (this.#arrived(op)) this.#home.settleKept(op);
      },
      (error: unknown) => this.#home.lose(error),
    );
  }

  #admit({ op, endpoint, bounds }: Ask & { readonly ask: "admit" }): void {
    const controller = new AbortController();
    const { clock } = this.#settings;
    this.#await(op, controller);
    // Programs whose models name no bounds do not load what keeps them.
    const admitted = import("../effects/rate-limiter.js").then(({ gateOf }) => gateOf(clock, endpoint).admit(bounds, controller.signal));
    admitted.then(
      (permit) => {
        if (!this.#arrived(op)) return permit.release();
        (this.#permits ??= new Map()).set(op, permit);
        this.#home.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#home.abandon(error);
      },
    );
  }

  #release(permit: number): void {
    this.#permits?.get(permit)?.release();
    this.#permits?.delete(permit);
  }

  #send(ask: Ask & { readonly ask: "fetch" }): void {
    const { op } = ask;
    const request = JSON.parse(ask.request) as EngineRequest;
    const network = (this.#network ??= new Network(this.#settings));
    let reply: Promise<Reply>;
    if (request.function === undefined) {
      const controller = new AbortController();
      this.#await(op, controller);
      reply = network.fetch(request, controller);
    } else {
      const { step, scope } = ask;
      const occasion = { step, scope, attempt: this.#home.attemptOf(ask) };
      const context = new HandlerContext(this.#home, occasion, this.#home.refOf(ask));
      this.#await(op, context);
      reply = bodyOf(this.#plan.functions[request.function] as StepFunction, request, context).then((body) => network.take(body));
    }
    reply.then(
      (reply) => {
        if (!this.#arrived(op)) network.close(reply.stream);
        else this.#home.settle(op, reply);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #read(op: number, stream: number): void {
    const network = this.#network as Network;
    this.#await(op, { abort: () => network.close(stream) });
    network.read(stream).then(
      (bytes) => {
        if (this.#arrived(op)) this.#home.settle(op, bytes);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #sleep(op: number, ms: number): void {
    // Asking the clock for the time may have ended the run.
    if (this.#over !== undefined) return;
    const controller = new AbortController();
    this.#await(op, controller);
    // Inside an async function, so that a clock that throws at once is a rejection too.
    const asleep = async (clock: Clock): Promise<void> => clock.sleep(ms, controller.signal);
    asleep(this.#settings.clock).then(
      () => {
        if (this.#arrived(op)) this.#home.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#home.abandon(brokenClock("sleep() failed", error));
      },
    );
  }

  #pause(op: number): void {
    this.#pauses += 1;
    this.#await(op, { abort: () => {} });
    afterTurn(() => {
      this.#pauses -= 1;
      // What was given up meanwhile is told all the same: others may wait for the end of all pauses.
      this.#pending?.take(op);
      this.#home.settle(op, undefined);
    });
  }

  /** Whether a part of the run lets others go first. */
  get isPausing(): boolean {
    return this.#pauses > 0;
  }

  /** Whether anyone still waits for this. What comes from outside comes with a new turn of the event loop. */
  #arrived(op: number): boolean {
    if (this.#pending?.take(op) === undefined) return false;
    this.#home.newTurn();
    return true;
  }

  #answer({ op, wants, called }: Ask & { readonly ask: "call" }, value: unknown, step: StepRef): void {
    const taking = this.#taking;
    let answer: unknown;
    try {
      if (value instanceof Yielded) {
        if (wants === WANTS_PATCH) return this.#home.settleYielded(op, answerOf(wants, value.returned, step, taking), value.parts);
        // A tool that returns nothing gives what it yielded.
        value = wants === WANTS_OUTPUT ? (value.returned ?? value.parts) : value.returned;
      }
      answer = answerOf(wants, value, step, taking, this.#plan.tools[called]);
    } catch (error) {
      return this.#refuse(op, error);
    }
    this.#home.settle(op, answer);
  }

  /** Whether nothing is waited for. */
  get isIdle(): boolean {
    return this.#pending === undefined || this.#pending.isEmpty;
  }

  /** Gives everything up. Listeners of the signals are code of the user: this comes last. */
  abortAll(reason: unknown): void {
    this.#over = { reason };
    this.#network?.closeAll(reason);
    if (this.#permits !== undefined) for (const permit of [...this.#permits.keys()]) this.#release(permit);
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) for (const one of pending.takeAll()) one.abort(reason);
  }

  /** Tells the engine what code of the user threw, and keeps it as the cause. */
  #fail({ op, wants }: Ask & { readonly ask: "call" }, thrown: unknown): void {
    this.#home.blame(op, NotAgain.is(thrown) ? thrown.thrown : thrown);
    this.#home.failFunction(op, thrown, wants);
  }

  /** Tells the engine an error of our own: the cause is what it was made of. */
  #refuse(op: number, error: unknown): void {
    const cause = error instanceof Error ? error.cause : error;
    if (cause !== undefined) this.#home.blame(op, cause);
    this.#home.fail(op, error);
  }
}

/** What a model that is a function answers. Programs whose models are all at endpoints do not load what calls functions. */
async function bodyOf(model: StepFunction, request: EngineRequest, context: HandlerContext): Promise<Body> {
  const { ModelStream } = await import("./model-stream.js");
  return ModelStream.open(model, request.body, context);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** What a generator gave. */
class Yielded {
  constructor(
    readonly returned: unknown,
    readonly parts: unknown,
  ) {}
}

/** Texts make one text, anything else a list. */
function collected(parts: unknown[], text: string): unknown {
  return parts.every((part) => typeof part === "string") ? text : Object.freeze(parts);
}

/** Lets a generator end that is not asked any more; one that ended by itself does nothing. */
async function close(generator: Generator | AsyncGenerator): Promise<void> {
  await (generator as { return?: (value: undefined) => unknown }).return?.(undefined);
}

/** Texts and lists can be iterated too: only what has its own `next` is meant to be. */
function isGenerator(value: unknown): value is Generator | AsyncGenerator {
  if (typeof value !== "object" || value === null) return false;
  const { next } = value as { next?: unknown };
  return typeof next === "function" && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
