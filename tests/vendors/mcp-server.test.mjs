// Workflows as MCP servers, called by the official client: in Node over real HTTP, and in workerd without any storage.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";
import { installed } from "./installed.mjs";
import { serving } from "./serving.mjs";

const TOKEN = "a-token-of-ann-that-is-long";
const OTHER = "a-token-of-bob-that-is-long";
const key = (fill) => Buffer.alloc(32, fill).toString("base64");
const KEYS = [{ id: "new", key: key(1) }, { id: "old", key: key(2) }];

let home;
let mcpServer;
let bearer;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client", "@modelcontextprotocol/server");
  ({ mcpServer } = await home.load("stepweave/mcp/server"));
  ({ bearer } = await home.load("stepweave/http"));
});
after(() => home.remove());

const rejection = (promise) => promise.then(() => assert.fail("it did not reject"), (error) => error);

const count = (counts, name) => void (counts[name] = (counts[name] ?? 0) + 1);

/** A promise, and what resolves it. */
function gated() {
  const gate = {};
  gate.promise = new Promise((resolve) => (gate.resolve = resolve));
  return gate;
}

const asking = { name: "boss", type: "approval", message: "Pay?", schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] } };

/** A payment: a person is asked between two functions, which are counted. */
function paying(counts, more = {}) {
  return new home.stepweave.Workflow({
    name: "pay",
    description: "Pays a bill.",
    input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    steps: [
      { name: "reserve", run: () => count(counts, "reserve") },
      { name: "boss", type: "approval", message: "Pay {{ sum }}?", schema: { type: "object", properties: { approved: { type: "boolean" }, note: { type: "string", maxLength: 20 } }, required: ["approved"] } },
      { name: "pay", run: (state) => (count(counts, "pay"), { paid: state.boss_output.approved, note: state.boss_output.note ?? "" }) },
    ],
    ...more,
  });
}

/** Serves it over HTTP; `fetch` may be exchanged in between, as by a deploy. */
async function served(fetch, use) {
  const place = { fetch };
  await serving((request) => place.fetch(request), (origin) => use(new URL(`${origin}/mcp`), place));
}

const options = (more = {}) => ({ authorize: bearer({ ann: TOKEN, bob: OTHER }), keys: KEYS, onError: () => {}, ...more });

async function connected(url, { token = TOKEN, answer, fetch, mode = "auto" } = {}) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  if (answer !== undefined) client.setRequestHandler("elicitation/create", answer);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } }, ...(fetch && { fetch }) }));
  return client;
}

const call = (args, more = {}) => ({ name: "pay", arguments: args, ...more });
const asks = async (client, args = { sum: 12 }) => client.callTool(call(args), { allowInputRequired: true });
const yes = { boss: { action: "accept", content: { approved: true } } };

test("a workflow is a tool, its approval an elicitation, its steps progress, its end a structured result", async () => {
  const counts = {};
  await served(mcpServer(paying(counts), options()), async (url) => {
    const questions = [];
    const client = await connected(url, { answer: (request) => (questions.push(request.params), { action: "accept", content: { approved: true, note: "fine" } }) });
    assert.equal(client.getProtocolEra(), "modern");
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name, description, inputSchema }) => [name, description, inputSchema.required]), [["pay", "Pays a bill.", ["sum"]]]);
    const reported = [];
    const { structuredContent, content, isError } = await client.callTool(call({ sum: 12 }), { onprogress: (progress) => void reported.push(progress) });
    assert.deepEqual([isError, structuredContent.paid, structuredContent.note, JSON.parse(content[0].text).sum], [undefined, true, "fine", 12]);
    assert.deepEqual(questions.map(({ message, requestedSchema }) => [message, requestedSchema.required, requestedSchema.properties.note.maxLength]), [["Pay 12?", ["approved"], 20]]);
    assert.deepEqual(counts, { reserve: 1, pay: 1 });
    assert.deepEqual(reported.map(({ progress, message }) => [progress, message]).slice(0, 3), [[1, "reserve: begins"], [2, "reserve: done"], [3, "boss: begins"]]);
    await client.close();
  });
});

test("what a client keeps is sealed: nothing of it is read, changed, exchanged or used by others", async () => {
  const counts = {};
  await served(mcpServer(paying(counts), options()), async (url, place) => {
    const client = await connected(url);
    const { requestState, inputRequests, resultType } = await asks(client);
    assert.deepEqual([resultType, Object.keys(inputRequests)], ["input_required", ["boss"]]);
    const bytes = Buffer.from(requestState, "base64url");
    for (const word of ["reserve", "sum", "boss", "ann"]) assert.ok(!bytes.includes(word), word);
    const again = (await asks(client)).requestState;
    assert.notEqual(again.slice(0, 60), requestState.slice(0, 60), "the nonce is another one each time");
    const refused = async (state, who = client, args = { sum: 12 }) => {
      const { code, message } = await rejection(who.callTool(call(args, { requestState: state, inputResponses: yes })));
      assert.deepEqual([code, message.replace(/^.*: /, "")], [-32602, "Invalid or expired requestState"]);
    };
    // Each byte counts: version, key, time, nonce, text.
    for (const at of [0, 1, 3, 6, 12, 20, 30, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1;
      await refused(changed.toString("base64url"));
    }
    for (const state of ["", "x", "!!!", "AAAA", requestState.slice(0, -4), `${requestState}AAAA`, "A".repeat(70_000)]) await refused(state);
    await refused(requestState, await connected(url, { token: OTHER }));
    await refused(requestState, client, { sum: 13 });
    assert.equal(counts.pay, undefined);
    // The same workflow changed meanwhile, and the same keys for another one.
    place.fetch = mcpServer(paying(counts, { description: "Pays another bill." }), options());
    await refused(requestState);
    place.fetch = mcpServer(paying(counts), options({ keys: [{ id: "new", key: key(9) }] }));
    await refused(requestState);
    place.fetch = mcpServer(paying(counts), options({ validMs: 1 }));
    const late = (await asks(client)).requestState;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await refused(late);
    // An instance that knows nothing of it goes on with it, though its first key is another one by now.
    place.fetch = mcpServer(paying(counts), options({ keys: [{ id: "newest", key: key(3) }, ...KEYS] }));
    const { structuredContent } = await client.callTool(call({ sum: 12 }, { requestState, inputResponses: yes }));
    assert.deepEqual([structuredContent.paid, counts.pay], [true, 1]);
  });
});

test("an answer counts once with a store; without one a state that is sent twice goes on twice", async () => {
  const { memoryStore } = await home.load("stepweave/stores");
  for (const [store, pays] of [[undefined, 2], [memoryStore(), 1]]) {
    const counts = {};
    await served(mcpServer(paying(counts), options({ store })), async (url) => {
      const client = await connected(url);
      const { requestState } = await asks(client);
      const go = () => client.callTool(call({ sum: 12 }, { requestState, inputResponses: yes }));
      const first = await go();
      const second = await go();
      assert.deepEqual([first.structuredContent, counts], [second.structuredContent, { reserve: 1, pay: pays }]);
    });
  }
});

test("calls that come again while a run of a store goes on do nothing twice, and each gets what becomes of it", async () => {
  const [{ memoryStore }, { fileStore }] = [await home.load("stepweave/stores"), await home.load("stepweave/stores/node")];
  const folder = await mkdtemp(join(tmpdir(), "stepweave-mcp-"));
  try {
    for (const store of [memoryStore(), fileStore(folder)]) {
      const counts = {};
      const gate = gated();
      const pay = { name: "pay", run: async (state) => (count(counts, "pay"), await gate.promise, { paid: state.boss_output.approved }) };
      await served(mcpServer(paying(counts, { steps: [asking, pay] }), options({ store })), async (url) => {
        const client = await connected(url);
        const { requestState } = await asks(client);
        const again = (answer, options) => client.callTool(call({ sum: 12 }, { requestState, inputResponses: { boss: answer } }), options);
        const leaving = new AbortController();
        const first = again(yes.boss, { signal: leaving.signal });
        while (counts.pay === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
        const others = [yes.boss, { action: "decline" }, yes.boss].map((answer) => again(answer));
        leaving.abort();
        await assert.rejects(first);
        await new Promise((resolve) => setTimeout(resolve, 100));
        gate.resolve();
        for (const { structuredContent } of await Promise.all(others)) assert.equal(structuredContent.paid, true);
        // At the same moment, once all has ended.
        for (const { structuredContent } of await Promise.all([yes.boss, { action: "decline" }].map((answer) => again(answer)))) assert.equal(structuredContent.paid, true);
        assert.deepEqual(counts, { pay: 1 });
      });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("of calls at the same moment in two instances one goes on, and the others are told to call again", async () => {
  const { memoryStore } = await home.load("stepweave/stores");
  const store = memoryStore();
  const counts = {};
  const gate = gated();
  const pay = { name: "pay", run: async () => (count(counts, "pay"), await gate.promise, { paid: true }) };
  const instance = () => mcpServer(paying(counts, { steps: [asking, pay] }), options({ store }));
  await served(instance(), (one) =>
    served(instance(), async (other) => {
      const [here, there] = [await connected(one), await connected(other)];
      const { requestState } = await asks(here);
      const go = (client) => client.callTool(call({ sum: 12 }, { requestState, inputResponses: yes }));
      const both = [go(here), go(there)];
      const late = await Promise.race(both);
      assert.equal(late.isError, true);
      assert.match(late.content[0].text, /^the run is busy at the moment: try again in a few seconds$|^another request has answered/);
      // It goes on there, and nobody can tell that its process has not ended.
      assert.equal((await Promise.race([go(here), go(there)])).content[0].text, "the run is busy at the moment: try again in a few seconds");
      gate.resolve();
      await Promise.all(both);
      assert.deepEqual([(await go(here)).structuredContent.paid, (await go(there)).structuredContent.paid, counts.pay], [true, true, 1]);
    }),
  );
});

test("a run whose process has ended is continued by the next call, once nothing has come of it for long enough", async () => {
  const { memoryStore } = await home.load("stepweave/stores");
  const store = memoryStore();
  const never = { name: "pay", run: () => new Promise(() => {}) };
  let requestState;
  const go = async (url) => (await connected(url)).callTool(call({ sum: 12 }, { requestState, inputResponses: yes }));
  await served(mcpServer(paying({}, { steps: [asking, never] }), options({ store })), async (url) => {
    ({ requestState } = await asks(await connected(url)));
    go(url).catch(() => {});
    while ((await store.list({ status: "running" })).runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  const next = (staleMs) => mcpServer(paying({}, { steps: [asking, { name: "pay", run: () => ({ paid: true }) }] }), options({ store, ...staleMs }));
  await served(next({}), async (url) => assert.equal((await go(url)).content[0].text, "the run is busy at the moment: try again in a few seconds"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await served(next({ staleMs: 1 }), async (url) => assert.equal((await go(url)).structuredContent.paid, true));
  await store.delete((await store.list({})).runs[0].id);
  await served(next({}), async (url) => assert.equal((await go(url)).content[0].text, "the run is not kept any more (call the tool without what was kept of it)"));
});

test("what is too large to be kept is a result that is an error, whose log says why, and a store keeps it", async () => {
  const { memoryStore } = await home.load("stepweave/stores");
  // Random, so that nothing packs it.
  const large = () => ({ name: "reserve", run: () => ({ blob: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64") }) });
  const workflow = () => paying({}, { steps: [large(), { name: "boss", type: "approval", message: "Pay?" }] });
  const seen = [];
  const onError = (error) => void seen.push(error);
  for (const more of [{}, { maxStateBytes: 1_000_000, maxJournalBytes: 50_000 }]) {
    await served(mcpServer(workflow(), options({ onError, ...more })), async (url) => {
      const client = await connected(url);
      const { isError, content } = await asks(client);
      assert.deepEqual([isError, content[0].text], [true, "the run met a bound of the workflow or of its model"]);
    });
  }
  assert.deepEqual(seen.map(({ code, hint }) => [code, hint]), [["limit", "give mcpServer() a `store`, or raise its option `maxStateBytes`"], ["limit", "give mcpServer() a `store`, or raise its option `maxJournalBytes`"]]);
  await served(mcpServer(workflow(), options({ store: memoryStore() })), async (url) => {
    const client = await connected(url);
    const { requestState, inputRequests } = await asks(client);
    assert.ok(requestState.length < 2000);
    assert.deepEqual(inputRequests.boss.params.requestedSchema.required, ["approved"]);
    const { structuredContent } = await client.callTool(call({ sum: 12 }, { requestState, inputResponses: { boss: { action: "decline" } } }));
    assert.deepEqual(structuredContent.boss_output, { approved: false });
  });
});

test("answers that do not fit, refusals, strangers' answers and wrong input are distinguished", async () => {
  const counts = {};
  await served(mcpServer(paying(counts), options()), async (url) => {
    const client = await connected(url);
    const { requestState } = await asks(client);
    const go = (inputResponses) => client.callTool(call({ sum: 12 }, { requestState, inputResponses }), { allowInputRequired: true });
    const misfit = await go({ boss: { action: "accept", content: { approved: "yes" } } });
    assert.deepEqual([misfit.isError, /boss/.test(misfit.content[0].text)], [true, true]);
    const declined = await go({ boss: { action: "decline" } });
    assert.deepEqual([declined.isError, declined.content[0].text], [true, "the person declined to answer: Pay 12?"]);
    assert.equal((await go({ boss: { action: "cancel" } })).content[0].text, "the person gave no answer: Pay 12?");
    for (const responses of [{}, { constructor: yes.boss }, { other: yes.boss }]) assert.equal((await go(responses)).resultType, "input_required");
    assert.deepEqual(counts, { reserve: 1 });
    const fault = await client.callTool(call({ sum: "many" }));
    assert.equal(fault.isError, true);
    assert.equal((await client.callTool(call({ sum: 1, reserve_output: 1 }))).isError, true);
    assert.equal((await rejection(client.callTool({ name: "none", arguments: {} }))).code, -32602);
  });
});

test("nobody unknown calls, pages of other origins do not, and a client of 2025 gets to know what it cannot do", async () => {
  await served(mcpServer(paying({}), options({ origins: ["https://app.example"] })), async (url) => {
    assert.match((await rejection(connected(url, { token: "wrong-but-long-enough" }))).message, /401/);
    const other = await fetch(url, { method: "POST", headers: { origin: "https://evil.example" }, body: "{}" });
    assert.equal(other.status, 403);
    const preflight = await fetch(url, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin"), /mcp-method/.test(preflight.headers.get("access-control-allow-headers"))], [204, "https://app.example", true]);
    const former = await connected(url, { mode: "legacy" });
    assert.equal((await former.listTools()).tools.length, 1);
    const { isError, content } = await former.callTool(call({ sum: 12 }));
    assert.deepEqual([isError, content[0].text], [true, "the run waits for a person, and only clients of the protocol of 2026-07-28 can ask one: Pay 12?"]);
  });
});

test("options and workflows that are none are refused", () => {
  const workflow = paying({});
  const said = (make) => {
    try {
      make();
    } catch ({ code, message }) {
      return `${code}: ${message}`;
    }
    return assert.fail("it did not throw");
  };
  assert.equal(said(() => mcpServer({}, options())), "validation: mcpServer() needs a workflow, or a list of them");
  assert.equal(said(() => mcpServer(workflow, { keys: KEYS })), "validation: mcpServer() does not say who may call");
  assert.equal(said(() => mcpServer(workflow, { public: true })), "validation: mcpServer() has no keys to seal what a waiting client keeps for it");
  assert.equal(said(() => mcpServer(workflow, { public: true, keys: [{ id: "a", key: "c2hvcnQ=" }] })), "validation: the key `a` of mcpServer() has not 32 bytes");
  assert.equal(said(() => mcpServer(workflow, { public: true, keys: [KEYS[0], KEYS[0]] })), "validation: two keys of mcpServer() have the same id");
  assert.equal(said(() => mcpServer(workflow, options({ validMs: 0 }))), "validation: the option `validMs` of mcpServer() is 0");
  assert.equal(said(() => mcpServer(workflow, options({ path: "/x" }))), "validation: mcpServer() has no option `path`");
});

test("a Worker without storage waits for a person", async (t) => {
  const program = `
    import { Workflow } from "stepweave";
    import { mcpServer } from "stepweave/mcp/server";
    const workflow = new Workflow({ name: "pay", input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }, steps: [
      { name: "boss", type: "approval", message: "Pay {{ sum }}?" },
      { name: "pay", run: (state) => ({ paid: state.boss_output.approved }) },
    ] });
    export default { fetch: mcpServer(workflow, { public: true, keys: ${JSON.stringify(KEYS)} }) };
  `;
  await writeFile(join(home.folder, "served.mjs"), program);
  const bundle = await bundled(join(home.folder, "served.mjs"));
  const worker = () => new Miniflare({ compatibilityDate: "2026-01-01", ...bundle });
  let host = worker();
  t.after(() => host.dispose());
  const through = async (url, init) => {
    const { status, headers, body } = await host.dispatchFetch(String(url), { method: init.method, headers: Object.fromEntries(new Headers(init.headers)), body: init.body });
    return new Response([204, 202, 405].includes(status) ? null : body, { status, headers: Object.fromEntries(headers) });
  };
  const client = await connected(new URL("http://worker.test/mcp"), { fetch: through });
  const { requestState } = await asks(client);
  // The instance that was called is gone: nothing of the run is left but what the client has.
  await host.dispose();
  host = worker();
  const { structuredContent } = await client.callTool(call({ sum: 12 }, { requestState, inputResponses: yes }));
  assert.equal(structuredContent.paid, true);
});
