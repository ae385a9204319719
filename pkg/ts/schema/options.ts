import { StepweaveError } from "../api/errors.js";
import { nearest } from "./nearest.js";

/** Refuses what is no option: a misspelt one would be lost without a word, and with it where data goes. */
export function refuseUnknown(options: unknown, known: readonly string[], what: string): void {
  if (typeof options !== "object" || options === null) return;
  const stranger = Object.keys(options).find((key) => !known.includes(key));
  if (stranger === undefined) return;
  const meant = nearest(stranger, known);
  throw new StepweaveError("validation", `${what} has no option \`${stranger}\``, {
    hint: meant === undefined ? `use ${known.join(", ")}` : `did you mean \`${meant}\`?`,
  });
}
