// Tools as they are written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, tool, Tool, Workflow } from "stepweave";
import { ReasoningAgent } from "stepweave/reasoning";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const cities = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

test("a tool is a function with what a model is sent about it, and never changes", () => {
  const execute = ({ city }) => city;
  const weather = tool({ name: "weather", description: "The weather.", input: cities, scopes: ["act"], needsApproval: true, timeoutMs: 5000, version: "2", execute });
  assert.ok(weather instanceof Tool);
  assert.deepEqual({ ...weather }, { name: "weather", description: "The weather.", input: cities, output: undefined, scopes: ["act"], needsApproval: true, timeoutMs: 5000, version: "2", execute, http: undefined, workflow: undefined, provider: undefined });
  assert.throws(() => { weather.name = "other"; }, TypeError);
  assert.throws(() => weather.scopes.push("think"), TypeError);
});

test("a schema alone is no tool, of whatever library it is", () => {
  for (const schema of [v.object({ city: v.string() }), z.object({ city: z.string() }), type({ city: "string" })]) {
    assert.throws(() => tool(schema), { code: "validation", message: "a tool is made of an object or a function, and was given a schema", hint: 'write tool({ name: "search", input: schema, execute: ({ query }) => … })' });
  }
});

test("a function alone is a tool under its own name", () => {
  assert.equal(tool(function now() {}).name, "now");
  assert.deepEqual([tool(() => 1, { name: "one" }).name, tool(function now() {}, { description: "The time." }).description], ["one", "The time."]);
});

test("what is no tool is refused, with what to write", () => {
  const execute = () => 1;
  const refused = [
    [undefined, "a tool is made of an object or a function"],
    [{ name: "x" }, "a tool needs a function as `execute`"],
    [{ execute: () => 1, name: "" }, "a tool has no name"],
    [{ execute, name: "two words" }, "a tool cannot be named `two words`"],
    [{ execute, name: "1st" }, "a tool cannot be named `1st`"],
    [{ execute, name: "x".repeat(65) }, `a tool cannot be named \`${"x".repeat(65)}\``],
    [{ execute, name: "x", describe: "" }, "the tool x has no option `describe`"],
    [{ execute, name: "x", description: 5 }, "the `description` of the tool x is no text"],
    [{ execute, name: "x", input: { type: "string" } }, "the `input` of the tool x is no schema of an object"],
    [{ execute, name: "x", input: z.string() }, "the `input` of the tool x is no schema of an object"],
    [{ execute, name: "x", input: "city" }, "the `input` of the tool x is no schema of an object"],
    ...[5, "city", null, []].map((output) => [{ execute, name: "x", output }, "the `output` of the tool x is no schema"]),
    [{ execute, name: "x", needsApproval: "yes" }, "the `needsApproval` of the tool x is no true, false or function"],
    [{ execute, name: "x", timeoutMs: 0 }, "the `timeoutMs` of the tool x is no whole number from 1 on"],
    [{ execute, name: "x", version: 2 }, "the `version` of the tool x is no text"],
    [{ execute, name: "x", scopes: "act" }, "the `scopes` of the tool x is no list of texts"],
  ];
  for (const [given, message] of refused) {
    assert.throws(() => tool(given), (error) => {
      assert.deepEqual([error.code, error.message], ["validation", message]);
      assert.ok(error.hint.length > 10);
      return true;
    });
  }
  for (const input of [true, {}, { properties: {} }, { type: ["object", "null"] }, z.object({})]) assert.ok(tool({ name: "x", input, execute }));
  for (const output of [true, false, {}, { type: "string" }, z.string()]) assert.ok(tool({ name: "x", output, execute }));
});

test("the document declares each tool once, by its own name, with what its library says of its schema", () => {
  const search = tool({ name: "search", description: "Finds.", input: z.object({ query: z.string() }), execute: () => [] });
  const now = tool({ name: "now", version: "2", timeoutMs: 100, needsApproval: true, scopes: ["act"], execute: () => 1 });
  const one = new Agent({ name: "one", model: demo(), tools: [search, now] });
  const two = new Agent({ name: "two", model: demo(), tools: [search] });
  const document = new Workflow({ name: "w", steps: [{ name: "a", agent: one }, { name: "b", agent: two }] }).toDocument();
  const { $schema: _, ...input } = document.tools.search.input;
  assert.deepEqual(document.tools, {
    search: { description: "Finds.", input: document.tools.search.input },
    now: { run: { handler: "now", version: "2" }, needsApproval: true, scopes: ["act"], timeoutMs: 100 },
  });
  assert.deepEqual(input, { type: "object", properties: { query: { type: "string" } }, required: ["query"] });
  assert.deepEqual(Object.values(document.agents).map(({ tools }) => tools), [["search", "now"], ["search"]]);
});

test("two different tools of one name are refused in one workflow; one function in two agents is one tool", () => {
  function now() {}
  const agents = (...tools) => tools.map((one, index) => ({ name: `s${index}`, agent: new Agent({ name: `a${index}`, model: demo(), tools: [one] }) }));
  assert.deepEqual(Object.keys(new Workflow({ name: "w", steps: agents(now, now) }).toDocument().tools), ["now"]);
  assert.throws(() => new Workflow({ name: "w", steps: agents(now, tool(function now() {})) }), { code: "document", message: "two different tools are called `now`", hint: /give each a name of its own/ });
});

test("what an agent is given beside its tools has to fit them", () => {
  const execute = () => 1;
  const agent = (options) => () => new Agent({ name: "a", model: demo(), ...options });
  assert.throws(agent({ tools: [tool({ name: "x", execute }), tool({ name: "x", execute })] }), { code: "validation", message: "the agent a has two tools called `x`" });
  assert.throws(agent({ tools: [{}] }), { code: "validation", message: "the agent a was given a tool that is none" });
  assert.throws(agent({ tools: {} }), { code: "validation", message: "the tools of the agent a are no list" });
  assert.throws(agent({ tools: [() => 1] }), { code: "validation", message: "a tool has no name" });
  assert.throws(agent({ toolChoice: "required" }), { code: "validation", message: "the agent a has no tool that it could call" });
  assert.throws(agent({ toolChoice: { tool: "y" }, tools: [tool({ name: "x", execute })] }), { code: "validation", message: "the agent a has no tool called `y`" });
  assert.throws(agent({ toolChoice: "always" }), { code: "validation", message: "the agent a knows no such toolChoice" });
  assert.throws(agent({ fallbacks: ["gpt"] }), { code: "validation", message: "the fallbacks of the agent a are no models" });
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), output: {}, run: () => 1 }), { code: "validation", message: "the agent a has `output` beside steps of its own" });
  assert.deepEqual(agent({ tools: [tool({ name: "x", execute })], toolChoice: { tool: "x" }, maxTurns: 3, limits: { maxTokens: 5 } })().toolChoice, { tool: "x" });
});

test("a workflow says which tools a step's agent may call, and what it answers", () => {
  const shape = { type: "object", properties: { n: { type: "number" } } };
  const agent = (name, options) => new Agent({ name, model: demo(), ...options });
  const judge = agent("judge", { tools: [function now() {}], output: shape });
  const workflow = new Workflow({
    name: "w",
    steps: [
      { name: "a", agent: judge },
      { name: "b", agent: agent("library", { output: z.object({ n: z.number().default(1) }) }) },
      { name: "c", agent: judge, output: {} },
      { name: "d", agent: judge, fullResponse: true },
      { name: "e", agent: agent("plain") },
    ],
  });
  const shown = (steps) => steps.map(({ returnSchema, tools }) => [returnSchema?.required ?? returnSchema, tools]);
  const known = [[shape, ["now"]], [["n"], undefined], [{}, ["now"]], [undefined, ["now"]], [undefined, undefined]];
  assert.deepEqual(shown(workflow.steps), known);
  const data = Workflow.fromDocument(workflow.toDocument()).steps;
  assert.deepEqual(data[1].returnSchema.properties.n.type, "number");
});
