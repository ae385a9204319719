import type { JsonObject } from "../api/document.js";

/** A client of the official SDK. */
export interface McpClient {
  connect(transport: McpTransport, options: CallOptions): Promise<void>;
  listTools(params: object, options: CallOptions): Promise<{ tools: readonly McpTool[] }>;
  listPrompts(params: object, options: CallOptions): Promise<{ prompts: readonly McpPrompt[] }>;
  getPrompt(params: { name: string; arguments?: Readonly<Record<string, string>> }, options: CallOptions): Promise<{ messages: readonly PromptMessage[] }>;
  listResources(params: object, options: CallOptions): Promise<{ resources: readonly McpResource[] }>;
  readResource(params: { uri: string }, options: CallOptions): Promise<{ contents: readonly Resource[] }>;
  callTool(params: McpCall, options: CallOptions): Promise<CallResult | InputRequired>;
  /** A request whose result fits the schema. */
  request<Result>(request: { method: string; params: object }, schema: AnySchema<Result>, options: CallOptions): Promise<Result>;
  getProtocolEra(): "modern" | "legacy" | undefined;
  close(): Promise<void>;
  /** Receives errors outside of calls. */
  onerror?: ((error: Error) => void) | undefined;
}

/** A Standard Schema, as far as the SDK needs one. */
export interface AnySchema<Value> {
  readonly "~standard": { readonly version: 1; readonly vendor: string; validate(value: unknown): { readonly value: Value } };
}

export interface McpTransport {
  readonly sessionId: string | undefined;
  terminateSession(): Promise<void>;
}

/** A call of a tool; with the answers of people and the server's own note when it goes on after their answers. */
export interface McpCall {
  name: string;
  arguments: Record<string, unknown>;
  inputResponses?: Readonly<Record<string, Elicited>>;
  requestState?: string;
  _meta?: object;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds. */
  timeout: number;
  resetTimeoutOnProgress?: boolean;
  /** Its presence makes servers send progress notifications, which keep a call from its timeout. */
  onprogress?(progress: unknown): void;
  /** Lets a result say that people have to be asked first. */
  allowInputRequired?: boolean;
  toolDefinition?: McpTool;
}

/** What a server needs of people before it can go on with a call. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  readonly requestState?: string;
}

export interface InputRequest {
  readonly method: string;
  readonly params?: { readonly mode?: string; readonly message?: string; readonly requestedSchema?: JsonObject; readonly url?: string };
}

/** A person's answer to a server. */
export interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

/** A prompt that a server has. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** A text or a file that a server has. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
}

/** A tool as a server describes it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: McpAnnotations;
  readonly execution?: { readonly taskSupport?: string };
}

/** What a server says about a tool. It may be wrong: trust it as far as the server. */
export interface McpAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a call gives. */
export interface CallResult {
  readonly content?: readonly Content[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
  readonly _meta?: { readonly [key: string]: unknown };
}

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly mimeType: string; readonly data: string }
  | { readonly type: "resource"; readonly resource: Resource }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly description?: string; readonly mimeType?: string };

export interface Resource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}
