import type { ChosenTool, ToolDecision } from "../../api/decision.js";
import type { Json } from "../../api/json.js";
import type { ToolResult } from "../../api/conversation.js";
import type { ModelRequest, ModelPart } from "../../api/model-request.js";
import type { Model } from "../../api/model.js";
import { customModel } from "../../models/custom.js";

/** How much of a text stands in one part: an endpoint sends no longer ones either. */
const PART = 2 ** 20;

/**
 * A model that is called with the selected tools. It calls them one after the other and answers with their
 * results: so they are called, emitted, approved and kept in journals like the tools of any agent.
 */
export const chosenTools = scripted("the tools that were chosen", (request) => {
  const choices = JSON.parse(questionOf(request)) as ChosenTool[];
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const next = choices[results.length];
  if (next !== undefined) return { type: "toolCall", id: `${results.length + 1}`, name: next.toolName, input: next.arguments };
  return JSON.stringify(choices.map((choice, index) => decided(choice, results[index] as ToolResult)));
});

/** A model that answers with its prompt: so the result of a function is read and checked like a model's answer. */
export const sameAgain = scripted("what was computed", (request) => questionOf(request));

/** A model that calls a tool with these arguments, once. */
export function oneCall(name: string, input: Json): Model {
  return scripted("the caller", ({ messages }) => (messages.at(-1)?.role === "tool" ? "" : { type: "toolCall", name, input }));
}

/** What stands for a model here uses nothing and costs nothing, so that it leaves budgets as they are. */
function scripted(name: string, answer: (request: ModelRequest) => string | ModelPart): Model {
  return customModel(name, (request) => [...partsOf(answer(request)), { type: "usage", inputTokens: 0, outputTokens: 0 }], { price: { input: 0, output: 0 } });
}

function partsOf(answer: string | ModelPart): ModelPart[] {
  if (typeof answer !== "string") return [answer];
  return Array.from({ length: Math.ceil(answer.length / PART) }, (_, index) => ({ type: "text", text: answer.slice(index * PART, (index + 1) * PART) }));
}

function questionOf({ messages }: ModelRequest): string {
  const [first] = messages;
  const [part] = first?.role === "user" ? first.content : [];
  return part?.type === "text" ? part.text : "";
}

function decided(choice: ChosenTool, { output, isError }: ToolResult): ToolDecision {
  if (isError !== true) return { ...choice, error: null, result: output };
  return { ...choice, error: (output as { readonly error: string }).error, result: null };
}
