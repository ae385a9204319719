import type { Message } from "./conversation.js";
import type { Json, JsonObject, ModelParams } from "./document.js";
import type { RunContext } from "./functions.js";

/**
 * The request to a model: what an agent step sends to an endpoint, without the endpoint.
 *
 * ```ts
 * const last = request.messages.at(-1);
 * ```
 */
export interface ModelRequest {
  /** The model's name. */
  readonly model: string;
  /** The agent's instructions: the system message. */
  readonly instructions?: string;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** The tools that the model may call. */
  readonly tools?: readonly ModelTool[];
  /** Whether it must call one. */
  readonly toolChoice?: "auto" | "required" | "none" | { readonly tool: string };
  /** JSON Schema of the answer, when it has to be JSON. */
  readonly output?: JsonObject;
  /** The parameters of the agent over those of the model, as they were written: `{ temperature: 0.2 }`. */
  readonly params: ModelParams;
}

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly input?: JsonObject;
}

/** The finish reason of a model. */
export type FinishReason = "stop" | "length" | "toolCalls" | "filtered" | "refused" | "other";

/**
 * One item of a model's response. Texts are emitted as they come. `finish` ends the answer: put `usage` before it. Without
 * one, the answer ends when no more parts come.
 */
export type ModelPart =
  | { type: "text"; text: string }
  /** A chunk of its reasoning. */
  | { type: "reasoning"; text: string }
  /** A complete tool call. */
  | { type: "toolCall"; id?: string | undefined; name: string; input: Json }
  /** Sent back with this answer in the next request: signatures of reasoning and the like. The last one counts. */
  | { type: "echo"; value: Json }
  /** The usage of the call so far. */
  | { type: "usage"; inputTokens: number; outputTokens: number; cachedInputTokens?: number | undefined; cacheWriteTokens?: number | undefined; reasoningTokens?: number | undefined }
  /** A source of the answer. */
  | { type: "source"; url?: string | undefined; title?: string | undefined; text?: string | undefined }
  /** An image or another file that the model produced, as base64 or by its address. */
  | { type: "image" | "file"; mediaType: string; data?: string | undefined; url?: string | undefined; name?: string | undefined }
  /** The provider's id of the answer. */
  | { type: "response"; id: string }
  /** `text` has details, such as the words of a refusal. */
  | { type: "finish"; reason: FinishReason; text?: string | undefined };

/** Response parts of an answer; a string stands for a part that is text. */
export type ModelParts = Iterable<ModelPart | string> | AsyncIterable<ModelPart | string> | ReadableStream<ModelPart | string>;

/** The return value of a model's function: a text, response parts, or a promise of these. */
export type ModelAnswer = string | ModelParts | PromiseLike<string | ModelParts>;

/** What a model's function receives besides the request: the context of the calling step. */
export type ModelContext = RunContext;

/** A model as a function. It is called once for each request, and may be called many times at once. */
export type ModelFunction = (request: ModelRequest, context: ModelContext) => ModelAnswer;
