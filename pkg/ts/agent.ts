import { Chain } from "./chain/chain.js";
import type { AgentContext } from "./chain/context.js";
import type { CustomRun, CustomRunFunction, StepCalls } from "./chain/custom.js";
import { SAMPLING, TYPES, type ModelSource, type StepRecord, type StepType } from "./chain/record.js";
import type { AgentResult, AgentRun, AgentRunOptions, AgentStream } from "./chain/run.js";
import type { SelectionOptions } from "./chain/selection.js";
import type { AgentTool, ToolChanges } from "./chain/toolbox.js";
import type { JsonObject, Limits, RetryPolicy } from "./document.js";
import { StepweaveError } from "./errors.js";
import type { Model } from "./models.js";
import { refuseUnknown } from "./options.js";
import type { Tool, ToolFunction } from "./tool.js";

/** What an agent is made of. */
export interface AgentDefinition extends SelectionOptions {
  /** What people call the agent. */
  name: string;
  model: Model;
  /** The system message. */
  instructions?: string | undefined;
  /** Parameters for the request body that win over the model's own. */
  params?: JsonObject | undefined;
  /** What `agent.run(input)` does, in order: made by `think`, `act`, `observe`, `synthesize` and `step`. */
  steps?: readonly StepRecord[] | undefined;
  /** What `agent.run(input)` does in place of that: it calls the steps itself. */
  run?: CustomRunFunction | CustomRun | undefined;
  /** How steps that failed are repeated. Without it, only those that say so are, and at once. */
  retryPolicy?: RetryPolicy | undefined;
  /** Bounds on what a run may use. */
  limits?: Limits | undefined;
  /** Functions that a model may use: steps of the agent choose among them. */
  tools?: readonly AgentTool[] | undefined;
  /** The model that chooses among the tools; the agent's own when absent. */
  toolModel?: ModelSource;
  /** How many earlier interactions `agent.context` keeps; 10 when absent. */
  maxHistorySize?: number | undefined;
}

const OPTIONS = ["name", "model", "instructions", "params", "steps", "run", "retryPolicy", "limits", "maxHistorySize", "tools", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel"];

/**
 * A model with instructions, to be asked in a step of a workflow:
 *
 * ```ts
 * const researcher = new Agent({
 *   name: "researcher",
 *   model: openai("gpt-5-mini"),
 *   instructions: "You find facts and name your sources.",
 * });
 * ```
 *
 * or with steps of its own, to be run by itself:
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
export class Agent {
  /** What people call the agent. */
  readonly name: string;
  /** The model that answers. */
  readonly model: Model;
  /** The system message. */
  readonly instructions?: string;
  /** Parameters for the request body that win over the model's own. */
  readonly params?: JsonObject;
  readonly #chain: Chain;

  constructor(definition: AgentDefinition) {
    refuseUnknown(definition, OPTIONS, "an agent");
    const { name, model, instructions, params } = definition;
    if (typeof name !== "string" || name.trim() === "") {
      throw new StepweaveError("validation", "an agent needs a name", { hint: 'write new Agent({ name: "researcher", … })' });
    }
    if (typeof model !== "object" || model === null || typeof model.model !== "string" || model.model === "") {
      throw new StepweaveError("validation", `the agent ${name} needs a model`, {
        hint: 'write model: openai("gpt-5-mini"), or model: demo() to try it offline',
      });
    }
    this.name = name;
    this.model = model;
    if (instructions !== undefined) this.instructions = instructions;
    if (params !== undefined) this.params = params;
    this.#chain = new Chain(definition);
    Object.freeze(this);
  }

  /**
   * Begins a run of the agent's steps and returns at once.
   *
   * ```ts
   * const run = planner.start("the garden");
   * setTimeout(() => run.cancel("it took too long"), 10_000);
   * const { status, value } = await run.result;
   * ```
   */
  start(input?: unknown, options?: AgentRunOptions): AgentRun {
    return this.#chain.start(input, options);
  }

  /**
   * Runs the agent's steps: `start(input, options).result`. A step's failure is data in the result; the promise
   * rejects only when the call itself is wrong or the engine fails.
   *
   * ```ts
   * const { value, results, status, errors } = await planner.run("the garden");
   * ```
   */
  run(input?: unknown, options?: AgentRunOptions): Promise<AgentResult> {
    return this.#chain.start(input, options).result;
  }

  /**
   * Begins a run and gives its events; the last one carries the result. The last step tells its text in pieces, unless
   * the option `stream` says otherwise. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of planner.stream("the garden")) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(input?: unknown, options?: AgentRunOptions): AgentStream {
    return this.#chain.stream(input, options);
  }

  /**
   * Gives the agent one more tool, from its next run on.
   *
   * ```ts
   * agent.registerTool(({ a, b }) => a + b, { name: "add", description: "Adds two numbers.", scopes: ["act"] });
   * ```
   */
  registerTool(tool: Tool | ToolFunction, changes?: ToolChanges): Tool {
    return this.#chain.setting.toolbox.add(tool, changes);
  }

  /** The tools that steps of a type may use, in the order in which they came; all of them without one. */
  listTools(scope?: StepType | "all" | (string & {})): readonly Tool[] {
    return this.#chain.setting.toolbox.list(scope);
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
    return this.#chain.context;
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
    this.#chain.context.clear();
  }

  /** As {@link Agent.resetContext}; the steps stay, so the agent can be run again. */
  reset(): void {
    this.#chain.context.clear();
  }
}
