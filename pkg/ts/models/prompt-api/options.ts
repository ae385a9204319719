import type { CustomModelOptions } from "../custom.js";

/** How the browser's own model is asked. */
export interface PromptApiOptions extends CustomModelOptions {
  /** The languages of its answers, `["en"]` when absent. Browsers know few: Chrome takes `de`, `en`, `es`, `fr` and `ja`. */
  languages?: readonly string[] | undefined;
  /** The languages of what it is asked; those of its answers when absent. */
  inputLanguages?: readonly string[] | undefined;
  /** Is told how much of the model is there, from 0 to 1, while the browser downloads it. */
  onDownload?: ((share: number) => void) | undefined;
}
