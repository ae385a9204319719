// What the exported code defines before its workflow: agents, tools, schemas, guardrails.
import type { Json, ToolDocument } from "stepweave";
import { list, text } from "../data";
import type { Draft } from "../draft";
import { expression, mayLook, nodesOf, pathOf, type Resolve, type Syntax } from "../javascript";
import { failing } from "../placeholder";
import { joined, literal, printed } from "../text";
import { schemaOf } from "./zod";

/** An agent as the code defines it. */
export interface Defined {
  readonly name: string;
  readonly agent: string;
  /** Instructions that read something: a template over the context of a call, which belongs to the prompt. */
  readonly moving?: Syntax;
  /** What of it is left to a person. */
  readonly toLook: readonly string[];
}

export class Definitions {
  readonly #consts = new Map<string, Syntax>();
  readonly #agents = new Map<string, Defined>();
  readonly #tools = new Map<string, string>();
  readonly #module: Syntax;
  readonly #draft: Draft;

  constructor(module: Syntax, draft: Draft) {
    this.#module = module;
    this.#draft = draft;
    for (const node of nodesOf(module)) {
      if (node.type === "VariableDeclarator" && (node["id"] as Syntax).type === "Identifier" && node["init"]) {
        const name = text((node["id"] as Syntax)["name"]);
        if (!this.#consts.has(name)) this.#consts.set(name, node["init"] as Syntax);
      } else if (node.type === "FunctionDeclaration" && node["id"]) {
        this.#consts.set(text((node["id"] as Syntax)["name"]), node);
      }
    }
  }

  /** The statements of the workflow, and its name. */
  entry(): { statements: unknown; name: string } | undefined {
    let best: Syntax | undefined;
    for (const node of nodesOf(this.#module)) {
      const isFunction = node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression" || node.type === "FunctionDeclaration";
      if (!isFunction || (node["body"] as Syntax).type !== "BlockStatement") continue;
      const statements = list((node["body"] as Syntax)["body"]) as Syntax[];
      // The innermost function around the calls: that of `withTrace`, or the workflow itself.
      if (statements.some((statement) => runs(statement)) && (best === undefined || node.start > best.start)) best = best && best.end < node.start ? best : node;
    }
    if (best === undefined) return undefined;
    let name = "Agent workflow";
    for (const node of nodesOf(this.#module)) {
      if (node.type !== "CallExpression" || text((node["callee"] as Syntax)["name"]) !== "withTrace") continue;
      const [first] = list(node["arguments"]) as Syntax[];
      if (typeof first?.["value"] === "string" && node.start <= best.start && best.end <= node.end) name = first["value"];
    }
    return { statements: (best["body"] as Syntax)["body"], name };
  }

  constant(name: string): Syntax | undefined {
    return this.#consts.get(name);
  }

  /** The agent of this name, which joins the document when it is first used. */
  agent(name: string): Defined | undefined {
    const known = this.#agents.get(name);
    if (known) return known;
    const made = this.#consts.get(name);
    if (made?.type !== "NewExpression" || text((made["callee"] as Syntax)["name"]) !== "Agent") return undefined;
    const [options] = list(made["arguments"]) as Syntax[];
    const of = (field: string): Syntax | undefined => property(options, field);
    const title = this.#text(of("name")) ?? name;
    const instructions = of("instructions");
    const plain = this.#text(instructions);
    const settings = of("modelSettings");
    const number = (field: string): number | undefined => (typeof property(settings, field)?.["value"] === "number" ? (property(settings, field)?.["value"] as number) : undefined);
    const params: Record<string, Json> = {};
    const [temperature, most, effort] = [number("temperature"), number("maxTokens"), this.#text(property(property(settings, "reasoning"), "effort"))];
    const topP = number("topP");
    if (temperature !== undefined) params["temperature"] = temperature;
    // What every model does by itself.
    if (topP !== undefined && topP !== 1) params["top_p"] = topP;
    if (most !== undefined && most >= 1) params["maxOutputTokens"] = Math.floor(most);
    if (effort !== undefined) params["reasoningEffort"] = effort === "minimal" ? "low" : ["none", "low", "medium", "high"].includes(effort) ? effort : "high";
    const model = this.#draft.model({ provider: "openaiResponses", model: this.#text(of("model")) ?? "gpt-4.1", apiKey: { secret: "OPENAI_API_KEY" }, ...(Object.keys(params).length > 0 && { params }) });
    const given = list(of("tools")?.["elements"]) as Syntax[];
    const tools = given.map((tool) => this.#tool(tool)).filter((tool) => tool !== undefined);
    const output = of("outputType");
    const schema = output === undefined ? undefined : schemaOf(this.#followed(output), (inner) => this.#consts.get(inner));
    const agent = this.#draft.agent(title, { model, ...(plain !== undefined && plain.trim() !== "" && { instructions: plain }), ...(tools.length > 0 && { tools }), ...(schema !== undefined && { output: schema }) });
    const moving = plain === undefined && instructions !== undefined ? this.#returned(instructions) : undefined;
    const toLook = [
      ...(plain === undefined && instructions !== undefined && moving === undefined ? ["Write its instructions: code makes them, which is not taken along."] : []),
      ...(tools.length < given.length ? ["Give it its tools: some of them are not in the file."] : []),
      ...namesOf(options).filter((name) => !TAKEN.has(name)).map((name) => `Its \`${name}\` is not taken along.`),
      ...namesOf(settings).filter((name) => !TAKEN_SETTINGS.has(name)).map((name) => `Its setting \`${name}\` is not taken along.`),
    ];
    const defined: Defined = { name: title, agent, toLook, ...(moving && { moving }) };
    this.#agents.set(name, defined);
    return defined;
  }

  /** What the code defines and never uses is said, and left out. */
  reportUnused(): void {
    for (const [name, node] of this.#consts) {
      if (node.type !== "NewExpression" || text((node["callee"] as Syntax)["name"]) !== "Agent" || this.#agents.has(name)) continue;
      this.#draft.became(`agent ${name}`, { name, kind: "Agent" }, "left out: no step runs it", "whole");
    }
  }

  /** A text that the code says literally, also in parts. */
  #text(node: Syntax | undefined, depth = 0): string | undefined {
    // A text may stand in another one many times, and in itself.
    if (node === undefined || depth > 40 || !mayLook()) return undefined;
    const here = this.#followed(node);
    if (here.type === "Literal") return typeof here["value"] === "string" ? here["value"] : undefined;
    const parts = here.type === "TemplateLiteral" ? partsOf(here) : here.type === "BinaryExpression" && here["operator"] === "+" ? [here["left"] as Syntax, here["right"] as Syntax] : [];
    const texts = parts.map((part) => (typeof part === "string" ? part : this.#text(part, depth + 1)));
    const whole = texts.join("");
    return parts.length === 0 || texts.includes(undefined) || whole.length > MOST_TEXT ? undefined : whole;
  }

  /** The text that a name of the module stands for. */
  textOf(name: string): string | undefined {
    return this.#text(this.#consts.get(name));
  }

  #followed(node: Syntax): Syntax {
    let here = node;
    for (let count = 0; here.type === "Identifier" && count < 20; count += 1) {
      const next = this.#consts.get(text(here["name"]));
      if (next === undefined) break;
      here = next;
    }
    return here;
  }

  /** What instructions say that are no plain text: the value itself, or what a function returns that does nothing else. */
  #returned(node: Syntax): Syntax | undefined {
    const made = this.#followed(node);
    if (made.type === "TemplateLiteral" || made.type === "BinaryExpression") return made;
    if (made.type === "ArrowFunctionExpression" && made["expression"] === true) return made["body"] as Syntax;
    const statements = list((made["body"] as Syntax | undefined)?.["body"]) as Syntax[];
    const last = statements.at(-1);
    const isPlain = last?.type === "ReturnStatement" && statements.slice(0, -1).every(({ type }) => type === "VariableDeclaration");
    return isPlain ? ((last["argument"] ?? undefined) as Syntax | undefined) : undefined;
  }

  #tool(node: Syntax): string | undefined {
    const own = node.type === "Identifier" ? text(node["name"]) : `tool at ${node.start}`;
    const known = this.#tools.get(own);
    if (known !== undefined) return known;
    const made = this.#followed(node);
    if (made.type !== "CallExpression") return undefined;
    const kind = text((made["callee"] as Syntax)["name"]);
    const [options] = list(made["arguments"]) as Syntax[];
    const of = (field: string): Syntax | undefined => property(options, field);
    const title = this.#text(of("name")) ?? this.#text(of("serverLabel")) ?? own;
    const description = this.#text(of("description"));
    const say = (tool: ToolDocument, became: string, state: "whole" | "part" | "placeholder", note?: string): string => {
      const id = this.#draft.tool(title, tool);
      this.#tools.set(own, id);
      this.#draft.became(`tool ${own}`, { name: title, kind }, became, state);
      if (note) this.#draft.remark(`tool ${own}`, note);
      return id;
    };
    if (kind === "webSearchTool" || kind === "webSearchPreviewTool") {
      const domains = (list(property(of("filters"), "allowedDomains")?.["elements"]) as Syntax[]).map((domain) => text(domain["value"])).filter((domain) => /^[\w.-]+$/.test(domain));
      return say({ run: { provider: "web_search", ...(domains.length > 0 && { allowedDomains: domains }) } }, "a tool of the provider: search the web", "whole");
    }
    if (kind === "codeInterpreterTool") return say({ run: { provider: "code_execution" } }, "a tool of the provider: run code", "whole");
    const schema = of("parameters") === undefined ? undefined : schemaOf(of("parameters") as Syntax, (inner) => this.#consts.get(inner));
    const what = kind === "hostedMcpTool" ? `It called the MCP server ${this.#text(of("serverUrl")) ?? title}: your program can bring its tools.` : kind === "fileSearchTool" ? "It searched a vector store: ask a search of your own with a request." : "Its code is not taken along: give it a request, code or a workflow.";
    const says = `The tool “${title}” cannot be carried over. ${what}`;
    return say({ ...(description !== undefined && { description }), ...(schema !== undefined && { input: schema }), run: failing(says) }, "a tool that fails until you say what it does", "placeholder", what);
  }
}

/** Whether a statement runs an agent, itself or within its blocks, and not within another function. */
function runs(node: Syntax): boolean {
  const open: unknown[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as unknown[]));
    else if (typeof next === "object" && next !== null) {
      const here = next as Syntax;
      if (here.type === "ArrowFunctionExpression" || here.type === "FunctionExpression" || here.type === "FunctionDeclaration") continue;
      if (here.type === "CallExpression" && isRun(here)) return true;
      for (const [field, inner] of Object.entries(here)) if (field !== "loc" && typeof inner === "object") open.push(inner);
    }
  }
  return false;
}

/** `runner.run(agent, …)`, or `run(agent, …)`. */
export function isRun(call: Syntax): boolean {
  const callee = call["callee"] as Syntax;
  if (callee.type === "Identifier") return callee["name"] === "run" && list(call["arguments"]).length > 1;
  const path = pathOf(callee);
  return path?.root.type === "Identifier" && /runner$/i.test(text(path.root["name"])) && path.names.join(".") === "run";
}

/** A property of an object literal. */
export function property(object: Syntax | undefined, name: string): Syntax | undefined {
  const found = (list(object?.["properties"]) as Syntax[]).find((each) => text((each["key"] as Syntax | undefined)?.["name"] ?? (each["key"] as Syntax | undefined)?.["value"]) === name);
  return found?.["value"] as Syntax | undefined;
}

/** The names of the properties of an object literal. */
function namesOf(object: Syntax | undefined): string[] {
  return (list(object?.["properties"]) as Syntax[]).map((each) => text((each["key"] as Syntax | undefined)?.["name"] ?? (each["key"] as Syntax | undefined)?.["value"])).filter(Boolean);
}

/** Options of agents that are taken along, or that say nothing to whoever runs one. */
const TAKEN = new Set(["name", "instructions", "model", "modelSettings", "tools", "outputType", "handoffDescription"]);
const TAKEN_SETTINGS = new Set(["temperature", "topP", "maxTokens", "reasoning", "store"]);

/** Characters that a text may have which is put together. */
const MOST_TEXT = 100_000;

/** The texts and values of a template, in their order. */
function partsOf(template: Syntax): (string | Syntax)[] {
  const values = list(template["expressions"]) as Syntax[];
  return (list(template["quasis"]) as Syntax[]).flatMap((quasi, index) => {
    const value = values[index];
    const before = text((quasi["value"] as { cooked?: string }).cooked);
    return value === undefined ? [before] : [before, value];
  });
}

/** A text of the code as a template of ours. */
export function templateOf(node: Syntax, resolve: Resolve, unknown: (code: Syntax) => string): string {
  if (node.type === "Literal") return literal(text(node["value"]));
  if (node.type !== "TemplateLiteral") return shown(node, resolve, unknown);
  return joined(partsOf(node).map((part) => (typeof part === "string" ? literal(part) : shown(part, resolve, unknown))));
}

/** A value as a piece of a template; a text that is known is that text. */
function shown(node: Syntax, resolve: Resolve, unknown: (code: Syntax) => string): string {
  const said = expression(node, resolve);
  if (said === undefined) return literal(unknown(node));
  return /^"(?:[^"\\]|\\.)*"$/.test(said) ? literal(JSON.parse(said) as string) : printed(said);
}
