// What a process measures of itself.
import { setImmediate } from "node:timers/promises";

export const MEASURES = { stream, live: ({ begin }, { runs }) => bytesOf(begin, runs), waiting: ({ suspend }, { runs }) => bytesOf(suspend, runs) };

/** Milliseconds of the processor, of the whole process, to read one answer. */
async function stream({ reader }, { origin, length }) {
  const read = reader(origin);
  // The first answer also pays for what is compiled.
  await read();
  const before = process.cpuUsage();
  const found = await read();
  const { user, system } = process.cpuUsage(before);
  if (found !== length) throw new Error(`${found} characters came, of ${length}`);
  return (user + system) / 1000;
}

/** Bytes that each of so many runs holds. */
async function bytesOf(make, runs) {
  // What the first runs compile belongs to none.
  const kept = [await make(10)];
  const before = await collected();
  kept.push(await make(runs));
  const after = await collected();
  if (kept[1].length !== runs) throw new Error(`${kept[1].length} runs were made, of ${runs}`);
  return (after - before) / runs;
}

/** The bytes that the process holds when all garbage is gone. */
async function collected() {
  for (let turn = 0; turn < 3; turn += 1) {
    await setImmediate();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
