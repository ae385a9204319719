import type { Json } from "./document.js";

/** A text, an image or a file for a model. `data` is base64, bytes or a Blob; `url` an address that the endpoint can reach. */
export type InputPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      /** Such as `image/png`. Detected where the data reveals it. */
      readonly mediaType?: string | undefined;
      readonly data?: string | Uint8Array | ArrayBuffer | Blob | undefined;
      readonly url?: string | URL | undefined;
      readonly name?: string | undefined;
    };

/**
 * A message of a conversation, and who wrote it. The last message of an input is the user's, which is answered; each
 * message with tool calls is followed by one with their results.
 */
export type ChatMessage =
  | { readonly role: "user"; readonly content: string | readonly InputPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | readonly (AssistantPart | InputPart)[];
      /** What only the model that wrote it understands: signatures of its reasoning and the like. Pass it on as it is. */
      readonly echo?: Json | undefined;
      /** The model that wrote it, if there is an `echo`: no other receives that. */
      readonly model?: string | undefined;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** The input of an agent: a text, a list of texts, images and files, or a conversation. */
export type AgentInput = string | readonly InputPart[] | readonly ChatMessage[];

/** One turn of a conversation. */
export type Message =
  | { readonly role: "user"; readonly content: readonly ContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: readonly AssistantPart[];
      /** The `echo` parts that the model sent with this answer. */
      readonly echo?: Json;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A message of the user. */
export type ContentPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** An image or another file. */
export interface MediaPart {
  readonly type: "image" | "file";
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** The bytes as base64. */
  readonly data?: string;
  /** Their address, when the bytes are not included. */
  readonly url?: string;
  readonly name?: string;
}

/** An earlier answer of the model. */
export type AssistantPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly input: Json };

/** The result of a tool call. */
export interface ToolResult {
  /** The id of the call. */
  readonly id: string;
  readonly name: string;
  readonly output: Json;
  readonly isError?: boolean;
}
