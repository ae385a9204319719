import type { StepRef } from "../api/errors.js";
import { publicError, type PublicError } from "../api/public-error.js";
import type { PublicEvent, PublicPending, PublicResult } from "../api/public-event.js";
import type { Usage } from "../api/usage.js";
import { totalOf } from "../json/usage.js";
import { interruptId } from "./interrupt.js";

/** An event of AG-UI, as far as runs give them. */
export type AgUiEvent = { readonly type: string; readonly timestamp?: number } & Readonly<Record<string, unknown>>;

type Ended = Extract<PublicEvent, { readonly result: unknown }>;

/** Writes the public events of a run as those of AG-UI 1.0. */
export class AgUiWriter {
  readonly #runId: string;
  readonly #names: { readonly threadId: string; readonly runId: string };
  /** The names of the steps that go on, by their keys. */
  readonly #steps = new Map<string, string>();
  /** The ids of the texts that are being written, by the keys of their steps. */
  readonly #texts = new Map<string, string>();
  #usage: readonly Usage[] = [];
  #said: AgUiEvent[] = [];

  constructor(runId: string, names: { readonly threadId: string; readonly runId: string }) {
    this.#runId = runId;
    this.#names = names;
  }

  /** The events that an event leads to. */
  write(event: PublicEvent): readonly AgUiEvent[] {
    this.#write(event);
    const said = this.#said.map((one) => ({ ...one, timestamp: event.at }));
    this.#said = [];
    return said;
  }

  /** The event that ends a run which cannot be read on. */
  failed(error: unknown): AgUiEvent {
    return runError(publicError(error));
  }

  #write(event: PublicEvent): void {
    switch (event.type) {
      case "run.start":
        return this.#say({ type: "RUN_STARTED", ...this.#names, protocolVersion: "1.0", metadata: { stepweave: { runId: this.#runId, workflow: event.workflow } } });
      case "step.start":
        return this.#begin(event.step);
      case "step.delta":
        if (event.value !== undefined) return this.#custom("value", { step: event.step, value: event.value });
        return this.#text(event.step.key, event.text, event.seq);
      case "step.reset":
        return this.#drop(event.step.key);
      case "tool.start":
        return this.#call(event);
      case "tool.done":
        return this.#returned(event, "");
      case "tool.error":
        return this.#returned(event, event.error.message, event.error);
      case "step.done":
        if (event.usage !== undefined) this.#usage = [...this.#usage, event.usage];
        if ((event.sources ?? event.files) !== undefined) this.#custom("answer", { step: event.step, sources: event.sources, files: event.files });
        return this.#end(event.step.key);
      case "step.error":
        if (event.retryInMs !== undefined) return this.#drop(event.step.key);
        return this.#end(event.step.key);
      case "step.skipped":
      case "step.suspended":
        return this.#end(event.step.key);
      case "run.done":
      case "run.error":
      case "run.budget":
      case "run.suspended":
      case "run.cancelled":
        return this.#over(event);
    }
  }

  /** A step has one beginning and one end, however often it is tried; no two that go on have the same name. */
  #begin({ key, name }: StepRef): void {
    if (this.#steps.has(key)) return;
    const stepName = [...this.#steps.values()].includes(name) ? key : name;
    this.#steps.set(key, stepName);
    this.#say({ type: "STEP_STARTED", stepName, metadata: { stepweave: { key } } });
  }

  #end(key: string): void {
    this.#close(key);
    const stepName = this.#steps.get(key);
    if (stepName === undefined) return;
    this.#steps.delete(key);
    this.#say({ type: "STEP_FINISHED", stepName });
  }

  #text(key: string, delta: string, seq: number): void {
    if (delta === "") return;
    let messageId = this.#texts.get(key);
    if (messageId === undefined) {
      // The number of the event: a run that goes on in another response has no text of this id.
      messageId = `${this.#runId}/${key}.${seq}`;
      this.#texts.set(key, messageId);
      this.#say({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    }
    this.#say({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  }

  #close(key: string): string | undefined {
    const messageId = this.#texts.get(key);
    if (messageId === undefined) return undefined;
    this.#texts.delete(key);
    this.#say({ type: "TEXT_MESSAGE_END", messageId });
    return messageId;
  }

  /** No event removes a text: one of our own says that it does not count. */
  #drop(key: string): void {
    const messageId = this.#close(key);
    if (messageId !== undefined) this.#custom("dropped", { messageId });
  }

  /** What a tool is called with is not for callers: its arguments are empty. */
  #call({ step, callId, tool }: { readonly step: StepRef; readonly callId: string; readonly tool: string }): void {
    this.#close(step.key);
    const toolCallId = callOf(step, callId);
    this.#say({ type: "TOOL_CALL_START", toolCallId, toolCallName: tool });
    this.#say({ type: "TOOL_CALL_ARGS", toolCallId, delta: "{}" });
    this.#say({ type: "TOOL_CALL_END", toolCallId });
  }

  #returned({ step, callId }: { readonly step: StepRef; readonly callId: string }, content: string, error?: PublicError): void {
    const toolCallId = callOf(step, callId);
    this.#say({ type: "TOOL_CALL_RESULT", messageId: `${this.#runId}/${toolCallId}/result`, toolCallId, role: "tool", content, ...(error !== undefined && { metadata: { stepweave: { error } } }) });
  }

  #over({ type, result }: Ended): void {
    for (const key of [...this.#texts.keys()]) this.#close(key);
    for (const key of [...this.#steps.keys()].reverse()) this.#end(key);
    const usage = this.#usage.length === 0 ? {} : { usage: [usageOf(totalOf(this.#usage))] };
    if (type === "run.error" || type === "run.budget") return this.#say({ ...runError(result.error ?? { code: "internal", message: "the workflow failed" }), ...usage });
    this.#say({ type: "STATE_SNAPSHOT", snapshot: result.state });
    this.#say({ type: "RUN_FINISHED", ...this.#names, result: summaryOf(result), outcome: this.#outcome(result), ...usage });
  }

  #outcome({ status, pending = [] }: PublicResult): object {
    if (status === "cancelled") return { type: "cancelled" };
    return pending.length === 0 ? { type: "success" } : { type: "interrupt", interrupts: pending.map((approval) => this.#interrupt(approval)) };
  }

  #interrupt({ key, step, message, schema, expiresAt, tool }: PublicPending): object {
    return {
      id: interruptId(this.#runId, key),
      reason: tool === undefined ? "input_required" : "tool_call",
      ...(message !== undefined && { message }),
      ...(tool !== undefined && { toolCallId: callOf(step, tool.callId) }),
      // A schema that is `true` is none to AG-UI.
      ...(typeof schema === "object" && schema !== null && { responseSchema: schema }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      metadata: { stepweave: { key, step, ...(tool !== undefined && { tool: tool.name }), ...(tool?.input !== undefined && { input: tool.input as unknown }) } },
    };
  }

  #custom(name: string, value: object): void {
    this.#say({ type: "CUSTOM", name: `stepweave.${name}`, value });
  }

  #say(event: AgUiEvent): void {
    this.#said.push(event);
  }
}

function callOf(step: StepRef, callId: string): string {
  return `${step.key}/${callId}`;
}

function runError({ code, message }: Pick<PublicError, "code" | "message">): AgUiEvent {
  return { type: "RUN_ERROR", message, code };
}

/** The state has an event of its own. */
function summaryOf({ runId, status, message, pending, wakeAt, usage }: PublicResult): object {
  return { runId, status, usage, ...(message !== undefined && { message }), ...(wakeAt !== undefined && { wakeAt }), ...(pending !== undefined && { pending }) };
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens }: Usage): object {
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteInputTokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
