import { StepweaveError, type StepRef } from "../api/errors.js";
import type { JournalEntry } from "../api/journal.js";
import type { Clock } from "../api/run.js";
import { afterTurn, brokenClock } from "../effects/clock.js";
import { Network, type Body, type Reply } from "../effects/network.js";
import type { Permit } from "../effects/rate-limiter.js";
import type { EngineRequest } from "../effects/request.js";
import { STORED } from "../models/media.js";
import { WANTS_OUTPUT, WANTS_PATCH } from "../wasm/boundary.js";
import { answerOf, isWrongAnswer, mayYield, NotAgain, whose, type Taking } from "./answers.js";
import type { Ask, CallAsk } from "./asks.js";
import { codeRunnerLater, codeRunnerNow } from "./code.js";
import { giveUp, HandlerContext, ToolCallContext } from "./context.js";
import type { Ending } from "./ending.js";
import type { Exchange } from "./exchanges.js";
import type { Spot } from "./executions.js";
import type { StepFunction } from "./functions.js";
import { drained, Yielded } from "./generator.js";
import type { Settings } from "./options.js";
import type { Plan } from "./plan.js";
import type { OpenServers, PinnedTool, ServerAsked } from "./servers.js";
import { isCorrection } from "./tool-inputs.js";
import { UnderWay } from "./under-way.js";
import type { Voice } from "./voice.js";

/** Who is given what comes from the outside. */
export interface Answers {
  settle(op: number, value: unknown): void;
  /** An answer is in the journal for good. */
  settleKept(op: number, at: number): void;
  /** A person's answer is one that the engine has to refuse, for this reason. */
  settleRefused(op: number, answer: object, reason: StepweaveError): void;
  settleYielded(op: number, value: unknown, yielded: unknown): void;
  /** Something of our own failed. */
  fail(op: number, error: unknown): void;
  /** A function threw that was called for this. */
  failFunction(op: number, thrown: unknown, wants: number): void;
  /** An operation failed according to a journal, in JSON text. */
  failWith(op: number, error: string): void;
  /** Takes note of what was thrown in an operation. */
  blame(op: number, thrown: unknown): void;
  /** Something came from outside, and with it a new turn of the event loop. */
  newTurn(): void;
  /** A call can be made now that had to wait. */
  callNow(ask: CallAsk): void;
}

/** The run that operations belong to. */
export interface OperationsHome {
  readonly answers: Answers;
  readonly voice: Voice;
  readonly ending: Ending;
}

/** An operation in progress. */
interface Pending {
  abort(reason?: unknown): void;
  /** Of a wait: when it ends. */
  readonly until?: number;
  /** Of a time limit, or the wait before a retry, which no journal has: when it ends. */
  readonly limit?: number;
  /** Of a request that must not be sent twice: the words for it, and whose it is. */
  readonly sent?: readonly [what: string, spot: Spot];
}

/** A request that may leave, and what gives it up. */
interface Prepared extends Exchange {
  readonly spot: Spot;
  readonly controller: AbortController;
}

/** The operations of a run in progress outside the engine: calls of functions, HTTP requests, waits. */
export class Operations {
  readonly #answers: Answers;
  readonly #voice: Voice;
  readonly #ending: Ending;
  readonly #plan: Plan;
  readonly #settings: Settings;
  readonly #taking: Taking;
  // Runs of functions that return at once wait for nothing: these are made when they are needed.
  #pending: UnderWay<Pending> | undefined;
  /** The rate limiter's permits in use, by the operation that received them. */
  #permits: Map<number, Permit> | undefined;
  /** The requests that may leave, by the operation that prepared them. */
  #prepared: Map<number, Prepared> | undefined;
  #network: Network | undefined;
  #servers: OpenServers | undefined;
  /** The keys that are undefined in the patch that is taken. */
  #skipped: string[] | undefined;
  /** The steps and keys of which it was said that they keep their values. */
  #kept: Set<string> | undefined;
  #pauses = 0;
  /** Why everything was aborted: nothing starts afterwards. */
  #over: { readonly reason: unknown } | undefined;

  constructor({ answers, voice, ending }: OperationsHome, plan: Plan, settings: Settings) {
    this.#answers = answers;
    this.#voice = voice;
    this.#ending = ending;
    this.#plan = plan;
    this.#settings = settings;
    this.#taking = { redact: settings.redact, maxBytes: settings.own.maxResultBytes, skipped: (key) => (this.#skipped ??= []).push(key) };
  }

  /** Carries out a request of the engine. */
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
      case "prepare":
        return this.#prepare(ask);
      case "exchange":
        return this.#exchange(ask);
      case "read":
        return this.#read(ask.op, ask.stream);
      case "sleep":
        return this.#sleep(ask.op, ask.ms, { limit: this.#ending.time() + ask.ms });
      case "sleepUntil":
        return this.#sleep(ask.op, Math.max(0, ask.time - this.#ending.time()), { until: ask.time });
      case "pause":
        return this.#pause(ask.op);
      case "answer":
        return this.#hear(ask.op, ask.key);
      case "record":
        return this.#keep(ask.op, ask.entry);
      case "close":
        return this.#network?.close(ask.stream);
      case "abort": {
        const pending = this.#pending?.take(ask.op);
        // What it gave just before the abort is given back.
        this.#release(ask.op);
        this.#prepared?.delete(ask.op);
        return pending?.abort(new StepweaveError("cancelled", "nobody waits for this any more"));
      }
    }
  }

  /** What a person answered. Arguments that fit no call are refused while another answer can be given. */
  #hear(op: number, key: string): void {
    const { answers } = this.#settings;
    const given = answers?.get(key);
    answers?.delete(key);
    const isOfAnother = given !== undefined && this.#voice.isAskedAnew(key);
    if (isOfAnother) this.#voice.warn("unused_answer", `the answer \`${key}\` was given to what a model had called before it was asked anew: whoever gave it is asked once more`);
    const answer = isOfAnother ? undefined : given;
    if (!isCorrection(answer)) return this.#answers.settle(op, answer);
    const asked = this.#voice.toolAskedAbout(key);
    // An answer that comes before anybody is asked may be about any of them.
    const tools = asked === undefined ? this.#plan.asking : [asked];
    this.#await(op, { abort: () => {} });
    // Few answers change a call.
    const refused = import("./corrections.js").then(({ refusalOf }) => refusalOf(this.#plan, tools, key, answer.input));
    refused.then(
      (refusal) => {
        if (!this.#arrived(op)) return;
        if (refusal === undefined) this.#answers.settle(op, answer);
        else this.#answers.settleRefused(op, answer, refusal);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#ending.reject(error);
      },
    );
  }

  #call(ask: CallAsk): void {
    const { op, state } = ask;
    const pinned = this.#plan.pinned[ask.called];
    if (pinned !== undefined) return this.#askServer(ask, pinned);
    if (this.#plan.isCode[ask.called] === true && codeRunnerNow() === undefined) return this.#callLater(ask);
    const call = this.#plan.functions[ask.called];
    if (call === undefined) throw new Error(`the engine calls a function ${ask.called}, which is not in the plan`);
    const step = this.#voice.refOf(ask);
    const context = this.#contextOf(ask, step);
    let value: unknown;
    let isLater: boolean;
    try {
      value = call(state, context);
      isLater = isThenable(value);
      if (!isLater && mayYield(ask.wants, value)) {
        value = this.#drained(value, ask, step);
        isLater = true;
      }
    } catch (error) {
      return this.#fail(ask, error);
    }
    // What is there at once is settled at once: no promise, no turn of the microtask queue.
    if (!isLater) return this.#answer(ask, value, step);
    this.#begin(op, { abort: (reason) => giveUp(context, reason) });
    this.#answerLater(ask, value, step);
  }

  /** Makes a call of code once what runs it is there. Others wait for the same, and each may take long: the loop says when. */
  #callLater(ask: CallAsk): void {
    this.#await(ask.op, { abort: () => {} });
    codeRunnerLater().then(
      () => {
        if (this.#arrived(ask.op)) this.#answers.callNow(ask);
      },
      (error: unknown) => {
        if (this.#arrived(ask.op)) this.#fail(ask, error);
      },
    );
  }

  #answerLater(ask: CallAsk, value: unknown, step: StepRef): void {
    Promise.resolve(value).then(
      (later) => {
        if (mayYield(ask.wants, later)) this.#answerLater(ask, this.#drained(later, ask, step), step);
        else if (this.#pending?.take(ask.op) !== undefined) this.#answer(ask, later, step);
      },
      (error: unknown) => {
        if (this.#pending?.take(ask.op) !== undefined) this.#fail(ask, error);
      },
    );
  }

  #drained(generator: Generator | AsyncGenerator, ask: CallAsk, step: StepRef): Promise<unknown> {
    const { op, called, wants } = ask;
    const who = whose(wants, step, this.#plan.tools[called]);
    return drained(generator, { voice: this.#voice, spot: ask, who, taking: this.#taking, isTool: wants === WANTS_OUTPUT, isAwaited: () => this.#pending?.has(op) === true });
  }

  /** Calls the tool of an MCP server. Programs without such tools do not load what calls them. */
  #askServer(ask: CallAsk, pinned: PinnedTool): void {
    const { op, state } = ask;
    const step = this.#voice.refOf(ask);
    const controller = new AbortController();
    this.#await(op, controller);
    const answered = import("./servers.js").then(async ({ serversLater }) => {
      const { open } = await serversLater();
      controller.signal.throwIfAborted();
      return (this.#servers ??= open({ ...this.#settings, maxBytes: this.#taking.maxBytes })).call(pinned, state as ServerAsked, controller.signal);
    });
    answered.then(
      (answer) => {
        if (this.#arrived(op)) this.#answer(ask, answer, step);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#fail(ask, error);
      },
    );
  }

  #contextOf(ask: CallAsk, step: StepRef): HandlerContext {
    const tool = this.#plan.tools[ask.called];
    const { callId } = ask;
    return tool === undefined || callId === undefined ? new HandlerContext(this.#voice, ask, step) : new ToolCallContext(this.#voice, { ...ask, callId }, step, tool);
  }

  /** An operation is in progress now; one that begins after the end is aborted at once. */
  #begin(op: number, pending: Pending): void {
    if (this.#over === undefined) this.#await(op, pending);
    else pending.abort(this.#over.reason);
  }

  #await(op: number, pending: Pending): void {
    (this.#pending ??= new UnderWay()).add(op, pending);
  }

  #keep(op: number, entry: Omit<JournalEntry, "at">): void {
    const at = this.#ending.time();
    const kept = this.#voice.keep({ ...entry, at });
    if (kept === undefined) return this.#answers.settleKept(op, at);
    this.#await(op, { abort: () => {} });
    kept.then(
      () => {
        if (this.#arrived(op)) this.#answers.settleKept(op, at);
      },
      (error: unknown) => this.#ending.lose(error),
    );
  }

  #admit(ask: Ask & { readonly ask: "admit" }): void {
    const { op, endpoint, bounds } = ask;
    const controller = new AbortController();
    const { clock, reach } = this.#settings;
    this.#await(op, controller);
    // Programs whose models name no bounds do not load what keeps them.
    const held = (ms: number): void => this.#voice.warn("endpoint_busy", `a request to ${endpoint} waits for ${Math.ceil(ms / 1000)} s, since the endpoint has asked others to come back later`, ask);
    const admitted = import("../effects/rate-limiter.js").then(({ namerOf, rateLimiterOf }) => rateLimiterOf(clock, endpoint, namerOf(endpoint, reach.own)).admit(bounds, controller.signal, held));
    admitted.then(
      (permit) => {
        if (!this.#arrived(op)) return permit.release();
        (this.#permits ??= new Map()).set(op, permit);
        this.#answers.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#ending.reject(error);
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
      reply = this.#whole(request, (whole) => network.fetch(whole, controller));
    } else {
      const { step, scope } = ask;
      const occasion = { step, scope, attempt: this.#voice.attemptOf(ask) };
      const context = new HandlerContext(this.#voice, occasion, this.#voice.refOf(ask));
      this.#await(op, { abort: (reason) => giveUp(context, reason) });
      const model = this.#plan.functions[request.function] as StepFunction;
      reply = this.#whole(request, (whole) => bodyOf(model, whole, context)).then((body) => network.take(body));
    }
    reply.then(
      (reply) => {
        if (!this.#arrived(op)) network.close(reply.stream);
        else this.#answers.settle(op, reply);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  /** Sends a request with the bytes of the files that it names by their digests. Few name any. */
  #whole<Sent>(request: EngineRequest, send: (whole: EngineRequest) => Promise<Sent>): Promise<Sent> {
    const { body } = request;
    if (!body.includes(STORED)) return send(request);
    return import("../effects/stored-bytes.js").then(async ({ withBytes }) => send({ ...request, body: await withBytes(body, this.#settings.files) }));
  }

  #prepare(ask: Ask & { readonly ask: "prepare" }): void {
    const { op, step, scope } = ask;
    const controller = new AbortController();
    this.#await(op, controller);
    const contextOf = (callId: string | undefined): HandlerContext =>
      new HandlerContext(this.#voice, { step, scope, attempt: this.#voice.attemptOf(ask), callId }, this.#voice.refOf(ask));
    // Programs without requests do not load what sends them.
    const prepared = import("./exchanges.js").then(({ exchangeOf }) => exchangeOf(ask.request, this.#settings, contextOf, controller));
    prepared.then(
      (exchange) => {
        if (!this.#arrived(op)) return;
        (this.#prepared ??= new Map()).set(op, { ...exchange, spot: { step, scope }, controller });
        this.#answers.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #exchange({ op, prepared }: Ask & { readonly ask: "exchange" }): void {
    const { send, once, spot, controller } = this.#prepared?.get(prepared) as Prepared;
    this.#prepared?.delete(prepared);
    this.#await(op, { abort: (reason) => controller.abort(reason), ...(once !== undefined && { sent: [once, spot] as const }) });
    send().then(
      (answer) => {
        if (this.#arrived(op)) this.#answers.settle(op, answer);
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
        if (this.#arrived(op)) this.#answers.settle(op, bytes);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#refuse(op, error);
      },
    );
  }

  #sleep(op: number, ms: number, end: Pick<Pending, "until" | "limit">): void {
    // Reading the clock may have ended the run.
    if (this.#over !== undefined) return;
    const controller = new AbortController();
    this.#await(op, { abort: (reason) => controller.abort(reason), ...end });
    // Inside an async function, so that a clock that throws at once is a rejection too.
    const asleep = async (clock: Clock): Promise<void> => clock.sleep(ms, controller.signal);
    asleep(this.#settings.clock).then(
      () => {
        if (this.#arrived(op)) this.#answers.settle(op, undefined);
      },
      (error: unknown) => {
        if (this.#arrived(op)) this.#ending.reject(brokenClock("sleep() failed", error));
      },
    );
  }

  #pause(op: number): void {
    this.#pauses += 1;
    this.#await(op, { abort: () => {} });
    afterTurn(() => {
      this.#pauses -= 1;
      // An operation that was aborted meanwhile is reported all the same: others may wait for the end of all pauses.
      this.#pending?.take(op);
      this.#answers.settle(op, undefined);
    });
  }

  /** Whether a task of the run pauses so that others can run. */
  get isPausing(): boolean {
    return this.#pauses > 0;
  }

  /** Whether anyone still waits for this. What comes from outside comes with a new turn of the event loop. */
  #arrived(op: number): boolean {
    if (this.#pending?.take(op) === undefined) return false;
    this.#answers.newTurn();
    return true;
  }

  #answer(ask: CallAsk, value: unknown, step: StepRef): void {
    const { op, wants, called, step: index } = ask;
    const taking = this.#taking;
    let answer: unknown;
    try {
      if (value instanceof Yielded) {
        if (wants === WANTS_PATCH) {
          const patch = answerOf(wants, value.returned, step, taking);
          if (this.#skipped !== undefined) this.#tellKept(ask, step);
          return this.#answers.settleYielded(op, patch, value.parts);
        }
        // A tool that returns nothing gives what it yielded.
        value = value.returned ?? value.parts;
      }
      answer = answerOf(wants, value, step, taking, { tool: this.#plan.tools[called], type: this.#plan.steps[index]?.type });
    } catch (error) {
      this.#skipped = undefined;
      return this.#refuse(op, error);
    }
    if (this.#skipped !== undefined) this.#tellKept(ask, step);
    this.#answers.settle(op, answer);
  }

  /** Says of keys of the state that they keep their values, although a patch has `undefined` for them: once for each step. */
  #tellKept(ask: CallAsk, step: StepRef): void {
    const skipped = this.#skipped ?? [];
    this.#skipped = undefined;
    for (const key of skipped) {
      const place = `${ask.step} ${key}`;
      if (((ask.state as Readonly<Record<string, unknown>>)[key] ?? null) === null || this.#kept?.has(place) === true) continue;
      (this.#kept ??= new Set()).add(place);
      this.#voice.warn("key_kept", `\`${step.name}\` returned \`${key}\` as undefined, which changes nothing: the state keeps its value; null empties it`, ask);
    }
  }

  /** Whether nothing is waited for. */
  get isIdle(): boolean {
    return this.#pending === undefined || this.#pending.isEmpty;
  }

  /** When the earliest wait ends, while the run waits for nothing else and no time limit ends before. */
  get waitsUntil(): number | undefined {
    let wait = Infinity;
    let first = Infinity;
    const isBusy = this.#pending?.some(({ until, limit }) => {
      wait = Math.min(wait, until ?? Infinity);
      first = Math.min(first, limit ?? Infinity);
      return until === undefined && limit === undefined;
    });
    return isBusy === false && wait < Infinity && wait <= first ? wait : undefined;
  }

  /** The requests that were sent, have no answer, and must not be sent twice. */
  get unanswered(): readonly (readonly [what: string, spot: Spot])[] {
    return this.#pending?.things.flatMap(({ sent }) => (sent === undefined ? [] : [sent])) ?? [];
  }

  /** Gives everything up. Listeners of the signals are code of the user: this comes last. */
  abortAll(reason: unknown): void {
    this.#over = { reason };
    this.#network?.closeAll(reason);
    this.#servers?.close();
    if (this.#permits !== undefined) for (const permit of [...this.#permits.keys()]) this.#release(permit);
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) for (const one of pending.takeAll()) one.abort(reason);
  }

  /** Passes the error that code of the user threw to the engine, and keeps it as the cause. */
  #fail({ op, wants }: CallAsk, thrown: unknown): void {
    if (isWrongAnswer(thrown)) return this.#refuse(op, thrown);
    this.#answers.blame(op, NotAgain.is(thrown) ? thrown.thrown : thrown);
    this.#answers.failFunction(op, thrown, wants);
  }

  /** Passes an error of our own to the engine: the cause is what it was made of. */
  #refuse(op: number, error: unknown): void {
    const cause = error instanceof Error ? error.cause : error;
    if (cause !== undefined) this.#answers.blame(op, cause);
    this.#answers.fail(op, error);
  }
}

/** What a model that is a function answers. Programs whose models are all at endpoints do not load what calls functions. */
async function bodyOf(model: StepFunction, request: EngineRequest, context: HandlerContext): Promise<Body> {
  const { ModelStream } = await import("./model-stream.js");
  return ModelStream.open(model, request.body, context, (reason) => giveUp(context, reason));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
