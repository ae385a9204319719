import { StepweaveError } from "../api/errors.js";
import type { AnySchema, CallOptions, CallResult, McpCall, McpClient } from "./shapes.js";

/** The least and the most time between two looks at a task, in milliseconds. */
const SHORTEST = 100;
const LONGEST = 30_000;

interface Task {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  readonly pollInterval?: number;
}

/**
 * Calls a tool that a server of 2025 works off in the background: it gives a task, which is looked at until it has ended.
 * The SDK has the messages of tasks and nothing that makes them a call.
 */
export async function workOff(client: McpClient, { name, arguments: args }: McpCall, { toolDefinition: _, ...options }: CallOptions): Promise<CallResult> {
  const { task } = await client.request({ method: "tools/call", params: { name, arguments: args, task: {} } }, any<{ task: Task }>(), options);
  const { taskId } = task;
  try {
    for (let { status, statusMessage, pollInterval } = task; ; ) {
      if (status === "completed") return await client.request({ method: "tasks/result", params: { taskId } }, any<CallResult>(), options);
      if (status !== "working") throw new StepweaveError("tool", `the task of the tool ${name} ended as ${status}${statusMessage === undefined ? "" : `: ${statusMessage}`}`);
      await pause(Math.min(Math.max(pollInterval ?? 1000, SHORTEST), LONGEST), options.signal);
      ({ status, statusMessage, pollInterval } = await client.request({ method: "tasks/get", params: { taskId } }, any<Task>(), options));
    }
  } catch (error) {
    // The server would go on for nobody.
    if (options.signal?.aborted === true) void client.request({ method: "tasks/cancel", params: { taskId } }, any(), { timeout: options.timeout }).catch(() => {});
    throw error;
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** What the server gives, as it is: a result is checked where it is used. */
function any<Value>(): AnySchema<Value> {
  return { "~standard": { version: 1, vendor: "stepweave", validate: (value) => ({ value: value as Value }) } };
}
