// Random workflows, each of which can be written in several ways.
import { Agent, customModel, Workflow } from "stepweave";
import { z } from "zod";
import { random } from "./support.js";

/** The same demand in two languages. */
const SCHEMAS = {
  number: { json: { type: "object", properties: { a: { type: "number" } }, required: ["a"] }, zod: z.looseObject({ a: z.number() }) },
  filled: { json: { type: "object", properties: { d: { type: "number", default: 9 } } }, zod: z.looseObject({ d: z.number().default(9) }) },
  anything: { json: {}, zod: z.any() },
};
const NUMBERS = ["a", "a + 1", "a * 2 - b", "c | default(7)", "l | length", "10 // b"];
const DECISIONS = ["a > 2", "b < 2", "c is defined", "true", "false", "a + b > 4"];
const KEYS = ["a", "b", "c", "d"];

/** A workflow as data: functions and agents are what they do, and a schema is its name in `SCHEMAS`. */
export function spec(seed) {
  const next = random(seed * 7919 + 1);
  for (let count = 0; count < 5; count += 1) next();
  const pick = (list) => list[Math.floor(next() * list.length)];
  const chance = (share) => next() < share;
  let count = 0;
  const block = (at) => Array.from({ length: 1 + Math.floor(next() * 2.5) }, () => step(at));
  const kinds = {
    set: () => ({ run: { set: { [pick(KEYS)]: pick(NUMBERS) } } }),
    call: () => ({ run: { does: pick(["sets", "sets", "throws", "yields", "fails once"]), key: pick(KEYS) }, retryCount: pick([0, 1]) }),
    ask: () => ({ agent: { says: pick(["hi", "", "a b"]) }, inputFrom: pick(["a is {{ a }}", { does: "writes" }]), ...(chance(0.5) && { history: { key: "talk" } }) }),
    end: (at) => ({ condition: pick(DECISIONS), steps: [{ name: `end${count}`, end: { scope: pick(at.scopes), status: pick(["done", "done", "error"]), message: "at {{ a }}" } }] }),
    approve: (at) => ({ type: "approval", steps: block(at), else: block(at) }),
    choose: (at) => ({ condition: pick(DECISIONS), steps: block(at), else: block(at) }),
    beside: (at) => ({ parallel: block(at) }),
    row: (at) => ({ steps: block(at) }),
    each: (at) => ({ items: pick(["l", "[3, 0, 1]"]), steps: block({ ...at, scopes: [...at.scopes, "item"] }), onItemError: pick(["stop", "null", "drop"]), ...(chance(0.5) && { result: pick(["a", "c", "10 // item"]) }) }),
    again: (at) => ({ repeat: { [pick(["while", "until"])]: pick(DECISIONS) }, maxIterations: 2, onMax: pick(["error", "continue"]), steps: block({ ...at, scopes: [...at.scopes, "round"] }) }),
    inner: (at) => ({ type: "workflow", ...(chance(0.5) && { set: { [pick(KEYS)]: "a" } }), steps: block({ ...at, scopes: ["run"] }) }),
  };
  function step({ depth, ...at }) {
    const names = Object.keys(kinds);
    const kind = pick(depth > 0 ? names : names.slice(0, 4));
    count += 1;
    const name = `${kind}${count}`;
    const checks = chance(0.25) ? { [pick(["input", "output"])]: pick(Object.keys(SCHEMAS)) } : {};
    return { name, ...kinds[kind]({ ...at, depth: depth - 1 }), ...checks, ...(chance(0.15) && { required: false }) };
  }
  return { name: "w", initialState: { a: Math.floor(next() * 4), b: Math.floor(next() * 3), l: [1, 2] }, steps: Array.from({ length: 3 }, () => step({ depth: 3, scopes: ["run"] })), onError: pick(["stop", "stop", "continue"]) };
}

const FUNCTIONS = {
  sets: ({ key }) => (state) => ({ [key]: (state.a ?? 0) + 1 }),
  throws: () => () => { throw new Error("no"); },
  yields: ({ key }) => function* () { yield "one "; yield "two"; return { [key]: 5 }; },
  "fails once": ({ key }) => (_, { attempt }) => { if (attempt === 1) throw new Error("once"); return { [key]: 3 }; },
  writes: () => (state) => `state ${JSON.stringify(state.a)}`,
};

/** The workflow of a spec, with its schemas in one of the languages. */
export function made(definition, language) {
  const written = (value, key) => {
    if ((key === "input" || key === "output") && typeof value === "string") return SCHEMAS[value][language];
    if (Array.isArray(value)) return value.map((item) => written(item));
    if (typeof value !== "object" || value === null) return value;
    if (value.does !== undefined) return FUNCTIONS[value.does](value);
    if (value.says !== undefined) return new Agent({ name: `says ${value.says}`, model: customModel("m", () => value.says) });
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member, name)]));
  };
  return new Workflow(written(definition));
}
