import { isStepweaveError } from "../api/errors.js";
import type { RunStatus } from "../api/journal.js";

/** The exit codes of every command, which docs/cli.md lists. */
export const EXIT = {
  /** It did what it was called for. */
  done: 0,
  /** The run failed, the document has problems, or a test did not pass. */
  failed: 1,
  /** It could not begin: an option, a file or the document is wrong. */
  misused: 2,
  /** The run waits for a person. */
  suspended: 3,
  /** The run has used what its limits allow. */
  budget: 4,
  /** The engine itself failed. */
  internal: 70,
  /** It was interrupted. */
  cancelled: 130,
} as const;

/** The exit code of a run that ended so. */
export function exitOfStatus(status: Exclude<RunStatus, "running">): number {
  return { done: EXIT.done, error: EXIT.failed, suspended: EXIT.suspended, budget: EXIT.budget, cancelled: EXIT.cancelled }[status];
}

/** The exit code of what was thrown before there was a result. */
export function exitOfError(error: unknown): number {
  return isStepweaveError(error) && error.code !== "internal" ? EXIT.misused : EXIT.internal;
}
