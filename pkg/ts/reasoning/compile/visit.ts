import type { AgentInput } from "../../api/conversation.js";
import type { RunContext, SessionState } from "../../api/functions.js";
import type { Setting } from "../definition/setting.js";
import type { AgentContext } from "../running/context.js";
import type { ReasoningRunOptions } from "../running/run.js";
import type { ChainState, StepTable } from "../running/state.js";
import type { Emitter } from "../running/emitter.js";
import type { Streaming } from "./streaming.js";

/** What belongs to one run of a workflow that was made of an agent's steps. */
export interface Visit {
  readonly context: AgentContext;
  readonly streaming: Streaming;
  /** The prompts, by step: a model that is called again gets the same one. */
  readonly prompts: Map<string, AgentInput>;
  /** What the functions of a custom run share with those of the steps that it calls. */
  readonly session?: SessionState;
}

/** The same in a run of the agent itself. */
export interface OwnVisit extends Visit {
  readonly emitter: Emitter;
  readonly options: ReasoningRunOptions;
}

/** The state of a run in which a custom run calls a step: with the arguments that it gives. */
export interface CallState extends ChainState {
  readonly arguments?: readonly unknown[];
}

/** What compiling a step takes. */
export interface Compilation {
  readonly steps: StepTable;
  readonly setting: Setting;
  /** What belongs to a run, where its steps have come to this state. */
  visitOf(run: RunContext, state: object): Visit;
}
