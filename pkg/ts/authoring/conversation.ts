import type { ChatMessage } from "../api/conversation.js";

/** Whether a value is a list of messages, each with who says it and what. Rows of data that have a `role` are none. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && ("content" in value || "parts" in value || "results" in value);
}
