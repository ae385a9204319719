import { isConversation } from "./conversation.js";

/** A value as a model reads it: a text as it is, anything else as JSON. */
export function textFor(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}

/** What a model is asked with a value: a conversation as it is, anything else as a text. */
export function askedWith(value: unknown): unknown {
  return isConversation(value) ? value : textFor(value);
}
