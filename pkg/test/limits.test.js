// What bounds a run, and that large ones end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Workflow } from "stepweave";
import { eventsOf } from "./support.js";

const looping = (limits, run = ({ n }) => ({ n: n + 1 }), rounds = 1000) =>
  new Workflow({ name: "t", initialState: { n: 0 }, limits, steps: [{ name: "again", repeat: { while: "true" }, maxIterations: rounds, onMax: "continue", steps: [{ name: "count", run }] }] });

const ended = async (workflow, options) => {
  const run = workflow.start(options);
  const { status, state, errors } = await run.result;
  const events = await eventsOf(run);
  assert.equal(events.filter(({ type }) => /^run\.(done|error|cancelled|suspended)$/.test(type)).length, 1);
  return { status, state, codes: errors.map(({ code }) => code), error: errors[0], events };
};

for (const journal of [undefined, true]) {
  const over = journal === true ? " (with a journal)" : "";

  test(`maxSteps ends a run that begins more steps${over}`, async () => {
    const { status, state, codes, error } = await ended(looping({ maxSteps: 20 }), { journal });
    assert.deepEqual([status, codes], ["error", ["limit"]]);
    assert.match(error.message, /20/);
    assert.match(error.hint, /maxSteps/);
    assert.ok(state.n > 15 && state.n <= 20, `${state.n} rounds`);
    assert.equal((await ended(looping({ maxSteps: 200 }, undefined, 20), { journal })).status, "done");
  });

  test(`maxStateBytes ends the step that would make the state larger${over}`, async () => {
    const { status, state, codes, error } = await ended(looping({ maxStateBytes: 5000 }, ({ text = "" }) => ({ text: `${text}${"x".repeat(1000)}` })), { journal });
    assert.deepEqual([status, codes], ["error", ["limit"]]);
    assert.match(error.hint, /maxStateBytes/);
    assert.ok(state.text.length <= 5000, `${state.text.length} letters were kept`);
    assert.ok(state.text.length >= 4000, `only ${state.text.length} letters were kept`);
  });

  test(`maxEvents ends a run that emits more${over}`, async () => {
    const { status, codes, error, events } = await ended(looping({ maxEvents: 100 }), { journal });
    assert.deepEqual([status, codes], ["error", ["limit"]]);
    assert.deepEqual([error.message, error.hint], ["the run has emitted 100 events, which is its limit", "raise limits.maxEvents, or look for a loop that goes on for too long"]);
    assert.ok(events.length >= 100 && events.length < 120, `${events.length} events`);
  });
}

test("a run that met a limit ends there again when it is replayed", async () => {
  const first = await looping({ maxSteps: 20 }).run({ journal: true });
  const again = await looping({ maxSteps: 20 }, () => assert.fail("nothing is requested again")).run({ journal: JSON.parse(JSON.stringify(first.journal)), replay: "strict" });
  assert.deepEqual([again.status, again.errors.map(({ code }) => code)], ["error", ["limit"]]);
});

const range = (count) => Array.from({ length: count }, (_, index) => index);

test("a foreach of 100,000 items ends, in order, also with several at once", async () => {
  const list = range(100_000);
  for (const concurrency of [1, 16]) {
    const workflow = new Workflow({ name: "t", initialState: { list }, steps: [{ name: "each", items: "list", as: "n", result: "twice", concurrency, steps: [{ name: "x", run: concurrency === 1 ? ({ n }) => ({ twice: n * 2 }) : async ({ n }) => ({ twice: n * 2 }) }] }] });
    const { status, state, stepResults } = await workflow.run();
    assert.equal(status, "done");
    assert.equal(stepResults.length, 100_001);
    assert.deepEqual(state.each_output, list.map((n) => n * 2));
  }
});

test("a loop of 100,000 rounds ends", async () => {
  const workflow = new Workflow({ name: "t", initialState: { n: 0 }, steps: [{ name: "again", repeat: { until: ({ n }) => n === 100_000 }, maxIterations: 100_000, steps: [{ name: "x", run: ({ n }) => ({ n: n + 1 }) }] }] });
  const { status, state } = await workflow.run();
  assert.deepEqual([status, state], ["done", { n: 100_000 }]);
});

test("a sequence of 100,000 steps ends", async () => {
  const { status, state, stepResults } = await new Workflow({ name: "t", initialState: { n: 0 }, steps: range(100_000).map((index) => ({ name: `s${index}`, run: ({ n }) => ({ n: n + 1 }) })) }).run();
  assert.deepEqual([status, state, stepResults.length], ["done", { n: 100_000 }, 100_000]);
});

test("a parallel of 10,000 members ends, also with several at once", async () => {
  for (const concurrency of [undefined, 32]) {
    const { status, state } = await new Workflow({ name: "t", steps: [{ name: "p", ...(concurrency !== undefined && { concurrency }), parallel: range(10_000).map((index) => ({ name: `m${index}`, run: index % 2 === 0 ? () => ({ [`k${index}`]: index }) : async () => ({ [`k${index}`]: index }) })) }] }).run();
    assert.equal(status, "done");
    assert.deepEqual(Object.values(state), range(10_000));
  }
});

test("a foreach of 20,000 items is cancelled at once, with what was reached", async () => {
  let began = 0;
  let run;
  const workflow = new Workflow({ name: "t", initialState: { list: range(20_000) }, steps: [{ name: "each", items: "list", as: "n", concurrency: 100, steps: [{ name: "x", run: ({ n }, { signal }) => { began += 1; if (n === 5000) run.cancel(); return new Promise((resolve) => { setImmediate(resolve); signal.addEventListener("abort", resolve); }); } }] }] });
  run = workflow.start();
  const { status, stepResults } = await run.result;
  assert.equal(status, "cancelled");
  assert.equal(began, 5001);
  assert.ok(stepResults.filter(({ status: one }) => one === "cancelled").length <= 102);
});

test("a journal of 20,000 answers is kept and replayed", async () => {
  const workflow = (run) => new Workflow({ name: "t", initialState: { list: range(20_000) }, steps: [{ name: "each", items: "list", as: "n", result: "twice", concurrency: 8, steps: [{ name: "x", run }] }] });
  const { state, journal } = await workflow(async ({ n }) => ({ twice: n * 2 })).run({ journal: true });
  assert.equal(journal.entries.length, 20_002);
  const again = await workflow(() => assert.fail("nothing is requested again")).run({ journal: JSON.parse(JSON.stringify(journal)), replay: "strict" });
  assert.deepEqual(again.state, state);
});

test("maxStateBytes holds for what the members of a parallel give together, with a journal and without", async () => {
  const member = (name) => ({ name, run: () => ({ [name]: "x".repeat(90) }) });
  const workflow = new Workflow({ name: "w", limits: { maxStateBytes: 250 }, steps: [{ name: "all", parallel: ["a", "b", "c"].map(member) }] });
  for (const options of [{}, { journal: true }]) {
    const { status, state, error } = await workflow.run(options);
    assert.deepEqual([status, state, error?.code, error?.step?.name], ["error", {}, "limit", "all"]);
    assert.equal(error.message, "with what it gave the state would have 292 bytes of JSON; 250 are its limit");
  }
});

test("maxStateBytes holds for the results of a foreach as they come: no item begins after it", async () => {
  let begun = 0;
  const items = Array.from({ length: 50 }, (_, index) => index);
  const each = (more) => new Workflow({
    name: "w",
    initialState: { items },
    limits: { maxStateBytes: 1000 },
    steps: [{ name: "each", items: "items", as: "item", ...more, steps: [{ name: "make", run: () => ({ made: "x".repeat(200), begun: (begun += 1) }) }] }],
  });
  for (const more of [{}, { result: "made ~ item" }]) {
    begun = 0;
    const { status, error } = await each(more).run();
    assert.deepEqual([status, error?.code, error?.step?.name, begun], ["error", "limit", "each", 5]);
  }
  for (const more of [{ onItemError: "drop" }, { onItemError: "null" }, { required: false }]) {
    const { status, errors } = await each({ ...more, result: "made" }).run();
    assert.deepEqual([status, errors.map(({ code, step }) => [code, step?.name])], ["error", [["limit", "each"]]], JSON.stringify(more));
  }
});

test("rounds and items without steps, which no limit counts, take no memory", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const used = () => (gc(), process.memoryUsage().heapUsed);
  // What is kept of a run is there while it goes on.
  const grown = async (most, steps) => {
    const before = used();
    let [rounds, after] = [0, 0];
    const goesOn = () => {
      rounds += 1;
      if (rounds === most) after = used();
      return rounds < most;
    };
    const { status } = await new Workflow({ name: "t", steps: steps(goesOn) }).run();
    assert.equal(status, "done");
    return after - before;
  };
  const again = (more) => ({ name: "again", maxIterations: 1_000_000, ...more });
  const ofLoop = await grown(300_000, (goesOn) => [again({ repeat: { while: goesOn }, steps: [] })]);
  assert.ok(ofLoop < 10_000_000, `${ofLoop} bytes of a loop`);
  const ofItems = await grown(4, (goesOn) => [again({ repeat: { while: goesOn }, steps: [{ name: "each", items: "[0] * 100000", result: "none", steps: [] }] })]);
  assert.ok(ofItems < 20_000_000, `${ofItems} bytes of a foreach`);
});
