import { StepweaveError } from "../api/errors.js";
import type { ModelFunction } from "../api/model-request.js";
import type { Model, ModelOptions } from "../api/model.js";
import { optionsFrom } from "../schema/options.js";

/** Settings of a model of your own, besides its name: what its requests have as `params`, what it costs, and how much it can do at once. */
export type CustomModelOptions = Pick<ModelOptions, "params" | "sampling" | "outputMode" | "price" | "concurrency" | "requestsPerMinute">;

/** @internal The names of these settings. */
export const CUSTOM_OPTIONS: readonly string[] = ["params", "sampling", "outputMode", "price", "concurrency", "requestsPerMinute"] satisfies (keyof CustomModelOptions)[];

/**
 * A model that is a function. It may return a text, or response parts as they come:
 *
 * ```ts
 * import { Agent, customModel, Workflow } from "stepweave";
 *
 * const parrot = customModel("parrot", async function* ({ messages }) {
 *   const question = messages.at(-1);
 *   for (const part of question?.role === "user" ? question.content : []) {
 *     if (part.type === "text") yield part.text.toUpperCase();
 *   }
 *   yield { type: "usage", inputTokens: 3, outputTokens: 3 };
 * });
 * const agent = new Agent({ name: "parrot", model: parrot });
 * const workflow = new Workflow({ name: "say", steps: [{ name: "say", agent, inputFrom: "good morning" }] });
 * const { state } = await workflow.run();
 * console.log(state.say_output); // GOOD MORNING
 * ```
 *
 * An error that it throws fails the step with the code `model`; a `StepweaveError` keeps its own `code` and
 * `retryable`. `context.signal` aborts when the answer is no longer needed. A document has the model by its name:
 * `{ provider: "custom", model: "parrot", handler: "parrot" }` with `Workflow.fromDocument(text, { models: { parrot } })`.
 */
export function customModel(name: string, fn: ModelFunction, options: CustomModelOptions = {}): Model {
  const settings = optionsFrom(options, CUSTOM_OPTIONS, "customModel()");
  if (typeof name !== "string" || name.trim() === "") {
    throw new StepweaveError("validation", "customModel() needs a name", { hint: 'write customModel("my-model", async (request) => "…")' });
  }
  if (typeof fn !== "function") {
    throw new StepweaveError("validation", `the model ${name} needs a function`, {
      hint: `write customModel(${JSON.stringify(name)}, async (request) => "…")`,
    });
  }
  const said = Object.entries(settings).filter(([, value]) => value !== undefined);
  return madeOf(fn, { provider: "custom", model: name, ...(Object.fromEntries(said) as CustomModelOptions) } as Model);
}

/** @internal The model that a function is, with whatever else it should have. */
export function madeOf<M extends Model>(fn: ModelFunction, model: M): Readonly<M> {
  Object.defineProperty(model, FUNCTION, { value: fn });
  return Object.freeze(model);
}

// Not enumerable, and no text: a model is data that can be printed and stored. And the same in every copy of the
// package: in CommonJS, what `stepweave/testing` makes comes from another one.
const FUNCTION = Symbol.for("stepweave.model");

/** @internal The function that a model is, if it is one. */
export function functionOf(model: object): ModelFunction | undefined {
  return (model as { readonly [FUNCTION]?: ModelFunction } | null)?.[FUNCTION];
}
