import { StepweaveError } from "../../api/errors.js";
import { base64Of, mediaIn } from "../media.js";
import type { ContentPart, MediaPart, Message, ToolResult } from "../../api/conversation.js";
import type { ModelRequest } from "../../api/model-request.js";

/** What the binding is run with. */
export function inputsOf({ instructions, messages, tools = [], toolChoice, output, params }: ModelRequest): object {
  const only = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const offered = tools.filter(({ name }) => only === undefined || name === only);
  return {
    messages: [...(instructions === undefined ? [] : [{ role: "system", content: instructions }]), ...messages.flatMap(messagesOf)],
    ...(offered.length > 0 && {
      tools: offered.map(({ name, description, input }) => ({ type: "function", function: { name, description: description ?? "", parameters: input ?? { type: "object", properties: {} } } })),
    }),
    // One tool by its name is not known here: it is the only one that is offered.
    ...(offered.length > 0 && toolChoice !== undefined && { tool_choice: only === undefined ? toolChoice : "required" }),
    // An answer by a schema comes whole or not at all.
    ...(output === undefined ? { stream: true } : { response_format: { type: "json_schema", json_schema: output } }),
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [SETTINGS[name] ?? name, value])),
  };
}

/** The names in Workers AI of the settings that are common to all endpoints. */
const SETTINGS: { readonly [name: string]: string } = { maxOutputTokens: "max_tokens", stopSequences: "stop", reasoningEffort: "reasoning_effort" };

function messagesOf(message: Message): object[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: contentOf(message.content) }];
    case "assistant": {
      const said = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const calls = message.content.flatMap((part) =>
        part.type === "toolCall" ? [{ id: part.id, type: "function", function: { name: part.name, arguments: JSON.stringify(part.input) } }] : [],
      );
      return [{ role: "assistant", content: said, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case "tool":
      return gaveOf(message.results);
  }
}

/** The results of tools. Images follow, as if the user showed them: the format cannot carry them. */
function gaveOf(results: readonly ToolResult[]): object[] {
  const shown: MediaPart[] = [];
  const sent = results.map(({ id, name, output }) => {
    const content = mediaIn(output)?.map((part) => (part.type === "text" ? part.text : `[file ${shown.push(part)} below]`)).join("\n");
    return { role: "tool", tool_call_id: id, name, content: content ?? (typeof output === "string" ? output : JSON.stringify(output)) };
  });
  return shown.length === 0 ? sent : [...sent, { role: "user", content: contentOf(shown) }];
}

/** Most models take nothing but texts. */
function contentOf(parts: readonly ContentPart[]): unknown {
  if (parts.every(({ type }) => type === "text")) return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  return parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { mediaType, name } = part;
    if (!mediaType.startsWith("image/")) {
      throw new StepweaveError("model", `the file ${name ?? `(${mediaType})`} cannot be shown: Workers AI takes images only`, {
        hint: "put what it says into the text, with env.AI.toMarkdown() for example",
      });
    }
    const data = base64Of(part);
    return { type: "image_url", image_url: { url: data === undefined ? part.url : `data:${mediaType};base64,${data}` } };
  });
}
