import type { Agent } from "./agent.js";
import type { AgentDocument, Json, ModelDocument, ToolDocument } from "./document.js";
import type { BoundSecret } from "./engine/secrets.js";
import { functionOf } from "./custom-model.js";
import { StepweaveError } from "./errors.js";
import { addressOf, keyOf, originOf, type Model } from "./models.js";
import { presetOf } from "./presets.js";
import { checkOf } from "./schema/fit.js";
import { isStandardSchema, jsonSchemaOf, withoutDefaults } from "./schema/standard.js";
import type { Tool, ToolContext } from "./tool.js";
import type { Handlers, Schema } from "./types.js";

/** The tables of a document; each is there when something is in it. */
export interface Tables {
  readonly models: Record<string, ModelDocument> | undefined;
  readonly agents: Record<string, AgentDocument> | undefined;
  readonly tools: Record<string, ToolDocument> | undefined;
}

/** The models, agents and tools of a document, each once, with the functions and the keys that belong to them. */
export class Catalog {
  readonly handlers: Handlers;
  readonly secrets = new Map<string, BoundSecret>();
  readonly #models = new Table<Model, ModelDocument>();
  readonly #agents = new Table<Agent, AgentDocument>();
  readonly #tools = new Table<Tool, ToolDocument>();
  /** Names of secrets that models ask for, which no key that was given as text may take. */
  readonly #asked = new Set<string>();
  /** Models with keys that were given as text; the keys get their names when all that are asked for are known. */
  readonly #keyed: { readonly target: ModelDocument; readonly model: Model; readonly key: string }[] = [];

  constructor(handlers: Handlers = {}) {
    this.handlers = handlers;
  }

  /** The id of a model, which is `id` where that is free. */
  model(model: Model, id = model.model): string {
    return this.#models.add(model, id, () => {
      const key = keyOf(model);
      const fn = functionOf(model);
      const target: ModelDocument = { ...model, ...(fn !== undefined && this.function(fn as Handlers[string], `${model.model}.model`)) };
      if (key !== undefined) {
        // Its name stands where others have it.
        target.apiKey = { secret: "" };
        this.#keyed.push({ target, model, key });
      }
      this.#ask(target);
      return target;
    });
  }

  /** The id of an agent, which is `id` where that is free. */
  agent(agent: Agent, id = agent.name): string {
    if (agent.customRun !== undefined || agent.listSteps().length > 0) {
      throw new StepweaveError("document", `the agent \`${agent.name}\` has steps of its own, which an agent step does not run`, {
        hint: "call it in a function step: run: async (state) => ({ answer: (await agent.run(state.question)).text })",
      });
    }
    return this.#agents.add(agent, id, () => {
      const { model, fallbacks = [], instructions, params, tools, toolChoice, output, maxTurns, limits } = agent;
      const target: { -readonly [Key in keyof AgentDocument]: AgentDocument[Key] | undefined } = {
        model: this.model(model),
        fallbacks: fallbacks.length === 0 ? undefined : fallbacks.map((other) => this.model(other)),
        instructions,
        params,
        tools: tools.length === 0 ? undefined : tools.map((one) => this.tool(one)),
        toolChoice,
        output: this.#answer(output, agent.name),
        maxTurns,
        limits,
      };
      return present(target) as AgentDocument;
    });
  }

  /** The agent of an id, where it came as one. */
  agentOf(id: string): Agent | undefined {
    return this.#agents.source(id);
  }

  /** The name of a tool: models call it by that, so that no two tools may have the same. */
  tool(tool: Tool, declared: ToolDocument = {}): string {
    const { name } = tool;
    return this.#tools.add(tool, name, (id) => {
      if (id !== name) {
        throw new StepweaveError("document", `two different tools are called \`${name}\``, {
          hint: "models call tools by name: give each a name of its own, or pass one and the same tool to all agents",
        });
      }
      const { description, input, needsApproval, scopes, timeoutMs, version } = tool;
      const handler = handlerOf(declared) ?? name;
      this.name(callable(tool) as Handlers[string], handler);
      const target = {
        description,
        input: isStandardSchema(input) ? (withoutDefaults(schemaFor(input)) as Json | undefined) : input,
        run: version === undefined ? undefined : { handler, version },
        needsApproval: needsApproval || undefined,
        scopes: scopes && [...scopes],
        timeoutMs,
      };
      return present({ ...target, ...declared }) as ToolDocument;
    });
  }

  /** Takes over what a document has already. */
  keep(table: keyof Tables, id: string, target: unknown): void {
    if (table === "models") this.#ask(target as ModelDocument);
    ({ models: this.#models, agents: this.#agents, tools: this.#tools })[table].keep(id, target as never);
  }

  /** Keeps a function under its name, or under that with a mark where it is taken. */
  function(value: Handlers[string], wanted: string): { handler: string } {
    let name = wanted;
    // Two steps with one id are a problem that the validator tells; no function may hide another meanwhile.
    while (Object.hasOwn(this.handlers, name)) name += "'";
    this.handlers[name] = value;
    return { handler: name };
  }

  /** Keeps a function under the name that a document has for it; throws where another one has that name. */
  name(value: Handlers[string], name: string): void {
    if (Object.hasOwn(this.handlers, name) && this.handlers[name] !== value) {
      throw new StepweaveError("validation", `two different functions go by the name \`${name}\``, {
        hint: 'pass only one of them, or have the document name another: run: { handler: "…" }',
      });
    }
    this.handlers[name] = value;
  }

  /** A schema of a library becomes the name under which its check is kept. */
  schema(schema: unknown, wanted: string): unknown {
    return isStandardSchema(schema) ? this.function(checkOf(schema), wanted) : schema;
  }

  /** What came in, as the document has it; to be asked when everything has. */
  tables(): Tables {
    for (const { target, model, key } of this.#keyed.splice(0)) target.apiKey = { secret: this.#secret(model, key) };
    return { models: this.#models.entries(), agents: this.#agents.entries(), tools: this.#tools.entries() };
  }

  /** What an agent's answer has to be. What a library says of its schema is for the model: the check is the library's. */
  #answer(output: Schema | undefined, name: string): AgentDocument["output"] {
    if (!isStandardSchema(output)) return output as Json | undefined;
    const schema = schemaFor(output);
    return { ...this.function(checkOf(output), `agents.${name}.output`), ...(schema !== undefined && { schema }) };
  }

  #ask({ apiKey }: ModelDocument): void {
    if (typeof apiKey?.secret === "string" && apiKey.secret !== "") this.#asked.add(apiKey.secret);
  }

  /** A key that was given as text is kept beside the document, which has its name only. */
  #secret(model: Model, value: string): string {
    const address = addressOf(model) as string;
    const origin = originOf(address) as string;
    const first = secretName(model, origin);
    for (let name = first, count = 2; ; name = `${first}_${count}`, count += 1) {
      if (this.#asked.has(name)) continue;
      const taken = this.secrets.get(name);
      if (taken === undefined) this.secrets.set(name, { value, origins: [origin] });
      else if (taken.value !== value || taken.origins[0] !== origin) continue;
      return name;
    }
  }
}

/** Things that the document has once under an id, however often they are used. */
class Table<Source extends object, Target> {
  readonly #ids = new Map<Source, string>();
  readonly #targets = new Map<string, Target>();

  add(source: Source, wanted: string, make: (id: string) => Target): string {
    const known = this.#ids.get(source);
    if (known !== undefined) return known;
    let id = wanted;
    for (let count = 2; this.#targets.has(id); count += 1) id = `${wanted}-${count}`;
    this.#ids.set(source, id);
    this.#targets.set(id, make(id));
    return id;
  }

  keep(id: string, target: Target): void {
    this.#targets.set(id, target);
  }

  source(id: string): Source | undefined {
    return [...this.#ids].find(([, known]) => known === id)?.[0];
  }

  entries(): Record<string, Target> | undefined {
    return this.#targets.size === 0 ? undefined : Object.fromEntries(this.#targets);
  }
}

/** The handler that a declared tool names; nothing where it goes by its own name. */
export function handlerOf({ run }: ToolDocument): string | undefined {
  return run !== undefined && "handler" in run ? run.handler : undefined;
}

/** What a schema says of itself, as JSON Schema; nothing where there is none or its library cannot tell. */
export function schemaFor(schema: Schema | undefined): Json | undefined {
  if (!isStandardSchema(schema)) return schema as Json | undefined;
  const said = jsonSchemaOf(schema, "input");
  return said === true ? undefined : (said as Json);
}

type Callable = (args: unknown, context: ToolContext) => unknown;

// A tool is one function, however many documents it is in.
const callables = new WeakMap<Tool, Callable>();

/** The tool's function behind the check of its library, which may change the arguments. */
function callable(tool: Tool): Callable {
  const { input, execute } = tool;
  if (!isStandardSchema(input)) return execute;
  const check = checkOf(input);
  const made = callables.get(tool) ?? (async (args, context) => execute(await check(args), context));
  callables.set(tool, made);
  return made;
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
