import type { ChatMessage } from "../api/conversation.js";

/** Whether a value is a list of messages, each with who says it and what. Rows of data that have a `role` are none. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

/** Which message of a list has nothing that it says, counted from 0: the others show that it is meant as one, or that it has nothing else. */
export function emptyMessageIn(value: unknown): number | undefined {
  if (!Array.isArray(value) || !value.every(hasRole)) return undefined;
  const at = value.findIndex((one) => !isMessage(one));
  return at >= 0 && (value.some(isMessage) || Object.keys(value[at] as object).length === 1) ? at : undefined;
}

function hasRole(value: unknown): boolean {
  return typeof value === "object" && value !== null && ROLES.includes((value as { readonly role?: unknown }).role);
}

/** Who speaks in a conversation. */
const ROLES: readonly unknown[] = ["user", "assistant", "tool"] satisfies ChatMessage["role"][];

function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && ("content" in value || "parts" in value || "results" in value);
}
