import { StepweaveError } from "../api/errors.js";

/** What was kept in pieces, as the value that it was. */
export function valueOf(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notKept();
  }
  if (typeof value !== "object" || value === null) throw notKept();
  return value;
}

/** The error of an engine that gives another text than the one that it was given. */
export function notKept(): StepweaveError {
  return new StepweaveError("validation", "the engine gives something else than what the run had it keep", { hint: "have `perform` resolve with the text of the call, as it was" });
}
