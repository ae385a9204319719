// What whoever serves a workflow gets wrong: they learn of it where they wrote it, and their callers learn nothing.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Workflow } from "stepweave";
import { runDurably, runsObject } from "stepweave/durable";
import { formFiles, memoryBytes } from "stepweave/files";
import { bearer, handler } from "stepweave/http";
import { mcpServer } from "stepweave/mcp/server";
import { memoryStore } from "stepweave/stores";

const workflow = new Workflow({ name: "w", input: { type: "object", properties: { n: { type: "number" } } }, steps: [] });
const keys = [{ id: "k", key: btoa("32 random bytes: openssl rand 32") }];

test("options that no run has are thrown where they are written", () => {
  for (const run of [{ nope: 1 }, { state: { n: 1 } }, { journal: true }]) {
    for (const make of [() => handler(workflow, { public: true, run }), () => mcpServer(workflow, { public: true, keys, run }), () => runsObject(workflow, { public: true, run })]) {
      assert.throws(make, ({ code, message }) => code === "validation" && message.includes(`\`run\` of ${make.toString().includes("mcp") ? "mcpServer" : "handler"}() has no option`));
    }
  }
});

/** Values of options of runs that are wrong, by what is said of them. */
const WRONG = {
  "`limits` of a run has no option `nope`": { limits: { nope: 1 } },
  "`limits.maxTokens` of a run is no number": { limits: { maxTokens: "many" } },
  "the option `trace` is a string": { trace: "00-1" },
  "trace.origins[0] is no origin": { trace: { origins: ["https://api.example/v1"] } },
  "allowOrigins[0] of a run says more than an origin": { allowOrigins: ["https://api.example/v1"] },
  "the secret KEY is not bound to an origin": { secrets: { KEY: "a key for nowhere" } },
  "the option `longWaitMs` is -1": { longWaitMs: -1 },
};

test("values of options that no run takes are thrown where they are written, in the words of a run", async () => {
  for (const [message, run] of Object.entries(WRONG)) {
    for (const make of [() => handler(workflow, { public: true, run }), () => mcpServer(workflow, { public: true, keys, run }), () => runsObject(workflow, { public: true, run })]) assert.throws(make, { code: "validation", message });
    await assert.rejects(workflow.run({ ...run, journal: true }), { message });
  }
});

test("options that are undefined are as if they were left out", async () => {
  const seen = [];
  const bytes = memoryBytes();
  const spied = new Workflow({ name: "w", steps: [] });
  const start = spied.start.bind(spied);
  spied.start = ({ files, userId, longWaitMs, ...options }) => (seen.push([files, userId, longWaitMs]), start({ files, userId, longWaitMs, ...options }));
  const post = () => new Request("https://flow.example/runs", { method: "POST" });
  const run = { files: undefined, userId: undefined, longWaitMs: undefined };
  for (const given of [run, () => run]) {
    await handler(spied, { authorize: () => "ann", files: formFiles({ store: bytes }), run: given })(post());
    assert.deepEqual(seen.pop(), [bytes, "ann", undefined]);
    const storage = { sql: { exec: () => ({ toArray: () => [] }) }, transactionSync: (work) => work(), sync: async () => {}, getAlarm: async () => null, setAlarm: async () => {} };
    await new (runsObject(spied, { public: true, run: given }))({ storage, waitUntil: () => {} }, {}).fetch(post());
    assert.deepEqual(seen.pop(), [undefined, undefined, 10_000]);
  }
  await runDurably({ perform: (_, call) => call(), sleepUntil: assert.fail, waitFor: assert.fail }, spied, { id: "r", ...run });
  assert.equal(seen.pop()[2], 0);
  const large = new Request("https://flow.example/mcp", { method: "POST", body: "x".repeat(512 * 1024), headers: { "content-type": "application/json" } });
  assert.notEqual((await mcpServer(workflow, { public: true, keys, maxBodyBytes: undefined })(large)).status, 413);
});

for (const [run, message] of [
  [() => ({ nope: 1 }), /no option `nope`/],
  [() => ({ state: { n: 1 } }), /no option `state`/],
  [() => ({ limits: { maxTokens: "many" } }), /`limits.maxTokens`/],
  ...Object.entries(WRONG).map(([message, run]) => [() => run, new RegExp(`: ${message.replace(/[[\].]/g, "\\$&")}$`)]),
]) {
  test(`options of runs that are wrong are no fault of who calls: ${message}`, async () => {
    const reported = [];
    const serve = handler(workflow, { public: true, store: memoryStore(), onError: (error) => reported.push(error), run });
    for (const headers of [{}, { accept: "text/event-stream" }, { prefer: "respond-async" }]) {
      const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers }));
      const { code, detail, hint } = await response.json();
      assert.deepEqual([response.status, code, detail, hint], [500, "handler", "the workflow failed", undefined]);
      assert.match(reported.pop().message, message);
    }
    assert.deepEqual(reported, []);
  });
}

test("what callers send that cannot be a state is theirs", async () => {
  const open = new Workflow({ name: "w", input: { type: "object", additionalProperties: true }, steps: [] });
  const serve = handler(open, { public: true, onError: assert.fail });
  const response = await serve(new Request("https://flow.example/runs", { method: "POST", body: `{ "a": ${"[".repeat(600)}${"]".repeat(600)} }` }));
  assert.equal(response.status, 400);
  assert.match((await response.json()).detail, /the option `state` is not plain JSON/);
});

test("an alarm that an object of runs could not set is set with what it keeps next", async () => {
  const [times, errors] = [[], []];
  const setAlarm = async (time) => { if (times.push(time) === 1) throw new Error("away for a moment"); };
  const storage = { sql: { exec: () => ({ toArray: () => [] }) }, transactionSync: (work) => work(), sync: async () => {}, getAlarm: async () => null, setAlarm };
  const Runs = runsObject(new Workflow({ name: "w", steps: [{ name: "s", run: () => ({}) }] }), { public: true, onError: ({ message }) => errors.push(message) });
  const object = new Runs({ storage, waitUntil: () => {} }, {});
  const post = () => object.fetch(new Request("https://flow.example/runs", { method: "POST" }));
  assert.equal((await post()).status, 500);
  assert.match(errors[0], /away for a moment/);
  await post();
  assert.equal(times.length, 2);
});

test("an object of runs has a store, for all options that need one", () => {
  runsObject(workflow, { public: true, keepMs: { done: 1000 }, run: { longWaitMs: 5 } });
});

test("a function that gives no options for a run has it run without any", async () => {
  const serve = handler(workflow, { public: true, run: () => undefined });
  assert.equal((await serve(new Request("https://flow.example/runs", { method: "POST" }))).status, 200);
});

/** What a handler with these options responds to a call of this page, and under which name it lets it read that. */
async function calledFrom(origin, options, host = "flow.example") {
  const serve = handler(workflow, { public: true, ...options });
  const { status, headers } = await serve(new Request(`https://${host}/runs`, { method: "POST", headers: { ...(origin && { origin }) } }));
  return [status, headers.get("access-control-allow-origin")];
}

test("origins are known in each way in which they are written", async () => {
  for (const origin of ["https://page.example", "https://page.example/", "HTTPS://Page.example", "https://page.example:443"]) {
    assert.deepEqual(await calledFrom("https://page.example", { origins: [origin] }), [200, "https://page.example"], origin);
  }
  for (const origin of ["chrome-extension://abcdef", "capacitor://localhost", "null"]) assert.deepEqual(await calledFrom(origin, { origins: [origin] }), [200, origin]);
});

test("origins and hosts that no request can have are refused", () => {
  const refused = (name, value) =>
    assert.throws(() => handler(workflow, { public: true, [name]: ["https://ok.example".slice(name === "hosts" ? 8 : 0), value] }), ({ code, message, hint }) => code === "validation" && message.startsWith(`the option \`${name}[1]\` of handler()`) && hint.startsWith("write "));
  for (const origin of ["*", "", "page.example", "https://page.example/app", "https://page.example?x", "https://*.page.example", "https://user@page.example", "app:"]) refused("origins", origin);
  for (const host of ["*", "", "https://flow.example", "flow.example/", "flow.example/app", "user@flow.example", "*.flow.example"]) refused("hosts", host);
});

test("hosts are known in each way in which they are written", async () => {
  for (const host of ["flow.example", "Flow.Example", "flow.example:443"]) assert.equal((await calledFrom(undefined, { hosts: [host] }))[0], 200, host);
  assert.equal((await calledFrom(undefined, { hosts: ["localhost:8787"] }, "localhost:8787"))[0], 200);
  assert.equal((await calledFrom(undefined, { hosts: ["localhost:8787"] }, "localhost:8788"))[0], 421);
});

test("a path is known with and without a slash at its end, as the address of links is", async () => {
  for (const [path, at] of [["/api/flow", "/api/flow/runs"], ["/api/flow/", "/api/flow/runs"], ["/", "/runs"]]) {
    assert.equal((await handler(workflow, { public: true, path })(new Request(`https://flow.example${at}`, { method: "POST" }))).status, 200, path);
  }
  for (const path of ["api", "//", "/api//", "/api?x", "/api#x"]) assert.throws(() => handler(workflow, { public: true, path }), { code: "validation", hint: 'write it like "/api/flow"' });
});

test("a token of nobody is refused", () => {
  assert.throws(() => bearer({ "": "a-long-random-text-from-the-environment" }), { code: "validation", message: "a token of bearer() has an empty name" });
});

test("an `onError` that throws takes neither a response nor other runs along, and the console has both errors", async () => {
  const said = [];
  const spy = mock.method(console, "error", (...words) => void said.push(words.map((word) => word?.message ?? word).join(" ")));
  const onError = () => {
    throw new Error("the log is full");
  };
  const failing = new Workflow({ name: "w", steps: [{ name: "s", run: () => Promise.reject(new Error("the step failed")) }] });
  const waited = [];
  try {
    for (const [status, headers] of [[500, {}], [200, { accept: "text/event-stream" }], [202, { prefer: "respond-async" }]]) {
      const serve = handler(failing, { public: true, store: memoryStore(), onError });
      const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers }), undefined, { waitUntil: (work) => waited.push(work) });
      assert.equal(response.status, status);
      await response.text();
      await Promise.all(waited);
      assert.deepEqual(said.splice(0).slice(0, 2), ["the step failed", "stepweave: the option `onError` threw: the log is full"]);
    }
    const unauthorized = handler(failing, { authorize: () => Promise.reject(new Error("no users")), onError });
    assert.equal((await unauthorized(new Request("https://flow.example/runs", { method: "POST" }))).status, 500);
    assert.deepEqual(said, ["no users", "stepweave: the option `onError` threw: the log is full"]);
  } finally {
    spy.mock.restore();
  }
});
