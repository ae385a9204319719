import type { Model } from "../../api/model.js";
import { optionsFrom } from "../../schema/options.js";
import { CUSTOM_OPTIONS, customModel } from "../custom.js";
import type { PromptApiOptions } from "./options.js";

/**
 * The model that runs inside the browser: nothing leaves the machine, and there is no key. It needs Chrome 148 or newer on
 * a desktop computer and a page that is served securely; everywhere else the step fails with the code `model` and a hint.
 *
 * ```ts
 * const agent = new Agent({ name: "writer", model: promptApi({ languages: ["de"] }), fallbacks: [openai("gpt-5-mini")] });
 * ```
 *
 * Workers have no such model. A page that runs its workflows in one lends it the page's:
 *
 * ```ts
 * const engine = connect(worker, { models: { "on-device": promptApi() } });
 * // and in the document: { provider: "custom", model: "prompt-api", handler: "on-device" }
 * ```
 *
 * It calls no tools. An answer by a schema is constrained to it. While it is downloaded, which a click has to begin,
 * calls wait.
 */
export function promptApi(options: PromptApiOptions = {}): Model {
  const { languages, inputLanguages, onDownload, ...rest } = optionsFrom(options, ["languages", "inputLanguages", "onDownload", ...CUSTOM_OPTIONS], "promptApi()");
  return customModel(
    "prompt-api",
    async function* (request, context) {
      const { ask } = await import("./ask.js");
      yield* ask({ languages, inputLanguages, onDownload }, request, context);
    },
    rest,
  );
}
