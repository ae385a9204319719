import type { Schema } from "../../api/schema.js";
import type { AgentStep } from "../../api/steps.js";
import { Agent } from "../../authoring/agent.js";
import type { StepRecord } from "../definition/record.js";
import type { Setting } from "../definition/setting.js";
import { askingParams, usedModel } from "./endpoint.js";

/** How a step's model is called. */
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
