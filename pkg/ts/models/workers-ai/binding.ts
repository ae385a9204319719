import type { JsonObject } from "../../api/document.js";
import type { CustomModelOptions } from "../custom.js";

/** The binding of Workers AI, `env.AI` in a Worker. */
export interface WorkersAiBinding {
  run(model: any, inputs: any, options?: any): Promise<any>;
}

/** Settings of a model of Workers AI that is called through its binding. */
export interface WorkersAiBindingOptions extends CustomModelOptions {
  /** An AI Gateway for the calls, as the binding takes it: `{ id: "my-gateway" }`. */
  gateway?: JsonObject | undefined;
}
