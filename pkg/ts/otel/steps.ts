import type { StepDocument, WorkflowDocument } from "../api/document.js";

/** What spans say of a step. */
export interface Described {
  readonly type: string;
  /** Of an agent step: its agent, and the model that is called first. */
  readonly agent?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** The steps of a document by their ids, those of tools among them. */
export function describedSteps(document: WorkflowDocument): ReadonlyMap<string, Described> {
  const found = new Map<string, Described>();
  const open: unknown[] = [document.steps, document.tools];
  // Wherever a document holds steps, they are objects with an id and a type.
  for (let part = open.pop(); part !== undefined || open.length > 0; part = open.pop()) {
    if (typeof part !== "object" || part === null) continue;
    const { id, type } = part as { id?: unknown; type?: unknown };
    if (typeof id === "string" && typeof type === "string") found.set(id, describe(part as StepDocument, document));
    open.push(...Object.values(part).filter((member) => typeof member === "object" && member !== null));
  }
  return found;
}

function describe(step: StepDocument, { agents, models }: WorkflowDocument): Described {
  if (step.type !== "agent") return { type: step.type };
  const agent = agents?.[step.agent];
  const model = agent === undefined ? undefined : models?.[agent.model];
  return { type: step.type, agent: step.agent, ...(model !== undefined && { provider: model.provider, model: model.model }) };
}
