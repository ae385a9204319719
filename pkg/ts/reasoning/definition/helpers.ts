import { StepweaveError } from "../../api/errors.js";
import { quoted, reading } from "../../schema/options.js";
import { decorate, isDecoratorContext, isLegacy, legacy, type DecoratedAgent, type MethodDecorator } from "./decorator.js";
import { OF_HELPERS } from "./exclusions.js";
import type { HelperOptions, StepFunction, StepType } from "./options.js";
import { SAMPLING, StepRecord, TYPES } from "./record.js";

/** A method that a step is made of: it is given what the step's function would be. */
export type StepMethod = (...inputs: any[]) => unknown;

/** Makes a step of a method. */
export interface StepDecorator extends MethodDecorator<StepMethod> {}

/**
 * Makes steps of one type: of a function, with a name, with options, or with both. Without a function it is a decorator
 * of methods, as is the helper itself.
 */
export interface StepHelper {
  // The first one, for a decorator may take less than it is given.
  <This extends DecoratedAgent, Own extends StepMethod>(method: Own, context: ClassMethodDecoratorContext<This, Own>): void;
  (func: StepFunction): StepRecord;
  (name: string, func: StepFunction): StepRecord;
  (options: HelperOptions, func: StepFunction): StepRecord;
  (name: string, options: HelperOptions, func: StepFunction): StepRecord;
  (options?: HelperOptions): StepDecorator;
  (name: string, options?: HelperOptions): StepDecorator;
}

/**
 * The helper of a type.
 *
 * ```ts
 * const plan = createStepHelper("think");
 * const first = plan("outline", (topic) => `Outline a text about ${topic}`);
 * ```
 */
export function createStepHelper(type: StepType): StepHelper {
  if (typeof type !== "string" || !Object.hasOwn(SAMPLING, type)) throw new StepweaveError("validation", `there is no type of step ${quoted(type)}`, { hint: `use ${TYPES}` });
  const stepOf = (given: HelperOptions, name: string | undefined, func: StepFunction, own: string): StepRecord =>
    new StepRecord({ ...given, name: name || given.name || own, type, func }, OF_HELPERS);
  const helper = (...args: readonly unknown[]): unknown => {
    if (isDecoratorContext(args[1])) return decorate(type, args, (method, name) => stepOf({}, undefined, method, name));
    if (isLegacy(args)) throw legacy(type);
    const func = typeof args.at(-1) === "function" ? (args.at(-1) as StepFunction) : undefined;
    const before = func === undefined ? [...args] : args.slice(0, -1);
    const name = typeof before[0] === "object" ? undefined : before.shift();
    const [options = {}, ...others] = before;
    if (others.length > 0 || typeof options !== "object" || (func === undefined && name !== undefined && typeof name !== "string")) {
      throw new StepweaveError("validation", `${type}() takes a name, options and, last, a function`, {
        hint: `write ${type}("name", { … }, (input) => …); the name and the options may be left out, and before a method of a class the function too`,
      });
    }
    const given = reading(`${type}()`, () => ({ ...options }) as HelperOptions);
    if (func !== undefined) return stepOf(given, name as string | undefined, func, reading(`${type}()`, () => func.name));
    return (...decorated: readonly unknown[]) => decorate(type, decorated, (method, own) => stepOf(given, name as string | undefined, method, own));
  };
  return helper as StepHelper;
}

/**
 * A step that reasons: temperature 0.7, top_p 0.9.
 *
 * ```ts
 * think("analyse", (input) => `Analyse: ${input}`);
 *
 * class Analyst extends ReasoningAgent {
 *   @think({ description: "What the topic is about." })
 *   outline(topic: string) {
 *     return `Outline: ${topic}`;
 *   }
 * }
 * ```
 */
export const think: StepHelper = /* @__PURE__ */ createStepHelper("think");

/**
 * A step that decides or does: temperature 0.2, top_p 0.8.
 *
 * ```ts
 * act("summarise", { sendToLlm: false }, (analysis, input) => ({ input, words: analysis.split(" ").length }));
 * ```
 */
export const act: StepHelper = /* @__PURE__ */ createStepHelper("act");

/**
 * A step that gathers: temperature 0.1, top_p 0.5.
 *
 * ```ts
 * observe("gather", (question) => `List the facts that answer: ${question}`);
 * ```
 */
export const observe: StepHelper = /* @__PURE__ */ createStepHelper("observe");

/**
 * A step that brings together: temperature 0.4, top_p 0.7.
 *
 * ```ts
 * synthesize("conclude", (facts, analysis) => `Conclude from ${facts} and ${analysis}`);
 * ```
 */
export const synthesize: StepHelper = /* @__PURE__ */ createStepHelper("synthesize");
