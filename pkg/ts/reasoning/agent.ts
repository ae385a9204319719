import { isInstance, markInAllCopies } from "../api/copies.js";
import type { Limits, ModelParams, RetryPolicy } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Model } from "../api/model.js";
import { AS_STEP, type SteppedAgent } from "../api/stepped.js";
import type { AgentStep } from "../api/steps.js";
import type { AgentTool, ToolChanges } from "../authoring/agent-tools.js";
import { refuseNameless } from "../authoring/agent.js";
import type { Tool } from "../authoring/tool.js";
import { TextRunHandle } from "../run/handle.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import type { CustomRun, CustomRunFunction, StepCalls } from "./definition/custom.js";
import { TAKE } from "./definition/decorator.js";
import type { ModelSource, StepType } from "./definition/options.js";
import { changed, SAMPLING, TYPES, type StepRecord } from "./definition/record.js";
import { Chain } from "./running/chain.js";
import type { AgentContext } from "./running/context.js";
import type { ReasoningResult, ReasoningRun, ReasoningRunOptions, ReasoningStream } from "./running/run.js";
import type { SelectionOptions } from "./tools/selection.js";

/** What an agent with steps is made of. */
export interface ReasoningAgentDefinition extends SelectionOptions {
  /** What people call the agent. */
  name: string;
  model: Model;
  /** The system message. */
  instructions?: string | undefined;
  /** Parameters for the request body that win over the model's own. */
  params?: ModelParams | undefined;
  /** What its steps may use: made by `tool`, plain functions, or either with what the agent calls it. */
  tools?: readonly AgentTool[] | undefined;
  /** The model that chooses among the tools; the agent's own when absent. */
  toolModel?: ModelSource | undefined;
  /** What a run goes through: made by `think`, `act`, `observe`, `synthesize` and `step`. */
  steps?: readonly StepRecord[] | undefined;
  /** Replaces the sequence: it calls the steps itself. */
  run?: CustomRunFunction | CustomRun | undefined;
  /** How steps that failed are repeated. Without it, only those that say so are, and at once. */
  retryPolicy?: RetryPolicy | undefined;
  /** Bounds on what a run may use. */
  limits?: Limits | undefined;
  /** How many earlier interactions `agent.context` keeps; 10 when absent. */
  maxHistorySize?: number | undefined;
}

const OPTIONS = ["name", "model", "instructions", "params", "tools", "steps", "run", "retryPolicy", "limits", "maxHistorySize", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel"];

/** The keys of agents that are run by a step of a workflow. */
const ANSWERING = ["fallbacks", "toolChoice", "output", "maxTurns"] as const;

/**
 * A model with steps that a run goes through, each of which thinks, acts, observes or synthesizes:
 *
 * ```ts
 * const planner = new ReasoningAgent({
 *   name: "planner",
 *   model: openai("gpt-5-mini"),
 *   steps: [
 *     think("analyse", (input) => `Analyse: ${input}`),
 *     synthesize("conclude", (analysis, input) => `Conclude from ${analysis} what to do about ${input}`),
 *   ],
 * });
 * const { text } = await planner.run("the garden");
 * ```
 *
 * A class of one's own has methods for steps:
 *
 * ```ts
 * class Planner extends ReasoningAgent {
 *   @think({ description: "What there is." })
 *   analyse(topic: string) {
 *     return `Analyse: ${topic}`;
 *   }
 *
 *   @synthesize()
 *   conclude(analysis: string, topic: string) {
 *     return `Conclude from ${analysis} what to do about ${topic}`;
 *   }
 * }
 * const { text } = await new Planner({ name: "planner", model: openai("gpt-5-mini") }).run("the garden");
 * ```
 */
export class ReasoningAgent implements SteppedAgent {
  readonly #chain: Chain;

  constructor(definition: ReasoningAgentDefinition) {
    this.#chain = reading("an agent", () => chainOf(definition));
    markInAllCopies(ReasoningAgent);
  }

  /** @internal */
  static get name(): string {
    return "ReasoningAgent";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, ReasoningAgent);
  }

  /** @internal What a decorator has made of the method of this name. What the agent calls is found by that name, and so may stand in a class that extends this one. */
  [TAKE](method: string, made: StepRecord | CustomRun): void {
    if (method in ReasoningAgent.prototype) throw wrong(`the method \`${method}\` of ${this.name} has the name of what every ReasoningAgent has`, "give it another name");
    const call = (...inputs: unknown[]): unknown => (this as unknown as { readonly [name: string]: (...inputs: unknown[]) => unknown })[method]?.(...inputs);
    this.#chain.members.take(method, changed(made, { func: call }), ownersOf(this, method));
  }

  /** What people call the agent. */
  get name(): string {
    return this.#chain.setting.name;
  }

  /** The model that its steps call, unless they name another one. */
  get model(): Model {
    return this.#chain.setting.model;
  }

  /** The system message. */
  get instructions(): string | undefined {
    return this.#chain.setting.instructions;
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
  start(input?: unknown, options?: ReasoningRunOptions): ReasoningRun {
    return new TextRunHandle(this.#chain.start(input, options));
  }

  /**
   * Runs the agent's steps, or its custom run. It is `start(input, options).result`: a failure is data in the result; the
   * promise rejects only when the call itself is wrong or the engine fails.
   *
   * ```ts
   * const { value, results, status, errors } = await planner.run("the garden");
   * ```
   */
  run(input?: unknown, options?: ReasoningRunOptions): Promise<ReasoningResult> {
    return this.#chain.start(input, options).result;
  }

  /**
   * Begins a run and gives its events; the last one carries the result. The last step gives its text in pieces, unless
   * the option `stream` says otherwise. Leaving the loop cancels the run.
   *
   * ```ts
   * for await (const event of planner.stream("the garden")) {
   *   if (event.type === "step.delta") process.stdout.write(event.text);
   * }
   * ```
   */
  stream(input?: unknown, options?: ReasoningRunOptions): ReasoningStream {
    return this.#chain.stream(input, options);
  }

  /** The step of a workflow that names this agent: its steps run as a nested workflow. */
  [AS_STEP](step: object, id: string): object {
    return this.#chain.asStep(step as AgentStep, id);
  }

  /** What its steps may use, in the order in which they came. */
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
   * planner.registerTool(({ a, b }) => a + b, { name: "add", description: "Adds two numbers.", scopes: ["act"] });
   * ```
   */
  registerTool(tool: AgentTool, changes?: ToolChanges): Tool {
    return reading("a tool of an agent", () => this.#chain.setting.toolbox.add(tool, changes));
  }

  /**
   * Calls a tool by its name, without a model. What is wrong with the call, or with the tool, is an error with the code `tool`.
   *
   * ```ts
   * const sum = await planner.useTool("add", { a: 1, b: 2 });
   * ```
   */
  useTool(name: string, args?: object, options?: ReasoningRunOptions): Promise<any> {
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
    if (type !== undefined && (typeof type !== "string" || !Object.hasOwn(SAMPLING, type))) {
      throw new StepweaveError("validation", `there is no type of step ${quoted(type)}`, { hint: `use ${TYPES}` });
    }
    const steps = [...this.#chain.steps.values()];
    return type === undefined ? steps : steps.filter((step) => step.type === type);
  }

  /** Forgets the last run: its input, its results and what its steps kept. The history stays. */
  resetContext(): void {
    this.#chain.context.clear();
  }

  /** As {@link ReasoningAgent.resetContext}; the steps stay, so the agent can be run again. */
  reset(): void {
    this.#chain.context.clear();
  }
}

/** How many classes of an agent define a method. */
function ownersOf(agent: ReasoningAgent, method: string): number {
  let count = 0;
  for (let owner: object | null = agent; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) if (Object.hasOwn(owner, method)) count += 1;
  return count;
}

/** What runs the agent's steps, when what is said of it is right. */
function chainOf(definition: ReasoningAgentDefinition): Chain {
  const who = typeof definition?.name === "string" ? `the agent ${definition.name}` : "an agent";
  const said: { readonly [key: string]: unknown } = { ...definition };
  const lost = ANSWERING.find((key) => said[key] !== undefined);
  if (lost !== undefined) throw wrong(`${who} has \`${lost}\` beside steps of its own`, "leave it out: it is for an `Agent` of stepweave, whose model answers the input");
  const given = optionsFrom(definition, OPTIONS, who);
  refuseNameless(given, "new ReasoningAgent");
  return new Chain(given);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
