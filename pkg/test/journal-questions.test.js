// What counts as the same question: states by what is in them, limits and waits by how long they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { z } from "zod";
import { virtualClock } from "./support.js";

const copy = (value) => JSON.parse(JSON.stringify(value));

/** Runs one workflow, then edits its journal with another one; gives what the second called. */
async function edited(before, after, state) {
  const { journal } = await before([]).run({ journal: true, clock: virtualClock() });
  const calls = [];
  const result = await after(calls).run({ journal: copy(journal), replay: "edit", state, clock: virtualClock(90_000) });
  return { calls, result };
}

const look = (calls) => ({ name: "look", run: (state) => { calls.push("look"); return { seen: Object.keys(state).length }; } });
const made = (front) => (calls) => new Workflow({ name: "t", initialState: { list: [1, 2] }, steps: [...front(calls), look(calls)] });

const sameStates = {
  "the same value behind another function": [() => [{ name: "a", version: "1", run: () => ({ a: 5 }) }], () => [{ name: "a", version: "2", run: () => ({ a: 5 }) }]],
  "an expression over what was different": [() => [{ name: "f", version: "1", run: () => ({ a: 3 }) }, { name: "s", run: { set: { a: "5" } } }], () => [{ name: "f", version: "2", run: () => ({ a: 4 }) }, { name: "s", run: { set: { a: "5" } } }]],
  "one key after another": [() => [{ name: "s", run: { set: { a: "1", b: "2" } } }], () => [{ name: "s", run: { set: { b: "2" } } }, { name: "t", run: { set: { a: "1" } } }]],
  "objects with their keys in another order": [() => [{ name: "f", version: "1", run: () => ({ o: { x: 1, y: [{ p: 1, q: 2 }] } }) }], () => [{ name: "f", version: "2", run: () => ({ o: { y: [{ q: 2, p: 1 }], x: 1 } }) }]],
  "a parallel of equal results": [
    () => [{ name: "p", parallel: [{ name: "l", version: "1", run: () => ({ l: 1 }) }, { name: "r", run: () => ({ r: 2 }) }] }],
    () => [{ name: "p", parallel: [{ name: "r", run: () => ({ r: 2 }) }, { name: "l", version: "2", run: () => ({ l: 1 }) }, { name: "n", run: { set: { r: "2" } } }] }],
  ],
  "a foreach of equal results": [
    () => [{ name: "e", items: "list", steps: [{ name: "i", version: "1", run: ({ item }) => ({ t: item }) }], result: "t" }],
    () => [{ name: "e", items: "list", concurrency: 2, steps: [{ name: "i", version: "2", run: ({ item }) => ({ t: item, u: 1 }) }], result: "t" }],
  ],
  "a workflow inside that gives the same": [
    () => [{ name: "w", with: { n: "1" }, steps: [{ name: "i", version: "1", run: () => ({ x: 1 }) }], set: { x: "x" } }],
    () => [{ name: "w", with: { n: "2" }, steps: [{ name: "i", version: "2", run: () => ({ x: 1, y: 2 }) }], set: { x: "x" } }],
  ],
};

for (const [what, [before, after]] of Object.entries(sameStates)) {
  test(`the same state is the same question: ${what}`, async () => {
    const { calls, result } = await edited(made(before), made(after));
    assert.equal(result.status, "done", JSON.stringify(result.errors));
    assert.deepEqual(calls, []);
  });
}

const otherStates = {
  "another value": [() => [{ name: "s", run: { set: { a: "1" } } }], () => [{ name: "s", run: { set: { a: "2" } } }]],
  "a number and its text": [() => [{ name: "s", run: { set: { a: "1" } } }], () => [{ name: "s", run: { set: { a: "'1'" } } }]],
  "values that have changed places": [() => [{ name: "s", run: { set: { a: "1", b: "2" } } }], () => [{ name: "s", run: { set: { a: "2", b: "1" } } }]],
  "a list in another order": [() => [{ name: "s", run: { set: { a: "[1, 2]" } } }], () => [{ name: "s", run: { set: { a: "[2, 1]" } } }]],
  "one more key": [() => [{ name: "s", run: { set: { a: "1" } } }], () => [{ name: "s", run: { set: { a: "1", b: "none" } } }]],
};

for (const [what, [before, after]] of Object.entries(otherStates)) {
  test(`another state is another question: ${what}`, async () => {
    const { calls } = await edited(made(before), made(after));
    assert.deepEqual(calls, ["look"]);
  });
}

test("a function is requested with what it sees, also where its input schema makes that", async () => {
  const made = (by) => (calls) => new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "f", input: z.object({ n: z.number() }).transform(({ n }) => ({ n: n * by })), run: ({ n }) => { calls.push(n); return { f: n }; } }] });
  // The schema's own check is a request too: here it is called again by its version, and returns something else.
  const { journal } = await made(1)([]).run({ journal: true });
  const entries = copy(journal).entries.map((entry) => (entry.key === "f/1/input" ? { ...entry, ok: { n: 7 } } : entry));
  const calls = [];
  assert.deepEqual((await made(1)(calls).run({ journal: { ...copy(journal), entries }, replay: "edit" })).state, { n: 1, f: 7 });
  assert.deepEqual(calls, [7]);
});

const slow = (calls, more, first = true) => ({ name: "slow", timeoutMs: 50, required: false, run: () => { calls.push("slow"); return first ? new Promise(() => {}) : { slow: 1 }; }, ...more });
const limited = (more, first) => (calls) => new Workflow({ name: "t", initialState: { n: 0 }, steps: [slow(calls, more, first)] });

test("a step that took too long is run again where its request or its limit is another, and not where they are the same", async () => {
  const before = limited({}, true);
  assert.deepEqual((await edited(before, limited({}, false))).calls, []);
  for (const [what, after] of Object.entries({
    "another version": limited({ version: "2" }, false),
    "another state": limited({}, false),
    "a longer limit": limited({ timeoutMs: 500 }, false),
    "no limit": limited({ timeoutMs: undefined }, false),
  })) {
    const { calls, result } = await edited(before, after, what === "another state" ? { n: 1 } : undefined);
    assert.deepEqual([calls, result.state.slow], [["slow"], 1], what);
    // Its own journal has nothing of the limit that was reached.
    assert.ok(!result.journal.entries.some(({ key }) => key.endsWith("/timeout")), what);
    assert.equal((await after([]).run({ journal: copy(result.journal), replay: "strict" })).state.slow, 1, what);
  }
});

test("a limit that was reached is emitted as it was then, whatever it would be now", async () => {
  const { journal } = await limited({}, true)([]).run({ journal: true, clock: virtualClock() });
  for (const replay of ["resume", "strict"]) {
    const { errors } = await limited({ timeoutMs: 9999 }, true)([]).run({ journal: copy(journal), replay, clock: virtualClock() });
    assert.equal(errors[0].message, "`slow` took longer than 50 ms");
  }
  const whole = (timeoutMs) => Workflow.fromDocument({ version: 1, name: "t", ...(timeoutMs !== undefined && { limits: { timeoutMs } }), steps: [{ id: "s", type: "function", name: "s", run: { handler: "s" } }] }, { handlers: { s: () => new Promise(() => {}) } });
  const late = await whole(40).run({ journal: true, clock: virtualClock() });
  for (const limit of [9999, undefined]) assert.match((await whole(limit).run({ journal: copy(late.journal), replay: "strict", clock: virtualClock() })).error.message, /longer than 40 ms/);
});

test("a wait of another length is waited for anew, and one of the same is over", async () => {
  const waiting = (wait) => () => new Workflow({ name: "t", initialState: { due: 2000 }, steps: [{ name: "w", wait }, { name: "after", run: { set: { x: "1" } } }] });
  const waited = async (before, after, state) => {
    const slept = [];
    const clock = virtualClock();
    const { journal } = await before().run({ journal: true, clock });
    const later = virtualClock(1000);
    await after().run({ journal: copy(journal), replay: "edit", state, clock: { ...later, sleep: (ms, signal) => { slept.push(ms); return later.sleep(ms, signal); } } });
    return slept;
  };
  assert.deepEqual(await waited(waiting({ ms: 5 }), waiting({ ms: 5 })), []);
  assert.deepEqual(await waited(waiting({ ms: 5 }), waiting({ ms: 150 })), [150]);
  assert.deepEqual(await waited(waiting({ until: "due" }), waiting({ until: "due" })), []);
  assert.deepEqual(await waited(waiting({ until: "due" }), waiting({ until: "due" }), { due: 5000 }), [4000]);
  const busy = (backoffMs) => () => { let calls = 0; return new Workflow({ name: "t", retryPolicy: { maxRetries: 1, backoffMs }, steps: [{ name: "b", run: () => { calls += 1; if (calls === 1) throw Object.assign(new Error("busy"), { retryable: true }); return { b: 1 }; } }] }); };
  assert.deepEqual(await waited(busy(20), busy(20)), []);
  assert.deepEqual(await waited(busy(20), busy(300)), [300]);
});

test("a step's limit that is reached while a tool is called is replayed as that", async () => {
  const hangs = tool({ name: "hangs", input: z.object({}), execute: () => new Promise(() => {}) });
  const make = () => new Workflow({ name: "t", steps: [{ name: "ask", timeoutMs: 50, required: false, agent: new Agent({ name: "a", model: customModel("m", () => [{ type: "toolCall", name: "hangs", input: {} }]), tools: [hangs] }), inputFrom: "go" }] });
  const { journal, errors } = await make().run({ journal: true, clock: virtualClock() });
  assert.deepEqual(errors.map(({ code }) => code), ["timeout"], JSON.stringify(errors));
  const again = await make().run({ journal: copy(journal), replay: "strict", clock: virtualClock() });
  assert.deepEqual(again.errors.map(({ code, message }) => [code, message]), [["timeout", errors[0].message]]);
});

test("an agent whose state a library checks and whose input a function writes goes on from its journal", async () => {
  const agent = new Agent({ name: "a", model: customModel("m", () => "hi") });
  const workflow = new Workflow({
    name: "w",
    initialState: { n: 1 },
    steps: [
      { name: "ask", input: z.looseObject({ n: z.number(), unit: z.string().default("m") }), agent, inputFrom: ({ n, unit }) => `${n} ${unit}` },
      { name: "boss", type: "approval" },
    ],
  });
  const { journal } = await workflow.run({ journal: true });
  assert.deepEqual(journal.entries.map(({ key }) => key), ["start", "ask/1/input", "ask/1/inputFrom", "ask/1/model", "end"]);
  const done = await workflow.run({ journal: copy(journal), answers: { boss: { approved: true } } });
  assert.deepEqual([done.status, done.state.ask_output], ["done", "hi"]);
  const again = await workflow.run({ journal: copy(done.journal), replay: "strict" });
  assert.deepEqual([again.status, again.state], ["done", done.state]);
});
