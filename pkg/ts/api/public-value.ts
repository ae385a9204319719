// What callers of a served workflow see of values that agents leave in the state: what was said, and nothing of how it came to be.
import type { AgentResponse } from "./answer.js";
import type { Message } from "./conversation.js";
import { isObject } from "./json.js";

/** A value without the reasoning of models and without what tools got and gave, where it is a conversation or a full answer. */
export function publicValue(value: unknown): unknown {
  if (isConversation(value)) return value.flatMap(publicMessage);
  if (!isResponse(value)) return value;
  const { reasoning, toolCalls, responseId, ...shown } = value;
  return shown;
}

/** A state with its values in their public form. */
export function publicState<State>(state: State): State {
  if (!isObject(state)) return state;
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [key, publicValue(value)])) as State;
}

function publicMessage(message: Message): Message[] {
  if (message.role === "user") return [message];
  if (message.role === "tool") return [];
  const { role, content } = message;
  const said = typeof content === "string" ? content : content.filter(({ type }) => type !== "reasoning" && type !== "toolCall");
  return said.length === 0 ? [] : [{ role, content: said as typeof content }];
}

function isConversation(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.length > 0 && value.every((message: unknown) => isObject(message) && isOf(message));
}

function isOf({ role, content, results }: Record<string, unknown>): boolean {
  if (role === "tool") return Array.isArray(results);
  return (role === "user" || role === "assistant") && (typeof content === "string" || (Array.isArray(content) && content.every(isObject)));
}

function isResponse(value: unknown): value is AgentResponse {
  return isObject(value) && typeof value.text === "string" && typeof value.finishReason === "string" && typeof value.model === "string";
}
