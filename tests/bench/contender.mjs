// The process of one contender: prepares a shape when it is first requested, outside of what is timed, and measures it.
import assert from "node:assert/strict";
import { heap } from "./measures/heap.mjs";
import { latency } from "./measures/latency.mjs";
import { throughput } from "./measures/throughput.mjs";
import { SHAPES, WIDE_SHAPES } from "./shapes.mjs";

const MEASURES = { heap, latency, throughput };

const [module, member] = process.argv.slice(2);
const { version, [member]: contender } = await import(module);
const prepared = new Map();

process.on("message", ({ measure, shape, options }) => {
  answer(measure, shape, options).then(
    (value) => process.send({ value }),
    (error) => process.send({ error: error.stack }),
  );
});

async function answer(measure, shape, options) {
  if (measure === "version") return version;
  if (measure === "length") {
    // Loads the package, which has no place in the process of another contender.
    const { length } = await import("./measures/length.mjs");
    return length(options);
  }
  if (!prepared.has(shape)) prepared.set(shape, await prepare(shape));
  return MEASURES[measure](prepared.get(shape), options);
}

/** The function that runs a shape once; what it computes is looked at before it is timed. */
async function prepare(id) {
  const shape = [...SHAPES, ...WIDE_SHAPES].find((one) => one.id === id);
  const run = contender.prepare(shape);
  const output = contender.outputOf(await run());
  for (const [key, expected] of Object.entries(shape.output)) assert.deepEqual(output[key], expected, `the key ${key} of ${id}`);
  return run;
}
