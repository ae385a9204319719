// How fast the engine is, next to a plain loop and to two libraries that also run workflows. Called by `cargo xtask bench engine`.
//   node tests/bench/engine.mjs [--json FILE]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startAll } from "./contenders.mjs";
import { machine } from "./machine.mjs";
import { printHeap, printLatency, printLength, printTargets, printThroughput, printVersions, printWideState } from "./print.mjs";
import { assertSameRecord } from "./same-record.mjs";
import { heaps, latencies, lengths, throughputs, wideStates } from "./sections.mjs";
import { SHAPES } from "./shapes.mjs";
import { targetsOf } from "./targets.mjs";

const { values: options } = parseArgs({ options: { json: { type: "string" } } });

for (const shape of SHAPES) await assertSameRecord(shape);
const contenders = await startAll();
try {
  const report = { versions: versions(), machine: machine() };
  printVersions(report);
  report.latency = await printed(latencies, printLatency);
  report.throughput = await printed(throughputs, printThroughput);
  report.heap = await printed(heaps, printHeap);
  report.wideState = await printed(wideStates, printWideState);
  report.length = await printed(lengths, printLength);
  report.targets = targetsOf(report);
  printTargets(report.targets);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
} finally {
  for (const contender of contenders) contender.stop();
}

/** Measures a section and prints it at once: the whole takes minutes. */
async function printed(measure, print) {
  const rows = await measure(contenders);
  print(rows);
  return rows;
}

function versions() {
  const installed = contenders.map(({ version }) => version).filter((version) => version !== undefined);
  return [...new Map(installed.map((version) => [version.name, version])).values()];
}
