import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import type { RunEvent, StepStartEvent, ToolStartEvent } from "../api/events.js";
import type { StepRef, StepweaveError } from "../api/errors.js";
import type { Usage } from "../api/usage.js";
import { ownUsage } from "../json/usage.js";
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
  /** Since when its model answers, while it does. */
  chatSince: number | undefined;
  /** How often its model was called, before the run was resumed too. */
  chats: number;
  readonly tools: Map<string, Span>;
  /** Calls of tools that an attempt has cut short: the next one makes them again, without a model that asks for them. */
  readonly cut: Set<string>;
}

/** A step that began before the run was resumed, and the calls of tools that it had not ended. */
interface Earlier {
  readonly start: StepStartEvent;
  readonly calls: Map<string, ToolStartEvent>;
}

/** What spans are made with. */
export interface Making {
  readonly tracer: Tracer;
  /** That of the run's own span. */
  readonly context: Context;
  /** When that span began. A resumed run emits earlier events again. */
  readonly begunAt: number;
  readonly steps: ReadonlyMap<string, Described>;
  /** Whether what models and tools say goes along. */
  readonly content: boolean;
}

/** The spans of one run, made of its events: a span for each step, in it one for each call of a model and of a tool. */
export class Spans {
  readonly #making: Making;
  readonly #open = new Map<string, Open>();
  /** What may go on in this run, by the keys of steps. */
  readonly #earlier = new Map<string, Earlier>();

  constructor(making: Making) {
    this.#making = making;
  }

  /** Takes an event in. What is emitted again from a journal was traced when it happened. */
  follow(event: RunEvent): void {
    if (event.replayed === true) return this.#remember(event);
    switch (event.type) {
      case "step.start":
        return this.#begin(event);
      case "step.delta":
      case "step.reasoning":
        return void this.#opened(event.step.key);
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
        this.#earlier.delete(event.step.key);
        return this.#end(event.step.key, event.at);
      default:
    }
  }

  /** Takes in what was traced when it happened: a step that began then may go on here. */
  #remember(event: RunEvent): void {
    switch (event.type) {
      case "step.start":
        return void this.#earlier.set(event.step.key, { start: event, calls: new Map() });
      case "tool.start": {
        const open = this.#open.get(event.step.key);
        if (open !== undefined) open.chats += 1;
        return void this.#earlier.get(event.step.key)?.calls.set(event.callId, event);
      }
      case "tool.done":
      case "tool.error":
        return void this.#earlier.get(event.step.key)?.calls.delete(event.callId);
      case "step.done":
      case "step.error":
      case "step.skipped":
      case "step.suspended":
        return void this.#earlier.delete(event.step.key);
      default:
    }
  }

  /** The span of a step: one that began before the run was resumed has a span of this run from there on. */
  #opened(key: string): Open | undefined {
    const earlier = this.#earlier.get(key);
    if (earlier !== undefined) {
      this.#begin(earlier.start);
      for (const call of earlier.calls.values()) this.#call(call);
    }
    return this.#open.get(key);
  }

  /** Ends what a run that was cut off has left open. */
  endAll(at: number): void {
    for (const key of [...this.#open.keys()].reverse()) this.#end(key, at);
  }

  #begin({ step, at, attempt }: StepStartEvent): void {
    this.#earlier.delete(step.key);
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
    const span = this.#making.tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: this.#time(at), attributes }, around);
    const open: Open = { span, context: trace.setSpan(around, span), step, described, chatSince: undefined, chats: 0, tools: new Map(), cut: new Set() };
    this.#open.set(step.key, open);
    this.#chat(open, at);
  }

  /** The context of what a step is in: the innermost step that is open around its path and its rounds, or the run. */
  #around(step: StepRef): Context {
    // Outer steps began first, so each finds its own.
    for (const { start } of [...this.#earlier.values()]) if (isAround(start.step, step)) this.#opened(start.step.key);
    let best: Open | undefined;
    for (const open of this.#open.values()) {
      if (isAround(open.step, step) && (best === undefined || open.step.path.length > best.step.path.length)) best = open;
    }
    // The steps of a tool belong to the step whose agent calls it.
    const caller = best ?? this.#opened(scopeOf(step.key).replace(/#[^/]*$/, ""));
    return caller?.context ?? this.#making.context;
  }

  /** Nothing in a trace is earlier than its run. */
  #time(at: number): number {
    return Math.max(at, this.#making.begunAt);
  }

  /** An agent's model is called. */
  #chat(open: Open, at: number): void {
    if (open.described.agent === undefined || open.chatSince !== undefined) return;
    open.chats += 1;
    open.chatSince = this.#time(at);
  }

  /** An agent's model has answered. */
  #endChat(open: Open, at: number, more: (chat: Span) => void = () => {}): void {
    const { chatSince: startTime, described, context } = open;
    if (startTime === undefined) return;
    open.chatSince = undefined;
    const attributes = { [names.OPERATION]: names.CHAT, ...modelOf(described) };
    const chat = this.#making.tracer.startSpan(`${names.CHAT} ${described.model ?? "model"}`, { kind: SpanKind.CLIENT, startTime, attributes }, context);
    more(chat);
    chat.end(this.#time(at));
  }

  #again(step: StepRef, at: number): void {
    const open = this.#opened(step.key);
    if (open === undefined) return;
    open.span.addEvent("reset", {}, at);
    this.#endChat(open, at);
    this.#chat(open, at);
  }

  #call({ step, at, callId, tool, input, byProvider }: ToolStartEvent): void {
    // The answer that calls it came before the run was resumed, and was traced then.
    const isAnswered = byProvider !== true && (this.#earlier.has(step.key) || at < this.#making.begunAt);
    const open = this.#opened(step.key);
    if (open === undefined) return;
    if (isAnswered) open.chatSince = undefined;
    if (open.cut.delete(callId) && open.chatSince !== undefined) {
      open.chatSince = undefined;
      open.chats -= 1;
    }
    // The answer that calls a tool is there; a tool of the provider runs while the model answers.
    if (byProvider !== true) this.#endChat(open, at);
    const attributes = {
      [names.OPERATION]: names.EXECUTE_TOOL,
      [names.TOOL_NAME]: tool,
      [names.TOOL_CALL_ID]: callId,
      [names.TOOL_TYPE]: byProvider === true ? "extension" : "function",
      ...(this.#making.content && { [names.TOOL_ARGUMENTS]: bounded(input) }),
    };
    open.tools.set(callId, this.#making.tracer.startSpan(`${names.EXECUTE_TOOL} ${tool}`, { kind: SpanKind.INTERNAL, startTime: this.#time(at), attributes }, open.context));
  }

  #answered({ step, at, callId }: { readonly step: StepRef; readonly at: number; readonly callId: string }, error: StepweaveError | undefined, output: unknown): void {
    const open = this.#open.get(step.key);
    const span = open?.tools.get(callId);
    if (open === undefined || span === undefined) return;
    open.tools.delete(callId);
    if (error !== undefined) fail(span, error, this.#making.content);
    else if (this.#making.content) span.setAttribute(names.TOOL_RESULT, bounded(output));
    span.end(this.#time(at));
    // With the last result the model is called again.
    if (open.tools.size === 0) this.#chat(open, at);
  }

  #done(event: RunEvent & { readonly type: "step.done" }): void {
    const { step, at, output, attempts, responseId, patch } = event;
    const open = this.#opened(step.key);
    if (open === undefined) return;
    const more: Attributes = { ...usageOf(ownUsage(event)), ...(responseId !== undefined && { [names.RESPONSE_ID]: responseId }) };
    open.span.setAttributes({ ...more, [names.OWN.STEP_ATTEMPTS]: attempts });
    // What several calls used together is known, but not how much of it each of them.
    const { chats } = open;
    this.#endChat(open, at, (chat) => chats === 1 && chat.setAttributes(more));
    if (this.#making.content && open.described.agent !== undefined) {
      open.span.setAttribute(names.OUTPUT_MESSAGES, JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: bounded(output ?? patch) }], finish_reason: "stop" }]));
    }
    this.#end(step.key, at);
  }

  #failed({ step, at, error, retryInMs, attempts }: RunEvent & { readonly type: "step.error" }): void {
    const open = this.#opened(step.key);
    if (open === undefined) return;
    this.#endChat(open, at, (chat) => fail(chat, error, this.#making.content));
    for (const [callId, tool] of open.tools) {
      open.cut.add(callId);
      fail(tool, error, this.#making.content);
      tool.end(this.#time(at));
    }
    open.tools.clear();
    if (retryInMs !== undefined) return;
    open.span.setAttribute(names.OWN.STEP_ATTEMPTS, attempts);
    fail(open.span, error, this.#making.content);
    this.#end(step.key, at);
  }

  #end(key: string, at: number): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    for (const tool of open.tools.values()) tool.end(this.#time(at));
    this.#endChat(open, at);
    open.span.end(this.#time(at));
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

function scopeOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf("/")));
}

function isAround(outer: StepRef, inner: StepRef): boolean {
  return inner.path.startsWith(`${outer.path}.`) && isWithin(scopeOf(inner.key), scopeOf(outer.key));
}

function isWithin(scope: string, outer: string): boolean {
  return outer === "" || scope === outer || scope.startsWith(`${outer}/`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function bounded(value: unknown): string {
  const text = textOf(value);
  // Half of a character is no character.
  return text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
