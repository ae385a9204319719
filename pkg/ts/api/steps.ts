import type { Agent } from "../authoring/agent.js";
import type { Attempted, Expressions, ForeachRules, History, Json, LoopRules, Wait } from "./document.js";
import type { Files, Handler, InputFrom, Items, Predicate } from "./functions.js";
import type { Schema } from "./schema.js";
import type { Workflow } from "./workflow.js";

/** What every step has. */
export interface StepBase {
  /** What people call the step; an agent's answer goes to `<name>_output`. */
  name: string;
  /**
   * Unique in the workflow; journals and answers refer to the step by it, so set it where a step should keep them under
   * another name or path. When absent it is the name, prefixed with the id of the parent step (`review`,
   * `each.price`, `check.else.mend`), and for steps with the same name in one block the position is added (`review~1of2`).
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

/** Runs an agent; the answer becomes `<name>_output`. */
export interface AgentStep<State = any> extends StepBase, Attempted {
  type?: "agent" | undefined;
  /** The agent, or a key of the workflow's `agents`. */
  agent: Agent | string;
  /** The input of the agent: a template or a function. The whole state as JSON text when absent. */
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
  /** How many members may run at once, including those that wait for a person; all of them when absent. */
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
  /** `while` is evaluated before each round, `until` after it. */
  repeat: { while: string | Predicate<State> } | { until: string | Predicate<State> };
  steps: Step<State>[];
}

/** Runs steps over a separate state. */
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

/** Waits for a person's answer, which becomes `<name>_output`. Until there is one, the run is suspended. */
export interface ApprovalStep extends StepBase {
  type: "approval";
  /** A template: the message to the person. */
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
 * recognises that it is none of them, and with it the state that the functions in its steps see.
 */
type Apart<Kind> = Kind & { [Key in Exclude<"items" | "workflow" | "with" | "set" | "initialState", keyof Kind>]?: never };

/** A workflow step that has one of the keys by which it is no sequence. */
type WorkflowWith<Key extends keyof WorkflowStep> = Apart<WorkflowStep> & { [Given in Key]: NonNullable<WorkflowStep[Given]> };
