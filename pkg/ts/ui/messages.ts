import type { AssistantPart, ChatMessage, InputPart, ToolResult } from "../api/conversation.js";
import { StepweaveError, textOf } from "../api/errors.js";
import { base64Of, STORED } from "../models/media.js";
import { kindOf, optionsFrom, quoted, reading } from "../schema/options.js";

/** A message as `useChat` has it. */
export interface RestoredMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: RestoredPart[];
}

/** A part of such a message. */
export type RestoredPart =
  | { readonly type: "text" | "reasoning"; readonly text: string; readonly state: "done" }
  | { readonly type: "file"; readonly mediaType: string; readonly url: string; readonly filename?: string }
  | { readonly type: "step-start" }
  | { readonly type: `tool-${string}`; readonly toolCallId: string; readonly state: "output-available"; readonly input: unknown; readonly output: unknown }
  | { readonly type: `tool-${string}`; readonly toolCallId: string; readonly state: "output-error"; readonly input: unknown; readonly errorText: string };

/** How a conversation is shown again. */
export interface RestoreOptions {
  /** What the ids of the messages begin with: `message` when absent, as in `message-0`. */
  prefix?: string | undefined;
  /** Where the page gets a file of which the conversation has the digest alone, since a store has its bytes. */
  fileUrl?: ((digest: string) => string) | undefined;
}

/** The names of these options. */
const RESTORE: readonly string[] = ["prefix", "fileUrl"] satisfies (keyof RestoreOptions)[];

/**
 * A conversation as messages of a chat: the `messages` of an agent's result, or those that a history has kept.
 *
 * ```ts
 * const { messages = [] } = await agent.run("Hello");
 * const shown = toUIMessages(messages); // useChat({ messages: shown })
 * ```
 *
 * All that the model wrote between two messages of the user is one message, with a step for each of its answers. Throws
 * `validation` where a store has the bytes of a file and no `fileUrl` says where the page gets them.
 */
export function toUIMessages(conversation: readonly ChatMessage[], options: RestoreOptions = {}): RestoredMessage[] {
  return reading("what toUIMessages() was given", () => {
    const { prefix = "message", fileUrl } = optionsFrom(options, RESTORE, "toUIMessages()");
    if (typeof prefix !== "string") throw new StepweaveError("validation", `\`prefix\` of toUIMessages() is ${kindOf(prefix)}, not a text`, { hint: "leave it out, or pass the id of the chat" });
    if (fileUrl !== undefined && typeof fileUrl !== "function") throw new StepweaveError("validation", `\`fileUrl\` of toUIMessages() is ${kindOf(fileUrl)}, not a function`, { hint: "pass `(digest) => \"/files/\" + digest`" });
    if (!Array.isArray(conversation)) throw wrong(`the conversation of toUIMessages() is ${kindOf(conversation)}, not a list`);
    const all: RestoredMessage[] = [];
    [...(conversation as readonly ChatMessage[])].forEach((message, index) => {
      const what = `message ${index + 1}`;
      if (typeof message !== "object" || message === null) throw wrong(`${what} is ${kindOf(message)}, not an object`);
      const last = all.at(-1);
      if (message.role === "user") all.push({ id: `${prefix}-${all.length}`, role: "user", parts: partsOf(message.content, what).map((part) => shownOf(part, what, fileUrl)) });
      else if (message.role === "assistant") {
        const results = conversation[index + 1];
        const parts = answerOf(partsOf(message.content, what), results?.role === "tool" && Array.isArray(results.results) ? results.results : [], what, fileUrl);
        if (last?.role === "assistant") last.parts.push(...parts);
        else all.push({ id: `${prefix}-${all.length}`, role: "assistant", parts });
      } else if (message.role !== "tool") throw wrong(`${what} has the role ${quoted((message as { role?: unknown }).role)}`);
    });
    return all;
  });
}

type Part = InputPart | AssistantPart;

function partsOf(content: string | readonly Part[], what: string): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw wrong(`the content of ${what} is ${kindOf(content)}, neither a text nor a list`);
  return [...(content as readonly Part[])].map((part) => {
    if (typeof part !== "object" || part === null) throw wrong(`a part of ${what} is ${kindOf(part)}, not an object`);
    return part;
  });
}

function answerOf(content: readonly Part[], results: readonly ToolResult[], what: string, fileUrl: RestoreOptions["fileUrl"]): RestoredPart[] {
  return [{ type: "step-start" }, ...content.map((part) => (part.type === "toolCall" ? calledOf(part, results) : shownOf(part, what, fileUrl)))];
}

function shownOf(part: Part, what: string, fileUrl: RestoreOptions["fileUrl"]): RestoredPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      if (typeof part.text !== "string") throw wrong(`a text of ${what} is ${kindOf(part.text)}`);
      return { type: part.type, text: part.text, state: "done" };
    case "image":
    case "file": {
      const { mediaType = "application/octet-stream", name, url, data } = part as Extract<InputPart, { type: "image" | "file" }>;
      const address = url === undefined ? undefined : textOf(url);
      const inside = base64Of({ ...(typeof data === "string" && { data }), ...(address !== undefined && { url: address }) });
      const source = inside?.startsWith(STORED) === true ? storedAt(inside.slice(STORED.length), what, fileUrl) : inside === undefined ? address : `data:${textOf(mediaType)};base64,${inside}`;
      if (source === undefined) throw wrong(`a file of ${what} has neither base64 as \`data\` nor a \`url\``);
      return { type: "file", mediaType: textOf(mediaType), url: source, ...(name !== undefined && { filename: textOf(name) }) };
    }
    default:
      throw wrong(`a part of ${what} has the type ${quoted(part.type)}`);
  }
}

function storedAt(digest: string, what: string, fileUrl: RestoreOptions["fileUrl"]): string {
  if (fileUrl === undefined) throw new StepweaveError("validation", `the bytes of a file of ${what} are in a store, and the page cannot get them there`, { hint: "pass `fileUrl`, which says at which address your server gives the file of a digest" });
  let url: unknown;
  try {
    url = fileUrl(digest);
  } catch (error) {
    throw new StepweaveError("validation", `\`fileUrl\` of toUIMessages() threw for a file of ${what}: ${textOf(error)}`, { cause: error, hint: "see `cause`; it is given a digest and returns an address" });
  }
  if (typeof url !== "string") throw new StepweaveError("validation", `\`fileUrl\` of toUIMessages() returned ${kindOf(url)} for a file of ${what}`, { hint: "return the address as a text, not a promise of one" });
  return url;
}

function calledOf({ id, name, input }: Extract<AssistantPart, { type: "toolCall" }>, results: readonly ToolResult[]): RestoredPart {
  const result = results.find((one) => one?.id === id);
  const call = { type: `tool-${textOf(name)}` as const, toolCallId: textOf(id), input };
  if (result === undefined) return { ...call, state: "output-error", errorText: "this call has no result" };
  if (result.isError === true) return { ...call, state: "output-error", errorText: textOf(result.output) };
  return { ...call, state: "output-available", output: result.output };
}

function wrong(message: string): StepweaveError {
  return new StepweaveError("validation", message, { hint: "pass the `messages` of an agent's result, or those that a history has kept in the state" });
}
