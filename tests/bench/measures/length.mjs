import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { Workflow } from "stepweave";
import { median } from "../statistics.mjs";

const SLICE_MS = 50;

/** The longest things that there are, by what they consist of. */
const KINDS = {
  "steps in a row": (length) => ({
    initialState: { n: 0 },
    steps: Array.from({ length }, (_, index) => ({ name: `step ${index}`, run: ({ n }) => ({ n: n + 1 }) })),
    check: ({ state }) => assert.equal(state.n, length),
  }),
  "members of a parallel": (length) => ({
    initialState: { n: 1 },
    steps: [{ name: "all", parallel: Array.from({ length }, (_, index) => ({ name: `member ${index}`, run: ({ n }) => ({ [`m${index}`]: n }) })) }],
    check: ({ state }) => assert.equal(state[`m${length - 1}`], 1),
  }),
  "items of a foreach": (length) => ({
    initialState: { list: Array.from({ length }, (_, index) => index) },
    steps: [{ name: "each", items: "list", as: "item", steps: [{ name: "double", run: ({ item }) => ({ twice: item * 2 }) }] }],
    check: ({ state }) => assert.deepEqual(state.each_output.at(-1), { twice: (length - 1) * 2 }),
  }),
};

/** Milliseconds of the first run of a workflow so long, which makes its plan, and of later ones. */
export async function length({ kind, size }) {
  const { check, ...definition } = KINDS[kind](size);
  // What longer ones left behind is not cleared away at the cost of this one.
  globalThis.gc();
  const began = performance.now();
  const workflow = new Workflow({ name: kind, ...definition });
  const first = await workflow.run();
  const firstMs = performance.now() - began;
  assert.equal(first.status, "done", first.error?.message);
  check(first);
  return { firstMs, runMs: await later(workflow) };
}

async function later(workflow) {
  const times = [];
  const began = performance.now();
  do {
    const before = performance.now();
    await workflow.run();
    times.push(performance.now() - before);
  } while (performance.now() - began < SLICE_MS);
  return median(times);
}
