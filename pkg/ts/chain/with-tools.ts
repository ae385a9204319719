import { Agent } from "../agent.js";
import type { RunContext, Step, WorkflowStep } from "../types.js";
import type { Tool } from "../tool.js";
import { choicePrompt, readChoices } from "./choose.js";
import { askingOf, called, promptOf, type CallState, type Compilation } from "./compile.js";
import { decisionsText, type ToolDecision } from "./decision.js";
import { choosingParams, usedModel } from "./endpoint.js";
import { engineFields } from "./fields.js";
import { partId } from "./part.js";
import type { StepRecord } from "./record.js";
import { toolSelection } from "./selection.js";
import { outputKey } from "./state.js";
import { StepContext } from "./step-context.js";
import { useChoice } from "./use.js";

/** Where the steps of an agent find what the tools of the last one gave. */
const LAST_DECISIONS = "last_tool_decisions";

/** The state inside a step with tools. What stands beside the chain's own keys stays inside. */
interface ToolState extends CallState {
  readonly prompt: string;
  readonly decisions: readonly ToolDecision[];
}

/**
 * A step that may use tools, as a workflow of its own: its function makes the prompt, a model chooses, the tools are
 * run, and the step's model is asked with what they gave. Each of these is a step of the engine, so that it is kept in
 * journals, counted and cancelled like any other; whoever follows the run sees one step.
 */
export function compileWithTools(step: StepRecord, tools: readonly Tool[], compilation: Compilation): Omit<WorkflowStep, "name"> {
  const { setting, visitOf } = compilation;
  const { name } = step;
  const { attempts } = engineFields(step.config);
  const { retryCount: _, ...timeout } = attempts;
  const selection = step.toolSelection ?? setting.toolSelection ?? toolSelection();
  const chooser = step.toolModel ?? setting.toolModel;
  // What was replayed has not called the function that begins the context's session.
  const contextOf = (run: RunContext): StepContext => {
    const { context, session = run.sessionState } = visitOf(run.runId);
    return new StepContext(run, context, session);
  };
  const select = partId(name, "select");
  const parts: Step<ToolState>[] = [
    {
      id: partId(name, "prompt"),
      name,
      ...attempts,
      run: async (state, run) => ({ prompt: promptOf(step, await called(step, state, run, compilation)) }),
    },
    {
      id: select,
      name: select,
      required: false,
      ...timeout,
      ...(!step.config.useInternalRetry && { retryCount: 0 }),
      agent: new Agent({ name: select, model: usedModel(chooser, setting.model), params: choosingParams(chooser, setting.model) }),
      inputFrom: ({ prompt }, run) => choicePrompt(prompt, contextOf(run).state.all(), tools, selection),
    },
    {
      id: partId(name, "tools"),
      name,
      ...timeout,
      retryCount: 0,
      run: async (state, run) => {
        const context = contextOf(run);
        const answer: unknown = state[outputKey(select)];
        // Without an answer the choice has failed, which is told already.
        const { choices, warnings } = readChoices(typeof answer === "string" ? answer : '{"tool_calls":[]}', tools, selection);
        for (const warning of warnings) run.log(`the choice of tools: ${warning}`);
        const decisions: ToolDecision[] = [];
        for (const choice of choices) decisions.push(await useChoice(choice, tools, run, decisions.length));
        context.state.set(LAST_DECISIONS, decisions);
        return { decisions };
      },
    },
    {
      id: partId(name, "answer"),
      name,
      ...attempts,
      ...askingOf(step, setting),
      inputFrom: ({ prompt, decisions }) => prompt + decisionsText(decisions),
    },
  ];
  return {
    type: "workflow",
    steps: parts as Step[],
    set: { [outputKey(name)]: `state[${JSON.stringify(outputKey(name))}]` },
  };
}
