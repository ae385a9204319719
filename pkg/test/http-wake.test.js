// Served runs that wait for a time: suspended, woken by whoever comes first, taken over from processes that ended, and forgotten by rule.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Workflow } from "stepweave";
import { bearer, handler, poller } from "stepweave/http";
import { memoryStore, summaryOf } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";

const ANN = "ann-has-a-token-of-32-characters";
const DAY = 86_400_000;
const authorize = bearer({ ann: ANN });

/** A clock that is some days behind, so that what it waits for is due. */
function late() {
  const clock = { daysAgo: 7, now: () => Date.now() - clock.daysAgo * DAY, sleep: (ms) => new Promise((resolve) => ms > 0 || resolve()) };
  return clock;
}

/** What a store lists without the documents of the runs. */
const runsIn = ({ runs }) => runs.filter(({ documentName }) => documentName !== "stepweave-documents");

/** Reminds after this many days, served with a clock that is a week behind. */
function reminder({ calls = [], days = 6, store = memoryStore(), clock = late(), ...options } = {}) {
  const workflow = new Workflow({
    name: "remind",
    steps: [{ name: "note", run: () => (calls.push("note"), {}) }, { name: "week", wait: { ms: days * DAY } }, { name: "mail", run: () => (calls.push("mail"), { mailed: true }) }],
  });
  const serve = handler(workflow, { authorize, store, onError: (error) => { throw error; }, run: { clock, longWaitMs: 60_000 }, ...options });
  const call = (method, path, body, headers) =>
    serve(new Request(`https://flow.example${path}`, { method, headers: { authorization: `Bearer ${ANN}`, ...headers }, ...(body && { body: JSON.stringify(body) }) }));
  return { calls, call, clock, serve, store, workflow };
}

test("a long wait suspends the run, which says until when, and wake() resumes it when that time has come", async () => {
  const { calls, call, clock, serve } = reminder({ onSuspended: () => assert.fail("no person is asked") });
  const begun = await call("POST", "/runs");
  const { runId, status, wakeAt, pending } = await begun.json();
  assert.deepEqual([begun.status, status, pending], [202, "suspended", []]);
  assert.ok(Math.abs(wakeAt - (Date.now() - DAY)) < DAY / 2);
  const shown = await (await call("GET", `/runs/${runId}`)).json();
  assert.deepEqual([shown.status, shown.wakeAt], ["suspended", wakeAt]);
  assert.equal((await (await call("GET", "/runs")).json()).runs[0].wakeAt, wakeAt);
  const answered = await call("POST", `/runs/${runId}/answers`, { week: true });
  assert.deepEqual([answered.status, (await answered.json()).detail], [409, "the run waits for a time, and for nobody"]);
  const agUi = await (await call("GET", `/runs/${runId}/events`, undefined, { accept: "text/event-stream; protocol=ag-ui" })).text();
  assert.match(agUi, new RegExp(`"status":"suspended".*"wakeAt":${wakeAt}`));

  clock.daysAgo = 0;
  assert.deepEqual(await serve.wake(), { runs: [{ runId, status: "done" }], deleted: 0 });
  assert.deepEqual(calls, ["note", "mail"]);
  assert.deepEqual((await (await call("GET", `/runs/${runId}`)).json()).state, { mailed: true });
  assert.deepEqual(await serve.wake(), { runs: [], deleted: 0 });
});

test("what is not due, and what belongs to another workflow, is left alone", async () => {
  const store = memoryStore();
  const { call, calls, serve, clock } = reminder({ store, days: 30 });
  await call("POST", "/runs");
  const other = handler(new Workflow({ name: "other", steps: [{ name: "week", wait: { ms: DAY } }] }), { authorize, store, run: { clock, longWaitMs: 1 } });
  await other(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` } }));
  clock.daysAgo = 0;
  assert.deepEqual(await serve.wake(), { runs: [], deleted: 0 });
  assert.deepEqual(calls, ["note"]);
  assert.equal((await other.wake()).runs[0].status, "done");
});

test("instances that wake the same runs at once do so once", async () => {
  const [calls, store, clock] = [[], memoryStore(), late()];
  const instances = [1, 2, 3].map(() => reminder({ calls, store, clock }));
  for (let count = 0; count < 20; count += 1) await instances[count % 3].call("POST", "/runs");
  calls.length = 0;
  clock.daysAgo = 0;
  const woken = await Promise.all(instances.map(({ serve }) => serve.wake()));
  assert.equal(woken.flatMap(({ runs }) => runs).length, 20);
  assert.deepEqual(calls, Array(20).fill("mail"));
});

test("runs whose process ended are taken over: at their time, or when nothing has come of them for long", async () => {
  const { call, calls, clock, serve, store } = reminder();
  const { runId } = await (await call("POST", "/runs")).json();
  const { entries } = await store.load(runId);
  const dead = async (id, count) => store.append(id, entries.slice(0, count), 0, summaryOf(entries.slice(0, count)));
  await dead("in-the-wait", entries.length - 1);
  await dead("at-the-start", 1);
  await store.delete(runId);
  calls.length = 0;
  clock.daysAgo = 0;
  assert.deepEqual(await serve.wake(), { runs: [{ runId: "in-the-wait", status: "done" }], deleted: 0 });
  assert.deepEqual(calls, ["mail"]);
  assert.deepEqual((await serve.wake({ staleMs: DAY })).runs, [{ runId: "at-the-start", status: "suspended" }]);
  assert.deepEqual(calls, ["mail", "note"]);
});

/** A store whose append of this number, counted from the next one on, fails once. */
function hiccuping() {
  const kept = memoryStore();
  let left = Infinity;
  const append = async (...batch) => {
    left -= 1;
    if (left === 0) throw new Error("away for a moment");
    return kept.append(...batch);
  };
  return { store: { ...kept, append }, failAt: (number) => void (left = number) };
}

test("a run that one failure of its store stopped is woken again", async () => {
  for (const [number, status] of [[1, "suspended"], [2, "running"]]) {
    const { store, failAt } = hiccuping();
    const errors = [];
    const { call, calls, clock, serve } = reminder({ store, onError: ({ message }) => errors.push(message) });
    const { runId } = await (await call("POST", "/runs")).json();
    clock.daysAgo = 0;
    failAt(number);
    assert.deepEqual((await serve.wake()).runs, [{ runId, status }]);
    assert.deepEqual(errors, ["the journal cannot be kept: away for a moment"]);
    assert.equal((await (await call("GET", `/runs/${runId}`)).json()).status, status);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual((await serve.wake({ staleMs: 1 })).runs, [{ runId, status: "done" }]);
    assert.equal(calls.filter((call) => call === "note").length, 1);
  }
});

test("whoever serves a run learns that its end was not kept, and its caller what came of it", async () => {
  const { store, failAt } = hiccuping();
  const errors = [];
  const serve = handler(new Workflow({ name: "one", steps: [{ name: "s", run: () => ({ a: 1 }) }] }), { authorize, store, onError: ({ code, message }) => errors.push([code, message]) });
  const call = (method, path) => serve(new Request(`https://flow.example${path}`, { method, headers: { authorization: `Bearer ${ANN}` } }));
  await call("POST", "/runs");
  failAt(3);
  const response = await call("POST", "/runs");
  const { runId, state } = await response.json();
  assert.deepEqual([response.status, state], [200, { a: 1 }]);
  assert.deepEqual(errors, [["handler", "the journal has not the end of the run: away for a moment"]]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual((await serve.wake({ staleMs: 1 })).runs, [{ runId, status: "done" }]);
  assert.equal((await call("GET", `/runs/${runId}`)).status, 200);
});

test("an answer that a failure of the store interrupts is given again, or its run is woken", async () => {
  for (const [number, status] of [[1, "suspended"], [2, "running"]]) {
    const { store, failAt } = hiccuping();
    const errors = [];
    const serve = handler(new Workflow({ name: "pay", steps: [{ name: "boss", type: "approval", message: "?", steps: [{ name: "pay", run: () => ({ paid: true }) }] }] }), { authorize, store, onError: ({ message }) => errors.push(message) });
    const call = (method, path, body) => serve(new Request(`https://flow.example${path}`, { method, headers: { authorization: `Bearer ${ANN}` }, ...(body && { body: JSON.stringify(body) }) }));
    const { runId } = await (await call("POST", "/runs")).json();
    failAt(number);
    assert.equal((await call("POST", `/runs/${runId}/answers`, { boss: { approved: true } })).status, 500);
    assert.equal((await (await call("GET", `/runs/${runId}`)).json()).status, status);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (status === "suspended") assert.equal((await call("POST", `/runs/${runId}/answers`, { boss: { approved: true } })).status, 200);
    else assert.deepEqual((await serve.wake({ staleMs: 1 })).runs, [{ runId, status: "done" }]);
    assert.deepEqual((await (await call("GET", `/runs/${runId}`)).json()).state, { boss_output: { approved: true }, paid: true });
    assert.deepEqual(errors, ["the journal cannot be kept: away for a moment"]);
  }
});

test("journals expire by the status of their runs", async () => {
  const { call, clock, serve, store } = reminder({ keepMs: { done: 0, suspended: 365 * DAY } });
  const [first, second] = await Promise.all([0, 1].map(async () => (await (await call("POST", "/runs")).json()).runId));
  clock.daysAgo = 0;
  const [woken, deleted] = [[], []];
  // Something has expired when its time is over, and not in the same millisecond.
  for (let time = 0; time < 3; time += 1) {
    const did = await serve.wake({ limit: 1 });
    woken.push(did.runs.length);
    deleted.push(did.deleted);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  assert.deepEqual([woken, deleted.reduce((sum, count) => sum + count)], [[1, 1, 0], 2]);
  assert.deepEqual(runsIn(await store.list()), []);
  for (const id of [first, second]) assert.equal((await call("GET", `/runs/${id}`)).status, 404);
});

test("a suspended run expires when nobody answers for long, and not while its time is still to come", async () => {
  const [store, clock] = [memoryStore(), late()];
  const options = { authorize, store, run: { clock, longWaitMs: 60_000 }, keepMs: { suspended: DAY } };
  const asking = handler(new Workflow({ name: "ask", steps: [{ name: "boss", type: "approval", message: "Pay?" }] }), options);
  await asking(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` } }));
  const waiting = reminder({ ...options, days: 30 });
  const { runId } = await (await waiting.call("POST", "/runs")).json();
  clock.daysAgo = 0;
  assert.deepEqual(await waiting.serve.wake(), { runs: [], deleted: 0 });
  assert.deepEqual(await asking.wake(), { runs: [], deleted: 1 });
  assert.deepEqual(runsIn(await store.list()).map(({ id }) => id), [runId]);
});

test("of several pollers over one store one looks at a time, and another takes over", async (context) => {
  const store = memoryStore();
  const [looks, waiting] = [[], []];
  const wake = (name) => ({ wake: async () => { looks.push(name); waiting.splice(0).forEach((resolve) => resolve()); return { runs: [], deleted: 0 }; } });
  const looked = () => new Promise((resolve) => waiting.push(resolve));
  let tries = 0;
  let tried;
  const often = new Promise((resolve) => (tried = resolve));
  const counting = { ...store, load: (id) => ((tries += 1) === 5 && tried(), store.load(id)), append: store.append.bind(store), delete: store.delete.bind(store) };
  const one = poller(wake("one"), { store, everyMs: 60_000 });
  context.after(() => one.stop());
  await looked();
  const two = poller(wake("two"), { store: counting, everyMs: 1 });
  context.after(() => two.stop());
  await often;
  assert.deepEqual(looks, ["one"]);
  const next = looked();
  await one.stop();
  await next;
  assert.deepEqual(looks, ["one", "two"]);
});

test("a poller goes on after a failure, and its lease stays short", async () => {
  const store = memoryStore();
  const errors = [];
  let looks = 0;
  await new Promise((resolve) => {
    const polling = poller({ wake: async () => { looks += 1; if (looks === 1) throw new Error("the store was away"); if (looks === 250) resolve(polling.stop()); return { runs: [], deleted: 0 }; } }, { store, everyMs: 1, lease: "turn", onError: (error) => errors.push(error.message) });
  });
  assert.deepEqual(errors, ["the store was away"]);
  assert.ok((await store.load("turn")).entries.length < 210);
});

test("when the process that polls is killed, another one wakes the runs", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-poller-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const script = fileURLToPath(new URL("http-poller.script.js", import.meta.url));
  const begin = () => {
    const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
    context.after(() => child.kill("SIGKILL"));
    let text = "";
    let wanted;
    child.stdout.on("data", (chunk) => { text += chunk; wanted?.(); });
    const says = (line) => new Promise((resolve) => (wanted = () => text.includes(line) && resolve()) && wanted());
    return { says, text: () => text, kill: () => new Promise((resolve) => { child.on("exit", resolve); child.kill("SIGKILL"); }) };
  };
  const [one, two] = [begin(), begin()];
  const first = await Promise.race([one, two].map(async (child) => (await child.says("looked\n"), child)));
  const second = first === one ? two : one;
  await second.says("ready\n");
  assert.doesNotMatch(second.text(), /looked/);
  const { call, clock } = reminder({ store: fileStore(folder) });
  await first.kill();
  await call("POST", "/runs");
  clock.daysAgo = 0;
  await second.says("mail\n");
});

test("options that are none are refused", async () => {
  const store = memoryStore();
  const { serve } = reminder({ store });
  await assert.rejects(serve.wake({ limit: 0 }), { code: "validation", message: "the option `limit` of wake() is 0" });
  await assert.rejects(serve.wake({ staleMs: -1 }), { code: "validation", message: "the option `staleMs` of wake() is -1" });
  await assert.rejects(serve.wake({ many: 1 }), { code: "validation", message: "wake() has no option `many`" });
  await assert.rejects(handler(new Workflow({ name: "w", steps: [] }), { authorize }).wake(), { code: "validation", message: /^wake\(\) needs a store/ });
  assert.throws(() => reminder({ keepMs: { running: 1 } }), { code: "validation", message: /^the option `keepMs` of handler\(\) is/, hint: "write milliseconds by status: suspended, done, error, budget, cancelled" });
  assert.throws(() => reminder({ keepMs: { done: "1" } }), { code: "validation" });
  assert.throws(() => handler(new Workflow({ name: "w", steps: [] }), { authorize, keepMs: { done: 1 } }), { code: "validation", message: "handler() has `keepMs` and no `store`" });
  assert.throws(() => poller({}, { store }), { code: "validation", message: "poller() needs a handler" });
  assert.throws(() => poller(serve, {}), { code: "validation", message: "the option `store` of poller() is undefined" });
  assert.throws(() => poller(serve, { store, everyMs: 0 }), { code: "validation", message: "the option `everyMs` of poller() is 0" });
});
