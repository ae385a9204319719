// The engine must survive its own worst case. The instance is caught when it is made, so that a handler can break it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsOf, rejection, turn, virtualClock } from "./support.js";

const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    // The engine's parts work on its memory.
    if (this.exports.memory !== undefined) memories.push(this.exports.memory);
  }
};
const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
process.on("uncaughtException", (error) => unhandled.push(error));

const { Agent, demo, StepweaveError, validate, Workflow } = await import("stepweave");

const breakEngine = () => void new Uint8Array(memories.at(-1).buffer).fill(0xff);

const writer = new Agent({ name: "writer", model: demo() });
const suite = new Workflow({
  name: "suite",
  initialState: { n: 1 },
  retryPolicy: { maxRetries: 1 },
  steps: [
    { name: "a", run: (state) => ({ n: state.n + 1 }) },
    { name: "b", run: async (state) => ({ n: state.n + 1 }) },
    { name: "flaky", run: (state, { attempt }) => { if (attempt === 1) throw new StepweaveError("network", "once", { retryable: true }); return { flaky: attempt }; } },
    { name: "c", condition: "n == 3", steps: [{ name: "draft", agent: writer, inputFrom: "{{ n }}" }] },
    { name: "d", parallel: [{ name: "e", run: { set: { e: "n * 2" } } }, { name: "f", run: async () => ({ f: 1 }) }] },
  ],
});

async function runSuite() {
  const { status, state } = await suite.run({ clock: virtualClock() });
  assert.equal(status, "done");
  assert.deepEqual({ ...state, draft_output: "" }, { n: 3, flaky: 2, draft_output: "", e: 6, f: 1 });
}

test("the suite passes before anything breaks", runSuite);

for (const [how, handler] of [
  ["while a function runs", () => { breakEngine(); return { broken: true }; }],
  ["while a promise is awaited", async () => { await turn(); breakEngine(); return { broken: true }; }],
  ["and the handler throws as well", () => { breakEngine(); throw new Error("as well"); }],
]) {
  test(`a trap ${how} rejects every run in flight with internal, and the next run works`, async () => {
    const instances = memories.length;
    const aborted = [];
    const waiting = new Workflow({ name: "waiting", steps: [{ name: "wait", run: (state, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => { aborted.push(signal.reason.code); resolve({ late: 1 }); })) }] });
    const bystander = waiting.start();
    const nobodyLooks = waiting.start();
    await turn();
    const run = new Workflow({ name: "victim", steps: [{ name: "fine", run: () => ({ fine: 1 }) }, { name: "breaks", run: handler }, { name: "next", run: () => {} }] }).start();
    const events = [];
    const heard = rejection((async () => { for await (const event of run.events) events.push(event.type); })());

    const error = await rejection(run.result);
    assert.ok(error instanceof StepweaveError);
    assert.equal(error.code, "internal");
    assert.match(error.message, /the engine stopped: .+/);
    assert.match(error.hint, /report/);
    assert.equal(await heard, error, "its events end with the same error");
    assert.ok(events.includes("step.done"), "what happened before is emitted");
    assert.equal((await rejection(bystander.result)).code, "internal");
    assert.deepEqual(aborted, ["internal", "internal"]);
    run.cancel();
    nobodyLooks.cancel();

    await runSuite();
    assert.equal(memories.length, instances + 1, "one fresh instance was made");
    await turn();
    assert.deepEqual(unhandled, []);
  });
}

test("after a trap, a listener of the signal may start a run at once", async () => {
  const started = [];
  const waiting = new Workflow({ name: "waiting", steps: [{ name: "wait", run: (state, { signal }) => new Promise(() => signal.addEventListener("abort", () => started.push(suite.run({ clock: virtualClock() })))) }] });
  const run = waiting.start();
  await turn();
  const victim = new Workflow({ name: "victim", steps: [{ name: "breaks", run: breakEngine }, { name: "x", run: () => {} }] }).run();
  assert.equal((await rejection(victim)).code, "internal");
  assert.equal((await rejection(run.result)).code, "internal");
  assert.equal((await started[0]).status, "done");
  assert.deepEqual(unhandled, []);
});

test("cancelling on a broken engine still resolves, and everything goes on", async () => {
  const run = new Workflow({ name: "t", steps: [{ name: "wait", run: () => new Promise(() => {}) }] }).start();
  await turn();
  breakEngine();
  run.cancel("stop");
  assert.equal((await run.result).status, "cancelled");
  await runSuite().catch(() => {});
  await runSuite();
});

test("validate on a broken engine rejects with internal once, and then works", async () => {
  await validate("{}");
  breakEngine();
  await assert.rejects(validate('{ "version": 1 }'), (error) => error.code === "internal");
  assert.ok((await validate("{}")).length > 0);
});

test("running out of stack inside the engine is a trap like any other", async () => {
  const run = new Workflow({ name: "t", steps: [{ name: "wait", run: () => new Promise(() => {}) }] }).start();
  await turn();
  const deep = (left) => {
    try {
      deep(left + 1);
    } catch {
      run.cancel("deep");
    }
  };
  deep(0);
  assert.equal((await run.result).status, "cancelled");
  await runSuite().catch(() => {});
  await runSuite();
  await turn();
  assert.deepEqual(unhandled, []);
});
