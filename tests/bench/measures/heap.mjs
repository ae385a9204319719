import { setImmediate } from "node:timers/promises";
import { median } from "../statistics.mjs";

const SAMPLES = 15;
/** Few enough to fit between two collections of the young, whoever runs. */
const RUNS_A_SAMPLE = 20;
const RUNS_HELD = 300;

/** Bytes a run: what it allocates, what its result keeps, and what stays when nobody has the result. */
export async function heap(run) {
  return { allocated: await allocatedBy(run), ...(await keptBy(run)) };
}

async function allocatedBy(run) {
  await collect();
  const samples = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < RUNS_A_SAMPLE; count += 1) await run();
    samples.push(process.memoryUsage().heapUsed - before);
  }
  // A sample with a collection inside of it is far off: the median passes it over.
  return median(samples) / RUNS_A_SAMPLE;
}

async function keptBy(run) {
  const results = new Array(RUNS_HELD);
  const before = await collect();
  for (let count = 0; count < RUNS_HELD; count += 1) results[count] = await run();
  const held = await collect();
  results.fill(undefined);
  const left = await collect();
  return { held: (held - left) / RUNS_HELD, left: (left - before) / RUNS_HELD };
}

/** The bytes in use when all garbage is gone; timers that a run left behind get their turn first. */
async function collect() {
  await setImmediate();
  globalThis.gc();
  await setImmediate();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
