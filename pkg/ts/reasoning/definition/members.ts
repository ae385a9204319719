import { StepweaveError } from "../../api/errors.js";
import { CustomRun } from "./custom.js";
import type { StepRecord } from "./record.js";

/** The steps of an agent and its custom run, which methods of its class may add to. */
export class Members {
  /** By their names, in their order. */
  readonly steps: Map<string, StepRecord>;
  custom: CustomRun | undefined;
  readonly #agent: string;
  /** What was made of a method, by its name. */
  readonly #ofMethods = new Map<string, { readonly step: string | undefined; count: number }>();

  constructor(agent: string, steps: Map<string, StepRecord>, custom: CustomRun | undefined) {
    this.#agent = agent;
    this.steps = steps;
    this.custom = custom;
  }

  /** Takes what a decorator has made of a method that `owners` classes define, the latest of which counts. */
  take(method: string, made: StepRecord | CustomRun, owners: number): void {
    const known = this.#ofMethods.get(method);
    const count = (known?.count ?? 0) + 1;
    if (count > owners) throw wrong(`the method \`${method}\` of ${this.#agent} is decorated twice`, "leave one of the decorators out: a step has one type");
    const step = made instanceof CustomRun ? undefined : made.name;
    if (step !== undefined && step !== known?.step && this.steps.has(step)) throw twoSteps(this.#agent, step);
    if (made instanceof CustomRun && this.custom !== undefined && (known === undefined || known.step !== undefined)) {
      throw wrong(`${this.#agent} has two custom runs`, "leave one of them out: an agent has exactly one");
    }
    this.#ofMethods.set(method, { step, count });
    this.#replace(known, made);
  }

  /** What a class says again of a method of the class that it extends stands where that stood. */
  #replace(known: { readonly step: string | undefined } | undefined, made: StepRecord | CustomRun): void {
    if (known !== undefined && known.step === undefined) this.custom = undefined;
    const steps = [...this.steps.values()];
    const place = known?.step === undefined ? steps.length : steps.findIndex(({ name }) => name === known.step);
    if (made instanceof CustomRun) {
      this.custom = made;
      if (known?.step !== undefined) this.steps.delete(known.step);
      return;
    }
    steps.splice(place, known?.step === undefined ? 0 : 1, made);
    this.steps.clear();
    for (const step of steps) this.steps.set(step.name, step);
  }
}

/** What is said to whoever gives two steps one name. */
export function twoSteps(agent: string, name: string): StepweaveError {
  return wrong(`${agent} has two steps named \`${name}\``, "give each a name of its own: results are found by it");
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
