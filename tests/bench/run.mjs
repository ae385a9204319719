// What the engine adds to the work of a workflow: four trivial function steps in a row, against the same written by hand
// as a loop that keeps the same results and tells the same events. Called by `cargo xtask bench`; asserts no times.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import { Workflow } from "stepweave";
import { runByHand } from "./by-hand.mjs";

const WARM_UP_RUNS = 10_000;
const RUNS = 10_000;
const ROUNDS = 7;

const HANDLERS = {
  sync: [
    ["A", (state) => ({ a: state.n + 1 })],
    ["B", (state) => ({ b: state.a * 2 })],
    ["C", (state) => ({ c: state.b - 3 })],
    ["D", (state) => ({ d: `${state.c}` })],
  ],
};
HANDLERS.async = HANDLERS.sync.map(([name, run]) => [name, async (state) => run(state)]);

const initialState = { n: 20 };

const contenders = Object.entries(HANDLERS).flatMap(([kind, handlers]) => {
  const workflow = new Workflow({ name: "four steps", initialState, steps: handlers.map(([name, run]) => ({ name, run })) });
  const steps = handlers.map(([name, run], index) => ({ id: `s${index + 1}`, path: `steps[${index}]`, name, run }));
  return [
    { kind, name: "by hand", run: () => runByHand("four steps", initialState, steps), times: [] },
    { kind, name: "stepweave", run: () => workflow.run(), times: [] },
  ];
});

await assertSame();
for (const { run } of contenders) await timed(run, WARM_UP_RUNS);
// In turns, so that a machine that is busy for a while is busy for all.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { run, times } of contenders) times.push(...(await timed(run, RUNS)));
}
print();

/** What is compared must do the same. */
async function assertSame() {
  const results = await Promise.all(contenders.map(({ run }) => run()));
  const [first] = results;
  assert.equal(first.state.d, "39");
  for (const { status, state, stepResults, usage, errors } of results) {
    assert.deepEqual({ status, state, usage, errors }, { status: "done", state: first.state, usage: first.usage, errors: [] });
    const timeless = (all) => all.map(({ startedAt, durationMs, ...rest }) => rest);
    assert.deepEqual(timeless(stepResults), timeless(first.stepResults));
  }
}

async function timed(run, times) {
  const milliseconds = [];
  for (let count = 0; count < times; count += 1) {
    const started = performance.now();
    await run();
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

function print() {
  const { version } = JSON.parse(readFileSync(createRequire(import.meta.url).resolve("stepweave/package.json"), "utf8"));
  const { node, v8 } = process.versions;
  console.log(`four function steps, ${ROUNDS} rounds of ${RUNS} runs`);
  console.log(`stepweave ${version}, Node ${node}, V8 ${v8}, ${process.platform} ${process.arch}, ${cpus()[0]?.model ?? "unknown processor"}\n`);
  console.log("handlers  written     p50 us   p99 us   ratio of p50");
  for (const { kind, name, times } of contenders) {
    times.sort((one, other) => one - other);
    const base = contenders.find((other) => other.kind === kind);
    const ratio = quantile(times, 0.5) / quantile(base.times, 0.5);
    const columns = [micros(times, 0.5), micros(times, 0.99)].map((text) => text.padStart(9)).join("");
    console.log(`${kind.padEnd(9)} ${name.padEnd(9)}${columns}${ratio.toFixed(1).padStart(15)}`);
  }
}

function quantile(sorted, share) {
  return sorted[Math.floor(sorted.length * share)];
}

function micros(sorted, share) {
  return (quantile(sorted, share) * 1000).toFixed(2);
}
