// Replays: what is emitted again from a journal, at its times and in its order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { eventsOf } from "./support.js";

const copy = (value) => JSON.parse(JSON.stringify(value));
const untouched = () => assert.fail("nothing is requested again");
const set = (name, expression = "1") => ({ name, run: { set: { [name]: expression } } });

/** A clock that goes on with each look at it. */
function ticking(start) {
  let now = start;
  return { now: () => (now += 1), sleep: async () => {} };
}

async function recorded(workflow, options) {
  const run = workflow.start({ journal: true, clock: ticking(1000), ...options });
  const result = await run.result;
  return { result, events: await eventsOf(run) };
}

async function replayed(workflow, journal, options) {
  const run = workflow.start({ journal: copy(journal), replay: "strict", clock: ticking(9_000_000), ...options });
  const result = await run.result;
  return { result, events: await eventsOf(run) };
}

const first = { name: "first", run: () => ({ first: 1 }) };
const last = { name: "last", run: () => ({ last: 1 }) };
const rows = {
  "350 expressions in a row": [first, ...Array.from({ length: 350 }, (_, index) => set(`k${index}`)), last],
  "120 rounds of a loop": [first, { name: "again", repeat: { until: "n >= 120" }, maxIterations: 200, steps: [{ name: "up", run: { set: { n: "n + 1" } } }] }, last],
  "250 members": [first, { name: "all", parallel: Array.from({ length: 250 }, (_, index) => set(`k${index}`)) }, last],
  "250 items, several at once": [first, { name: "each", items: "list", concurrency: 7, steps: [set("x")] }, last],
  "rows beside one that waits": [first, { name: "all", parallel: [{ name: "lane", steps: Array.from({ length: 150 }, (_, index) => set(`k${index}`)) }, { name: "slow", run: async () => ({ slow: 1 }) }] }, last],
};

for (const [what, steps] of Object.entries(rows)) {
  test(`${what} are replayed at the times of the run, and say that they are`, async () => {
    const workflow = new Workflow({ name: "t", initialState: { n: 0, list: Array.from({ length: 250 }, (_, index) => index) }, steps });
    const { result } = await recorded(workflow);
    assert.equal(result.status, "done", JSON.stringify(result.errors));
    const ended = result.journal.entries.at(-1).at;
    for (const options of [{}, { replay: "resume" }, { replay: "edit" }]) {
      const again = await replayed(workflow, result.journal, options);
      assert.equal(again.result.status, "done");
      const emitted = again.events.slice(options.replay === "edit" ? 1 : 0, -1);
      assert.deepEqual(emitted.filter(({ replayed, type }) => replayed !== true && type !== "run.start"), []);
      assert.deepEqual(emitted.filter(({ at }) => at > ended), []);
      assert.deepEqual(emitted.filter(({ at }, place) => place > 0 && at < emitted[place - 1].at), [], "no time goes back");
    }
  });
}

test("a run has the times that its journal has, also where no store keeps that", async () => {
  const later = (value) => new Promise((resolve) => setTimeout(resolve, 1, value));
  const steps = [
    first,
    { name: "all", condition: "true", steps: [{ name: "rest", wait: { ms: 300 } }] },
    { name: "both", parallel: [{ name: "one", run: () => later({ one: 1 }) }, set("other")] },
    { name: "agent", type: "agent", agent: new Agent({ name: "a", model: scriptedModel([[{ type: "toolCall", name: "t", input: {} }], "done"]), tools: [tool({ name: "t", execute: () => 1 })] }), inputFrom: "Hi" },
    { name: "again", retryCount: 1, run: (_, { attempt }) => (attempt === 1 ? Promise.reject(new Error("no")) : { again: 1 }) },
    last,
    { name: "boss", type: "approval", message: "?" },
  ];
  const workflow = new Workflow({ name: "t", retryPolicy: { backoffMs: 2 }, steps });
  const { result, events } = await recorded(workflow);
  assert.equal(result.status, "suspended", JSON.stringify(result.errors));
  const again = await replayed(workflow, result.journal);
  const ends = (events) => events.filter(({ type }) => type === "step.done").map(({ at, step, durationMs }) => ({ at, key: step.key, durationMs }));
  assert.deepEqual(ends(again.events), ends(events));
});

test("the replay of a run that was cancelled ends when it did, for its reason", async () => {
  const workflow = new Workflow({ name: "t", steps: [first, { name: "long", run: () => new Promise(() => {}) }] });
  const run = workflow.start({ journal: true, clock: ticking(1000) });
  for await (const { type, step } of run.events) if (type === "step.start" && step.name === "long") break;
  run.cancel("the customer left");
  const { journal, stepResults } = await run.result;
  const end = (await eventsOf(run)).at(-1);
  const again = await replayed(workflow, journal);
  const last = again.events.at(-1);
  assert.deepEqual([last.type, last.reason, last.at], ["run.cancelled", "the customer left", end.at]);
  assert.deepEqual(again.result.stepResults.map(({ name, status }) => [name, status]), stepResults.map(({ name, status }) => [name, status]));
  for (const { durationMs } of again.result.stepResults) assert.ok(durationMs < 1000, `it took ${durationMs} ms`);
  // Whoever gave no reason is given none.
  const silent = workflow.start({ journal: true, clock: ticking(1000) });
  for await (const { type, step } of silent.events) if (type === "step.start" && step.name === "long") break;
  silent.cancel();
  assert.equal((await replayed(workflow, (await silent.result).journal)).events.at(-1).reason, undefined);
});

test("what members emitted in turn is replayed in turn, empty pieces too, at its times", async () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const talker = (name) => ({ name, run: async function* (_, { log }) { for (const piece of ["1", "", { two: 2 }, "3"]) { log(`${name} says`); yield typeof piece === "string" && piece !== "" ? name + piece : piece; await turn(); } } });
  const workflow = new Workflow({ name: "t", steps: [{ name: "all", parallel: [talker("a"), talker("b"), { name: "each", items: "[1, 2]", concurrency: 2, steps: [talker("c")] }] }] });
  const { result, events } = await recorded(workflow);
  const lines = (all) => all.filter(({ type }) => type === "step.delta" || type === "run.warning").map(({ type, at, step, text, value, message }) => copy({ type, at, key: step.key, text, value, message }));
  assert.equal(lines(events).length, 32);
  assert.ok(lines(events).some(({ key }, place, all) => place > 0 && all[place - 1].key !== key));
  assert.equal(lines(events).filter(({ text, value }) => text === "" && value === undefined).length, 4);
  const strict = await replayed(workflow, result.journal);
  assert.deepEqual(lines(strict.events), lines(events));
  const store = memoryStore();
  const fork = await workflow.run({ journal: copy(result.journal), store, replay: "edit", clock: ticking(5000) });
  const timeless = (all) => lines(all).map(({ at, ...line }) => line);
  assert.deepEqual(timeless((await replayed(workflow, fork.journal)).events), timeless(events), "a fork's own journal has it too");
});

test("with a store the result has the whole journal of its run, whichever way it ended", async () => {
  const store = memoryStore();
  const make = (fail) => new Workflow({ name: "t", steps: [first, { name: "second", run: () => { if (fail) throw new Error("no"); return { second: 2 }; } }] });
  const failed = await make(true).run({ store, journal: "j" });
  assert.deepEqual(copy(failed.journal), copy(await store.load("j")));
  const done = await make(false).run({ store, journal: "j" });
  assert.equal(done.status, "done");
  assert.deepEqual(copy(done.journal), copy(await store.load("j")));
  assert.deepEqual(done.journal.entries.map(({ key }) => key), ["start", "first/1/run", "second/1/run", "end", "second/2/again", "second/2/run", "end"]);
  const run = make(false).start({ store });
  const events = await eventsOf(run);
  assert.deepEqual(copy(events.at(-1).result.journal), copy(await store.load(run.id)));
  // A result that is copied or sent keeps it.
  assert.deepEqual(structuredClone({ ...(await run.result) }).journal, copy(await store.load(run.id)));
});

test("a value deeper than 128 levels is replayed as it was", async () => {
  let deep = "core";
  for (let level = 0; level < 300; level += 1) deep = [deep];
  const workflow = new Workflow({ name: "t", steps: [{ name: "a", run: () => ({ deep }) }, { name: "b", run: ({ deep }) => ({ same: JSON.stringify(deep).length }) }] });
  const { result } = await recorded(workflow);
  let calls = 0;
  const other = new Workflow({ name: "t", steps: [{ name: "a", version: "2", run: () => ({ deep: [deep] }) }, { name: "b", run: ({ deep }) => { calls += 1; return { same: JSON.stringify(deep).length }; } }] });
  const edited = await other.run({ journal: copy(result.journal), replay: "edit" });
  assert.deepEqual([edited.state.same, calls], [result.state.same + 2, 1], "another deep value is another question");
});

test("the first events of a run are at the time that its journal has for them, also where it took a while until that was kept", async () => {
  const workflow = new Workflow({ name: "w", steps: [first] });
  const live = await recorded(workflow);
  const again = await replayed(workflow, live.result.journal);
  const begun = ({ events }) => events.slice(0, 2).map(({ type, at }) => [type, at]);
  assert.deepEqual(begun(live).map(([type]) => type), ["run.start", "step.start"]);
  assert.deepEqual(begun(again), begun(live));
});

test("no step of a fork took the time before it, and what is not run again keeps how long it took", async () => {
  let now = 1000;
  const clock = { now: () => now, sleep: async () => {} };
  const taking = (name, ms) => ({ name, run: () => ((now += ms), { [name]: 1 }) });
  const workflow = new Workflow({ name: "t", steps: [taking("first", 300), { name: "way", cases: [{ when: "first == 1", steps: [taking("second", 100)] }], default: [] }] });
  const took = ({ stepResults }) => Object.fromEntries(stepResults.map(({ name, durationMs }) => [name, durationMs]));
  const expected = { first: 300, way: 100, second: 100 };
  let result = await workflow.run({ journal: true, clock });
  assert.deepEqual(took(result), expected);
  for (let forks = 0; forks < 2; forks += 1) {
    now += 28_000;
    const from = result.stepResults.find(({ name }) => name === "second").id;
    result = await workflow.run({ journal: copy(result.journal), replay: "edit", from, clock });
    assert.equal(result.status, "done", JSON.stringify(result.errors));
    assert.deepEqual(took(result), expected);
    now += 5000;
    assert.deepEqual(took(await workflow.run({ journal: copy(result.journal), clock })), expected);
  }
});

test("no step of a fork that waits took the time before it either once that is resumed", async () => {
  let now = 1000;
  const clock = { now: () => now, sleep: async () => {} };
  const taking = (name, ms) => ({ name, run: () => ((now += ms), { [name]: 1 }) });
  const ask = { name: "ask", type: "approval", message: "Go?" };
  const workflow = new Workflow({ name: "t", steps: [{ name: "all", cases: [{ when: "true", steps: [taking("first", 300), taking("second", 100), ask, taking("third", 10)] }], default: [] }] });
  const took = ({ stepResults }) => Object.fromEntries(stepResults.map(({ name, durationMs }) => [name, durationMs]));
  let result = await workflow.run({ journal: true, clock });
  for (const name of ["second", "second"]) {
    now += 28_000;
    result = await workflow.run({ journal: copy(result.journal), replay: "edit", from: result.stepResults.find((step) => step.name === name).id, clock });
    assert.deepEqual(took(result), { all: 400, first: 300, second: 100, ask: 0 });
  }
  const key = result.pending[0].key;
  result = await workflow.run({ journal: copy(result.journal), answers: { [key]: { approved: true } }, clock });
  assert.deepEqual(took(result), { all: 410, first: 300, second: 100, ask: 0, third: 10 });
  // A fork of a fork takes over what each of them did.
  now += 28_000;
  const from = result.stepResults.find((step) => step.name === "third").id;
  result = await workflow.run({ journal: copy(result.journal), replay: "edit", from, clock });
  assert.deepEqual(took(result), { all: 410, first: 300, second: 100, ask: 0, third: 10 });
  assert.deepEqual(took(await workflow.run({ journal: copy(result.journal), clock })), took(result));
});
