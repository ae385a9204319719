import { knownInAllCopies } from "../../api/copies.js";
import { StepweaveError } from "../../api/errors.js";
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
  }
}
knownInAllCopies(CustomRun, "CustomRun");

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
 */
export function run(func: CustomRunFunction, options: { description?: string | undefined } = {}): CustomRun {
  if (typeof func !== "function") {
    throw new StepweaveError("validation", "run() takes the function of a custom run", { hint: "write run(async (input, agent) => …, { description: \"…\" })" });
  }
  return new CustomRun(func, options.description);
}
