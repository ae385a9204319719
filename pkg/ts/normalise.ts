import { Agent } from "./agent.js";
import type { AgentDocument, ModelDocument } from "./document.js";
import { StepweaveError } from "./errors.js";
import type { BoundSecret } from "./engine/secrets.js";
import { keyOf, OPENAI_URL, type Model } from "./models.js";
import type { Handlers, WorkflowDefinition } from "./types.js";

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
      input,
      output,
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
    const { id, type, name, agent, inputFrom, run, condition, steps, else: otherwise, parallel, ...rest } = step as Record<string, unknown>;
    if (depth > MAX_STEP_DEPTH) {
      throw new StepweaveError("limit", `the step \`${String(name)}\` is nested deeper than ${MAX_STEP_DEPTH} levels`, {
        step: { id: `s${place}${position}`, path, name: String(name) },
        hint: "make the workflow flatter; a step that contains itself is also too deep",
      });
    }
    const inner = `${place}${position}.`;
    const ownId = typeof id === "string" ? id : this.#idAt(`s${place}${position}`);
    return {
      id: id ?? ownId,
      type: type ?? typeOf(step),
      name,
      agent: agent instanceof Agent ? this.#agent(agent, undefined) : agent,
      inputFrom: this.#function(inputFrom, ownId, "inputFrom"),
      run: this.#function(run, ownId, "run"),
      condition: this.#function(condition, ownId, "condition"),
      steps: this.#steps(steps, inner, `${path}.steps`, depth + 1),
      else: this.#steps(otherwise, `${inner}else.`, `${path}.else`, depth + 1),
      parallel: this.#steps(parallel, inner, `${path}.parallel`, depth + 1),
      ...rest,
    };
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
  if ("steps" in step) return "sequence";
  return undefined;
}

function secretName(baseUrl: string): string {
  const { host } = new URL(baseUrl);
  if (host === new URL(OPENAI_URL).host) return "OPENAI_API_KEY";
  return `${host.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}
