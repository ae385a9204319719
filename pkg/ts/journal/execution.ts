/**
 * The execution whose question a journal's key is of, if it is of one. The key ends with the attempt and the call; that of a
 * person's answer with `answer`, for a tool behind its call; an approval's time, as `deadline`, `waited` or `seen1`, is its own
 * and not that of an attempt. Ids have no `#`, which the names of rounds and calls have.
 */
export function executionOf(key: string): string | undefined {
  return /^((?:.*?\/)??(?:#workflow|[^/#]+))\/(?:\d+\/[^/]+|(?:tool\d+\.\d+(?:\.asked\d+)?\/)?answer|deadline|waited|seen\d+)$/s.exec(key)?.[1];
}

/**
 * Whether an answer need not be kept before the run changes anything: one to the call of a function, which before that only
 * says whether something fits or what is done. What tells of times, and a failure that is tried again, is kept at once.
 */
export function mayWait(key: string): boolean {
  return /\/\d+\/(?!(?:again|deadline|waited|timeout)$)[^/]+$/.test(key);
}

/** Whether an id is that of the workflow itself, and not that of a step. */
export function isOfWorkflow(id: string): boolean {
  return id === "workflow" || id === "#workflow";
}

/** The execution that asked a model under a journal's key, if one did. */
export function askingModel(key: string): string | undefined {
  return /^(.+)\/\d+\/model[^/]*$/s.exec(key)?.[1];
}
