import { isInstance, markInAllCopies } from "../../api/copies.js";
import { StepweaveError } from "../../api/errors.js";
import { optionsFrom, reading } from "../../schema/options.js";
import { decorate, isDecoratorContext, isLegacy, legacy, type DecoratedAgent, type MethodDecorator } from "./decorator.js";
import type { StepContext } from "../running/step-context.js";

/** The steps of an agent as functions, by their names. */
export interface StepCalls {
  readonly [step: string]: (...inputs: any[]) => Promise<any>;
}

/** The agent as a custom run has it. */
export interface RunningAgent {
  readonly name: string;
  /** Calls a step with these inputs; its result is stored under its name. Only until the custom run has returned. */
  readonly steps: StepCalls;
  /** Begins with another input: what there are of results goes into the history. */
  setInput(input: unknown): void;
}

/** Replaces an agent's sequence: its steps run when it calls them. Its return value is the result. */
export type CustomRunFunction = (input: any, agent: RunningAgent, context: StepContext) => unknown;

/** A custom run with a description. */
export class CustomRun {
  readonly func: CustomRunFunction;
  /** The function's own name. */
  readonly name: string;
  readonly description: string | undefined;

  /** @internal */
  constructor(func: CustomRunFunction, description: string | undefined) {
    this.func = func;
    this.name = func.name;
    this.description = description;
    Object.freeze(this);
    markInAllCopies(CustomRun);
  }

  /** @internal */
  static get name(): string {
    return "CustomRun";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, CustomRun);
  }
}

/** What is said of a custom run besides its function. */
export interface CustomRunOptions {
  description?: string | undefined;
}

/** Makes a custom run of a method. */
export interface CustomRunDecorator extends MethodDecorator<CustomRunFunction> {}

/** Makes custom runs: of a function, or as a decorator of a method, with options or without. */
export interface CustomRunHelper {
  // The first one, for a decorator may take less than it is given.
  <This extends DecoratedAgent, Own extends CustomRunFunction>(method: Own, context: ClassMethodDecoratorContext<This, Own>): void;
  (func: CustomRunFunction, options?: CustomRunOptions): CustomRun;
  (options?: CustomRunOptions): CustomRunDecorator;
}

/**
 * A custom run with a description; without one, the function alone will do.
 *
 * ```ts
 * const agent = new ReasoningAgent({
 *   name: "reviewer",
 *   model: demo(),
 *   steps: [think("draft", (topic) => `Write about ${topic}`), think("review", (text) => `Review: ${text}`)],
 *   run: run(async (topic, agent) => agent.steps.review(await agent.steps.draft(topic)), { description: "drafts, then reviews" }),
 * });
 * ```
 *
 * Before a method of a {@link ReasoningAgent} it makes that the custom run.
 */
export const run: CustomRunHelper = ((...args: readonly unknown[]): unknown => {
  const [first = {}, second] = args;
  if (isDecoratorContext(second)) return decorate("run", args, (method) => customRun(method, {}));
  if (isLegacy(args)) throw legacy("run");
  if (typeof first === "function") return customRun(first, second);
  if (typeof first !== "object" || args.length > 1) {
    throw new StepweaveError("validation", "run() takes the function of a custom run", { hint: "write run(async (input, agent) => …, { description: \"…\" })" });
  }
  return (...decorated: readonly unknown[]) => decorate("run", decorated, (method) => customRun(method, first));
}) as CustomRunHelper;

function customRun(func: unknown, options: unknown): CustomRun {
  const { description } = optionsFrom((options ?? {}) as CustomRunOptions, ["description"], "run()");
  return reading("run()", () => new CustomRun(func as CustomRunFunction, description));
}
