// What runs hold that are not over.
import { measured } from "./processes.mjs";

const COUNTS = { live: 1_000, waiting: 10_000 };
const LIBRARIES = [
  { name: "stepweave", module: "./runs/stepweave.mjs" },
  { name: "LangGraph.js", module: "../peers/runs/langgraph.mjs" },
  { name: "Mastra", module: "../peers/runs/mastra.mjs" },
];

/** Bytes a run of each library: in the middle of a step, and suspended. */
export async function memories() {
  const rows = [];
  for (const { name, module } of LIBRARIES) {
    const of = (measure) => measured(module, measure, { runs: COUNTS[measure] });
    rows.push({ name, liveBytes: await of("live"), waitingBytes: await of("waiting") });
  }
  return rows;
}
