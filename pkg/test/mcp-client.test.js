// Tools of MCP servers that misbehave: a server by hand, over HTTP, in the protocol of 2025 with its sessions.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Agent, Workflow } from "stepweave";
import { mcpToolDocuments, mcpTools } from "stepweave/mcp";
import { scriptedModel } from "stepweave/testing";

const ECHO = { name: "echo", description: "Echo", inputSchema: { type: "object", properties: {} } };

/** A server whose sessions can be forgotten, as when it is started again; `calls` answers what it wants by itself. */
async function server(t, { tools = () => [ECHO], calls = ({ id, response }) => answer(response, { id, result: { content: [{ type: "text", text: "hi" }] } }) } = {}) {
  const seen = [];
  const sessions = new Set();
  const listening = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    const session = incoming.headers["mcp-session-id"];
    seen.push(method ?? incoming.method);
    if (method === "server/discover") return answer(response, { id, error: { code: -32601, message: "no such method" } }, 404);
    if (method === "initialize") {
      const name = `s${seen.length}`;
      sessions.add(name);
      response.setHeader("mcp-session-id", name);
      return answer(response, { id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
    }
    if (!sessions.has(session)) return response.writeHead(404).end("no such session");
    if (method === undefined) return response.writeHead(405).end();
    if (method === "tools/list") return answer(response, { id, result: { tools: tools() } });
    if (method === "tools/call" || method === "tasks/get") return calls({ id, method, params, response });
    response.writeHead(202).end();
  });
  await once(listening.listen(0, "127.0.0.1"), "listening");
  t.after(() => { listening.close(); listening.closeAllConnections(); });
  return { url: `http://127.0.0.1:${listening.address().port}/mcp`, seen, forget: () => sessions.clear() };
}

function answer(response, message, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

test("a tool whose schema refers to what is not there keeps no workflow from running", async (t) => {
  const properties = { a: { $ref: "#/$defs/gone" }, b: { $ref: "https://elsewhere.test/schema" }, c: { $ref: "#/$defs/round" }, d: { $ref: "#/$defs/list" }, e: { $ref: "#/%E0" } };
  const $defs = { round: { $ref: "#/$defs/around" }, around: { $ref: "#/$defs/round" }, list: { type: "array", items: { $ref: "#/$defs/list" } } };
  const { url } = await server(t, { tools: () => [{ ...ECHO, inputSchema: { type: "object", properties, $defs } }] });
  const { tools, close } = await mcpTools(url);
  const model = scriptedModel([{ type: "toolCall", name: "echo", input: { a: 1, d: [[]] } }, "done"]);
  const agent = new Agent({ name: "a", model, tools });
  const run = new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "Go" }] });
  const { status, state, errors } = await run.run();
  assert.deepEqual([status, state.ask_output, errors], ["done", "done", []]);
  await close();
});

const context = () => ({ signal: new AbortController().signal, callId: "c1", tool: "t" });
const rejection = (promise) => promise.then(() => assert.fail("it did not reject"), (error) => error);

test("a function that chooses tools may answer later, and one that decides about approvals has to say yes or no", async (t) => {
  const { url } = await server(t, { tools: () => [ECHO, { ...ECHO, name: "wipe" }] });
  const names = async (include) => {
    const { tools, close } = await mcpTools(url, { include });
    await close();
    return tools.map(({ name }) => name);
  };
  assert.deepEqual(await names((name) => name === "echo"), ["echo"]);
  assert.deepEqual(await names(async (name) => name === "echo"), ["echo"]);
  await assert.rejects(names(async () => { throw new Error("the list of what is allowed is gone"); }), /is gone/);
  await assert.rejects(mcpTools(url, { needsApproval: (_name, { destructiveHint }) => destructiveHint }), { code: "validation", message: "`needsApproval` of mcpTools() says nothing of the tool echo" });
});

test("a session that the server does not know any more is begun anew, once for all calls that it refused", async (t) => {
  const { url, seen, forget } = await server(t);
  const { tools: [echo], close } = await mcpTools(url);
  for (let round = 0; round < 3; round += 1) {
    forget();
    seen.length = 0;
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => echo.execute({}, context()))), ["hi", "hi", "hi"]);
    assert.equal(seen.filter((method) => method === "initialize").length, 1);
  }
  await close();
  forget();
  seen.length = 0;
  assert.match((await rejection(echo.execute({}, context()))).message, /was closed/);
  assert.deepEqual(seen, []);
});

test("what is refused in a session that is new is not asked for without end", async (t) => {
  const { url, seen } = await server(t, { calls: ({ response }) => response.writeHead(404).end("nothing here") });
  const { tools: [echo], close } = await mcpTools(url);
  const error = await rejection(echo.execute({}, context()));
  assert.deepEqual([error.code, seen.filter((method) => method === "tools/call").length], ["tool", 2]);
  await close();
});

test("what the server works off in the background is not begun once more", async (t) => {
  const own = await server(t, {
    tools: () => [{ ...ECHO, execution: { taskSupport: "required" } }],
    calls: ({ id, method, response }) => {
      if (method === "tools/call") return answer(response, { id, result: { task: { taskId: "1", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: 1000, pollInterval: 1 } } });
      own.forget();
      response.writeHead(404).end("no such session");
    },
  });
  const { tools: [echo], close } = await mcpTools(own.url);
  assert.equal((await rejection(echo.execute({}, context()))).code, "tool");
  assert.equal(own.seen.filter((method) => method === "tools/call").length, 1);
  await close();
});

test("a document's tools are looked at again where the server has forgotten the session", async (t) => {
  let tools = [ECHO];
  let isFirst = true;
  const own = await server(t, {
    tools: () => tools,
    calls: ({ id, response }) => {
      if (!isFirst) return answer(response, { id, result: { content: [{ type: "text", text: "hi" }] } });
      isFirst = false;
      own.forget();
      response.writeHead(404).end("no such session");
    },
  });
  const run = async () => {
    isFirst = true;
    tools = [ECHO];
    const document = { version: 1, name: "w", models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m", tools: ["echo"] } }, tools: { echo: { ...(await mcpToolDocuments(own.url)).echo, needsApproval: false } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] };
    return (between) => {
      const call = { type: "toolCall", name: "echo", input: {} };
      const m = scriptedModel([call, () => (between?.(), call), "done"]);
      return Workflow.fromDocument(document, { models: { m } }).run({ allowOrigins: [new URL(own.url).origin] }).then((result) => ({ ...result, outputs: m.requests.slice(1).map(({ messages }) => messages.at(-1).results?.[0].output) }));
    };
  };
  const { status, outputs } = await (await run())();
  assert.deepEqual([status, outputs.length, outputs[1]], ["done", 2, "hi"]);
  assert.match(outputs[0].error, /no such session/);
  const { error } = await (await run())(() => (tools = [{ ...ECHO, description: "Something else" }]));
  assert.deepEqual([error?.code, error?.problems?.[0].code], ["document", "tool_changed"], error?.message);
});

test("a token that is refused in a call is a matter of who calls", async (t) => {
  const { url } = await server(t, { calls: ({ response }) => response.writeHead(401).end("over") });
  const { tools: [echo], close } = await mcpTools(url, { headers: { authorization: "Bearer my-secret-token-123" } });
  const { code, hint, message } = await rejection(echo.execute({}, context()));
  assert.deepEqual([code, message], ["auth", `the MCP server ${url} refused the call of echo (401): Error POSTing to endpoint: over`]);
  assert.match(hint, /headers: \{ authorization/);
  await close();
});

test("an address where no MCP server is, is named with its status, also where it says nothing", async (t) => {
  const http = createServer({ keepAliveTimeout: 0 }, (request, response) => request.resume().on("end", () => response.writeHead(404).end())).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  t.after(() => http.close());
  const error = await mcpTools(`http://127.0.0.1:${http.address().port}/mcp`).catch((error) => error);
  assert.equal(error.code, "network");
  assert.match(error.message, /could not be used \(404\): \S.*[^:\s]$/);
});
