import type { JsonObject } from "../api/document.js";

/** A client of the official SDK. */
export interface McpClient {
  connect(transport: McpTransport, options: CallOptions): Promise<void>;
  listTools(params: { cursor?: string }, options: CallOptions): Promise<{ tools: readonly McpTool[]; nextCursor?: string }>;
  callTool(params: McpCall, schema: undefined, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
  /** Receives errors outside of calls. */
  onerror?: (error: Error) => void;
  readonly experimental?: { readonly tasks?: McpTasks };
}

/** The client's methods for calls that a server executes as tasks. */
export interface McpTasks {
  callToolStream(params: McpCall, schema: undefined, options: CallOptions & { task: object }): AsyncIterable<TaskMessage>;
}

export interface McpTransport {
  readonly sessionId: string | undefined;
  terminateSession(): Promise<void>;
}

export interface McpCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds. */
  timeout: number;
  resetTimeoutOnProgress?: boolean;
  /** Its presence makes servers send progress notifications, which keep a call from its timeout. */
  onprogress?(progress: unknown): void;
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

export type TaskMessage =
  | { readonly type: "taskCreated" | "taskStatus" }
  | { readonly type: "result"; readonly result: CallResult }
  | { readonly type: "error"; readonly error: Error };
