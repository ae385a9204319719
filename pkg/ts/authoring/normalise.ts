import { isKnownAs } from "../api/copies.js";
import { AS_STEP, isStepped, type SteppedAgent } from "../api/stepped.js";
import type { AgentStep, StepHistory } from "../api/steps.js";
import type { WorkflowDefinition } from "../api/definition.js";
import { StepweaveError, textOf } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import { isObject } from "../api/json.js";
import type { ToolSteps } from "../api/workflow-tool.js";
import type { Parts } from "../run/program.js";
import { kindOf, reading } from "../schema/options.js";
import type { FunctionTable } from "./functions.js";
import { explicitIds, idsOf } from "./step-ids.js";

// What workflows were made of, so that one can be a step of another.
const definitions = new WeakMap<object, WorkflowDefinition>();

/** Remembers what a workflow was made of. */
export function remember(workflow: object, definition: WorkflowDefinition): void {
  definitions.set(workflow, definition);
}

function definitionOf(workflow: unknown): WorkflowDefinition | undefined {
  return typeof workflow === "object" && workflow !== null ? definitions.get(workflow) : undefined;
}

/** How deep steps may be nested, as in the engine. */
const MAX_STEP_DEPTH = 256;

/** Takes a definition apart. What is wrong with the data is left for the validator to say. */
export function normalise(definition: WorkflowDefinition, catalog: FunctionTable): Parts {
  if (typeof definition !== "object" || definition === null || reading("the definition of a workflow", () => Array.isArray(definition))) {
    throw new StepweaveError("document", "a workflow is made of an object", {
      hint: "write new Workflow({ name, steps: [ … ] }); for JSON text there is Workflow.fromDocument(text)",
    });
  }
  return reading("the definition of a workflow", () => new Normaliser(catalog).workflow(definition));
}

/** Writes the steps of the tools that code has brought to a document; returns what the workflows among them say of prices. */
export function writeFlows(catalog: FunctionTable): object {
  const normaliser = new Normaliser(catalog);
  normaliser.flows();
  return normaliser.prices;
}

/** What the steps of a workflow inside another one have of it, where they say nothing themselves. */
interface Inherited {
  readonly onError?: unknown;
  readonly retryCount?: unknown;
  readonly timeoutMs?: unknown;
}

class Normaliser {
  readonly #catalog: FunctionTable;
  /** What models cost, as workflows inside this one say. */
  readonly prices: Record<string, unknown> = {};
  /** Agents with steps that the steps of workflows name by a key. */
  readonly #stepped = new Map<string, SteppedAgent>();
  /** Ids that are written out somewhere. */
  #taken: ReadonlySet<string> = new Set();

  constructor(catalog: FunctionTable) {
    this.#catalog = catalog;
  }

  workflow(definition: WorkflowDefinition): Parts {
    const { name, description, input, output, initialState, agents, prices, steps, ...rest } = definition;
    const catalog = this.#catalog;
    this.#agents(agents);
    this.#taken = explicitIds(steps, (workflow) => definitionOf(workflow)?.steps);
    const normalSteps = this.#steps(steps, "", "steps", 1, {});
    this.flows();
    const document = {
      version: 1,
      name,
      description,
      input: catalog.described(input, "workflow.input", "input"),
      output: catalog.schema(output, "workflow.output", "output"),
      initialState,
      ...catalog.tables(),
      prices: Object.keys(this.prices).length === 0 ? prices : { ...this.prices, ...prices },
      steps: normalSteps,
      ...rest,
    };
    // Whatever stands here is code's own.
    return { document, functions: catalog.functions, secrets: catalog.secrets, origins: "all", tools: catalog.asData };
  }

  /** Writes the steps of tools that are workflows, and so of those that agents in them have. */
  flows(): void {
    for (let flow = this.#catalog.nextFlow(); flow !== undefined; flow = this.#catalog.nextFlow()) {
      Object.assign(flow.target, this.#flow(flow.tool, flow.workflow));
    }
  }

  #flow(tool: string, workflow: object): object {
    const definition = definitionOf(workflow);
    const isWorkflow = definition !== undefined || typeof (workflow as { readonly toDocument?: unknown }).toDocument === "function";
    const { steps, ...rest } = isWorkflow ? ofDefinition(this.#inner(workflow, undefined, tool)) : (workflow as Partial<ToolSteps>);
    this.#taken = new Set([...this.#taken, ...explicitIds(steps, (inner) => definitionOf(inner)?.steps)]);
    const inherited = definition === undefined ? {} : handedDown(definition);
    return { ...rest, steps: this.#steps(steps, `tool~${tool}.`, `tools.${tool}.run.workflow.steps`, 1, inherited) };
  }

  #agents(agents: WorkflowDefinition["agents"] = {}): void {
    if (!isObject(agents)) {
      throw new StepweaveError("document", `\`agents\` of a workflow is ${kindOf(agents)}, not an object`, { hint: "write agents: { writer: new Agent({ … }) }" });
    }
    for (const [id, agent] of Object.entries(agents)) {
      if (isStepped(agent)) this.#stepped.set(id, agent);
      else this.#catalog.agent(agent, id);
    }
  }

  /** `within` is the id of what holds the steps, with a full stop. */
  #steps(steps: unknown, within: string, path: string, depth: number, inherited: Inherited): unknown {
    if (!isList(steps, path)) return steps;
    const ids = idsOf(steps, within, this.#taken);
    return steps.map((step: unknown, index) => this.#step(step, ids[index] as string, `${path}[${index}]`, depth, inherited));
  }

  /** The step that runs the steps of its agent, where that has some; else the step itself. */
  #withSteps(step: object, ownId: string): object {
    const { agent, id } = step as Partial<AgentStep>;
    const stepped = typeof agent === "string" ? this.#stepped.get(agent) : agent;
    return isStepped(stepped) ? stepped[AS_STEP](step, id ?? ownId) : step;
  }

  #step(given: unknown, ownId: string, path: string, depth: number, inherited: Inherited): unknown {
    refuseOther(given, path);
    if (typeof given !== "object" || given === null) return given;
    const step = this.#withSteps(given, ownId);
    const { id, type, name, agent, inputFrom, files, run, version, history, condition, approved, steps, else: otherwise, expired, parallel, cases, default: fallback, items, repeat, workflow, input, output, schema, http, ...rest } =
      step as Record<string, unknown>;
    if (depth > MAX_STEP_DEPTH) {
      throw new StepweaveError("limit", `the step \`${textOf(name)}\` is nested deeper than ${MAX_STEP_DEPTH} levels`, {
        step: { id: ownId, path, name: textOf(name), key: ownId },
        hint: "make the workflow flatter; a step that contains itself is also too deep",
      });
    }
    if (typeof run === "string") throw misplaced(`${path}.run`, "a function", "text", 'run: (state) => ({ … }), or run: { set: { total: "price * 2" } }');
    const word = type ?? typeOf(step);
    const sub = workflow === undefined ? undefined : this.#inner(workflow, steps, textOf(name));
    const inside = sub === undefined ? inherited : { ...inherited, ...handedDown(sub) };
    const block = (given: unknown, key: string, label = ""): unknown => this.#steps(given, `${ownId}.${label}`, `${path}.${key}`, depth + 1, inside);
    return {
      id: id ?? ownId,
      type: word,
      name,
      agent: this.#catalog.called(agent, textOf(name)),
      inputFrom: this.#function(inputFrom, ownId, "inputFrom", path),
      files: this.#function(files, ownId, "files", path),
      history: this.#history(history, textOf(name)),
      run: versioned(this.#function(run, ownId, "run", path), version),
      http: this.#catalog.request(http, textOf(name)),
      condition: this.#function(condition, ownId, "condition", path),
      approved: this.#function(approved, ownId, "approved", path),
      items: this.#function(items, ownId, "items", path),
      repeat: this.#each(repeat, (value, key) => this.#function(value, ownId, key, `${path}.repeat`)),
      steps: block(sub === undefined ? steps : checked(sub), "steps"),
      else: block(otherwise, "else", "else."),
      expired: block(expired, "expired", "expired."),
      parallel: block(parallel, "parallel"),
      cases: isList(cases, `${path}.cases`) ? cases.map((one: unknown, index) => this.#case(one, ownId, `${path}.cases[${index}]`, index, block)) : cases,
      default: block(fallback, "default", "default."),
      input: this.#catalog.schema(input, `${ownId}.input`, `${path}.input`),
      // Who is asked has to see what the answer must be.
      output: word === "approval" ? this.#catalog.described(output, `${ownId}.output`, `${path}.output`) : this.#catalog.schema(output, `${ownId}.output`, `${path}.output`),
      schema: this.#catalog.described(schema, `${ownId}.schema`, `${path}.schema`),
      ...completed(rest, word === "agent" || word === "function" || word === "http" ? inherited : { onError: inherited.onError }),
      ...(sub?.initialState !== undefined && { initialState: begunWith(sub.initialState, rest.initialState) }),
    };
  }

  /** A conversation, with the agent that sums it up among those of the document. */
  #history(history: unknown, name: string): unknown {
    if (typeof history !== "object" || history === null || (history as StepHistory).summary === undefined) return history;
    return { ...history, summary: this.#catalog.called((history as StepHistory).summary, name) };
  }

  #case(given: unknown, id: string, path: string, index: number, block: (given: unknown, key: string, label: string) => unknown): unknown {
    if (typeof given !== "object" || given === null) return given;
    const { when, steps, ...rest } = given as Record<string, unknown>;
    return {
      when: this.#function(when, id, `cases${index + 1}`, path, "when"),
      steps: block(steps, `cases[${index}].steps`, `case${index + 1}.`),
      ...rest,
    };
  }

  /** The definition of a workflow that is a step of another one. */
  #inner(workflow: unknown, steps: unknown, name: string): WorkflowDefinition {
    const definition = definitionOf(workflow);
    if (definition === undefined) {
      throw new StepweaveError("document", `the \`workflow\` of \`${name}\` is not itself a Workflow that was written in TypeScript`, {
        hint: 'pass a new Workflow({ … }), and put traced() around the outer one; the steps of a document are written inside, as { type: "workflow", steps: [ … ] }',
      });
    }
    if (steps !== undefined) {
      throw new StepweaveError("document", `\`${name}\` has a \`workflow\` and \`steps\`, but runs only one of them`, { hint: "put the steps into the workflow, or into a step of their own" });
    }
    this.#agents(definition.agents);
    Object.assign(this.prices, definition.prices);
    return definition;
  }

  /** An object with each of its values changed. */
  #each(value: unknown, change: (value: unknown, key: string) => unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
  }

  /** A function becomes the name under which it is kept. `path` is that of what has it under the key. */
  #function(value: unknown, id: string, role: string, path: string, key = role): unknown {
    return typeof value === "function" ? this.#catalog.function(value as Handlers[string], `${id}.${role}`, `${path}.${key}`) : value;
  }
}

/** What people put among steps that is none, and how a step has it. */
const OTHERS: { readonly [kind: string]: string } = {
  list: "steps: [ … ]",
  Workflow: "workflow",
  Agent: "agent",
  ReasoningAgent: "agent",
  Tool: "run: (state) => ({ … })",
};

/** Whether this is a list. An object with steps by names would be taken for data. */
function isList(given: unknown, path: string): given is unknown[] {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return Array.isArray(given);
  throw misplaced(path, "a list", "object", `${/\w+$/.exec(path)?.[0]}: [{ … }, …]`);
}

function refuseOther(given: unknown, path: string): void {
  const kind = Object.keys(OTHERS).find((name) => (name === "list" ? Array.isArray(given) : isKnownAs(given, name)));
  if (kind !== undefined) throw misplaced(path, "a step", kind, `{ name: "…", ${OTHERS[kind]} }`);
}

function misplaced(path: string, wanted: string, kind: string, form: string): StepweaveError {
  const message = `\`${path}\` takes ${wanted}, not this ${kind}`;
  const hint = `write ${form}`;
  return new StepweaveError("document", message, { hint, problems: [{ path, code: "wrong_type", message, hint, severity: "error" }] });
}

/** What a workflow hands down to its steps when it is a step itself. */
function handedDown({ onError, retryPolicy, limits }: WorkflowDefinition): Inherited {
  return {
    ...(onError !== undefined && { onError }),
    ...(retryPolicy?.maxRetries !== undefined && { retryCount: retryPolicy.maxRetries }),
    ...(limits?.stepTimeoutMs !== undefined && { timeoutMs: limits.stepTimeoutMs }),
  };
}

/** The steps of a workflow that is a step: in one that checks its state, as a run of it would, where it has schemas. */
function checked({ name, input, output, steps }: WorkflowDefinition): unknown {
  if (input === undefined && output === undefined) return steps;
  return [{ type: "sequence", name, input, output, onError: "stop", steps }];
}

/** A workflow as that of a tool. */
function ofDefinition(definition: WorkflowDefinition): { steps: unknown; initialState?: object } {
  const { initialState } = definition;
  return { steps: checked(definition), ...(initialState !== undefined && { initialState }) };
}

/** What a step says itself, and of the rest what it inherits. */
function completed(own: Record<string, unknown>, inherited: Inherited): object {
  const missing = Object.entries(inherited).filter(([key]) => own[key] === undefined);
  return missing.length === 0 ? own : { ...own, ...Object.fromEntries(missing) };
}

/** The state that a workflow begins with, with what its step says over it. */
function begunWith(initial: object, own: unknown): unknown {
  return typeof own === "object" && own !== null ? { ...initial, ...own } : (own ?? initial);
}

/** The kind of a step, by the first of these keys that it has. */
const KIND_OF: { readonly [key: string]: string } = {
  agent: "agent",
  run: "function",
  http: "http",
  condition: "condition",
  parallel: "parallel",
  cases: "switch",
  items: "foreach",
  repeat: "loop",
  wait: "wait",
  end: "end",
  workflow: "workflow",
  with: "workflow",
  set: "workflow",
  steps: "sequence",
};

function typeOf(step: object): string | undefined {
  return KIND_OF[Object.keys(KIND_OF).find((key) => key in step) ?? ""];
}

/** A function with its version; other shapes have theirs inside, or none. */
function versioned(run: unknown, version: unknown): unknown {
  return version === undefined || typeof run !== "object" || run === null ? run : { ...run, version };
}

