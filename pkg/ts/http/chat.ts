import type { ChatMessage } from "../api/conversation.js";
import type { Input } from "./input.js";

/**
 * What a workflow gets of a chat, as with `chatTransport()`: under `input` the user's last message, under `messages` those
 * before it, where its input schema names these keys.
 */
export function chatOf(messages: readonly ChatMessage[], { schema, keys }: Input): { input?: unknown; messages?: readonly ChatMessage[] } {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[index];
  const takes = (key: string): boolean => schema !== undefined && (keys === undefined || keys.has(key));
  return { ...(takes("input") && last?.role === "user" && { input: last.content }), ...(takes("messages") && { messages: messages.slice(0, Math.max(index, 0)) }) };
}
