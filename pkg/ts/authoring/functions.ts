import type { Json } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import type { BoundSecret } from "../effects/secrets.js";
import { byName, type Functions, type PlacedFunction, type StepFunction } from "../run/functions.js";
import { checkOf } from "../schema/fit.js";
import { isStandardSchema, jsonSchemaOf, withoutDefaults } from "../schema/standard.js";

/** A tool that is a workflow, whose steps are to be written into its place in the document. */
export interface Flow {
  readonly tool: string;
  readonly workflow: object;
  readonly target: object;
}

/** The functions of a definition, by the names under which its document has them. It has no agents: see {@link Catalog}. */
export class FunctionTable {
  readonly secrets: Map<string, BoundSecret> = new Map();
  /** The tools that stand in the document as data: requests and workflows. */
  readonly asData: Set<string> | undefined = undefined;
  protected readonly handlers: Handlers;
  /** Functions that are models. */
  protected readonly models: Handlers = {};
  protected readonly placed = new Map<string, PlacedFunction>();
  /** JSON Schemas of tools that stand in the document as data, by their paths. */
  protected readonly schemas = new Map<string, Json>();
  /** The names of functions that belong to one path. */
  protected readonly names = new Set<string>();

  constructor(handlers: Handlers = {}) {
    this.handlers = handlers;
  }

  /** What a document may call, and from where. */
  get functions(): Functions {
    return { handlers: this.handlers, models: this.models, placed: this.placed, schemas: this.schemas };
  }

  /** The id of an agent of the workflow. */
  agent(_: unknown, id?: string): string {
    throw noAgents(`\`agents.${id}\` is an agent`);
  }

  /** What stands in the document for the agent of a step. */
  called(agent: unknown, step: string): unknown {
    if (agent === undefined) return undefined;
    throw noAgents(`the step \`${step}\` asks an agent`);
  }

  /** What stands in the document for the request of a step. */
  request(http: unknown, step: string): unknown {
    if (http === undefined) return undefined;
    throw new StepweaveError("document", `the step \`${step}\` sends a request, and the engine of "stepweave/functions" sends none`, {
      hint: 'call fetch() in a function; or import { Workflow } from "stepweave", whose engine sends requests',
    });
  }

  /** The next tool that is a workflow and has no steps yet. */
  nextFlow(): Flow | undefined {
    return undefined;
  }

  /** Keeps a function under its name, or under that with a mark where it is taken. `place` is where the document names it. */
  function(value: StepFunction, wanted: string, _place: string): { handler: string } {
    const handler = this.free(wanted, value);
    this.handlers[handler] = value;
    return { handler };
  }

  /** A schema of a library becomes the name under which its check is kept. */
  schema(schema: unknown, wanted: string, place: string): unknown {
    return isStandardSchema(schema) ? this.function(checkOf(schema), wanted, place) : schema;
  }

  /** The same, with the JSON Schema that the library derives, for whoever has to know it. Its defaults are left out: some are new each time. */
  described(schema: unknown, wanted: string, place: string): unknown {
    if (!isStandardSchema(schema)) return schema;
    const said = jsonSchemaOf(schema, "input");
    return { ...this.function(checkOf(schema), wanted, place), ...(said !== true && { schema: withoutDefaults(said) }) };
  }

  /** The collected tables in the document's form; call it when everything has been added. */
  tables(): object {
    return {};
  }

  /**
   * A name that no other function has: the one that this function has already, where the code comes from another workflow. Two
   * steps with one id are a problem that the validator reports; no function may hide another meanwhile.
   */
  protected free(wanted: string, value: StepFunction): string {
    let name = wanted;
    while ((Object.hasOwn(this.handlers, name) && this.handlers[name] !== value) || this.names.has(name)) name += "'";
    return name;
  }

  /** A name that a document shows is of one function; throws where another one has it. */
  protected claim(name: string, value: StepFunction): void {
    const known = byName(this.functions);
    if (!Object.hasOwn(known, name) || known[name] === value) return;
    throw new StepweaveError("validation", `two different functions go by the name \`${name}\``, {
      hint: 'pass only one of them, or have the document name another: run: { handler: "…" }',
    });
  }
}

function noAgents(fault: string): StepweaveError {
  return new StepweaveError("document", `${fault}, and the engine of "stepweave/functions" has none`, {
    hint: 'import { Workflow } from "stepweave", whose engine runs agents',
  });
}
