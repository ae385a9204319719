import { isInstance, markInAllCopies } from "../../api/copies.js";
import type { ToolDecision } from "../../api/decision.js";
import type { Model } from "../../api/model.js";
import { quoted, reading } from "../../schema/options.js";
import { selectionOf, type ToolSelection } from "../tools/selection.js";
import { Check, type Kinds } from "./check.js";
import { readConfig, type ResolvedStepConfig } from "./config.js";
import { OF_STEPS, refuseExclusions, type Exclusion } from "./exclusions.js";
import { isIdentifier } from "./identifier.js";
import { isModel, ModelConfig } from "./model.js";
import type { ModelSource, Sampling, StepFunction, StepMetadata, StepOptions, StepParam, StepSchema, StepType } from "./options.js";

/** The default parameters of each type. */
export const SAMPLING: { readonly [Type in StepType]: Sampling } = {
  think: { temperature: 0.7, topP: 0.9 },
  act: { temperature: 0.2, topP: 0.8 },
  observe: { temperature: 0.1, topP: 0.5 },
  synthesize: { temperature: 0.4, topP: 0.7 },
};

/** The types, for messages. */
export const TYPES: string = /* @__PURE__ */ Object.keys(SAMPLING).join(", ");

/** One step of an agent. It never changes: what a run decides is in the run's result. */
export class StepRecord {
  readonly func: StepFunction;
  readonly type: StepType;
  readonly name: string;
  readonly description: string | undefined;
  /** Which model is called, if not the agent's. */
  readonly model: ModelConfig | Model | undefined;
  readonly sendToLlm: boolean;
  readonly stream: boolean;
  readonly jsonOutput: boolean;
  readonly returnType: StepSchema | undefined;
  readonly returnFullResponse: boolean;
  readonly useTools: boolean;
  /** Undefined leaves it to the agent. */
  readonly toolSelection: ToolSelection | undefined;
  readonly toolModel: ModelConfig | Model | undefined;
  readonly config: ResolvedStepConfig;
  readonly inputs: number;
  readonly params: readonly StepParam[];
  readonly returns: StepSchema | undefined;
  readonly sampling: Sampling;
  /** What is known of the function. */
  readonly metadata: StepMetadata;
  /** The tools that a run selected for the step, and their outcomes: see `records` of {@link ReasoningResult}. A step that is only defined has none. */
  readonly toolDecisions: readonly ToolDecision[] | undefined;

  /** @internal */
  constructor(options: StepOptions, exclusions: readonly Exclusion[] = OF_STEPS) {
    const { name, config, selection, functionName, ...rest } = reading("a step", () => checked(options, exclusions));
    const { func, type, description, sendToLlm, stream, jsonOutput, returnType, returnFullResponse, useTools, toolModel, inputs, params, returns, sampling } = rest;
    this.func = func;
    this.type = type;
    this.name = name;
    this.description = description || undefined;
    this.sendToLlm = sendToLlm ?? true;
    this.model = this.sendToLlm ? rest.model : undefined;
    this.stream = stream ?? false;
    this.jsonOutput = jsonOutput ?? false;
    this.returnType = returnType ?? undefined;
    this.returnFullResponse = returnFullResponse ?? false;
    this.useTools = useTools ?? true;
    this.toolSelection = selection;
    this.toolModel = toolModel;
    this.config = config;
    this.params = Object.freeze([...(params ?? [])]);
    this.inputs = inputs;
    this.returns = returns ?? undefined;
    this.sampling = sampling ?? SAMPLING[type];
    this.metadata = Object.freeze({ functionName, description: this.description, params: this.params, returns: this.returns });
    this.toolDecisions = undefined;
    Object.freeze(this);
    markInAllCopies(StepRecord);
  }

  /** @internal */
  static get name(): string {
    return "StepRecord";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, StepRecord);
  }

  /** The step in a line: `Step(analyse) | Type: THINK | Description: …`. */
  toString(): string {
    const { name, type, description, model, jsonOutput } = this;
    const parts = [`Step(${name})`, `Type: ${type.toUpperCase()}`];
    if (description !== undefined) parts.push(`Description: ${description}`);
    if (model !== undefined) parts.push(`Model: ${isModel(model) ? model.model : model.name}`);
    if (jsonOutput) parts.push("JSON output enabled");
    return parts.join(" | ");
  }
}

/** The same step or custom run with another function, or with the tools that a run chose for it. No method: users see documented members only. */
export function changed<Made extends object>(made: Made, changes: Partial<Made>): Made {
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(made)), made, changes));
}

/**
 * A step, from all of its options. Most are written with {@link think}, {@link act},
 * {@link observe} and {@link synthesize}.
 *
 * ```ts
 * const analyse = step({ type: "think", name: "analyse", func: (input) => `Analyse: ${input}` });
 * console.log(String(analyse)); // Step(analyse) | Type: THINK
 * ```
 *
 * Mistakes are reported at once: `problems` of the error lists each with a code.
 */
export function step(options: StepOptions): StepRecord {
  return new StepRecord(options);
}

/** What is said of a step, seen to be right. */
function checked(options: StepOptions, exclusions: readonly Exclusion[]) {
  const given = { ...options };
  const name = given.name || ownName(given.func);
  const check = new Check(typeof name === "string" && name !== "" ? `the step \`${name}\`` : "a step");
  check.options(options, KINDS);
  refuseShape(given, name, check);
  refuseExclusions(given, check, exclusions);
  const config = readConfig(typeof given.config === "object" ? (given.config ?? {}) : {}, check, "config.");
  const selection = selectionOf(given, check);
  check.done();
  const inputs = given.inputs ?? given.params?.length ?? given.func.length;
  return { ...given, name, config, selection, inputs, functionName: ownName(given.func), model: modelOf(given.model), toolModel: modelOf(given.toolModel) };
}

/** The function's name, if it has one: an inline function, as in `func: (input) => …`, has that of the option. */
function ownName(func: StepFunction | undefined): string {
  const name = typeof func === "function" ? func.name : "";
  return name === "func" ? "" : name;
}

const KINDS: Kinds = {
  type: "a text",
  name: "a text",
  func: "a function",
  description: "a text",
  model: undefined,
  sendToLlm: "true or false",
  stream: "true or false",
  jsonOutput: "true or false",
  returnType: undefined,
  returnFullResponse: "true or false",
  useTools: "true or false",
  toolSelection: "an object",
  toolConfidence: "a number",
  maxToolsPerStep: "a whole number",
  toolModel: undefined,
  config: "an object",
  inputs: "a whole number",
  params: "a list",
  returns: undefined,
  sampling: "an object",
};

function refuseShape(options: StepOptions, name: string, check: Check): void {
  const { type, func, returnType, returns, params } = options;
  if (typeof type !== "string" || !Object.hasOwn(SAMPLING, type)) check.refuse("type", "unknown_type", `has the type ${quoted(type)}`, `use ${TYPES}`);
  if (func == null) check.refuse("func", "wrong_type", "needs a function as `func`", "write func: (input) => …");
  if (name === "") check.refuse("name", "name_missing", "has no name", 'write think("analyse", (input) => …), or give the function a name');
  else if (typeof name === "string" && !isIdentifier(name)) {
    check.refuse("name", "name_no_identifier", "needs an identifier as its name", "take letters, digits and underscores, no digit first");
  }
  const schemas: { [path: string]: unknown } = { returnType, returns };
  if (Array.isArray(params)) params.forEach((param: StepParam | null, index) => (schemas[`params[${index}].schema`] = param?.schema ?? 0));
  for (const [path, schema] of Object.entries(schemas)) {
    if (schema != null && !isSchema(schema)) check.refuse(path, "unknown_schema", `has no schema as \`${path}\``, "give a JSON Schema or a Standard Schema");
  }
}

function isSchema(value: unknown): boolean {
  if (typeof value === "object") return value !== null && !Array.isArray(value);
  // The schemas of some libraries are functions.
  return typeof value === "boolean" || (typeof value === "function" && "~standard" in value);
}

/** A model, or a config of one; nothing where nothing is said. */
export function modelOf(source: ModelSource): ModelConfig | Model | undefined {
  if (source == null || source === "") return undefined;
  return isModel(source) ? source : ModelConfig.from(source);
}
