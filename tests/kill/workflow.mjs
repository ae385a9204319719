// Random workflows of every kind of step, and the functions that they name.
import { createHash } from "node:crypto";
import { StepweaveError } from "stepweave";
import { between, chance, generator, pick } from "./random.mjs";

const DEEPEST = 3;
const CONTAINERS = ["sequence", "condition", "parallel", "foreach", "loop", "switch", "workflow"];

/**
 * A document, and what its functions do, by the step's id: how long they take, how often they fail before they succeed,
 * and whether they fail for good. The same for the same seed.
 */
export function randomWorkflow(seed) {
  const writer = new Writer(generator(seed));
  const steps = [writer.work(), ...writer.block(0, between(writer.random, 5, 9)), writer.work()];
  if (!writer.isCalm && chance(writer.random, 0.3)) steps.push(writer.stop(), writer.work());
  const document = {
    version: 1,
    name: `random ${seed}`,
    initialState: { ...writer.counters, number: between(writer.random, 0, 9) },
    retryPolicy: { maxRetries: 3, backoffMs: 4, factor: 1 },
    steps,
  };
  return { document, behaviour: writer.behaviour };
}

/** The functions. `note` is called with every call before the call returns, so that what happened outlives the process. */
export function handlersFor(behaviour, note) {
  const enter = async ({ step, attempt, idempotencyKey }, what) => {
    const { delay } = behaviour.get(step.id);
    note({ key: step.key, what, attempt, idempotencyKey });
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  };
  return {
    async work(state, context) {
      await enter(context, "work");
      return outcome(state, context, behaviour);
    },
    // One that is done as soon as it is called.
    workAtOnce(state, context) {
      const { step, attempt, idempotencyKey } = context;
      note({ key: step.key, what: "work", attempt, idempotencyKey });
      return outcome(state, context, behaviour);
    },
    async decide(state, context) {
      await enter(context, "decide");
      return Number.parseInt(digest(state).slice(0, 2), 16) % 2 === 0;
    },
    async list(state, context) {
      await enter(context, "list");
      return [...digest(state).slice(0, 3)];
    },
    async enough(state, context) {
      await enter(context, "enough");
      const { counter, times } = behaviour.get(context.step.id);
      return state[counter] >= times;
    },
  };
}

function outcome(state, { step, attempt }, behaviour) {
  const { failures, isHopeless, failsFor } = behaviour.get(step.id);
  if (attempt <= failures) throw new StepweaveError("network", `attempt ${attempt} of ${step.name} fails`, { retryable: true });
  const unlucky = failsFor !== undefined && Object.keys(state).some((key) => key.endsWith("_index") && state[key] === failsFor);
  if (isHopeless || unlucky) throw new StepweaveError("handler", `${step.name} never succeeds`, { retryable: false });
  return { [step.name]: digest({ key: step.key, state }) };
}

/** The same for states that say the same. */
function digest(value) {
  const sorted = (_, member) => (typeof member === "object" && member !== null && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member);
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex").slice(0, 12);
}

class Writer {
  behaviour = new Map();
  counters = {};
  #count = 0;

  constructor(random) {
    this.random = random;
    /** Whether no step fails for good. */
    this.isCalm = chance(random, 0.5);
  }

  block(depth, length) {
    return Array.from({ length }, () => this.step(depth));
  }

  step(depth) {
    const kind = depth < DEEPEST && chance(this.random, 0.55) ? pick(this.random, CONTAINERS) : pick(this.random, ["work", "work", "work", "set", "hopeless", "wait"]);
    return this[kind](depth + 1);
  }

  work() {
    const step = { ...this.#new("function", "work"), run: { handler: pick(this.random, ["work", "work", "workAtOnce"]) } };
    if (chance(this.random, 0.25)) this.behaviour.get(step.id).failures = between(this.random, 1, 2);
    return step;
  }

  set() {
    const step = this.#new("function", "sum");
    return { ...step, run: { set: { [step.name]: `number * ${between(this.random, 2, 9)}` } } };
  }

  /** A step that the run goes on without. */
  hopeless() {
    if (this.isCalm) return this.work();
    const step = { ...this.work(), ...pick(this.random, [{ required: false }, { onError: "continue" }]) };
    Object.assign(this.behaviour.get(step.id), { failures: 0, isHopeless: true });
    return step;
  }

  /** A step that ends the run. */
  stop() {
    const step = this.work();
    Object.assign(this.behaviour.get(step.id), { failures: 0, isHopeless: true });
    return step;
  }

  wait() {
    return { ...this.#new("wait", "pause"), wait: { ms: between(this.random, 1, 15) } };
  }

  sequence(depth) {
    return { ...this.#new("sequence", "lane"), steps: this.block(depth, between(this.random, 1, 3)) };
  }

  condition(depth) {
    const step = { ...this.#new("condition", "maybe"), condition: this.#decision(), steps: this.block(depth, between(this.random, 1, 2)) };
    return chance(this.random, 0.5) ? { ...step, else: this.block(depth, 1) } : step;
  }

  parallel(depth) {
    const step = { ...this.#new("parallel", "all"), parallel: this.block(depth, between(this.random, 2, 4)) };
    return chance(this.random, 0.5) ? { ...step, concurrency: between(this.random, 1, 3) } : step;
  }

  foreach(depth) {
    const step = this.#new("foreach", "each");
    const item = `${step.name}_item`;
    const inner = this.work();
    const steps = [inner, ...this.block(depth, between(this.random, 0, 1))];
    const shape = { items: pick(this.random, ["[3, 5, 8]", "[]", { handler: "list" }, { handler: "list" }]), as: item, concurrency: between(this.random, 1, 3) };
    const onItemError = pick(this.random, ["stop", "null", "drop"]);
    if (onItemError !== "stop" && !this.isCalm) Object.assign(this.behaviour.get(inner.id), { failures: 0, failsFor: between(this.random, 0, 2) });
    const result = chance(this.random, 0.5) ? { result: `${item}_index` } : {};
    return { ...step, ...shape, onItemError, ...result, steps };
  }

  loop(depth) {
    const step = this.#new("loop", "again");
    const counter = `${step.name}_count`;
    const times = between(this.random, 1, 3);
    this.counters[counter] = 0;
    Object.assign(this.behaviour.get(step.id), { counter, times });
    const repeat = pick(this.random, [{ while: `${counter} < ${times}` }, { until: `${counter} >= ${times}` }, { until: { handler: "enough" } }]);
    const count = { ...this.#new("function", "count"), run: { set: { [counter]: `${counter} + 1` } } };
    const bound = chance(this.random, 0.3) ? { maxIterations: 1, onMax: "continue" } : { maxIterations: 5, onMax: "error" };
    return { ...step, repeat, ...bound, steps: [count, this.work(), ...this.block(depth, between(this.random, 0, 1))] };
  }

  switch(depth) {
    const cases = Array.from({ length: between(this.random, 1, 3) }, () => ({ when: this.#decision(), steps: this.block(depth, between(this.random, 1, 2)) }));
    return { ...this.#new("switch", "way"), cases, default: this.block(depth, between(this.random, 0, 1)) };
  }

  workflow(depth) {
    const step = { ...this.#new("workflow", "inner"), initialState: { own: 1 } };
    const last = this.work();
    // Loops inside need their counters, so a state of its own begins with the numbers it may count from.
    const steps = [...this.block(depth, between(this.random, 1, 2)), last];
    if (chance(this.random, 0.5)) step.with = { number: "number + 1", ...Object.fromEntries(Object.keys(this.counters).map((counter) => [counter, "0"])) };
    if (chance(this.random, 0.5)) step.set = { [step.name]: last.name };
    return { ...step, steps };
  }

  #decision() {
    const number = between(this.random, 2, 3);
    return pick(this.random, [`number % ${number} == 0`, `number > ${number * 2}`, { handler: "decide" }]);
  }

  #new(type, word) {
    this.#count += 1;
    const id = `s${this.#count}`;
    this.behaviour.set(id, { delay: pick(this.random, [0, 0, 1, 3, 6]), failures: 0, isHopeless: false });
    return { id, type, name: `${word}_${this.#count}` };
  }
}
