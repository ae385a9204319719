// What running costs, in calls of the engine and in bytes of its memory: both are the same on every machine.
import assert from "node:assert/strict";
import { after, test } from "node:test";

const { Instance } = WebAssembly;
/** How often each function of the engine was called. */
const calls = new Map();
let memory;

/** The engine's exports, each of which counts its calls. */
function counted(exports) {
  const wrap = ([name, value]) => {
    if (typeof value !== "function" || name.startsWith("__")) return [name, value];
    return [name, (...given) => (calls.set(name, (calls.get(name) ?? 0) + 1), value(...given))];
  };
  memory = exports.memory;
  return Object.fromEntries(Object.entries(exports).map(wrap));
}

WebAssembly.Instance = function (module, imports) {
  return { exports: counted(new Instance(module, imports).exports) };
};
after(() => {
  WebAssembly.Instance = Instance;
});

const { Workflow } = await import("stepweave");

const rowOf = (count, made = (run) => run) =>
  new Workflow({ name: "row", initialState: { n: 0 }, steps: Array.from({ length: count }, (_, index) => ({ name: `step ${index}`, run: made(({ n }) => ({ n: n + 1 })) })) });

async function callsOf(workflow) {
  // The first run compiles the plan.
  await workflow.run();
  calls.clear();
  // A run that takes long lets others go first, and is polled once more behind that: here no time passes.
  const { now } = Date;
  const time = now();
  Date.now = () => time;
  try {
    await workflow.run();
  } finally {
    Date.now = now;
  }
  return Object.fromEntries(calls);
}

test("the answer of a function goes to the engine with the poll that follows it", async () => {
  assert.deepEqual(await callsOf(rowOf(20)), { start: 1, poll: 1, resume: 20 });
  assert.deepEqual(await callsOf(rowOf(20, (run) => async (state) => run(state))), { start: 1, poll: 1, resume: 20 });
});

test("answers that come together are followed by one poll, and keep their order", async () => {
  const members = ["a", "b", "c"].map((name) => ({ name, run: () => ({ [name]: 1, last: name }) }));
  const workflow = new Workflow({ name: "fan-out", initialState: {}, steps: [{ name: "all", parallel: members }] });
  assert.deepEqual(await callsOf(workflow), { start: 1, poll: 1, settle: 2, resume: 1 });
  const { state } = await workflow.run();
  assert.deepEqual(state, { a: 1, b: 1, c: 1, last: "c" });
});

test("an answer before a failure reaches the engine before it", async () => {
  const steps = [{ name: "both", parallel: [{ name: "good", run: () => ({ good: 1 }) }, { name: "bad", required: false, run: () => { throw new Error("no"); } }] }];
  const workflow = new Workflow({ name: "mixed", initialState: {}, steps });
  const { settle, fail, poll } = await callsOf(workflow);
  assert.deepEqual({ settle, fail, poll }, { settle: 1, fail: 1, poll: 2 });
  assert.deepEqual((await workflow.run()).state, { good: 1 });
});

test("a long document is checked without a second copy of it", async () => {
  const count = 20_000;
  const steps = Array.from({ length: count }, (_, index) => ({ id: `s${index}`, type: "wait", name: `step ${index}`, wait: { ms: 0 } }));
  const text = JSON.stringify({ version: 1, name: "long", steps });
  const workflow = Workflow.fromDocument(text);
  const before = memory.buffer.byteLength;
  const run = workflow.start();
  run.cancel();
  await run.result;
  await workflow.start({ signal: AbortSignal.timeout(1) }).result;
  const bytes = (memory.buffer.byteLength - before) / text.length;
  // With a copy of what was read it took 50.
  assert.ok(bytes < 45, `it took ${bytes.toFixed(1)} bytes for each byte of the document`);
});
