// What a person has set for the page itself, whichever workflow is open. Where the browser stores nothing it holds for one visit.
const PLACE = "stepweave.preference.";

/** What was set by this name; nothing when nothing was. */
export function preference(name: string): string | undefined {
  try {
    return localStorage.getItem(PLACE + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers what is set by this name. */
export function prefer(name: string, value: string): void {
  try {
    localStorage.setItem(PLACE + name, value);
  } catch {
    // It stays as it is set until the page is left.
  }
}
