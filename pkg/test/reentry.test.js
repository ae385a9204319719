// Code of the user runs only when the engine has let go: whatever it does then is harmless.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { eventsOf, turn, virtualClock } from "./support.js";

const inner = new Workflow({ name: "inner", steps: [{ name: "x", run: (state) => ({ x: (state.x ?? 0) + 1 }) }] });

test("a handler may run another workflow, also the one it belongs to", async () => {
  const outer = new Workflow({
    name: "outer",
    steps: [
      { name: "other", run: async () => ({ other: (await inner.run({ state: { x: 1 } })).state.x }) },
      { name: "self", run: async (state) => (state.depth === 0 ? {} : { below: (await outer.run({ state: { depth: state.depth - 1 } })).state.below ?? "bottom" }) },
    ],
  });
  assert.deepEqual((await outer.run({ state: { depth: 5 } })).state, { depth: 5, other: 2, below: "bottom" });
});

test("a handler may start a run and not wait for it", async () => {
  let other;
  const outer = new Workflow({ name: "outer", steps: [{ name: "x", run: () => { other = inner.start(); return { started: true }; } }] });
  assert.equal((await outer.run()).status, "done");
  assert.deepEqual((await other.result).state, { x: 1 });
});

test("a handler may cancel its own run; nothing after it runs and its answer is dropped", async () => {
  for (const end of [() => ({ late: 1 }), () => { throw new Error("late"); }, async () => ({ late: 1 }), async () => { throw new Error("late"); }]) {
    let run;
    let went = false;
    const workflow = new Workflow({ name: "t", steps: [{ name: "first", run: () => ({ first: 1 }) }, { name: "cancels", run: () => { run.cancel("from inside"); return end(); } }, { name: "never", run: () => { went = true; } }] });
    run = workflow.start();
    const result = await run.result;
    assert.equal(result.status, "cancelled");
    assert.deepEqual(result.state, { first: 1 });
    assert.deepEqual(result.stepResults.map(({ name, status }) => `${name} ${status}`), ["first done", "cancels cancelled"]);
    assert.equal((await eventsOf(run)).at(-1).reason, "from inside");
    await turn();
    assert.equal(went, false);
    assert.equal((await eventsOf(run)).filter((event) => event.type.startsWith("run.") && event.type !== "run.start").length, 1);
  }
});

test("a handler may cancel another run", async () => {
  const other = new Workflow({ name: "other", steps: [{ name: "wait", run: () => new Promise(() => {}) }] }).start();
  await turn();
  await new Workflow({ name: "t", steps: [{ name: "x", run: () => other.cancel() }] }).run();
  assert.equal((await other.result).status, "cancelled");
});

test("a member of a parallel may cancel while its siblings are about to be called", async () => {
  let run;
  const called = [];
  const workflow = new Workflow({ name: "t", steps: [{ name: "p", parallel: [1, 2, 3].map((n) => ({ name: `m${n}`, run: () => { called.push(n); if (n === 2) run.cancel(); } })) }] });
  run = workflow.start();
  assert.equal((await run.result).status, "cancelled");
  assert.deepEqual(called, [1, 2]);
});

test("a reader of events may cancel, start a run, or throw", async () => {
  const workflow = new Workflow({ name: "t", steps: [1, 2, 3].map((n) => ({ name: `step${n}`, run: async () => { await turn(); return { [`k${n}`]: n }; } })) });
  const run = workflow.start();
  const types = [];
  for await (const event of run.events) {
    types.push(event.type);
    if (event.type === "step.done") {
      run.cancel();
      assert.equal((await inner.run()).status, "done");
    }
  }
  assert.equal(types.at(-1), "run.cancelled");

  const other = workflow.start();
  await assert.rejects(async () => { for await (const event of other.events) throw new Error(`mine: ${event.type}`); }, /mine: run\.start/);
  assert.equal((await other.result).status, "done", "leaving `events` does not cancel");
});

test("a clock, a signal and a fetch of the user may do the same", async () => {
  let run;
  let calls = 0;
  const clock = { ...virtualClock(), now: () => { calls += 1; if (calls === 4) run.cancel("by the clock"); return calls; } };
  const workflow = new Workflow({ name: "t", steps: [1, 2, 3, 4].map((n) => ({ name: `step${n}`, run: () => {} })) });
  run = workflow.start({ clock });
  assert.equal((await run.result).status, "cancelled");

  const controller = new AbortController();
  const order = [];
  controller.signal.addEventListener("abort", () => order.push(inner.run()));
  const aborting = new Workflow({ name: "t", steps: [{ name: "x", run: () => controller.abort(new Error("user left")) }, { name: "never", run: () => order.push("never") }] });
  assert.equal((await aborting.run({ signal: controller.signal })).status, "cancelled");
  assert.equal((await order[0]).status, "done");
  assert.equal(order.length, 1);
});

test("getters, thenables and proxies in what a handler returns run outside the engine too", async () => {
  const started = [];
  const returns = [
    { get x() { started.push(inner.run()); return 1; } },
    { then(resolve) { started.push(inner.run()); resolve({ x: 1 }); } },
    new Proxy({ x: 1 }, { ownKeys: (target) => { started.push(inner.run()); return Reflect.ownKeys(target); } }),
  ];
  for (const value of returns) {
    const { state } = await new Workflow({ name: "t", steps: [{ name: "x", run: () => value }] }).run();
    assert.deepEqual(state, { x: 1 });
  }
  for (const run of started) assert.equal((await run).status, "done");
  const throwing = new Proxy({}, { ownKeys: () => { throw new Error("no keys for you"); } });
  const { errors } = await new Workflow({ name: "t", steps: [{ name: "x", run: () => throwing }] }).run();
  assert.match(errors[0].message, /no keys for you/);
});
