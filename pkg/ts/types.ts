import type { Attempted, Json, JsonObject, Limits, RetryPolicy } from "./document.js";
import type { Agent } from "./agent.js";
import type { RunEvent, RunResult } from "./events.js";
import type { StepRef } from "./errors.js";

/** What a handler may return: keys to merge into the state, or nothing. */
export type Patch<State> = Partial<State> | null | undefined | void;

/**
 * What a handler is given besides the state.
 *
 * ```ts
 * run: async (state, context) => {
 *   const answer = await fetch(state.url, { signal: context.signal });
 *   context.log(`attempt ${context.attempt}: ${answer.status}`);
 *   return { body: await answer.text() };
 * }
 * ```
 */
export interface RunContext {
  readonly runId: string;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  /** The `metadata` option of the run, as it was given. */
  readonly metadata: any;
  /** The `dependencies` option of the run, as it was given: database handles, clients, … */
  readonly dependencies: any;
  /** The step that calls. */
  readonly step: StepRef;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The same for every attempt of this step in this run: what was done under it need not be done again. */
  readonly idempotencyKey: string;
  /** Values that the functions of this run share, besides its state; they need not be JSON and are not kept. */
  readonly sessionState: SessionState;
  /** Aborts when the run is cancelled. A result that comes later is dropped. */
  readonly signal: AbortSignal;
  /** Tells a line to whoever follows the run: a `run.warning` event with the code `log`. */
  log(message: string): void;
}

/**
 * A function step's own function. The state is read-only: return what changes. What it throws fails the step;
 * the retry policy repeats it only if the error has `retryable: true`, as in
 * `throw new StepweaveError("network", "the shop is busy", { retryable: true })`.
 */
export type Handler<State = any> = (state: Readonly<State>, context: RunContext) => Patch<State> | PromiseLike<Patch<State>>;

/** Values by key that live as long as the run. */
export interface SessionState {
  get(key: string): any;
  set(key: string, value: unknown): void;
}

/** Decides a condition: must return true or false. */
export type Predicate<State = any> = (state: Readonly<State>, context: RunContext) => boolean | PromiseLike<boolean>;

/** Writes what an agent is asked. */
export type InputFrom<State = any> = (state: Readonly<State>, context: RunContext) => string | PromiseLike<string>;

/** Functions that a document names. */
export type Handlers = Record<string, (state: any, context: RunContext) => unknown>;

/** What every step has. */
export interface StepBase {
  /** What people call the step; an agent's answer goes to `<name>_output`. */
  name: string;
  /** Unique in the workflow; made from the step's position when absent (`s1`, `s2.1`, `s3.else.1`). */
  id?: string;
  /** `false` lets the run go on when the step fails. */
  required?: boolean;
  /** `false` leaves the step out, as if it were not there. */
  enabled?: boolean;
  /** What a failure does, instead of what the workflow says. */
  onError?: "stop" | "continue";
  notes?: string;
}

/** Asks an agent; the answer becomes `<name>_output`. */
export interface AgentStep<State = any> extends StepBase, Attempted {
  type?: "agent";
  /** The agent, or a key of the workflow's `agents`. */
  agent: Agent | string;
  /** What the agent is asked: a template or a function. The whole state as JSON text when absent. */
  inputFrom?: string | InputFrom<State>;
}

/** Computes a patch of the state. */
export interface FunctionStep<State = any> extends StepBase, Attempted {
  type?: "function";
  /** A function, or an expression for each key to set. */
  run: Handler<State> | { set: { [key: string]: string } };
}

/** Takes one of two ways. */
export interface ConditionStep<State = any> extends StepBase {
  type?: "condition";
  /** An expression such as `score > 3`, or a function. */
  condition: string | Predicate<State>;
  /** Run when it is true. */
  steps: Step<State>[];
  /** Run when it is false. */
  else?: Step<State>[];
}

/** Runs its members at the same time, each from the same state. */
export interface ParallelStep<State = any> extends StepBase {
  type?: "parallel";
  parallel: Step<State>[];
  /** How many members may run at once; all of them when absent. */
  concurrency?: number;
  /** What a key that two members write leads to: a warning (the default) or an error. */
  onConflict?: "warn" | "error";
}

/** Runs steps in order, as one step: a lane of a parallel, for example. */
export interface SequenceStep<State = any> extends StepBase {
  type?: "sequence";
  steps: Step<State>[];
}

/** A step as it is written in TypeScript. Its `type` follows from what it has. */
export type Step<State = any> =
  | AgentStep<State>
  | FunctionStep<State>
  | ConditionStep<State>
  | ParallelStep<State>
  | SequenceStep<State>;

/**
 * A workflow as it is written in TypeScript.
 *
 * ```ts
 * const definition: WorkflowDefinition<{ n: number }> = {
 *   name: "double",
 *   initialState: { n: 1 },
 *   steps: [{ name: "times two", run: (state) => ({ n: state.n * 2 }) }],
 * };
 * ```
 */
export interface WorkflowDefinition<State = any> {
  name: string;
  description?: string;
  /** The state every run begins with. It is copied. */
  initialState?: Partial<State>;
  steps: Step<State>[];
  /** Agents that steps name by a key. */
  agents?: { [id: string]: Agent };
  retryPolicy?: RetryPolicy;
  onError?: "stop" | "continue";
  limits?: Limits;
  /** JSON Schema of the state a run starts with. */
  input?: Json;
  /** JSON Schema of the state a run ends with. */
  output?: Json;
  notes?: string;
  [extension: `x-${string}`]: Json;
}

/**
 * The value of a secret and the origins it may go to. A plain text is enough for a name that belongs
 * to a known endpoint, such as `OPENAI_API_KEY`.
 *
 * ```ts
 * secrets: { MY_KEY: { value: key, origins: ["https://llm.example.com"] } }
 * ```
 */
export type Secret = string | { value: string; origins: readonly string[] };

/** Values for the secrets that a document names. `undefined` counts as not given. */
export type Secrets = { readonly [name: string]: Secret | undefined };

/**
 * Where a run takes the time from. Tests give one of their own, so that nothing waits.
 *
 * ```ts
 * let now = 0;
 * const clock = { now: () => now, sleep: async (ms: number) => { now += ms; } };
 * await workflow.run({ clock });
 * ```
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; may resolve or reject early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): PromiseLike<void>;
}

/** A function that can stand in for `fetch`. */
export type Fetch = (url: string, init: RequestInit) => PromiseLike<Response>;

/**
 * What a single run is given.
 *
 * ```ts
 * await workflow.run({ state: { topic: "bees" }, secrets: { OPENAI_API_KEY: key }, signal: AbortSignal.timeout(60_000) });
 * ```
 */
export interface RunOptions<State = any> {
  /** Keys that are merged over the workflow's initial state. They are copied. */
  state?: Partial<State> | undefined;
  /** Values for the secrets that the workflow names. */
  secrets?: Secrets | undefined;
  /** Cancels the run when it aborts. */
  signal?: AbortSignal | undefined;
  /** Takes the place of `globalThis.fetch` for the calls to models. */
  fetch?: Fetch | undefined;
  /** Takes the place of the real time. */
  clock?: Clock | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  /** Anything that handlers should see as `context.metadata`. */
  metadata?: unknown;
  /** Anything that handlers should see as `context.dependencies`. */
  dependencies?: unknown;
}

/**
 * A run under way.
 *
 * ```ts
 * const run = workflow.start();
 * setTimeout(() => run.cancel("it took too long"), 10_000);
 * for await (const event of run.events) console.log(event.type);
 * const result = await run.result;
 * ```
 */
export interface Run<State = any> {
  /** The run's id, also in its events and its result. */
  readonly id: string;
  /** Everything the run tells. Each loop over it starts at the first event; leaving a loop changes nothing. */
  readonly events: AsyncIterable<RunEvent<State>>;
  /**
   * Resolves when the run has ended, also with a failure or a cancel. It rejects only when the call itself
   * was wrong (a broken document, a bad option) or the engine failed (`internal`). Not looking at it is fine.
   */
  readonly result: Promise<RunResult<State>>;
  /** Ends the run with the status `cancelled`; does nothing when it has ended. */
  cancel(reason?: unknown): void;
}

/** The events of a run; leaving the loop cancels the run. */
export interface RunStream<State = any> extends AsyncIterableIterator<RunEvent<State>> {
  return(): Promise<IteratorResult<RunEvent<State>>>;
}

export type { Json, JsonObject };
