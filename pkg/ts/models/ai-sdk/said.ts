import type { Json, JsonObject } from "../../api/document.js";
import type { AssistantPart } from "../../api/conversation.js";
import type { AiSdkModel } from "./types.js";

/** A part of an earlier answer in the form that the AI SDK takes. */
type PromptPart = { [key: string]: Json };

/** The response parts of one answer, with the provider's metadata that has to be sent back. */
export class Said {
  readonly #parts: PromptPart[] = [];
  /** By its kind and id, the text that is arriving. */
  readonly #texts = new Map<string, PromptPart & { text: string }>();
  #hasMetadata = false;

  /** A piece of a text. */
  text(type: "text" | "reasoning", id: string, delta: string, metadata: JsonObject | undefined): void {
    const key = `${type} ${id}`;
    let part = this.#texts.get(key);
    if (part === undefined) {
      part = { type, text: "" };
      this.#texts.set(key, part);
      this.#parts.push(part);
    }
    part.text += delta;
    this.#note(part, metadata);
  }

  /** Whoever takes the same id again begins another text. */
  end(type: "text" | "reasoning", id: string, metadata: JsonObject | undefined): void {
    this.text(type, id, "", metadata);
    this.#texts.delete(`${type} ${id}`);
  }

  call({ id, name, input }: { id: string; name: string; input: Json }, metadata: JsonObject | undefined): void {
    const part = partOf({ type: "toolCall", id, name, input });
    this.#parts.push(part);
    this.#note(part, metadata);
  }

  /** All of it, for the next request; nothing when the reply alone has as much. */
  echo({ provider, modelId }: AiSdkModel): Json | undefined {
    return this.#hasMetadata ? { provider, modelId, content: this.#parts.filter(({ text, providerOptions }) => text !== "" || providerOptions !== undefined) } : undefined;
  }

  #note(part: PromptPart, metadata: JsonObject | undefined): void {
    if (metadata == null) return;
    this.#hasMetadata = true;
    // Without what JSON leaves out, such as keys that are undefined.
    part.providerOptions = JSON.parse(JSON.stringify(metadata)) as JsonObject;
  }
}

/** The parts of an earlier answer, when it was this model's own. */
export function echoed(echo: Json | undefined, { provider, modelId }: AiSdkModel): Json | undefined {
  if (typeof echo !== "object" || echo === null || Array.isArray(echo)) return undefined;
  const said = echo as JsonObject;
  return said.provider === provider && said.modelId === modelId ? said.content : undefined;
}

/** A part of an earlier answer. */
export function partOf(part: AssistantPart): PromptPart {
  if (part.type !== "toolCall") return { type: part.type, text: part.text };
  // Some providers take nothing but objects, and what was no JSON is none.
  const input = typeof part.input === "object" && part.input !== null ? part.input : {};
  return { type: "tool-call", toolCallId: part.id, toolName: part.name, input };
}
