import type { StepRef } from "../../api/errors.js";
import type { RunContext, SessionState } from "../../api/functions.js";
import { join, type AgentContext, type ContextState } from "./context.js";
import type { Interaction } from "./history.js";

/**
 * What a step's function gets after its inputs: everything that functions of a workflow get, and what the agent
 * knows of the run.
 *
 * ```ts
 * act("count", { sendToLlm: false, inputs: 1 }, (text, context) => {
 *   context.state.set("words", text.split(" ").length);
 *   context.log(`after ${Object.keys(context.results).join(", ")}`);
 *   return text;
 * });
 * ```
 */
export class StepContext implements RunContext {
  readonly #run: RunContext;
  readonly #agent: AgentContext;
  /** Shared by the functions of the whole run, also those that a custom run calls. */
  readonly sessionState: SessionState;

  /** @internal */
  constructor(run: RunContext, agent: AgentContext, session: SessionState) {
    this.#run = run;
    this.#agent = agent;
    this.sessionState = session;
    join(agent, session);
  }

  /** What the steps of this run keep. */
  get state(): ContextState {
    return this.#agent.state;
  }

  /** The results so far, by the names of the steps. */
  get results(): { readonly [step: string]: any } {
    return this.#agent.results;
  }

  /** What is passed on at the moment. */
  get input(): any {
    return this.#agent.input;
  }

  /** What the run was given. */
  get originalInput(): any {
    return this.#agent.originalInput;
  }

  /** The interactions before this one, the oldest first. */
  get history(): readonly Interaction[] {
    return this.#agent.history;
  }

  /** The latest interactions; all of them when no number from 1 is given. */
  recentHistory(count?: number): readonly Interaction[] {
    return this.#agent.recentHistory(count);
  }

  /** The latest interactions as text for a prompt. */
  historyText(count?: number): string {
    return this.#agent.historyText(count);
  }

  get iteration(): number {
    return this.#agent.iteration;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get sessionId(): string {
    return this.#run.sessionId;
  }

  get userId(): string | undefined {
    return this.#run.userId;
  }

  get tenantId(): string | undefined {
    return this.#run.tenantId;
  }

  get metadata(): any {
    return this.#run.metadata;
  }

  get dependencies(): any {
    return this.#run.dependencies;
  }

  get step(): StepRef {
    return this.#run.step;
  }

  get attempt(): number {
    return this.#run.attempt;
  }

  get idempotencyKey(): string {
    return this.#run.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get log(): (message: string) => void {
    return this.#run.log;
  }
}
