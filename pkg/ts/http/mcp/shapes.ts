import type { JsonObject } from "../../api/document.js";
import type { Elicitation } from "./questions.js";

/** A server of the official SDK: one for each request. */
export interface SdkServer {
  setRequestHandler(method: "tools/list", handler: () => object | Promise<object>): void;
  setRequestHandler(method: "tools/call", handler: (request: { readonly params: SdkCall }, context: SdkContext) => Promise<SdkResult>): void;
}

export interface SdkCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** What the SDK knows of a request. */
export interface SdkContext {
  readonly mcpReq: {
    readonly _meta?: { readonly progressToken?: string | number };
    readonly inputResponses?: Readonly<Record<string, unknown>>;
    requestState(): unknown;
    readonly signal: AbortSignal;
    notify(notification: { readonly method: string; readonly params: object }): Promise<void>;
  };
  readonly http?: { readonly authInfo?: { readonly clientId: string }; readonly req?: Request };
}

/** The result of a call, or what is needed before there is one. */
export type SdkResult =
  | { readonly content: readonly { readonly type: "text"; readonly text: string }[]; readonly structuredContent?: unknown; readonly isError?: boolean }
  | { readonly resultType: "input_required"; readonly inputRequests: Readonly<Record<string, Elicitation>>; readonly requestState: string };

/** A tool as it is sent to clients. */
export interface ToolListing {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}
