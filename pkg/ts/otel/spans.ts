import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import type { RunEvent } from "../api/events.js";
import type { StepRef, StepweaveError } from "../api/errors.js";
import type { Usage } from "../api/usage.js";
import * as names from "./conventions.js";
import type { Described } from "./steps.js";

/** How much of a text goes into an attribute. */
const MAX_CONTENT = 16_384;

/** A step in progress. */
interface Open {
  readonly span: Span;
  readonly context: Context;
  readonly step: StepRef;
  readonly described: Described;
  /** The call of its model, while it answers. */
  chat: Span | undefined;
  chats: number;
  readonly tools: Map<string, Span>;
}

/** What spans are made with. */
export interface Making {
  readonly tracer: Tracer;
  /** That of the run's own span. */
  readonly context: Context;
  readonly steps: ReadonlyMap<string, Described>;
  /** Whether what models and tools say goes along. */
  readonly content: boolean;
}

/** The spans of one run, made of its events: a span for each step, in it one for each call of a model and of a tool. */
export class Spans {
  readonly #making: Making;
  readonly #open = new Map<string, Open>();

  constructor(making: Making) {
    this.#making = making;
  }

  /** Takes an event in. What is emitted again from a journal was traced when it happened. */
  follow(event: RunEvent): void {
    if (event.replayed === true) return;
    switch (event.type) {
      case "step.start":
        return this.#begin(event.step, event.at, event.attempt);
      case "step.reset":
        return this.#again(event.step, event.at);
      case "tool.start":
        return this.#call(event);
      case "tool.done":
        return this.#answered(event, undefined, event.output);
      case "tool.error":
        return this.#answered(event, event.error, undefined);
      case "step.done":
        return this.#done(event);
      case "step.error":
        return this.#failed(event);
      case "step.suspended":
      case "step.skipped":
        return this.#end(event.step.key, event.at);
      default:
    }
  }

  /** Ends what a run that was cut off has left open. */
  endAll(at: number): void {
    for (const key of [...this.#open.keys()].reverse()) this.#end(key, at);
  }

  #begin(step: StepRef, at: number, attempt: number): void {
    const known = this.#open.get(step.key);
    if (known !== undefined) {
      known.span.addEvent("retry", { attempt }, at);
      return this.#chat(known, at);
    }
    const described = this.#making.steps.get(step.id) ?? { type: "step" };
    const isAgent = described.agent !== undefined;
    const attributes: Attributes = {
      [names.OWN.STEP_ID]: step.id,
      [names.OWN.STEP_KEY]: step.key,
      [names.OWN.STEP_TYPE]: described.type,
      ...(isAgent && { [names.OPERATION]: names.INVOKE_AGENT, [names.AGENT_NAME]: described.agent, ...modelOf(described) }),
    };
    const name = isAgent ? `${names.INVOKE_AGENT} ${described.agent}` : `${described.type} ${step.name}`;
    const around = this.#around(step);
    const span = this.#making.tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: at, attributes }, around);
    const open: Open = { span, context: trace.setSpan(around, span), step, described, chat: undefined, chats: 0, tools: new Map() };
    this.#open.set(step.key, open);
    this.#chat(open, at);
  }

  /** The context of what a step is in: the innermost step that is open around its path and its rounds, or the run. */
  #around({ path, key }: StepRef): Context {
    const scope = scopeOf(key);
    let best: Open | undefined;
    for (const open of this.#open.values()) {
      const isAround = path.startsWith(`${open.step.path}.`) && isWithin(scope, scopeOf(open.step.key));
      if (isAround && (best === undefined || open.step.path.length > best.step.path.length)) best = open;
    }
    // The steps of a tool belong to the step whose agent calls it.
    const caller = best ?? this.#open.get(scope.replace(/#[^/]*$/, ""));
    return caller?.context ?? this.#making.context;
  }

  /** An agent's model is called. */
  #chat(open: Open, at: number): void {
    if (open.described.agent === undefined || open.chat !== undefined) return;
    const attributes = { [names.OPERATION]: names.CHAT, ...modelOf(open.described) };
    open.chats += 1;
    open.chat = this.#making.tracer.startSpan(`${names.CHAT} ${open.described.model ?? "model"}`, { kind: SpanKind.CLIENT, startTime: at, attributes }, open.context);
  }

  #again({ key }: StepRef, at: number): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    open.span.addEvent("reset", {}, at);
    endChat(open, at);
    this.#chat(open, at);
  }

  #call({ step, at, callId, tool, input, byProvider }: RunEvent & { readonly type: "tool.start" }): void {
    const open = this.#open.get(step.key);
    if (open === undefined) return;
    // The answer that calls a tool is there; a tool of the provider runs while the model answers.
    if (byProvider !== true) endChat(open, at);
    const attributes = {
      [names.OPERATION]: names.EXECUTE_TOOL,
      [names.TOOL_NAME]: tool,
      [names.TOOL_CALL_ID]: callId,
      [names.TOOL_TYPE]: byProvider === true ? "extension" : "function",
      ...(this.#making.content && { [names.TOOL_ARGUMENTS]: bounded(input) }),
    };
    open.tools.set(callId, this.#making.tracer.startSpan(`${names.EXECUTE_TOOL} ${tool}`, { kind: SpanKind.INTERNAL, startTime: at, attributes }, open.context));
  }

  #answered({ step, at, callId }: { readonly step: StepRef; readonly at: number; readonly callId: string }, error: StepweaveError | undefined, output: unknown): void {
    const open = this.#open.get(step.key);
    const span = open?.tools.get(callId);
    if (open === undefined || span === undefined) return;
    open.tools.delete(callId);
    if (error !== undefined) fail(span, error, this.#making.content);
    else if (this.#making.content) span.setAttribute(names.TOOL_RESULT, bounded(output));
    span.end(at);
    // With the last result the model is called again.
    if (open.tools.size === 0) this.#chat(open, at);
  }

  #done({ step, at, usage, output, attempts, responseId, patch }: RunEvent & { readonly type: "step.done" }): void {
    const open = this.#open.get(step.key);
    if (open === undefined) return;
    const more: Attributes = { ...usageOf(usage), ...(responseId !== undefined && { [names.RESPONSE_ID]: responseId }) };
    open.span.setAttributes({ ...more, [names.OWN.STEP_ATTEMPTS]: attempts });
    // What several calls used together is known, but not how much of it each of them.
    if (open.chats === 1) open.chat?.setAttributes(more);
    if (this.#making.content && open.described.agent !== undefined) {
      open.span.setAttribute(names.OUTPUT_MESSAGES, bounded([{ role: "assistant", parts: [{ type: "text", content: textOf(output ?? patch) }], finish_reason: "stop" }]));
    }
    this.#end(step.key, at);
  }

  #failed({ step, at, error, retryInMs, attempts }: RunEvent & { readonly type: "step.error" }): void {
    const open = this.#open.get(step.key);
    if (open === undefined) return;
    if (open.chat !== undefined) fail(open.chat, error, this.#making.content);
    endChat(open, at);
    if (retryInMs !== undefined) return;
    open.span.setAttribute(names.OWN.STEP_ATTEMPTS, attempts);
    fail(open.span, error, this.#making.content);
    this.#end(step.key, at);
  }

  #end(key: string, at: number): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    for (const tool of open.tools.values()) tool.end(at);
    endChat(open, at);
    open.span.end(at);
  }
}

/** An error as a status. What was said may be a person's text: it goes along with the content only. */
export function fail(span: Span, { code, message }: Pick<StepweaveError, "code" | "message">, content: boolean): void {
  span.setAttribute(names.ERROR_TYPE, code);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(content && { message: bounded(message) }) });
}

/** Usage as attributes. */
export function usageOf(usage: Usage | undefined): Attributes {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, cost } = usage;
  return {
    [names.INPUT_TOKENS]: inputTokens,
    [names.OUTPUT_TOKENS]: outputTokens,
    ...(cachedInputTokens !== undefined && { [names.CACHE_READ_TOKENS]: cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { [names.CACHE_CREATION_TOKENS]: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { [names.REASONING_TOKENS]: reasoningTokens }),
    ...(cost !== undefined && { [names.OWN.COST]: cost }),
  };
}

function modelOf({ provider, model }: Described): Attributes {
  return { ...(provider !== undefined && { [names.PROVIDER]: names.providerName(provider) }), ...(model !== undefined && { [names.REQUEST_MODEL]: model }) };
}

function endChat(open: Open, at: number): void {
  open.chat?.end(at);
  open.chat = undefined;
}

function scopeOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf("/")));
}

function isWithin(scope: string, outer: string): boolean {
  return outer === "" || scope === outer || scope.startsWith(`${outer}/`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function bounded(value: unknown): string {
  const text = textOf(value);
  return text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT)}…` : text;
}
