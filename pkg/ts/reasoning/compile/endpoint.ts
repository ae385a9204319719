import type { ModelParams } from "../../api/document.js";
import type { Model } from "../../api/model.js";
import { functionOf, madeOf } from "../../models/custom.js";
import { renamed } from "../../models/providers.js";
import { namesOf } from "../../models/spellings.js";
import { isModel, present, type ModelConfig } from "../definition/model.js";
import type { StepRecord } from "../definition/record.js";
import type { Setting } from "../definition/setting.js";

/** Default parameters: all explicit ones take precedence. The engine recognises them by this key. */
const DEFAULTS = "x-defaults";

/** The model that is called: the named one, at the endpoint of the agent's unless it is a whole model. */
export function usedModel(named: ModelConfig | Model | undefined, own: Model): Model {
  if (named === undefined) return own;
  if (isModel(named)) return named;
  if (named.name === own.model) return own;
  const other = renamed(own, named.name);
  const answers = functionOf(own);
  return answers === undefined ? other : madeOf(answers, { ...other });
}

/** The parameters of a step's model. In rising precedence: of the type, the agent's model, the agent, the step. */
export function askingParams(step: StepRecord, setting: Setting): ModelParams {
  const { temperature, topP } = step.sampling;
  const ofType = present({ temperature, top_p: topP });
  const said = [setting.params ?? {}, ownParams(step.model)].reduce(putOver, inherited(step.model, setting.model));
  return Object.keys(ofType).length === 0 ? said : { ...said, [DEFAULTS]: ofType };
}

/** The parameters of the model that selects tools: its own ones, and no randomness. */
export function choosingParams(named: ModelConfig | Model | undefined, own: Model): ModelParams {
  return { ...putOver(inherited(named, own), ownParams(named)), temperature: 0 };
}

/** Parameters over others, whichever of its names a setting has in either. */
function putOver(params: ModelParams, over: ModelParams): ModelParams {
  const replaced = Object.keys(over).flatMap(namesOf);
  return { ...Object.fromEntries(Object.entries(params).filter(([name]) => !replaced.includes(name))), ...over };
}

/** A whole model inherits nothing from the one that it replaces. */
function inherited(named: ModelConfig | Model | undefined, own: Model): ModelParams {
  return named !== undefined && isModel(named) ? {} : (own.params ?? {});
}

function ownParams(named: ModelConfig | Model | undefined): ModelParams {
  if (named === undefined) return {};
  if (isModel(named)) return named.params ?? {};
  const { temperature, topP, extra } = named;
  return present({ temperature, top_p: topP, ...extra });
}
