import type { AssistantPart, ChatMessage, InputPart, ToolResult } from "../api/conversation.js";
import type { Json } from "../api/document.js";
import { StepweaveError, textOf } from "../api/errors.js";
import { kindOf, quoted, reading } from "../schema/options.js";
import { partsIn, type ToolPart, type UIMessageLike } from "./chunk.js";
import { shownParts } from "./shown.js";

/**
 * The messages of a chat as a conversation for an agent, without what was only shown: data parts, sources, answers that
 * were dropped, and tool calls that have no result, or whose arguments and results a served workflow keeps from the chat.
 *
 * ```ts
 * const chat = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
 * const run = agent.start(conversationOf(chat));
 * ```
 *
 * Whoever sends the messages decides what the model has said in them. Where that matters, keep the `messages` of the
 * agent's result on the server, and take only the last message of a chat.
 */
export function conversationOf(messages: readonly UIMessageLike[]): ChatMessage[] {
  return reading("the messages of a chat", () => {
    if (!Array.isArray(messages)) throw wrong(`the messages of a chat are ${kindOf(messages)}, not a list`, "pass messages as useChat has them");
    return (messages as readonly UIMessageLike[]).flatMap(messagesIn);
  });
}

function messagesIn(message: UIMessageLike): ChatMessage[] {
  // Refuses what is no message.
  partsIn(message);
  const { role } = message;
  if (role === "user") return [{ role, content: saidIn(message) }];
  if (role === "assistant") return answersIn(message);
  throw wrong(`a message of a chat has the role ${quoted(role)}`, "a conversation has the roles user and assistant; what a model is told first are the agent's `instructions`");
}

/** What a part may have of the AI SDK's. */
interface AnyPart extends Partial<Omit<ToolPart, "type">> {
  readonly type: string;
  readonly text?: unknown;
  readonly url?: unknown;
  readonly mediaType?: unknown;
  readonly filename?: unknown;
  readonly toolName?: unknown;
  readonly output?: unknown;
  readonly errorText?: unknown;
  readonly providerExecuted?: unknown;
  readonly callProviderMetadata?: { readonly stepweave?: { readonly withheld?: unknown } };
}

function saidIn(message: UIMessageLike): string | InputPart[] {
  const parts = partsIn(message).flatMap((part): InputPart[] => {
    const { type, text, url, mediaType, filename } = part as AnyPart;
    if (type === "text" && typeof text === "string") return [{ type, text }];
    if (type !== "file" || typeof url !== "string") return [];
    const kind = typeof mediaType === "string" ? mediaType : undefined;
    return [{ type: kind?.startsWith("image/") === true ? "image" : "file", url, ...(kind !== undefined && { mediaType: kind }), ...(typeof filename === "string" && { name: filename }) }];
  });
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : parts;
}

/** An assistant's message has an answer for each of its steps, and the results of the tools that it called there. */
function answersIn(message: UIMessageLike): ChatMessage[] {
  const answers: ChatMessage[] = [];
  let content: AssistantPart[] = [];
  let results: ToolResult[] = [];
  const end = (): void => {
    if (content.length > 0) answers.push({ role: "assistant", content });
    if (results.length > 0) answers.push({ role: "tool", results });
    content = [];
    results = [];
  };
  for (const part of shownParts(message) as readonly AnyPart[]) {
    const { type, text } = part;
    if (type === "step-start") end();
    else if ((type === "text" || type === "reasoning") && typeof text === "string") {
      // What is said behind results is the next answer, also of a writer without steps.
      if (results.length > 0) end();
      content.push({ type, text });
    } else {
      const called = callIn(part);
      if (called === undefined) continue;
      content.push(called.call);
      results.push(called.result);
    }
  }
  end();
  return answers;
}

/** A tool call with its result. */
function callIn(part: AnyPart): { readonly call: AssistantPart; readonly result: ToolResult } | undefined {
  const { type, toolCallId: id, input, state } = part;
  const name = type === "dynamic-tool" ? part.toolName : /^tool-(.+)$/s.exec(textOf(type))?.[1];
  // What the provider ran itself was no call of the run's, and its model takes no result of it.
  if (typeof id !== "string" || typeof name !== "string" || part.providerExecuted === true) return undefined;
  // A model that read null for what the chat was not told would take it for what has happened.
  if (part.callProviderMetadata?.stepweave?.withheld === true && state !== "output-denied") return undefined;
  const call: AssistantPart = { type: "toolCall", id, name, input: (input ?? {}) as Json };
  switch (state) {
    case "output-available":
      return { call, result: { id, name, output: (part.output ?? null) as Json } };
    case "output-error":
      return { call, result: { id, name, output: textOf(part.errorText), isError: true } };
    case "output-denied":
      return { call, result: { id, name, output: part.approval?.reason ?? "a person denied this call", isError: true } };
    default:
      return undefined;
  }
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
