import type { Agent as AgentOf, AgentResult, AgentRun, AgentRunOptions, AgentStream, ValueOf } from "../api/agent.js";
import { isInstance, markInAllCopies } from "../api/copies.js";
import type { AgentLimits, ModelParams, ToolChoice } from "../api/document.js";
import { StepweaveError, textOf } from "../api/errors.js";
import type { Model } from "../api/model.js";
import type { Schema } from "../api/schema.js";
import type { Tool } from "../api/tool.js";
import { TextRunHandle } from "../run/handle.js";
import type { Program } from "../run/program.js";
import { nearest } from "../schema/nearest.js";
import { optionsFrom, reading } from "../schema/options.js";
import { AgentTools, type AgentTool } from "./agent-tools.js";
import { schemaFor } from "./guard.js";
import { OwnRun, programOf } from "./own-run.js";

/** What an agent is made of. */
export interface AgentDefinition<Output = Schema | undefined> {
  /** What people call the agent. */
  name: string;
  model: Model;
  /** Models that are called, in this order, when those before them fail. */
  fallbacks?: readonly Model[] | undefined;
  /** The system message. */
  instructions?: string | undefined;
  /** Parameters for the request body that win over the model's own. */
  params?: ModelParams | undefined;
  /** What its model may call: made by `tool`, plain functions, or either with what the agent calls it. */
  tools?: readonly AgentTool[] | undefined;
  /** Whether it has to call a tool; it may when absent. */
  toolChoice?: ToolChoice | undefined;
  /** What the answer must be: it is then a JSON value and no text. */
  output?: Output;
  /** How many times its model may be called for one answer; 10 when absent. */
  maxTurns?: number | undefined;
  /** Bounds on what one answer may use. */
  limits?: AgentLimits | undefined;
}

const OPTIONS = ["name", "model", "fallbacks", "instructions", "params", "tools", "toolChoice", "output", "maxTurns", "limits"];

/** What only agents with steps have. */
const OF_STEPS = ["steps", "run", "retryPolicy", "maxHistorySize", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel"];

const LIMITS = ["maxTokens", "maxCost"];

/** A model with instructions: the constructor that users call. */
class DefinedAgent<Output extends Schema | undefined = any> implements AgentOf<Output> {
  readonly name: string;
  readonly model: Model;
  readonly instructions?: string;
  readonly params?: ModelParams;
  readonly fallbacks: readonly Model[];
  readonly toolChoice?: ToolChoice;
  readonly output?: Output;
  readonly maxTurns?: number;
  readonly limits?: AgentLimits;
  readonly tools: readonly Tool[];
  /** Most agents are called by workflows only, so this is made for the first run of their own. */
  #program: Program | undefined;

  constructor(definition: AgentDefinition<Output>) {
    const { name, model, instructions, params, fallbacks, tools, toolChoice, output, maxTurns, limits } = reading("an agent", () => checked(definition));
    this.name = name;
    this.model = model;
    if (instructions !== undefined) this.instructions = instructions;
    if (params !== undefined) this.params = params;
    this.fallbacks = fallbacks;
    this.tools = tools;
    if (toolChoice !== undefined) this.toolChoice = toolChoice;
    if (output !== undefined) this.output = output;
    if (maxTurns !== undefined) this.maxTurns = maxTurns;
    if (limits !== undefined) this.limits = limits;
    Object.freeze(this);
    markInAllCopies(DefinedAgent);
  }

  /** @internal */
  static get name(): string {
    return "Agent";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, DefinedAgent);
  }

  start(input?: unknown, options?: AgentRunOptions): AgentRun<ValueOf<Output>> {
    return new TextRunHandle(this.#begun(input, options));
  }

  run(input?: unknown, options?: AgentRunOptions): Promise<AgentResult<ValueOf<Output>>> {
    return this.#begun(input, options).result;
  }

  stream(input?: unknown, options?: AgentRunOptions): AgentStream<ValueOf<Output>> {
    return this.#begun(input, options).stream();
  }

  #begun(input: unknown, options: AgentRunOptions | undefined): OwnRun {
    return new OwnRun(this, (this.#program ??= programOf(this)), input, options);
  }
}

/** An agent, with the type of its answer. */
export type Agent<Output extends Schema | undefined = any> = AgentOf<Output>;

/** What makes agents. The type of the answer follows from `output`: it is a text where there is none. */
export interface AgentConstructor {
  new <const Output extends Schema | undefined = undefined>(definition: AgentDefinition<Output>): Agent<Output>;
  readonly prototype: Agent;
}

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
 * Agents that think, act, observe and synthesize in steps of their own are `ReasoningAgent`s of `stepweave/reasoning`.
 */
export const Agent = DefinedAgent as AgentConstructor;

/** What is said of an agent, seen to be right. */
function checked<Output>(definition: AgentDefinition<Output>) {
  const who = typeof definition?.name === "string" ? `the agent ${definition.name}` : "an agent";
  refuseSteps(definition, who);
  const given = optionsFrom(definition, OPTIONS, who);
  const { name, fallbacks = [], toolChoice, limits } = given;
  refuseNameless(given, "new Agent");
  if (!Array.isArray(fallbacks) || ![...fallbacks].every(isModel)) throw wrong(`the fallbacks of the agent ${name} are no models`, 'write fallbacks: [openai("gpt-5-mini")]');
  refuseLimits(name, limits);
  // Its model has to be told what it must be.
  schemaFor(given.output as Schema | undefined, `the \`output\` of the agent ${name}`);
  const tools = new AgentTools(name, given.tools).all;
  const known = toolChoice === undefined ? undefined : knownChoice(name, toolChoice, tools);
  return { ...given, fallbacks: Object.freeze([...fallbacks]), tools, toolChoice: known };
}

/** @internal Refuses an agent without a name or a model; `call` is how one is written. */
export function refuseNameless({ name, model }: { readonly name: unknown; readonly model: unknown }, call: string): void {
  if (typeof name !== "string" || name.trim() === "") throw wrong("an agent needs a name", `write ${call}({ name: "researcher", … })`);
  if (!isModel(model)) throw wrong(`the agent ${name} needs a model`, 'write model: openai("gpt-5-mini"), or model: demo() to try it offline');
}

function refuseSteps(definition: unknown, who: string): void {
  if (typeof definition !== "object" || definition === null) return;
  const given = OF_STEPS.find((key) => (definition as Record<string, unknown>)[key] !== undefined);
  if (given === undefined) return;
  throw wrong(`${who} has \`${given}\`, which only agents with steps have`, 'write import { ReasoningAgent } from "stepweave/reasoning" and new ReasoningAgent({ … }); what a workflow asks has its retry policy there');
}

function refuseLimits(name: string, limits: AgentLimits | undefined): void {
  const stranger = Object.keys(limits ?? {}).find((key) => !LIMITS.includes(key));
  if (stranger === undefined) return;
  const meant = nearest(stranger, LIMITS);
  const hint = "the limits of one answer are maxTokens and maxCost; those of a whole run stand with the workflow";
  throw wrong(`the limits of the agent ${name} have no \`${stranger}\``, meant === undefined ? hint : `did you mean \`${meant}\`?`);
}

function isModel(value: unknown): value is Model {
  if (typeof value !== "object" || value === null) return false;
  const { provider, model } = value as Partial<Model>;
  return typeof provider === "string" && typeof model === "string" && model !== "";
}

function knownChoice(agent: string, choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  if (choice === "auto" || choice === "none" || (choice === "required" && tools.length > 0)) return choice;
  const named = typeof choice === "object" && choice !== null ? choice.tool : undefined;
  if (named !== undefined && tools.some(({ name }) => name === named)) return choice;
  const what = named === undefined ? (choice === "required" ? "has no tool that it could call" : "knows no such toolChoice") : `has no tool called \`${textOf(named)}\``;
  throw wrong(`the agent ${agent} ${what}`, 'write toolChoice: "auto", "required", "none" or { tool: "search" }, and the tool into `tools`');
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
