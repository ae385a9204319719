import { StepweaveError } from "../../api/errors.js";
import { OF_HELPERS } from "./exclusions.js";
import type { HelperOptions, StepFunction, StepType } from "./options.js";
import { StepRecord } from "./record.js";

/** Makes steps of one type: of a function, with a name, with options, or with both. */
export interface StepHelper {
  (func: StepFunction): StepRecord;
  (name: string, func: StepFunction): StepRecord;
  (options: HelperOptions, func: StepFunction): StepRecord;
  (name: string, options: HelperOptions, func: StepFunction): StepRecord;
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
  return (...args: readonly unknown[]): StepRecord => {
    const func = args.at(-1);
    const before = args.slice(0, -1);
    const name = typeof before[0] === "object" ? undefined : before.shift();
    const [options = {}, ...others] = before;
    if (typeof func !== "function" || others.length > 0 || typeof options !== "object") {
      throw new StepweaveError("validation", `${type}() takes a name, options and, last, a function`, {
        hint: `write ${type}("name", { … }, (input) => …); the name and the options may be left out`,
      });
    }
    const given = { ...options } as HelperOptions;
    return new StepRecord({ ...given, name: (name as string) || given.name || func.name, type, func: func as StepFunction }, OF_HELPERS);
  };
}

/**
 * A step that reasons: temperature 0.7, top_p 0.9.
 *
 * ```ts
 * think("analyse", (input) => `Analyse: ${input}`);
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
