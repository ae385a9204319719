import { isInstance, markInAllCopies } from "../../api/copies.js";
import type { Json, JsonObject } from "../../api/document.js";
import { isObject } from "../../api/json.js";
import type { Model } from "../../api/model.js";
import { reading } from "../../schema/options.js";
import { Check, type Kinds, spelled } from "./check.js";

/** A {@link ModelConfig} as it is written. */
export interface ModelConfigOptions {
  /** The model's name. */
  name: string;
  /** From 0 to 2. */
  temperature?: number | null | undefined;
  topP?: number | null | undefined;
  stream?: boolean | undefined;
  jsonOutput?: boolean | undefined;
  returnFullResponse?: boolean | undefined;
  /** Anything else goes into the request body as it is: `max_tokens`, for example. */
  [extra: string]: Json | undefined;
}

const KINDS: Kinds = {
  name: "a text",
  temperature: "a number",
  topP: "a number",
  stream: "true or false",
  jsonOutput: "true or false",
  returnFullResponse: "true or false",
};

const SPELLINGS: { readonly [snake: string]: string } = {
  top_p: "topP",
  json_output: "jsonOutput",
  return_full_response: "returnFullResponse",
};

/**
 * The name of a model with its parameters. Its three flags belong to steps: a step's own settings
 * take precedence, so here they change nothing.
 *
 * ```ts
 * const precise = new ModelConfig({ name: "gpt-4.1", temperature: 0, max_tokens: 200 });
 * const freer = precise.merge({ temperature: 1 });
 * ```
 */
export class ModelConfig {
  readonly name: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly stream: boolean;
  readonly jsonOutput: boolean;
  readonly returnFullResponse: boolean;
  /** The parameters without a separate field. */
  readonly extra: JsonObject;

  constructor(options: ModelConfigOptions) {
    const given = reading("the model", () => spelled(options, SPELLINGS));
    const check = new Check("the model");
    const { name, temperature, topP, stream, jsonOutput, returnFullResponse, ...extra } = (isObject(given) ? given : {}) as ModelConfigOptions;
    check.options(isObject(given) ? { name, temperature, topP, stream, jsonOutput, returnFullResponse } : given, KINDS);
    if (name === undefined || name === null || (name as string) === "") check.refuse("name", "model_without_name", "has no `name`", 'write { name: "gpt-5-mini", … }');
    if (typeof temperature === "number" && !(temperature >= 0 && temperature <= 2)) {
      check.refuse("temperature", "out_of_range", `cannot have the temperature ${temperature}`, "take one from 0 to 2");
    }
    check.done();
    this.name = name;
    this.temperature = temperature ?? undefined;
    this.topP = topP ?? undefined;
    this.stream = stream ?? false;
    this.jsonOutput = jsonOutput ?? false;
    this.returnFullResponse = returnFullResponse ?? false;
    this.extra = Object.freeze(extra) as JsonObject;
    Object.freeze(this);
    markInAllCopies(ModelConfig);
  }

  /** @internal */
  static get name(): string {
    return "ModelConfig";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, ModelConfig);
  }

  /** A config of a name, of an object with a `name`, or the config itself. */
  static from(source: string | ModelConfigOptions | ModelConfig): ModelConfig {
    if (reading("the model", () => source instanceof ModelConfig)) return source as ModelConfig;
    return new ModelConfig(typeof source === "string" ? { name: source } : (source as ModelConfigOptions));
  }

  /** Everything but the name: the three flags, and the parameters that are set. */
  parameters(): Record<string, Json> {
    const { stream, jsonOutput, returnFullResponse } = this;
    return { stream, jsonOutput, returnFullResponse, ...present({ temperature: this.temperature, topP: this.topP, ...this.extra }) };
  }

  /** Another config in which these values replace this one's. */
  merge(changes: Partial<ModelConfigOptions>): ModelConfig {
    return new ModelConfig(reading("the changes of a model", () => ({ ...this.toJSON(), topP: this.topP, ...changes }) as ModelConfigOptions));
  }

  /** As plain data, of which {@link ModelConfig.from} makes the same config. */
  toJSON(): JsonObject {
    const { name, stream, jsonOutput, returnFullResponse, temperature = null } = this;
    return { name, stream, jsonOutput, returnFullResponse, temperature, ...present({ topP: this.topP }), ...this.extra };
  }
}

/** Whether this is a model at an endpoint, and no mere name with parameters. */
export function isModel(value: unknown): value is Model {
  return typeof value === "object" && value !== null && "provider" in value;
}

/** The values that are there. */
export function present(values: { [key: string]: Json | undefined }): Record<string, Json> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Json] => entry[1] != null));
}
