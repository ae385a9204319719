import { knownInAllCopies } from "../api/copies.js";
import type { Limits, ModelParams, RetryPolicy, ToolChoice } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Model } from "../api/model.js";
import type { TypeOf, Schema } from "../api/schema.js";
import type { CustomRun, CustomRunFunction, StepCalls } from "../reasoning/definition/custom.js";
import { SAMPLING, TYPES, type ModelSource, type StepRecord, type StepType } from "../reasoning/definition/record.js";
import { answering } from "../reasoning/running/answering.js";
import { Chain } from "../reasoning/running/chain.js";
import type { AgentContext } from "../reasoning/running/context.js";
import type { AgentResult, AgentRun, AgentRunOptions, AgentStream } from "../reasoning/running/run.js";
import type { SelectionOptions } from "../reasoning/tools/selection.js";
import type { AgentTool, ToolChanges } from "../reasoning/tools/toolbox.js";
import { refuseUnknown } from "../schema/options.js";
import type { Tool } from "./tool.js";

/** What an agent is made of. */
export interface AgentDefinition<Output = Schema | undefined> extends SelectionOptions {
  /** What people call the agent. */
  name: string;
  model: Model;
  /** Models that are called, in this order, when those before them fail. */
  fallbacks?: readonly Model[] | undefined;
  /** The system message. */
  instructions?: string | undefined;
  /** Parameters for the request body that win over the model's own. */
  params?: ModelParams | undefined;
  /** What its model may call, or its steps may use: made by `tool`, plain functions, or either with what the agent calls it. */
  tools?: readonly AgentTool[] | undefined;
  /** The model that chooses among the tools for steps; the agent's own when absent. */
  toolModel?: ModelSource | undefined;
  /** Whether it has to call a tool; it may when absent. */
  toolChoice?: ToolChoice | undefined;
  /** What the answer must be: it is then a JSON value and no text. */
  output?: Output;
  /** How many times its model may be called for one answer; 10 when absent. */
  maxTurns?: number | undefined;
  /** The steps that `agent.run(input)` runs instead of calling the model with the input: made by `think`, `act`, `observe`, `synthesize` and `step`. */
  steps?: readonly StepRecord[] | undefined;
  /** Replaces the sequence of the steps in `agent.run(input)`: it calls the steps itself. */
  run?: CustomRunFunction | CustomRun | undefined;
  /** How steps that failed are repeated. Without it, only those that say so are, and at once. */
  retryPolicy?: RetryPolicy | undefined;
  /** Bounds on what one answer may use: `maxTokens` and `maxCost`; with steps, on what a run may use. */
  limits?: Limits | undefined;
  /** How many earlier interactions `agent.context` keeps; 10 when absent. */
  maxHistorySize?: number | undefined;
}

/**
 * What an agent answers.
 *
 * ```ts
 * const judge = new Agent({ name: "judge", model: demo(), output: { type: "object", properties: { score: { type: "number" } }, required: ["score"] } });
 * type State = { draft: string; judge_output?: AnswerOf<typeof judge> }; // { score: number }
 * ```
 */
export type AnswerOf<Asked extends Agent> = Asked extends Agent<infer Output> ? TypeOf<Output> : never;

const OPTIONS = ["name", "model", "fallbacks", "instructions", "params", "tools", "toolChoice", "output", "maxTurns", "steps", "run", "retryPolicy", "limits", "maxHistorySize", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel"];

/** The keys of agents that are run by a step. */
const ANSWERING = ["fallbacks", "toolChoice", "output", "maxTurns"] as const;

/** What an agent's run gives: what its `output` says; whatever its last step gave, where it has steps. */
type ValueOf<Output> = Output extends undefined ? any : TypeOf<Output>;

/**
 * A model with instructions, which runs in a step of a workflow, or on its own:
 *
 * ```ts
 * const researcher = new Agent({
 *   name: "researcher",
 *   model: openai("gpt-5-mini"),
 *   instructions: "You find facts and name your sources.",
 * });
 * const { text } = await researcher.run("Which bees make honey?");
 * ```
 *
 * or with steps, which a run goes through:
 *
 * ```ts
 * const planner = new Agent({
 *   name: "planner",
 *   model: openai("gpt-5-mini"),
 *   steps: [
 *     think("analyse", (input) => `Analyse: ${input}`),
 *     synthesize("conclude", (analysis, input) => `Conclude from ${analysis} what to do about ${input}`),
 *   ],
 * });
 * const { text } = await planner.run("the garden");
 * ```
 */
export class Agent<const Output extends Schema | undefined = any> {
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
  readonly limits?: Limits;
  readonly #chain: Chain;
  /** What runs: its steps, or the one step that calls it. Most agents without steps are run by workflows only, so it is made for the first run. */
  #run: Chain | undefined;

  constructor(definition: AgentDefinition<Output>) {
    refuseUnknown(definition, OPTIONS, typeof definition?.name === "string" ? `the agent ${definition.name}` : "an agent");
    const { name, model, instructions, params, fallbacks = [], toolChoice, output, maxTurns, limits, steps, run } = definition;
    if (typeof name !== "string" || name.trim() === "") {
      throw new StepweaveError("validation", "an agent needs a name", { hint: 'write new Agent({ name: "researcher", … })' });
    }
    if (!isModel(model)) throw wrong(`the agent ${name} needs a model`, 'write model: openai("gpt-5-mini"), or model: demo() to try it offline');
    if (!Array.isArray(fallbacks) || !fallbacks.every(isModel)) throw wrong(`the fallbacks of the agent ${name} are no models`, 'write fallbacks: [openai("gpt-5-mini")]');
    const lost = ANSWERING.find((key) => definition[key] !== undefined);
    if (lost !== undefined && (steps ?? run) !== undefined) {
      throw wrong(`the agent ${name} has \`${lost}\` beside steps of its own`, "leave it out: it is for agents that a workflow asks in a step");
    }
    this.name = name;
    this.model = model;
    if (instructions !== undefined) this.instructions = instructions;
    if (params !== undefined) this.params = params;
    this.fallbacks = Object.freeze([...fallbacks]);
    this.#chain = new Chain(definition);
    if (toolChoice !== undefined) this.toolChoice = knownChoice(name, toolChoice, this.tools);
    if (output !== undefined) this.output = output;
    if (maxTurns !== undefined) this.maxTurns = maxTurns;
    if (limits !== undefined) this.limits = limits;
    if ((steps ?? run) !== undefined) this.#run = this.#chain;
    Object.freeze(this);
  }

  get #runs(): Chain {
    return (this.#run ??= answering(this));
  }

  /**
   * Begins a run of the agent and returns at once.
   *
   * ```ts
   * const run = planner.start("the garden");
   * setTimeout(() => run.cancel("it took too long"), 10_000);
   * const { status, value } = await run.result;
   * ```
   */
  start(input?: unknown, options?: AgentRunOptions): AgentRun<ValueOf<Output>> {
    return this.#runs.start(input, options);
  }

  /**
   * Runs the agent's steps; without steps, calls its model with the input, which is a text or becomes one as JSON.
   * It is `start(input, options).result`: a failure is data in the result; the promise rejects only when the call
   * itself is wrong or the engine fails.
   *
   * ```ts
   * const { value, results, status, errors } = await planner.run("the garden");
   * ```
   */
  run(input?: unknown, options?: AgentRunOptions): Promise<AgentResult<ValueOf<Output>>> {
    return this.#runs.start(input, options).result;
  }

  /**
   * Starts a run and returns its events; the last one carries the result. The last step streams its text, unless
   * the option `stream` is set. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of planner.stream("the garden")) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(input?: unknown, options?: AgentRunOptions): AgentStream<ValueOf<Output>> {
    return this.#runs.stream(input, options);
  }

  /** What its model may call, or its steps may use, in the order in which they came. */
  get tools(): readonly Tool[] {
    return this.#chain.setting.toolbox.list();
  }

  /** The tools that steps of a type may use, in the order in which they came; all of them without one. */
  listTools(scope?: StepType | "all" | (string & {})): readonly Tool[] {
    return this.#chain.setting.toolbox.list(scope);
  }

  /**
   * Gives the agent one more tool, from its next run on.
   *
   * ```ts
   * agent.registerTool(({ a, b }) => a + b, { name: "add", description: "Adds two numbers.", scopes: ["act"] });
   * ```
   */
  registerTool(tool: AgentTool, changes?: ToolChanges): Tool {
    return this.#chain.setting.toolbox.add(tool, changes);
  }

  /**
   * Calls a tool by its name, without a model. What is wrong with the call, or with the tool, is an error with the code `tool`.
   *
   * ```ts
   * const sum = await agent.useTool("add", { a: 1, b: 2 });
   * ```
   */
  useTool(name: string, args?: object, options?: AgentRunOptions): Promise<any> {
    return this.#chain.useTool(name, args, options);
  }

  /** What the agent knows of the run that began last; empty before the first one. */
  get context(): AgentContext {
    return this.#runs.context;
  }

  /** The steps by name, as functions. They work inside a custom run, which is given its own; here they refuse. */
  get steps(): StepCalls {
    return this.#chain.callsBy(async (step) => Promise.reject(this.#chain.notRunning(step)));
  }

  /** The custom run, if there is one, with its description. */
  get customRun(): CustomRun | undefined {
    return this.#chain.custom;
  }

  /** The step of this name, if there is one. */
  findStep(name: string): StepRecord | undefined {
    return this.#chain.steps.get(name);
  }

  /**
   * The steps of a type, in their order; all of them without one.
   *
   * ```ts
   * for (const step of planner.listSteps("think")) console.log(String(step));
   * ```
   */
  listSteps(type?: StepType): readonly StepRecord[] {
    if (type !== undefined && !Object.hasOwn(SAMPLING, type)) {
      throw new StepweaveError("validation", `there is no type of step ${String(type)}`, { hint: `use ${TYPES}` });
    }
    const steps = [...this.#chain.steps.values()];
    return type === undefined ? steps : steps.filter((step) => step.type === type);
  }

  /** Forgets the last run: its input, its results and what its steps kept. The history stays. */
  resetContext(): void {
    this.#runs.context.clear();
  }

  /** As {@link Agent.resetContext}; the steps stay, so the agent can be run again. */
  reset(): void {
    this.#runs.context.clear();
  }
}
knownInAllCopies(Agent, "Agent");

function isModel(value: unknown): value is Model {
  if (typeof value !== "object" || value === null) return false;
  const { provider, model } = value as Partial<Model>;
  return typeof provider === "string" && typeof model === "string" && model !== "";
}

function knownChoice(agent: string, choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  if (choice === "auto" || choice === "none" || (choice === "required" && tools.length > 0)) return choice;
  const named = typeof choice === "object" && choice !== null ? choice.tool : undefined;
  if (named !== undefined && tools.some(({ name }) => name === named)) return choice;
  const what = named === undefined ? (choice === "required" ? "has no tool that it could call" : "knows no such toolChoice") : `has no tool called \`${named}\``;
  throw wrong(`the agent ${agent} ${what}`, 'write toolChoice: "auto", "required", "none" or { tool: "search" }, and the tool into `tools`');
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
