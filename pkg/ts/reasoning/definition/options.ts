import type { JsonObject } from "../../api/document.js";
import type { Model } from "../../api/model.js";
import type { StandardSchema } from "../../api/schema.js";
import type { SelectionOptions } from "../tools/selection.js";
import type { StepConfigOptions } from "./config.js";
import type { ModelConfig, ModelConfigOptions } from "./model.js";

/** The four kinds of thinking. */
export type StepType = "think" | "act" | "observe" | "synthesize";

/** What a step does. It is given as many results as it has inputs, then a `StepContext`. */
export type StepFunction = (...inputs: any[]) => unknown;

/** A JSON Schema, or the schema of a library that follows Standard Schema. */
export type StepSchema = boolean | JsonObject | StandardSchema;

/** An input of a step's function. */
export interface StepParam {
  readonly name: string;
  readonly schema: StepSchema;
}

/** The default parameters of the model. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
}

/** A model by its name at the agent's endpoint, the same with parameters, or another model. */
export type ModelSource = string | ModelConfigOptions | ModelConfig | Model | null | undefined;

/** Everything that can be said of a step. */
export interface StepOptions extends SelectionOptions {
  type: StepType;
  /** An identifier. The function's own name when absent. */
  name?: string | null | undefined;
  func: StepFunction;
  description?: string | null | undefined;
  /** The model to call: a name at the agent's endpoint, the same with parameters, or another model. */
  model?: ModelSource;
  /** `false` makes what the function returns the result; else it returns a text, the prompt. */
  sendToLlm?: boolean | null | undefined;
  /** `true` emits the answer in chunks, unless the run's option is set. */
  stream?: boolean | undefined;
  jsonOutput?: boolean | undefined;
  returnType?: StepSchema | null | undefined;
  returnFullResponse?: boolean | undefined;
  /** `false` leaves the agent's tools out of this step. */
  useTools?: boolean | undefined;
  /** The model that chooses among the tools; the agent's when absent. */
  toolModel?: ModelSource;
  config?: StepConfigOptions | null | undefined;
  /** How many results the function takes; as many as it has parameters without a default when absent. */
  inputs?: number | null | undefined;
  /** What the function takes, for `isCompatibleWith`, `canExecuteWith` and people. */
  params?: readonly StepParam[] | null | undefined;
  /** What the step results in, likewise. */
  returns?: StepSchema | null | undefined;
  /** Replaces the type's default parameters. */
  sampling?: Sampling | null | undefined;
}

/** What can be said of a step besides its type and its function. */
export type HelperOptions = Omit<StepOptions, "type" | "func">;

/** What is known of a step's function. */
export interface StepMetadata {
  /** The function's own name; empty when it has none. */
  readonly functionName: string;
  readonly description: string | undefined;
  readonly params: readonly StepParam[];
  /** Undefined when anything may be returned. */
  readonly returns: StepSchema | undefined;
}

/** How closely two schemas must agree: word by word, or so that every value of the one is a value of the other. */
export type CompatibilityMode = "exact" | "assignable";
