/** The method by which an agent with steps becomes a step of a workflow. The same in every copy of the package. */
export const AS_STEP: unique symbol = Symbol.for("stepweave.asStep") as never;

/** An agent with steps: a `ReasoningAgent` of `stepweave/reasoning`. In a workflow's step they run as a nested workflow. */
export interface SteppedAgent {
  readonly name: string;
  /** The step that runs the agent's steps; `id` is that of the step that names the agent. */
  [AS_STEP](step: object, id: string): object;
}

/** Whether this is an agent with steps. */
export function isStepped(agent: unknown): agent is SteppedAgent {
  return typeof agent === "object" && agent !== null && typeof (agent as Partial<SteppedAgent>)[AS_STEP] === "function";
}
