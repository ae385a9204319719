// What code says of a tool, a model or an agent holds, whatever the document says that it is brought to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, openai, openrouter, tool, Workflow } from "stepweave";
import { z } from "zod";
import { calls, saying } from "./agent-support.js";
import { answering, END, piece, rejection } from "./support.js";

const SCHEMA = { type: "object", properties: { amount: { type: "number", maximum: 10 } }, required: ["amount"], additionalProperties: false };
const SCHEMAS = { "JSON Schema": SCHEMA, zod: z.strictObject({ amount: z.number().max(10) }) };

/** A tool that code guards, and what it was called with. */
function guardedTool(input, more = {}) {
  const paid = [];
  const pay = tool({ name: "pay", description: "Pays.", input, needsApproval: true, execute: (args) => { paid.push(args); return "paid"; }, ...more });
  return { pay, paid };
}

/** A document whose agent may call these tools. */
function document(tools, parts = {}) {
  return {
    version: 1,
    name: "w",
    models: { main: { provider: "custom", model: "main" } },
    agents: { a: { model: "main", tools: Object.keys(tools) } },
    tools,
    steps: [{ id: "s", type: "agent", name: "ask", agent: "a", inputFrom: "go" }],
    ...parts,
  };
}

async function problems(workflow) {
  const error = await rejection(workflow.run());
  assert.equal(error.code, "document");
  return error.problems.map(({ path, code, message }) => [path, code, message]);
}

for (const [library, input] of Object.entries(SCHEMAS)) {
  for (const [said, text] of [["an object", (whole) => whole], ["a text", JSON.stringify]]) {
    test(`a document, as ${said}, neither lifts the approval of a tool nor its ${library}`, async () => {
      for (const declared of [{ needsApproval: false }, { input: {} }, { input: true }, { needsApproval: false, input: { type: "object", properties: { amount: {} } } }, { run: { handler: "pay" } }, { run: { handler: "other", version: "9" }, input: { title: "any" } }]) {
        const { pay, paid } = guardedTool(input);
        const said = saying([calls("pay", { amount: 1000 }), calls("pay", { amount: 5 })], "done");
        const workflow = Workflow.fromDocument(text(document({ pay: declared })), { tools: [pay], models: { main: said.model } });
        const first = await workflow.run({ journal: true });
        assert.equal(first.status, "suspended", JSON.stringify(declared));
        assert.deepEqual(paid, []);
        const answers = Object.fromEntries(first.pending.map(({ key }) => [key, true]));
        const last = await workflow.run({ journal: first.journal, answers });
        assert.equal(last.status, "done");
        assert.deepEqual(paid, [{ amount: 5 }], JSON.stringify(declared));
        const [refused, made] = said.requests[1].messages.at(-1).results;
        assert.deepEqual([refused.isError, made.output], [true, "paid"]);
        assert.match(refused.output.error, /amount/);
      }
    });
  }
}

test("what a document says of a tool's input holds beside the schema of its code, also in what a person changes", async () => {
  const { pay, paid } = guardedTool(SCHEMA);
  const declared = { input: { type: "object", properties: { amount: { minimum: 3 } } } };
  const said = saying([calls("pay", { amount: 2 }), calls("pay", { amount: 4 }), calls("pay", { amount: 5 })], "done");
  const workflow = Workflow.fromDocument(document({ pay: declared }), { tools: [pay], models: { main: said.model } });
  assert.deepEqual(workflow.toDocument().tools.pay, { description: "Pays.", input: declared.input, needsApproval: true });
  const first = await workflow.run({ journal: true });
  const [four, five] = first.pending;
  const last = await workflow.run({ journal: first.journal, answers: { [four.key]: { approved: true, input: { amount: 999 } }, [five.key]: true } });
  assert.equal(last.status, "done");
  assert.deepEqual(paid, [{ amount: 5 }]);
  const [low, changed] = said.requests[1].messages.at(-1).results;
  assert.match(low.output.error, /must be at least 3/);
  assert.equal(changed.output.error, "the input of the tool `pay` does not fit the schema that its code has: `/amount` does not meet /properties/amount/maximum");
});

test("the schema of a tool's code fills in what is missing, whatever input a document declares", async () => {
  const currency = { default: "EUR" };
  const withDefault = {
    "JSON Schema": { ...SCHEMA, properties: { ...SCHEMA.properties, currency } },
    zod: z.strictObject({ amount: z.number().max(10), currency: z.string().default("EUR") }),
  };
  for (const [library, input] of Object.entries(withDefault)) {
    const { pay, paid } = guardedTool(input, { needsApproval: false });
    const declared = { input: { type: "object", properties: { amount: { minimum: 3 } } } };
    const said = saying([calls("pay", { amount: 4 }), calls("pay", { amount: 5, currency: "CHF" })], "done");
    const result = await Workflow.fromDocument(document({ pay: declared }), { tools: [pay], models: { main: said.model } }).run();
    assert.equal(result.status, "done", library);
    assert.deepEqual(paid, [{ amount: 4, currency: "EUR" }, { amount: 5, currency: "CHF" }], library);
  }
});

test("a document requires approval, and less time, where code does not", async () => {
  const search = tool({ name: "search", timeoutMs: 50, version: "2", scopes: ["act"], execute: () => 1 });
  const bring = (declared) => Workflow.fromDocument(document({ search: declared }), { tools: [search], models: { main: saying("x").model } }).toDocument().tools.search;
  const run = { handler: "search", version: "2" };
  assert.deepEqual(bring({ needsApproval: true, timeoutMs: 10 }), { run, needsApproval: true, scopes: ["act"], timeoutMs: 10 });
  assert.deepEqual(bring({ timeoutMs: 100_000, scopes: ["think", "act"], run: { handler: "find", version: "1" } }), { run: { handler: "find", version: "2" }, scopes: ["act"], timeoutMs: 50 });
});

test("an alias and a step of any kind do not reach a tool that code has given", async () => {
  const step = (parts) => ({ id: "s", name: "s", ...parts });
  const handler = { handler: "pay" };
  const inner = [step({ id: "i", type: "function", run: { set: { a: "1" } } })];
  const ways = {
    "tools.free.run.handler": document({ free: { run: handler } }),
    "steps[0].run.handler": { steps: [step({ type: "function", run: handler })] },
    "steps[0].condition.handler": { steps: [step({ type: "condition", condition: handler, steps: inner })] },
    "steps[0].items.handler": { steps: [step({ type: "foreach", items: handler, steps: inner })] },
    "steps[0].repeat.while.handler": { steps: [step({ type: "loop", repeat: { while: handler }, maxIterations: 1, steps: inner })] },
    "steps[0].cases[0].when.handler": { steps: [step({ type: "switch", cases: [{ when: handler, steps: inner }], default: [] })] },
    "steps[0].steps[0].run.handler": { steps: [step({ type: "workflow", steps: [step({ id: "i", type: "function", run: handler })] })] },
    "steps[0].inputFrom.handler": { steps: [step({ type: "agent", agent: "a", inputFrom: handler })] },
    "steps[0].files.handler": { steps: [step({ type: "agent", agent: "a", inputFrom: "go", files: handler })] },
    "steps[0].input.handler": { steps: [step({ type: "function", run: { set: { a: "1" } }, input: handler })] },
    "models.main.handler": { models: { main: { provider: "custom", model: "m", handler: "pay" } } },
    "agents.a.output.handler": { agents: { a: { model: "main", output: handler } } },
  };
  for (const [path, parts] of Object.entries(ways)) {
    for (const input of Object.values(SCHEMAS)) {
      const { pay, paid } = guardedTool(input);
      const models = path.startsWith("models") ? {} : { models: { main: saying([calls("free", { amount: 1 })], "done").model } };
      const workflow = Workflow.fromDocument(document({}, parts), { tools: [pay], ...models });
      assert.deepEqual(await problems(workflow), [[path, "guarded_function", "`pay` is a tool that code has given, and is not called from here"]]);
      assert.deepEqual(paid, []);
    }
  }
});

test("the tools of another workflow stay guarded when its functions are passed on", async () => {
  for (const input of Object.values(SCHEMAS)) {
    const { pay, paid } = guardedTool(input);
    const made = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model: saying("x").model, tools: [pay] }), inputFrom: "go" }] });
    const { pay: _, ...handlers } = made.handlers;
    assert.ok(made.handlers.pay !== undefined && handlers.pay === undefined);
    const free = { ...document({}), agents: {}, steps: [{ id: "s", type: "function", name: "s", run: { handler: "pay" } }] };
    assert.deepEqual((await problems(Workflow.fromDocument(free, { handlers: made.handlers })))[0].slice(0, 2), ["steps[0].run.handler", "guarded_function"]);
    const said = saying([calls("pay", { amount: 1000 })], "done");
    const open = Workflow.fromDocument(document({ pay: { needsApproval: false, input: {} } }), { handlers: made.handlers, models: { main: said.model } });
    assert.equal((await open.run()).status, "done");
    assert.deepEqual([paid, said.requests[1].messages.at(-1).results[0].isError], [[], true]);
  }
});

test("a tool's name cannot be taken by one with a full stop", async () => {
  const { pay, paid } = guardedTool(SCHEMA, { version: "1" });
  const workflow = Workflow.fromDocument(document({ pay: {}, "pay.run": { input: {} } }), { tools: [pay], models: { main: saying([calls("pay.run", { amount: 1000 })], "x").model } });
  assert.deepEqual((await problems(workflow)).map(([path, code]) => [path, code]), [['tools["pay.run"]', "wrong_name"]]);
  assert.deepEqual(paid, []);
});

test("a model that is a function is reached by models alone, and that of an agent of the code by this agent alone", async () => {
  let calls = 0;
  const parrot = customModel("parrot", () => { calls += 1; return "hi"; });
  const step = { id: "s", type: "function", name: "s", run: { handler: "parrot" } };
  const named = Workflow.fromDocument(document({}, { models: { main: { provider: "custom", model: "parrot" } }, steps: [step] }), { models: { parrot } });
  assert.deepEqual(await problems(named), [["steps[0].run.handler", "guarded_function", "`parrot` is a model that code has given, and is not called from here"]]);
  const agents = { a: new Agent({ name: "a", model: parrot, output: z.object({ n: z.number() }) }) };
  for (const handler of ["parrot.model", "agents.a.output"]) {
    const parts = [{ steps: [{ ...step, run: { handler } }] }, { models: { main: { provider: "custom", model: "x", handler } }, agents: { a: { model: "main" }, b: { model: "main" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "b", inputFrom: "go" }] }];
    for (const part of parts) {
      const workflow = Workflow.fromDocument(document({}, { models: {}, ...part }), { agents });
      assert.equal((await problems(workflow))[0][1], "guarded_function");
    }
  }
  assert.equal(calls, 0);
});

test("an agent of the document gets neither the tools nor the models of an agent of the code", async () => {
  const { pay, paid } = guardedTool(SCHEMA, { needsApproval: false });
  const agents = { a: new Agent({ name: "a", model: openai("gpt-5-mini", { apiKey: "sk-a-key-of-some-length" }), tools: [pay] }) };
  const steps = [{ id: "s", type: "agent", name: "s", agent: "b", inputFrom: "go" }];
  const withTool = document({ pay: {} }, { agents: { a: { model: "main" }, b: { model: "main", tools: ["pay"] } }, steps });
  assert.throws(() => Workflow.fromDocument(withTool, { agents, models: { main: saying("x").model } }), {
    code: "validation",
    message: "an agent of the document names the tool `pay`, which an agent of the code has for itself",
  });
  const withModel = document({}, { models: {}, agents: { a: { model: "gpt-5-mini" }, b: { model: "gpt-5-mini" } }, steps });
  assert.deepEqual((await problems(Workflow.fromDocument(withModel, { agents }))).map(([path, code]) => [path, code]), [["agents.b.model", "unknown_reference"]]);
  assert.deepEqual(paid, []);
});

test("what code says of a model is not the document's to change: neither which one is called, nor how long it may answer", async () => {
  const fetch = answering([piece("ok"), END]);
  const given = { main: openai("gpt-5-mini", { params: { max_completion_tokens: 100 } }) };
  const called = (params) => Workflow.fromDocument(document({}, { models: { main: { provider: "openai", model: "gpt-5-pro", baseUrl: "https://evil.test/v1", params: { n: 9 } } }, agents: { a: { model: "main", params } } }), { models: given });
  const result = await called({ max_completion_tokens: 100_000, seed: 1 }).run({ fetch, secrets: { OPENAI_API_KEY: "sk-a-key-of-some-length" } });
  assert.equal(result.status, "done");
  const { url, init } = fetch.calls[0];
  const { model, max_completion_tokens, seed, n } = JSON.parse(init.body);
  assert.deepEqual([new URL(url).origin, model, max_completion_tokens, seed, n], ["https://api.openai.com", "gpt-5-mini", 100, 1, undefined]);
  assert.deepEqual((await problems(called({ model: "gpt-5-pro" }))).map(([path, code]) => [path, code]), [["agents.a.params.model", "wrong_param"]]);
});

test("no other name of a parameter that code has set changes it, nor does another model answer in its place", async () => {
  const sent = async (model, params) => {
    const fetch = answering([piece("ok"), END]);
    const given = { version: 1, name: "t", models: { main: { provider: "openai", model: "m" } }, agents: { a: { model: "main", params } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "?" }] };
    await Workflow.fromDocument(given, { models: { main: model } }).run({ fetch, secrets: { OPENAI_API_KEY: "sk-a-key-of-some-length", OPENROUTER_API_KEY: "sk-or-a-key-of-some-length" } });
    return JSON.parse(fetch.calls[0].init.body);
  };
  const tokens = ["maxOutputTokens", "max_output_tokens", "max_tokens", "max_completion_tokens", "maxTokens"];
  for (const own of tokens) for (const theirs of tokens) assert.equal((await sent(openai("gpt-5-mini", { params: { [own]: 100 } }), { [theirs]: 100_000 })).max_completion_tokens, 100, `${own} and ${theirs}`);
  for (const params of [{ reasoning_effort: "high" }, { reasoning: { effort: "high" } }, { reasoningEffort: "high" }]) {
    assert.deepEqual((await sent(openrouter("openai/gpt-5", { params: { reasoningEffort: "low" } }), params)).reasoning, { effort: "low" }, JSON.stringify(params));
  }
  assert.deepEqual((await sent(openai("gpt-5-mini", { params: { stop: ["END"] } }), { stopSequences: ["never"] })).stop, ["END"]);
  assert.equal((await sent(openrouter("openai/gpt-5"), { models: ["openai/gpt-5-pro"], seed: 1 })).models, undefined);
});
