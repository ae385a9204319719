import { performance } from "node:perf_hooks";
import { quantile } from "../statistics.mjs";

/** Microseconds of a run when it is the only one, over so many milliseconds of runs. */
export async function latency(run, { milliseconds }) {
  const times = [];
  const began = performance.now();
  let before = began;
  do {
    await run();
    const now = performance.now();
    times.push((now - before) * 1000);
    before = now;
  } while (before - began < milliseconds);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
