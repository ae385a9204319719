// Where a document may send requests.
import assert from "node:assert/strict";
import dns from "node:dns";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Agent, openai, Workflow } from "stepweave";
import { answering, END, internal, piece, rejection } from "./support.js";

const document = (model) => ({ version: 1, name: "w", models: { m: { provider: "openai", model: "m", ...model } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] });
const answers = () => answering([piece("ok"), END]);

/** The error of a run whose document names this address, and how many requests were sent. */
async function outcome(model, options = {}, code = {}) {
  const fetch = answers();
  const { errors } = await Workflow.fromDocument(document(model), code).run({ fetch, ...options });
  return [errors[0]?.code, fetch.calls.length];
}

const INSIDE = [
  "http://127.0.0.1:8080", "http://127.1", "http://2130706433", "http://0x7f000001", "http://0177.0.0.1", "http://0x7f.1", "http://0.0.0.0", "http://localhost:11434", "http://LOCALHOST.", "http://localhost..", "http://127.0.0.1..",
  "http://ollama.localhost", "http://[::1]", "http://[::]", "http://[0:0:0:0:0:0:0:1]", "http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]", "http://[::ffff:a9fe:a9fe]", "http://[::127.0.0.1]", "http://[64:ff9b::7f00:1]", "http://[64:ff9b:1::1]",
  "http://[2002:7f00:1::]", "http://[2001::1]", "http://[fd00::1]", "http://[fc12::1]", "http://[fe80::1]", "http://[febf::1]", "http://[fec0::1]", "http://[ff02::1]",
  "http://10.0.0.1", "http://172.16.0.1", "http://172.31.255.255", "http://192.168.1.1", "http://169.254.169.254", "http://100.64.0.1", "http://100.127.255.255", "http://198.18.0.1", "http://224.0.0.1", "http://255.255.255.255",
  "http://１２７.０.０.１", "http://127。0。0。1", "http://metadata.google.internal", "http://printer.local", "http://intranet", "http://router.home.arpa",
];
const OUTSIDE = ["https://llm.test", "http://8.8.8.8", "http://172.32.0.1", "http://172.15.0.1", "http://100.128.0.1", "http://100.63.0.1", "http://169.253.0.1", "http://[2606:4700::1111]", "http://[2002:808:808::]", "http://[64:ff9b::808:808]", "http://[::ffff:8.8.8.8]", "https://notlocalhost.test", "https://localhost.test", "https://internal.example"];

test("on a server a document reaches neither this machine nor its own network, in any spelling", async () => {
  for (const origin of INSIDE) assert.deepEqual(await outcome({ baseUrl: `${origin}/v1` }), ["network", 0], origin);
  for (const origin of OUTSIDE) assert.deepEqual(await outcome({ baseUrl: `${origin}/v1` }), [undefined, 1], origin);
  const { errors } = await Workflow.fromDocument(document({ provider: "ollama" })).run({ fetch: answers() });
  assert.equal(errors[0].message, "nothing was sent: http://localhost:11434 is this machine or in its own network");
  assert.equal(errors[0].hint, 'if the endpoint is right, allow it where the run starts: allowOrigins: ["http://localhost:11434"]');
  assert.equal(errors[0].retryable, false);
});

test("what code names is reached: models in TypeScript, those brought to a document, and what the run allows", async () => {
  const local = openai("m", { baseUrl: "http://localhost:11434/v1" });
  const fetch = answers();
  const workflow = new Workflow({ name: "w", steps: [{ name: "s", agent: new Agent({ name: "a", model: local }), inputFrom: "go" }] });
  for (const allowOrigins of [undefined, []]) assert.equal((await workflow.run({ fetch, allowOrigins })).status, "done");
  assert.equal((await new Agent({ name: "a", model: local }).run("go", { fetch, allowOrigins: [] })).status, "done");
  for (const code of [{ models: { m: local } }, { agents: { a: new Agent({ name: "a", model: local }) } }]) {
    for (const allowOrigins of [undefined, []]) assert.deepEqual(await outcome({}, { allowOrigins }, code), [undefined, 1]);
  }
  assert.deepEqual(await outcome({ baseUrl: "http://127.0.0.1:1/v1" }, { allowOrigins: ["http://127.0.0.1:1"] }), [undefined, 1]);
});

test("a run that allows origins reaches no others, in a page as on a server", async (t) => {
  const allowOrigins = ["https://llm.test", "https://two.test:8443/"];
  for (const page of [false, true]) {
    if (page) {
      Object.assign(globalThis, { location: { protocol: "https:" }, origin: "https://page.test" });
      t.after(() => { delete globalThis.location; delete globalThis.origin; });
    }
    for (const baseUrl of ["https://llm.test/v1", "https://two.test:8443/v1"]) assert.deepEqual(await outcome({ baseUrl }, { allowOrigins }), [undefined, 1]);
    for (const baseUrl of ["https://evil.test/v1", "http://llm.test/v1", "https://two.test/v1", "https://llm.test.evil.test/v1", "http://127.0.0.1/v1"]) assert.deepEqual(await outcome({ baseUrl }, { allowOrigins }), ["network", 0], baseUrl);
    assert.deepEqual(await outcome({ provider: "anthropic" }, { allowOrigins: [] }), ["network", 0]);
  }
  // Whoever opens a page may ask the model on their own machine.
  assert.deepEqual(await outcome({ provider: "ollama" }), [undefined, 1]);
});

test("origins that allow nothing, or more than they say, are refused", async () => {
  const workflow = Workflow.fromDocument(document({}));
  const refused = [
    ["https://llm.test", "the option `allowOrigins` of a run is no list"],
    [["llm.test"], "allowOrigins[0] of a run is no http(s) address"],
    [["https://llm.test", "*"], "allowOrigins[1] of a run is no http(s) address"],
    [["https://*.llm.test"], "allowOrigins[0] of a run is no http(s) address"],
    [["https://llm.test/v1"], "allowOrigins[0] of a run says more than an origin"],
    [["https://me@llm.test"], "allowOrigins[0] of a run says more than an origin"],
  ];
  for (const [allowOrigins, message] of refused) {
    const error = await rejection(workflow.run({ allowOrigins }));
    assert.deepEqual([error.code, error.message], ["validation", message]);
  }
});

test("a name that leads inside is refused when it connects, whatever it said before", async (t) => {
  let received = 0;
  const server = createServer((request, response) => { received += 1; response.end(); }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const { port } = server.address();
  let looked = [];
  t.mock.method(dns, "lookup", (name, options, done) => {
    const addresses = looked.shift();
    done(addresses === undefined ? Object.assign(new Error("no such name"), { code: "ENOTFOUND" }) : null, addresses);
  });
  const failure = async (...addresses) => {
    looked = addresses;
    const { errors } = await Workflow.fromDocument(document({ baseUrl: `http://rebinding.test:${port}/v1` })).run();
    return errors[0];
  };
  const v4 = { address: "127.0.0.1", family: 4 };
  for (const addresses of [[v4], [{ address: "8.8.8.8", family: 4 }, v4], [{ address: "::ffff:127.0.0.1", family: 6 }], [{ address: "fe80::1%eth0", family: 6 }], []]) {
    const error = await failure(addresses);
    assert.deepEqual([error.code, error.message], ["network", "nothing was sent: rebinding.test leads to this machine or into its own network"]);
  }
  const gone = await failure();
  assert.deepEqual([gone.code, gone.retryable], ["network", true]);
  assert.equal(received, 0);
});

test("what looks at addresses while it connects sends and reads as fetch does", async (t) => {
  const seen = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part)).on("end", () => {
      seen.push([request.method, request.url, request.headers["x-own"], body]);
      if (request.url === "/packed") return response.writeHead(200, { "content-encoding": "gzip" }).end(request.method === "HEAD" ? "" : gzipSync("packed"));
      if (request.url === "/empty") return response.writeHead(204).end();
      if (request.url === "/away") return response.writeHead(307, { location: "http://127.0.0.1/" }).end();
      response.writeHead(200, { "content-type": "text/event-stream", "x-two": ["a", "b"] });
      response.write("one ");
      setImmediate(() => (request.url === "/breaks" ? response.destroy() : response.end("two")));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const { pinnedFetch } = await internal("effects/pinned.ts");
  const fetch = pinnedFetch(() => false);
  const at = `http://127.0.0.1:${server.address().port}`;
  const init = { method: "POST", headers: { "x-own": "1" }, body: "{\"ü\":1}", signal: new AbortController().signal };
  const response = await fetch(`${at}/v1?x=1`, init);
  assert.deepEqual([response.status, response.headers.get("x-two"), await response.text()], [200, "a, b", "one two"]);
  assert.deepEqual(seen[0], ["POST", "/v1?x=1", "1", "{\"ü\":1}"]);
  assert.deepEqual([(await fetch(`${at}/empty`, init)).status, (await fetch(`${at}/away`, init)).status], [204, 307]);
  await assert.rejects(async () => (await fetch(`${at}/breaks`, init)).text());
  assert.equal(await (await fetch(`${at}/packed`, init)).text(), "packed");
  assert.equal(await (await fetch(`${at}/packed`, { method: "HEAD" })).text(), "");
  const controller = new AbortController();
  const stopped = fetch(`${at}/v1`, { ...init, signal: controller.signal });
  controller.abort();
  await assert.rejects(stopped, { name: "AbortError" });
});
