import { textFor } from "../../authoring/text.js";
import type { ToolDecision } from "../../api/decision.js";

/** What tools gave, as it stands below a step's prompt. */
export function decisionsText(decisions: readonly ToolDecision[]): string {
  if (decisions.length === 0) return "";
  const lines = decisions.map(({ toolName, error, result, confidence, reasoning }) => {
    const outcome = error === null ? `Result: ${textFor(result)}` : `Error: ${error}`;
    return [`${toolName}:`, outcome, `Confidence: ${confidence}`, `Reasoning: ${reasoning}`].join("\n");
  });
  return `\n\nTool Execution Results:\n\n${lines.join("\n\n")}\n`;
}
