import { performance } from "node:perf_hooks";

/** Runs that end in a second while so many are under way at once. */
export async function throughput(run, { concurrency, milliseconds }) {
  const began = performance.now();
  let ended = 0;
  const lane = async () => {
    do {
      await run();
      ended += 1;
    } while (performance.now() - began < milliseconds);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (ended / (performance.now() - began)) * 1000;
}
