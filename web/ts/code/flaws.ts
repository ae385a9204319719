// What is wrong with a text, as the editors mark it.
import type { Diagnostic } from "@codemirror/lint";
import type { Flaw } from "./port.js";

/** Marks for what is wrong with a text of so many characters. */
export function diagnostics(flaws: readonly Flaw[], length: number): Diagnostic[] {
  return flaws.map(({ from, to, message, severity }) => {
    // What is missing at the end has no width.
    const start = Math.min(from, Math.max(length - 1, 0));
    return { from: start, to: Math.min(Math.max(to, start + 1), length), message, severity };
  });
}
