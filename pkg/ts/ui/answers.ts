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
  const answers: { [key: string]: { approved: boolean; reason?: string } } = {};
  for (const message of messages) {
    for (const { state, approval } of message.role === "assistant" ? toolParts(message) : []) {
      if (state !== "approval-responded" || approval?.approved === undefined) continue;
      const { id, approved, reason } = approval;
      answers[id] = { approved, ...(reason !== undefined && { reason }) };
    }
  }
  return answers;
}
