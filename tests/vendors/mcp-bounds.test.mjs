// What a server of MCP sends is read no further than the bound: servers that send a hundred megabytes, over real HTTP.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { installed } from "./installed.mjs";

const MEGABYTE = 1024 * 1024;
const BOUND = MEGABYTE;
const WHOLE = 100 * MEGABYTE;

let home;
let mcpTools;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client");
  ({ mcpTools } = await home.load("stepweave/mcp"));
});
after(() => home.remove());

const rejection = (promise) => promise.then(() => assert.fail("it did not reject"), (error) => error);
const context = () => ({ signal: new AbortController().signal, callId: "c1", tool: "t" });
const result = (id, text) => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });

/** A hundred megabytes, piece by piece, as far as they are taken. */
function* endless(before = "", behind = "") {
  yield before;
  const piece = "x".repeat(MEGABYTE);
  for (let sent = 0; sent < WHOLE; sent += piece.length) yield piece;
  yield behind;
}

async function send(response, pieces) {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await goesOn(response);
  }
  response.end();
}

/** Waits until a response takes more, or nobody reads it. */
const goesOn = (response) =>
  new Promise((resolve) => {
    const go = () => resolve(void response.off("drain", go).off("close", go));
    response.on("drain", go).on("close", go);
  });

/**
 * A server of our own with the tool `load`, whose calls and streams are answered by the test; gives its address and a
 * `fetch` that counts the bytes that are taken from its bodies.
 */
async function served({ call, list, stream, initialize }, use) {
  const seen = { taken: 0, requests: [] };
  const server = createServer(async (request, response) => {
    seen.requests.push(request.method);
    if (request.method === "GET") return stream === undefined ? response.writeHead(405).end() : stream(response, request);
    if (request.method === "DELETE") return response.writeHead(200).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    const json = (result) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "initialize" && initialize !== undefined) return initialize(response, id);
    if (method === "initialize") return json({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } });
    if (method === "tools/list" && list !== undefined) return list(response, id, params);
    if (method === "tools/list") return json({ tools: [{ name: "load", inputSchema: { type: "object" } }] });
    if (method === "tools/call") return call(response, id, params.arguments);
    if (id === undefined) return response.writeHead(202).end();
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: `there is no ${method}` } }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const counting = async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    const count = new TransformStream({ transform: (chunk, controller) => void (seen.taken += chunk.length, controller.enqueue(chunk)) });
    return new Response(answer.body.pipeThrough(count), { status: answer.status, headers: answer.headers });
  };
  try {
    await use(`http://127.0.0.1:${server.address().port}/mcp`, counting, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The bytes of the pieces in which a body comes that may be taken beyond the bound. */
const SLACK = 256 * 1024;

const asJson = (response, id) => send(response.writeHead(200, { "content-type": "application/json" }), endless(result(id, "").slice(0, -5), '"}]}}'));
const asEvent = (response, id) => send(response.writeHead(200, { "content-type": "text/event-stream" }), endless(`event: message\ndata: ${result(id, "").slice(0, -5)}`, '"}]}}\n\n'));
const asResumable = (response, id) => send(response.writeHead(200, { "content-type": "text/event-stream" }), endless(`id: 1\nretry: 1\ndata:\n\nid: 2\ndata: ${result(id, "").slice(0, -5)}`, '"}]}}\n\n'));

test("a result that does not end is read up to the bound, reported as what it is, and requested once", async () => {
  for (const call of [asJson, asEvent, asResumable]) {
    await served({ call }, async (url, counting, seen) => {
      const { tools: [load], close } = await mcpTools(url, { fetch: counting, maxResultBytes: BOUND });
      const before = seen.taken;
      const error = await rejection(load.execute({}, context()));
      assert.deepEqual([error.code, error.retryable, error.message], ["limit", false, `the MCP server ${url} sent a message of more than ${BOUND} bytes, the limit of what is given at once`], call.name);
      assert.equal(error.hint, "let the tool give less, or raise the option `maxResultBytes` of mcpTools()");
      assert.ok(seen.taken - before >= BOUND && seen.taken - before < BOUND + SLACK, `${call.name}: ${seen.taken - before} bytes were taken`);
      // Other calls of the connection go on, and nothing asks for the same once more.
      const requests = seen.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(seen.requests.length, requests, call.name);
      await close();
    });
  }
});

test("many messages that fit are read to the end, however large all of them are together", async () => {
  const text = "x".repeat(BOUND / 2);
  const call = (response, id) => {
    const progress = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: text } });
    const events = Array.from({ length: 20 }, (_, index) => `data: ${progress}${["\n\n", "\r\n\r\n", "\r\r"][index % 3]}`);
    return send(response.writeHead(200, { "content-type": "text/event-stream" }), [...events, `data: ${result(id, "loaded")}\n\n`]);
  };
  await served({ call }, async (url, counting, seen) => {
    const { tools: [load], close } = await mcpTools(url, { fetch: counting, maxResultBytes: BOUND });
    assert.equal(await load.execute({}, context()), "loaded");
    assert.ok(seen.taken > 9 * BOUND);
    await close();
  });
});

test("an error, a greeting and a list of tools that do not end are read up to the bound", async () => {
  const failing = (response) => send(response.writeHead(500, { "content-type": "text/plain" }), endless("it broke"));
  await served({ call: failing }, async (url, counting, seen) => {
    const { tools: [load], close } = await mcpTools(url, { fetch: counting, maxResultBytes: BOUND });
    const before = seen.taken;
    assert.equal((await rejection(load.execute({}, context()))).code, "tool");
    assert.ok(seen.taken - before < BOUND + SLACK);
    await close();
  });
  for (const part of ["initialize", "list"]) {
    for (const answer of [asJson, asEvent]) {
      await served({ [part]: answer }, async (url, counting, seen) => {
        const error = await rejection(mcpTools(url, { fetch: counting, maxResultBytes: BOUND }));
        assert.deepEqual([error.code, error.message.includes(`more than ${BOUND} bytes`)], ["limit", true], `${part} ${answer.name}`);
        assert.ok(seen.taken < BOUND + SLACK, `${part} ${answer.name}: ${seen.taken}`);
      });
    }
  }
  let pages = 0;
  const list = (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: { tools: [], nextCursor: String((pages += 1)) } }));
  await served({ list }, async (url) => assert.match((await rejection(mcpTools(url))).message, /has a list of tools without an end/));
  assert.ok(pages <= 1001, `${pages} pages`);
});

test("what a server tells by itself is bounded too, and its tools can be called all the same", async () => {
  const stream = (response) => send(response.writeHead(200, { "content-type": "text/event-stream" }), endless("data: "));
  const call = (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(result(id, "loaded"));
  await served({ stream, call }, async (url, counting, seen) => {
    const { tools: [load], close } = await mcpTools(url, { fetch: counting, maxResultBytes: BOUND });
    while (seen.taken < BOUND) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await load.execute({}, context()), "loaded");
    assert.ok(seen.taken < BOUND + 2 * SLACK, `${seen.taken} bytes were taken`);
    assert.equal(seen.requests.filter((method) => method === "GET").length, 1);
    await close();
  });
});

test("nobody has to say a bound, and one that is none is refused", async () => {
  await served({ call: asJson }, async (url, counting, seen) => {
    const { tools: [load], close } = await mcpTools(url, { fetch: counting });
    assert.equal((await rejection(load.execute({}, context()))).code, "limit");
    assert.ok(seen.taken < 32 * MEGABYTE + SLACK + 10_000, `${seen.taken} bytes were taken`);
    await close();
    for (const maxResultBytes of [0, -1, 1.5, "1", null, NaN]) {
      const error = await rejection(mcpTools(url, { maxResultBytes }));
      assert.deepEqual([error.code, error.message], ["validation", `\`maxResultBytes\` of mcpTools() is ${maxResultBytes}`]);
    }
  });
});
