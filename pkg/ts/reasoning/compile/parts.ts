import type { ToolDecision } from "../../api/decision.js";
import { StepweaveError } from "../../api/errors.js";
import type { RunContext } from "../../api/functions.js";
import type { Step, WorkflowStep } from "../../api/steps.js";
import { Agent } from "../../authoring/agent.js";
import type { Tool } from "../../authoring/tool.js";
import { copyJson, MAX_DEPTH, TooLarge } from "../../json/copy.js";
import { NotJson } from "../../json/not-json.js";
import type { StepRecord } from "../definition/record.js";
import { textFor } from "../../authoring/text.js";
import { outputKey } from "../running/state.js";
import { StepContext } from "../running/step-context.js";
import { choiceSchema } from "../tools/choice-schema.js";
import { choicePrompt, readChoices } from "../tools/choose.js";
import { decisionsText } from "../tools/decision.js";
import { chosenTools, sameAgain } from "../tools/scripted.js";
import { toolSelection } from "../tools/selection.js";
import { askingOf, outputOf } from "./ask.js";
import { called, promptOf } from "./call.js";
import { choosingParams, usedModel } from "./endpoint.js";
import { engineFields, ONCE } from "./fields.js";
import { partId } from "./part.js";
import type { CallState, Compilation } from "./visit.js";

/** Where the steps of an agent find what the tools of the last one gave. */
const LAST_DECISIONS = "last_tool_decisions";

/** How much of what a function computed is checked: as much as a model may answer. */
const MAX_CHECKED = 8 * 1024 * 1024;

/** The state inside of such a step. What stands beside the chain's own keys stays inside. */
interface PartState extends CallState {
  /** The prompt of the model, unless there is a value instead. */
  readonly prompt: string | null;
  readonly value: string | null;
}

/**
 * A step that uses tools, or whose own value is checked, as a workflow. Its function is called; a model selects
 * tools, and they are called; the step's model is called with their results, or the value is read. Each of
 * these is a step of the engine, and so kept in journals, counted and cancelled like any other; listeners of the run
 * see one step.
 */
export function compileParts(step: StepRecord, tools: readonly Tool[], compilation: Compilation): Omit<WorkflowStep, "name" | "type"> & { readonly type: "workflow" } {
  const { name, jsonOutput, returnType, sendToLlm } = step;
  const { attempts } = engineFields(step.config);
  const call: Step<PartState> = {
    id: partId(name, "call"),
    name,
    ...attempts,
    ...ONCE,
    run: async (state, run) => {
      const returned = await called(step, state, run, compilation);
      const isNothing = returned === undefined || returned === null;
      if (sendToLlm && (typeof returned === "string" || isNothing || !mayGiveValue)) return { prompt: promptOf(step, returned), value: null };
      return { prompt: null, value: isNothing ? null : textFor(plainOf(name, returned)) };
    },
  };
  const value: Step<PartState> = {
    id: partId(name, "value"),
    name,
    // The same would come again, so that it is not asked for once more either.
    ...ONCE,
    agent: new Agent({ name: partId(name, "value"), model: sameAgain, output: outputOf(step), maxTurns: 1 }),
    inputFrom: (state) => state.value as string,
  };
  const way = { id: partId(name, "way"), name: partId(name, "way") };
  const mayGiveValue = jsonOutput && returnType !== undefined;
  const asking = sendToLlm ? partsThatAsk(step, tools, compilation) : [];
  const parts = !sendToLlm ? [call, { ...way, condition: "value != none", steps: [value] }]
    : mayGiveValue ? [call, { ...way, condition: "value == none", steps: asking, else: [value] }]
      : [call, ...asking];
  const output = `state[${JSON.stringify(outputKey(name))}]`;
  return { type: "workflow", steps: parts as Step[], set: { [outputKey(name)]: sendToLlm ? output : `${output} | default(none)` } };
}

/** What a step's function computed, if JSON can hold it: as a text, what it cannot hold would be lost or become something else. */
function plainOf(step: string, returned: unknown): unknown {
  try {
    return copyJson(returned, outputKey(step), MAX_DEPTH, undefined, MAX_CHECKED);
  } catch (error) {
    if (error instanceof TooLarge) {
      throw new StepweaveError("limit", `\`${step}\` gave more than ${MAX_CHECKED} bytes of JSON, the limit of what is checked`, { hint: "give less, or leave out `jsonOutput`: what is not checked may be larger" });
    }
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("handler", `\`${step}\` returned what JSON cannot hold: ${error.message}`, { hint: error.hint, cause: error.cause });
  }
}

/** The choice of tools and their calls, where there are any, and the answer. */
function partsThatAsk(step: StepRecord, tools: readonly Tool[], { setting, visitOf }: Compilation): Step<PartState>[] {
  const { name, config } = step;
  const { attempts } = engineFields(config);
  const { retryCount: _, ...timeout } = attempts;
  const [select, calls, answer] = [partId(name, "select"), partId(name, "tools"), partId(name, "answer")];
  const selection = step.toolSelection ?? setting.toolSelection ?? toolSelection();
  const chooser = step.toolModel ?? setting.toolModel;
  // What was replayed has not called the function that begins the context's session.
  const contextOf = (run: RunContext, state: object): StepContext => {
    const { context, session = run.sessionState } = visitOf(run, state);
    return new StepContext(run, context, session);
  };
  if (tools.length === 0) return [{ id: answer, name, ...attempts, ...askingOf(step, setting), inputFrom: ({ prompt }) => prompt as string }];
  return [
    {
      id: select,
      name: select,
      required: false,
      ...timeout,
      ...(!config.useInternalRetry && { retryCount: 0 }),
      // An answer that cannot be used means no tools: another call would cost more than it helps.
      agent: new Agent({ name: select, model: usedModel(chooser, setting.model), params: choosingParams(chooser, setting.model), output: choiceSchema(tools), maxTurns: 1 }),
      inputFrom: (state, run) => choicePrompt(state.prompt as string, contextOf(run, state).state.all(), tools, selection),
    },
    {
      id: calls,
      name: calls,
      ...timeout,
      ...ONCE,
      agent: new Agent({ name: calls, model: chosenTools, tools, output: { type: "array" }, maxTurns: selection.maxToolsPerStep + 1 }),
      inputFrom: (state, run) => {
        // A failed selection is reported already.
        const { choices, warnings } = readChoices(state[outputKey(select)] ?? {}, tools, selection);
        for (const warning of warnings) run.log(warning);
        return JSON.stringify(choices);
      },
    },
    {
      id: answer,
      name,
      ...attempts,
      ...askingOf(step, setting),
      inputFrom: (state, run) => {
        const decisions = state[outputKey(calls)] as readonly ToolDecision[];
        contextOf(run, state).state.set(LAST_DECISIONS, decisions);
        return state.prompt + decisionsText(decisions);
      },
    },
  ];
}
