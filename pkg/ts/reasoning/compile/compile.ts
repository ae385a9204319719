import type { RunContext } from "../../api/functions.js";
import type { Step } from "../../api/steps.js";
import { isConversation } from "../../authoring/conversation.js";
import { NotAgain } from "../../run/answers.js";
import type { StepRecord } from "../definition/record.js";
import { collecting } from "../running/collect.js";
import { outputKey } from "../running/state.js";
import { askingOf } from "./ask.js";
import { begun, called, promptOf } from "./call.js";
import { engineFields, ONCE } from "./fields.js";
import { compileParts } from "./parts.js";
import type { CallState, Compilation } from "./visit.js";

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
      ...ONCE,
      run: (state, run) => (visitOf(run, state).streaming(step.name) ? pieces(step, state, run, compilation) : whole(step, state, run, compilation)),
    };
  }
  return {
    ...base,
    ...attempts,
    ...askingOf(step, setting),
    inputFrom: async (state, run) => {
      const { prompts } = visitOf(run, state);
      const earlier = run.attempt > 1 ? prompts.get(step.name) : undefined;
      if (earlier !== undefined) return earlier;
      try {
        const returned = await called(step, state, run, compilation);
        const prompt = isConversation(returned) ? returned : promptOf(step, returned);
        prompts.set(step.name, prompt);
        return prompt;
      } catch (error) {
        // Only the model is called again.
        throw new NotAgain(error);
      }
    },
  };
}

/** The patch of a step that computes its result. */
async function whole(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): Promise<object> {
  return resultPatch(step, await called(step, state, run, compilation));
}

/** The same, emitting the values of an iterator as they come. */
async function* pieces(step: StepRecord, state: CallState, run: RunContext, compilation: Compilation): AsyncGenerator<unknown, object> {
  return resultPatch(step, yield* collecting(await begun(step, state, run, compilation), run));
}

function resultPatch(step: StepRecord, value: unknown): object {
  return value === undefined || value === null ? {} : { [outputKey(step.name)]: value };
}
