import type { Agent } from "./agent.js";
import type { Attempted, Exit, Expressions, ForeachRules, History, Json, LoopRules, Wait } from "./document.js";
import type { Files, Handler, InputFrom, Items, Predicate } from "./functions.js";
import type { HttpRequestDocument, OnUnknown } from "./http.js";
import type { SteppedAgent } from "./stepped.js";
import type { Schema } from "./schema.js";
import type { Workflow } from "./workflow.js";

/** What every step has. */
export interface StepBase {
  /** The step's name; an agent's answer goes to `<name>_output`. */
  name: string;
  /**
   * Unique in the workflow; journals and answers refer to the step by it, so set it where a step should keep them under
   * another name or path. When absent it is the name, prefixed with the id of the parent step (`review`,
   * `each.price`, `check.else.mend`), and for steps with the same name in one block the position is added (`review~1of2`).
   */
  id?: string | undefined;
  /** `false` lets the run continue when the step fails. */
  required?: boolean | undefined;
  /** `false` leaves the step out, as if it did not exist. */
  enabled?: boolean | undefined;
  /** What a failure does, instead of the workflow's setting. */
  onError?: "stop" | "continue" | undefined;
  /** The schema of the state when the step begins. The functions of a step have its type in `agentStep`, `conditionStep` and `functionStep`. */
  input?: Schema | undefined;
  /**
   * The schema of the step's result: a function's patch, an agent's answer, the list of a foreach, the `{ iterations }` of a
   * loop, true for a condition, the index of a case; for a parallel and a sequence the state after them.
   */
  output?: Schema | undefined;
  /** `true` converts values of a wrong type whose meaning is unambiguous, such as `"3"` for a number. */
  coerce?: boolean | undefined;
  notes?: string | undefined;
  /** Custom keys stay in the document. */
  [extension: `x-${string}`]: Json;
}

/**
 * What every step has but a foreach: no list and no name for its items. As an index signature, it says so to the compiler and no
 * editor offers the keys. The pattern has `items` and `as`, and what goes on in upper case.
 */
interface WithoutItems extends StepBase {
  [key: `${"items" | "as"}${Uppercase<string>}`]: ForeachOnly | undefined;
}

/** Runs an agent; the answer becomes `<name>_output`. */
export interface AgentStep<State = any, Name extends string = any> extends WithoutItems, Attempted {
  type?: "agent" | undefined;
  /**
   * The agent, or a key of the workflow's `agents`. The steps of a `ReasoningAgent` run as a nested workflow; `retryCount` and
   * `timeoutMs` hold for those of them that set none.
   */
  agent: Agent | SteppedAgent | `${Name}`;
  /** The input of the agent: a template or a function. The whole state as JSON text when absent. */
  inputFrom?: string | InputFrom<State> | undefined;
  /** The images and files that belong to the input: an expression for a list of {@link InputPart}, or a function. */
  files?: string | Files<State> | undefined;
  /** The conversation in the state that the agent continues; its input and its answer are appended. */
  history?: StepHistory<Name> | undefined;
  /** `true` makes the output an {@link AgentResponse}: the answer with its reasoning, tool calls, usage and model. */
  fullResponse?: boolean | undefined;
}

/** The conversation that an agent step continues, as it is written in TypeScript. */
export interface StepHistory<Name extends string = any> extends Omit<History, "summary"> {
  /**
   * The agent that sums up the older messages, instead of their being dropped, or a key of the workflow's `agents`. It has no
   * tools and answers with a text.
   */
  summary?: Agent | `${Name}` | undefined;
}

/** Computes a patch of the state. */
export interface FunctionStep<State = any> extends WithoutItems, Attempted {
  type?: "function" | undefined;
  /**
   * A function, an expression for each key to set, or JavaScript that runs in a sandbox (`stepweave/sandbox`). The function sees
   * the type of the workflow's state. Use `functionStep` to have it typed by the step's own `input`.
   */
  run: Handler<State> | { set: Expressions } | { code: string };
  /** Change it when the function does something else: journal entries of an older version are then not reused. */
  version?: string | undefined;
}

/** Sends an HTTP request; what it gives becomes `<name>_output`. */
export interface HttpStep extends WithoutItems, Attempted {
  type?: "http" | undefined;
  /** The request: its templates see the state. */
  http: HttpRequestDocument;
  /** What is done about a POST or PATCH that may have been carried out and has no answer; `fail` when absent. */
  onUnknown?: OnUnknown | undefined;
}

/** Takes one of two branches. */
export interface ConditionStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type?: "condition" | undefined;
  /** An expression such as `score > 3`, or a function. */
  condition: string | Predicate<State>;
  /** Run when it is true. */
  steps: Inside[];
  /** Run when it is false. */
  else?: Inside[] | undefined;
}

/** Runs its members at the same time, each from the same state. */
export interface ParallelStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type?: "parallel" | undefined;
  parallel: Inside[];
  /** How many members may run at once, including those that wait for a person; all of them when absent. */
  concurrency?: number | undefined;
  /** What happens to a key that two members write: a warning (the default) or an error. */
  onConflict?: "warn" | "error" | undefined;
}

/** Runs steps in order, as one step: a lane of a parallel, for example. */
export interface SequenceStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type?: "sequence" | undefined;
  steps: Inside[];
  /** A loop has it, which also says how many rounds there are at most. */
  repeat?: undefined;
}

/** Runs the first case whose condition is true. */
export interface SwitchStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type?: "switch" | undefined;
  /** Each way with its condition; `name` is what people call it. */
  cases: { name?: string | undefined; when: string | Predicate<State>; steps: Inside[] }[];
  /** Run when no case is true. */
  default: Inside[];
}

/** Runs steps once for each item of a list; the results, in the order of the items, become `<name>_output`. */
export interface ForeachStep<State = any, Name extends string = any> extends StepBase, ForeachRules {
  type?: "foreach" | undefined;
  /** An expression for the list, or a function. */
  items: string | Items<State>;
  /** They see the state outside and the item, whose type is not known. */
  steps: OpenStep<State & { [key: string]: any }, Name>[];
}

/** Repeats steps. */
export interface LoopStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems, LoopRules {
  type?: "loop" | undefined;
  /** `while` is evaluated before each round, `until` after it. */
  repeat: { while: string | Predicate<State>; until?: undefined } | { until: string | Predicate<State>; while?: undefined };
  steps: Inside[];
}

/**
 * Runs steps over a separate state. With `type: "workflow"` their functions see a state of any type; without it, the types of the
 * state outside.
 */
export interface WorkflowStep<State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type?: "workflow" | undefined;
  /**
   * A workflow whose steps these are, with its `input`, `output`, `initialState`, `onError`, `agents` and `prices`. Of its retry
   * policy `maxRetries` and of its limits `stepTimeoutMs` apply to its steps; the waits between attempts and the other limits
   * are those of the outer workflow.
   */
  workflow?: Workflow<any> | undefined;
  /** The steps, if no workflow is given. */
  steps?: Inside[] | undefined;
  initialState?: object | undefined;
  /** The inner state, an expression over the outer state for each key; the whole outer state when absent. */
  with?: Expressions | undefined;
  /** The values to set in the outer state, an expression over the inner state for each key. The whole inner state becomes `<name>_output` when absent. */
  set?: Expressions | undefined;
}

/** Waits for a time. */
export interface WaitStep extends WithoutItems {
  type?: "wait" | undefined;
  wait: Wait;
}

/**
 * Waits for a person's answer, which becomes `<name>_output`. Until there is one, the run is suspended. Steps in it run after a
 * yes, a no, or when nobody has answered in time.
 */
export interface ApprovalStep<Answer extends Schema | undefined = Schema | undefined, State = any, Name extends string = any, Inside = Step<State, Name>> extends WithoutItems {
  type: "approval";
  /** A template: the message to the person. */
  message?: string | undefined;
  /** What the answer must be; a schema of a library may also change it. `pending` has it as JSON Schema. */
  schema?: Answer | undefined;
  /** Whether the answer is a yes: an expression over it as `output`, such as `output.score > 3`, or a function. `output.approved` when absent. */
  approved?: string | Predicate<State> | undefined;
  /** Run after a yes. */
  steps?: Inside[] | undefined;
  /** Run after a no. */
  else?: Inside[] | undefined;
  /** Milliseconds that a person has to answer, from the first request on. */
  expiresMs?: number | undefined;
  /** Run when nobody answered in time; the answer is `null` then. Without it that is a failure with the code `timeout`. */
  expired?: Inside[] | undefined;
}

/** Ends the run, a round of a loop, or an item of a foreach. */
export interface EndStep extends WithoutItems {
  type?: "end" | undefined;
  /** What ends, and how; `{}` ends the run well. */
  end: Exit;
}

/**
 * A step as it is written in TypeScript. Its `type` follows from its keys. `Name` is what it may call those of the workflow's
 * `agents`; where it is left out, steps are given to workflows with any.
 *
 * The compiler gives the functions in a step's own `steps` a type only if every kind that the step may be agrees on it. Where a
 * state may have any key, all kinds do. Where it has a fixed set of keys, only a foreach adds one to them.
 */
export type Step<State = any, Name extends string = any> = string extends keyof State ? OpenStep<State, Name> : ClosedStep<State, Name>;

/** A step whose state may have any key. */
export type OpenStep<State, Name extends string> = Kind<State, Name, "open"> | NoStep;

/** A step whose state has a fixed set of keys. */
export type ClosedStep<State, Name extends string> = Kind<State, Name, "closed"> | (NoStep & { items?: undefined; as?: undefined });

/**
 * The steps in a step: in one whose state may have any key, or a fixed set of them. Which it is, is asked once, at the outermost
 * step: the compiler infers no names through a condition within a condition.
 */
type Within<State, Name extends string, Keys extends "open" | "closed"> = { open: OpenStep<State, Name>; closed: ClosedStep<State, Name> }[Keys];

type Kind<State, Name extends string, Keys extends "open" | "closed"> =
  | AgentStep<State, Name>
  | FunctionStep<State>
  | HttpStep
  | ConditionStep<State, Name, Within<State, Name, Keys>>
  | ParallelStep<State, Name, Within<State, Name, Keys>>
  | SequenceStep<State, Name, Within<State, Name, Keys>>
  | SwitchStep<State, Name, Within<State, Name, Keys>>
  | ForeachStep<State, Name>
  | LoopStep<State, Name, Within<State, Name, Keys>>
  | WaitStep
  | EndStep
  | ApprovalStep<Schema | undefined, State, Name, Within<State, Name, Keys>>
  | (WorkflowStep<any, Name> & { type: "workflow" })
  | WorkflowWith<"workflow", State, Name, Keys>
  | WorkflowWith<"with", State, Name, Keys>
  | WorkflowWith<"set", State, Name, Keys>
  | WorkflowWith<"initialState", State, Name, Keys>;

/** A workflow step without `type` has one of the keys that a sequence does not have. */
type WorkflowWith<Key extends keyof OfWorkflow, State, Name extends string, Keys extends "open" | "closed"> = WorkflowStep<State, Name, Within<State, Name, Keys>> & { type?: undefined } & {
  [Given in Key]: NonNullable<OfWorkflow[Given]>;
};

type OfWorkflow = WorkflowStep<any, string, never>;

/**
 * No step is of this kind. The compiler tells kinds apart by a key that is absent only where one kind has it as optional: this one
 * does, and no editor offers it, for its `type` is one that nobody has.
 */
interface NoStep extends StepBase {
  type: typeof nothing;
}

/** What a key of a foreach holds in another kind of step: nothing. An error names it. */
interface ForeachOnly {
  [nothing]: never;
}

declare const nothing: unique symbol;
