import type { Handlers } from "../api/functions.js";
import type { StepInfo } from "../api/workflow.js";
import type { Program } from "../run/program.js";
import { schemaSaid } from "../schema/said.js";

/** Every step of a workflow, in the order of its document. A value that is no step is left for the validator to report. */
export function stepsOf({ document, handlers }: Program): readonly StepInfo[] {
  const found: StepInfo[] = [];
  const { agents, tools } = (document ?? {}) as { agents?: Agents; tools?: { readonly [name: string]: any } | null };
  const named = { handlers, agents: typeof agents === "object" && agents !== null ? agents : {} };
  visit(document, "", named, found);
  for (const [name, tool] of Object.entries(tools ?? {})) visit(tool?.run?.workflow, `tools.${name}.run.workflow.`, named, found);
  return Object.freeze(found);
}

type Agents = { readonly [id: string]: any };

/** What steps name. */
interface Named {
  readonly handlers: Handlers;
  readonly agents: Agents;
}

const BLOCKS = ["steps", "else", "expired", "parallel", "cases", "default"];

/** `place` is the path of the parent, with a full stop. */
function visit(holder: unknown, place: string, named: Named, found: StepInfo[]): void {
  if (typeof holder !== "object" || holder === null) return;
  for (const key of BLOCKS) {
    const block = (holder as Record<string, unknown>)[key];
    if (!Array.isArray(block)) continue;
    block.forEach((member: unknown, index) => {
      const path = `${place}${key}[${index}]`;
      if (key !== "cases" && typeof member === "object" && member !== null) found.push(infoOf(member, path, named));
      visit(member, `${path}.`, named, found);
    });
  }
}

function infoOf(step: Record<string, any>, path: string, { handlers, agents }: Named): StepInfo {
  const { id, name, type, run, input, output, fullResponse } = step;
  const agent = type === "agent" && Object.hasOwn(agents, step.agent) ? agents[step.agent] : undefined;
  const kind = Object.prototype.toString.call(handlerOf(run, handlers));
  const paramsSchema = schemaSaid(input, "input", handlers);
  // A full response has the answer inside.
  const returnSchema = schemaSaid(output ?? (fullResponse === true ? undefined : agent?.output), "output", handlers);
  return Object.freeze({
    id,
    path,
    name,
    type,
    isLlm: type === "agent",
    isCoroutine: kind === "[object AsyncFunction]",
    isAsyncGen: kind === "[object AsyncGeneratorFunction]",
    ...(paramsSchema !== undefined && { paramsSchema }),
    ...(returnSchema !== undefined && { returnSchema }),
    ...(Array.isArray(agent?.tools) && { tools: agent.tools }),
  });
}

function handlerOf(source: { handler?: string } | undefined, handlers: Handlers): Handlers[string] | undefined {
  const name = source?.handler;
  return name !== undefined && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
}
