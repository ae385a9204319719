import type { Limits, Problem } from "../api/document.js";
import { StepweaveError, type StepweaveErrorData } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { Journal, JournalEntry } from "../api/journal.js";
import type { ModelContext, ModelPart, ModelRequest } from "../api/model-request.js";
import type { Relay, RunOptions } from "../api/run.js";
import { inputOf, withoutInput } from "../run/input.js";
import type { InputReceiver, InputSender } from "./inputs.js";
import type { Refusal } from "../effects/refusal.js";
import { reading, unreadable } from "../schema/options.js";

/** Something that messages go to and come from: a Worker, a MessagePort, a worker's own scope, Node's `parentPort`. */
export interface MessageEndpoint {
  postMessage(message: any): void;
  addEventListener?(type: any, listener: (event: any) => void): void;
  removeEventListener?(type: any, listener: (event: any) => void): void;
  on?(type: any, listener: (event: any) => void): unknown;
  off?(type: any, listener: (event: any) => void): unknown;
  start?(): void;
}

/** Messages from the page. `id` identifies runs and checks; a resumed run has another id for people. */
export type ToWorker =
  | { stepweave: "start"; id: string; document: string; options: DataOptions; models: readonly string[] }
  | { stepweave: "cancel"; id: string; reason: string | undefined }
  | { stepweave: "validate"; id: string; document: string }
  /** Is answered at once: the worker responds. */
  | { stepweave: "ping" }
  /** Of a model of the page that was called under this id: a response part, a log line, its end or its failure. */
  | { stepweave: "part"; id: string; part: ModelPart }
  | { stepweave: "log"; id: string; message: string }
  | { stepweave: "answered"; id: string }
  | { stepweave: "broke"; id: string; error: StepweaveErrorData; refused?: Refusal }
  /** Another value of a secret; none where there is no other. */
  | { stepweave: "renewed"; id: string; value: string | undefined }
  | { stepweave: "close" };

/** What the worker says. */
export type ToPage =
  | { stepweave: "alive" }
  /** The entries added to a run's journal, from this index on. It goes before the events that follow from it. */
  | { stepweave: "kept"; id: string; from: number; entries: readonly JournalEntry[] }
  | { stepweave: "events"; id: string; events: PackedEvent[] }
  /** The run is over; its result came with its last event. */
  | { stepweave: "result"; id: string }
  | { stepweave: "problems"; id: string; problems: readonly Problem[] }
  /** Calls a model of the page. */
  | { stepweave: "ask"; id: string; run: string; model: string; request: ModelRequest; context: DataContext }
  /** Nobody waits for its answer any more. */
  | { stepweave: "leave"; id: string }
  /** A secret of a run was refused, and may be renewed. */
  | { stepweave: "renew"; id: string; run: string; secret: string }
  | { stepweave: "failed"; id: string; error: StepweaveErrorData };

/** The options of a run that are data. */
export interface DataOptions {
  state?: object | undefined;
  secrets?: object | undefined;
  journal?: true | Journal | undefined;
  replay?: RunOptions["replay"];
  from?: string | undefined;
  onMismatch?: RunOptions["onMismatch"];
  answers?: object | undefined;
  pins?: RunOptions["pins"];
  seed?: number | undefined;
  limits?: Limits | undefined;
  allowOrigins?: readonly string[] | undefined;
  relay?: Relay | undefined;
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  metadata?: unknown;
}

/** The context of the calling step that a model of the page receives. */
export type DataContext = Omit<ModelContext, "signal" | "log" | "sessionState" | "dependencies">;

/** An event whose errors are data. */
export type PackedEvent = { readonly type: string; readonly [key: string]: unknown };
/** A result whose errors are data. */
type PackedResult = { readonly status: string; readonly [key: string]: unknown };

/** An event as data: errors lose what makes them errors when they are copied between threads. */
export function packEvent(event: RunEvent, inputs: InputSender): PackedEvent {
  switch (event.type) {
    case "step.error":
    case "tool.error":
      return { ...event, error: event.error.toJSON() };
    case "run.start":
    case "step.start":
      return { ...withoutInput(event), type: event.type, input: inputs.changeTo(inputOf(event)) };
    case "step.done":
      // Its input is that of the step's beginning.
      return { ...withoutInput(event), type: event.type };
    default:
      return "result" in event ? { ...event, result: packResult(event.result) } : { ...event };
  }
}

/** The event that {@link packEvent} made this of. */
export function unpackEvent(packed: PackedEvent, inputs: InputReceiver): RunEvent {
  const event = packed as unknown as RunEvent;
  if (event.type === "step.error" || event.type === "tool.error") return { ...event, error: errorFrom(event.error) };
  if ("result" in event) return { ...event, result: unpackResult(event.result as unknown as PackedResult) } as RunEvent;
  return inputs.received(event);
}

/** Listens; gives the function that stops it. Node's own workers have `on` instead of `addEventListener`. */
export function listen(endpoint: MessageEndpoint, type: string, heard: (value: unknown) => void): () => void {
  if (typeof endpoint.addEventListener === "function") {
    const listener = (event: { data?: unknown }): void => heard(type === "message" ? event.data : event);
    endpoint.addEventListener(type, listener);
    return () => endpoint.removeEventListener?.(type, listener);
  }
  endpoint.on?.(type, heard);
  return () => endpoint.off?.(type, heard);
}

/** Refuses what messages cannot go to and come from. */
export function checkEndpoint(endpoint: unknown, who: string): void {
  const has = (name: keyof MessageEndpoint): boolean => typeof (Object(endpoint) as Partial<MessageEndpoint>)[name] === "function";
  const known = (): boolean => has("postMessage") && (has("addEventListener") || has("on")) && ["start", "removeEventListener", "off"].every((name) => (Object(endpoint) as Record<string, unknown>)[name] == null || has(name as keyof MessageEndpoint));
  if (reading(`the endpoint of ${who}`, known)) return;
  throw new StepweaveError("validation", `${who} was given no worker, nor anything else that messages go to and come from`, { hint: "pass a Worker, a MessagePort, or parentPort of node:worker_threads" });
}

/** Whether a message is one of ours: others may use the same channel. */
export function isOurs<Message>(value: unknown): value is Message & { readonly id?: string } {
  if (typeof value !== "object" || value === null) return false;
  const { stepweave, id } = value as { stepweave?: unknown; id?: unknown };
  return typeof stepweave === "string" && (id === undefined || typeof id === "string");
}

function packResult(result: RunResult): PackedResult {
  return {
    // The journal of a result is built on access: copied, it is data like the rest.
    ...result,
    ...(result.error !== undefined && { error: result.error.toJSON() }),
    errors: result.errors.map((error) => error.toJSON()),
    stepResults: result.stepResults.map((step) => (step.error === undefined ? step : { ...step, error: step.error.toJSON() })),
  };
}

function unpackResult(packed: PackedResult): RunResult {
  const result = packed as unknown as RunResult;
  return {
    ...result,
    ...(result.error !== undefined && { error: errorFrom(result.error) }),
    errors: result.errors.map(errorFrom),
    stepResults: result.stepResults.map((step) => (step.error === undefined ? step : { ...step, error: errorFrom(step.error) })),
  } as RunResult;
}

/** The error that somebody says as data; what is no error is one itself. */
export function errorFrom(data: unknown): StepweaveError {
  try {
    return StepweaveError.from(data as StepweaveErrorData);
  } catch (error) {
    return unreadable(error, "an error");
  }
}
