import type { Limits, ModelParams, RetryPolicy } from "../../api/document.js";
import type { Model } from "../../api/model.js";
import type { ToolSelection } from "../tools/selection.js";
import type { Toolbox } from "../tools/toolbox.js";
import type { ModelConfig } from "./model.js";

/** What an agent gives its steps. */
export interface Setting {
  readonly name: string;
  readonly model: Model;
  readonly instructions?: string | undefined;
  readonly params?: ModelParams | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  readonly limits?: Limits | undefined;
  readonly toolbox: Toolbox;
  readonly toolSelection?: ToolSelection | undefined;
  readonly toolModel?: ModelConfig | Model | undefined;
}
