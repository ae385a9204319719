import { textFor } from "../definition/text.js";

/** A tool that a model chose for a step. */
export interface ChosenTool {
  readonly toolName: string;
  readonly arguments: { readonly [name: string]: any };
  /** How sure the model is that the tool helps, from 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
}

/** What became of it: an error in words, or what the tool gave. The other one is null. */
export interface ToolDecision extends ChosenTool {
  readonly error: string | null;
  readonly result: any;
}

/** What tools gave, as it stands below a step's prompt. */
export function decisionsText(decisions: readonly ToolDecision[]): string {
  if (decisions.length === 0) return "";
  const told = decisions.map(({ toolName, error, result, confidence, reasoning }) => {
    const outcome = error === null ? `Result: ${textFor(result)}` : `Error: ${error}`;
    return [`${toolName}:`, outcome, `Confidence: ${confidence}`, `Reasoning: ${reasoning}`].join("\n");
  });
  return `\n\nTool Execution Results:\n\n${told.join("\n\n")}\n`;
}
