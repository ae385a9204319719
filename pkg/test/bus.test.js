import assert from "node:assert/strict";
import { test } from "node:test";
import { StepweaveError, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { deferred, eventsOf, rejection } from "./support.js";

const bump = { name: "bump", run: ({ n }) => ({ n: n + 1 }) };
const workflowOf = (steps) => new Workflow({ name: "bus", initialState: { n: 0 }, steps });
/** Listeners are called apart from the run: a turn later they have all been. */
const delivered = () => new Promise((resolve) => setTimeout(resolve, 5));

test("a listener receives the events of its type, of every run, until it is removed", async () => {
  const workflow = workflowOf([bump]);
  const names = [];
  const types = [];
  const off = workflow.on("step.done", (event) => names.push(event.step.name));
  workflow.once("run.start", (event) => types.push(event.workflow));
  workflow.on("*", (event) => types.push(event.type));
  await workflow.run();
  await delivered();
  await workflow.run();
  await delivered();
  assert.deepEqual(names, ["bump", "bump"]);
  assert.deepEqual(types, ["bus", "run.start", "step.start", "step.done", "run.done", "run.start", "step.start", "step.done", "run.done"]);
  off();
  await workflow.run();
  await delivered();
  assert.equal(names.length, 2);
});

test("a listener that throws or rejects is reported in the run and disturbs nobody", async () => {
  const waits = { name: "waits", run: () => new Promise((resolve) => setTimeout(() => resolve({}), 5)) };
  const workflow = workflowOf([bump, waits]);
  const others = [];
  workflow.on("step.start", () => { throw new Error("not my day"); });
  workflow.on("step.done", async () => { throw new Error("later"); });
  workflow.on("run.warning", () => { throw new Error("again"); });
  workflow.on("step.done", ({ step }) => others.push(step.name));
  const run = workflow.start();
  const result = await run.result;
  assert.equal(result.status, "done");
  assert.deepEqual(result.state, { n: 1 });
  const warnings = [];
  for await (const event of run.events) if (event.type === "run.warning") warnings.push(`${event.code}: ${event.message}`);
  assert.ok(warnings.includes("listener: a listener of step.start failed: not my day"), warnings.join("\n"));
  assert.ok(warnings.includes("listener: a listener of step.done failed: later"), warnings.join("\n"));
  await delivered();
  assert.deepEqual(others, ["bump", "waits"]);
});

test("a listener may cancel its run and start another", async () => {
  const slow = { name: "slow", run: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)) };
  const workflow = workflowOf([bump, slow]);
  const other = workflowOf([bump]);
  let second;
  const run = (workflow.on("step.start", ({ step }) => {
    if (step.name !== "slow") return;
    run.cancel("enough");
    second = other.run();
  }), workflow.start());
  assert.equal((await run.result).status, "cancelled");
  assert.deepEqual((await second).state, { n: 1 });
});

test("functions of a run share a session, and know their tenant and their idempotency key", async () => {
  const seen = [];
  const workflow = workflowOf([
    { name: "write", run: (_, { sessionState }) => sessionState.set("client", () => 42) },
    { name: "read", run: (_, { sessionState, tenantId, idempotencyKey, runId }) => {
      seen.push(sessionState.get("client")(), tenantId, idempotencyKey === `${runId}/read`);
    } },
  ]);
  await workflow.run({ tenantId: "t1" });
  assert.deepEqual(seen, [42, "t1", true]);
  await new Workflow({ name: "fresh", steps: [{ name: "read", run: (_, { sessionState }) => { seen.push(sessionState.get("client")); } }] }).run();
  assert.equal(seen[3], undefined);
});

test("when a run's promise settles, listeners have been called for every event, however the run ends", async () => {
  const later = { name: "later", run: async () => {} };
  const broken = { name: "broken", run: () => { throw new Error("no"); } };
  const endless = { name: "endless", run: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) };
  const many = { name: "many", repeat: { while: "n < 300" }, maxIterations: 300, steps: [bump] };
  // Unlike that of AbortSignal.timeout, this timer keeps the process alive.
  const soon = () => { const controller = new AbortController(); setTimeout(() => controller.abort("no"), 5); return controller.signal; };
  const logs = { name: "logs", run: (_, { log }) => log("a line") };
  const cases = {
    "at once": [[bump, logs], {}],
    "with a wait": [[bump, later], {}],
    "after many events": [[many], {}],
    "with a failure": [[broken], {}],
    "with a question": [[{ name: "ask", type: "approval" }], {}],
    "with a journal": [[bump, later], { journal: true }],
    "with a store": [[bump, later], { journal: "j", store: memoryStore() }],
    "cancelled before it began": [[endless], { signal: AbortSignal.abort("no") }],
    "cancelled on its way": [[endless], { get signal() { return soon(); } }],
  };
  for (const [what, [steps, options]] of Object.entries(cases)) {
    const workflow = workflowOf(steps);
    const heard = [];
    const once = [];
    workflow.on("*", (event) => heard.push(event));
    workflow.once("run.start", (event) => once.push(event));
    const run = workflow.start(options);
    await run.result;
    assert.deepEqual(heard, await eventsOf(run), what);
    assert.equal(once.length, 1, what);
    // Of a result that is read later, and of a run that is not held.
    const before = heard.length;
    await workflow.run(options.store === undefined ? options : { ...options, journal: "another" });
    assert.ok(heard.length > before && heard.at(-1).type === heard[before - 1].type, what);
  }
});

test("a run that rejects has given its listeners what it emitted before", async () => {
  const workflow = workflowOf([bump, { name: "wait", wait: { ms: 10 } }]);
  const heard = [];
  workflow.on("*", ({ type }) => heard.push(type));
  const clock = { now: () => 0, sleep: () => { throw new Error("stopped"); } };
  assert.ok(await rejection(workflow.run({ clock })) instanceof StepweaveError);
  assert.deepEqual(heard, ["run.start", "step.start", "step.done", "step.start"]);
});

test("a listener that never settles keeps no run from ending", async () => {
  const { promise } = deferred();
  const workflow = workflowOf([bump]);
  let calls = 0;
  workflow.on("*", () => { calls += 1; return promise; });
  assert.equal((await workflow.run()).status, "done");
  assert.equal(calls, 4);
});

test("a listener to a type that no event has is refused, with the type that was meant", () => {
  const workflow = workflowOf([bump]);
  const refused = (type) => {
    try {
      workflow.on(type, () => {});
    } catch ({ code, message, hint }) {
      return [code, message, hint];
    }
  };
  assert.deepEqual(refused("step.Done"), ["validation", 'there are no events of the type "step.Done"', 'did you mean "step.done"?']);
  assert.match(refused("nonsense")[2], /^use "\*" for every type, or run\.start, /);
  for (const type of ["*", "step.reasoning", "run.warning", "run.budget"]) assert.equal(refused(type), undefined);
});

test("warnings about listeners to the last event have numbers of their own", async () => {
  const workflow = workflowOf([bump]);
  for (const what of ["one", "two"]) workflow.on("run.done", () => { throw new Error(what); });
  const { warnings } = await workflow.run();
  assert.deepEqual(warnings.map(({ seq, message }) => [seq, message]), [[4, "a listener of run.done failed: one"], [5, "a listener of run.done failed: two"]]);
});
