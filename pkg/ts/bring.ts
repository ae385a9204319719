import { Agent } from "./agent.js";
import { Catalog, type Tables } from "./catalog.js";
import { functionOf } from "./custom-model.js";
import type { ModelDocument, ToolDocument } from "./document.js";
import { StepweaveError } from "./errors.js";
import type { ModelFunction } from "./model-request.js";
import type { Model } from "./models.js";
import type { Normalised } from "./normalise.js";
import { refuseUnknown } from "./options.js";
import { toolFrom, type Tool, type ToolFunction } from "./tool.js";
import type { Handlers } from "./types.js";

/** What code brings to a document: functions that it names, and what takes the place of what it says. */
export interface DocumentCode {
  /** Functions, by the names under which the document knows them. */
  handlers?: Handlers | undefined;
  /** Tools, which go by their names. What the document leaves out of a tool, such as its input, is taken from here. */
  tools?: readonly (Tool | ToolFunction)[] | undefined;
  /** Models in place of those with these ids in the document; a function alone is one that a `custom` model names. */
  models?: { readonly [id: string]: Model | ModelFunction } | undefined;
  /** Agents in place of those with these ids in the document. */
  agents?: { readonly [id: string]: Agent } | undefined;
}

/** The document with what code brings; throws `validation`. What is wrong with the document itself is left for the validator. */
export function bring(source: unknown, code: DocumentCode): Normalised {
  refuseUnknown(code, ["handlers", "tools", "models", "agents"], "Workflow.fromDocument()");
  const { handlers, tools, models, agents } = code;
  const catalog = new Catalog({ ...handlers });
  const document = models === undefined && tools === undefined && agents === undefined ? undefined : objectOf(source);
  if (document === undefined) return { document: source as object, handlers: catalog.handlers, secrets: catalog.secrets };
  const own = (table: keyof Tables): Record<string, any> => (isRecord(document[table]) ? document[table] : {});
  bringTools(catalog, own("tools"), [...toolsFrom(tools), ...Object.values(agents ?? {}).flatMap((agent) => (agent instanceof Agent ? agent.tools : []))]);
  bringModels(catalog, own("models"), models ?? {});
  bringAgents(catalog, own("agents"), agents ?? {});
  const changed = Object.entries(catalog.tables()).filter(([table, entries]) => entries !== undefined && (document[table] === undefined || isRecord(document[table])));
  return { document: { ...document, ...Object.fromEntries(changed) }, handlers: catalog.handlers, secrets: catalog.secrets };
}

function bringTools(catalog: Catalog, own: Record<string, ToolDocument>, given: readonly Tool[]): void {
  for (const [name, declared] of Object.entries(own)) {
    const tool = given.find((one) => one.name === name);
    if (tool === undefined) catalog.keep("tools", name, declared);
    else if (isRecord(declared.run) && "code" in declared.run) {
      throw wrong(`the tool \`${name}\` is code in the document already`, "leave it out of `tools`, or take the code out of the document");
    } else catalog.tool(tool, declared);
  }
  for (const tool of given) catalog.tool(tool);
}

function bringModels(catalog: Catalog, own: Record<string, ModelDocument>, given: NonNullable<DocumentCode["models"]>): void {
  for (const [id, declared] of Object.entries(own)) {
    const model = Object.hasOwn(given, id) ? given[id] : undefined;
    if (typeof model === "object") catalog.model(model, id);
    else catalog.keep("models", id, declared);
    if (typeof model === "function") catalog.name(model as Handlers[string], declared.handler ?? declared.model);
  }
  for (const [name, model] of Object.entries(given)) {
    if (Object.hasOwn(own, name)) continue;
    // Models that are functions also go by the name under which the document knows the function.
    const fn = typeof model === "function" ? model : functionOf(model);
    if (fn === undefined) throw unknown("model", name, own);
    catalog.name(fn as Handlers[string], name);
  }
}

function bringAgents(catalog: Catalog, own: Record<string, unknown>, given: NonNullable<DocumentCode["agents"]>): void {
  const stranger = Object.keys(given).find((id) => !Object.hasOwn(own, id));
  if (stranger !== undefined) throw unknown("agent", stranger, own);
  for (const [id, declared] of Object.entries(own)) {
    const agent = Object.hasOwn(given, id) ? given[id] : undefined;
    if (agent === undefined) catalog.keep("agents", id, declared);
    else if (agent instanceof Agent) catalog.agent(agent, id);
    else throw wrong(`agents.${id} is no Agent`, "pass new Agent({ … })");
  }
}

function toolsFrom(given: unknown = []): Tool[] {
  if (!Array.isArray(given)) throw wrong("the option `tools` is no list", "write tools: [search, tool({ … })]");
  return given.map((one: unknown, index) => {
    const made = toolFrom(one);
    if (made === undefined) throw wrong(`tools[${index}] is no tool`, "pass what tool({ … }) makes, or a function with a name");
    return made;
  });
}

/** Undefined when it is no object: the engine says so in its own words. */
function objectOf(source: unknown): Record<string, unknown> | undefined {
  if (typeof source !== "string") return isRecord(source) ? source : undefined;
  try {
    const document: unknown = JSON.parse(source);
    return isRecord(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknown(what: string, id: string, own: object): StepweaveError {
  const ids = Object.keys(own);
  return wrong(`the document has no ${what} with the id \`${id}\``, ids.length === 0 ? `it has no ${what}s` : `it has ${ids.join(", ")}`);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
