// What code brings to a document: functions, tools, models and agents.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, demo, groq, openai, tool, Workflow } from "stepweave";
import { z } from "zod";
import { calls, saying } from "./agent-support.js";
import { answering, END, piece } from "./support.js";

const document = (parts = {}) => ({
  version: 1,
  name: "w",
  models: { main: { provider: "openai", model: "gpt-5-mini", apiKey: { secret: "OPENAI_API_KEY" } } },
  agents: { writer: { model: "main", tools: ["search"] } },
  tools: { search: { description: "Finds." } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "writer", inputFrom: "go" }],
  ...parts,
});

const schema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };

test("a tool goes by its name: the document's words win, what it leaves out comes from the code", async () => {
  const said = saying([calls("search", { query: "bees" }), calls("search", {})], "done");
  const search = tool({ name: "search", description: "Other words.", input: schema, timeoutMs: 50, execute: ({ query }) => [query] });
  const workflow = Workflow.fromDocument(document(), { tools: [search], models: { main: said.model } });
  assert.deepEqual(workflow.toDocument().tools, { search: { description: "Finds.", input: schema, timeoutMs: 50 } });
  assert.equal((await workflow.run()).state.ask_output, "done");
  const [found, refused] = said.requests[1].messages.at(-1).results;
  assert.deepEqual([found.output, refused.isError], [["bees"], true]);
});

test("a tool under another handler, and one that only the agents of the document name", async () => {
  const said = saying([calls("search"), calls("now")], "done");
  const text = JSON.stringify(document({ tools: { search: { run: { handler: "find", version: "3" } } }, agents: { writer: { model: "main", tools: ["search", "now"] } } }));
  function now() { return 12; }
  const workflow = Workflow.fromDocument(text, { tools: [tool({ name: "search", execute: () => "found" }), now], models: { main: said.model } });
  assert.deepEqual(workflow.toDocument().tools, { search: { run: { handler: "find", version: "3" } }, now: {} });
  await workflow.run();
  assert.deepEqual(said.requests[1].messages.at(-1).results.map(({ output }) => output), ["found", 12]);
});

test("a document of a workflow runs again with the functions of that workflow, or with its tools and models", async () => {
  const search = tool({ name: "search", input: z.object({ query: z.string().default("bees") }), execute: ({ query }) => query });
  const made = () => {
    const said = saying([calls("search")], '{"n": 1}');
    const agent = new Agent({ name: "writer", model: said.model, tools: [search], output: z.object({ n: z.number(), more: z.boolean().default(true) }) });
    return { said, agent, workflow: new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "go" }] }) };
  };
  const answered = async (workflow, said) => [(await workflow.run()).state.ask_output, said.requests[1].messages.at(-1).results[0].output];
  const first = made();
  const same = Workflow.fromDocument(first.workflow.toDocument(), { handlers: first.workflow.handlers });
  assert.deepEqual(same.toDocument(), first.workflow.toDocument());
  assert.deepEqual(await answered(same, first.said), [{ n: 1, more: true }, "bees"]);
  const second = made();
  const other = Workflow.fromDocument(second.workflow.toDocument(), { agents: { writer: second.agent } });
  assert.deepEqual(await answered(other, second.said), [{ n: 1, more: true }, "bees"]);
});

test("what code gives beside the functions of its own workflow keeps its names", () => {
  const model = customModel("m", () => "x");
  const agent = new Agent({ name: "a", model, output: z.object({ n: z.number() }) });
  const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent }] });
  const again = (one) => Workflow.fromDocument(one.toDocument(), { handlers: one.handlers, agents: { a: agent }, models: { m: model } });
  const { agents, models } = again(again(workflow)).toDocument();
  assert.deepEqual([agents.a.output, models.m], [workflow.toDocument().agents.a.output, workflow.toDocument().models.m]);
});

test("a model takes the place of the document's of that id, with its own key", async () => {
  const fetch = answering([piece("hi"), END]);
  const key = "gsk-a-key-of-some-length";
  const workflow = Workflow.fromDocument(document({ agents: { writer: { model: "main" } } }), { models: { main: groq("llama", { apiKey: key }) } });
  assert.deepEqual(workflow.toDocument().models, { main: { provider: "groq", model: "llama", apiKey: { secret: "GROQ_API_KEY" } } });
  await workflow.run({ fetch });
  assert.match(fetch.calls[0].url, /^https:\/\/api\.groq\.com\//);
  assert.equal(fetch.calls[0].init.headers.authorization, `Bearer ${key}`);
});

test("a key that comes with a model takes no name that the document's other models ask for", () => {
  const models = { main: { provider: "openai", model: "a" }, other: { provider: "openai", model: "b", apiKey: { secret: "OPENAI_API_KEY" } } };
  const workflow = Workflow.fromDocument(document({ models }), { models: { main: openai("a", { apiKey: "sk-a-key-of-some-length" }) } });
  assert.deepEqual(Object.values(workflow.toDocument().models).map(({ apiKey }) => apiKey.secret), ["OPENAI_API_KEY_2", "OPENAI_API_KEY"]);
});

test("a function is a model where the document has a custom one, by its id or by the name of its handler", async () => {
  const models = { main: { provider: "custom", model: "parrot", handler: "say" } };
  for (const name of ["main", "say"]) {
    for (const model of [() => "hello", customModel("any", () => "hello")]) {
      const workflow = Workflow.fromDocument(document({ models, agents: { writer: { model: "main" } } }), { models: { [name]: model } });
      assert.equal((await workflow.run()).state.ask_output, "hello");
    }
  }
});

test("an agent takes the place of the document's of that id, with its models and its tools", async () => {
  const said = saying([calls("search")], "done");
  const search = tool({ name: "search", execute: () => 1 });
  const workflow = Workflow.fromDocument(document(), { agents: { writer: new Agent({ name: "any name", model: said.model, tools: [search], instructions: "Write." }) } });
  const { agents, models, tools } = workflow.toDocument();
  assert.deepEqual(agents, { writer: { model: "scripted", instructions: "Write.", tools: ["search"] } });
  assert.deepEqual([Object.keys(models), tools], [["main", "scripted"], { search: { description: "Finds." } }]);
  assert.equal((await workflow.run()).state.ask_output, "done");
});

test("what fits nothing in the document is refused", () => {
  const from = (code, parts) => () => Workflow.fromDocument(document(parts), code);
  const search = tool({ name: "search", execute: () => 1 });
  const refused = [
    [{ tool: [] }, "Workflow.fromDocument() has no option `tool`"],
    [{ tools: { search } }, "the option `tools` is no list"],
    [{ tools: [{}] }, "tools[0] is no tool"],
    [{ models: { fast: demo() } }, "the document has no model with the id `fast`"],
    [{ agents: { reader: new Agent({ name: "a", model: demo() }) } }, "the document has no agent with the id `reader`"],
    [{ agents: { writer: {} } }, "agents.writer is no Agent"],
  ];
  for (const [code, message] of refused) assert.throws(from(code), { code: "validation", message });
  assert.throws(from({ tools: [search] }, { tools: { search: { run: { code: "return {}" } } } }), { code: "validation", message: "the tool `search` is code in the document already" });
  assert.throws(from({ tools: [search, tool({ name: "search", execute: () => 2 })] }), { code: "document", message: "two different tools are called `search`" });
});

test("a document may be given more models and agents than it names, where that is said", async () => {
  const code = { unnamed: "ignore", models: { main: saying("from code").model, fast: demo() }, agents: { reader: new Agent({ name: "a", model: demo() }) } };
  const workflow = Workflow.fromDocument(document({}), { ...code, tools: [tool({ name: "search", execute: () => 1 })] });
  assert.deepEqual(Object.keys(workflow.toDocument().models), ["main"]);
  assert.equal((await workflow.run()).state.ask_output, "from code");
  assert.equal(Workflow.fromDocument({ version: 1, name: "x", steps: [] }, code).toDocument().models, undefined);
  assert.equal(Workflow.fromDocument('{"version":1,"name":"x","steps":[]}', code).toDocument().agents, undefined);
  const hint = 'it has main; where documents of others are given one set, of which each names what it needs, write unnamed: "ignore"';
  assert.throws(() => Workflow.fromDocument(document({}), { models: { fast: demo() } }), { code: "validation", hint });
  assert.throws(() => Workflow.fromDocument(document({}), { unnamed: true }), { code: "validation", message: "the option `unnamed` is true" });
});

test("no function takes the place of another one that the document knows by the same name", async () => {
  const search = tool({ name: "search", input: z.object({}), execute: () => "found" });
  const message = "two different functions go by the name `search`";
  const step = { id: "s1", type: "function", name: "own", run: { handler: "search" } };
  const handlers = { search: () => ({ own: true }) };
  assert.throws(() => Workflow.fromDocument(document({ steps: [step] }), { handlers, tools: [search] }), { code: "validation", message });
  const models = { main: { provider: "custom", model: "search" } };
  assert.throws(() => Workflow.fromDocument(document({ models }), { tools: [search], models: { main: () => "hi" } }), { code: "validation", message });
  const both = { a: { run: { handler: "search" } }, b: { run: { handler: "search" } } };
  const tools = ["a", "b"].map((name) => tool({ name, execute: () => name }));
  assert.throws(() => Workflow.fromDocument(document({ tools: both, agents: {} }), { tools }), { code: "validation", message });
  // The same function may come twice, as with the handlers of the workflow that the document is of.
  const said = saying([calls("search")], "done");
  const made = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "writer", model: said.model, tools: [search] }), inputFrom: "go" }] });
  const same = Workflow.fromDocument(made.toDocument(), { handlers: made.handlers, tools: [search] });
  assert.equal((await same.run()).state.ask_output, "done");
});

test("a tool or a model that nobody provided is reported by its name, with how to provide it", async () => {
  const models = { main: { provider: "custom", model: "parrot" } };
  await assert.rejects(Workflow.fromDocument(document({ models })).run(), (error) => {
    assert.deepEqual(error.problems.map(({ path, message, hint }) => [path, message, hint]), [
      ["models.main.handler", "no function for the handler `parrot` (no handlers were given)", 'pass it: Workflow.fromDocument(document, { models: { "parrot": customModel("parrot", (request) => …) } }); to a worker with connect(worker, { models })'],
      ["tools.search", "no function for the tool `search` (no handlers were given)", 'pass it: Workflow.fromDocument(document, { tools: [tool({ name: "search", execute: (args) => … })] })'],
    ]);
    return true;
  });
});

test("a document that is none is refused as it is without code", async () => {
  for (const text of ["{", "[]", '{"version":1,"name":"w","models":5,"steps":[]}']) {
    const codes = [{}, { tools: [tool({ name: "x", execute: () => 1 })] }].map((code) => Workflow.fromDocument(text, code).run().then(() => undefined, ({ code, problems }) => [code, problems.map(({ path }) => path)]));
    const [without, withCode] = await Promise.all(codes);
    assert.deepEqual([without[0], withCode], ["document", without]);
  }
});

test("a tool may be code of the document, which runs in the sandbox", async () => {
  await import("stepweave/sandbox");
  const said = saying([calls("add", { a: 1, b: 2 })], "3");
  const tools = { add: { run: { code: "return { sum: state.a + state.b };" } } };
  const workflow = Workflow.fromDocument(document({ tools, agents: { writer: { model: "main", tools: ["add"] } } }), { models: { main: said.model } });
  await workflow.run();
  assert.deepEqual(said.requests[1].messages.at(-1).results[0].output, { sum: 3 });
});

test("the prices of a document are for its own models: what code provides costs what code says", async () => {
  const price = { input: 1, output: 10 };
  const free = { input: 0, output: 0 };
  const at = { baseUrl: "http://model.test/v1", apiKey: "k-12345678" };
  const costOf = async (parts, code) => {
    const { status, usage, error } = await Workflow.fromDocument(document({ tools: undefined, agents: { writer: { model: "main" } }, ...parts }), code).run({
      fetch: answering([piece("hi"), END]),
      secrets: { OPENAI_API_KEY: "k-12345678" },
      limits: { maxCost: 1 },
    });
    return error === undefined ? usage.cost : `${status}: ${error.message}`;
  };
  const prices = { "gpt-5-mini": free, m: free, scripted: free };
  const ofTable = 3 * 0.25e-6 + 2 * 2e-6;
  assert.equal(await costOf({ prices }), 0, "the document's own model costs what the document says");
  assert.equal(await costOf({ prices }, { models: { main: openai("gpt-5-mini", at) } }), ofTable);
  assert.equal(await costOf({ prices }, { models: { main: openai("gpt-5-mini", { ...at, price }) } }), 23e-6);
  assert.equal(await costOf({ prices }, { models: { main: openai("m", at) } }), "error: maxCost cannot be kept: it is not known what the model `m` costs");
  // The document may say what it likes of a model that code replaces.
  assert.equal(await costOf({ prices, models: { main: { provider: "demo", model: "gpt-5-mini", price: free } } }, { models: { main: openai("gpt-5-mini", at) } }), ofTable);
  // As a fallback, and with an agent of the code.
  const broken = customModel("broken", () => { throw new Error("no"); });
  const both = { models: { main: { provider: "custom", model: "broken", price: free }, other: { provider: "openai", model: "gpt-5-mini" } }, agents: { writer: { model: "main", fallbacks: ["other"] } } };
  assert.equal(await costOf({ prices, ...both }, { models: { broken, other: openai("gpt-5-mini", at) } }), ofTable);
  assert.equal(await costOf({ prices }, { agents: { writer: new Agent({ name: "writer", model: openai("gpt-5-mini", at) }) } }), ofTable);
  // A function that code has given a price, under the name that the document has for it.
  const scripted = () => customModel("scripted", () => [{ type: "text", text: "hi" }, { type: "usage", inputTokens: 3, outputTokens: 2 }], { price });
  const named = { models: { main: { provider: "custom", model: "scripted", price: free } } };
  assert.equal(await costOf({ prices, ...named }, { models: { scripted: scripted() } }), 23e-6);
  assert.equal(await costOf({ prices, models: { main: { provider: "custom", model: "any", handler: "scripted" } } }, { models: { scripted: scripted() } }), 23e-6);
});

test("a model of the document that goes by the name of one of code's keeps the price that the document says", async () => {
  const theirs = { provider: "openai", model: "m", baseUrl: "http://model.test/v1" };
  const models = { main: theirs, cheap: { ...theirs, price: { input: 9, output: 9 } }, ours: theirs };
  const price = { input: 4, output: 4 };
  const source = document({ models, prices: { m: price, other: price }, agents: {}, tools: {}, steps: [] });
  const { models: written, prices } = Workflow.fromDocument(source, { models: { ours: openai("m", { baseUrl: "http://ours.test/v1" }) } }).toDocument();
  assert.deepEqual([written.main.price, written.cheap.price, written.ours.price], [price, { input: 9, output: 9 }, undefined]);
  assert.deepEqual(prices, { other: price });
});

test("the prices of a workflow that is a tool of the code are not the document's to change", async () => {
  const inner = new Workflow({
    name: "think",
    prices: { m: { input: 1, output: 10 } },
    steps: [{ name: "ask", agent: new Agent({ name: "inner", model: openai("m", { baseUrl: "http://model.test/v1" }) }), inputFrom: "go" }],
  });
  const search = tool({ name: "search", description: "Thinks.", workflow: inner });
  const said = saying([calls("search")], "done");
  const source = document({ models: { main: { provider: "custom", model: "scripted" } }, prices: { m: { input: 0, output: 0 } } });
  const { usage, status } = await Workflow.fromDocument(source, { tools: [search], models: { main: said.model } }).run({ fetch: answering([piece("hi"), END]) });
  assert.deepEqual([status, usage.cost], ["done", 23e-6]);
});

test("one model and one agent may stand under several ids", async () => {
  const model = customModel("parrot", async () => "Hello!");
  const document = {
    version: 1,
    name: "twice",
    models: { fast: { provider: "demo", model: "demo" }, slow: { provider: "demo", model: "demo" } },
    agents: { one: { model: "fast" }, two: { model: "slow" } },
    steps: [{ id: "a", name: "a", type: "agent", agent: "one", inputFrom: "Hi" }, { id: "b", name: "b", type: "agent", agent: "two", inputFrom: "Hi" }],
  };
  const { status, state } = await Workflow.fromDocument(document, { models: { fast: model, slow: model } }).run();
  assert.deepEqual([status, state], ["done", { a_output: "Hello!", b_output: "Hello!" }]);
  const agent = new Agent({ name: "parrot", model });
  const brought = await Workflow.fromDocument(document, { agents: { one: agent, two: agent } }).run();
  assert.deepEqual([brought.status, brought.state], ["done", { a_output: "Hello!", b_output: "Hello!" }]);
  const steps = [{ name: "a", agent: "editor", inputFrom: "Hi" }, { name: "b", agent: "writer", inputFrom: "Hi" }, { name: "c", agent, inputFrom: "Hi" }];
  const written = new Workflow({ name: "twice", agents: { writer: agent, editor: agent }, steps });
  assert.deepEqual(Object.keys(written.toDocument().agents), ["writer", "editor"]);
  assert.deepEqual((await written.run()).state, { a_output: "Hello!", b_output: "Hello!", c_output: "Hello!" });
});
