import { StepweaveError } from "../../api/errors.js";
import { refuseUnknown } from "../../schema/options.js";
import { Tool, toolFrom, type ToolFunction } from "../../authoring/tool.js";
import { scopesOf, scopeOf, type ToolScope } from "./scope.js";

/** What an agent calls a tool, in place of what the tool says of itself. */
export interface ToolChanges {
  name?: string | undefined;
  description?: string | undefined;
  /** The types of steps that may use it, or `all`. */
  scopes?: readonly string[] | undefined;
}

/** A tool with what the agent calls it. */
export interface ToolConfig extends ToolChanges {
  tool: Tool | ToolFunction;
}

/** A tool of an agent: made by {@link tool}, a function alone, or either of them with what the agent calls it. */
export type AgentTool = Tool | ToolFunction | ToolConfig;

/** The tools of an agent, in the order in which they came. */
export class Toolbox {
  readonly #agent: string;
  readonly #places = new Map<string, { readonly tool: Tool; readonly scopes: ReadonlySet<ToolScope> }>();

  constructor(agent: string, tools: unknown = []) {
    this.#agent = agent;
    if (!Array.isArray(tools)) throw wrong(`the tools of the agent ${agent} are no list`, "write tools: [search, tool({ … })]");
    for (const given of tools) this.add(given);
  }

  get size(): number {
    return this.#places.size;
  }

  add(given: unknown, changes: ToolChanges = {}): Tool {
    const made = toolOf(given, changes);
    if (made === undefined) throw wrong(`the agent ${this.#agent} was given a tool that is none`, "give what tool({ … }) makes, or a function with a name");
    const scopes = scopesOf(made.scopes);
    if (this.#places.has(made.name)) throw wrong(`the agent ${this.#agent} has two tools called \`${made.name}\``, "give each a name of its own: models call tools by name");
    this.#places.set(made.name, { tool: made, scopes });
    return made;
  }

  /** Those that steps of a type may use; all of them without one. */
  list(scope?: string): readonly Tool[] {
    const wanted = scope === undefined ? undefined : scopeOf(scope);
    const places = [...this.#places.values()].filter(({ scopes }) => wanted === undefined || scopes.has(wanted) || scopes.has("all"));
    return places.map(({ tool }) => tool);
  }

  find(name: string): Tool {
    const place = this.#places.get(name);
    if (place !== undefined) return place.tool;
    const names = [...this.#places.keys()];
    throw new StepweaveError("tool", `the agent ${this.#agent} has no tool called \`${name}\``, {
      hint: names.length === 0 ? "give it one: tools: [tool({ … })]" : `it has ${names.join(", ")}`,
    });
  }
}

function toolOf(given: unknown, changes: ToolChanges): Tool | undefined {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  // A function alone has its name only from what the agent calls it.
  if (typeof given === "function" && said.length > 0) return new Tool({ ...Object.fromEntries(said), execute: given as ToolFunction });
  const tool = toolFrom(given);
  if (tool !== undefined) return said.length === 0 ? tool : new Tool({ ...tool, ...Object.fromEntries(said) });
  if (typeof given !== "object" || given === null || !("tool" in given)) return undefined;
  refuseUnknown(given, ["tool", "name", "description", "scopes"], "a tool's place in an agent");
  const { tool: inner, ...own } = given as ToolConfig;
  // A function that is written in its place has the name of the option.
  if (typeof inner === "function" && inner.name === "tool" && (changes.name ?? own.name) === undefined) {
    throw wrong("an agent was given a tool that has no name", 'write { name: "search", tool: ({ query }) => … }');
  }
  return toolOf(inner, { ...own, ...Object.fromEntries(said) });
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
