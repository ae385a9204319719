// What becomes of runs and checks when their worker gives no sign any more.
import assert from "node:assert/strict";
import { test } from "node:test";
import "stepweave";
import { connect, serve } from "stepweave/worker";
import { deferred, eventsOf, rejection, turn } from "./support.js";

const document = {
  version: 1,
  name: "t",
  steps: [
    { id: "s1", type: "function", name: "first", run: { set: { first: "who" } } },
    { id: "s2", type: "wait", name: "pause", wait: { ms: 5 } },
    { id: "s3", type: "wait", name: "long", wait: { ms: 50 } },
    { id: "s4", type: "function", name: "last", run: { set: { last: "first ~ '!'" } } },
  ],
};

/**
 * Workers within this thread: each has its clock and its list of what it was sent. One that is `stuck` hears nothing,
 * as a thread that never comes to an end, and all are from this number on; its clock is that of the test.
 */
function workers(stuckFrom = Number.POSITIVE_INFINITY) {
  const made = [];
  const make = () => {
    const { port1, port2 } = new MessageChannel();
    const said = [];
    const sleepers = [];
    const own = { said, sleepers, isStuck: made.length >= stuckFrom, isTerminated: false };
    const heard = new Set();
    const endpoint = {
      postMessage: (message) => !own.isTerminated && port2.postMessage(message),
      addEventListener: (type, listener) => {
        heard.add(listener);
        port2.addEventListener(type, (event) => !own.isStuck && listener(event));
      },
      removeEventListener: () => {},
      start: () => port2.start(),
    };
    const clock = { now: () => 0, sleep: () => { const gate = deferred(); sleepers.push(gate.resolve); return gate.promise; } };
    own.stop = serve({ endpoint, clock });
    own.wake = async () => {
      while (sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve));
      for (const wake of sleepers.splice(0)) wake();
    };
    made.push(own);
    return {
      postMessage: (message) => { said.push(message.stepweave); port1.postMessage(message); },
      addEventListener: (type, listener) => port1.addEventListener(type, listener),
      removeEventListener: (type, listener) => port1.removeEventListener(type, listener),
      start: () => port1.start(),
      terminate: () => { own.isTerminated = true; own.isStuck = true; port1.close(); port2.close(); },
    };
  };
  return { make, made };
}

/** Waits until a run has emitted that a step began. */
async function begun(run, name) {
  for await (const event of run.events) if (event.type === "step.start" && event.step.name === name) return;
}

test("a worker that answers is kept, and is pinged only when a run is cancelled", async ({ mock }) => {
  // Its patience is over after its answer, however slow the machine is.
  mock.timers.enable({ apis: ["setTimeout"] });
  const { make, made } = workers();
  const engine = connect(make, { patienceMs: 30 });
  const run = engine.start(document, { state: { who: "bees" } });
  await begun(run, "pause");
  assert.ok(!made[0].said.includes("ping"));
  run.cancel();
  assert.equal((await run.result).status, "cancelled");
  await turn();
  mock.timers.tick(80);
  await turn();
  assert.deepEqual([made.length, made[0].isTerminated, made[0].said.filter((word) => word === "ping").length], [1, false, 1]);
  engine.close();
  assert.ok(made[0].isTerminated);
});

test("a worker that gives no sign is replaced: the other runs go on from their journals, and checks are begun anew", async () => {
  const { make, made } = workers();
  const engine = connect(make, { patienceMs: 30 });
  const [stopped, kept, bare] = [engine.start(document, { state: { who: "a" } }), engine.start(document, { state: { who: "b" }, journal: true }), engine.start(document, { state: { who: "c" } })];
  await Promise.all([stopped, kept, bare].map((run) => begun(run, "pause")));
  await made[0].wake();
  await Promise.all([stopped, kept, bare].map((run) => begun(run, "long")));
  made[0].isStuck = true;
  const check = engine.validate("{}");
  stopped.cancel("enough");
  const error = await rejection(stopped.result);
  assert.equal(error.code, "cancelled");
  assert.match(error.message, /^the run was cancelled; its worker gave no sign for 30 ms and was ended$/);
  assert.ok((await check).length > 0);
  const other = await rejection(bare.result);
  assert.deepEqual([other.code, /journal: true/.test(other.hint)], ["cancelled", true]);
  assert.deepEqual([made.length, made[0].isTerminated], [2, true]);
  assert.deepEqual(made[1].said, ["start", "validate"]);
  await made[1].wake();
  const result = await kept.result;
  assert.deepEqual([result.status, result.state, result.runId], ["done", { who: "b", first: "b", last: "b!" }, kept.id]);
  const events = await eventsOf(kept);
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index));
  // The step that was under way may begin anew; nothing else is emitted twice.
  const names = events.map(({ type, step }) => [type, step?.name].filter(Boolean).join(" "));
  const emitted = names.filter((name, index) => name !== "step.start long" || names.indexOf(name) === index);
  assert.deepEqual(emitted, ["run.start", "step.start first", "step.done first", "step.start pause", "step.done pause", "step.start long", "step.done long", "step.start last", "step.done last", "run.done"]);
  engine.close();
});

test("what keeps a worker busy for long is not begun over and over: a new worker is not pinged", async () => {
  const { make, made } = workers(0);
  const engine = connect(make, { patienceMs: 20 });
  const steps = Array.from({ length: 5000 }, (_, index) => ({ id: `s${index}`, type: "function", name: `step ${index}`, run: { set: { x: "1" } } }));
  const check = engine.validate({ version: 1, name: "large", steps });
  engine.start(document).cancel();
  // Whatever the check takes is longer than the patience.
  while (made.length === 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([made.length, made[1].said], [2, ["validate"]]);
  engine.close();
  assert.equal((await rejection(check)).code, "cancelled");
});

test("the worker of somebody else is never ended", async () => {
  const { make, made } = workers();
  const worker = make();
  const engine = connect(worker, { patienceMs: 10 });
  const run = engine.start(document);
  made[0].isStuck = true;
  run.cancel();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([made[0].isTerminated, made[0].said], [false, ["start", "cancel"]]);
  engine.close();
  assert.equal((await rejection(run.result)).code, "cancelled");
  // Its ports would keep the process alive.
  worker.terminate();
});
