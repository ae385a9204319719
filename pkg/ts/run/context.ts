import type { Json } from "../api/document.js";
import { StepweaveError, textOf, type StepRef } from "../api/errors.js";
import type { RunContext, SessionState } from "../api/functions.js";
import type { Told } from "../api/journal.js";
import { copyJson, EMPTY, type Redact } from "../json/copy.js";
import type { Spot } from "./executions.js";

/** What a context needs of its run. */
export interface ContextHome {
  readonly id: string;
  readonly options: {
    readonly sessionId?: string | undefined;
    readonly userId?: string | undefined;
    readonly tenantId?: string | undefined;
    readonly metadata?: unknown;
    readonly dependencies?: unknown;
  };
  /** What the run's functions share. */
  readonly session: Map<string, unknown>;
  warn(code: string, message: string, spot: Spot): void;
  /** Records what a function emits, for the journal. */
  note(execution: string, emitted: Told): void;
  readonly isJournaled: boolean;
  /** Takes secrets out of texts, where there are any. */
  readonly redact: Redact;
}

/** What a function is called for. */
export interface Occasion extends Spot {
  readonly attempt: number;
  /** For a tool, which call. */
  readonly callId?: string | undefined;
}

/** Aborts a function whose result is no longer needed. Its context has no method for that: functions see only documented members. */
export let giveUp: (context: HandlerContext, reason: unknown) => void;

/** The context that a handler receives besides the state. Most of it is computed on access. */
export class HandlerContext implements RunContext {
  static {
    giveUp = (context, reason) => (context.#controller ??= new AbortController()).abort(reason);
  }

  readonly step: StepRef;
  readonly #home: ContextHome;
  readonly #occasion: Occasion;
  #controller: AbortController | undefined;

  constructor(home: ContextHome, occasion: Occasion, step: StepRef) {
    this.step = step;
    this.#home = home;
    this.#occasion = occasion;
  }

  get attempt(): number {
    return this.#occasion.attempt;
  }

  get runId(): string {
    return this.#home.id;
  }

  get sessionId(): string {
    return this.#home.options.sessionId ?? this.#home.id;
  }

  get userId(): string | undefined {
    return this.#home.options.userId;
  }

  get tenantId(): string | undefined {
    return this.#home.options.tenantId;
  }

  get idempotencyKey(): string {
    // An attempt that makes the call of a tool again makes the same call.
    const ofStep = `${this.#home.id}/${this.step.key.replace(/(#tool[\d.]+)@\d+/g, "$1")}`;
    const { callId } = this.#occasion;
    return callId === undefined ? ofStep : `${ofStep}/${callId}`;
  }

  get sessionState(): SessionState {
    const { session, isJournaled } = this.#home;
    if (!isJournaled) return { get: (key) => session.get(key), set: (key, value) => void session.set(key, value) };
    return { get: (key) => session.get(this.#shown(key)), set: (key, value) => void session.set(this.#shown(key), this.#kept(key, value)) };
  }

  get metadata(): any {
    return this.#home.options.metadata ?? EMPTY;
  }

  get dependencies(): any {
    return this.#home.options.dependencies ?? EMPTY;
  }

  get signal(): AbortSignal {
    // Made on demand: most handlers never look at it, and making one costs more than a whole step.
    return (this.#controller ??= new AbortController()).signal;
  }

  /** Bound, so that `(state, { log }) => log("…")` works. */
  get log(): (message: string) => void {
    return (message) => {
      const text = this.#shown(String(message));
      this.#home.warn("log", text, this.#occasion);
      this.#home.note(this.step.key, { type: "log", message: text });
    };
  }

  /** A journal can keep only what JSON can hold. */
  #kept(key: string, value: unknown): unknown {
    let kept: unknown;
    try {
      kept = copyJson(value, key, undefined, this.#home.redact);
    } catch (error) {
      throw new StepweaveError("handler", `sessionState cannot keep \`${key}\` in the journal: ${textOf(error)}`, {
        cause: error,
        hint: "keep plain JSON there; what is no data belongs in the option `dependencies`",
      });
    }
    this.#home.note(this.step.key, { type: "set", key: this.#shown(key), value: kept as Json });
    return kept;
  }

  #shown(text: string): string {
    return this.#home.redact?.(text) ?? text;
  }
}

/** What a tool gets besides its arguments. */
export class ToolCallContext extends HandlerContext {
  readonly tool: string;
  readonly callId: string;

  constructor(home: ContextHome, occasion: Occasion & { readonly callId: string }, step: StepRef, tool: string) {
    super(home, occasion, step);
    this.tool = tool;
    this.callId = occasion.callId;
  }
}
