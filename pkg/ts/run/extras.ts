import type { AnswerExtras } from "../api/answer.js";

/** What an answer has besides its text, of a result or an event that has more. */
export function extrasOf({ responseId, sources, files }: AnswerExtras): AnswerExtras {
  return { ...(responseId !== undefined && { responseId }), ...(sources !== undefined && { sources }), ...(files !== undefined && { files }) };
}
