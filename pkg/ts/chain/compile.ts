import { Agent } from "../agent.js";
import { StepweaveError } from "../errors.js";
import type { AgentStep, RunContext, Schema, SessionState, Step } from "../types.js";
import type { Setting } from "./chain.js";
import { collected, collecting } from "./collect.js";
import type { AgentContext } from "./context.js";
import { askingParams, usedModel } from "./endpoint.js";
import { engineFields } from "./fields.js";
import { inputsFor } from "./inputs.js";
import type { StepRecord } from "./record.js";
import type { AgentRunOptions } from "./run.js";
import { outputKey, type ChainState, type StepTable } from "./state.js";
import { StepContext } from "./step-context.js";
import type { Streaming } from "./streaming.js";
import type { Teller } from "./teller.js";
import { compileParts } from "./parts.js";

/** What belongs to one run of a workflow that was made of an agent's steps. */
export interface Visit {
  readonly context: AgentContext;
  readonly teller: Teller;
  readonly options: AgentRunOptions;
  readonly streaming: Streaming;
  /** What the model was asked, by step: a model that is asked again is asked the same. */
  readonly prompts: Map<string, string>;
  /** What the functions of a custom run share with those of the steps that it calls. */
  readonly session?: SessionState;
}

/** The state of a run in which a custom run calls a step: with the arguments that it gives. */
export interface CallState extends ChainState {
  readonly arguments?: readonly unknown[];
}

/** What compiling a step takes. */
export interface Compilation {
  readonly steps: StepTable;
  readonly setting: Setting;
  /** What belongs to the run of this id. */
  visitOf(runId: string): Visit;
}

/**
 * A step as the engine runs it. Its functions find what belongs to their run by the run's id; its own id is its name, so that
 * it stays the same wherever the step is moved.
 */
export function compileStep(step: StepRecord, compilation: Compilation): Step<CallState> {
  const { setting, visitOf } = compilation;
  const { enabled, required, attempts } = engineFields(step.config);
  const base = { id: step.name, name: step.name, ...enabled, ...required, ...(step.description !== undefined && { notes: step.description }) };
  const tools = step.sendToLlm && step.useTools ? setting.toolbox.list(step.type) : [];
  const isChecked = step.jsonOutput && (!step.sendToLlm || step.returnType !== undefined);
  if (tools.length > 0 || isChecked) return { ...base, ...compileParts(step, tools, compilation) };
  if (!step.sendToLlm) {
    return {
      ...base,
      ...attempts,
      run: (state, run) => (visitOf(run.runId).streaming(step.name) ? pieces(step, state, run, compilation) : whole(step, state, run, compilation)),
    };
  }
  return {
    ...base,
    ...attempts,
    ...askingOf(step, setting),
    inputFrom: async (state, run) => {
      const { prompts } = visitOf(run.runId);
      const asked = run.attempt > 1 ? prompts.get(step.name) : undefined;
      if (asked !== undefined) return asked;
      const prompt = promptOf(step, await called(step, state, run, compilation));
      prompts.set(step.name, prompt);
      return prompt;
    },
  };
}

/** What the step's function gives, in one piece. */
export async function called(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): Promise<unknown> {
  return collected(await begun(step, state, run, compilation), run);
}

/** The patch of a step that computes its result. */
async function whole(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): Promise<object> {
  return resultPatch(step, await called(step, state, run, compilation));
}

/** The same, telling what an iterator gives as it comes. */
async function* pieces(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): AsyncGenerator<unknown, object> {
  return resultPatch(step, yield* collecting(await begun(step, state, run, compilation), run));
}

function begun(step: StepRecord, state: CallState, run: RunContext, { steps, visitOf }: Compilation): unknown {
  const { context, session = run.sessionState } = visitOf(run.runId);
  // The arguments of a call come with it; the context of a custom run is kept by that run.
  if (state.arguments === undefined) context.follow(state);
  const inputs = state.arguments ?? inputsFor(step, state, steps);
  return step.func(...inputs, new StepContext(run, context, session));
}

/** How a step's model is asked. */
export function askingOf(step: StepRecord, setting: Setting): Pick<AgentStep, "agent" | "fullResponse"> {
  const agent = new Agent({
    name: step.name,
    model: usedModel(step.model, setting.model),
    instructions: setting.instructions,
    params: askingParams(step, setting),
    output: outputOf(step),
  });
  return { agent, ...(step.returnFullResponse && { fullResponse: true }) };
}

/** What the result of a step must be, if it is to be JSON: what it says that it returns, else anything. */
export function outputOf({ jsonOutput, returnType, returns }: StepRecord): Schema | undefined {
  return jsonOutput ? (returnType ?? returns ?? true) : undefined;
}

/** What a step's function gave, as the text that the model is asked. */
export function promptOf({ name }: StepRecord, returned: unknown): string {
  if (typeof returned === "string") return returned;
  throw new StepweaveError("handler", `the step \`${name}\` returned ${kindOf(returned)}, not the text of a prompt`, {
    hint: "return a text; a step that computes its result itself has sendToLlm: false",
  });
}

function resultPatch(step: StepRecord, value: unknown): object {
  return value === undefined || value === null ? {} : { [outputKey(step.name)]: value };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : "an object";
}
