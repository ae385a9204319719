// Tools of MCP servers: of the reference server, and of small ones made with the official SDK.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startEverything } from "./everything-server.mjs";
import { installed } from "./installed.mjs";

const KEY = "mcp-very-secret-key";

let home;
let everything;
let mcpTools;
let mcpToolDocuments;

before(async () => {
  [home, everything] = await Promise.all([installed(), startEverything()]);
});
after(() => Promise.all([everything?.stop(), home.remove()]));

/** What a tool's function is given, as far as it looks at it. */
const context = (signal = new AbortController().signal) => ({ signal, callId: "c1", tool: "t" });

const rejection = (promise) => promise.then(() => assert.fail("it did not reject"), (error) => error);

/** Uses the tools of a server, by their names. */
async function using(url, options, use) {
  const { tools, close } = await mcpTools(url, options);
  try {
    await use(Object.fromEntries(tools.map((tool) => [tool.name, tool])));
  } finally {
    await close();
  }
}

test("without the SDK, it says what to install", async () => {
  // In a process of its own: this one would remember that the SDK is not there.
  const program = `const { mcpTools } = await import("stepweave/mcp"); await mcpTools(${JSON.stringify(everything.url)}).catch((error) => console.log(JSON.stringify(error)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: home.folder });
  const { code, message, hint } = JSON.parse(stdout);
  assert.deepEqual([code, message, hint], ["validation", "tools of MCP servers need the package @modelcontextprotocol/client", "npm install @modelcontextprotocol/client"]);
  await home.beside("@modelcontextprotocol/client");
  ({ mcpTools, mcpToolDocuments } = await home.load("stepweave/mcp"));
});

test("the tools of the reference server can be called", () =>
  using(everything.url, {}, async (tools) => {
    assert.ok(Object.keys(tools).length >= 12, Object.keys(tools).join());
    const { echo } = tools;
    assert.equal(echo.description, "Echoes back the input string");
    assert.deepEqual([echo.input.type, echo.input.required, echo.needsApproval, echo.timeoutMs], ["object", ["message"], false, undefined]);
    assert.ok(Object.isFrozen(echo));
    assert.equal(await echo.execute({ message: "hello" }, context()), "Echo: hello");
    assert.equal(await tools["get-sum"].execute({ a: 2, b: 3 }, context()), "The sum of 2 and 3 is 5.");
    assert.deepEqual(await tools["get-structured-content"].execute({ location: "Chicago" }, context()), { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 });
    const image = await tools["get-tiny-image"].execute({}, context());
    assert.deepEqual(image.map(({ type }) => type), ["text", "image", "text"]);
    assert.deepEqual(Object.keys(image[1]), ["type", "mediaType", "data"]);
    assert.equal(image[1].mediaType, "image/png");
    const [, resource] = await tools["get-resource-reference"].execute({ resourceType: "Text", resourceId: 1 }, context());
    assert.deepEqual([resource.type, resource.mediaType, typeof resource.text], ["resource", "text/plain", "string"]);
    const [, blob, link] = await tools["get-resource-links"].execute({ count: 2 }, context());
    assert.deepEqual([blob.type, link.type, link.name, link.mediaType], ["resourceLink", "resourceLink", "Text Resource 2", "text/plain"]);
  }));

test("the tools of a server from the time when the protocol of 2025 was new can be called", async (t) => {
  const former = await startEverything("everything-2025");
  t.after(former.stop);
  await using(former.url, {}, async (tools) => {
    assert.equal(await tools.echo.execute({ message: "hello" }, context()), "Echo: hello");
    assert.match(await tools.add.execute({ a: 2, b: 3 }, context()), /5/);
    assert.equal(typeof (await tools.structuredContent.execute({ location: "Chicago" }, context())).temperature, "number");
    const image = await tools.getTinyImage.execute({}, context());
    assert.ok(image.some(({ type, mediaType }) => type === "image" && mediaType === "image/png"));
  });
});

test("prompts are conversations, resources parts of an input, and progress is reported", async () => {
  const reported = [];
  const held = await mcpTools(everything.url, { include: ["trigger-long-running-operation"], onProgress: (progress) => void reported.push(progress) });
  const prompts = await held.prompts();
  assert.ok(prompts.some(({ name }) => name === "args-prompt"));
  const [message] = await held.prompt("args-prompt", { city: "Chicago" });
  assert.deepEqual(message, { role: "user", content: [{ type: "text", text: "What's weather in Chicago?" }] });
  const { code, message: said } = await rejection(held.prompt("none"));
  assert.equal(code, "network");
  assert.match(said, /none/);
  const resources = await held.resources();
  const [part] = await held.resource(resources[0].uri);
  assert.deepEqual([part.type, part.text.length > 10], ["text", true]);
  await held.tools[0].execute({ duration: 0.2, steps: 2 }, context());
  assert.deepEqual(reported.map(({ tool, progress, total }) => [tool, progress, total]), [["trigger-long-running-operation", 1, 2], ["trigger-long-running-operation", 2, 2]]);
  await held.close();
});

test("an agent uses them in a run, and receives what failed", async () => {
  const { Agent, Workflow } = home.stepweave;
  const { scriptedModel } = await home.load("stepweave/testing");
  const call = (name, input) => ({ type: "toolCall", name, input });
  const model = scriptedModel([[call("get-sum", { a: 2, b: 3 }), call("echo", { massage: "x" }), call("get-tiny-image", {})], "It is 5."]);
  const { tools, close } = await mcpTools(everything.url);
  const agent = new Agent({ name: "a", model, tools: [...tools] });
  const { status, state, errors } = await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Hi" }] }).run();
  await close();
  assert.deepEqual([status, state.ask_output], ["done", "It is 5."], errors[0]?.message);
  model.done();
  assert.equal(model.requests[0].tools.length, tools.length);
  const [sum, echo, image] = model.requests[1].messages.at(-1).results;
  assert.equal(sum.output, "The sum of 2 and 3 is 5.");
  assert.equal(echo.isError, true);
  assert.match(echo.output.error, /message/);
  assert.deepEqual(image.output.map(({ type }) => type), ["text", "image", "text"]);
});

test("pictures are given whole, as a model can be shown them", () =>
  using(everything.url, { include: ["get-tiny-image"] }, async (tools) => {
    const [, { data }] = await tools["get-tiny-image"].execute({}, context());
    assert.equal(Buffer.from(data, "base64").subarray(1, 4).toString(), "PNG");
  }));

test("a tool that the server works off in the background is waited for", () =>
  using(everything.url, { include: ["simulate-research-query"] }, async (tools) => {
    assert.match(await tools["simulate-research-query"].execute({ topic: "bees" }, context()), /^# Research Report: bees/);
  }));

test("arguments that do not fit are a tool's failure, in the server's words", () =>
  using(everything.url, { include: ["echo", "get-sum"] }, async ({ echo, ...tools }) => {
    const error = await rejection(echo.execute({ massage: 1 }, context()));
    assert.equal(error.code, "tool");
    assert.match(error.message, /Input validation error: Invalid arguments for tool echo/);
    assert.match((await rejection(tools["get-sum"].execute({ a: "two" }, context()))).message, /Invalid arguments for tool get-sum/);
  }));

test("only what is wanted is taken, under names of its own", async () => {
  await using(everything.url, { include: ["echo", "get-sum"], prefix: "all.", needsApproval: (name, { readOnlyHint }) => name === "echo" && readOnlyHint === true, timeoutMs: 5000 }, async (tools) => {
    assert.deepEqual(Object.keys(tools), ["all_echo", "all_get-sum"]);
    assert.deepEqual(Object.values(tools).map(({ needsApproval }) => needsApproval), [true, false]);
    assert.equal(await tools.all_echo.execute({ message: "x" }, context()), "Echo: x");
  });
  await using(everything.url, { include: (name) => name.startsWith("toggle") }, async (tools) => assert.equal(Object.keys(tools).length, 2));
  const error = await rejection(mcpTools(everything.url, { include: ["ecko"] }));
  assert.equal(error.message, `the MCP server ${everything.url} has no tool ecko`);
  assert.match(error.hint, /^it has echo, /);
});

test("giving up a call tells the server, and a call that takes too long is a timeout", async () => {
  await using(everything.url, { include: ["trigger-long-running-operation"], timeoutMs: 300 }, async (tools) => {
    const long = tools["trigger-long-running-operation"];
    const posts = () => everything.log().split("Received MCP POST request").length;
    const before = posts();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("nobody waits")), 50);
    assert.equal((await rejection(long.execute({ duration: 20, steps: 2 }, context(controller.signal)))).message, "nobody waits");
    while (posts() < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const error = await rejection(long.execute({ duration: 20, steps: 2 }, context()));
    assert.equal(error.code, "timeout");
    assert.match(error.message, /trigger-long-running-operation of the MCP server .* took too long/);
    // Telling how far it is keeps a call going.
    assert.match(await long.execute({ duration: 1, steps: 10 }, context()), /completed/);
  });
});

test("closing ends the session, and its tools say so afterwards", async () => {
  const home = await mcpTools(everything.url, { include: ["echo"] });
  const [echo] = home.tools;
  await Promise.all([home.close(), home.close()]);
  assert.match(everything.log(), /Received session termination request/);
  const error = await rejection(echo.execute({ message: "x" }, context()));
  assert.equal(error.message, `the tool echo cannot be called: the connection to the MCP server ${everything.url} was closed`);

  const controller = new AbortController();
  const other = await mcpTools(everything.url, { include: ["echo"], signal: controller.signal });
  controller.abort();
  assert.match((await rejection(other.tools[0].execute({ message: "x" }, context()))).message, /was closed/);
  const late = await rejection(mcpTools(everything.url, { signal: AbortSignal.abort(new Error("too late")) }));
  assert.deepEqual([late.code, late.cause.message], ["cancelled", "too late"]);
  await (await mcpTools(everything.url))[Symbol.asyncDispose]();
});

/** A server of our own, which is called for its tools and their results. */
async function served({ list, call, handle }, use) {
  const seen = [];
  const http = createServer(async (request, response) => {
    seen.push({ method: request.method, headers: request.headers });
    if (handle?.(request, response) === true) return;
    const server = new Server({ name: "own", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => list(params?.cursor));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  try {
    await use(`http://127.0.0.1:${http.address().port}/mcp`, seen);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

const object = (properties = {}) => ({ type: "object", properties });

test("a list in several pages is read to its end, and every tool's results are checked", () => {
  const numbers = { ...object({ n: { type: "number" } }), required: ["n"] };
  const pages = {
    "": { tools: [{ name: "right", inputSchema: object(), outputSchema: numbers }, { name: "wrong", inputSchema: object(), outputSchema: numbers }], nextCursor: "2" },
    2: { tools: [{ name: "none", title: "Nothing at all", inputSchema: object(), outputSchema: numbers }], nextCursor: "3" },
    3: { tools: [{ name: "failing", inputSchema: object() }, { name: "silent", inputSchema: object() }] },
  };
  const results = {
    right: { content: [], structuredContent: { n: 1 } },
    wrong: { content: [], structuredContent: { n: "one" } },
    none: { content: [{ type: "text", text: "1" }] },
    failing: { content: [{ type: "text", text: "the shop" }, { type: "text", text: "is closed" }], isError: true },
    silent: { content: [] },
  };
  return served({ list: (cursor) => pages[cursor ?? ""], call: ({ name }) => results[name] }, (url) =>
    using(url, {}, async (tools) => {
      assert.deepEqual(Object.keys(tools), ["right", "wrong", "none", "failing", "silent"]);
      assert.equal(tools.none.description, "Nothing at all");
      assert.deepEqual(await tools.right.execute({}, context()), { n: 1 });
      assert.equal((await rejection(tools.wrong.execute({}, context()))).message, `the tool wrong of the MCP server ${url} gave something else than its output schema says: /n does not meet /properties/n/type`);
      assert.equal((await rejection(tools.none.execute({}, context()))).message, `the tool none of the MCP server ${url} gave no structured content, though it has an output schema`);
      const { code, message } = await rejection(tools.failing.execute({}, context()));
      assert.deepEqual([code, message], ["tool", "the shop\nis closed"]);
      assert.equal(await tools.silent.execute({}, context()), "");
    }),
  );
});

test("names that models refuse are made safe, and stay apart", () => {
  const names = ["über.search", "_ber_search", "9lives", "a".repeat(70), `${"a".repeat(70)}b`, "a/b", "a b"];
  return served({ list: () => ({ tools: names.map((name) => ({ name, inputSchema: object() })) }), call: ({ name }) => ({ content: [{ type: "text", text: name }] }) }, (url) =>
    using(url, {}, async (tools) => {
      assert.deepEqual(Object.keys(tools), ["_ber_search", "_ber_search_2", "_9lives", "a".repeat(64), `${"a".repeat(62)}_2`, "a_b", "a_b_2"]);
      for (const [at, tool] of Object.values(tools).entries()) assert.equal(await tool.execute({}, context()), names[at]);
    }),
  );
});

/** What a run tells a model that calls a tool. */
async function answered(tool, input) {
  const [{ Agent }, { scriptedModel }] = await Promise.all([home.load("stepweave"), home.load("stepweave/testing")]);
  const model = scriptedModel([{ type: "toolCall", name: tool.name, input }, "done"]);
  const { errors } = await new Agent({ name: "a", model, tools: [tool] }).run("go");
  assert.deepEqual(errors, []);
  return model.requests[1].messages.at(-1).results[0].output;
}

test("telling how far it is keeps a call of an agent going, beyond the time of one answer", () =>
  using(everything.url, { include: ["trigger-long-running-operation"], timeoutMs: 300 }, async (tools) => {
    const long = tools["trigger-long-running-operation"];
    assert.match(await answered(long, { duration: 1, steps: 10 }), /completed/);
    assert.match((await answered(long, { duration: 20, steps: 2 })).error, /^the tool trigger-long-running-operation of the MCP server .* took too long: /);
  }));

test("patterns that are not matched in linear time keep no tool out, and a tool that is listed twice is one", async () => {
  const { validate } = await home.load("stepweave");
  const odd = "^(?!a)b";
  const schema = { ...object({ mail: { type: "string", pattern: odd, minLength: 2 }, pattern: { type: "string", pattern: "^c" }, box: { type: "object", patternProperties: { [odd]: {}, "^d": { type: "number" } } }, kind: { const: { pattern: odd } } }), required: ["mail"] };
  const tool = { name: "send", inputSchema: schema, outputSchema: object({ to: { type: "string", pattern: odd } }) };
  const call = ({ arguments: given }) => ({ content: [], structuredContent: { to: given.mail } });
  await served({ list: () => ({ tools: [tool, { name: "other", inputSchema: object() }, tool] }), call }, async (url) => {
    const { tools, close } = await mcpTools(url);
    assert.deepEqual(tools.map(({ name }) => name), ["send", "other"]);
    const [send] = tools;
    assert.deepEqual(send.input.properties, { mail: { type: "string", minLength: 2 }, pattern: { type: "string", pattern: "^c" }, box: { type: "object", patternProperties: { "^d": { type: "number" } } }, kind: { const: { pattern: odd } } });
    assert.deepEqual(await answered(send, { mail: "ab" }), { to: "ab" });
    assert.equal((await answered(send, { mail: "a", pattern: "x" })).error, "the input of the tool `send` does not fit its schema: `mail` must have at least 2 characters; `pattern` must match \"^c\", but is \"x\"");
    await close();
    const documents = await mcpToolDocuments(url);
    assert.deepEqual(documents.send.input, send.input);
    assert.deepEqual(await validate({ version: 1, name: "w", tools: documents, steps: [] }), []);
  });
});

test("what the protocol does not have is said to be that, with its place", async () => {
  const error = (server, what) => `${server} answered with what the protocol does not have: ${what}`;
  await served({ list: () => ({ tools: [{ name: "one", inputSchema: object() }, { name: "two", inputSchema: {} }] }) }, async (url) => {
    const refused = await rejection(mcpTools(url));
    assert.deepEqual([refused.code, refused.retryable, refused.message], ["tool", false, error(`the MCP server ${url}`, '`tools[1].inputSchema.type`: Invalid input: expected "object"')]);
    assert.equal(refused.hint, "tell whoever runs the server: this client takes what the protocol says, and nothing else");
  });
  // The SDK's own server sends no such results.
  const results = { initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }, "tools/list": { tools: [{ name: "one", inputSchema: object() }] }, "tools/call": { content: [{ type: "image", mimeType: "image/png", data: "!" }] } };
  const answer = async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    const result = results[method] === undefined ? { error: { code: -32601, message: "none" } } : { result: results[method] };
    if (id === undefined) response.writeHead(202).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...result }));
  };
  await served({ handle: (request, response) => (request.method === "POST" ? void answer(request, response) : void response.writeHead(405).end()) ?? true }, (url) =>
    using(url, {}, async ({ one }) => assert.equal((await answered(one, {})).error, error(`the tool one of the MCP server ${url}`, "`content[0].data`: Invalid Base64 string"))),
  );
});

test("a list that leads to the same page again ends there", () =>
  served({ list: () => ({ tools: [{ name: "one", inputSchema: object() }], nextCursor: "again" }), call: () => ({ content: [] }) }, (url) =>
    using(url, {}, async (tools) => assert.deepEqual(Object.keys(tools), ["one"])),
  ));

test("headers go to the server itself, and their values into no message", async () => {
  const headers = { authorization: `Bearer ${KEY}`, "x-tenant": "t" };
  await served({ list: () => ({ tools: [] }) }, async (url, seen) => {
    await using(url, { headers }, async () => {});
    assert.ok(seen.length >= 3);
    for (const { headers } of seen) assert.deepEqual([headers.authorization, headers["x-tenant"]], [`Bearer ${KEY}`, "t"]);
  });
  const refuse = (status) => (request, response) => response.writeHead(status).end(`no entry with ${KEY}`) && true;
  for (const [status, code, retryable] of [[401, "auth", false], [403, "auth", false], [404, "network", false], [503, "network", true]]) {
    await served({ handle: refuse(status) }, async (url) => {
      const error = await rejection(mcpTools(url, { headers }));
      assert.deepEqual([error.code, error.retryable], [code, retryable]);
      assert.ok(error.message.includes(`${url} `), error.message);
      assert.ok(!`${error.message}${error.hint}`.includes(KEY));
      assert.equal(error.message.includes("[hidden]"), status === 404, error.message);
      assert.match(error.hint, code === "auth" ? /headers: \{ authorization/ : /older HTTP\+SSE/);
    });
  }
  let reached = 0;
  await served({ handle: () => void (reached += 1) ?? true }, async (other) => {
    await served({ handle: (request, response) => response.writeHead(307, { location: other }).end() && true }, async (url) => {
      assert.match((await rejection(mcpTools(url, { headers }))).message, /could not be used: .*307|Redirect to .* not followed/s);
    });
  });
  assert.equal(reached, 0, "no other origin is reached");
});

test("a server that is down, an address that is none and options that are none are distinguished", async () => {
  const down = await rejection(mcpTools("http://127.0.0.1:9/mcp?key=secret"));
  assert.equal(down.code, "network");
  assert.ok(down.retryable);
  assert.match(down.message, /^the MCP server http:\/\/127\.0\.0\.1:9\/mcp could not be reached: /);
  for (const wrong of ["", "localhost:3000", "file:///tmp/mcp", "npx server-everything"]) assert.equal((await rejection(mcpTools(wrong))).code, "validation");
  const named = await rejection(mcpTools(`http://me:${KEY}@127.0.0.1/mcp`));
  assert.equal(named.message, "the address of the MCP server at 127.0.0.1 holds a name or a password");
  assert.match((await rejection(mcpTools(everything.url, { header: {} }))).message, /mcpTools\(\) has no option `header`/);
  for (const include of [5, "search", [5]]) assert.match((await rejection(mcpTools(everything.url, { include }))).message, /^`include` of mcpTools\(\) is neither names of tools nor a function/);
  await served({ handle: () => true }, async (url) => {
    for (const connect of [mcpTools, mcpToolDocuments]) {
      const controller = new AbortController();
      const connecting = rejection(connect(url, { signal: controller.signal }));
      setTimeout(() => controller.abort(), 50);
      assert.equal((await connecting).code, "cancelled");
      assert.equal((await rejection(connect(url, { signal: controller.signal }))).code, "cancelled");
    }
    const silent = await rejection(mcpTools(url, { timeoutMs: 100 }));
    assert.equal(silent.code, "timeout");
    assert.match(silent.hint, /timeoutMs/);
  });
  const garbled = (request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end("data: garbled\n\n") && true;
  await served({ handle: garbled }, async (url) => {
    assert.match((await rejection(mcpTools(url, { timeoutMs: 100 }))).message, /took too long: /);
  });
});

test("a server that has died is distinguished from a tool that fails", async (t) => {
  const mortal = await startEverything();
  t.after(mortal.stop);
  const { tools, close } = await mcpTools(mortal.url, { include: ["echo"] });
  await mortal.stop();
  const error = await rejection(tools[0].execute({ message: "x" }, context()));
  assert.equal(error.code, "network");
  await close();
});

test("its requests can be recorded, and replayed without the server", async (t) => {
  const { cassette } = await home.load("stepweave/testing");
  const mortal = await startEverything();
  t.after(mortal.stop);
  let text;
  const place = { read: () => text, write: (next) => void (text = next) };
  const talk = async (tape) => {
    const { tools, close } = await mcpTools(mortal.url, { fetch: tape.fetch, include: ["get-sum"] });
    const said = await tools[0].execute({ a: 20, b: 22 }, context());
    await close();
    return said;
  };
  const tape = cassette(place, { mode: "record" });
  assert.match(await talk(tape), /42/);
  await tape.save();
  await mortal.stop();
  assert.match(await talk(cassette(place, { mode: "replay" })), /42/);
});
