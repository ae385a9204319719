// What runs at the edge cost, next to other libraries: Workers, streams, memory, durable engines. Called by `cargo xtask bench edge`.
//   node tests/bench/edge.mjs [--json FILE]
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { version as own } from "./contenders/stepweave.mjs";
import { durables } from "./edge/durable.mjs";
import { memories } from "./edge/memory.mjs";
import { withModel } from "./edge/processes.mjs";
import { streams } from "./edge/streams.mjs";
import { workers } from "./edge/workers.mjs";
import { machine } from "./machine.mjs";
import { versionOf } from "./peers/versions.mjs";
import { printDurables, printMemories, printStreams, printVersions, printWorkers } from "./print.mjs";

const { values: options } = parseArgs({ options: { json: { type: "string" } } });

const PEERS = ["@langchain/langgraph", "@mastra/core", "agents", "ai", "@ai-sdk/openai", "openai"];
const SECTIONS = [
  ["workers", () => withModel(2, workers), printWorkers],
  ["streams", streams, printStreams],
  ["memory", memories, printMemories],
  ["durable", durables, printDurables],
];

const report = { versions: [own, ...PEERS.map(versionOf), workerd(), restate()], machine: machine() };
printVersions(report);
for (const [name, measure, print] of SECTIONS) {
  report[name] = await measure();
  print(report[name]);
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);

function workerd() {
  return named(createRequire(import.meta.url).resolve("workerd/package.json"));
}

/** Its tests have it. */
function restate() {
  return named(new URL("../durable/node_modules/@restatedev/restate-server/package.json", import.meta.url));
}

function named(manifest) {
  const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
  return { name, version };
}
