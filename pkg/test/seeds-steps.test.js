// Sections 2.1 and 2.2 of docs/seeds/timbal.md: steps, what goes in and out of them, generators.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, validate, Workflow } from "stepweave";
import { z } from "zod";
import { eventsOf, rejection, virtualClock } from "./support.js";

const workflowOf = (...steps) => new Workflow({ name: "w", steps });
const run = async (step, state) => workflowOf({ name: "x", ...step }).run({ state });

/** What a step ends with, and what its function has seen of the state. */
async function seen(step, state) {
  let given;
  const result = await run({ ...step, run: (s) => { given = s; return {}; } }, state);
  return { given, status: result.status, message: result.errors[0]?.message };
}

test("2.1/1 2.1/2 a step has one function, which is what it runs", async () => {
  const calls = [];
  const workflow = workflowOf({ name: "one", run: (state) => { calls.push(state.n); return { n: state.n + 1 }; } }, { name: "two", run: (state) => { calls.push(state.n); } });
  assert.equal(typeof workflow.handlers["one.run"], "function");
  assert.deepEqual((await workflow.run({ state: { n: 1 } })).state, { n: 2 });
  assert.deepEqual(calls, [1, 2]);
});

test("2.1/3 functions of every kind are taken, also bound ones; what is none is refused with its place", async () => {
  const home = { factor: 3, times({ n }) { return { n: n * this.factor }; } };
  const kinds = [(s) => ({ n: s.n * 3 }), async (s) => ({ n: s.n * 3 }), function* (s) { return { n: s.n * 3 }; }, async function* (s) { return { n: s.n * 3 }; }, home.times.bind(home)];
  for (const kind of kinds) assert.deepEqual((await run({ run: kind }, { n: 2 })).state, { n: 6 });
  for (const wrong of [42, "n * 3", { call() {} }, null]) {
    const error = await rejection(run({ run: wrong }, {}));
    assert.equal(error.code, "document");
    assert.match(error.problems[0]?.path ?? "", /^steps\[0\]/);
  }
});

test("2.1/4 2.1/11 input and output are readable as JSON Schema, also those of a library", () => {
  const json = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
  const [own, library, none] = workflowOf(
    { name: "own", input: json, output: json, run: () => ({}) },
    { name: "library", input: z.object({ n: z.number().int() }), output: z.object({ text: z.string() }), run: () => ({}) },
    { name: "none", run: () => ({}) },
  ).steps;
  assert.deepEqual([own.paramsSchema, own.returnSchema], [json, json]);
  assert.equal(library.paramsSchema.properties.n.type, "integer");
  assert.deepEqual(library.paramsSchema.required, ["n"]);
  assert.equal(library.returnSchema.properties.text.type, "string");
  assert.ok(!("paramsSchema" in none) && !("returnSchema" in none));
});

test("2.1/5 each property of the input is a field with its type, and a default or required", async () => {
  const library = z.object({ topic: z.string(), tags: z.array(z.string()).optional(), any: z.any().optional(), count: z.number().default(3) });
  const json = { type: "object", properties: { topic: { type: "string" }, tags: { type: "array", items: { type: "string" } }, any: {}, count: { type: "number" } }, required: ["topic"] };
  assert.deepEqual((await seen({ input: library }, { topic: "bees" })).given, { topic: "bees", count: 3 });
  for (const input of [library, json]) {
    assert.deepEqual((await seen({ input }, { topic: "bees", count: 4 })).given, { topic: "bees", count: 4 });
    for (const any of [1, "x", null, [{}]]) assert.deepEqual((await seen({ input }, { topic: "bees", any, tags: ["a"], count: 1 })).given, { topic: "bees", any, tags: ["a"], count: 1 });
    // Each field that is missing or has another type is reported by its name, and the function is not called.
    for (const [state, field] of [[{ count: 1 }, "topic"], [{ topic: 5 }, "topic"], [{ topic: "bees", count: "many" }, "count"], [{ topic: "bees", tags: ["a", 2] }, "tags"]]) {
      const { status, message, given } = await seen({ input }, state);
      assert.deepEqual([status, given], ["error", undefined]);
      assert.ok(message.includes(`\`${field}`), message);
    }
    const { properties, required } = workflowOf({ name: "x", input, run: () => ({}) }).steps[0].paramsSchema;
    assert.deepEqual([Object.keys(properties), required.includes("topic"), properties.topic.type, properties.count.type], [["topic", "tags", "any", "count"], true, "string", "number"]);
  }
});

test("2.1/6 a function has one object of parameters: keys that the schema does not name are in it too", async () => {
  for (const input of [{ properties: { n: { type: "number" } } }, z.object({ n: z.number() })]) {
    assert.deepEqual((await seen({ input }, { n: 1, other: [2] })).given, { n: 1, other: [2] });
  }
});

test("2.1/7 bounds, descriptions and choices are part of the schema, and hold", async () => {
  const input = { properties: { n: { type: "integer", minimum: 1, maximum: 5, description: "How many." }, tone: { enum: ["dry", "warm"] } } };
  assert.deepEqual(workflowOf({ name: "x", input, run: () => ({}) }).steps[0].paramsSchema, input);
  assert.equal((await seen({ input }, { n: 5, tone: "dry" })).status, "done");
  assert.match((await seen({ input }, { n: 6, tone: "dry" })).message, /`n` must be at most 5, but is 6/);
  assert.match((await seen({ input }, { n: 1, tone: "loud" })).message, /`tone`/);
});

test("2.1/8 fields that must agree in their type are a schema of alternatives", async () => {
  const both = (type) => ({ properties: { a: { type }, b: { type: "array", items: { type } } } });
  const input = { anyOf: [both("number"), both("string")] };
  assert.equal((await seen({ input }, { a: 1, b: [2] })).status, "done");
  assert.equal((await seen({ input }, { a: "1", b: ["2"] })).status, "done");
  assert.equal((await seen({ input }, { a: 1, b: ["2"] })).status, "error");
});

test("2.1/9 the output is what a step must give; without one, anything is right", async () => {
  assert.equal(workflowOf({ name: "x", run: () => ({}) }).steps[0].returnSchema, undefined);
  assert.deepEqual((await run({ run: () => ({ a: 1, b: ["x"] }) })).state, { a: 1, b: ["x"] });
  const output = z.object({ a: z.number().transform((a) => a * 2) });
  assert.deepEqual((await run({ output, run: () => ({ a: 4 }) })).state, { a: 8 });
});

test("2.1/10 what a step gives is validated, and nothing of it is kept when it does not fit", async () => {
  for (const output of [{ properties: { n: { type: "integer" } } }, z.object({ n: z.number().int() })]) {
    const { status, state, errors } = await run({ output, run: () => ({ n: "text" }) }, { n: 1 });
    assert.deepEqual([status, state, errors[0].code, errors[0].step.name], ["error", { n: 1 }, "validation", "x"]);
    assert.match(errors[0].message, /`n`/);
  }
});

test("2.1/12 agent steps are those that ask a model", () => {
  const agent = new Agent({ name: "a", model: demo() });
  const steps = workflowOf({ name: "ask", agent, inputFrom: async () => "x" }, { name: "compute", run: () => ({}) }, { name: "both", parallel: [{ name: "inner", agent, inputFrom: "y" }] }).steps;
  assert.deepEqual(steps.map(({ name, isLlm }) => [name, isLlm]), [["ask", true], ["compute", false], ["both", false], ["inner", true]]);
});

test("2.1/13 a step's metadata says whether its function is async or an async generator, never both", () => {
  const steps = workflowOf(
    { name: "plain", run: () => ({}) },
    { name: "promising", run: () => Promise.resolve({}) },
    { name: "async", run: async () => ({}) },
    { name: "generator", *run() {} },
    { name: "async generator", async *run() {} },
    { name: "data", run: { set: { a: "1" } } },
    { name: "code", run: { code: "return {}" } },
  ).steps;
  assert.deepEqual(steps.filter(({ isCoroutine }) => isCoroutine).map(({ name }) => name), ["async"]);
  assert.deepEqual(steps.filter(({ isAsyncGen }) => isAsyncGen).map(({ name }) => name), ["async generator"]);
});

test("2.1/14 a step has an id, unique in its workflow, a path, and notes and keys of its own", async () => {
  const inner = { name: "same", run: () => ({}) };
  const workflow = workflowOf(
    { name: "all", parallel: [inner, { name: "lane", steps: [inner] }], notes: "For review.", "x-team": "blue" },
    { name: "choose", cases: [{ when: "true", steps: [inner] }], default: [{ ...inner, id: "own" }] },
    { name: "maybe", condition: "true", steps: [inner], else: [inner] },
    { name: "sub", workflow: workflowOf(inner) },
  );
  const steps = workflow.steps;
  assert.deepEqual(steps.map(({ id, path, type }) => `${id} ${path} ${type}`), [
    "all steps[0] parallel", "all.same steps[0].parallel[0] function", "all.lane steps[0].parallel[1] sequence", "all.lane.same steps[0].parallel[1].steps[0] function",
    "choose steps[1] switch", "choose.case1.same steps[1].cases[0].steps[0] function", "own steps[1].default[0] function",
    "maybe steps[2] condition", "maybe.same steps[2].steps[0] function", "maybe.else.same steps[2].else[0] function",
    "sub steps[3] workflow", "sub.same steps[3].steps[0] function",
  ]);
  assert.ok(Object.isFrozen(steps) && steps.every(Object.isFrozen));
  assert.equal(workflow.steps, steps);
  const [all] = workflow.toDocument().steps;
  assert.deepEqual([all.notes, all["x-team"]], ["For review.", "blue"]);
  const again = Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
  assert.deepEqual(again.steps, steps);
  assert.deepEqual(Workflow.fromDocument({ version: 1, name: "w", steps: [null, { steps: 1 }] }).steps.map(({ path }) => path), ["steps[1]"]);
  assert.ok((await validate({ version: 1, name: "w", steps: [{ id: "a", type: "sequence", name: "a", steps: [] }, { id: "a", type: "sequence", name: "b", steps: [] }] })).some(({ severity }) => severity === "error"));
});

test("2.1/15 a step checks what it is given itself, wherever it stands, and its function is not called", async () => {
  const calls = [];
  const checked = { name: "checked", input: { required: ["n"] }, run: () => { calls.push(1); } };
  const places = [checked, { name: "lane", steps: [checked] }, { name: "all", parallel: [checked] }, { name: "each", items: "[1]", steps: [checked] }, { name: "sub", with: {}, steps: [checked] }];
  for (const place of places) {
    const { errors } = await workflowOf(place).run();
    assert.deepEqual(errors.map(({ code, step }) => [code, step.name]), [["validation", "checked"]]);
  }
  assert.deepEqual(calls, []);
});

test("2.1/16 values are taken as they are; with coerce, what plainly means the right type becomes it", async () => {
  const input = { properties: { n: { type: "integer" } } };
  assert.match((await seen({ input }, { n: "3" })).message, /`n` must be a whole number, but is "3"/);
  assert.deepEqual((await seen({ input, coerce: true }, { n: "3", unknown: 1 })).given, { n: 3, unknown: 1 });
  assert.equal((await seen({ input, coerce: true }, { n: "3.5" })).status, "error");
});

test("2.1/17 functions may answer at once or later", async () => {
  const { state } = await workflowOf({ name: "now", run: () => ({ a: 1 }) }, { name: "later", run: async ({ a }) => ({ b: a + 1 }) }, { name: "thenable", run: ({ b }) => ({ then: (done) => done({ c: b + 1 }) }) }).run();
  assert.deepEqual(state, { a: 1, b: 2, c: 3 });
});

/** What a generator's step emits and gives. */
async function generated(generator, more) {
  const started = workflowOf({ name: "gen", run: generator, ...more }).start({ clock: virtualClock() });
  const { state, status, stepResults, errors } = await started.result;
  const deltas = (await eventsOf(started)).filter(({ type }) => type === "step.delta").map(({ text, value }) => (value === undefined ? text : value));
  return { deltas, state, status, output: stepResults[0].output, text: stepResults[0].text, errors };
}

test("2.2/18 what an async generator yields is emitted in order, and its list is the step's output", async () => {
  const { deltas, state, output } = await generated(async function* () { yield { row: 1 }; await null; yield { row: 2 }; });
  assert.deepEqual(deltas, [{ row: 1 }, { row: 2 }]);
  assert.deepEqual([state, output], [{ gen_output: deltas }, deltas]);
});

test("2.2/19 a generator is the same, and yielding null does not end it", async () => {
  const { deltas, state } = await generated(function* () { yield 1; yield null; yield 2; return { more: true }; });
  assert.deepEqual(deltas, [1, null, 2]);
  assert.deepEqual(state, { gen_output: [1, null, 2], more: true });
});

test("2.2/20 texts make one text, texts among other things a list", async () => {
  assert.deepEqual((await generated(async function* () { yield "bees "; yield "and "; yield "trees"; })).state, { gen_output: "bees and trees" });
  assert.deepEqual((await generated(function* () { yield "bees"; yield 2; })).state, { gen_output: ["bees", 2] });
});

test("2.2/22 a nested workflow emits its own steps and pieces, with their places, and gives one value", async () => {
  const inner = new Workflow({ name: "inner", steps: [{ name: "gen", *run() { yield "a"; yield "b"; } }] });
  const started = workflowOf({ name: "sub", workflow: inner, with: {} }).start();
  const { state, stepResults } = await started.result;
  assert.deepEqual(state, { sub_output: { gen_output: "ab" } });
  assert.deepEqual(stepResults.map(({ path, status }) => `${path} ${status}`), ["steps[0] done", "steps[0].steps[0] done"]);
  assert.deepEqual((await eventsOf(started)).filter(({ type }) => type === "step.delta").map(({ step, text }) => `${step.path} ${text}`), ["steps[0].steps[0] a", "steps[0].steps[0] b"]);
});

test("2.2/23 when a generator throws in the middle, its pieces stay emitted and the step fails without an output", async () => {
  const broken = new Error("the line broke");
  for (const generator of [function* () { yield "one "; yield "two"; throw broken; }, async function* () { yield "one "; yield "two"; throw broken; }]) {
    const { deltas, state, status, output, text, errors } = await generated(generator);
    assert.deepEqual([deltas, state, status, output, text], [["one ", "two"], {}, "error", undefined, "one two"]);
    assert.equal(errors[0].cause, broken);
  }
});
