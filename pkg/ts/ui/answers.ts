import { StepweaveError } from "../api/errors.js";
import { kindOf, reading } from "../schema/options.js";
import { toolParts, type UIMessageLike } from "./chunk.js";

/**
 * What people answered to calls of tools that waited for them, for the option `answers` of the run that goes on.
 *
 * ```ts
 * const run = workflow.start({ journal, answers: answersOf(messages) });
 * const response = toUIMessageStreamResponse(run, { continues: messages.at(-1) });
 * ```
 */
export function answersOf(messages: readonly UIMessageLike[]): { [key: string]: { approved: boolean; reason?: string } } {
  return reading("the messages of a chat", () => {
    if (!Array.isArray(messages)) throw new StepweaveError("validation", `the messages of a chat are ${kindOf(messages)}, not a list`, { hint: "pass messages as useChat has them" });
    return Object.fromEntries((messages as readonly UIMessageLike[]).flatMap(answersIn));
  });
}

function answersIn(message: UIMessageLike): [key: string, answer: { approved: boolean; reason?: string }][] {
  const parts = toolParts(message);
  if (message.role !== "assistant") return [];
  return parts.flatMap(({ state, approval }) => {
    const { id, approved, reason } = approval ?? {};
    if (state !== "approval-responded" || typeof id !== "string" || approved === undefined) return [];
    return [[id, { approved, ...(reason !== undefined && { reason }) }]];
  });
}
