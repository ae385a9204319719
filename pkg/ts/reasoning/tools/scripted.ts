import type { ChosenTool, ToolDecision } from "../../api/decision.js";
import type { ModelRequest, ToolResult } from "../../api/model-request.js";
import { customModel } from "../../models/custom.js";

/**
 * A model that is asked with the tools that were chosen. It calls them one after the other and answers with what came of
 * them: so they are called, told, allowed by people and kept in journals as the tools of any agent are.
 */
export const chosenTools = customModel("the tools that were chosen", (request) => {
  const choices = JSON.parse(questionOf(request)) as ChosenTool[];
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const next = choices[results.length];
  if (next !== undefined) return [{ type: "toolCall", id: `${results.length + 1}`, name: next.toolName, input: next.arguments }];
  return JSON.stringify(choices.map((choice, index) => decided(choice, results[index] as ToolResult)));
});

/** A model that answers with what it is asked: so what a function gives is read and checked as a model's answer is. */
export const sameAgain = customModel("what was computed", (request) => questionOf(request));

function questionOf({ messages }: ModelRequest): string {
  const [first] = messages;
  const [part] = first?.role === "user" ? first.content : [];
  return part?.type === "text" ? part.text : "";
}

function decided(choice: ChosenTool, { output, isError }: ToolResult): ToolDecision {
  if (isError !== true) return { ...choice, error: null, result: output };
  return { ...choice, error: (output as { readonly error: string }).error, result: null };
}
