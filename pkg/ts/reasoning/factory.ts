import type { JsonObject } from "../api/document.js";
import { textOf } from "../api/errors.js";
import type { Model } from "../api/model.js";
import type { AgentTool } from "../authoring/agent-tools.js";
import { inputFor } from "../authoring/text.js";
import { reading } from "../schema/options.js";
import { ReasoningAgent } from "./agent.js";
import { Check, numberOr } from "./definition/check.js";
import { createStepHelper } from "./definition/helpers.js";
import { isIdentifier } from "./definition/identifier.js";
import { isModel } from "./definition/model.js";
import type { HelperOptions, StepType } from "./definition/options.js";
import { SAMPLING, TYPES } from "./definition/record.js";

/** An agent of a single step, in a few words; whatever else can be said of a step can be said here too. */
export interface SingleStepAgent extends Omit<HelperOptions, "name" | "model" | "sampling" | "inputs"> {
  /** What the agent is: `translator`, for example. It is the agent's name, and its step's with `_step`. */
  role: string;
  /** The system message. */
  systemPrompt: string;
  model: Model;
  /** A type of step, or any other word for one without default parameters. `act` when absent. */
  step?: StepType | (string & {}) | undefined;
  /** From 0 to 1. */
  temperature?: number | undefined;
  /** From 0 to 1. */
  topP?: number | undefined;
  /** Other parameters for the request body. */
  modelParams?: JsonObject | undefined;
  /** Functions that the step may use. */
  tools?: readonly AgentTool[] | undefined;
}

/**
 * An agent that calls its model once, with its input as the prompt.
 *
 * ```ts
 * const translator = createAgent({ role: "translator", systemPrompt: "Translate into French.", model: demo() });
 * const { text } = await translator.run("Hello world!");
 * ```
 */
export function createAgent(options: SingleStepAgent): ReasoningAgent {
  return reading("createAgent()", () => made(options));
}

function made(options: SingleStepAgent): ReasoningAgent {
  const check = new Check("createAgent()");
  if (typeof options !== "object" || options === null) check.options(options, { role: "a text", systemPrompt: "a text", model: undefined });
  check.done();
  const { role, systemPrompt, model, step: word = "act", temperature, topP, modelParams = {}, tools, ...others } = options;
  for (const [key, value] of Object.entries({ role, systemPrompt, step: word })) {
    if (typeof value !== "string" || value.trim() === "") check.refuse(key, "text_missing", `needs a text as \`${key}\``, `write ${key}: "…"`);
  }
  if (typeof word === "string" && word !== "" && !isIdentifier(word)) check.refuse("step", "name_no_identifier", "needs an identifier as `step`", `use ${TYPES}, or a word of your own`);
  if (!isModel(model)) check.refuse("model", "model_missing", "needs a model", 'write model: openai("gpt-5-mini")');
  for (const [key, value = 0] of Object.entries({ temperature, topP })) {
    if (!((numberOr(value) ?? -1) >= 0 && value <= 1)) check.refuse(key, "out_of_range", `cannot have the ${key} ${textOf(value)}`, "take one from 0 to 1");
  }
  if (typeof modelParams !== "object" || modelParams === null) check.refuse("modelParams", "wrong_type", "needs an object as `modelParams`", "write modelParams: { seed: 1 }, or leave it out");
  const core = Object.keys(modelParams ?? {}).find((key) => CORE.test(key));
  if (core !== undefined) check.refuse("modelParams", "core_parameter", `cannot be given \`${core}\` in \`modelParams\``, "use the option of its own");
  check.done();
  const isType = Object.hasOwn(SAMPLING, word);
  const name = `${role.replace(/[^\p{XID_Continue}]/gu, "").replace(/^(?![\p{XID_Start}_])/u, "_")}_step`;
  const helper = { ...others, ...(!isType && { sampling: {} }), model: { ...modelParams, name: model.model, temperature, topP }, inputs: 1 };
  const only = createStepHelper(isType ? (word as StepType) : "act")(name, helper, inputFor);
  return new ReasoningAgent({ name: role, model, instructions: systemPrompt, tools, steps: [only] });
}

/** The names of other options. */
const CORE = /^(?:name|model|messages|system_prompt|stream|temperature|top_?p)$/i;
