import type { Limits } from "../../api/document.js";
import { StepweaveError } from "../../api/errors.js";
import { isObject } from "../../api/json.js";
import type { Usage } from "../../api/usage.js";
import type { AgentInput } from "../../api/conversation.js";
import type { RunContext } from "../../api/functions.js";
import type { RunOptions } from "../../api/run.js";
import type { Step } from "../../api/steps.js";
import { Catalog } from "../../authoring/catalog.js";
import { normalise } from "../../authoring/normalise.js";
import { Driver } from "../../run/driver.js";
import { Program } from "../../run/program.js";
import { quoted, reading } from "../../schema/options.js";
import { compileStep } from "../compile/compile.js";
import { ONCE } from "../compile/fields.js";
import { streamingFor } from "../compile/streaming.js";
import type { CallState, OwnVisit } from "../compile/visit.js";
import type { CustomRun, StepCalls } from "../definition/custom.js";
import type { StepRecord } from "../definition/record.js";
import type { Setting } from "../definition/setting.js";
import { collected } from "./collect.js";
import { AgentContext, archive, chainOf, copied, leave, store } from "./context.js";
import type { History } from "./history.js";
import type { ReasoningResult, ReasoningRunOptions, ChainRun } from "./run.js";
import { outputKey, without, type StepTable } from "./state.js";
import { StepContext } from "./step-context.js";
import { Emitter } from "./emitter.js";

/** The id of the step that is a custom run: no identifier, so that no step of an agent can have the same. */
const CUSTOM_ID = "run()";

/** What a run without an input begins with. */
const NO_INPUT = { input: null };

/** What a runtime needs of the steps that it runs. */
export interface RunningChain {
  readonly setting: Setting;
  readonly steps: StepTable;
  readonly custom: CustomRun | undefined;
  readonly history: History;
  context: AgentContext;
  callsBy(call: (step: StepRecord, inputs: readonly unknown[]) => Promise<any>): StepCalls;
  notRunning(step: StepRecord): StepweaveError;
}

/** What runs the steps of an agent: programs of the engine, made of its steps. */
export class Runtime {
  readonly #chain: RunningChain;
  /** Contexts of runs that have ended: what they hold goes into the history when the next run begins. */
  #ended: AgentContext[] = [];
  readonly #visits = new Map<string, OwnVisit>();
  /** By the step that a custom run calls; without one, what a run of the agent is a run of. */
  #programs = new Map<string | undefined, Program>();
  /** How many tools the programs know. */
  #tools = 0;

  constructor(chain: RunningChain) {
    this.#chain = chain;
  }

  async run(run: ChainRun, input: unknown, options: ReasoningRunOptions): Promise<ReasoningResult> {
    const chain = this.#chain;
    this.#refuse();
    const { clock, state } = options;
    const context = reading("the options of a run", () => new AgentContext(chain.steps, chain.history, typeof clock?.now === "function" ? () => clock.now() : Date.now));
    context.setInput(input);
    for (const [key, value] of Object.entries(keptFrom(state))) context.state.set(key, value);
    for (const ended of this.#ended) archive(ended);
    this.#ended = [];
    chain.context = context;
    try {
      return await this.#follow(run, context, options, takesUp(input, options) ? undefined : chainOf(context));
    } finally {
      leave(context);
      this.#ended.push(context);
    }
  }

  /** Without a state, the run begins with that of its journal. */
  #follow(run: ChainRun, context: AgentContext, { stream, ...options }: ReasoningRunOptions, state: CallState | undefined): Promise<ReasoningResult> {
    const { custom, steps } = this.#chain;
    const streaming = streamingFor(stream, steps, custom !== undefined);
    const emitter = new Emitter(run, context, steps, streaming, custom && CUSTOM_ID);
    const visit = { context, emitter, options, streaming, prompts: new Map<string, AgentInput>() };
    const driver = this.#enter(undefined, visit, { ...options, state }, run.id);
    run.heed((reason) => driver.cancel(reason));
    return emitter.follow(driver);
  }

  #enter(called: string | undefined, visit: OwnVisit, options: RunOptions<CallState>, id?: string): Driver {
    const driver = new Driver(this.#program(called, visit.emitter.used), options, id);
    // Its first function is called later: a run begins when its caller has let go.
    this.#visits.set(driver.id, visit);
    const leave = (): void => void this.#visits.delete(driver.id);
    driver.result.then(leave, leave);
    return driver;
  }

  /** `used` is what the calls of a custom run have used before this one. */
  #program(called: string | undefined, used: Usage): Program {
    const { setting } = this.#chain;
    if (setting.toolbox.size !== this.#tools) this.#programs = new Map();
    this.#tools = setting.toolbox.size;
    return this.#programs.get(called) ?? reading(`the agent ${setting.name}`, () => this.#compiled(called, used));
  }

  #compiled(called: string | undefined, used: Usage): Program {
    const { setting, steps, custom } = this.#chain;
    const { name, retryPolicy, limits } = setting;
    const compilation = { steps, setting, visitOf: (run: RunContext) => this.#visits.get(run.runId) as OwnVisit };
    const compiled: Step<CallState>[] = [...steps.values()].map((step) => {
      const compiled = compileStep(step, compilation);
      // Steps that are not called keep their positions, so that the called ones have the same path everywhere.
      return custom === undefined || step.name === called ? compiled : { ...compiled, enabled: false };
    });
    if (custom !== undefined && called === undefined) {
      compiled.push({ id: CUSTOM_ID, name: "run", ...ONCE, notes: custom.description ?? "", run: (state, context) => this.#customRun(custom, state, context) });
    }
    // The time of a custom run is that of the agent's run; the bounds on single steps are for those that it calls.
    const { timeoutMs, ...bounds } = limits ?? {};
    const isWhole = called === undefined && timeoutMs !== undefined;
    const budget = called === undefined ? {} : leftOf(bounds, used);
    const parts = normalise({
      name,
      initialState: NO_INPUT,
      steps: compiled,
      retryPolicy: { maxRetries: 0, backoffMs: 0, ...retryPolicy },
      limits: { ...(isWhole && { timeoutMs }), ...((custom === undefined || called !== undefined) && bounds), ...budget },
    }, new Catalog());
    const program = new Program(parts);
    // What is left of a budget is another amount for each call.
    if (Object.keys(budget).length === 0) this.#programs.set(called, program);
    return program;
  }

  async #customRun(custom: CustomRun, state: CallState, run: RunContext): Promise<object> {
    const chain = this.#chain;
    const visit = this.#visits.get(run.runId) as OwnVisit;
    const { context, emitter } = visit;
    const session = run.sessionState;
    let isOver = false;
    const steps = chain.callsBy(async (step, inputs) => {
      if (isOver) throw chain.notRunning(step);
      return this.#call(step, inputs, { ...visit, session }, run);
    });
    const agent = Object.freeze({ name: chain.setting.name, steps, setInput: (input: unknown) => context.setInput(input) });
    try {
      const output = await collected(await custom.func(state.input, agent, new StepContext(run, context, session)), run);
      return { ...chainOf(context), output: output ?? null };
    } finally {
      isOver = true;
      await emitter.dropCalls();
    }
  }

  async #call(step: StepRecord, inputs: readonly unknown[], visit: OwnVisit, { signal }: RunContext): Promise<any> {
    // A cancelled run may go on for a while in code that does not know of it: nothing new begins in it.
    if (signal.aborted) throw new StepweaveError("cancelled", `the run was cancelled before the step \`${step.name}\` was called`);
    if (inputs.length !== step.inputs) {
      throw new StepweaveError("validation", `the step \`${step.name}\` takes ${step.inputs} inputs, but was called with ${inputs.length}`, {
        hint: "give it what it takes; parameters with a default count only if the step says `inputs`",
      });
    }
    const { context, emitter, options } = visit;
    const { secrets, fetch, clock, allowOrigins, mayReach, relay, trace, files, sessionId, userId, tenantId, metadata, dependencies } = options;
    // What the run may use, all of its calls may use together.
    const limits = options.limits && { ...options.limits, ...leftOf(options.limits, emitter.used) };
    const state = { ...without(chainOf(context), step.name), arguments: inputs.map((input, index) => copied(input, `inputs[${index}]`)) };
    const driver = this.#enter(
      step.name,
      { ...visit, prompts: new Map() },
      { secrets, fetch, clock, limits, allowOrigins, mayReach, relay, trace, files, sessionId, userId, tenantId, metadata, dependencies, signal, state },
    );
    const result = await emitter.called(driver, step.name);
    if (result.status === "suspended") {
      throw wrong(`the step \`${step.name}\` waits for a person, which steps that a custom run calls cannot`, "take tools that need no approval there, or let the agent run its steps in order");
    }
    if (result.status !== "done") throw result.error ?? new StepweaveError("cancelled", `the step \`${step.name}\` was cancelled`);
    const value: unknown = result.state[outputKey(step.name)];
    store(context, step.name, value);
    return value;
  }

  /** Refuses a run that cannot be. A step that is not enabled is not looked at. */
  #refuse(): void {
    const { setting, steps, custom } = this.#chain;
    if (steps.size === 0 && custom === undefined) {
      throw wrong(`the agent ${setting.name} has no steps and no custom run`, "give it `steps`, or ask it in a step of a Workflow");
    }
  }
}

/** Whether a run says nothing of its input, which its journal may tell. */
function takesUp(input: unknown, { journal }: ReasoningRunOptions): boolean {
  return input === undefined && journal !== undefined && journal !== true;
}

/** What the steps of a run begin with. */
function keptFrom(given: unknown): object {
  const state: unknown = copied(given ?? {}, "state");
  if (isObject(state)) return state;
  throw wrong(`the option \`state\` is ${quoted(state)}`, "pass an object with the values that `context.state` begins with, or leave it out");
}

/** What of a run's budget a call may use. Nothing left is the least that can be said: no call of a model takes so little. */
function leftOf({ maxTokens, maxCost }: Limits, { inputTokens, outputTokens, cost = 0 }: Usage): Limits {
  return {
    ...(maxTokens !== undefined && { maxTokens: Math.max(1, maxTokens - inputTokens - outputTokens) }),
    ...(maxCost !== undefined && { maxCost: Math.max(Number.MIN_VALUE, maxCost - cost) }),
  };
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
