import type { Agent } from "../api/agent.js";
import type { AgentDocument, ModelDocument, ToolDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import { isObject } from "../api/json.js";
import type { ModelFunction } from "../api/model-request.js";
import type { Model } from "../api/model.js";
import type { ToolFunction } from "../api/tool.js";
import { originOf } from "../effects/origin.js";
import { functionOf } from "../models/custom.js";
import { addressOf } from "../models/providers.js";
import { spellingsOf } from "../models/spellings.js";
import type { StepFunction } from "../run/functions.js";
import { documentWithin, type Parts } from "../run/program.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import { Catalog, isAgent, type Tables } from "./catalog.js";
import { toolBehind } from "./guard.js";
import { writeFlows } from "./normalise.js";
import { toolFrom, type Tool } from "./tool.js";

/** What code provides to a document: functions that it names, and replacements for its models and agents. */
export interface DocumentCode {
  /** Functions, by the names under which the document knows them. */
  handlers?: Handlers | undefined;
  /**
   * Tools, which go by their names. What the document leaves out of a tool, such as its input, is taken from here. What it
   * says can only be stricter: a tool that needs approval here needs it, its schema holds, and no step calls it by itself.
   */
  tools?: readonly (Tool | ToolFunction)[] | undefined;
  /**
   * Models that replace those with these ids in the document; a function alone is one that a `custom` model names. What the document
   * says of prices does not hold for them.
   */
  models?: { readonly [id: string]: Model | ModelFunction } | undefined;
  /** Agents that replace those with these ids in the document. */
  agents?: { readonly [id: string]: Agent } | undefined;
  /**
   * What becomes of models and agents that the document does not name: "refuse", the default, finds an id that is
   * misspelled; "ignore" is for one set that many documents are given, each of which names what it needs.
   */
  unnamed?: "refuse" | "ignore" | undefined;
}

/** The names of what code provides. */
export const CODE: readonly string[] = ["handlers", "tools", "models", "agents"] satisfies (keyof DocumentCode)[];

const OPTIONS: readonly string[] = [...CODE, "unnamed"];

/**
 * The document with what code provides to `call`; throws `validation`, and `document` for one that is too large. What else is wrong with the document itself is left for
 * the validator.
 */
export function bring(source: unknown, code: DocumentCode, call = "Workflow.fromDocument()"): Parts {
  return reading(`what ${call} was given`, () => brought(documentWithin(source), code, call));
}

/** As much of the code as a document has use for that was written without knowing it: models and agents that it names. */
export function usedBy<Code extends DocumentCode>(source: unknown, { models, agents, ...functions }: Code): Omit<Code, "models" | "agents"> & Pick<DocumentCode, "models" | "agents"> {
  const document = objectOf(source) ?? {};
  const has = (own: unknown, id: string): boolean => isObject(own) && Object.hasOwn(own, id);
  // A function goes by its name too.
  const isCallable = (model: Model | ModelFunction): boolean => typeof model === "function" || functionOf(model) !== undefined;
  return {
    ...functions,
    models: models && Object.fromEntries(Object.entries(models).filter(([id, model]) => has(document.models, id) || isCallable(model))),
    agents: agents && Object.fromEntries(Object.entries(agents).filter(([id]) => has(document.agents, id))),
  };
}

function brought(source: unknown, code: DocumentCode, call: string): Parts {
  const { unnamed = "refuse", ...provided } = optionsFrom(code, OPTIONS, call) as DocumentCode;
  if (unnamed !== "refuse" && unnamed !== "ignore") throw wrong(`the option \`unnamed\` is ${quoted(unnamed)}`, 'write "refuse" or "ignore"');
  checkTables(provided);
  const { models, agents, ...functions } = unnamed === "ignore" ? usedBy(source, provided) : provided;
  const { handlers, tools } = apart(functions);
  const catalog = new Catalog(handlers);
  const document = models === undefined && tools.length === 0 && agents === undefined ? undefined : objectOf(source);
  const parts = (whole: unknown): Parts => ({ document: whole, functions: catalog.functions, secrets: catalog.secrets, origins: catalog.origins, tools: catalog.asData });
  if (document === undefined) return parts(source);
  const own = (table: keyof Tables | "prices"): Record<string, any> => (isObject(document[table]) ? document[table] : {});
  for (const [id, model] of Object.entries(models ?? {})) {
    if (typeof model !== "function" && !isObject(model)) throw wrong(`models.${id} is no model`, "pass what openai(), customModel() and the like give, or a function");
  }
  const given: Given = { tools, models: models ?? {}, agents: agents ?? {} };
  // What the document's own agents name is what the document has, and not what other agents bring for themselves.
  const strangers = Object.entries(own("agents")).filter(([id, agent]) => !Object.hasOwn(given.agents, id) && isObject(agent)).map(([, agent]) => agent);
  catalog.reserve("models", strangers.flatMap(({ model, fallbacks }) => [model, ...(Array.isArray(fallbacks) ? fallbacks : [])]).filter((id) => typeof id === "string" && !Object.hasOwn(own("models"), id)));
  bringTools(catalog, own("tools"), given, strangers);
  bringModels(catalog, own("models"), given.models);
  bringAgents(catalog, own("agents"), given);
  const fixed = writeFlows(catalog);
  const tables = catalog.tables();
  const isOwn = (id: string): boolean => Object.hasOwn(own("models"), id) && typeof ownOf(given.models, id) !== "object";
  const { prices, models: priced } = apartByPrice(own("prices"), fixed, paced(tables.models ?? {}, isOwn), isOwn);
  const changed = Object.entries({ ...tables, models: tables.models && priced }).filter(([table, entries]) => entries !== undefined && (document[table] === undefined || isObject(document[table])));
  return parts({ ...document, ...(prices !== undefined && { prices }), ...Object.fromEntries(changed) });
}

/**
 * Prices by the names of models, where code has a say in any: a document's are those of its own models, which have them as their
 * own where code's models go by the same name.
 */
function apartByPrice(declared: Record<string, unknown>, fixed: object, models: Record<string, ModelDocument>, isOwn: (id: string) => boolean): { readonly prices?: object; readonly models: Record<string, ModelDocument> } {
  const entries = Object.entries(models);
  const names = new Set([...Object.keys(fixed), ...entries.filter(([id, model]) => !isOwn(id) && model.price === undefined).map(([, { model }]) => model)]);
  const taken = Object.keys(declared).filter((name) => names.has(name));
  if (taken.length === 0) return { models, ...(Object.keys(fixed).length > 0 && { prices: { ...declared, ...fixed } }) };
  const priced = entries.map(([id, model]) => {
    const isPriced = isOwn(id) && isObject(model) && model.price === undefined && taken.includes(model.model);
    return [id, isPriced ? { ...model, price: declared[model.model] } : model];
  });
  return { prices: { ...Object.fromEntries(Object.entries(declared).filter(([name]) => !taken.includes(name))), ...fixed }, models: Object.fromEntries(priced) };
}

const BOUNDS = ["concurrency", "requestsPerMinute"] as const;

/** Models of the document at an endpoint of code's models are called no more often than those: they count together there. */
function paced(models: Record<string, ModelDocument>, isOwn: (id: string) => boolean): Record<string, ModelDocument> {
  const entries = Object.entries(models);
  const ofCode = entries.flatMap(([id, model]) => (isOwn(id) ? [] : [model]));
  return Object.fromEntries(entries.map(([id, model]) => [id, isOwn(id) && isObject(model) ? pacedBy(ofCode, model) : model]));
}

function pacedBy(others: readonly ModelDocument[], model: ModelDocument): ModelDocument {
  const origin = originOf(addressOf(model as Model));
  const beside = origin === undefined ? [] : others.filter((other) => originOf(addressOf(other as Model)) === origin);
  const bounds = BOUNDS.flatMap((name) => {
    const declared = model[name] ?? Infinity;
    const theirs = beside.flatMap((other) => other[name] ?? []);
    // What is no number is left for the validator.
    return theirs.length === 0 || typeof declared !== "number" ? [] : [[name, Math.min(declared, ...theirs)]];
  });
  return { ...model, ...Object.fromEntries(bounds) };
}

function checkTables({ models, agents }: DocumentCode): void {
  for (const [name, table] of Object.entries({ models, agents })) {
    if (table !== undefined && !isObject(table)) throw wrong(`the option \`${name}\` is no object`, `write ${name}: { [id]: … }, by the ids of the document`);
  }
}

/** What code gives, by its kinds. */
interface Given {
  readonly tools: readonly Tool[];
  readonly models: NonNullable<DocumentCode["models"]>;
  readonly agents: NonNullable<DocumentCode["agents"]>;
}

/** Functions that are tools are tools also where they come among the handlers, as those of another workflow do. */
function apart({ handlers = {}, tools }: DocumentCode): { readonly handlers: Handlers; readonly tools: readonly Tool[] } {
  if (!isObject(handlers)) throw wrong("the option `handlers` is no object", "write handlers: { name: (state) => … }");
  const entries = Object.entries(handlers).map(([name, value]) => [name, value, toolBehind(value)] as const);
  const found = entries.flatMap(([, , tool]) => tool ?? []);
  return {
    handlers: Object.fromEntries(entries.flatMap(([name, value, tool]) => (tool === undefined ? [[name, value]] : []))),
    tools: [...new Set([...toolsFrom(tools), ...found])],
  };
}

function bringTools(catalog: Catalog, own: Record<string, ToolDocument>, { tools, agents }: Given, strangers: readonly AgentDocument[]): void {
  const theirs = Object.values(agents).flatMap((agent) => (isAgent(agent) ? agent.tools : []));
  for (const name of strangers.flatMap(({ tools = [] }) => tools)) {
    const isTheirs = theirs.some((one) => one.name === name) && !tools.some((one) => one.name === name);
    if (!isTheirs) continue;
    throw wrong(`an agent of the document names the tool \`${name}\`, which an agent of the code has for itself`, "pass it in `tools` too, if the document's own agents may call it");
  }
  const given = [...tools, ...theirs];
  for (const [name, declared] of Object.entries(own)) {
    const tool = given.find((one) => one.name === name);
    if (tool === undefined || !isObject(declared)) catalog.keep("tools", name, declared);
    else {
      const { run } = declared;
      const [, is, the] = AS_DATA.find(([key]) => isObject(run) && key in run) ?? [];
      if (is !== undefined) throw wrong(`the tool \`${name}\` is ${is} in the document already`, `leave it out of \`tools\`, or take ${the} out of the document`);
      catalog.tool(tool, declared);
    }
  }
  for (const tool of given) catalog.tool(tool);
}

/** What a document's tool may be without a function of code. */
const AS_DATA = [["code", "code", "the code"], ["http", "a request", "the request"], ["workflow", "a workflow", "the workflow"], ["mcp", "a tool of an MCP server", "its `run`"], ["provider", "the provider's", "its `run`"]] as const;

function bringModels(catalog: Catalog, own: Record<string, ModelDocument>, given: Given["models"]): void {
  for (const [id, declared] of Object.entries(own)) {
    const model = ownOf(given, id);
    if (typeof model === "object") catalog.model(model, id);
    else catalog.keep("models", id, answeredBy(declared, given));
    if (typeof model === "function") catalog.named(model as StepFunction, declared.handler ?? declared.model);
  }
  for (const [name, model] of Object.entries(given)) {
    if (Object.hasOwn(own, name)) continue;
    // Models that are functions also go by the name under which the document knows the function.
    const fn = typeof model === "function" ? model : functionOf(model);
    if (fn === undefined) throw unknown("model", name, own);
    catalog.named(fn as StepFunction, name);
  }
}

/** A model of the document: where a function of code answers, it costs what code says that it costs. */
function answeredBy(declared: ModelDocument, given: Given["models"]): ModelDocument {
  if (!isObject(declared) || declared.provider !== "custom") return declared;
  const model = ownOf(given, declared.handler ?? declared.model);
  return typeof model === "object" && functionOf(model) !== undefined && model.price !== undefined ? { ...declared, price: model.price } : declared;
}

function ownOf(given: Given["models"], id: string): Model | ModelFunction | undefined {
  return Object.hasOwn(given, id) ? given[id] : undefined;
}

function bringAgents(catalog: Catalog, own: Record<string, unknown>, { agents, models }: Given): void {
  const stranger = Object.keys(agents).find((id) => !Object.hasOwn(own, id));
  if (stranger !== undefined) throw unknown("agent", stranger, own);
  for (const [id, declared] of Object.entries(own)) {
    const agent = Object.hasOwn(agents, id) ? agents[id] : undefined;
    if (agent === undefined) catalog.keep("agents", id, isObject(declared) ? bound(declared as unknown as AgentDocument, models) : declared);
    else if (isAgent(agent)) catalog.agent(agent, id);
    else throw wrong(`agents.${id} is no Agent`, "pass new Agent({ … })");
  }
}

/**
 * An agent of the document: what code has said of its models, such as how long an answer may be, is not its to change, under
 * no name that this has; and `models`, which OpenRouter takes, would have others answer in the place of a model of code.
 */
function bound(declared: AgentDocument, models: Given["models"]): AgentDocument {
  const { model, fallbacks, params } = declared;
  const fixed = [model, ...(Array.isArray(fallbacks) ? fallbacks : [])].flatMap((id) => {
    const given = typeof id === "string" && Object.hasOwn(models, id) ? models[id] : undefined;
    return typeof given === "object" ? ["models", ...Object.keys(given.params ?? {}).flatMap(spellingsOf)] : [];
  });
  if (fixed.length === 0 || !isObject(params)) return declared;
  return { ...declared, params: Object.fromEntries(Object.entries(params).filter(([name]) => !fixed.includes(name))) };
}

function toolsFrom(given: unknown = []): Tool[] {
  if (!Array.isArray(given)) throw wrong("the option `tools` is no list", "write tools: [search, tool({ … })]");
  return [...given].map((one: unknown, index) => {
    const made = toolFrom(one);
    if (made === undefined) throw wrong(`tools[${index}] is no tool`, "pass what tool({ … }) makes, or a function with a name");
    return made;
  });
}

/** Undefined when it is no object: the engine says so in its own words. */
export function objectOf(source: unknown): Record<string, unknown> | undefined {
  if (typeof source !== "string") return isObject(source) ? source : undefined;
  try {
    const document: unknown = JSON.parse(source);
    return isObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

function unknown(what: string, id: string, own: object): StepweaveError {
  const ids = Object.keys(own);
  return wrong(`the document has no ${what} with the id \`${id}\``, `${ids.length === 0 ? `it has no ${what}s` : `it has ${ids.join(", ")}`}; where documents of others are given one set, of which each names what it needs, write unnamed: "ignore"`);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
