// What the language models of the AI SDK look like, in the versions 2 to 4 of its specification: no more than is used here.
import type { JsonObject } from "../../api/document.js";

/** A language model of the AI SDK: what its providers give, such as `openai("gpt-5-mini")` of `@ai-sdk/openai`. */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** Such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<any> }>;
}

/** A piece of the stream that a model gives. */
export type StreamPart =
  | { readonly type: "stream-start"; readonly warnings: readonly Warning[] }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string; readonly providerMetadata?: JsonObject }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string; readonly providerMetadata?: JsonObject }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      /** JSON text. */
      readonly input: string;
      /** Whether the provider itself runs the tool. */
      readonly providerExecuted?: boolean;
      readonly providerMetadata?: JsonObject;
    }
  | { readonly type: "file" | "reasoning-file"; readonly mediaType: string; readonly data?: FileData }
  | { readonly type: "source"; readonly sourceType: string; readonly url?: string; readonly title?: string; readonly filename?: string }
  | { readonly type: "response-metadata"; readonly id?: string }
  | { readonly type: "finish"; readonly finishReason: FinishReason; readonly usage: Usage }
  | { readonly type: "error"; readonly error: unknown };

/** The bytes of a file, or their base64; since version 4 it is said which. */
export type FileData = string | Uint8Array | { readonly type: string; readonly data?: string | Uint8Array; readonly url?: string | URL };

/** A setting that a provider did not apply. */
export interface Warning {
  readonly type: string;
  readonly setting?: string;
  readonly feature?: string;
  readonly tool?: { readonly name?: string };
  readonly details?: string;
  readonly message?: string;
}

/** Since version 3 with the provider's own word. */
export type FinishReason = string | { readonly unified: string; readonly raw?: string | undefined };

/** In version 2 plain numbers, since version 3 with their parts. */
export interface Usage {
  readonly inputTokens?: number | undefined | { readonly total?: number | undefined; readonly cacheRead?: number | undefined; readonly cacheWrite?: number | undefined };
  readonly outputTokens?: number | undefined | { readonly total?: number | undefined; readonly reasoning?: number | undefined };
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}
