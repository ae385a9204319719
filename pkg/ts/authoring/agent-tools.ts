import { StepweaveError, textOf } from "../api/errors.js";
import type { ToolFunction } from "../api/tool.js";
import { optionsFrom } from "../schema/options.js";
import { Tool, toolFrom } from "./tool.js";

/** What an agent calls a tool, in place of what the tool says of itself. */
export interface ToolChanges {
  name?: string | undefined;
  description?: string | undefined;
  /** For a `ReasoningAgent`: the types of steps that may use it, or `all`. */
  scopes?: readonly string[] | undefined;
}

/** A tool with what the agent calls it. */
export interface ToolConfig extends ToolChanges {
  tool: Tool | ToolFunction;
}

/** A tool of an agent: made by `tool`, a function alone, or either of them with what the agent calls it. */
export type AgentTool = Tool | ToolFunction | ToolConfig;

/** The tools of an agent, by their names, in the order in which they came. */
export class AgentTools {
  readonly #agent: string;
  readonly #tools = new Map<string, Tool>();

  constructor(agent: string, tools: unknown = []) {
    this.#agent = agent;
    if (!Array.isArray(tools)) throw wrong(`the tools of the agent ${agent} are no list`, "write tools: [search, tool({ … })]");
    for (const given of tools) this.add(given);
  }

  get size(): number {
    return this.#tools.size;
  }

  get all(): readonly Tool[] {
    return Object.freeze([...this.#tools.values()]);
  }

  add(given: unknown, changes: ToolChanges = {}): Tool {
    const made = toolOf(given, changes);
    if (made === undefined) throw wrong(`the agent ${this.#agent} was given a tool that is none`, "give what tool({ … }) makes, or a function with a name");
    if (this.#tools.has(made.name)) throw wrong(`the agent ${this.#agent} has two tools called \`${made.name}\``, "give each a name of its own: models call tools by name");
    this.#tools.set(made.name, made);
    return made;
  }

  find(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    const names = [...this.#tools.keys()];
    throw new StepweaveError("tool", `the agent ${this.#agent} has no tool called \`${textOf(name)}\``, {
      hint: names.length === 0 ? "give it one: tools: [tool({ … })]" : `it has ${names.join(", ")}`,
    });
  }
}

/** The tool that this is, or makes, under what the agent calls it; nothing where it is none. */
export function toolOf(given: unknown, changes: ToolChanges): Tool | undefined {
  const said = Object.entries(optionsFrom(changes, ["name", "description", "scopes"], "a tool's place in an agent")).filter(([, value]) => value !== undefined);
  // A function alone has its name only from what the agent calls it.
  if (typeof given === "function" && said.length > 0) return new Tool({ ...Object.fromEntries(said), execute: given as ToolFunction });
  const tool = toolFrom(given);
  if (tool !== undefined) return said.length === 0 ? tool : new Tool({ ...tool, ...Object.fromEntries(said) });
  if (typeof given !== "object" || given === null || !("tool" in given)) return undefined;
  const { tool: inner, ...own } = optionsFrom(given as ToolConfig, ["tool", "name", "description", "scopes"], "a tool's place in an agent");
  // A function that is written in its place has the name of the option.
  if (typeof inner === "function" && inner.name === "tool" && (changes.name ?? own.name) === undefined) {
    throw wrong("an agent was given a tool that has no name", 'write { name: "search", tool: ({ query }) => … }');
  }
  return toolOf(inner, { ...own, ...Object.fromEntries(said) });
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
