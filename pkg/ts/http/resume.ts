import { StepweaveError } from "../api/errors.js";
import type { Inspection } from "../journal/inspect.js";
import { optionsFrom } from "../schema/options.js";
import { ofRun, Refused } from "./problem.js";
import type { ResumeOptions } from "./resume-options.js";
import type { ServedRuns } from "./served-runs.js";

const KEYS = ["answers", "replay", "from", "onMismatch", "limits", "document"];

/** Resumes a stored run because its operator says so, however it has ended; resolves with how it stands then. */
export async function resume(runs: ServedRuns, id: string, given: ResumeOptions | undefined): Promise<Inspection> {
  if (runs.store === undefined) throw new StepweaveError("validation", "resume() needs a store, and this workflow is served without one", { hint: "give handler() a `store`: without one no run outlives its request" });
  const options = optionsFrom(given ?? {}, KEYS, "resume()");
  try {
    return await runs.resumed(String(id), options);
  } catch (error) {
    if (!(error instanceof Refused)) throw ofRun(String(id), error);
    throw new StepweaveError(error.status === 404 ? "validation" : "conflict", error.message, { hint: error.more.hint });
  }
}
