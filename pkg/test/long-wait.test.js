// Waits that suspend a run instead of keeping it in memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { publicResult, Workflow } from "stepweave";
import { inspect, memoryStore } from "stepweave/stores";
import { eventsOf } from "./support.js";

const HOUR = 3_600_000;

/** A clock that a test winds; whoever sleeps sleeps for ever. */
function wound() {
  return { now: () => clock.time, sleep: (ms) => (ms === 0 ? Promise.resolve() : new Promise(() => {})) };
}
const clock = { time: 1_000_000 };
const options = (store, more) => ({ journal: "r", store, clock: wound(), longWaitMs: 60_000, ...more });

function steps(calls) {
  const call = (name) => ({ name, run: () => { calls.push(name); return { [name]: true }; } });
  return [call("before"), { name: "rest", wait: { ms: HOUR } }, call("after")];
}

test("a long wait suspends the run, which goes on when it is resumed after its end, and not before", async () => {
  clock.time = 1_000_000;
  const calls = [];
  const store = memoryStore();
  const workflow = new Workflow({ name: "w", steps: steps(calls) });
  const first = await workflow.run(options(store));
  assert.deepEqual([first.status, first.wakeAt, first.pending], ["suspended", 1_000_000 + HOUR, []]);
  assert.deepEqual(first.stepResults.map(({ name, status }) => [name, status]), [["before", "done"], ["rest", "suspended"]]);
  assert.equal(publicResult(first).wakeAt, first.wakeAt);
  const { runs: [listed] } = await store.list({ wakeBefore: 1_000_000 + HOUR });
  assert.deepEqual([listed.status, listed.wakeAt], ["suspended", first.wakeAt]);
  assert.deepEqual((await store.list({ wakeBefore: 999_999 + HOUR })).runs, []);
  clock.time += HOUR / 2;
  const early = await workflow.run(options(store));
  assert.deepEqual([early.status, early.wakeAt], ["suspended", first.wakeAt], "the wait is the same one");
  clock.time += HOUR / 2;
  // A timer of nothing settles.
  const late = await workflow.run(options(store, { clock: { now: () => clock.time, sleep: async () => {} } }));
  assert.equal(late.status, "done");
  assert.deepEqual(calls, ["before", "after"]);
  assert.equal((await store.list()).runs[0].wakeAt, undefined);
});

test("the replay of a run that was suspended by a wait ends where it did", async () => {
  clock.time = 1_000_000;
  const workflow = new Workflow({ name: "w", steps: steps([]), limits: { timeoutMs: 10 * HOUR } });
  const { journal, wakeAt } = await workflow.run({ journal: true, clock: wound(), longWaitMs: 0 });
  const run = workflow.start({ journal, replay: "strict" });
  const again = await run.result;
  assert.deepEqual([again.status, again.wakeAt], ["suspended", wakeAt]);
  assert.equal((await eventsOf(run)).at(-1).type, "run.suspended");
  const store = memoryStore();
  await store.append("r", journal.entries, 0, { status: "suspended", documentName: "w", updatedAt: 1 });
  assert.deepEqual([(await inspect(store, "r")).status, (await inspect(store, "r")).wakeAt], ["suspended", wakeAt]);
});

test("a run suspends only when nothing else of it goes on, and up to the earliest wait", async () => {
  clock.time = 1_000_000;
  let finish;
  const slow = { name: "slow", run: () => new Promise((resolve) => { finish = () => resolve({ slow: 1 }); }) };
  const workflow = new Workflow({ name: "w", steps: [{ name: "all", parallel: [{ name: "a", wait: { ms: 3 * HOUR } }, { name: "b", wait: { ms: 2 * HOUR } }, slow] }] });
  const run = workflow.start(options(memoryStore()));
  for await (const { type, step } of run.events) if (type === "step.start" && step.name === "slow") break;
  const ended = Promise.race([run.result, new Promise((resolve) => setTimeout(resolve, 30, "goes on"))]);
  assert.equal(await ended, "goes on");
  finish();
  assert.equal((await run.result).wakeAt, 1_000_000 + 2 * HOUR);
});

test("a time limit that ends before the wait is waited for", async () => {
  clock.time = 1_000_000;
  const winding = { now: () => clock.time, sleep: async (ms) => { if (ms > HOUR / 2) await new Promise(() => {}); clock.time += ms; } };
  const workflow = new Workflow({ name: "w", limits: { timeoutMs: HOUR / 2 }, steps: steps([]) });
  const { status, error } = await workflow.run(options(memoryStore(), { clock: winding }));
  assert.deepEqual([status, error.code], ["error", "timeout"]);
});

test("beside a person's answer a wait goes on, and what can be answered is in the result", async () => {
  clock.time = 1_000_000;
  const store = memoryStore();
  const workflow = new Workflow({ name: "w", steps: [{ name: "both", parallel: [{ name: "boss", type: "approval", message: "Go?" }, { name: "rest", wait: { ms: HOUR } }] }] });
  const suspended = await workflow.run(options(store));
  assert.deepEqual([suspended.status, suspended.wakeAt, suspended.pending.map(({ key }) => key)], ["suspended", 1_000_000 + HOUR, ["both.boss"]]);
  const answered = await workflow.run(options(store, { answers: { "both.boss": { approved: true } } }));
  assert.deepEqual([answered.status, answered.pending, answered.wakeAt], ["suspended", [], suspended.wakeAt]);
});

test("an approval that expires says in the result when it does", async () => {
  clock.time = 1_000_000;
  const workflow = new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", message: "Go?", expiresMs: HOUR }] });
  const { status, wakeAt } = await workflow.run({ journal: true, clock: wound() });
  assert.deepEqual([status, wakeAt], ["suspended", 1_000_000 + HOUR]);
});

test("longWaitMs without a journal, and one that is no time, are refused", async () => {
  const workflow = new Workflow({ name: "w", steps: steps([]) });
  await assert.rejects(workflow.run({ longWaitMs: 1 }), { code: "validation", message: /a run with `longWaitMs` needs a journal/ });
  for (const longWaitMs of [-1, NaN, "1", null]) await assert.rejects(workflow.run({ journal: true, longWaitMs }), { code: "validation", message: /the option `longWaitMs` is/ });
});
