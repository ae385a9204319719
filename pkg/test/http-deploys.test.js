// Served runs that wait while another document is deployed: they go on with the one that they began with, or say why not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { demo, Agent, tool, Workflow } from "stepweave";
import { runDurably } from "stepweave/durable";
import { approvalLinks, bearer, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { z } from "zod";

const ANN = "ann-has-a-token-of-32-characters";

/** Serves a workflow over a store, as one deploy does. */
function deployed(workflow, store, more = {}) {
  const errors = [];
  const serve = handler(workflow, { authorize: bearer({ ann: ANN }), store, onError: (error) => errors.push(error), ...more });
  const call = async (method, path, body, headers) => {
    const response = await serve(new Request(`https://flow.example${path}`, { method, headers: { authorization: `Bearer ${ANN}`, ...headers }, ...(body && { body: JSON.stringify(body) }) }));
    const text = await response.text();
    return { status: response.status, text, ...(text.startsWith("{") && JSON.parse(text)), http: response.status };
  };
  return { serve, call, errors };
}

/** What a document is made of in these tests; `calls` has what was called. */
const orders = (calls, { factor = 2, message = "Ship?", version, back = [], front = [], handlers = {} } = {}) => {
  const document = {
    version: 1,
    name: "orders",
    input: { type: "object", properties: { n: { type: "number" } } },
    steps: [
      ...front,
      { id: "sum", name: "sum", type: "function", run: { set: { sum: `n * ${factor}` } } },
      { id: "price", name: "price", type: "function", run: { handler: "price", ...(version && { version }) } },
      { id: "boss", name: "boss", type: "approval", message },
      ...back,
    ],
  };
  return Workflow.fromDocument(document, { handlers: { price: ({ sum }) => { calls.push(`price ${sum}`); return { price: sum * 10 }; }, ship: ({ price }) => { calls.push(`ship ${price}`); return { shipped: price }; }, ...handlers } });
};
const ship = { id: "ship", name: "ship", type: "function", run: { handler: "ship" } };
const yes = { boss: { approved: true } };

test("a waiting run goes on with the document that it began with, which its store keeps once", async () => {
  const [store, calls] = [memoryStore(), []];
  const first = deployed(orders(calls, { back: [ship] }), store);
  const [one, two] = [await first.call("POST", "/runs", { n: 1 }), await first.call("POST", "/runs", { n: 2 })];
  assert.equal(one.http, 202, first.errors[0]?.message);
  // Whatever ran before has changed, and what would come is gone.
  const second = deployed(orders(calls, { factor: 3, message: "Really?", version: "9", back: [{ ...ship, id: "thank", name: "thank", run: { set: { thanked: "true" } } }] }), store);
  assert.equal((await second.call("GET", `/runs/${one.runId}`)).pending[0].message, "Ship?");
  const done = await second.call("POST", `/runs/${one.runId}/answers`, yes);
  assert.deepEqual([done.http, done.state.shipped, done.state.thanked], [200, 20, undefined]);
  assert.deepEqual(calls, ["price 2", "price 4", "ship 20"], "what was answered is not requested again");
  assert.equal((await second.call("GET", `/runs/${one.runId}`)).state.shipped, 20);
  assert.match((await second.call("GET", `/runs/${one.runId}/events`)).text, /event: run\.done/);
  // A run of this deploy has this document, in the next one too.
  const three = await second.call("POST", "/runs", { n: 1 });
  const third = deployed(orders(calls, { factor: 4 }), store);
  assert.deepEqual((await third.call("POST", `/runs/${three.runId}/answers`, yes)).state.thanked, true);
  assert.equal((await third.call("POST", `/runs/${two.runId}/answers`, yes)).state.shipped, 40);
  const { runs } = await store.list({ status: "done", limit: 1000 });
  assert.deepEqual(runs.filter(({ documentName }) => documentName === "stepweave-documents").map(({ id }) => /^stepweave-document-\w+$/.test(id)), [true, true]);
  assert.equal((await third.call("GET", "/runs")).runs.length, 3, "documents are nobody's runs");
  assert.deepEqual([...first.errors, ...second.errors, ...third.errors], []);
});

test("with the newest document a run goes on where what it has done is unchanged, and is shown as it went on", async () => {
  const [store, calls, newest] = [memoryStore(), [], { document: "newest" }];
  const { runId } = await deployed(orders(calls, { back: [] }), store, newest).call("POST", "/runs", { n: 1 });
  const second = deployed(orders(calls, { back: [{ id: "again", name: "again", type: "approval", message: "Sure?" }, ship] }), store, newest);
  assert.equal((await second.call("POST", `/runs/${runId}/answers`, yes)).pending[0].message, "Sure?");
  const third = deployed(orders(calls, { factor: 3 }), store, newest);
  assert.equal((await third.call("GET", `/runs/${runId}`)).pending[0].message, "Sure?", "it is shown with the document that it went on with last");
  const refused = await third.call("POST", `/runs/${runId}/answers`, { again: true });
  assert.deepEqual([refused.http, refused.code], [409, "changed"]);
  assert.match(third.errors[0].message, /has answers to other questions.*`price`/);
  const done = await deployed(orders(calls, { factor: 3 }), store).call("POST", `/runs/${runId}/answers`, { again: true });
  assert.deepEqual([done.http, done.state.shipped], [200, 20], "it goes on with the one that it went on with last");
});

const refusals = {
  "another version of a function": [(calls) => orders(calls, { back: [ship], version: "2" }), { document: "newest" }, /`price` \(price\) asks its function something else/],
  "a function that is gone": [() => Workflow.fromDocument({ version: 1, name: "orders", steps: [{ id: "price", name: "price", type: "function", run: { set: { price: "1" } } }] }), {}, /no handler|price/],
};
for (const [what, [next, own, reason]] of Object.entries(refusals)) {
  test(`${what} refuses a waiting run with a code of its own, reports to who serves it why, and leaves it as it was`, async () => {
    const [store, calls] = [memoryStore(), []];
    const links = approvalLinks({ secrets: ["a-secret-of-more-than-thirty-two-characters"], url: "https://flow.example" });
    let link;
    const before = orders(calls, { back: [ship] });
    const { runId } = await deployed(before, store, { links, onSuspended: async (_, __, make) => { link = await make("boss", { approved: true }); } }).call("POST", "/runs", { n: 1 });
    const { call, serve, errors } = deployed(next(calls), store, { ...own, links });
    const answered = await call("POST", `/runs/${runId}/answers`, yes);
    assert.deepEqual([answered.http, answered.code, answered.detail, answered.hint], [
      409,
      "changed",
      "the workflow has changed since the run began, and what is deployed now cannot continue it; it stays as it was",
      "whoever serves the workflow puts back what has changed, or has the changed steps run again",
    ]);
    assert.match(errors[0].message, reason);
    assert.match(errors[0].message, new RegExp(`^the run \`${runId}\` cannot go on with what is deployed: `), "whoever reads the log finds the run");
    assert.equal((await call("POST", `/runs/${runId}/answers`, yes, { accept: "text/event-stream" })).code, "changed");
    assert.equal((await call("POST", `/runs/${runId}/answers`, yes, { prefer: "respond-async" })).http, 202);
    // What its store still has is shown with the document that it began with, as long as there are functions for that.
    assert.equal((await call("GET", `/runs/${runId}`)).code, own.document === "newest" ? undefined : "changed");
    assert.equal(errors.length, own.document === "newest" ? 3 : 4, "each time the log has it");
    const page = await serve(new Request(link, { method: "POST" }));
    assert.deepEqual([page.status, /The workflow has changed since the run began/.test(await page.text())], [409, true]);
    assert.deepEqual(errors.map(({ message }) => message.split("`").includes(runId)), errors.map(() => true), "in whatever way it is reached");
    assert.equal((await store.list({ status: "suspended" })).runs[0].id, runId);
    const back = deployed(before, store);
    assert.equal((await back.call("POST", `/runs/${runId}/answers`, yes)).state.shipped, 20);
    assert.deepEqual(calls, ["price 2", "ship 20"]);
  });
}

test("changed functions run again where the options of runs say so", async () => {
  const [store, calls] = [memoryStore(), []];
  const { runId } = await deployed(orders(calls, { back: [ship] }), store).call("POST", "/runs", { n: 1 });
  const { call } = deployed(orders(calls, { version: "2", back: [ship], handlers: { price: () => ({ price: 7 }) } }), store, { document: "newest", run: { onMismatch: "anew" } });
  assert.equal((await call("POST", `/runs/${runId}/answers`, yes)).state.shipped, 7);
});

test("runs that cannot go on keep no others from being woken", async () => {
  const store = memoryStore();
  const clock = { daysAgo: 7, now: () => Date.now() - clock.daysAgo * 86_400_000, sleep: (ms) => new Promise((resolve) => ms > 0 || resolve()) };
  const reminder = (version) => new Workflow({ name: "remind", steps: [{ name: "note", run: () => ({}), version }, { name: "week", wait: { ms: 6 * 86_400_000 } }, { name: "mail", run: { set: { mailed: "true" } } }] });
  const options = { document: "newest", run: { clock, longWaitMs: 1000 } };
  const first = deployed(reminder("1"), store, options);
  const second = deployed(reminder("2"), store, options);
  for (let count = 0; count < 12; count += 1) await first.call("POST", "/runs");
  for (let count = 0; count < 4; count += 1) await second.call("POST", "/runs");
  clock.daysAgo = 0;
  const woken = [];
  for (let looks = 0; looks < 8; looks += 1) woken.push(...(await second.serve.wake({ limit: 2 })).runs);
  assert.deepEqual(woken.map(({ status }) => status), ["done", "done", "done", "done"]);
  assert.equal(second.errors.length, 12, "each is reported once, and not at each look");
  assert.equal(new Set(second.errors.map(({ message }) => /^the run `([^`]+)` cannot go on with what is deployed: /.exec(message)[1])).size, 12, "each under its id");
  const back = await first.serve.wake();
  assert.equal(back.runs.length, 12);
});

test("a tool that code has made stricter is so in an earlier document too", async () => {
  const [calls, failures] = [[], []];
  const search = (more) => tool({ name: "search", description: "finds", input: { type: "object" }, execute: async () => { calls.push("search"); return "found"; }, ...more });
  const made = (own) => new Workflow({ name: "find", steps: [{ name: "find", agent: new Agent({ name: "finder", model: demo(), instructions: "find", tools: [own] }), inputFrom: "bees" }] });
  const begun = made(search()).toDocument();
  const { status, pending } = await made(search({ needsApproval: true })).withDocument(begun).run({ journal: true });
  assert.deepEqual([status, pending?.length, calls], ["suspended", 1, []], failures.join());
});

test("an earlier document whose journal is damaged is reported as that, and deleting it has runs go on with the newest", async () => {
  const [store, calls] = [memoryStore(), []];
  const { runId } = await deployed(orders(calls, { back: [ship] }), store).call("POST", "/runs", { n: 1 });
  const { id } = (await store.list({ status: "done" })).runs[0];
  const { entries } = await store.load(id);
  await store.delete(id);
  await store.append(id, [{ ...entries[0], ok: { ...entries[0].ok, text: "{" } }], 0, { status: "done", documentName: "x", updatedAt: 1 });
  const next = deployed(orders(calls, { message: "Ship it?" }), store);
  const refused = await next.call("POST", `/runs/${runId}/answers`, yes);
  assert.deepEqual([refused.http, refused.detail], [500, "the workflow failed"]);
  assert.deepEqual(next.errors.map(({ code, message }) => [code, message]), [["handler", `the store has failed: the journal \`${id}\` is no document`]]);
  await store.delete(id);
  const done = await deployed(orders(calls, { message: "Ship it?" }), store).call("POST", `/runs/${runId}/answers`, yes);
  assert.deepEqual([done.http, done.state.price, done.state.shipped], [200, 20, undefined]);
});

test("the option says with which document runs go on, or is refused", () => {
  assert.throws(() => handler(orders([]), { public: true, document: "oldest" }), { code: "validation", message: 'the option `document` of handler() is "oldest"', hint: 'write "begun" or "newest"' });
});

/** An engine that keeps everything in a map. */
const engineOver = (kept, answers) => ({
  async perform(key, call) {
    if (!kept.has(key)) kept.set(key, await call());
    return kept.get(key);
  },
  sleepUntil: async () => {},
  waitFor: async () => answers ?? Promise.reject(new Error("evicted")),
});

test("a run on an engine goes on with the document that it began with, which the engine keeps in pieces", async () => {
  const [kept, calls] = [new Map(), []];
  const notes = "é".repeat(700_000);
  const wide = (more) => Workflow.fromDocument({ ...orders(calls, more).toDocument(), notes }, { handlers: orders(calls).handlers });
  await assert.rejects(runDurably(engineOver(kept), wide({ back: [ship] }), { id: "r", state: { n: 1 } }), /evicted/);
  assert.deepEqual([...kept.keys()].slice(0, 3), ["document", "document 2", "document 3"]);
  const newest = runDurably(engineOver(new Map(kept), yes), wide({ factor: 3 }), { id: "r", state: { n: 1 }, document: "newest" });
  await assert.rejects(newest, { code: "validation", message: /has answers to other questions than the workflow asks now: `price`/ });
  const { status, state } = await runDurably(engineOver(kept, yes), wide({ factor: 3 }), { id: "r", state: { n: 1 } });
  assert.deepEqual([status, state.shipped, calls], ["done", 20, ["price 2", "ship 20"]]);
  await assert.rejects(runDurably(engineOver(kept), wide(), { id: "r", document: "first" }), { code: "validation", message: 'the option `document` of runDurably() is "first"' });
});

/** A workflow in code that waits, with these steps behind. */
const inCode = (...behind) => new Workflow({ name: "coded", steps: [{ name: "boss", type: "approval", message: "Ship?" }, ...behind] });

test("of a run whose function is gone the log says which run it is and what helps, and not how a document is given functions", async () => {
  const store = memoryStore();
  const { runId } = await deployed(inCode({ name: "ship", run: () => ({ shipped: true }) }), store).call("POST", "/runs");
  const { serve, call, errors } = deployed(inCode(), store);
  const hint = `deploy again what its document names, or have the run follow what is deployed now: resume("${runId}", { document: "newest" })`;
  assert.equal((await call("POST", `/runs/${runId}/answers`, yes)).code, "changed");
  assert.equal((await call("POST", `/runs/${runId}/answers`, yes, { prefer: "respond-async" })).http, 202);
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(serve.resume(runId, { answers: yes }), (error) => errors.push(error) > 0);
  assert.equal(errors.length, 3);
  for (const error of errors) {
    assert.deepEqual([error.code, error.message, error.hint], ["document", `the run \`${runId}\` cannot go on with what is deployed: the workflow cannot be run: steps[1].run.handler: no function for the handler \`ship.run\` (no handlers were given)`, hint]);
    assert.doesNotMatch(JSON.stringify(error), /fromDocument/);
  }
  // What the hint says helps.
  assert.equal((await serve.resume(runId, { document: "newest", answers: yes })).status, "done");
});

test("a run whose input is checked by a library from now on is refused where a step has changed, and goes on after a rollback", async () => {
  const fields = { type: "object", properties: { n: { type: "number" } } };
  const priced = (input, version) => new Workflow({ name: "t", input, steps: [{ name: "price", version, run: () => ({ p: version }) }, { name: "boss", type: "approval", message: "Go?", steps: [{ name: "pay", run: { set: { paid: "true" } } }] }] });
  for (const input of [z.object({ n: z.number().optional() }), z.object({ n: z.number().optional() }).refine(async () => true)]) {
    const store = memoryStore();
    const first = deployed(priced(fields, "1"), store);
    const second = deployed(priced(input, "2"), store, { document: "newest" });
    const [one, two] = [await first.call("POST", "/runs", { n: 1 }), await first.call("POST", "/runs", { n: 2 })];
    const refused = await second.call("POST", `/runs/${one.runId}/answers`, yes);
    assert.deepEqual([refused.http, refused.code, /journal_mismatch|Go\?|price/.test(refused.text)], [409, "changed", false]);
    assert.match(second.errors[0].message, /^the run `[-0-9a-f]+` cannot go on with what is deployed: the journal `.+` has answers to other questions than the workflow asks now: `price` \(price\)/);
    assert.equal((await second.call("GET", `/runs/${one.runId}`)).status, "suspended");
    assert.equal((await first.serve.resume(one.runId)).status, "suspended");
    assert.deepEqual((await first.call("POST", `/runs/${one.runId}/answers`, yes)).state, { n: 1, p: "1", boss_output: { approved: true }, paid: true });
    // One that has gone on with what was newer has that document: its operator is told how it follows the older one.
    const newer = deployed(priced(input, "1"), store, { document: "newest" });
    assert.equal((await newer.call("POST", `/runs/${two.runId}/answers`, yes)).http, 200);
    const lost = await first.serve.resume(two.runId).catch((error) => error);
    assert.match(`${lost.message} ${lost.hint}`, /no function for the handler `workflow\.input`.+resume\("[-0-9a-f]+", \{ document: "newest" \}\)/s);
    assert.equal((await first.serve.resume(two.runId, { document: "newest" })).status, "done");
  }
});
