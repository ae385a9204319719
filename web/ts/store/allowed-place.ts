// Where it is kept what a person has allowed runs of a workflow for good (ts/allowed.ts).

/** The key in `localStorage` of the workflow with this id. */
export function placeOfAllowed(workflow: string): string {
  return `stepweave.allowed.${workflow}`;
}

/** Forgets it, with its workflow. */
export function forgetAllowed(workflow: string): void {
  try {
    localStorage.removeItem(placeOfAllowed(workflow));
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
