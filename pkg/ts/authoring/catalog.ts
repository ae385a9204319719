import type { Agent } from "../api/agent.js";
import { isKnownAs } from "../api/copies.js";
import type { AgentDocument, InnerWorkflowDocument, Json, ModelDocument, ProviderToolDocument, ToolDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { HttpRequestDocument } from "../api/http.js";
import { isObject } from "../api/json.js";
import type { Model } from "../api/model.js";
import type { Schema } from "../api/schema.js";
import type { Tool } from "../api/tool.js";
import { originOf } from "../effects/origin.js";
import { presetOf } from "../effects/presets.js";
import { functionOf } from "../models/custom.js";
import { addressOf, keyOf } from "../models/providers.js";
import type { StepFunction } from "../run/functions.js";
import { checkOf } from "../schema/fit.js";
import { isStandardSchema } from "../schema/standard.js";
import { FunctionTable, type Flow } from "./functions.js";
import { callable, checkedToo, checkNamed, deciding, guarded, handlerOf, inputOf, libraryOf, schemaFor } from "./guard.js";

/** The tables of a document; each is there when something is in it. */
export interface Tables {
  readonly models: Record<string, ModelDocument> | undefined;
  readonly agents: Record<string, AgentDocument> | undefined;
  readonly tools: Record<string, ToolDocument> | undefined;
}

/** The models, agents and tools of a document, each once, with the functions and the keys that belong to them. */
export class Catalog extends FunctionTable {
  /** Where the models are that code has made, and where its requests go. */
  readonly origins = new Set<string>();
  override readonly asData = new Set<string>();
  readonly #models = new Table<Model, ModelDocument>();
  readonly #agents = new Table<Agent, AgentDocument>();
  readonly #tools = new Table<Tool, ToolDocument>();
  /** Tools that are workflows, whose steps are not written yet. */
  readonly #flows: Flow[] = [];
  /** Names of secrets that models need, which no key that was given as text may take. */
  readonly #needed = new Set<string>();
  /** Models with keys that were given as text; the keys get their names when all needed ones are known. */
  readonly #keyed: { readonly target: ModelDocument; readonly model: Model; readonly key: string }[] = [];

  /** The id of a model: `id` where it is asked for by that and that is free, else any that it has. */
  model(model: Model, id?: string): string {
    return this.#models.add(model, id, model.model, (own) => {
      const key = keyOf(model);
      const fn = functionOf(model);
      this.#names(addressOf(model));
      const target: ModelDocument = { ...model, ...(fn !== undefined && this.#place(`models.${own}`, fn as StepFunction, `${model.model}.model`)) };
      if (key !== undefined) {
        // Its name stands where others have it.
        target.apiKey = { secret: "" };
        this.#keyed.push({ target, model, key });
      }
      this.#need(target);
      return target;
    });
  }

  /** The id of an agent, as that of a model. */
  override agent(agent: Agent, id?: string): string {
    if (!isAgent(agent)) throw new StepweaveError("document", `agents.${id} is no Agent`, { hint: "write agents: { writer: new Agent({ … }) }" });
    return this.#agents.add(agent, id, agent.name, (own) => {
      const { model, fallbacks = [], instructions, params, tools, toolChoice, output, maxTurns, limits } = agent;
      const target: { -readonly [Key in keyof AgentDocument]: AgentDocument[Key] | undefined } = {
        model: this.model(model),
        fallbacks: fallbacks.length === 0 ? undefined : fallbacks.map((other) => this.model(other)),
        instructions,
        params,
        tools: tools.length === 0 ? undefined : tools.map((one) => this.tool(one)),
        toolChoice,
        output: this.#answer(output, own, agent.name),
        maxTurns,
        limits,
      };
      return present(target) as AgentDocument;
    });
  }

  override called(agent: unknown, step: string): unknown {
    if (isAgent(agent)) return this.agent(agent);
    if (typeof agent !== "object" || agent === null) return agent;
    throw new StepweaveError("document", `the agent of the step \`${step}\` is an object, and no Agent`, { hint: "write agent: new Agent({ name, model })" });
  }

  override request(http: unknown): unknown {
    const { url, origins, auth } = Object(http) as Partial<HttpRequestDocument>;
    for (const address of [url, ...(Array.isArray(origins) ? origins : []), Object(Object(auth).oauth2).tokenUrl as unknown]) this.#names(address);
    return http;
  }

  /** The name of a tool: models call it by that, so that no two tools may have the same. */
  tool(tool: Tool, declared: ToolDocument = {}): string {
    const { name } = tool;
    return this.#tools.add(tool, name, name, (id) => {
      if (id !== name) {
        throw new StepweaveError("document", `two different tools are called \`${name}\``, {
          hint: "models call tools by name: give each a name of its own, or pass one and the same tool to all agents",
        });
      }
      if (tool.http !== undefined) return this.#dataOf(tool, declared, { http: this.request(tool.http) as HttpRequestDocument });
      if (tool.workflow !== undefined) {
        const target = {} as InnerWorkflowDocument;
        this.#flows.push({ tool: name, workflow: tool.workflow, target });
        return this.#dataOf(tool, declared, { workflow: target });
      }
      if (tool.provider !== undefined) return { ...guarded(tool, declared), run: tool.provider as ProviderToolDocument };
      const call = callable(tool, declared) as StepFunction;
      const handler = handlerOf(declared) ?? name;
      this.claim(handler, call);
      this.placed.set(`tools.${name}`, { name: handler, call, input: libraryOf(tool, declared), own: isStandardSchema(tool.input) ? tool.input : undefined });
      this.names.add(handler);
      return { ...guarded(tool, declared), ...this.#approval(tool, declared) };
    });
  }

  override nextFlow(): Flow | undefined {
    return this.#flows.shift();
  }

  /** A function inside a tool is called from its place alone: whatever guards the tool guards it too. */
  override function(value: StepFunction, wanted: string, place: string): { handler: string } {
    return place.startsWith("tools.") ? this.#place(place, value, wanted) : super.function(value, wanted, place);
  }

  /** The entry of a tool that is a request or a workflow. A schema of a library checks its arguments. */
  #dataOf(tool: Tool, declared: ToolDocument, run: ToolDocument["run"]): ToolDocument {
    const { name, input } = tool;
    this.asData.add(name);
    const at = `tools.${name}.input`;
    const own = inputOf(tool);
    if (own !== undefined && !isStandardSchema(input)) this.#guard(name, own, declared);
    const check = isStandardSchema(input) ? { ...this.#place(at, checkOf(input), at), schema: own as Json } : undefined;
    // Where code leaves it to what the requests do, a function that a document names can only ask more often: it asks about every call.
    const isLeftOpen = tool.needsApproval === undefined && isObject(declared.needsApproval);
    const needsApproval = isLeftOpen || declared.needsApproval || tool.needsApproval;
    const fixed = typeof needsApproval === "boolean" && { needsApproval };
    return { ...guarded(tool, declared), run, ...fixed, ...this.#approval(tool, declared), ...(check !== undefined && { input: check as unknown as Json }) };
  }

  /** The code's schema applies beside what a document says: beside another schema, or behind a check of its own. */
  #guard(tool: string, own: Json, { input }: ToolDocument): void {
    const at = `tools.${tool}.input`;
    this.schemas.set(at, own);
    const check = checkNamed(input, this.handlers);
    if (check !== undefined) this.placed.set(at, { name: check.name, call: checkedToo(check.call, tool, own) });
  }

  /** The function of a tool that decides about approvals. A document can ask about every call, and put no other one in its place. */
  #approval(tool: Tool, { needsApproval: declared }: ToolDocument): Pick<ToolDocument, "needsApproval"> {
    const decide = declared === true ? undefined : deciding(tool);
    if (decide === undefined) return {};
    const place = `tools.${tool.name}.needsApproval`;
    const named = Object(declared) as { readonly handler?: unknown };
    const { handler } = this.#place(place, decide as StepFunction, typeof named.handler === "string" ? named.handler : place);
    return { needsApproval: tool.version === undefined ? { handler } : { handler, version: tool.version } };
  }

  /** Keeps ids from what code brings: a document means something else by them. */
  reserve(table: keyof Tables, ids: readonly string[]): void {
    this.#tableOf(table).reserve(ids);
  }

  /** Takes over what a document has already. */
  keep(table: keyof Tables, id: string, target: unknown): void {
    if (table === "models") this.#need(Object(target) as ModelDocument);
    this.#tableOf(table).keep(id, target as never);
  }

  #tableOf(table: keyof Tables): Table<object, unknown> {
    return { models: this.#models, agents: this.#agents, tools: this.#tools }[table] as Table<object, unknown>;
  }

  /** Keeps a model that is a function under the name that the document's own models have for it. */
  named(value: StepFunction, name: string): void {
    this.claim(name, value);
    this.models[name] = value;
  }

  /** The collected tables in the document's form; call it when everything has been added. */
  override tables(): Tables {
    for (const { target, model, key } of this.#keyed.splice(0)) target.apiKey = { secret: this.#secret(model, key) };
    return { models: this.#models.entries(), agents: this.#agents.entries(), tools: this.#tools.entries() };
  }

  /** What an agent's answer has to be. What a library says of its schema is for the model: the check is the library's. */
  #answer(output: Schema | undefined, id: string, agent: string): AgentDocument["output"] {
    if (!isStandardSchema(output)) return output as Json | undefined;
    const schema = schemaFor(output, `the \`output\` of the agent ${agent}`);
    const place = `agents.${id}.output`;
    return { ...this.#place(place, checkOf(output), place), schema } as AgentDocument["output"];
  }

  /** Keeps a function for one path of the document alone. */
  #place(place: string, call: StepFunction, wanted: string): { handler: string } {
    const handler = this.free(wanted, call);
    this.placed.set(place, { name: handler, call });
    this.names.add(handler);
    return { handler };
  }

  /** Code has written this address, unless it comes from data. */
  #names(address: unknown): void {
    const origin = originOf(address);
    if (origin !== undefined) this.origins.add(origin);
  }

  #need({ apiKey }: ModelDocument): void {
    if (typeof apiKey?.secret === "string" && apiKey.secret !== "") this.#needed.add(apiKey.secret);
  }

  /** A key that was given as text is kept beside the document, which has its name only. */
  #secret(model: Model, value: string): string {
    const address = addressOf(model) as string;
    const origin = originOf(address) as string;
    const first = secretName(model, origin);
    for (let name = first, count = 2; ; name = `${first}_${count}`, count += 1) {
      if (this.#needed.has(name)) continue;
      const taken = this.secrets.get(name);
      if (taken === undefined) this.secrets.set(name, { value, origins: [origin] });
      else if (taken.value !== value || taken.origins[0] !== origin) continue;
      return name;
    }
  }
}

/** Things that the document has once under each id that they are given, however often they are used. */
class Table<Source extends object, Target> {
  /** The ids of each, by those that were wanted. */
  readonly #ids = new Map<Source, Map<string, string>>();
  readonly #targets = new Map<string, Target>();
  readonly #reserved = new Set<string>();

  reserve(ids: readonly string[]): void {
    for (const id of ids) this.#reserved.add(id);
  }

  /** An id that was wanted by name may be reserved: it is what the document means. What wants none has any, or one like `name`. */
  add(source: Source, wanted: string | undefined, name: string, make: (id: string) => Target): string {
    const ids = this.#ids.get(source) ?? new Map<string, string>();
    const [known] = wanted === undefined ? ids.values() : [ids.get(wanted)];
    if (known !== undefined) return known;
    const like = wanted ?? name;
    let id = like;
    for (let count = 2; this.#targets.has(id) || this.#reserved.has(id); count += 1) id = `${like}-${count}`;
    this.#ids.set(source, ids.set(like, id));
    this.#targets.set(id, make(id));
    return id;
  }

  keep(id: string, target: Target): void {
    this.#targets.set(id, target);
  }

  entries(): Record<string, Target> | undefined {
    return this.#targets.size === 0 ? undefined : Object.fromEntries(this.#targets);
  }
}

/** Whether this is an agent whose model is called, made by whichever copy of the package. */
export function isAgent(value: unknown): value is Agent {
  return isKnownAs(value, "Agent");
}

function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}

/** What a key that was given as text is called: as its provider's own where it goes there, else after the host. */
function secretName({ provider }: Model, origin: string): string {
  const preset = presetOf(provider);
  if (preset.secret !== undefined && (preset.origin ?? origin) === origin) return preset.secret;
  // Names of secrets do not begin with a digit, addresses of machines do.
  return `${new URL(origin).host.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^(?=\d)/, "_")}_API_KEY`;
}
