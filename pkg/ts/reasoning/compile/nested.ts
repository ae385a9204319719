import { StepweaveError } from "../../api/errors.js";
import type { RunContext, SessionState } from "../../api/functions.js";
import { INPUT_STEP } from "../../api/public-event.js";
import type { AgentStep, Step, WorkflowStep } from "../../api/steps.js";
import { Agent } from "../../authoring/agent.js";
import type { CustomRun } from "../definition/custom.js";
import type { Setting } from "../definition/setting.js";
import { AgentContext, follow, SESSION_KEY } from "../running/context.js";
import { History } from "../running/history.js";
import { passedIn, type ChainState, type StepTable } from "../running/state.js";
import { sameAgain } from "../tools/scripted.js";
import { compileStep } from "./compile.js";
import type { CallState, Visit } from "./visit.js";

/** An agent's steps, and what belongs to them. */
interface Nestable {
  readonly setting: Setting;
  readonly steps: StepTable;
  readonly custom: CustomRun | undefined;
}

/** What a step that runs a nested workflow cannot have: what is about one call of a model. */
const OF_CALLS = ["files", "history", "fullResponse", "output"] as const;

/**
 * A workflow's step that runs an agent's steps: first its input, then the steps over a state of their own, then what the
 * last of them passed on. All of these are steps of the engine, so that events, journals, approvals and cancelling are
 * those of the run around them.
 */
export function nestedStep({ setting, steps, custom }: Nestable, step: AgentStep, id: string): WorkflowStep {
  refuse(setting, steps, custom, step);
  const { agent: _, type: __, inputFrom, retryCount = setting.retryPolicy?.maxRetries, timeoutMs = setting.limits?.stepTimeoutMs, ...rest } = step;
  const prefix = `${id}.`;
  const compilation = { steps, setting, visitOf: (run: RunContext, state: object) => visitFor(id, steps, run, state) };
  const settings = { ...(retryCount !== undefined && { retryCount }), ...(timeoutMs !== undefined && { timeoutMs }) };
  const compiled = [...steps.values()].map((one) => placed(compileStep(one, compilation) as Step, `${prefix}steps.`, settings));
  const inputId = `${id}${INPUT_STEP}`;
  const given = typeof inputFrom === "function"
    ? { id: inputId, name: inputId, run: async (state: object, run: RunContext) => ({ [`${inputId}_output`]: (await inputFrom(state, run)) ?? null }) }
    : { id: inputId, name: inputId, agent: new Agent({ name: inputId, model: sameAgain }), ...(inputFrom !== undefined && { inputFrom }) };
  const value = { id: `${prefix}value`, name: `${prefix}value`, run: (state: object) => ({ value: passedIn(state as ChainState, steps) as unknown }) };
  const inner: WorkflowStep = {
    type: "workflow",
    id: `${prefix}steps`,
    name: setting.name,
    with: { input: `state[${JSON.stringify(`${inputId}_output`)}]` },
    set: { value: "value" },
    steps: [...compiled, value],
  };
  return { ...rest, type: "workflow", set: { [`${step.name}_output`]: "value" }, steps: [given as Step, inner as Step] };
}

/** A compiled step and those inside of it: their ids behind that of the step they are in, and with what that says of attempts. */
function placed(step: Step, prefix: string, settings: object): Step {
  const inside = Object.fromEntries(
    Object.entries(step)
      .filter(([key, value]) => (key === "steps" || key === "else") && Array.isArray(value))
      .map(([key, value]) => [key, (value as Step[]).map((one) => placed(one, prefix, settings))]),
  );
  const isLeaf = "agent" in step || "run" in step;
  return { ...(isLeaf && settings), ...step, ...inside, id: `${prefix}${step.id}` } as Step;
}

/** The prompts of steps by the state that they were written for: a model that is called again is given the same one. */
const prompts = new WeakMap<object, Visit["prompts"]>();

/** What belongs to an execution of the agent's steps: it is read from the state and the session of the run each time. */
function visitFor(id: string, steps: StepTable, run: RunContext, state: object): Visit {
  const context = new AgentContext(steps, new History(0), Date.now);
  context.setInput(null);
  follow(context, state as CallState);
  const known = prompts.get(state) ?? new Map();
  prompts.set(state, known);
  return { context, streaming: (name) => steps.get(name)?.stream ?? false, prompts: known, session: sessionOf(id, run) };
}

/** The run's session, in which each execution of the agent has a place of its own for what its steps keep. */
function sessionOf(id: string, { sessionState, step }: RunContext): SessionState {
  // The key of an execution is its rounds, then the step's id, which begins with that of the agent's step.
  const execution = step.key.slice(0, step.key.lastIndexOf(step.id)) + id;
  const keyOf = (key: string): string => (key === SESSION_KEY ? `${SESSION_KEY}:${execution}` : key);
  return { get: (key) => sessionState.get(keyOf(key)) as unknown, set: (key, value) => sessionState.set(keyOf(key), value) };
}

function refuse({ name, limits }: Setting, steps: StepTable, custom: CustomRun | undefined, step: AgentStep): void {
  const where = `the agent \`${name}\` of the step \`${step.name}\``;
  if (custom !== undefined) {
    throw wrong(`${where} has a custom run, whose steps no workflow knows beforehand`, "call it in a function step: run: async (state) => ({ answer: (await agent.run(state.question)).value })");
  }
  if (steps.size === 0) throw wrong(`${where} has no steps`, "give it `steps`, or decorate methods of its class");
  const bound = Object.entries(limits ?? {}).find(([key, value]) => key !== "stepTimeoutMs" && value !== undefined)?.[0];
  if (bound !== undefined) throw wrong(`${where} has \`limits.${bound}\`, which holds for runs of its own`, "set it in the `limits` of the workflow");
  const option = OF_CALLS.find((key) => step[key] !== undefined);
  if (option !== undefined) throw wrong(`${where} has steps, so the step takes no \`${option}\``, option === "output" ? "set `returnType` on the agent's last step" : "set it where a step asks a plain Agent");
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("document", message, { hint });
}
