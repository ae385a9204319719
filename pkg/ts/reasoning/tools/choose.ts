import type { ChosenTool } from "../../api/decision.js";
import { isObject } from "../../api/json.js";
import type { Tool } from "../../authoring/tool.js";
import { isStandardSchema, jsonSchemaOf } from "../../schema/standard.js";
import { textFor } from "../../authoring/text.js";
import { BRACES, type PLACES, type ToolSelection } from "./selection.js";
import { toolText } from "./signature.js";

/** What a model chose, and what of its answer could not be used. */
export interface Choices {
  readonly choices: readonly ChosenTool[];
  readonly warnings: readonly string[];
}

type Place = (typeof PLACES)[number];

const TEMPLATE = `Choose the tools that help with a task, if any do.

Task:
{task}

{context}

Tools:
{tool_descriptions}`;

/** The prompt of the model that selects tools for a task. `known` is the state that the agent's steps keep. */
export function choicePrompt(task: string, known: { readonly [key: string]: unknown }, tools: readonly Tool[], selection: ToolSelection): string {
  const values: { [name in Place]: string } = {
    task,
    context: contextText(known),
    tool_descriptions: tools.map(toolText).join("\n"),
  };
  let template = selection.promptTemplate ?? TEMPLATE;
  // The model cannot select for a task, or among tools, that it does not see.
  if (!hasPlace(template, "task")) template += "\n\nTask:\n{task}";
  if (!hasPlace(template, "tool_descriptions")) template += "\n\nTools:\n{tool_descriptions}";
  const text = template.replace(BRACES, (found, name?: Place) => (name === undefined ? found.slice(0, 1) : values[name]));
  return `${text}\n\n${demanded(selection)}`;
}

/** What of an answer can be used: known tools, chosen surely enough, with the arguments that they need; the first ones of them. */
export function readChoices(answer: object, tools: readonly Tool[], selection: ToolSelection): Choices {
  const { tool_calls: calls = [] } = answer as { readonly tool_calls?: unknown };
  if (!Array.isArray(calls)) return { choices: [], warnings: ["the answer has no list of `tool_calls`: no tools were chosen"] };
  const choices: ChosenTool[] = [];
  const warnings: string[] = [];
  for (const call of calls) {
    const choice = readChoice(call, tools);
    if (typeof choice === "string") warnings.push(choice);
    else if (choice.confidence >= selection.confidenceThreshold) choices.push(choice);
  }
  const left = choices.splice(selection.maxToolsPerStep);
  if (left.length > 0) warnings.push(`more than ${selection.maxToolsPerStep} tools were chosen; left out: ${left.map(({ toolName }) => toolName).join(", ")}`);
  return { choices, warnings };
}

/** One call, or why it is left out. */
function readChoice(call: unknown, tools: readonly Tool[]): ChosenTool | string {
  if (!isObject(call)) return "a call that is no object was left out";
  const { tool_name: toolName, arguments: given = {}, confidence = 0, reasoning } = call;
  const tool = tools.find(({ name }) => name === toolName);
  if (tool === undefined) return `there is no tool ${JSON.stringify(toolName) ?? "without a name"} for this step`;
  if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) {
    return `the call of \`${tool.name}\` was left out: its confidence ${JSON.stringify(confidence)} is no number from 0 to 1`;
  }
  if (!isObject(given)) return `the call of \`${tool.name}\` was left out: its arguments are no object`;
  const misfit = misfitOf(given, tool);
  if (misfit !== undefined) return `the call of \`${tool.name}\` was left out: ${misfit}`;
  return {
    toolName: tool.name,
    arguments: given,
    confidence,
    reasoning: typeof reasoning === "string" && reasoning !== "" ? reasoning : "no reasoning given",
  };
}

/** Which arguments are missing or unknown. What they are is looked at when the tool is called. */
function misfitOf(given: object, { input }: Tool): string | undefined {
  const schema = isStandardSchema(input) ? jsonSchemaOf(input, "input") : input;
  if (!isObject(schema)) return undefined;
  const { required, properties, additionalProperties = false, patternProperties } = schema;
  const missing = (Array.isArray(required) ? required : []).filter((name: string) => !Object.hasOwn(given, name));
  if (missing.length > 0) return `it needs ${missing.join(", ")}`;
  if (!isObject(properties) || additionalProperties !== false || patternProperties !== undefined) return undefined;
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  return unknown.length === 0 ? undefined : `it takes no ${unknown.join(", ")}`;
}

function contextText(known: { readonly [key: string]: unknown }): string {
  const lines = Object.entries(known).map(([key, value]) => `- ${key}: ${textFor(value)}`);
  return lines.length === 0 ? "Nothing else is known." : ["What is known:", ...lines].join("\n");
}

function demanded({ maxToolsPerStep }: ToolSelection): string {
  return `Answer with one JSON object and nothing else:
{"tool_calls": [{"tool_name": "…", "arguments": {"…": "…"}, "confidence": 0.0, "reasoning": "…"}]}
\`tool_name\` is the name of one of the tools. \`arguments\` has every argument that it needs, with final values. \`confidence\` is a number from 0 to 1: how sure you are that the tool helps. \`reasoning\` says why it does.
At most ${maxToolsPerStep} calls are made, in the order of the list. When no tool helps, the list is empty.`;
}

function hasPlace(template: string, place: Place): boolean {
  return [...template.matchAll(BRACES)].some(([, name]) => name === place);
}
