import type { StepRef, StepweaveError } from "../api/errors.js";
import type { RunResult } from "../api/results.js";
import type { UIMessageLike } from "./chunk.js";

/** How a run is shown. */
export interface UIMessageStreamOptions {
  /** The id of the message; where it is absent, the reader makes one. */
  messageId?: string | undefined;
  /**
   * The last message of the chat. If a run was suspended in it, the message continues: what the journal answers is in it
   * already and is not written again.
   */
  continues?: UIMessageLike | undefined;
  /**
   * How a tool call that needs approval is shown: as the state of its part, which the AI SDK has from version
   * 6 on, or, with `"data"`, as a part `data-approval`, like approval steps. Readers of version 5 need that.
   */
  approvals?: "tool" | "data" | undefined;
  /** Whose words, sources, files and calls of tools are shown; those of all steps when absent, and of none for which it throws. */
  shows?: ((step: StepRef) => boolean) | undefined;
  /** How an error is worded; as `publicError` of `stepweave` does when absent, or where it throws. */
  errorText?: ((error: StepweaveError) => string) | undefined;
  /**
   * Receives the result before the message ends, which waits for it: the place to store a conversation. What it throws is
   * the message's error, and stands on the console.
   */
  onFinish?: ((result: RunResult) => void | PromiseLike<void>) | undefined;
}

/** The names of these options. */
export const MESSAGE: readonly string[] = ["messageId", "continues", "approvals", "shows", "errorText", "onFinish"] satisfies (keyof UIMessageStreamOptions)[];
