// A workflow that is a step of another one: what it says counts there too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, openai, StepweaveError, tool, Workflow } from "stepweave";
import { traced } from "stepweave/otel";
import { z } from "zod";

const fails = (name) => ({ name, run: () => { throw new StepweaveError("handler", `${name} failed`, { retryable: false }); } });
const sets = (name) => ({ name, run: () => ({ [name]: true }) });
const around = (inner, step, outer) => new Workflow({ name: "outer", ...outer, steps: [{ name: "sub", workflow: inner, ...step }, sets("after")] });

test("its onError decides for its own steps alone, at every depth", async () => {
  for (const outerSays of [undefined, "stop", "continue"]) {
    const inner = new Workflow({ name: "inner", onError: "continue", steps: [fails("a"), { name: "deep", steps: [{ name: "way", condition: "true", steps: [fails("b"), sets("c")] }] }, sets("d")] });
    const { status, state, errors } = await around(inner, {}, { onError: outerSays }).run();
    assert.deepEqual([status, state, errors.map(({ message }) => message)], ["done", { sub_output: { c: true, d: true }, after: true }, ["a failed", "b failed"]], outerSays);
  }
  const inner = new Workflow({ name: "inner", onError: "stop", steps: [fails("a"), sets("b")] });
  const { status, state, stepResults } = await around(inner, {}, { onError: "continue" }).run();
  assert.deepEqual([status, state, stepResults.map(({ name, status }) => `${name} ${status}`)], ["done", { after: true }, ["sub error", "a error", "after done"]]);
});

test("a traced workflow, and one of a document, says why it is no step and no tool", async () => {
  const document = { version: 1, name: "inner", steps: [] };
  for (const inner of [traced(new Workflow({ name: "inner", steps: [sets("a")] })), Workflow.fromDocument(document)]) {
    const refused = ({ code, message, hint }) => code === "document" && /`workflow` of `\w+` is not itself a Workflow/.test(message) && /put traced\(\) around the outer one/.test(hint);
    assert.throws(() => around(inner), refused);
    await assert.rejects(async () => new Agent({ name: "a", model: demo(), tools: [tool({ name: "q", workflow: inner })] }).run("x"), refused);
  }
});

test("a step's own onError wins, and so does that of a workflow further inside", async () => {
  const innermost = new Workflow({ name: "innermost", onError: "stop", steps: [fails("x"), sets("y")] });
  const inner = new Workflow({ name: "inner", onError: "continue", steps: [{ name: "deeper", workflow: innermost }, { ...fails("a"), onError: "stop" }, sets("b")] });
  const { status, errors, stepResults } = await around(inner).run();
  assert.deepEqual([status, errors.map(({ message }) => message)], ["error", ["x failed", "a failed"]]);
  assert.ok(!stepResults.some(({ name }) => name === "y" || name === "b"));
});

test("its input and its output are checked over its own state, as in a run of its own", async () => {
  const json = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
  for (const schema of [json, z.object({ n: z.number() }).loose()]) {
    const checksIn = new Workflow({ name: "inner", input: schema, initialState: { other: 1 }, steps: [sets("ran")] });
    const refused = await around(checksIn, {}, { initialState: { n: "text" } }).run();
    assert.deepEqual([refused.status, refused.error.code, refused.error.step.name, refused.state], ["error", "validation", "inner", { n: "text" }]);
    assert.match(refused.error.message, /^the input of `inner` does not fit its schema: /);
    assert.ok(!refused.stepResults.some(({ name }) => name === "sub" && name === "ran"));
    assert.equal((await around(checksIn, { with: { n: "1" } }).run()).status, "done");
    const checksOut = new Workflow({ name: "inner", output: schema, steps: [{ name: "gives", run: () => ({ n: "text" }) }] });
    const wrong = await around(checksOut, { set: { m: "n" } }).run();
    assert.deepEqual([wrong.status, wrong.error.code, wrong.error.step.name, wrong.state], ["error", "validation", "inner", {}]);
    // What its steps survive is no matter of its schemas.
    const lenient = new Workflow({ name: "inner", input: schema, onError: "continue", steps: [sets("ran")] });
    assert.equal((await around(lenient).run()).status, "error");
  }
});

test("what its input schema fills in is there for its steps", async () => {
  const inner = new Workflow({ name: "inner", input: z.object({ n: z.number().default(7) }).loose(), steps: [{ name: "see", run: ({ n }) => ({ seen: n }) }] });
  assert.equal((await around(inner, { set: { seen: "seen" } }).run()).state.seen, 7);
});

test("its maxRetries and its stepTimeoutMs hold for its steps", async () => {
  let calls = 0;
  const flaky = { name: "flaky", run: () => { calls += 1; if (calls < 3) throw new Error("fetch failed"); } };
  const slow = { name: "slow", run: () => new Promise((resolve) => setTimeout(resolve, 200)) };
  const inner = new Workflow({ name: "inner", retryPolicy: { maxRetries: 2, backoffMs: 0 }, limits: { stepTimeoutMs: 20 }, steps: [flaky, { ...slow, retryCount: 0 }] });
  const { error } = await around(inner, {}, { retryPolicy: { backoffMs: 0 } }).run();
  assert.deepEqual([calls, error.code, error.step.name], [3, "timeout", "slow"]);
});

test("its initial state stays where its step names other keys, and its prices count", async () => {
  const inner = new Workflow({ name: "inner", initialState: { a: 1, b: 1 }, prices: { own: { input: 1, output: 1 } }, agents: { x: new Agent({ name: "x", model: openai("own") }) }, steps: [sets("c")] });
  const outer = around(inner, { initialState: { b: 2 }, with: {} });
  assert.deepEqual((await outer.run()).state.sub_output, { a: 1, b: 2, c: true });
  assert.deepEqual(outer.toDocument().prices, { own: { input: 1, output: 1 } });
  assert.deepEqual(around(inner, {}, { prices: { own: { input: 2, output: 2 } } }).toDocument().prices, { own: { input: 2, output: 2 } });
});

test("steps beside a workflow are refused, for they would be lost", () => {
  const inner = new Workflow({ name: "inner", steps: [sets("a")] });
  assert.throws(() => around(inner, { steps: [sets("b")] }), { code: "document", message: /has a `workflow` and `steps`/ });
});

test("as a document it does the same", async () => {
  const inner = new Workflow({ name: "inner", onError: "continue", input: { type: "object", required: ["n"] }, steps: [fails("a"), sets("b"), { name: "say", agent: new Agent({ name: "a", model: demo() }) }] });
  const outer = around(inner, {}, { initialState: { n: 1 } });
  const again = Workflow.fromDocument(outer.toDocument(), { handlers: outer.handlers });
  const [one, two] = [await outer.run(), await again.run()];
  assert.deepEqual([one.status, one.state], [two.status, two.state]);
  assert.deepEqual(one.stepResults.map(({ key, status }) => [key, status]), two.stepResults.map(({ key, status }) => [key, status]));
});
