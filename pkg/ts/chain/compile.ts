import { Agent } from "../agent.js";
import type { JsonObject } from "../document.js";
import { StepweaveError } from "../errors.js";
import type { Model } from "../models.js";
import type { AgentStep, FunctionStep, RunContext, SessionState } from "../types.js";
import type { Setting } from "./chain.js";
import { collected } from "./collect.js";
import type { AgentContext } from "./context.js";
import { modelNamed, requestParams, takesSampling } from "./endpoint.js";
import { engineFields } from "./fields.js";
import { inputsFor } from "./inputs.js";
import { isModel } from "./model.js";
import type { StepRecord } from "./record.js";
import type { AgentRunOptions } from "./run.js";
import { outputKey, type ChainState, type StepTable } from "./state.js";
import { StepContext } from "./step-context.js";
import type { Teller } from "./teller.js";

/** What belongs to one run of a workflow that was made of an agent's steps. */
export interface Visit {
  readonly context: AgentContext;
  readonly teller: Teller;
  readonly options: AgentRunOptions;
  /** What the model was asked, by step: a model that is asked again is asked the same. */
  readonly prompts: Map<string, string>;
  /** What the functions of a custom run share with those of the steps that it calls. */
  readonly session?: SessionState;
}

/** The state of a run in which a custom run calls a step: with the arguments that it gives. */
export interface CallState extends ChainState {
  readonly arguments?: readonly unknown[];
}

/**
 * A step as the engine runs it. Its functions find what belongs to their run by the run's id; its own id is its name, so that
 * it stays the same wherever the step is moved.
 */
export function compileStep(step: StepRecord, steps: StepTable, setting: Setting, visitOf: (runId: string) => Visit): AgentStep<CallState> | FunctionStep<CallState> {
  const base = { id: step.name, name: step.name, ...engineFields(step.config), ...(step.description !== undefined && { notes: step.description }) };
  const call = async (state: CallState, run: RunContext): Promise<unknown> => {
    const { context, session = run.sessionState } = visitOf(run.runId);
    // The arguments of a call come with it; the context of a custom run is kept by that run.
    if (state.arguments === undefined) context.follow(state);
    const inputs = state.arguments ?? inputsFor(step, state, steps);
    return collected(await step.func(...inputs, new StepContext(run, context, session)), run);
  };
  if (!step.sendToLlm) {
    return { ...base, run: async (state, run) => resultPatch(step, await call(state, run)) };
  }
  const { params, left } = paramsOf(step, setting);
  const agent = new Agent({ name: step.name, model: modelOf(step, setting), instructions: setting.instructions, params });
  return {
    ...base,
    agent,
    inputFrom: async (state, run) => {
      const { prompts } = visitOf(run.runId);
      const asked = run.attempt > 1 ? prompts.get(step.name) : undefined;
      if (asked !== undefined) return asked;
      if (left !== "") run.log(`${agent.model.model} takes no ${left}: what the type ${step.type} asks for was left out`);
      const prompt = await call(state, run);
      if (typeof prompt !== "string") throw noPrompt(step, prompt);
      prompts.set(step.name, prompt);
      return prompt;
    },
  };
}

function resultPatch(step: StepRecord, value: unknown): object {
  return value === undefined || value === null ? {} : { [outputKey(step.name)]: value };
}

function modelOf({ model }: StepRecord, setting: Setting): Model {
  if (model === undefined) return setting.model;
  return isModel(model) ? model : modelNamed(setting.model, model.name);
}

/** What wins, from the least: the type, the agent's model, the agent, the step. `left` names what its model would refuse. */
function paramsOf(step: StepRecord, setting: Setting): { params: JsonObject; left: string } {
  const { temperature, topP } = step.sampling;
  const wanted = { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) };
  const own = step.model === undefined ? {} : isModel(step.model) ? step.model.params : requestParams(step.model);
  // A model that comes whole has nothing of the one that it takes the place of.
  const others = step.model !== undefined && isModel(step.model) ? {} : setting.model.params;
  const said = { ...others, ...setting.params, ...own };
  if (takesSampling(modelOf(step, setting))) return { params: { ...wanted, ...said }, left: "" };
  return { params: said, left: Object.keys(wanted).filter((key) => !Object.hasOwn(said, key)).join(" and no ") };
}

function noPrompt({ name }: StepRecord, returned: unknown): StepweaveError {
  return new StepweaveError("handler", `the step \`${name}\` returned ${kindOf(returned)}, not the text of a prompt`, {
    hint: "return a text; a step that computes its result itself has sendToLlm: false",
  });
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : "an object";
}
