// What somebody meets who writes a first workflow, with one mistake in it: where it is, and what to write.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { Agent, demo, StepweaveError, tool, validate, Workflow } from "stepweave";
import { ReasoningAgent, think } from "stepweave/reasoning";
import { scriptedModel } from "stepweave/testing";

const step = { name: "f", run: () => ({ a: 1 }) };
const agent = () => new Agent({ name: "writer", model: demo() });
const written = (...steps) => new Workflow({ name: "w", steps });

/** What is said, and where: when the workflow is made, or when it is run. */
async function refusal(make) {
  try {
    const { error } = await make().run();
    return error;
  } catch (error) {
    return error;
  }
}

test("what is no list of steps is told when the workflow is made, with what to write", () => {
  for (const [make, message, hint] of [
    [() => new Workflow({ name: "w", steps: { a: step } }), "`steps` takes a list, not this object", "steps: [{ … }, …]"],
    [() => written({ name: "p", parallel: { a: step, b: step } }), "`steps[0].parallel` takes a list, not this object", "parallel: [{ … }, …]"],
    [() => written({ name: "c", condition: "true", steps: { a: () => ({}) } }), "`steps[0].steps` takes a list, not this object", "steps: [{ … }, …]"],
    [() => written({ name: "s", cases: { a: [step] }, default: [] }), "`steps[0].cases` takes a list, not this object", "cases: [{ … }, …]"],
    [() => written(new Workflow({ name: "in", steps: [step] })), "`steps[0]` takes a step, not this Workflow", '{ name: "…", workflow }'],
    [() => written(agent()), "`steps[0]` takes a step, not this Agent", '{ name: "…", agent }'],
    [() => written(new ReasoningAgent({ name: "r", model: demo(), steps: [think("s", () => "x")] })), "`steps[0]` takes a step, not this ReasoningAgent", '{ name: "…", agent }'],
    [() => written(tool({ name: "t", execute: () => 1 })), "`steps[0]` takes a step, not this Tool", '{ name: "…", run: (state) => ({ … }) }'],
    [() => written([step]), "`steps[0]` takes a step, not this list", '{ name: "…", steps: [ … ] }'],
    [() => written({ name: "p", parallel: [[step]] }), "`steps[0].parallel[0]` takes a step, not this list", '{ name: "…", steps: [ … ] }'],
    [() => written({ name: "s", run: "foo" }), "`steps[0].run` takes a function, not this text", 'run: (state) => ({ … }), or run: { set: { total: "price * 2" } }'],
  ]) {
    assert.throws(make, { code: "document", message, hint: `write ${hint}` });
  }
});

test("a function under another key of a step is told where functions stand", async () => {
  for (const key of ["exec", "execute", "handler", "fn"]) {
    assert.match((await refusal(() => written({ name: "s", [key]: () => ({}) }))).hint, /^functions of a step stand under run, inputFrom, /, key);
  }
  // What is inside of `run` is no key of a step.
  assert.match((await refusal(() => written({ name: "s", run: { set: { a: () => 1 } } }))).hint, /^no function is taken here/);
});

test("the error of a document names the step that its first problem is of", async () => {
  const inner = { name: "in", steps: [{ name: "ask", agent: agent(), prompt: "x" }] };
  const { step: found } = await refusal(() => written(step, inner));
  assert.deepEqual(found, { id: "in.ask", path: "steps[1].steps[0]", name: "ask", key: "in.ask" });
  assert.equal((await refusal(() => new Workflow({ name: "w", limit: {}, steps: [step] }))).step, undefined);
});

test("a schema without a keyword of JSON Schema is refused: it would check nothing", async () => {
  for (const schema of [{ foo: 1 }, { topic: "string" }, { topic: { type: "string" } }]) {
    for (const make of [
      () => written({ ...step, input: schema }),
      () => written({ ...step, output: schema }),
      () => new Workflow({ name: "w", input: schema, steps: [step] }),
      () => written({ name: "ask", agent: new Agent({ name: "a", model: demo(), tools: [tool({ name: "t", input: schema, execute: () => 1 })] }), inputFrom: "x" }),
      () => written({ name: "ask", agent: new Agent({ name: "a", model: demo(), output: schema }), inputFrom: "x" }),
      () => Workflow.fromDocument({ version: 1, name: "w", steps: [{ id: "s", type: "function", name: "s", run: { set: {} }, input: schema }] }),
    ]) {
      const { code, message, hint } = await refusal(make);
      assert.equal(code, "validation");
      assert.match(message, /cannot be used: the schema has no keyword of JSON Schema, but `(?:foo|topic)`$/);
      assert.match(hint, /^write \{ type: "object", properties: \{ (?:foo|topic): /);
    }
  }
  for (const schema of [{}, true, { description: "anything" }, { "x-own": 1 }, { $comment: "c" }, { default: 1 }, { format: "date" }]) {
    assert.equal((await written({ ...step, input: schema }).run()).status, "done", JSON.stringify(schema));
  }
  const [problem] = await validate({ version: 1, name: "w", steps: [{ id: "s", type: "function", name: "s", run: { set: {} }, input: { foo: 1 } }] });
  assert.equal(problem.path, "steps[0].input");
});

test("an answer that no model can be told of is refused when the agent is made", () => {
  const output = v.object({ city: v.string() });
  assert.throws(() => new Agent({ name: "a", model: demo(), output }), ({ code, hint }) => code === "validation" && /^wrap a schema of valibot in toStandardJsonSchema/.test(hint));
});

test("an id that is empty is none", async () => {
  for (const name of ["sessionId", "userId", "tenantId", "owner"]) {
    await assert.rejects(written(step).run({ [name]: "" }), { code: "validation", message: `the option \`${name}\` is "", and no id` });
  }
});

test("a hint begins with words, also where an answer that broke off has none of its own", async () => {
  const broken = new StepweaveError("rate_limit", "busy", { retryable: true });
  const model = scriptedModel([["It i", broken]]);
  const workflow = new Workflow({ name: "w", retryPolicy: { maxRetries: 1 }, steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "x" }] });
  const { error } = await workflow.run();
  assert.ok(/what had come was passed on already/.test(error.hint) && /^\w/.test(error.hint), error.hint);
});
