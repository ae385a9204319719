import { StepweaveError } from "../../api/errors.js";
import type { AgentTool } from "../../authoring/agent-tools.js";
import type { AgentStep, WorkflowStep } from "../../api/steps.js";
import { RUN_OPTIONS } from "../../run/option-names.js";
import { optionsFrom, quoted } from "../../schema/options.js";
import { nestedStep } from "../compile/nested.js";
import { textStepOf } from "../compile/streaming.js";
import { Check, type Kinds } from "../definition/check.js";
import { CustomRun, type CustomRunFunction, type StepCalls } from "../definition/custom.js";
import { OF_HELPERS, refuseExclusions } from "../definition/exclusions.js";
import { Members, twoSteps } from "../definition/members.js";
import type { ModelSource } from "../definition/options.js";
import { modelOf, StepRecord } from "../definition/record.js";
import type { Setting } from "../definition/setting.js";
import { selectionOf, type SelectionOptions, type ToolSelection } from "../tools/selection.js";
import { Toolbox } from "../tools/toolbox.js";
import { AgentContext } from "./context.js";
import { callTool } from "./direct.js";
import { History } from "./history.js";
import { ChainRun, type ReasoningRunOptions, type ReasoningStream } from "./run.js";
import { Runtime } from "./runtime.js";
import type { StepTable } from "./state.js";

/** How an agent uses its model: in steps, or as a custom run says. */
export interface ChainDefinition extends Omit<Setting, "toolbox" | "toolSelection" | "toolModel">, Readonly<SelectionOptions> {
  readonly tools?: readonly AgentTool[] | undefined;
  readonly toolModel?: ModelSource;
  readonly steps?: readonly StepRecord[] | undefined;
  readonly run?: CustomRunFunction | CustomRun | undefined;
  readonly maxHistorySize?: number | undefined;
}

/** The steps of an agent, and what its runs leave behind. */
export class Chain {
  readonly setting: Setting;
  readonly members: Members;
  readonly history: History;
  /** What is known of the run that began last. */
  context: AgentContext;
  readonly #runtime = new Runtime(this);

  constructor(definition: ChainDefinition) {
    const { name, model, instructions, params, retryPolicy, limits, tools, toolModel, steps, run, maxHistorySize = 10 } = definition;
    const { toolSelection, toolConfidence, maxToolsPerStep } = definition;
    const selection = selectionFor(name, { toolSelection, toolConfidence, maxToolsPerStep, toolModel });
    const toolbox = new Toolbox(name, tools);
    this.setting = { name, model, instructions, params, retryPolicy, limits, toolbox, toolSelection: selection, toolModel: modelOf(toolModel) };
    this.members = new Members(name, tableOf(name, steps), customOf(name, run));
    this.history = new History(maxHistorySize);
    this.context = new AgentContext(this.steps, this.history, Date.now);
  }

  get steps(): StepTable {
    return this.members.steps;
  }

  get custom(): CustomRun | undefined {
    return this.members.custom;
  }

  /** The steps as functions that do this. */
  callsBy(call: (step: StepRecord, inputs: readonly unknown[]) => Promise<any>): StepCalls {
    const called = (step: StepRecord) => (...inputs: unknown[]) => {
      const result = call(step, inputs);
      // If nobody waits for it, the runtime must not report its failure.
      result.catch(() => {});
      return result;
    };
    return Object.freeze(Object.fromEntries([...this.steps.values()].map((step) => [step.name, called(step)])));
  }

  /** What is said to whoever calls a step while no custom run goes on. */
  notRunning({ name }: StepRecord): StepweaveError {
    return wrong(
      `the step \`${name}\` of ${this.setting.name} can be called only while a custom run goes on`,
      `write run: async (input, agent) => agent.steps.${name}(input); without the engine, call the step's \`func\``,
    );
  }

  start(input: unknown, options: ReasoningRunOptions = {}): ChainRun {
    return new ChainRun(options, this.custom === undefined ? textStepOf(this.steps) : undefined, async (run) => this.#runtime.run(run, input, optionsOf(options)));
  }

  /** Begins a run whose last step streams, unless the options say otherwise. */
  stream(input: unknown, options: ReasoningRunOptions = {}): ReasoningStream {
    return this.start(input, { stream: true, ...optionsOf(options) }).stream();
  }

  /** The step of a workflow that runs the steps. */
  asStep(step: AgentStep, id: string): WorkflowStep {
    return nestedStep(this, step, id);
  }

  /** Calls a tool without a model. */
  async useTool(name: string, args: object = {}, options: ReasoningRunOptions = {}): Promise<unknown> {
    const tool = this.setting.toolbox.find(name);
    return callTool(tool, args, optionsOf(options));
  }
}

function optionsOf(options: ReasoningRunOptions): ReasoningRunOptions {
  const given = optionsFrom(options, ["stream", ...RUN_OPTIONS], "a run");
  const { stream } = given;
  if (stream === undefined || typeof stream === "boolean") return given;
  throw wrong(`the option \`stream\` is ${quoted(stream)}`, "write true for the last step's text in chunks or false for none, or leave it out");
}

const SELECTION_KINDS: Kinds = { toolSelection: "an object", toolConfidence: "a number", maxToolsPerStep: "a whole number", toolModel: undefined };

function selectionFor(agent: string, options: SelectionOptions & { readonly toolModel?: ModelSource }): ToolSelection | undefined {
  const check = new Check(`the agent ${agent}`);
  check.options(options, SELECTION_KINDS);
  refuseExclusions(options, check, OF_HELPERS);
  const selection = selectionOf(options, check);
  check.done();
  return selection;
}

function tableOf(agent: string, steps: readonly StepRecord[] | undefined): Map<string, StepRecord> {
  const table = new Map<string, StepRecord>();
  if (steps !== undefined && !Array.isArray(steps)) throw wrong(`the steps of ${agent} are no list`, "write steps: [think(…), act(…)]");
  for (const [index, step] of (steps ?? []).entries()) {
    if (!(step instanceof StepRecord)) throw wrong(`steps[${index}] of ${agent} is no step`, "make one with think(…), act(…), observe(…), synthesize(…) or step(…)");
    if (table.has(step.name)) throw twoSteps(agent, step.name);
    table.set(step.name, step);
  }
  return table;
}

function customOf(agent: string, run: unknown): CustomRun | undefined {
  if (run === undefined || run instanceof CustomRun) return run;
  if (typeof run === "function") return new CustomRun(run as CustomRunFunction, undefined);
  throw wrong(`the custom run of ${agent} is no function`, "write run: async (input, agent) => …; an agent has exactly one");
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
