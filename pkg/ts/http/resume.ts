import { StepweaveError } from "../api/errors.js";
import type { RunOptions } from "../api/run.js";
import type { DocumentOfRuns } from "../journal/documents.js";
import type { Inspection } from "../journal/inspect.js";
import { optionsFrom } from "../schema/options.js";
import { Refused } from "./problem.js";
import type { ServedRuns } from "./served-runs.js";

/** How a stored run goes on that its operator resumes: options of `workflow.run()` that are plain data. */
export interface ResumeOptions extends Pick<RunOptions, "answers" | "from" | "onMismatch" | "limits"> {
  /** `"resume"`, the default, tries again what stopped the run; `"edit"` makes a new run of the same owner, which runs again from the step `from`. */
  readonly replay?: "resume" | "edit" | undefined;
  /** With which document; as the server's option `document` says by default. */
  readonly document?: DocumentOfRuns | undefined;
}

const KEYS = ["answers", "replay", "from", "onMismatch", "limits", "document"];

/** Resumes a stored run because its operator says so, however it has ended; resolves with how it stands then. */
export async function resume(runs: ServedRuns, id: string, given: ResumeOptions | undefined): Promise<Inspection> {
  if (runs.store === undefined) throw new StepweaveError("validation", "resume() needs a store, and this workflow is served without one", { hint: "give handler() a `store`: without one no run outlives its request" });
  const options = optionsFrom(given ?? {}, KEYS, "resume()");
  try {
    return await runs.resumed(String(id), options);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new StepweaveError(error.status === 404 ? "validation" : "conflict", error.message, { hint: error.more.hint });
  }
}
