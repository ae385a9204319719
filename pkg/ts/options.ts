import { StepweaveError } from "./errors.js";

/** Refuses what is no option: a misspelt one would be lost without a word, and with it where data goes. */
export function refuseUnknown(options: unknown, known: readonly string[], what: string): void {
  if (typeof options !== "object" || options === null) return;
  const stranger = Object.keys(options).find((key) => !known.includes(key));
  if (stranger === undefined) return;
  const alike = known.find((key) => key.toLowerCase() === stranger.toLowerCase());
  throw new StepweaveError("validation", `${what} has no option \`${stranger}\``, {
    hint: alike === undefined ? `use ${known.join(", ")}` : `did you mean \`${alike}\`?`,
  });
}
