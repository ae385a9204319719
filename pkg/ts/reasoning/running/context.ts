import { StepweaveError } from "../../api/errors.js";
import type { SessionState } from "../../api/functions.js";
import { copyJson } from "../../json/copy.js";
import { NotJson } from "../../json/not-json.js";
import { ANSWERING, IDLE, textOfHistory, type History, type Interaction } from "./history.js";
import { outputKey, passedIn, storedIn, without, type ChainState, type StepTable } from "./state.js";

/** JSON values by key that live as long as a run of an agent. */
export interface ContextState {
  get(key: string): any;
  /** The value is copied; one that JSON cannot hold is refused. */
  set(key: string, value: unknown): void;
  /** All of them. */
  all(): { readonly [key: string]: any };
}

/** Puts what there are of results into the history. This and what follows is done by runs, and so no method: users see documented members only. */
export let archive: (context: AgentContext) => void;

/** The state that the results are read from. */
export let chainOf: (context: AgentContext) => ChainState;

/** The run has come this far. */
export let follow: (context: AgentContext, chain: ChainState) => void;

/** A step that a custom run called has this result; without one, what an earlier call left stays. */
export let store: (context: AgentContext, step: string, value: unknown) => void;

/** Continues in a session: that of the function that is called now, so that its writes are recorded as its own. */
export let join: (context: AgentContext, session: SessionState) => void;

/** The run is over: what was kept stays in its context. */
export let leave: (context: AgentContext) => void;

/**
 * What an agent knows of a run: the input, the results so far, what its steps keep, and what came before.
 *
 * ```ts
 * const agent = new ReasoningAgent({ name: "planner", model: demo(), steps: [think("analyse", (input) => `Analyse: ${input}`)] });
 * await agent.run("bees");
 * agent.context.results.analyse; // what the model answered
 * agent.context.historyText(3); // the three runs before, as text for a prompt
 * ```
 */
export class AgentContext {
  static {
    archive = (context) => context.#archive();
    chainOf = (context) => context.#chain ?? { input: null };
    follow = (context, chain) => void (context.#chain = chain);
    // Taken out first: the order of the keys is the order in which the results came.
    store = (context, step, value) => {
      if (value !== undefined && value !== null) context.#chain = { ...without(chainOf(context), step), [outputKey(step)]: value };
    };
    join = (context, session) => {
      context.#session = session;
      if (session.get(SESSION_KEY) === undefined && context.#initial !== NOTHING) session.set(SESSION_KEY, context.#initial);
    };
    leave = (context) => {
      context.#initial = context.#kept();
      context.#session = undefined;
    };
  }

  /** What the steps keep. A run begins with what its option `state` says. */
  readonly state: ContextState = { get: (key) => this.#kept()[key], set: (key, value) => this.#keep(key, value), all: () => this.#kept() };
  readonly #steps: StepTable;
  readonly #history: History;
  readonly #now: () => number;
  #chain: ChainState | undefined;
  #iteration = 0;
  // In the run's own session during the run: there is one state that a run's functions share.
  #session: SessionState | undefined;
  #initial: Kept = NOTHING;

  /** @internal */
  constructor(steps: StepTable, history: History, now: () => number) {
    this.#steps = steps;
    this.#history = history;
    this.#now = now;
  }

  /** The results so far, by the names of the steps. */
  get results(): { readonly [step: string]: any } {
    const stored = this.#chain === undefined ? [] : storedIn(this.#chain, this.#steps);
    return Object.freeze(Object.fromEntries(stored.map(({ step, value }) => [step.name, value])));
  }

  /** A step's result; undefined when there is none. */
  resultOf(step: string): any {
    const { results } = this;
    return Object.hasOwn(results, step) ? results[step] : undefined;
  }

  /** What is passed on at the moment: the latest result that is, or the input. */
  get input(): any {
    return this.#chain === undefined ? undefined : passedIn(this.#chain, this.#steps);
  }

  /** What the run was given. */
  get originalInput(): any {
    return this.#chain?.input;
  }

  /** How many inputs this context was given: 1 in a run, unless a custom run gives it another. */
  get iteration(): number {
    return this.#iteration;
  }

  /** The interactions before this one, the oldest first. */
  get history(): readonly Interaction[] {
    return this.#history.entries;
  }

  get maxHistorySize(): number {
    return this.#history.limit;
  }

  /** How many interactions the agent keeps from now on; 0 keeps none. */
  setMaxHistorySize(size: number): void {
    this.#history.limitTo(size);
  }

  /** The latest interactions; all of them when no number from 1 is given. */
  recentHistory(count?: number): readonly Interaction[] {
    return this.#history.recent(count);
  }

  /** The latest interactions as text for a prompt. */
  historyText(count?: number): string {
    return textOfHistory(this.#history.recent(count), this.#chain === undefined ? IDLE : ANSWERING);
  }

  /** Begins with another input: what there are of results goes into the history. */
  setInput(input: unknown): void {
    const chain = { input: copied(input, "the input") };
    this.#archive();
    this.#chain = chain;
    this.#iteration += 1;
  }

  /** Forgets everything but the history. */
  clear(): void {
    this.#chain = undefined;
    this.#iteration = 0;
    this.#initial = NOTHING;
    this.#session?.set(SESSION_KEY, NOTHING);
  }

  /** Forgets everything, the history too. */
  clearAll(): void {
    this.clear();
    this.#history.clear();
  }

  #archive(): void {
    const { results, originalInput: input, iteration } = this;
    if (Object.keys(results).length === 0) return;
    this.#history.add({ input, results, iteration, timestamp: new Date(this.#now()).toISOString() });
  }

  #kept(): Kept {
    return (this.#session?.get(SESSION_KEY) as Kept | undefined) ?? this.#initial;
  }

  #keep(key: string, value: unknown): void {
    const kept = Object.freeze({ ...this.#kept(), [key]: copied(value, `state.${key}`) });
    if (this.#session === undefined) this.#initial = kept;
    else this.#session.set(SESSION_KEY, kept);
  }
}

/** What steps keep, as plain frozen data. */
type Kept = { readonly [key: string]: any };

const NOTHING: Kept = Object.freeze({});

/** Under this key the session has all that steps keep, so that whoever keeps sessions keeps it too. */
export const SESSION_KEY = "stepweave.agent";

/** A frozen copy; a value that JSON cannot hold is named. Undefined becomes null. */
export function copied(value: unknown, what: string): any {
  try {
    return copyJson(value ?? null, what);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("validation", `${error.message}, which JSON cannot hold`, { hint: error.hintTo("give"), cause: error.cause });
  }
}
