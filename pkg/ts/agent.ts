import { refuseUnknown } from "./options.js";
import type { JsonObject } from "./document.js";
import { StepweaveError } from "./errors.js";
import type { Model } from "./models.js";

/** What an agent is made of. */
export interface AgentDefinition {
  /** What people call the agent. */
  name: string;
  model: Model;
  /** The system message. */
  instructions?: string | undefined;
  /** Parameters for the request body that win over the model's own. */
  params?: JsonObject | undefined;
}

/**
 * A model with instructions.
 *
 * ```ts
 * const researcher = new Agent({
 *   name: "researcher",
 *   model: openai("gpt-5-mini"),
 *   instructions: "You find facts and name your sources.",
 * });
 * ```
 */
export class Agent {
  /** What people call the agent. */
  readonly name: string;
  /** The model that answers. */
  readonly model: Model;
  /** The system message. */
  readonly instructions?: string;
  /** Parameters for the request body that win over the model's own. */
  readonly params?: JsonObject;

  constructor(definition: AgentDefinition) {
    refuseUnknown(definition, ["name", "model", "instructions", "params"], "an agent");
    const { name, model, instructions, params } = definition;
    if (typeof name !== "string" || name.trim() === "") {
      throw new StepweaveError("validation", "an agent needs a name", { hint: 'write new Agent({ name: "researcher", … })' });
    }
    if (typeof model !== "object" || model === null) {
      throw new StepweaveError("validation", `the agent ${name} needs a model`, {
        hint: 'write model: openai("gpt-5-mini"), or model: demo() to try it offline',
      });
    }
    this.name = name;
    this.model = model;
    if (instructions !== undefined) this.instructions = instructions;
    if (params !== undefined) this.params = params;
    Object.freeze(this);
  }
}
