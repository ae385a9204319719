// A workflow as an MCP server: what it takes for an answer, and which workflows can be served together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent, tool, Workflow } from "stepweave";
import { mcpServer } from "stepweave/mcp/server";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";

const keys = [{ id: "k", key: btoa("32 random bytes: openssl rand 32") }];

/** A client of a server of these workflows, which is closed behind the body. */
async function withClient(workflows, options, body) {
  const serve = mcpServer(workflows, { public: true, keys, onError: () => {}, ...options });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("https://flow.example/mcp"), { fetch: (url, init) => serve(new Request(url, init)) }));
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

/** The result of a call in which a person is asked and gives this content, or answers otherwise. */
async function answered(steps, content, action = "accept") {
  const serve = mcpServer(new Workflow({ name: "pay", steps }), { public: true, keys, onError: () => {} });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("elicitation/create", () => ({ action, ...(action === "accept" && { content }) }));
  await client.connect(new StreamableHTTPClientTransport(new URL("https://pay.example/mcp"), { fetch: (url, init) => serve(new Request(url, init)) }));
  try {
    const { isError, content, structuredContent } = await client.callTool({ name: "pay", arguments: {} });
    return isError ? content[0].text : structuredContent;
  } finally {
    await client.close();
  }
}

const boss = { name: "boss", type: "approval", message: "Pay 12?" };
const unclear = "the answer does not say whether it is allowed: Pay 12?";

test("the schema of the output is listed, of a library as of JSON Schema, and clients find that results fit it", async () => {
  const out = { type: "object", properties: { out: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } }, required: ["out"] };
  for (const output of [out, z.object({ out: z.object({ n: z.number() }) }), z.looseObject({ out: z.looseObject({ n: z.number() }) }), toStandardJsonSchema(v.object({ out: v.object({ n: v.number() }) }))]) {
    const input = { type: "object", properties: { x: { type: "number" } } };
    await withClient(new Workflow({ name: "sum", input, output, steps: [{ name: "a", run: ({ x }) => ({ out: { n: x } }) }] }), {}, async (client) => {
      const { tools: [{ outputSchema }] } = await client.listTools();
      assert.deepEqual([outputSchema?.type, outputSchema?.required, outputSchema?.additionalProperties], ["object", ["out"], undefined]);
      // What a library gives is put over the state, which keeps its other keys.
      const { isError, structuredContent } = await client.callTool({ name: "sum", arguments: { x: 3 } }).catch((error) => ({ isError: error.message }));
      assert.deepEqual([isError, structuredContent], [undefined, { x: 3, out: { n: 3 } }]);
    });
  }
});

test("what refers to the whole input means the workflow's own, also where callers may send no other keys", async () => {
  const node = { type: "object", properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#" } } }, required: ["name"] };
  const input = { ...node, $defs: { Input: { type: "string" }, pair: { type: "array", items: { $ref: "#" } } } };
  const listed = async (input) => {
    let schema;
    await withClient(new Workflow({ name: "tree", input, steps: [] }), {}, async (client) => void ([{ inputSchema: schema }] = (await client.listTools()).tools));
    return schema;
  };
  const schema = await listed(input);
  assert.equal(schema.additionalProperties, false);
  assert.deepEqual(schema.$defs.Input, { type: "string" });
  const fits = async (input, state) => (await new Workflow({ name: "w", input, steps: [] }).run({ state })).status;
  for (const state of [{ name: "root", kids: [{ name: "leaf", note: "workflows take this" }] }, { name: "root", kids: [{ note: "no name" }] }]) assert.equal(await fits(schema, state), await fits(input, state), JSON.stringify(state));
  // One that has an address of its own is meant by that, too.
  const { $id, properties, $defs } = await listed({ $id: "https://flow.example/tree", ...node, properties: { twin: { $ref: "https://flow.example/tree#" } }, required: [] });
  assert.deepEqual([$id, properties.twin, $defs], ["https://flow.example/tree", { $ref: "#/$defs/Input" }, { Input: { type: "object", properties: { twin: { $ref: "#/$defs/Input" } }, required: [] } }]);
});

test("a person says yes or no where an approval has no schema", async () => {
  assert.deepEqual(await answered([boss], { approved: true }), { boss_output: { approved: true } });
  assert.deepEqual(await answered([boss], { approved: false, reason: "too much" }), { boss_output: { approved: false, reason: "too much" } });
  for (const content of [{}, { approved: "maybe" }, { approved: 1 }, { approved: "true" }, { approved: true, reason: 7 }]) assert.equal(await answered([boss], content), unclear, JSON.stringify(content));
});

test("a person who declines says no to an approval with steps, and the run goes on with its `else`", async () => {
  const asking = { ...boss, steps: [{ name: "pay", run: () => ({ paid: true }) }], else: [{ name: "leave", run: () => ({ paid: false }) }] };
  assert.deepEqual(await answered([asking], undefined, "decline"), { boss_output: { approved: false }, paid: false });
  assert.deepEqual(await answered([asking], { approved: false, reason: "too much" }), { boss_output: { approved: false, reason: "too much" }, paid: false });
  assert.deepEqual(await answered([asking], { approved: true }), { boss_output: { approved: true }, paid: true });
  assert.equal(await answered([asking], { approved: "maybe" }), unclear);
});

test("a person says yes or no where a tool is to be allowed", async () => {
  const agent = () => {
    const model = scriptedModel([{ type: "toolCall", name: "send", input: {} }, "sent"]);
    return { name: "agent", agent: new Agent({ name: "a", model, tools: [tool({ name: "send", needsApproval: true, execute: () => 1 })] }) };
  };
  assert.equal((await answered([agent()], { approved: true })).agent_output, "sent");
  assert.match(await answered([agent()], { approved: "maybe" }), /^the answer does not say whether it is allowed: /);
});

test("what an end step says stands behind the state", async () => {
  const serve = mcpServer(new Workflow({ name: "stock", initialState: { n: 0 }, steps: [{ name: "stop", end: { message: "no orders for {{ n }}" } }] }), { public: true, keys });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("https://stock.example/mcp"), { fetch: (url, init) => serve(new Request(url, init)) }));
  const { content, structuredContent } = await client.callTool({ name: "stock", arguments: {} });
  assert.deepEqual([content.map(({ text }) => text), structuredContent], [['{"n":0}', "no orders for 0"], { n: 0 }]);
  await client.close();
});

test("two workflows that would be one tool are refused where they are written", () => {
  const named = (name) => new Workflow({ name, steps: [] });
  for (const [one, other] of [["a", "a"], ["a b", "a_b"], ["x".repeat(128), `${"x".repeat(128)}y`]]) {
    assert.throws(() => mcpServer([named("other"), named(one), named(other)], { public: true, keys }), ({ code, message, hint }) => code === "validation" && message.startsWith("two workflows of mcpServer() are the tool `") && hint !== undefined);
  }
  mcpServer([named("a"), named("b")], { public: true, keys });
});

test("clients set the keys of the input alone, also where a value of it has no JSON Schema", async () => {
  const input = z.object({ sum: z.number(), when: z.date().optional() });
  const serve = mcpServer(new Workflow({ name: "pay", input, initialState: { role: "user" }, steps: [] }), { public: true, keys, onError: () => {} });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("https://pay.example/mcp"), { fetch: (url, init) => serve(new Request(url, init)) }));
  const [{ inputSchema }] = (await client.listTools()).tools;
  assert.deepEqual(Object.keys(inputSchema.properties), ["sum", "when"]);
  assert.deepEqual((await client.callTool({ name: "pay", arguments: { sum: 1 } })).structuredContent, { role: "user", sum: 1 });
  assert.equal(inputSchema.additionalProperties, false, "what a call with other keys is told is listed");
  const refused = await client.callTool({ name: "pay", arguments: { sum: 1, role: "admin" } });
  assert.deepEqual([refused.isError, refused.content], [true, [{ type: "text", text: "the workflow's input has no key `role` (it takes `sum`, `when`)" }]]);
  await client.close();
});

test("of keys without a name clients set those that match a pattern, and what the workflow has itself is no fault of theirs", async () => {
  const called = async (input, initialState, args, onError = () => {}) => {
    const serve = mcpServer(new Workflow({ name: "pay", input, initialState, steps: [] }), { public: true, keys, onError });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL("https://pay.example/mcp"), { fetch: (url, init) => serve(new Request(url, init)) }));
    const result = await client.callTool({ name: "pay", arguments: args });
    await client.close();
    return result.isError === true ? result.content[0].text : result.structuredContent;
  };
  const input = { type: "object", patternProperties: { "^x_": { type: "number" } } };
  assert.deepEqual(await called(input, { role: "user" }, { x_1: 1 }), { role: "user", x_1: 1 });
  assert.equal(await called(input, { role: "user" }, { x_1: 1, role: "admin" }), "the workflow's input has no key `role` (it takes keys that match `^x_`)");
  const errors = [];
  assert.equal(await called({ type: "object", properties: {}, additionalProperties: { type: "number" } }, { role: "user" }, {}, ({ message }) => errors.push(message)), "the workflow failed");
  assert.deepEqual(errors, ["the workflow `pay` cannot be served: no run can begin, since its `input` refuses what its own initialState has: `role`"]);
});

test("arguments that nest deeper than a run takes are the caller's fault, and none of the server", async () => {
  const faults = [];
  const serve = mcpServer(new Workflow({ name: "pay", input: { type: "object", properties: { sum: {} } }, steps: [] }), { public: true, keys, onError: (error) => faults.push(error) });
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"sum":${"[".repeat(20_000)}${"]".repeat(20_000)}}}}`;
  const response = await serve(new Request("https://pay.example/mcp", { method: "POST", headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }, body }));
  const { error, result } = JSON.parse(/^data: (.*)$/m.exec(await response.text())[1]);
  assert.deepEqual([error, result.isError], [undefined, true]);
  assert.match(result.content[0].text, /^the arguments are not plain JSON: arguments\.sum\[0\].* is nested deeper than 512 levels$/);
  assert.deepEqual(faults, []);
});

test("a workflow of which nobody knows the keys is refused where it is written", () => {
  const workflow = new Workflow({ name: "pay", input: v.object({ sum: v.number() }), steps: [] });
  assert.throws(() => mcpServer(workflow, { public: true, keys }), ({ code, message }) => code === "validation" && message.startsWith("the workflow `pay` cannot be served: "));
});

test("arguments that do not fit are a result that the model reads, and what the listed schema takes the tool takes", async () => {
  const n = { type: "number" };
  const inputs = [
    [{ type: "object", properties: { n }, required: ["n"] }, false],
    [z.object({ n: z.number() }), false],
    [toStandardJsonSchema(v.object({ n: v.number() })), false],
    [{ type: "object", allOf: [{ properties: { n } }] }, false],
    [{ type: "object", properties: { n }, additionalProperties: n }, true],
    [{ type: "object", properties: { n }, patternProperties: { "^m$": n } }, true],
    [undefined, false],
  ];
  for (const [input, isOpen] of inputs) {
    await withClient(new Workflow({ name: "add", ...(input && { input }), steps: [] }), {}, async (client) => {
      const [{ inputSchema }] = (await client.listTools()).tools;
      const listed = new Workflow({ name: "listed", input: { type: "object", properties: { args: inputSchema } }, steps: [] });
      const right = input === undefined ? {} : { n: 1 };
      for (const [args, isRight] of [[right, true], [{ ...right, m: 2 }, isOpen], [{ n: "one" }, false]]) {
        const fits = (await listed.run({ state: { args } })).status === "done";
        const { isError = false, content } = await client.callTool({ name: "add", arguments: args });
        assert.deepEqual([fits, !isError], [isRight, isRight], `${JSON.stringify(args)}: ${content[0].text}`);
        if (isError) assert.match(content[0].text, /`?[nm]`?/);
      }
    });
  }
});

test("a tool has the name that its server gives it, and its own where it gives none", async () => {
  const workflows = [new Workflow({ name: "Bezahl die Öfen", steps: [] }), new Workflow({ name: "stock", steps: [] })];
  await withClient(workflows, { names: { "Bezahl die Öfen": "pay.bill-1" } }, async (client) => {
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ["pay.bill-1", "stock"]);
    assert.deepEqual((await client.callTool({ name: "pay.bill-1", arguments: {} })).structuredContent, {});
    await assert.rejects(client.callTool({ name: "Bezahl_die__fen", arguments: {} }), /there is no tool Bezahl_die__fen/);
  });
  await withClient([new Workflow({ name: "a b", steps: [] }), new Workflow({ name: "a_b", steps: [] })], { names: { "a b": "c" } }, async (client) => {
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ["c", "a_b"]);
  });
});

test("a name that no tool may have, or of a workflow that is not there, is refused where it is written", () => {
  const serving = (names) => () => mcpServer([new Workflow({ name: "pay", steps: [] }), new Workflow({ name: "stock", steps: [] })], { public: true, keys, names });
  for (const name of ["", "pay bill", "pay/bill", "über", "x".repeat(129), 7, null, "a\n"]) {
    assert.throws(serving({ pay: name }), { code: "validation", message: `the option \`names["pay"]\` of mcpServer() is ${JSON.stringify(name)}`, hint: "write 1 to 128 letters from a to z, digits, `_`, `-` and `.`" });
  }
  for (const names of ["pay", ["pay"], null, 7]) assert.throws(serving(names), { code: "validation", message: /^the option `names` of mcpServer\(\) is / });
  assert.throws(serving({ pya: "pay_bill" }), { code: "validation", message: "the option `names` of mcpServer() names a tool for `pya`, and no workflow has that name", hint: "they are `pay`, `stock`" });
  assert.throws(serving({ pay: "stock" }), { code: "validation", message: /^two workflows of mcpServer\(\) are the tool `stock`/ });
  serving({ pay: "x".repeat(128) })();
});

test("clients get the state in its public form: what an agent's tools got and gave in a conversation is not theirs", async () => {
  const model = scriptedModel([{ type: "toolCall", name: "look", input: { secretly: "asked" } }, "it is 7"]);
  const look = tool({ name: "look", input: { type: "object", properties: { secretly: { type: "string" } } }, execute: () => ({ inside: "given" }) });
  const workflow = new Workflow({ name: "chat", steps: [{ name: "answer", agent: new Agent({ name: "a", model, tools: [look] }), inputFrom: "hello", history: { key: "messages" } }] });
  await withClient(workflow, {}, async (client) => {
    const { content, structuredContent } = await client.callTool({ name: "chat", arguments: {} });
    assert.deepEqual(structuredContent.messages.map(({ role }) => role), ["user", "assistant"]);
    assert.doesNotMatch(JSON.stringify([content, structuredContent]), /asked|inside|given/);
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  });
});

test("a model reads that too many runs go on and when to call again, and whatever else a call comes to", async () => {
  let go;
  const gate = new Promise((resolve) => (go = resolve));
  let begun;
  const running = new Promise((resolve) => (begun = resolve));
  const waits = new Workflow({ name: "waits", steps: [{ name: "wait", run: () => (begun(), gate) }] });
  const store = Object.assign(memoryStore(), { append: async () => { throw new Error("the disk at /srv is full"); } });
  await withClient(waits, { maxRuns: 1 }, async (client) => {
    const first = client.callTool({ name: "waits", arguments: {} });
    await running;
    assert.deepEqual(await client.callTool({ name: "waits", arguments: {} }), { content: [{ type: "text", text: "too many runs go on at once (try again in a second)" }], isError: true });
    go({ done: true });
    assert.deepEqual((await first).structuredContent, { done: true });
  });
  const seen = [];
  await withClient(new Workflow({ name: "kept", steps: [] }), { store, onError: (error) => void seen.push(error.message) }, async (client) => {
    assert.deepEqual(await client.callTool({ name: "kept", arguments: {} }), { content: [{ type: "text", text: "the workflow failed" }], isError: true });
  });
  assert.equal(seen.length, 1);
  assert.match(seen[0], /the disk at \/srv is full|journal/);
});
