import type { RunOptions } from "../api/run.js";
import type { DocumentOfRuns } from "../journal/documents.js";

/** How a stored run goes on that its operator resumes: options of `workflow.run()` that are plain data. */
export interface ResumeOptions extends Pick<RunOptions, "answers" | "from" | "onMismatch" | "limits"> {
  /** `"resume"`, the default, tries again what stopped the run; `"edit"` makes a new run of the same owner, which runs again from the step `from`. */
  readonly replay?: "resume" | "edit" | undefined;
  /** With which document; as the server's option `document` says by default. */
  readonly document?: DocumentOfRuns | undefined;
}
