// Nodes of n8n that ask a model.
import type { Json, StepDocument } from "stepweave";
import { at, data, list, text, type Data } from "../data";
import { helpedBy } from "./helpers";
import { parsed } from "./schema";
import type { Making } from "./shapes";
import { kindOf, type Source } from "./source";

/** The agent step of a node; undefined for a node that asks no model. */
export function agentStep(source: Source, { draft, names, served }: Making): StepDocument | undefined {
  const kind = kindOf(source);
  const found = prompts(source, kind);
  if (found === undefined) return undefined;
  const { instructions, prompt } = found;
  const help = helpedBy(source, served, draft, names);
  // Instructions are the same in every run: what reads the state belongs to the prompt.
  const moves = instructions.startsWith("=") && instructions.includes("{{");
  const said = instructions.replace(/^=/, "");
  const body = prompt === undefined ? defaultPrompt(source, names) : names.template(source, prompt);
  const output = schemaFor(source, kind, draft) ?? help.output;
  const agent = draft.agent(source.name, {
    model: help.model,
    ...(said.trim() !== "" && !moves && { instructions: said }),
    ...(help.tools.length > 0 && { tools: help.tools }),
    ...(output !== undefined && { output }),
  });
  const input = moves ? `${names.template(source, instructions)}\n\n${body}` : body;
  return draft.step(names.of(source), { type: "agent", agent, inputFrom: input.trim() === "" ? "Go on." : input, ...(help.remembers && { history: { key: "conversation" } }) });
}

/** What a node says to its model; undefined: it asks none. */
function prompts(source: Source, kind: string): { instructions: string; prompt: unknown } | undefined {
  const { parameters } = source;
  const given = parameters["text"] ?? parameters["prompt"] ?? parameters["inputText"];
  const system = text(at(parameters, "options", "systemMessage")) || text(at(parameters, "options", "systemPromptTemplate"));
  switch (kind) {
    case "agent":
    case "conversationalAgent":
    case "openAiAssistant":
      return { instructions: system || text(parameters["instructions"]), prompt: given };
    case "chainLlm": {
      const messages = list(at(parameters, "messages", "messageValues")).map(data);
      const isHuman = (message: Data): boolean => text(message["type"]).startsWith("Human");
      const of = (rows: readonly Data[]): string => together(rows.map((message) => text(message["message"])));
      const humans = messages.filter(isHuman);
      return { instructions: of(messages.filter((message) => !isHuman(message))), prompt: humans.length === 0 || typeof given !== "string" ? given : together([of(humans), given]) };
    }
    case "chainSummarization":
      return { instructions: "You sum up what you are given, in short.", prompt: undefined };
    case "chainRetrievalQa":
      return { instructions: system || "You answer from what your tools find.", prompt: given ?? parameters["query"] };
    case "informationExtractor":
      return { instructions: system || "You extract what is asked for from the text that you are given.", prompt: given };
    case "textClassifier":
      return { instructions: `You decide which category a text belongs to.\n${list(at(parameters, "categories", "categories")).map((row) => `- ${text(data(row)["category"])}: ${text(data(row)["description"])}`).join("\n")}`, prompt: given };
    case "sentimentAnalysis":
      return { instructions: "You decide which sentiment a text has.", prompt: given };
    case "openAi":
    case "anthropic":
    case "googleGemini":
    case "mistralAi":
    case "perplexity": {
      if (!/^(?:text|chat|message|assistant|)$/.test(text(parameters["resource"])) || /image|audio|file|edit|moderate|classify/i.test(text(parameters["operation"]))) return undefined;
      const messages = list(at(parameters, "messages", "values") ?? at(parameters, "messages", "message") ?? at(parameters, "prompt", "messages") ?? at(parameters, "responses", "values")).map(data);
      const of = (role: boolean): string[] => messages.filter((message) => (text(message["role"]) === "system") === role).map((message) => text(message["content"])).filter(Boolean);
      const texts = of(false);
      return { instructions: together(of(true)), prompt: texts.length > 0 ? together(texts) : typeof given === "string" ? given : undefined };
    }
    default:
      return undefined;
  }
}

/** Several texts as one, which is an expression if one of them is. */
function together(texts: readonly string[]): string {
  const filled = texts.filter((each) => each.trim() !== "");
  const sign = filled.some((each) => each.startsWith("=")) ? "=" : "";
  return sign + filled.map((each) => each.replace(/^=/, "")).join("\n\n");
}

function defaultPrompt(source: Source, names: Making["names"]): string {
  const root = names.rootOf(source);
  return root === "state" ? "{{ chatInput | default(state | tojson) }}" : `{{ ${root} }}`;
}

function schemaFor(source: Source, kind: string, draft: Making["draft"]): Json | undefined {
  const { parameters } = source;
  if (kind === "textClassifier" || kind === "sentimentAnalysis") {
    const categories = kind === "sentimentAnalysis" ? (text(at(parameters, "options", "categories")) || "Positive, Neutral, Negative").split(",").map((word) => word.trim()) : list(at(parameters, "categories", "categories")).map((row) => text(data(row)["category"]));
    return { type: "object", required: ["category"], properties: { category: { type: "string", ...(categories.length > 0 && { enum: [...new Set([...categories, "other"])] }) } } };
  }
  if (kind !== "informationExtractor") return undefined;
  const fields = list(at(parameters, "attributes", "attributes")).map(data).filter((field) => text(field["name"]) !== "" && text(field["name"]) !== "__proto__");
  if (fields.length === 0) return parsed(source, draft);
  const types: Record<string, string> = { number: "number", boolean: "boolean" };
  return {
    type: "object",
    required: fields.filter((field) => field["required"] === true).map((field) => text(field["name"])),
    properties: Object.fromEntries(fields.map((field) => [text(field["name"]), { type: types[text(field["type"])] ?? "string", ...(text(field["description"]) !== "" && { description: text(field["description"]) }) }])),
  };
}
