import { isStepweaveError, StepweaveError, textOf, type StepRef } from "../api/errors.js";
import type { RunEndEvent, RunEvent, ToolDoneEvent, ToolErrorEvent, ToolStartEvent } from "../api/events.js";
import type { Pending } from "../api/results.js";
import type { Usage } from "../api/usage.js";
import { publicError } from "../api/public-error.js";
import { totalOf } from "../json/usage.js";
import { canonical } from "../schema/json/canonical.js";
import { toolParts, WITHHELD, type RunMetadata, type StepData, type ToolPart, type UIMessageChunk } from "./chunk.js";
import { chunksOf } from "./extras.js";
import { guarded } from "./guarded.js";
import type { UIMessageStreamOptions } from "./options.js";
import { Turns } from "./turns.js";

/** Whose events are written: those of a run, or what its callers see of them, which have of most calls neither what tools get nor what they give. */
export type EventSource = "run" | "public";

/** Writes the events of a run as the chunks of a message. */
export class MessageWriter {
  readonly #options: UIMessageStreamOptions;
  /** The part of the message for each call, by its step and its id there. */
  readonly #calls = new Map<string, { readonly toolCallId: string; readonly isDenied: boolean }>();
  /** Ids of calls that are in the message. */
  readonly #taken = new Set<string>();
  /** Calls in the message that a person has decided about, and that go on now. */
  #decided: readonly ToolPart[] = [];
  readonly #isShown: (step: StepRef) => boolean;
  readonly #errorText: (error: StepweaveError) => string;
  readonly #messageId: string | undefined;
  readonly #isNew: boolean;
  #goesOn = false;
  #usage = totalOf([]);
  #said: UIMessageChunk[] = [];
  readonly #turns = new Turns((chunk) => void this.#said.push(chunk));
  readonly #source: EventSource;

  constructor(options: UIMessageStreamOptions, source: EventSource = "run") {
    this.#source = source;
    const { continues, messageId } = options;
    const earlier = continues?.role === "assistant" ? continues : undefined;
    this.#options = options;
    this.#isShown = guarded("shows", options.shows ?? (() => true), () => false);
    this.#errorText = guarded("errorText", options.errorText ?? publicText, publicText);
    this.#isNew = earlier === undefined;
    this.#messageId = messageId ?? earlier?.id;
    if (earlier === undefined) return;
    const calls = toolParts(earlier);
    for (const { toolCallId } of calls) this.#taken.add(toolCallId);
    // Readers without approvals leave a call as it was requested.
    this.#decided = calls.filter(({ state }) => state === "approval-responded" || state === "input-available");
  }

  /** The chunks that an event leads to. */
  write(event: RunEvent): readonly UIMessageChunk[] {
    if (event.type === "run.start") {
      const { runId, workflow } = event;
      this.#said.push({ type: "start", ...(this.#messageId !== undefined && { messageId: this.#messageId }), messageMetadata: { runId, workflow } });
    } else if (this.#isNew || event.replayed !== true) {
      this.#goOn(event);
      this.#write(event);
      // The continued message has the earlier events already.
    } else if (event.type === "tool.start") this.#free(`${event.step.key}/${event.callId}`);
    return this.#take();
  }

  /** The chunks that end a message whose run emits nothing more. */
  end(): readonly UIMessageChunk[] {
    return this.#finished("other");
  }

  /** The chunks that end a message whose run could not be read. */
  fail(error: unknown): readonly UIMessageChunk[] {
    this.#turns.endAll();
    this.#said.push({ type: "error", errorText: this.#textOf(error) });
    return this.#finished("error");
  }

  /** Of what a continued message has nobody says the ids: those that follow have the time and the number of the first event. */
  #goOn({ at, seq }: RunEvent): void {
    if (this.#isNew || this.#goesOn) return;
    this.#goesOn = true;
    this.#turns.goOn(`${at.toString(36)}-${seq}`);
  }

  #write(event: Exclude<RunEvent, { type: "run.start" }>): void {
    switch (event.type) {
      case "step.start":
        // A step that is tried again repeats its output.
        if (event.attempt > 1) this.#turns.drop(event.step.key);
        this.#turns.renew(event.step.key);
        return this.#note(event.step, { status: "running", attempt: event.attempt });
      case "step.delta":
        return this.#text(event.step, "text", event.text);
      case "step.reasoning":
        return this.#text(event.step, "reasoning", event.text);
      case "step.reset":
        return this.#turns.drop(event.step.key);
      case "tool.start":
        return this.#call(event);
      case "tool.done":
      case "tool.error":
        return this.#returned(event);
      case "step.done":
        if ((event.sources ?? event.files) !== undefined && this.#isShown(event.step)) this.#turns.add(event.step.key, (answer) => chunksOf(event, answer));
        this.#turns.end(event.step.key);
        this.#note(event.step, { status: "done", attempt: event.attempts, durationMs: event.durationMs });
        return this.#count(event.usage);
      case "step.error": {
        const { step, error, attempts: attempt, durationMs, retryInMs } = event;
        // Before the next attempt the outcome of this one's text is written.
        if (retryInMs === undefined) this.#turns.end(step.key);
        return this.#note(step, { status: retryInMs === undefined ? "error" : "retrying", attempt, durationMs, errorText: this.#textOf(error) });
      }
      case "step.skipped":
        return this.#note(event.step, { status: "skipped" });
      case "step.suspended":
        this.#turns.end(event.step.key);
        return this.#note(event.step, { status: "suspended" });
      case "run.done":
      case "run.error":
      case "run.budget":
      case "run.cancelled":
      case "run.suspended":
        return this.#over(event);
      case "run.warning":
        // What handlers log is for those who run the workflow, and not for those who talk with it.
        return;
    }
  }

  #text({ key, ...step }: StepRef, kind: "text" | "reasoning", text: string): void {
    if (text !== "" && this.#isShown({ key, ...step })) this.#turns.write(key, kind, text);
  }

  #call({ step, callId, tool, input = null, byProvider }: ToolStartEvent): void {
    const key = `${step.key}/${callId}`;
    const decided = this.#decision(step, tool, input);
    if (decided !== undefined) {
      this.#calls.set(key, { toolCallId: decided.toolCallId, isDenied: decided.approval?.approved === false });
    } else if (this.#isShown(step)) {
      const toolCallId = this.#free(key);
      this.#calls.set(key, { toolCallId, isDenied: false });
      this.#turns.call(step.key, this.#called(toolCallId, tool, input, byProvider));
    }
  }

  #returned(event: ToolDoneEvent | ToolErrorEvent): void {
    const { step, callId, tool, byProvider } = event;
    const key = `${step.key}/${callId}`;
    const call = this.#calls.get(key);
    if (call === undefined && !this.#isShown(step)) return;
    // The events have an end without a beginning.
    const { toolCallId, isDenied } = call ?? { toolCallId: this.#free(key), isDenied: false };
    if (call === undefined) this.#turns.call(step.key, this.#called(toolCallId, tool, null, byProvider));
    if (event.type === "tool.done") this.#said.push({ type: "tool-output-available", toolCallId, output: event.output ?? null, ...whose(byProvider) });
    else if (isDenied) this.#said.push({ type: "tool-output-denied", toolCallId });
    else this.#said.push({ type: "tool-output-error", toolCallId, errorText: this.#textOf(event.error), ...whose(byProvider) });
    this.#turns.returned(step.key);
  }

  #called(toolCallId: string, toolName: string, input: unknown, byProvider: true | undefined): UIMessageChunk {
    return { type: "tool-input-available", toolCallId, toolName, input: input ?? null, ...whose(byProvider), ...(this.#source === "public" && WITHHELD) };
  }

  /** The call in the message that goes on now, because a person has decided about it. */
  #decision(step: StepRef, tool: string, input: unknown): ToolPart | undefined {
    const own = this.#decided.filter(({ toolCallId, type }) => type === `tool-${tool}` && toolCallId.startsWith(`${step.key}/`));
    // A person may have changed what it is called with.
    const found = own.find((part) => canonical(part.input) === canonical(input)) ?? own[0];
    this.#decided = this.#decided.filter((part) => part !== found);
    return found;
  }

  /** An id that no call of the message has. Models may give the same one in several turns. */
  #free(key: string): string {
    let id = key;
    for (let number = 2; this.#taken.has(id); number += 1) id = `${key}#${number}`;
    this.#taken.add(id);
    return id;
  }

  #over(event: RunEndEvent): void {
    const { type, result } = event;
    this.#turns.endAll();
    const metadata: RunMetadata = { status: result.status, usage: result.usage };
    if (type === "run.cancelled") {
      this.#said.push({ type: "message-metadata", messageMetadata: metadata }, { type: "abort", ...(event.reason !== undefined && { reason: textOf(event.reason) }) });
    } else if (type === "run.suspended") {
      const isCalling = this.#ask(result.pending ?? []);
      this.#said.push({ type: "finish", finishReason: isCalling ? "tool-calls" : "other", messageMetadata: metadata });
    } else if (type === "run.done") {
      this.#said.push({ type: "finish", finishReason: result.status === "done" ? "stop" : "other", messageMetadata: metadata });
    } else {
      this.#said.push({ type: "error", errorText: this.#textOf(result.error ?? result.errors[0]) });
      this.#said.push({ type: "finish", finishReason: "error", messageMetadata: metadata });
    }
  }

  /** Writes the pending approvals; returns whether tool calls are among them. */
  #ask(pending: readonly Pending[]): boolean {
    const calls: UIMessageChunk[] = [];
    for (const { key, step, message, tool, schema, expiresAt } of pending) {
      if (tool !== undefined && !this.#taken.has(key)) calls.push(this.#called(key, tool.name, tool.input, undefined));
      if (tool !== undefined && !this.#asksByData) {
        calls.push({ type: "tool-approval-request", approvalId: key, toolCallId: key, ...(message !== undefined && { reason: message }) });
        continue;
      }
      const { name, path } = step;
      const data = { name, path, ...(message !== undefined && { message }), ...(schema !== undefined && { schema }), ...(expiresAt !== undefined && { expiresAt }), ...(tool !== undefined && { toolCallId: key }) };
      this.#said.push({ type: "data-approval", id: key, data });
    }
    // All in one step: the AI SDK goes on when every call of the last step has its answer.
    if (calls.length > 0) this.#turns.apart(calls);
    return calls.length > 0;
  }

  #note({ key, name, path }: StepRef, data: Omit<StepData, "name" | "path">): void {
    this.#said.push({ type: "data-step", id: key, data: { name, path, ...data } });
  }

  #count(usage: Usage | undefined): void {
    if (usage === undefined) return;
    this.#usage = totalOf([this.#usage, usage]);
    this.#said.push({ type: "message-metadata", messageMetadata: { usage: this.#usage } });
  }

  get #asksByData(): boolean {
    return this.#options.approvals === "data";
  }

  #textOf(error: unknown): string {
    const known = isStepweaveError(error) ? error : new StepweaveError("internal", textOf(error), { cause: error });
    const said: unknown = this.#errorText(known);
    // A reader takes texts alone: whatever else is given would end the message.
    return typeof said === "string" ? said : publicText(known);
  }

  #finished(finishReason: "error" | "other"): readonly UIMessageChunk[] {
    this.#turns.endAll();
    this.#said.push({ type: "finish", finishReason });
    return this.#take();
  }

  #take(): readonly UIMessageChunk[] {
    const said = this.#said;
    this.#said = [];
    return said;
  }
}

/** Says of a call that the provider of the model made it: a chat then sends nothing back for it. */
function whose(byProvider: true | undefined): { providerExecuted?: true } {
  return byProvider === undefined ? {} : { providerExecuted: byProvider };
}

function publicText(error: StepweaveError): string {
  return publicError(error).message;
}
