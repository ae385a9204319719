import type { Agent } from "./agent.js";
import type { SteppedAgent } from "./stepped.js";
import type { Json, JsonObject, Limits, Price, RetryPolicy } from "./document.js";
import type { Schema, StandardSchema, TypeOf } from "./schema.js";
import type { Step } from "./steps.js";
import type { Workflow, WorkflowWithInput } from "./workflow.js";

/**
 * A workflow as it is written in TypeScript.
 *
 * ```ts
 * const definition: WorkflowDefinition<{ n: number }> = {
 *   name: "double",
 *   initialState: { n: 1 },
 *   steps: [{ name: "times two", run: (state) => ({ n: state.n * 2 }) }],
 * };
 * const workflow = new Workflow(definition);
 * ```
 */
export interface WorkflowDefinition<State = any> {
  name: string;
  description?: string | undefined;
  /** The state every run begins with. It is copied. */
  initialState?: Partial<State> | undefined;
  steps: Step<State>[];
  /** Agents that steps name by a key. */
  agents?: { [id: string]: Agent | SteppedAgent } | undefined;
  /** Prices of models by name, instead of the built-in ones. */
  prices?: { [model: string]: Price } | undefined;
  retryPolicy?: RetryPolicy | undefined;
  onError?: "stop" | "continue" | undefined;
  limits?: Limits | undefined;
  /** The schema of the state when a run starts. */
  input?: Schema | undefined;
  /** The schema of the state when a run ends. */
  output?: Schema | undefined;
  notes?: string | undefined;
  /** Outputs of steps for runs with the option `pins: true`, by the ids of the steps. */
  pins?: JsonObject | undefined;
  [extension: `x-${string}`]: Json;
  /** Never there: a definition that was typed before has its state by it. */
  readonly [stated]?: State;
}

declare const stated: unique symbol;

/** Instead of a type of the state: it follows from `input` and `initialState`. */
export type Inferred = { readonly [inferred]: true };

declare const inferred: unique symbol;

/** A workflow as it is written: with an explicit type of the state, or with the one that follows from `input` and `initialState`. */
export interface TypedDefinition<State, Input extends Schema | undefined, Initial extends object | undefined, Agents extends NamedAgents = NamedAgents>
  extends Omit<WorkflowDefinition, "input" | "initialState" | "steps" | "agents" | typeof stated> {
  /** Never there: see {@link WorkflowDefinition}. */
  readonly [stated]?: State;
  /** The schema of the state when a run starts. */
  input?: ([State] extends [Inferred] ? Input : Schema) | undefined;
  /** The state every run begins with. It is copied. */
  initialState?: ([State] extends [Inferred] ? Initial : Partial<NoInfer<State>>) | undefined;
  steps: Step<NoInfer<StateOf<State, Input, Initial>>, NoInfer<NameOf<Agents>>>[];
  /** Agents that steps name by a key. */
  agents?: Agents | undefined;
}

type NamedAgents = { readonly [id: string]: Agent | SteppedAgent };

/** What steps may call agents: as these are called, where their names are known. */
type NameOf<Agents> = string extends keyof Agents ? string : keyof Agents & string;

/** The state of a workflow: of the explicit type, or of the types of `input` and `initialState`, to which steps may add keys of any type. */
export type StateOf<State, Input, Initial> = [State] extends [Inferred]
  ? [Input, Initial] extends [undefined, undefined]
    ? any
    : SchemaState<Input> & Given<Initial> & { [key: string]: any }
  : State;

/**
 * What such a workflow begins with: as {@link StateOf}, but with what a library's schema takes in place of what it makes of that.
 * What the initial state has need not be given.
 */
export type InputOf<State, Input, Initial> = [State] extends [Inferred]
  ? [Input, Initial] extends [undefined, undefined]
    ? any
    : Beside<SchemaInput<Input>, Initial> & { [key: string]: any }
  : State;

type Given<Initial> = [Initial] extends [undefined] ? {} : Initial;

type SchemaState<Input, Side extends "made" | "given" = "made"> = [Input] extends [undefined] ? {} : unknown extends TypeOf<Input, Side> ? {} : TypeOf<Input, Side>;

type SchemaInput<Input> = Input extends StandardSchema<infer Taken, any> ? (unknown extends Taken ? {} : Taken) : SchemaState<Input, "given">;

/** What has to be given beside an initial state, whose keys may be given too. */
type Beside<Taken, Initial> = [Initial] extends [undefined]
  ? Taken
  : Taken extends unknown
    ? { [Key in keyof Taken as Key extends keyof Initial ? never : Key]: Taken[Key] } & { [Key in keyof Taken as Key extends keyof Initial ? Key : never]?: Taken[Key] } & Partial<Initial>
    : never;

/** The workflow that a definition makes: where a library's schema has keys that nothing else gives, its runs have to be given them. */
type Made<State, Taken, Input, Initial> = [Input] extends [StandardSchema<infer Given, any>]
  ? {} extends Beside<Given, Initial>
    ? Workflow<State, Taken>
    : WorkflowWithInput<State, Taken>
  : Workflow<State, Taken>;

/** How a workflow is made: with a type argument for its state, or with the state that its definition begins with. */
export interface MadeOfDefinition {
  new <
    State = Inferred,
    const Input extends Schema | undefined = undefined,
    Initial extends object | undefined = undefined,
    Agents extends NamedAgents = NamedAgents,
  >(
    definition: TypedDefinition<State, Input, Initial, Agents>,
  ): Made<StateOf<State, Input, Initial>, InputOf<State, Input, Initial>, Input, Initial>;
  readonly prototype: Workflow;
}
