import { isStepweaveError, type StepweaveError } from "../api/errors.js";
import type { RunResult } from "../api/results.js";

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
  /** The run has used what a limit allows. */
  limit: 4,
  /** The engine itself failed. */
  internal: 70,
  /** It was interrupted. */
  cancelled: 130,
} as const;

/** The exit code of a run that ended so. */
export function exitOfResult({ status, error }: Pick<RunResult, "status" | "error">): number {
  return { done: EXIT.done, error: isOfLimit(error) ? EXIT.limit : EXIT.failed, suspended: EXIT.suspended, budget: EXIT.limit, cancelled: EXIT.cancelled }[status];
}

/** What a limit of the run says: which one to raise. Limits of a step, a value or an endpoint have the same code. */
const OF_THE_RUN = /\blimits\.max(?:Steps|StateBytes|Events)\b/;

/** Whether a limit of the run ended it. A time limit that is of one step is a failure of that; the one of the run is of no step. */
function isOfLimit(error: StepweaveError | undefined): boolean {
  if (error?.code === "limit") return OF_THE_RUN.test(error.hint ?? "");
  return error?.code === "timeout" && error.step === undefined;
}

/** The exit code of what was thrown before there was a result. */
export function exitOfError(error: unknown): number {
  return isStepweaveError(error) && error.code !== "internal" ? EXIT.misused : EXIT.internal;
}
