// People are asked at least once about what a run waits for, whatever becomes of the process that does so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { places } from "./stores-places.js";

const workflow = new Workflow({ name: "served", steps: [{ name: "boss", type: "approval", message: "?" }, { name: "chief", type: "approval", message: "!" }] });

/** One process over a store. */
function process(store, onSuspended, steps = workflow) {
  const errors = [];
  const serve = handler(steps, { authorize: () => "ann", store, onSuspended, onError: (error) => void errors.push(error.message) });
  const call = (method, path, body) => serve(new Request(`https://flow.example${path}`, { method, ...(body && { body: JSON.stringify(body) }) }));
  return { serve, call, errors };
}

const turns = async () => {
  for (let count = 0; count < 50; count += 1) await new Promise((resolve) => setImmediate(resolve));
};
const marksIn = async (store) => (await store.list({ status: "suspended" })).runs.filter(({ documentName }) => documentName.startsWith("stepweave-asking"));

for (const [name, place] of Object.entries(places)) {
  test(`whoever was not asked, since the process ended, is asked by the next one: ${name}`, async (context) => {
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const { open, remove } = await place();
    const asked = [];
    const dying = process(open(), () => new Promise(() => {}));
    const { runId } = await (await dying.call("POST", "/runs")).json();
    const next = process(open(), ({ runId, pending, status }, principal) => void asked.push([runId, pending.map(({ key }) => key), status, principal]));
    await next.serve.wake();
    assert.deepEqual(asked, [], "the other process may be about to");
    context.mock.timers.tick(30_001);
    await next.serve.wake();
    const once = [[runId, ["boss"], "suspended", "ann"]];
    assert.deepEqual(asked, once);
    context.mock.timers.tick(10_000_000);
    await next.serve.wake();
    assert.deepEqual(asked, once, "and once that was done nobody is asked again");
    assert.deepEqual(await marksIn(open()), []);
    await remove?.();
  });
}

test("an `onSuspended` that throws is called again after a while that grows, until it succeeds", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const store = memoryStore();
  const times = [];
  const began = Date.now();
  let isDown = true;
  const { serve, call, errors } = process(store, () => {
    times.push(Math.round((Date.now() - began) / 1000));
    if (isDown) throw new Error("no mail");
  });
  const { runId } = await (await call("POST", "/runs")).json();
  for (let seconds = 0; seconds < 400; seconds += 10) {
    await serve.wake();
    context.mock.timers.tick(10_000);
  }
  assert.deepEqual(times, [0, 30, 90, 210]);
  assert.deepEqual(errors, times.map(() => "no mail"));
  // Nothing of it is a run of anybody.
  assert.deepEqual((await (await call("GET", "/runs")).json()).runs.map(({ runId }) => runId), [runId]);
  const [mark] = await marksIn(store);
  assert.equal((await call("GET", `/runs/${mark.id}`)).status, 404);
  assert.equal((await call("POST", `/runs/${mark.id}/answers`, { boss: {} })).status, 404);
  await assert.rejects(serve.resume(mark.id), { code: "validation" });
  isDown = false;
  context.mock.timers.tick(3_600_000);
  await serve.wake();
  assert.equal(times.length, 5);
  assert.deepEqual(await marksIn(store), []);
});

test("nobody is asked about what has been answered, and of each stop by itself", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const store = memoryStore();
  const asked = [];
  const { serve, call } = process(store, ({ pending }) => {
    asked.push(pending.map(({ key }) => key).join());
    if (asked.length < 3) throw new Error("no mail");
  });
  const { runId } = await (await call("POST", "/runs")).json();
  await call("POST", `/runs/${runId}/answers`, { boss: { approved: true } });
  await turns();
  assert.deepEqual(asked, ["boss", "chief"]);
  assert.equal((await marksIn(store)).length, 2);
  context.mock.timers.tick(30_001);
  await serve.wake();
  assert.deepEqual(asked, ["boss", "chief", "chief"]);
  assert.deepEqual(await marksIn(store), []);
});

test("a mark of another workflow is left to that, and one that nobody wants any more is deleted", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const store = memoryStore();
  await process(store, () => { throw new Error("no mail"); }).call("POST", "/runs");
  await turns();
  context.mock.timers.tick(30_001);
  const other = process(store, () => assert.fail("not its run"), new Workflow({ name: "other", steps: [{ name: "boss", type: "approval" }] }));
  await other.serve.wake();
  assert.equal((await marksIn(store)).length, 1);
  await process(store, undefined).serve.wake();
  assert.deepEqual(await marksIn(store), []);
});

test("people are asked while the run's process keeps asking, not once more beside it", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const store = memoryStore();
  let calls = 0;
  let release;
  const { serve, call } = process(store, () => { calls += 1; return new Promise((resolve) => (release = resolve)); });
  await call("POST", "/runs");
  await turns();
  context.mock.timers.tick(100_000);
  await serve.wake();
  assert.equal(calls, 1);
  release();
  await turns();
  assert.deepEqual(await marksIn(store), []);
});
