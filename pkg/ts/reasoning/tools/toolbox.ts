import { StepweaveError } from "../../api/errors.js";
import { AgentTools, toolOf, type AgentTool, type ToolChanges } from "../../authoring/agent-tools.js";
import type { Tool } from "../../authoring/tool.js";
import { scopeOf, scopesOf } from "./scope.js";

/** The tools of an agent with steps, each for steps of some types. */
export class Toolbox {
  readonly #agent: string;
  readonly #tools: AgentTools;

  constructor(agent: string, tools: readonly AgentTool[] | undefined) {
    this.#agent = agent;
    this.#tools = new AgentTools(agent, tools);
    for (const tool of this.#tools.all) refuseUnusable(agent, tool);
  }

  get size(): number {
    return this.#tools.size;
  }

  add(given: AgentTool, changes: ToolChanges = {}): Tool {
    const tool = toolOf(given, changes);
    // What steps cannot use is refused before the agent has it.
    if (tool !== undefined) refuseUnusable(this.#agent, tool);
    return this.#tools.add(given, changes);
  }

  /** Those that steps of a type may use; all of them without one. */
  list(scope?: string): readonly Tool[] {
    if (scope === undefined) return this.#tools.all;
    const wanted = scopeOf(scope);
    return this.#tools.all.filter((tool) => {
      const scopes = scopesOf(tool.scopes);
      return scopes.has(wanted) || scopes.has("all");
    });
  }

  find(name: string): Tool {
    return this.#tools.find(name);
  }
}

/** The chosen tools are called here, between two requests, so that a provider has none of them to run. */
function refuseUnusable(agent: string, { name, provider, scopes }: Tool): void {
  scopesOf(scopes);
  if (provider === undefined) return;
  throw new StepweaveError("validation", `the agent ${agent} has steps, which cannot use the tool \`${name}\`: the provider of a model runs it itself`, {
    hint: "give it to an Agent of a step in a workflow, or take a tool of your own",
  });
}
