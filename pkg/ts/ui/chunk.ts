import { StepweaveError } from "../api/errors.js";
import type { Usage } from "../api/usage.js";
import { kindOf, reading } from "../schema/options.js";

/** A chunk of the AI SDK's UI message stream, as far as runs give them. */
export type UIMessageChunk =
  | { type: "start"; messageId?: string; messageMetadata?: RunMetadata }
  | { type: "start-step" }
  | { type: "finish-step" }
  | { type: "text-start"; id: string; providerMetadata: AnswerMetadata }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string; providerMetadata?: AnswerMetadata }
  | { type: "reasoning-start"; id: string; providerMetadata: AnswerMetadata }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "reasoning-end"; id: string; providerMetadata?: AnswerMetadata }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown; providerExecuted?: true; providerMetadata?: CallMetadata }
  | { type: "tool-output-available"; toolCallId: string; output: unknown; providerExecuted?: true }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; providerExecuted?: true }
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string; reason?: string }
  | { type: "source-url"; sourceId: string; url: string; title?: string; providerMetadata: AnswerMetadata }
  | { type: "source-document"; sourceId: string; mediaType: string; title: string; providerMetadata: AnswerMetadata }
  | { type: "file"; url: string; mediaType: string; providerMetadata: AnswerMetadata }
  | { type: "data-step"; id: string; data: StepData }
  | { type: "data-approval"; id: string; data: ApprovalData }
  | { type: "message-metadata"; messageMetadata: RunMetadata }
  | { type: "error"; errorText: string }
  | { type: "abort"; reason?: string }
  | { type: "finish"; finishReason: "stop" | "error" | "tool-calls" | "other"; messageMetadata?: RunMetadata };

/** What the metadata of the message says of the run; it is merged as the run goes on. */
export type RunMetadata = {
  runId?: string;
  /** The workflow's name. */
  workflow?: string;
  /** What the run came to, at its end. */
  status?: string;
  /** What the models took so far. */
  usage?: Usage;
};

/** The data of a `data-step` part, which is updated as the step proceeds. */
export type StepData = {
  name: string;
  path: string;
  /** `retrying`: an attempt failed, and there will be another one. */
  status: "running" | "retrying" | "done" | "error" | "skipped" | "suspended";
  /** Which attempt, from 1. */
  attempt?: number;
  durationMs?: number;
  errorText?: string;
};

/** The data of a `data-approval` part: the approval that is requested. Its answer is given under the part's id. */
export type ApprovalData = {
  name: string;
  path: string;
  message?: string;
  /** JSON Schema of the answer. */
  schema?: unknown;
  /** From when on it is too late, in milliseconds since 1970. */
  expiresAt?: number;
  /** The call of a tool that is to be allowed, where `approvals` is `"data"`. */
  toolCallId?: string;
};

/**
 * Which answer of a model a part belongs to, and whether that was dropped because the model was called again; of a
 * source also the text that is quoted.
 */
export type AnswerMetadata = { stepweave: { answer: string; dropped?: true; text?: string } };

/** Of a tool call of which the chat is not told all: its result, and mostly what the tool is called with, are null in the message. */
export type CallMetadata = { stepweave: { withheld: true } };

export const WITHHELD: { readonly providerMetadata: CallMetadata } = { providerMetadata: { stepweave: { withheld: true } } };

/** As much of the AI SDK's `UIMessage` as is looked at. */
export interface UIMessageLike {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string }[];
}

/** A part of a message for a tool call. */
export interface ToolPart {
  readonly type: string;
  readonly toolCallId: string;
  readonly state?: string;
  readonly input?: unknown;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string };
}

/** The parts of a message. It may come from anybody: what is no message is refused, what is no part is left out. */
export function partsIn<Part extends object>(message: { readonly parts: readonly Part[] }): readonly Part[] {
  const parts = reading("a message of a chat", () => (Object(message) as typeof message).parts);
  if (!reading("a message of a chat", () => Array.isArray(parts))) {
    throw new StepweaveError("validation", `a message of a chat has no list of \`parts\`: that is ${kindOf(parts)}`, { hint: "pass messages as useChat has them" });
  }
  return reading("a part of a message", () => parts.filter((part) => typeof part === "object" && part !== null));
}

/** The calls of tools in a message. */
export function toolParts(message: UIMessageLike): readonly ToolPart[] {
  return partsIn(message).filter((part): part is ToolPart => typeof (part as Partial<ToolPart>).toolCallId === "string");
}
