import { Agent } from "./agent.js";
import type { AgentDocument, ModelDocument, Problem } from "./document.js";
import { StepweaveError } from "./errors.js";
import type { BoundSecret } from "./engine/secrets.js";
import { functionOf } from "./custom-model.js";
import { keyOf, OPENAI_URL, type Model } from "./models.js";
import { refuseUnknown } from "./options.js";
import { steps as keysOf } from "./schema/json/pointer.js";
import { checkStandard, isStandardSchema, type Checked, type StandardSchema } from "./schema/standard.js";
import type { Handlers, StepConfig, WorkflowDefinition } from "./types.js";

// What workflows were made of, so that one can be a step of another.
const definitions = new WeakMap<object, WorkflowDefinition>();

/** Remembers what a workflow was made of. */
export function remember(workflow: object, definition: WorkflowDefinition): void {
  definitions.set(workflow, definition);
}

function definitionOf(workflow: unknown): WorkflowDefinition | undefined {
  return typeof workflow === "object" && workflow !== null ? definitions.get(workflow) : undefined;
}

// The schemas of libraries that stand behind the checks which documents name.
const schemas = new WeakMap<object, StandardSchema>();

/** The schema that a check was made of, if it was. */
export function schemaBehind(check: object): StandardSchema | undefined {
  return schemas.get(check);
}

/** How deep steps may be nested, as in the engine. */
const MAX_STEP_DEPTH = 256;

/** How much of its position an id shows. */
const MAX_ID_LENGTH = 100;

/** A workflow written in TypeScript, taken apart: the data, the functions and the keys. */
export interface Normalised {
  readonly document: object;
  readonly handlers: Handlers;
  readonly secrets: ReadonlyMap<string, BoundSecret>;
}

/** Takes a definition apart. What is wrong with the data is left for the validator to say. */
export function normalise(definition: WorkflowDefinition): Normalised {
  if (typeof definition !== "object" || definition === null || Array.isArray(definition)) {
    throw new StepweaveError("document", "a workflow is made of an object", {
      hint: "write new Workflow({ name, steps: [ … ] }); for JSON text there is Workflow.fromDocument(text)",
    });
  }
  return new Normaliser().workflow(definition);
}

class Normaliser {
  readonly #handlers: Handlers = {};
  readonly #secrets = new Map<string, BoundSecret>();
  readonly #models = new Table<Model, ModelDocument>();
  readonly #agents = new Table<Agent, AgentDocument>();
  /** Names of secrets that models ask for, which no key that was given as text may take. */
  readonly #asked = new Set<string>();
  /** Models with keys that were given as text; the keys get their names when all that are asked for are known. */
  readonly #keyed: { readonly target: ModelDocument; readonly value: string; readonly origin: string; readonly baseUrl: string }[] = [];
  #longIds = 0;

  workflow(definition: WorkflowDefinition): Normalised {
    const { name, description, input, output, initialState, agents, steps, ...rest } = definition;
    for (const [id, agent] of Object.entries(agents ?? {})) this.#agent(agent, id);
    const normalSteps = this.#steps(steps, "", "steps", 1);
    for (const { target, value, origin, baseUrl } of this.#keyed) target.apiKey = { secret: this.#secret(baseUrl, value, origin) };
    const document = {
      version: 1,
      name,
      description,
      input: this.#schema(input, "workflow", "input"),
      output: this.#schema(output, "workflow", "output"),
      initialState,
      models: this.#models.entries(),
      agents: this.#agents.entries(),
      steps: normalSteps,
      ...rest,
    };
    return { document, handlers: this.#handlers, secrets: this.#secrets };
  }

  /** `place` is the id of what holds the steps, with a full stop: ids follow from positions. */
  #steps(steps: unknown, place: string, path: string, depth: number): unknown {
    if (!Array.isArray(steps)) return steps;
    return steps.map((step: unknown, index) => this.#step(step, place, index + 1, `${path}[${index}]`, depth));
  }

  #step(step: unknown, place: string, position: number, path: string, depth: number): unknown {
    if (typeof step !== "object" || step === null) return step;
    const { id, type, name, agent, inputFrom, run, version, condition, steps, else: otherwise, parallel, cases, default: fallback, items, repeat, workflow, input, output, config, ...rest } =
      step as Record<string, unknown>;
    if (depth > MAX_STEP_DEPTH) {
      throw new StepweaveError("limit", `the step \`${String(name)}\` is nested deeper than ${MAX_STEP_DEPTH} levels`, {
        step: { id: `s${place}${position}`, path, name: String(name), key: `s${place}${position}` },
        hint: "make the workflow flatter; a step that contains itself is also too deep",
      });
    }
    const inner = `${place}${position}.`;
    const ownId = typeof id === "string" ? id : this.#idAt(`s${place}${position}`);
    const sub = workflow === undefined ? undefined : this.#inner(workflow, String(name));
    const block = (given: unknown, key: string, label = ""): unknown => this.#steps(given, inner + label, `${path}.${key}`, depth + 1);
    return {
      id: id ?? ownId,
      type: type ?? typeOf(step),
      name,
      agent: agent instanceof Agent ? this.#agent(agent, undefined) : agent,
      inputFrom: this.#function(inputFrom, ownId, "inputFrom"),
      run: versioned(this.#function(run, ownId, "run"), version),
      condition: this.#function(condition, ownId, "condition"),
      items: this.#function(items, ownId, "items"),
      repeat: this.#each(repeat, (value, key) => this.#function(value, ownId, key)),
      ...(sub !== undefined && { initialState: sub.initialState }),
      steps: block(sub === undefined ? steps : sub.steps, "steps"),
      else: block(otherwise, "else", "else."),
      parallel: block(parallel, "parallel"),
      cases: Array.isArray(cases) ? cases.map((one: unknown, index) => this.#case(one, ownId, index, block)) : cases,
      default: block(fallback, "default", "default."),
      input: this.#schema(input, ownId, "input"),
      output: this.#schema(output, ownId, "output"),
      ...settingsOf(config),
      ...rest,
    };
  }

  #case(given: unknown, id: string, index: number, block: (given: unknown, key: string, label: string) => unknown): unknown {
    if (typeof given !== "object" || given === null) return given;
    const { when, steps, ...rest } = given as Record<string, unknown>;
    return {
      when: this.#function(when, id, `cases${index + 1}`),
      steps: block(steps, `cases[${index}].steps`, `case${index + 1}.`),
      ...rest,
    };
  }

  /** The definition of a workflow that is a step of another one. */
  #inner(workflow: unknown, name: string): WorkflowDefinition {
    const definition = definitionOf(workflow);
    if (definition === undefined) {
      throw new StepweaveError("document", `the \`workflow\` of \`${name}\` is no Workflow that was written in TypeScript`, {
        hint: 'pass a new Workflow({ … }); the steps of a document are written inside, as { type: "workflow", steps: [ … ] }',
      });
    }
    for (const [id, agent] of Object.entries(definition.agents ?? {})) this.#agent(agent, id);
    return definition;
  }

  /** An object with each of its values changed. */
  #each(value: unknown, change: (value: unknown, key: string) => unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
  }

  /** A schema of a library becomes the name under which its check is kept. */
  #schema(schema: unknown, id: string, role: string): unknown {
    if (!isStandardSchema(schema)) return schema;
    const check = async (value: unknown): Promise<unknown> => fitting(await checkStandard(schema, value));
    schemas.set(check, schema);
    return this.#function(check, id, role);
  }

  /** The validator bounds the length of names: what is very deep gets a number instead of its whole position. */
  #idAt(position: string): string {
    if (position.length <= MAX_ID_LENGTH) return position;
    this.#longIds += 1;
    return `${position.slice(0, MAX_ID_LENGTH)}~${this.#longIds}`;
  }

  /** A function becomes the name under which it is kept. */
  #function(value: unknown, id: string, role: string): unknown {
    if (typeof value !== "function") return value;
    let name = `${id}.${role}`;
    // Two steps with one id are a problem that the validator tells; no function may hide another meanwhile.
    while (Object.hasOwn(this.#handlers, name)) name += "'";
    this.#handlers[name] = value as Handlers[string];
    return { handler: name };
  }

  #agent(agent: Agent, id: string | undefined): string {
    if (agent.customRun !== undefined || agent.listSteps().length > 0) {
      throw new StepweaveError("document", `the agent \`${agent.name}\` has steps of its own, which an agent step does not run`, {
        hint: "call it in a function step: run: async (state) => ({ answer: (await agent.run(state.question)).text })",
      });
    }
    return this.#agents.add(agent, id ?? agent.name, () => ({
      model: this.#model(agent.model),
      ...(agent.instructions !== undefined && { instructions: agent.instructions }),
      ...(agent.params !== undefined && { params: agent.params }),
    }));
  }

  #model(model: Model): string {
    return this.#models.add(model, model.model, () => {
      const key = keyOf(model);
      const { provider, model: name, baseUrl, params } = model;
      const apiKey = key === undefined ? model.apiKey : { secret: "" };
      const target: ModelDocument = {
        provider,
        model: name,
        ...(this.#function(functionOf(model), name, "model") as object | undefined),
        ...(baseUrl !== undefined && { baseUrl }),
        ...(apiKey !== undefined && { apiKey }),
        ...(params !== undefined && { params }),
      };
      if (key !== undefined) this.#keyed.push({ target, ...key, baseUrl: baseUrl ?? OPENAI_URL });
      else if (apiKey !== undefined) this.#asked.add(apiKey.secret);
      return target;
    });
  }

  /** A key that was given as text is kept beside the document, which has its name only. */
  #secret(baseUrl: string, value: string, origin: string): string {
    const first = secretName(baseUrl);
    for (let name = first, count = 2; ; name = `${first}_${count}`, count += 1) {
      if (this.#asked.has(name)) continue;
      const taken = this.#secrets.get(name);
      if (taken === undefined) this.#secrets.set(name, { value, origins: [origin] });
      else if (taken.value !== value || taken.origins[0] !== origin) continue;
      return name;
    }
  }
}

/** Things that the document has once under an id, however often they are used. */
class Table<Source extends object, Target> {
  readonly #ids = new Map<Source, string>();
  readonly #targets = new Map<string, Target>();

  add(source: Source, wanted: string, make: () => Target): string {
    const known = this.#ids.get(source);
    if (known !== undefined) return known;
    let id = wanted;
    for (let count = 2; this.#targets.has(id); count += 1) id = `${wanted}-${count}`;
    this.#ids.set(source, id);
    this.#targets.set(id, make());
    return id;
  }

  entries(): Record<string, Target> | undefined {
    return this.#targets.size === 0 ? undefined : Object.fromEntries(this.#targets);
  }
}

function typeOf(step: object): string | undefined {
  if ("agent" in step) return "agent";
  if ("run" in step) return "function";
  if ("condition" in step) return "condition";
  if ("parallel" in step) return "parallel";
  if ("cases" in step) return "switch";
  if ("items" in step) return "foreach";
  if ("repeat" in step) return "loop";
  if ("wait" in step) return "wait";
  if ("workflow" in step || "with" in step || "set" in step) return "workflow";
  if ("steps" in step) return "sequence";
  return undefined;
}

/** A function with its version; other shapes have theirs inside, or none. */
function versioned(run: unknown, version: unknown): unknown {
  return version === undefined || typeof run !== "object" || run === null ? run : { ...run, version };
}

/** The value that a check gives; throws `validation` when the value does not fit. */
function fitting(checked: Checked): unknown {
  if ("value" in checked) return checked.value;
  const problems = checked.issues.map(({ at, message }): Problem => {
    const path = keysOf(at).join(".");
    return { path, code: "standard_schema", message: path === "" ? message : `\`${path}\`: ${message}`, hint: "", severity: "error" };
  });
  throw new StepweaveError("validation", problems.map(({ message }) => message).join("; "), {
    hint: "change the value, or the schema if the value is right",
    problems,
  });
}

/** ClientAI's names of a step's settings as those of a document. */
function settingsOf(config: unknown): object {
  if (config === undefined) return {};
  refuseUnknown(config, ["enabled", "retryCount", "timeout", "required", "useInternalRetry"], "the config of a step");
  const { enabled, retryCount, timeout, required, useInternalRetry } = config as StepConfig;
  return {
    ...(enabled !== undefined && { enabled }),
    ...(retryCount !== undefined && { retryCount }),
    ...(useInternalRetry === false && { retryCount: 0 }),
    ...(timeout !== undefined && { timeoutMs: Math.round(timeout * 1000) }),
    ...(required !== undefined && { required }),
  };
}

function secretName(baseUrl: string): string {
  const { host } = new URL(baseUrl);
  if (host === new URL(OPENAI_URL).host) return "OPENAI_API_KEY";
  return `${host.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}
