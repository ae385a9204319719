import type { AgentLimits, ModelParams, ToolChoice } from "./document.js";
import type { RunEndEvent, RunEvent } from "./events.js";
import type { CancelledResult, DoneResult, FailedResult, SuspendedResult } from "./results.js";
import type { AnswerExtras } from "./answer.js";
import type { ChatMessage } from "./conversation.js";
import type { Model } from "./model.js";
import type { RunOptions } from "./run.js";
import type { Schema, TypeOf } from "./schema.js";
import type { Tool } from "./tool.js";

/** What a single run of an agent is given: the same as of a workflow, but for the state. */
export type AgentRunOptions = Omit<RunOptions, "state">;

/** The state of an agent's run: its input, and what it answered. */
export interface AgentState {
  readonly input: any;
  readonly answer_output?: any;
  /** The conversation, once the agent has answered. */
  readonly messages?: readonly ChatMessage[];
}

/** The result of a run in which the agent has answered. */
interface AgentDone<Value> extends DoneResult<AgentState>, AnswerExtras {
  /** What the agent answered: a text, or what its `output` says. */
  readonly value: Value;
  /** The answer, when it is a text. */
  readonly text?: string;
  /** The whole conversation with the answer, its tool calls and their results: what the next message is added to. */
  readonly messages: readonly ChatMessage[];
}

/** The result of a run in which it has not. */
export interface Unanswered {
  readonly value?: undefined;
  readonly text?: undefined;
  readonly messages?: undefined;
  readonly responseId?: undefined;
  readonly sources?: undefined;
  readonly files?: undefined;
}

/**
 * What a run of an agent came to: what a run of a workflow comes to, and, when its status is `done`, the answer.
 *
 * ```ts
 * const result = await agent.run("the garden");
 * if (result.status === "done") console.log(result.value);
 * else console.log(result.error?.message ?? result.status);
 * ```
 */
export type AgentResult<Value = any> =
  | AgentDone<Value>
  | (FailedResult<AgentState> & Unanswered)
  | (CancelledResult<AgentState> & Unanswered)
  | (SuspendedResult<AgentState> & Unanswered);

/** What a run of an agent emits: the events of a workflow, of which the last has the agent's result. */
export type AgentEvent<Value = any> = Exclude<RunEvent<AgentState>, RunEndEvent> | EndWith<AgentResult<Value>, AgentState>;

/** The last events of a run whose results are these. */
export type EndWith<Result, State, Ending = RunEndEvent<State>> = Ending extends RunEndEvent
  ? Omit<Ending, "result"> & { readonly result: Extract<Result, Ending["result"]> }
  : never;

/** A run under way whose text can be read as it comes. */
export interface TextRun<Event, Result> {
  /** The run's id, also in its events and its result. */
  readonly id: string;
  /** Everything the run emits. Each loop over it starts at the first event; leaving a loop changes nothing. */
  readonly events: AsyncIterable<Event>;
  /**
   * What the run results in, as text, in the pieces in which it comes, each once. What an agent says before it calls tools
   * comes before it. A value that is no text is only in the result. Ends with the error of a run that is not done, and with
   * one with the code `conflict` where what was given in part was dropped and goes on otherwise.
   */
  readonly textStream: AsyncIterable<string>;
  /** Resolves when the run has ended, also with a failure or a cancel; rejects when the call itself was wrong. */
  readonly result: Promise<Result>;
  /** Ends the run with the status `cancelled`; does nothing when it has ended. */
  cancel(reason?: unknown): void;
}

/** A run of an agent under way. */
export interface AgentRun<Value = any> extends TextRun<AgentEvent<Value>, AgentResult<Value>> {}

/** The events of a run of an agent; leaving the loop cancels the run. */
export interface AgentStream<Value = any> extends AsyncIterableIterator<AgentEvent<Value>> {
  return(): Promise<IteratorResult<AgentEvent<Value>>>;
}

/** What an agent's run gives: what its `output` says, or a text. */
export type ValueOf<Output> = Output extends undefined ? string : TypeOf<Output>;

/** An agent, with the type of its answer. */
export interface Agent<Output extends Schema | undefined = any> {
  /** What people call the agent. */
  readonly name: string;
  /** The model that answers. */
  readonly model: Model;
  /** The system message. */
  readonly instructions?: string;
  /** Parameters for the request body that win over the model's own. */
  readonly params?: ModelParams;
  /** Models that are called when those before them fail. */
  readonly fallbacks: readonly Model[];
  /** Whether it has to call a tool. */
  readonly toolChoice?: ToolChoice;
  /** What its answer must be. */
  readonly output?: Output;
  /** How many times its model may be called for one answer. */
  readonly maxTurns?: number;
  /** Bounds on what one answer may use. */
  readonly limits?: AgentLimits;
  /** What its model may call, in the order in which they came. */
  readonly tools: readonly Tool[];
  /**
   * Begins a run of the agent and returns at once.
   *
   * ```ts
   * const run = researcher.start("the garden");
   * setTimeout(() => run.cancel("it took too long"), 10_000);
   * const { status, value } = await run.result;
   * ```
   */
  start(input?: unknown, options?: AgentRunOptions): AgentRun<ValueOf<Output>>;
  /**
   * Calls the model with the input, which is a text, a conversation, or becomes a text as JSON. It is
   * `start(input, options).result`: a failure is data in the result; the promise rejects only when the call itself is
   * wrong or the engine fails.
   *
   * ```ts
   * const { value, status, errors } = await researcher.run("the garden");
   * ```
   */
  run(input?: unknown, options?: AgentRunOptions): Promise<AgentResult<ValueOf<Output>>>;
  /**
   * Begins a run and gives its events; the last one carries the result. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of researcher.stream("the garden")) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(input?: unknown, options?: AgentRunOptions): AgentStream<ValueOf<Output>>;
}

/**
 * What an agent answers, a text where it has no `output`, or a person in an approval step.
 *
 * ```ts
 * const judge = new Agent({ name: "judge", model: demo(), output: { type: "object", properties: { score: { type: "number" } }, required: ["score"] } });
 * type State = { draft: string; judge_output?: AnswerOf<typeof judge> }; // { score: number }
 * ```
 */
export type AnswerOf<Answerer extends Agent | { type: "approval" }> = Answerer extends Agent<infer Output>
  ? ValueOf<Output>
  : Answerer extends { schema?: infer Answer | undefined }
    ? TypeOf<Answer> | (Answerer extends { expired: readonly unknown[] } ? null : never)
    : never;
