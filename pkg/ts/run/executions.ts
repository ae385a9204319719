import type { StepRef } from "../api/errors.js";
import type { StepResult } from "../api/results.js";
import type { Usage } from "../api/usage.js";
import type { Plan } from "./plan.js";
import type { Tail } from "./tail.js";

/** One execution of a step: the step's index in the plan, and the scope it is in; 0 is outside of all loops. */
export interface Spot {
  readonly step: number;
  readonly scope: number;
}

/** The spot of two numbers that are there together or not at all. */
export function spotOf(step: number | undefined, scope: number | undefined): Spot | undefined {
  return step === undefined || scope === undefined ? undefined : { step, scope };
}

/** What is known of one execution of a step. */
export interface Execution {
  readonly ref: StepRef;
  readonly startedAt: number;
  /** The event with which its current attempt began. */
  start: { readonly at: number; replayed?: boolean };
  /** The state that it sees, as the engine has it. */
  readonly seen: object;
  attempts: number;
  /** What has arrived of its answer. */
  text: string | undefined;
  /** Whether something of its answer was emitted since the last time that was dropped. */
  isShown: boolean;
  /** What of that is held back: it may begin a secret. */
  tail: Tail | undefined;
  /** The same of its reasoning. */
  reasoningTail: Tail | undefined;
  /** The events with which its calls of tools began, by id, until they end. */
  calls: Map<string, { replayed?: boolean }> | undefined;
  /** What its calls of models used so far. */
  usage: Usage | undefined;
  /** What of it an earlier process used. */
  replayed: Usage | undefined;
  result: StepResult | undefined;
}

/** An execution that begins with this event. */
export function newExecution(ref: StepRef, start: Execution["start"], seen: object, attempts: number): Execution {
  return { ref, startedAt: start.at, start, seen, attempts, text: undefined, isShown: false, tail: undefined, reasoningTail: undefined, calls: undefined, usage: undefined, replayed: undefined, result: undefined };
}

/** The executions outside of all loops, or those of one round. */
class Scope {
  /** By step; the first one is the step behind the loop. */
  readonly slots: (Execution | undefined)[] = [];
  /** By loop, the scopes of its rounds; made for the first of them. */
  rounds: Map<number, Scope[]> | undefined;
  constructor(
    readonly first: number,
    readonly prefix: string,
  ) {}
}

const NO_STEPS: Plan["steps"] = [];

/** The executions of a run, by the numbers under which the engine speaks of them. */
export class Executions {
  /** The steps of the plan, once the run has begun. */
  steps: Plan["steps"] = NO_STEPS;
  readonly #scopes: Scope[] = [new Scope(0, "")];
  // For answers of a journal: the steps by id, and as many scopes as were looked at by prefix. Made when they are needed.
  #stepOf: Map<string, number> | undefined;
  #scopeOf: Map<string, number> | undefined;
  #scopesLookedAt = 0;

  /** A round of a loop begins. */
  enter(scope: number, outer: number, step: number, round: number, prefix: string): void {
    const inner = new Scope(step + 1, prefix);
    this.#scopes[scope] = inner;
    const around = this.#scope(outer);
    const rounds = (around.rounds ??= new Map());
    const known = rounds.get(step) ?? [];
    known[round] = inner;
    rounds.set(step, known);
  }

  /** The execution of a step in a scope, if it has begun. */
  at(step: number, scope: number): Execution | undefined {
    const { slots, first } = this.#scope(scope);
    return slots[step - first];
  }

  add(step: number, scope: number, execution: Execution): void {
    const { slots, first } = this.#scope(scope);
    slots[step - first] = execution;
  }

  /** How events and results refer to an execution. */
  refOf(step: number, scope: number): StepRef {
    return this.at(step, scope)?.ref ?? this.#newRef(step, scope);
  }

  /** The execution of this key. */
  spotOf(key: string): Spot | undefined {
    const cut = key.lastIndexOf("/") + 1;
    const scopeOf = (this.#scopeOf ??= new Map());
    for (; this.#scopesLookedAt < this.#scopes.length; this.#scopesLookedAt += 1) {
      const prefix = this.#scopes[this.#scopesLookedAt]?.prefix;
      if (prefix !== undefined) scopeOf.set(prefix, this.#scopesLookedAt);
    }
    this.#stepOf ??= new Map(this.steps.map(({ ref }, index) => [ref.id, index]));
    return spotOf(this.#stepOf.get(key.slice(cut)), scopeOf.get(key.slice(0, cut)));
  }

  /** All of them in the order of the document, round by round. */
  inOrder(): Execution[] {
    const found: Execution[] = [];
    collect(this.#scope(0), found);
    return found;
  }

  #scope(scope: number): Scope {
    const found = this.#scopes[scope];
    if (found === undefined) throw new Error(`the engine names a scope ${scope} that it has not opened`);
    return found;
  }

  #newRef(step: number, scope: number): StepRef {
    const planned = this.steps[step];
    // What is checked before the first step and behind the last one belongs to the workflow itself.
    if (planned === undefined) return WHOLE;
    if (scope === 0) return planned.ref;
    return Object.freeze({ ...planned.ref, key: this.#scope(scope).prefix + planned.ref.id });
  }
}

function collect({ slots, rounds, first }: Scope, found: Execution[]): void {
  for (let index = 0; index < slots.length; index += 1) {
    const execution = slots[index];
    if (execution === undefined) continue;
    found.push(execution);
    for (const round of rounds?.get(first + index) ?? []) if (round !== undefined) collect(round, found);
  }
}

const WHOLE: StepRef = Object.freeze({ id: "workflow", path: "", name: "workflow", key: "workflow" });
