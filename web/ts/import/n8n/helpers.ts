// Nodes of n8n that serve another one: models, tools, memories, parsers.
import type { Json, ToolDocument } from "stepweave";
import { at, data, isData, text } from "../data";
import { failing, modelOf, type Draft } from "../draft";
import { requestOf } from "./request";
import type { Names } from "./names";
import { kindOf, type Source } from "./source";

/** Says of a node that serves others what it is now; `agentOf` builds it in. */
export function helperOf(source: Source, draft: Draft): void {
  const kind = kindOf(source);
  const about = { name: source.name, kind };
  if (kind.startsWith("lm")) draft.became(source.name, about, "a model of the workflow", "whole");
  else if (/^tool|Tool$/.test(kind)) draft.became(source.name, about, "a tool of the workflow", "whole");
  else if (kind.startsWith("memory")) draft.became(source.name, about, "the history of an agent step", "whole");
  else if (kind.startsWith("outputParser")) draft.became(source.name, about, "the answer's schema of an agent", "whole");
  else {
    draft.became(source.name, about, "a note in this list", "part");
    draft.remark(source.name, "Search in vectors and what belongs to it is no kind of step: call the service with a request, or with a tool.");
  }
}

/** Whether what a node answers has fields. */
export function hasFields(source: Source, served: ReadonlyMap<string, Source[]>): boolean {
  const kind = kindOf(source);
  return kind === "informationExtractor" || kind === "sentimentAnalysis" || (served.get(source.name) ?? []).some((helper) => kindOf(helper).startsWith("outputParser"));
}

/** What serves an agent, built in. */
export interface Helped {
  readonly model: string;
  readonly tools: string[];
  readonly output?: Json;
  readonly remembers: boolean;
}

export function helpedBy(source: Source, served: ReadonlyMap<string, Source[]>, draft: Draft, names: Names): Helped {
  const helpers = served.get(source.name) ?? [];
  const models = helpers.filter((helper) => kindOf(helper).startsWith("lm"));
  const tools: string[] = [];
  let output: Json | undefined;
  let remembers = false;
  for (const helper of helpers) {
    const kind = kindOf(helper);
    if (/^tool|Tool$/.test(kind)) tools.push(toolOf(helper, draft, names));
    else if (kind.startsWith("memory")) remembers = true;
    else if (kind.startsWith("outputParser")) output = parsed(helper, draft) ?? output;
  }
  const [model] = models;
  return { model: draft.model(modelSettings(model ?? source, draft)), tools, remembers, ...(output !== undefined && { output }) };
}

/** The model that a node names, which may be the node itself. */
export function modelSettings(source: Source, draft: Draft): ReturnType<typeof modelOf>["settings"] {
  const { parameters } = source;
  const named = [parameters["model"], parameters["modelId"], parameters["modelName"], at(parameters, "options", "model")].map((value) => text(isData(value) ? value["value"] : value)).find(Boolean) ?? "";
  const kind = kindOf(source);
  const fallback = /openai/i.test(kind) && !named.startsWith("=") ? "gpt-4o-mini" : "";
  const name = (named.startsWith("=") || named.includes("{{") ? "" : named.replace(/^models\//, "")) || fallback;
  const { temperature, maxTokens, topP } = data(parameters["options"]);
  const params: Record<string, Json> = {};
  if (typeof temperature === "number") params["temperature"] = temperature;
  if (typeof maxTokens === "number" && maxTokens > 0) params["maxOutputTokens"] = Math.floor(maxTokens);
  if (typeof topP === "number") params["top_p"] = topP;
  const { settings, known } = modelOf(kind, name, params);
  if (!known) draft.remark(source.name, "Choose its model: until then an offline simulation answers.");
  return settings;
}

function toolOf(helper: Source, draft: Draft, names: Names): string {
  const { parameters } = helper;
  const kind = kindOf(helper);
  const described = text(parameters["toolDescription"]) || text(parameters["description"]) || text(parameters["name"]);
  const description = described.startsWith("=") ? described.slice(1) : described;
  const base: ToolDocument = description === "" ? {} : { description };
  if (description.includes("{{")) draft.remark(helper.name, "Write its description anew: it read something.");
  if (kind === "toolHttpRequest" || kind === "httpRequestTool") {
    const http = requestOf(helper, names, draft);
    if (!/^\{\{/.test(http.url) && http.url !== "" && http.origins === undefined) {
      draft.remark(helper.name, "Say in its input which arguments the model gives, and use them in the request.");
      return draft.tool(helper.name, { ...base, run: { http: { ...http, url: plain(http.url), ...(http.query && { query: plainly(http.query) }), ...(http.headers && { headers: plainly(http.headers) }), ...(http.body && { body: plainly(http.body) }) } } });
    }
  }
  if (kind === "toolCode" && text(parameters["language"]) !== "python" && text(parameters["jsCode"]) !== "") {
    draft.remark(helper.name, "Its code ran in n8n: look whether it needs more than its argument `query`.");
    return draft.tool(helper.name, { ...base, input: { type: "object", properties: { query: { type: "string" } } }, run: { code: `const query = state.query;\n${text(parameters["jsCode"])}` } });
  }
  draft.remark(helper.name, `The tool fails until it has something to run: a request, code or a workflow (it was ${kind}).`);
  const says = `The tool “${helper.name}” was a ${kind} node, which an import cannot carry over: give it a request, code or a workflow.`;
  return draft.tool(helper.name, { ...base, run: failing(says) });
}

/** A tool's request knows its arguments only, no state: what read the state is a question mark. */
function plain(template: string): string {
  return template.replace(/\{\{[\s\S]*?\}\}/g, "?");
}

function plainly<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => (typeof inner === "string" ? plain(inner) : inner)) as T;
}

/** The schema that a node has as JSON, or as an example of it. */
export function parsed(helper: Source, draft: Draft): Json | undefined {
  const { parameters } = helper;
  for (const raw of [parameters["inputSchema"], parameters["jsonSchema"]]) {
    const schema = json(raw);
    if (isData(schema)) return sound(schema);
  }
  const example = json(parameters["jsonSchemaExample"]);
  if (example !== undefined) return schemaOf(example, 0);
  draft.remark(helper.name, "Write the schema of the answer.");
  return undefined;
}

/** A schema without types that are none: models get along without. A type that is written as nothing, beside others, is that of nothing. */
function sound(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema), (name, inner: unknown) => {
    if (name !== "type" || isData(inner)) return inner;
    const types = [inner].flat().map((type) => (type === null && Array.isArray(inner) ? "null" : type)).filter((type) => TYPES.has(type as string));
    return types.length === 0 ? undefined : Array.isArray(inner) ? [...new Set(types)] : inner;
  }) as Json;
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function json(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

/** A schema that an example fits. */
export function schemaOf(example: unknown, depth: number): Json {
  if (depth > 20) return {};
  if (Array.isArray(example)) return { type: "array", items: example.length > 0 ? schemaOf(example[0], depth + 1) : {} };
  if (isData(example)) {
    const properties = Object.fromEntries(Object.entries(example).filter(([name]) => name !== "__proto__").map(([name, inner]) => [name, schemaOf(inner, depth + 1)]));
    return { type: "object", required: Object.keys(properties), properties };
  }
  return example === null ? {} : { type: typeof example };
}

