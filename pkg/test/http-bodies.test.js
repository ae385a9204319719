// The body of a call that is refused: servers whose connections it would block have it read, up to a bound.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { bearer, handler } from "stepweave/http";
import { mcpServer } from "stepweave/mcp/server";
import { memoryStore } from "stepweave/stores";

const token = "a-token-of-more-than-sixteen-characters";
const authorize = bearer({ shop: token });
const workflow = new Workflow({ name: "served", steps: [{ name: "a", run: () => {} }] });

/** A request whose body comes in pieces of a kilobyte, and how many of them were read. */
function sending(path, { method = "POST", headers = {}, pieces = 20 } = {}) {
  let read = 0;
  const body = new ReadableStream({ pull: (controller) => (read++ < pieces ? controller.enqueue(new Uint8Array(1024)) : controller.close()) }, { highWaterMark: 0 });
  return { request: new Request(`https://flow.example${path}`, { method, headers, body, duplex: "half" }), read: () => read };
}

test("the body of a call that is refused is read, up to `maxBodyBytes`", async () => {
  const serve = handler(workflow, { authorize, store: memoryStore() });
  const as = { authorization: `Bearer ${token}` };
  const refused = {
    "nobody is known": [401, "/runs"],
    "an unknown address": [404, "/nothing", { headers: as }],
    "an unknown run": [404, "/runs/x/answers", { headers: as }],
    "another method": [405, "/runs", { headers: as, method: "PUT" }],
    "a page of another origin": [403, "/runs", { headers: { ...as, origin: "https://evil.example" } }],
    "an id that is none": [404, "/runs/x", { headers: as, method: "DELETE" }],
  };
  for (const [name, [status, path, more]] of Object.entries(refused)) {
    const { request, read } = sending(path, more);
    assert.deepEqual([name, (await serve(request)).status, request.bodyUsed, read()], [name, status, true, 21]);
  }
  const endless = sending("/runs", { pieces: Infinity });
  assert.equal((await serve(endless.request)).status, 401);
  assert.equal(endless.read(), 257, "and no more");
  const mcp = mcpServer(workflow, { authorize, keys: [{ id: "k", key: btoa("k".repeat(32)) }] });
  const { request } = sending("/mcp");
  assert.deepEqual([(await mcp(request)).status, request.bodyUsed], [401, true]);
});

test("a body that somebody else has read, or reads, is left to that one", async () => {
  const serve = handler(workflow, { authorize });
  const { request } = sending("/runs");
  request.body.getReader();
  assert.equal((await serve(request)).status, 401);
});
