// The Prompt API of browsers, as its IDL has it: no more than is used here.

/** The global `LanguageModel`. */
export interface LanguageModels {
  availability(options: SessionOptions): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: SessionOptions & { initialPrompts: readonly Prompt[]; signal: AbortSignal; monitor(monitor: EventTarget): void }): Promise<Session>;
  /** Only there where sampling can be chosen: in extensions. */
  params?: unknown;
}

/** What a session has to be able to do. */
export interface SessionOptions {
  readonly expectedInputs: readonly Expected[];
  readonly expectedOutputs: readonly Expected[];
  readonly temperature?: number;
  readonly topK?: number;
}

export interface Expected {
  readonly type: "text" | "image" | "audio";
  readonly languages?: readonly string[];
}

/** A conversation with the model. */
export interface Session {
  promptStreaming(input: readonly Prompt[], options: PromptOptions): ReadableStream<string>;
  measureContextUsage?(input: readonly Prompt[], options: PromptOptions): Promise<number>;
  readonly contextUsage?: number;
  destroy(): void;
}

export interface PromptOptions {
  readonly signal: AbortSignal;
  readonly responseConstraint?: object;
}

/** A message. */
export interface Prompt {
  readonly role: "system" | "user" | "assistant";
  readonly content: readonly PromptContent[];
}

export type PromptContent = { readonly type: "text"; readonly value: string } | { readonly type: "image" | "audio"; readonly value: Blob };
