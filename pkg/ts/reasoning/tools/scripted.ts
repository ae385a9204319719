import type { ChosenTool, ToolDecision } from "../../api/decision.js";
import type { ToolResult } from "../../api/conversation.js";
import type { ModelRequest } from "../../api/model-request.js";
import { customModel } from "../../models/custom.js";

/**
 * A model that is called with the selected tools. It calls them one after the other and answers with their
 * results: so they are called, emitted, approved and kept in journals like the tools of any agent.
 */
export const chosenTools = customModel("the tools that were chosen", (request) => {
  const choices = JSON.parse(questionOf(request)) as ChosenTool[];
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const next = choices[results.length];
  if (next !== undefined) return [{ type: "toolCall", id: `${results.length + 1}`, name: next.toolName, input: next.arguments }];
  return JSON.stringify(choices.map((choice, index) => decided(choice, results[index] as ToolResult)));
});

/** A model that answers with its prompt: so the result of a function is read and checked like a model's answer. */
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
