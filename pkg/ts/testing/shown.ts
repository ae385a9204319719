import { textOf } from "../api/errors.js";
import type { Message } from "../api/conversation.js";
import type { ModelPart, ModelRequest } from "../api/model-request.js";
import type { ScriptedPart, ScriptedTurn } from "./turn.js";

/** How much of a text is shown. */
const SHOWN = 200;

/** A model request, for a message: the end of the conversation, and the tools that were offered. */
export function shownRequest({ messages, tools }: ModelRequest): string {
  const last = messages.at(-1);
  const offered = tools === undefined || tools.length === 0 ? "" : ` (tools: ${tools.map(({ name }) => name).join(", ")})`;
  return `${last === undefined ? "nothing" : said(last)}${offered}`;
}

/** A turn, for a message. */
export function shownTurn(turn: ScriptedTurn): string {
  if (typeof turn === "function") return "a function";
  if (!Array.isArray(turn)) return shownPart(turn as ScriptedPart);
  return turn.length === 0 ? "nothing" : (turn as readonly ScriptedPart[]).map(shownPart).join(", ");
}

function shownPart(part: ScriptedPart): string {
  if (typeof part === "string") return quoted(part);
  if (part instanceof Error) return `the error ${quoted(textOf(part))}`;
  if (typeof part !== "object" || part === null) return textOf(part);
  return part.type === "toolCall" ? called(part) : part.type === "text" ? quoted(part.text) : part.type;
}

function said(message: Message): string {
  switch (message.role) {
    case "user":
      return `user: ${message.content.map((part) => (part.type === "text" ? quoted(part.text) : part.type)).join(", ")}`;
    case "assistant":
      return `assistant: ${message.content.map((part) => (part.type === "toolCall" ? called(part) : quoted(part.text))).join(", ")}`;
    case "tool":
      return `tool: ${message.results.map(({ name, output, isError }) => `${name} ${isError === true ? "failed" : "gave"} ${quoted(output)}`).join(", ")}`;
  }
}

function called({ name, input }: Pick<ModelPart & { type: "toolCall" }, "name" | "input">): string {
  return `a call of ${name} with ${quoted(input)}`;
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
