import type { AgentInput, InputPart } from "./conversation.js";
import type { StepRef } from "./errors.js";

/** What a handler may return: keys to merge into the state, or nothing. */
export type Patch<State> = Partial<State> | null | undefined | void;

/**
 * The context that a handler receives besides the state.
 *
 * ```ts
 * const fetchPage: Handler<{ url: string; body: string }> = async (state, context) => {
 *   const answer = await fetch(state.url, { signal: context.signal });
 *   context.log(`attempt ${context.attempt}: ${answer.status}`);
 *   return { body: await answer.text() };
 * };
 * ```
 */
export interface RunContext {
  readonly runId: string;
  /** The `sessionId` option of the run; the run's id when none was given. */
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  /** The `metadata` option of the run, as it was given; an empty object without. */
  readonly metadata: any;
  /** The `dependencies` option of the run, as it was given: database handles, clients, …; an empty object without. */
  readonly dependencies: any;
  /** The calling step. */
  readonly step: StepRef;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The same for every attempt of this step in this run: work already done under it need not be done again. */
  readonly idempotencyKey: string;
  /** Values that the functions of this run share, besides its state; they need not be JSON and are not kept. */
  readonly sessionState: SessionState;
  /** Aborts when the run is cancelled. A later result is ignored. */
  readonly signal: AbortSignal;
  /** Logs a line: emits a `run.warning` event with the code `log`. */
  log(message: string): void;
}

/**
 * A function step's own function. The state is read-only: return what changes. It may be a generator: yielded values are
 * emitted as `step.delta` and go to `<name>_output`, strings as one string, anything else as a list. An error fails the
 * attempt; `retryCount` and the retry policy call it again, unless the error says that this does not help, as in
 * `throw new StepweaveError("handler", "the card was refused", { retryable: false })`.
 */
export type Handler<State = any> = (
  state: Readonly<State>,
  context: RunContext,
) => Patch<State> | PromiseLike<Patch<State>> | Generator<unknown, Patch<State>> | AsyncGenerator<unknown, Patch<State>>;

/** Returns the items of a foreach. */
export type Items<State = any> = (state: Readonly<State>, context: RunContext) => readonly unknown[] | PromiseLike<readonly unknown[]>;

/** Values by key that live as long as the run. */
export interface SessionState {
  get(key: string): any;
  set(key: string, value: unknown): void;
}

/** Decides a condition: must return true or false. */
export type Predicate<State = any> = (state: Readonly<State>, context: RunContext) => boolean | PromiseLike<boolean>;

/** Writes the input of an agent. */
export type InputFrom<State = any> = (state: Readonly<State>, context: RunContext) => AgentInput | PromiseLike<AgentInput>;

/** Returns the images and files that belong to the input of an agent. */
export type Files<State = any> = (state: Readonly<State>, context: RunContext) => readonly InputPart[] | PromiseLike<readonly InputPart[]>;

/** Functions that a document names. */
export type Handlers = Record<string, (state: any, context: RunContext) => unknown>;
