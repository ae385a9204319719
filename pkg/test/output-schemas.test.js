// The `output` schema of a step checks its result, and in every spelling of a schema nothing else becomes of the state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, Workflow } from "stepweave";
import { z } from "zod";

/** The same demand as JSON Schema and in a library's words, once with a default. */
const SAME = { "a JSON Schema": {}, "a JSON Schema with a default": { type: ["object", "string", "array", "boolean", "number"], properties: { d: { default: 9 } } }, zod: z.any() };
const inside = [{ name: "x", run: { set: { c: "1" } } }];

const run = (step) => new Workflow({ name: "w", steps: [step, { name: "behind", run: { set: { seen: `steps.${step.name}.output` } } }] }).run({ state: { b: 1 } });

for (const [spelling, output] of Object.entries(SAME)) {
  const d = spelling.endsWith("default") ? { d: 9 } : {};

  test(`an agent keeps its conversation where ${spelling} checks its answer`, async () => {
    const agent = new Agent({ name: "a", model: customModel("m", () => "hi") });
    const { state } = await run({ name: "ask", agent, inputFrom: "hello", history: { key: "talk" }, output });
    assert.deepEqual(state, { b: 1, talk: [{ role: "user", content: "hello" }, { role: "assistant", content: "hi" }], ask_output: "hi", seen: "hi" });
  });

  test(`a generator sets what it returns where ${spelling} checks what it yields`, async () => {
    const { state } = await run({ name: "count", run: function* () { yield "one"; return { more: 5 }; }, output });
    assert.deepEqual(state, { b: 1, count_output: "one", more: 5, seen: "one" });
  });

  test(`what a loop, a condition and a switch come to is no key of the state, also where ${spelling} checks it`, async () => {
    const loop = await run({ name: "again", repeat: { until: "true" }, maxIterations: 2, steps: inside, output });
    assert.deepEqual(loop.state, { b: 1, c: 1, seen: { iterations: 1, ...d } });
    const condition = await run({ name: "whether", condition: "true", steps: inside, output });
    assert.deepEqual(condition.state, { b: 1, c: 1, seen: true });
    const choice = await run({ name: "which", cases: [{ when: "true", steps: inside }], default: [], output });
    assert.deepEqual(choice.state, { b: 1, c: 1, seen: 0 });
  });

  test(`only the keys of \`set\` come out of a workflow step, as ${spelling} has made them`, async () => {
    const { state } = await run({ name: "inner", type: "workflow", steps: inside, set: { got: "c" }, output });
    assert.deepEqual(state, { b: 1, got: 1, ...d, seen: { got: 1, ...d } });
    const whole = await run({ name: "inner", type: "workflow", with: {}, steps: inside, output });
    assert.deepEqual(whole.state, { b: 1, inner_output: { c: 1, ...d }, seen: { c: 1, ...d } });
  });
}

const text = z.any().transform(() => "text");
for (const [what, step] of Object.entries({
  "the input of a step": { name: "one", input: text, run: () => ({ c: 1 }) },
  "what a function sets": { name: "one", output: text, run: () => ({ c: 1 }) },
  "the state behind a sequence": { name: "one", output: text, steps: inside },
  "what a workflow step sets": { name: "one", type: "workflow", set: { c: "c" }, output: text, steps: inside },
})) {
  test(`a schema that makes a text of ${what} fails it: a text has no keys`, async () => {
    const { status, error, state } = await run(step);
    assert.deepEqual([status, error.code, error.step.name, "0" in state], ["error", "handler", "one", false]);
    assert.match(error.message, /does not fit its schema: the schema makes "text" of an object whose keys belong to the state$/);
  });
}

for (const key of ["input", "output"]) {
  test(`a schema that makes a text of the ${key} of the workflow fails it`, async () => {
    const { status, error } = await new Workflow({ name: "w", [key]: text, steps: inside }).run({ state: { b: 1 } });
    assert.deepEqual([status, error.code], ["error", "handler"]);
    assert.match(error.message, new RegExp(`^the ${key} of the workflow does not fit its schema: `));
  });
}

test("an answer may become anything: its schema makes a text of an object", async () => {
  const agent = new Agent({ name: "a", model: customModel("m", () => '{"n":3}'), output: z.object({ n: z.number() }) });
  const { state } = await run({ name: "ask", agent, inputFrom: "hello", output: z.object({ n: z.number() }).transform(({ n }) => `n is ${n}`) });
  assert.deepEqual(state, { b: 1, ask_output: "n is 3", seen: "n is 3" });
});
