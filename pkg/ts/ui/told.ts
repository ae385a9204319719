import type { StepRef, StepweaveError } from "../errors.js";
import type { Pending, RunEvent } from "../events.js";

/** What a run tells. */
export type Told = RunEvent | AgentTold;

/** What is told of an agent at work besides its text. */
type AgentTold = { readonly seq: number; readonly at: number; readonly replayed?: true; readonly step: StepRef } & (
  | { readonly type: "step.reasoning"; readonly text: string }
  | { readonly type: "step.reset" }
  | { readonly type: "tool.start"; readonly callId: string; readonly tool: string; readonly input: any }
  | { readonly type: "tool.done"; readonly callId: string; readonly tool: string; readonly output: any; readonly durationMs: number }
  | { readonly type: "tool.error"; readonly callId: string; readonly tool: string; readonly error: StepweaveError; readonly durationMs: number }
);

/** What a run waits for; with a tool, whether it may be called. */
export type PendingCall = Pending & { readonly tool?: { readonly name: string; readonly input: any } };
