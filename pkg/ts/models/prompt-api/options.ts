import type { CustomModelOptions } from "../custom.js";

/** Settings of the browser's own model. */
export interface PromptApiOptions extends CustomModelOptions {
  /** The languages of its answers, `["en"]` when absent. Browsers know few: Chrome takes `de`, `en`, `es`, `fr` and `ja`. */
  languages?: readonly string[] | undefined;
  /** The languages of its inputs; those of its answers when absent. */
  inputLanguages?: readonly string[] | undefined;
  /** Receives the downloaded share of the model, from 0 to 1, while the browser downloads it. */
  onDownload?: ((share: number) => void) | undefined;
}
