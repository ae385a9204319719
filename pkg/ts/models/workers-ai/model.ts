import { StepweaveError } from "../../api/errors.js";
import type { Model } from "../../api/model.js";
import { optionsFrom, reading } from "../../schema/options.js";
import { CUSTOM_OPTIONS, customModel } from "../custom.js";
import type { WorkersAiBinding, WorkersAiBindingOptions } from "./binding.js";

/** A model of Workers AI behind a binding; {@link workersAi} leads here. */
export function workersAiBinding(ai: WorkersAiBinding, model: string, options: WorkersAiBindingOptions = {}): Model {
  const { gateway, ...rest } = optionsFrom(options, ["gateway", ...CUSTOM_OPTIONS], "workersAi() with a binding");
  if (reading("the binding of workersAi()", () => typeof ai?.run !== "function")) {
    throw new StepweaveError("validation", "workersAi() was given something else than a binding of Workers AI", {
      hint: 'pass env.AI, which wrangler.jsonc makes of "ai": { "binding": "AI" }; over HTTP, write workersAi("@cf/…", { accountId })',
    });
  }
  if (typeof model !== "string" || model.trim() === "") {
    throw new StepweaveError("validation", "workersAi() needs the name of a model", { hint: 'write workersAi(env.AI, "@cf/meta/llama-3.3-70b-instruct-fp8-fast")' });
  }
  return customModel(
    model,
    async function* (request, context) {
      const { ask } = await import("./ask.js");
      yield* ask(ai, model, gateway, request, context.signal);
    },
    rest,
  );
}
