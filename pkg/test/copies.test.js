// What one copy of the package makes and another one is given: `require("stepweave")` is one, the ES modules are another,
// which the other entries belong to in CommonJS too.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as main from "stepweave";
import * as reasoning from "stepweave/reasoning";

const modules = { ...main, ...reasoning };
const require = createRequire(import.meta.url);
const common = { ...require("stepweave"), ...require("stepweave/reasoning") };
const entries = Object.fromEntries(["testing", "stores", "stores/node", "ui", "worker", "mcp", "openapi"].map((name) => [name, require(`stepweave/${name}`)]));

const thrown = async (call) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
};

test("they are two copies", () => {
  assert.notEqual(common.StepweaveError, modules.StepweaveError);
});

test("an error of any entry is a StepweaveError in CommonJS", async () => {
  const calls = {
    testing: ({ scriptedModel }) => scriptedModel(["one"]).done(),
    stores: async ({ memoryStore }) => {
      const store = memoryStore();
      await store.append("a", [{ key: "k", at: 0 }], 5);
    },
    "stores/node": ({ fileStore }) => fileStore(join(tmpdir(), "stepweave-copies")).append("a", [{ key: "k", at: 0 }], 5),
    ui: ({ toUIMessageStream }) => toUIMessageStream(5),
    mcp: ({ mcpTools }) => mcpTools(5),
    openapi: ({ openApiTools }) => openApiTools(5, {}),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await thrown(() => call(entries[name]));
    assert.ok(error instanceof common.StepweaveError, `${name}: ${error.stack}`);
    assert.ok(error instanceof modules.StepweaveError && error instanceof Error, name);
    assert.equal(error.name, "StepweaveError");
  }
});

test("what is no such error is none, and a class of one's own is distinguished", () => {
  for (const { StepweaveError } of [common, modules]) {
    class Own extends StepweaveError {}
    const [own, plain] = [new Own("tool", "mine"), new StepweaveError("tool", "its")];
    assert.deepEqual([own instanceof Own, own instanceof StepweaveError, plain instanceof Own, plain instanceof StepweaveError], [true, true, false, true]);
    const named = Object.assign(new Error("no"), { name: "StepweaveError", code: "tool" });
    for (const other of [named, {}, null, undefined, "StepweaveError", () => {}]) assert.equal(other instanceof StepweaveError, false);
  }
});

test("classes keep their names, so that what is printed says what it is", () => {
  const { Agent, demo, ModelConfig, ReasoningAgent, openai, run, StepweaveError, think, tool, Workflow } = common;
  const agent = new Agent({ name: "a", model: demo() });
  const made = { Agent: agent, ReasoningAgent: new ReasoningAgent({ name: "r", model: demo() }), Workflow: new Workflow({ name: "w", steps: [] }), ModelConfig: new ModelConfig({ name: "m" }), StepRecord: think("s", () => ""), CustomRun: run(() => 1), Tool: tool({ name: "t", execute: () => 1 }), StepweaveError: new StepweaveError("tool", "x") };
  for (const [name, value] of Object.entries(made)) assert.equal(value.constructor.name, name);
  assert.deepEqual([StepweaveError.name, Agent.name, modules.Workflow.name], ["StepweaveError", "Agent", "Workflow"]);
  assert.equal(openai("m").constructor, Object);
});

test("models, tools, agents and steps of one copy work in the other", async () => {
  for (const [one, other] of [[common, modules], [modules, common]]) {
    const { scriptedModel } = entries.testing;
    const add = other.tool({ name: "add", input: { type: "object", properties: { a: { type: "number" } } }, execute: ({ a }) => a + 1 });
    const model = scriptedModel([{ type: "toolCall", name: "add", input: { a: 1 } }, "It is 2."]);
    const agent = new other.Agent({ name: "a", model, tools: [add] });
    const { state, status } = await new one.Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "Hi" }] }).run();
    assert.deepEqual([status, state], ["done", { ask_output: "It is 2." }]);
    model.done();
    const own = one.customModel("own", () => "mine");
    const step = other.think("say", { model: new other.ModelConfig({ name: "own" }) }, (input) => input);
    assert.equal((await new one.ReasoningAgent({ name: "b", model: own, tools: [add], steps: [step], toolConfidence: 1 }).run("x")).status, "done");
    // An error keeps its code, and says whether trying again helps, wherever it was made.
    const busy = new other.StepweaveError("rate_limit", "busy", { retryable: false });
    const { error } = await new one.Workflow({ name: "w", steps: [{ name: "x", run: () => { throw busy; } }] }).run();
    assert.deepEqual([error.code, error.retryable], ["rate_limit", false]);
  }
});

test("a function that a model is is nothing that is printed or stored", () => {
  const model = modules.customModel("own", () => "secret words");
  assert.equal(JSON.stringify(model).includes("secret words"), false);
  assert.deepEqual(Object.keys({ ...model }).sort(), ["model", "provider"]);
});
