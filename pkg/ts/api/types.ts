import type { Attempted, Expressions, ForeachRules, History, Json, JsonObject, Limits, LoopRules, Price, RetryPolicy, Wait } from "./document.js";
import type { Journal, JournalStore } from "../journal/types.js";
import type { TypeOf } from "../schema/infer.js";
import type { StandardSchema } from "../schema/standard.js";
import type { Workflow } from "../authoring/workflow.js";
import type { Agent } from "../authoring/agent.js";
import type { RunEvent, RunResult, Usage } from "./events.js";
import type { StepRef } from "./errors.js";
import type { MediaPart } from "./model-request.js";

/** What a handler may return: keys to merge into the state, or nothing. */
export type Patch<State> = Partial<State> | null | undefined | void;

/**
 * What a handler is given besides the state.
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
 * A function step's own function. The state is read-only: return what changes. It may be a generator: what it yields
 * is told as `step.delta` and goes to `<name>_output`, texts as one text, anything else as a list. What it throws fails the
 * attempt; `retryCount` and the retry policy call it again, unless the error says that this does not help, as in
 * `throw new StepweaveError("handler", "the card was refused", { retryable: false })`.
 */
export type Handler<State = any> = (
  state: Readonly<State>,
  context: RunContext,
) => Patch<State> | PromiseLike<Patch<State>> | Generator<unknown, Patch<State>> | AsyncGenerator<unknown, Patch<State>>;

/** A JSON Schema, or a schema of a library that follows Standard Schema (zod, valibot, arktype, …). */
export type Schema = Json | StandardSchema<any, any>;

/** Gives the items of a foreach. */
export type Items<State = any> = (state: Readonly<State>, context: RunContext) => readonly unknown[] | PromiseLike<readonly unknown[]>;

/** Values by key that live as long as the run. */
export interface SessionState {
  get(key: string): any;
  set(key: string, value: unknown): void;
}

/** Decides a condition: must return true or false. */
export type Predicate<State = any> = (state: Readonly<State>, context: RunContext) => boolean | PromiseLike<boolean>;

/** A text, an image or a file for a model. `data` is base64, bytes or a Blob; `url` an address that the endpoint can reach. */
export type InputPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      /** Such as `image/png`. Told from the data where that says it. */
      readonly mediaType?: string | undefined;
      readonly data?: string | Uint8Array | ArrayBuffer | Blob | undefined;
      readonly url?: string | URL | undefined;
      readonly name?: string | undefined;
    };

/** What was said in a conversation, and by whom. The last message is what is asked, and so the user's. */
export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly InputPart[];
}

/** What an agent is asked: a text, a list of texts, images and files, or a conversation. */
export type AgentInput = string | readonly InputPart[] | readonly ChatMessage[];

/** Writes what an agent is asked. */
export type InputFrom<State = any> = (state: Readonly<State>, context: RunContext) => AgentInput | PromiseLike<AgentInput>;

/** Gives the images and files that go with what an agent is asked. */
export type Files<State = any> = (state: Readonly<State>, context: RunContext) => readonly InputPart[] | PromiseLike<readonly InputPart[]>;

/** The whole answer of an agent step with `fullResponse`. */
export interface AgentResponse<Output = any> {
  readonly text: string;
  /** The JSON value, where the agent has an `output`. */
  readonly output?: Output;
  /** What the model thought before, where its endpoint shows it. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: any }[];
  readonly usage?: Usage;
  /** Why it ended: `stop`, `length`, `toolCalls`, `filtered`, `refused` or `other`. */
  readonly finishReason: string;
  /** The endpoint's name for the answer, where it gives one. */
  readonly responseId?: string;
  /** What the answer goes back to, where the endpoint says so: pages of a search, passages of documents. */
  readonly sources?: readonly AnswerSource[];
  /** The images and other files that the model made. */
  readonly files?: readonly MediaPart[];
  /** The model that answered, which may be a fallback. */
  readonly model: string;
}

/** A page or a document that an answer goes back to. */
export interface AnswerSource {
  readonly url?: string;
  readonly title?: string;
  /** What of it is quoted. */
  readonly text?: string;
}

/** Functions that a document names. */
export type Handlers = Record<string, (state: any, context: RunContext) => unknown>;

/** What every step has. */
export interface StepBase {
  /** What people call the step; an agent's answer goes to `<name>_output`. */
  name: string;
  /**
   * Unique in the workflow; by it journals and answers know the step, so write it where a step is to keep them under
   * another name or in another place. When absent it is the name, behind that of what holds the step (`review`,
   * `each.price`, `check.else.mend`), and for steps of one name in one block which of them it is (`review~1of2`).
   */
  id?: string | undefined;
  /** `false` lets the run go on when the step fails. */
  required?: boolean | undefined;
  /** `false` leaves the step out, as if it were not there. */
  enabled?: boolean | undefined;
  /** What a failure does, instead of what the workflow says. */
  onError?: "stop" | "continue" | undefined;
  /** What the state must be when the step begins. */
  input?: Schema | undefined;
  /**
   * What the step must give: a function's patch, an agent's answer, the list of a foreach; for steps that hold others
   * the state behind them.
   */
  output?: Schema | undefined;
  /** `true` converts values of a wrong type that plainly mean the right one, such as `"3"` for a number. */
  coerce?: boolean | undefined;
  /** The same settings under the names of ClientAI. */
  config?: StepConfig | undefined;
  notes?: string | undefined;
  /** Keys of your own stay in the document. */
  [extension: `x-${string}`]: Json;
}

/** How a step is run, under the names of ClientAI. */
export interface StepConfig {
  /** `false` leaves the step out. */
  enabled?: boolean | undefined;
  /** Attempts after the first one. */
  retryCount?: number | undefined;
  /** Seconds that an attempt may take. */
  timeout?: number | undefined;
  /** `false` lets the run go on when the step fails. */
  required?: boolean | undefined;
  /** `false` makes one attempt, whatever `retryCount` says. */
  useInternalRetry?: boolean | undefined;
}

/** Asks an agent; the answer becomes `<name>_output`. */
export interface AgentStep<State = any> extends StepBase, Attempted {
  type?: "agent" | undefined;
  /** The agent, or a key of the workflow's `agents`. */
  agent: Agent | string;
  /** What the agent is asked: a template or a function. The whole state as JSON text when absent. */
  inputFrom?: string | InputFrom<State> | undefined;
  /** The images and files that go with it: an expression that gives a list of {@link InputPart}, or a function. */
  files?: string | Files<State> | undefined;
  /** The conversation in the state that the agent goes on with; its question and its answer are added. */
  history?: History | undefined;
  /** `true` makes the output an {@link AgentResponse}: the answer with its reasoning, tool calls, usage and model. */
  fullResponse?: boolean | undefined;
}

/** Computes a patch of the state. */
export interface FunctionStep<State = any> extends StepBase, Attempted {
  type?: "function" | undefined;
  /** A function, an expression for each key to set, or JavaScript that runs in a sandbox (`stepweave/sandbox`). */
  run: Handler<State> | { set: Expressions } | { code: string };
  /** Change it when the function does something else: what an older version answered is then not taken from a journal. */
  version?: string | undefined;
}

/** Takes one of two ways. */
export interface ConditionStep<State = any> extends StepBase {
  type?: "condition" | undefined;
  /** An expression such as `score > 3`, or a function. */
  condition: string | Predicate<State>;
  /** Run when it is true. */
  steps: Step<State>[];
  /** Run when it is false. */
  else?: Step<State>[] | undefined;
}

/** Runs its members at the same time, each from the same state. */
export interface ParallelStep<State = any> extends StepBase {
  type?: "parallel" | undefined;
  parallel: Step<State>[];
  /** How many members may be under way at once, those that wait for a person too; all of them when absent. */
  concurrency?: number | undefined;
  /** What a key that two members write leads to: a warning (the default) or an error. */
  onConflict?: "warn" | "error" | undefined;
}

/** Runs steps in order, as one step: a lane of a parallel, for example. */
export interface SequenceStep<State = any> extends StepBase {
  type?: "sequence" | undefined;
  steps: Step<State>[];
}

/** Takes the first of several ways whose condition is true. */
export interface SwitchStep<State = any> extends StepBase {
  type?: "switch" | undefined;
  cases: { when: string | Predicate<State>; steps: Step<State>[] }[];
  /** Run when no case is true. */
  default: Step<State>[];
}

/** Runs steps once for each item of a list; the results, in the order of the items, become `<name>_output`. */
export interface ForeachStep<State = any> extends StepBase, ForeachRules {
  type?: "foreach" | undefined;
  /** An expression that gives the list, or a function. */
  items: string | Items<State>;
  steps: Step[];
}

/** Runs steps again and again. */
export interface LoopStep<State = any> extends StepBase, LoopRules {
  type?: "loop" | undefined;
  /** `while` is asked before each time, `until` after it. */
  repeat: { while: string | Predicate<State> } | { until: string | Predicate<State> };
  steps: Step<State>[];
}

/** Runs steps over a state of their own. */
export interface WorkflowStep extends StepBase {
  type?: "workflow" | undefined;
  /**
   * A workflow whose steps these are, with its `input`, `output`, `initialState`, `onError`, `agents` and `prices`. Of its retry
   * policy `maxRetries` and of its limits `stepTimeoutMs` hold for its steps; the waits between attempts and the other limits
   * are those of the workflow around it.
   */
  workflow?: Workflow<any> | undefined;
  /** The steps, where no workflow is given. */
  steps?: Step[] | undefined;
  initialState?: object | undefined;
  /** What the state outside gives them, an expression for each key; all of it when absent. */
  with?: Expressions | undefined;
  /** What they give to the state outside, an expression for each key. Their whole state becomes `<name>_output` when absent. */
  set?: Expressions | undefined;
}

/** Lets time pass. */
export interface WaitStep extends StepBase {
  type?: "wait" | undefined;
  wait: Wait;
}

/** Asks a person; the answer becomes `<name>_output`. Until there is one, the run is suspended. */
export interface ApprovalStep extends StepBase {
  type: "approval";
  /** A template: what the person is told. */
  message?: string | undefined;
  /** JSON Schema of the answer. */
  schema?: Json | undefined;
}

/** A step as it is written in TypeScript. Its `type` follows from what it has. */
export type Step<State = any> =
  | Apart<AgentStep<State>>
  | Apart<FunctionStep<State>>
  | Apart<ConditionStep<State>>
  | Apart<ParallelStep<State>>
  | Apart<SequenceStep<State>>
  | Apart<SwitchStep<State>>
  | Apart<ForeachStep<State>>
  | Apart<LoopStep<State>>
  | Apart<WaitStep>
  | Apart<ApprovalStep>
  | WorkflowWith<"workflow">
  | WorkflowWith<"with">
  | WorkflowWith<"set">
  | WorkflowWith<"initialState">
  | WorkflowWith<"type">;

/**
 * A kind of step without the keys of those whose own steps see another state. By the keys that a step lacks, the compiler
 * tells that it is none of them, and with it the state that the functions in its steps see.
 */
type Apart<Kind> = Kind & { [Key in Exclude<"items" | "workflow" | "with" | "set" | "initialState", keyof Kind>]?: never };

/** A workflow step that has one of the keys by which it is no sequence. */
type WorkflowWith<Key extends keyof WorkflowStep> = Apart<WorkflowStep> & { [Given in Key]: NonNullable<WorkflowStep[Given]> };

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
  description?: string | undefined;
  /** The state every run begins with. It is copied. */
  initialState?: Partial<State> | undefined;
  steps: Step<State>[];
  /** Agents that steps name by a key. */
  agents?: { [id: string]: Agent } | undefined;
  /** What models of these names cost, over the built-in prices. */
  prices?: { [model: string]: Price } | undefined;
  retryPolicy?: RetryPolicy | undefined;
  onError?: "stop" | "continue" | undefined;
  limits?: Limits | undefined;
  /** What the state must be when a run starts. */
  input?: Schema | undefined;
  /** What the state must be when a run ends. */
  output?: Schema | undefined;
  notes?: string | undefined;
  [extension: `x-${string}`]: Json;
}

/** In place of a type of the state: it follows from `input` and `initialState`. */
export type Inferred = { readonly [inferred]: true };

declare const inferred: unique symbol;

/** A workflow as it is written: for a state of a type that is given, or for one that follows from `input` and `initialState`. */
export interface TypedDefinition<State, Input extends Schema | undefined, Initial extends object | undefined>
  extends Omit<WorkflowDefinition, "input" | "initialState" | "steps"> {
  /** What the state must be when a run starts. */
  input?: ([State] extends [Inferred] ? Input : Schema) | undefined;
  /** The state every run begins with. It is copied. */
  initialState?: ([State] extends [Inferred] ? Initial : Partial<NoInfer<State>>) | undefined;
  steps: Step<NoInfer<StateOf<State, Input, Initial>>>[];
}

/** The state of a workflow: of the type that is given, or what `input` and `initialState` say, to which steps may add keys of any type. */
export type StateOf<State, Input, Initial> = [State] extends [Inferred]
  ? [Input, Initial] extends [undefined, undefined]
    ? any
    : SchemaState<Input> & Given<Initial> & { [key: string]: any }
  : State;

type Given<Initial> = [Initial] extends [undefined] ? {} : Initial;

type SchemaState<Input> = [Input] extends [undefined] ? {} : unknown extends TypeOf<Input> ? {} : TypeOf<Input>;

/**
 * The value of a secret and the origins it may go to. A plain text is enough for a name that belongs
 * to a known endpoint, such as `OPENAI_API_KEY`.
 *
 * ```ts
 * await workflow.run({ secrets: { MY_KEY: { value: key, origins: ["https://llm.example.com"] } } });
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
  /**
   * What the run may use at most, whatever its document says: of each limit the stricter one holds. `docs/untrusted.md`
   * says what else documents of others are held to.
   */
  limits?: Limits | undefined;
  /**
   * The origins that the document may send requests to, such as `["https://api.openai.com"]`; none with `[]`. Models that code
   * gives are reached in any case. Where nothing is said the document reaches everything but, outside of pages, this machine
   * and its own network.
   */
  allowOrigins?: readonly string[] | undefined;
  /** Takes the place of the real time. */
  clock?: Clock | undefined;
  /**
   * Keeps what the outside answers: `true` for a new journal, the journal of an earlier result or the id of one in
   * `store` to take that run up again.
   */
  journal?: true | Journal | string | undefined;
  /** Where the journal is kept, entry by entry: see `stepweave/stores`. */
  store?: JournalStore | undefined;
  /**
   * What is taken from the journal. `resume`, the default: what was answered; what failed and stopped the run is
   * tried again. `edit`: what was answered to the same question, as a new run. `strict`: everything, and what is
   * missing is an error.
   */
  replay?: "resume" | "edit" | "strict" | undefined;
  /** With `replay: "edit"`: the id of the step from which on everything is run anew. */
  from?: string | undefined;
  /**
   * What is done when a run is taken up and the workflow asks something else under the key of a recorded answer:
   * `refuse`, the default, tells every such step and leaves the run as it is; `anew` goes on under the same id and asks
   * these steps, and what depends on them, anew.
   */
  onMismatch?: "refuse" | "anew" | undefined;
  /** Whose run it is, for the lists of stores. What began the run counts. */
  owner?: string | undefined;
  /** What people answered, by the keys of an earlier result's `pending`. */
  answers?: { readonly [key: string]: unknown } | undefined;
  /** What chance begins with, such as the jitter of retries: a whole number below 2³². */
  seed?: number | undefined;
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
  /**
   * Ends the run with the status `cancelled`; does nothing when it has ended. With a store, the result waits at most a
   * second for the journal's last entry to be acknowledged.
   */
  cancel(reason?: unknown): void;
}

/** The events of a run; leaving the loop cancels the run. */
export interface RunStream<State = any> extends AsyncIterableIterator<RunEvent<State>> {
  return(): Promise<IteratorResult<RunEvent<State>>>;
}

export type { Json, JsonObject };
