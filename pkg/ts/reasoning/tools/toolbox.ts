import { AgentTools, toolOf, type AgentTool, type ToolChanges } from "../../authoring/agent-tools.js";
import type { Tool } from "../../authoring/tool.js";
import { scopeOf, scopesOf } from "./scope.js";

/** The tools of an agent with steps, each for steps of some types. */
export class Toolbox {
  readonly #tools: AgentTools;

  constructor(agent: string, tools: readonly AgentTool[] | undefined) {
    this.#tools = new AgentTools(agent, tools);
    for (const { scopes } of this.#tools.all) scopesOf(scopes);
  }

  get size(): number {
    return this.#tools.size;
  }

  add(given: AgentTool, changes: ToolChanges = {}): Tool {
    // An unknown scope is refused before the agent has the tool.
    scopesOf(toolOf(given, changes)?.scopes);
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
