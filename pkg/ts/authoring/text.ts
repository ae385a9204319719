import { isConversation } from "./conversation.js";

/** A value as a model reads it: a text as it is, anything else as JSON. */
export function textFor(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}

/** A value as the input of a model: a conversation as it is, anything else as a text. */
export function inputFor(value: unknown): unknown {
  return isConversation(value) ? value : textFor(value);
}
