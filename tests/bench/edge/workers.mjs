// Workers that do the same with each library: how large they are, and how soon workerd answers with them.
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundled } from "../../edge/worker.mjs";
import { inRounds } from "../rounds.mjs";
import { median } from "../statistics.mjs";
import { Prepared } from "./workerd.mjs";

const ROUNDS = 9;

/** By name: what the Worker does, its file, what it answers, and further options of workerd. */
const WORKERS = [
  { name: "an empty Worker", does: "nothing", file: "./workers/empty.mjs", answer: "ready" },
  { name: "stepweave/functions", does: "a workflow", file: "./workers/functions.mjs", answer: "6" },
  { name: "LangGraph.js", does: "a workflow", file: "../peers/workers/langgraph.mjs", answer: "6", flags: ["nodejs_compat"] },
  { name: "Mastra", does: "a workflow", file: "../peers/workers/mastra.mjs", answer: "6", flags: ["nodejs_compat"] },
  { name: "Cloudflare Agents", does: "an object that adds", file: "../peers/workers/cloudflare-agents.mjs", answer: "6", flags: ["nodejs_compat"], object: "Sum" },
  { name: "stepweave", does: "asks a model", file: "./workers/agents.mjs", answer: "It is said. " },
  { name: "ai, @ai-sdk/openai", does: "asks a model", file: "../peers/workers/ai.mjs", answer: "It is said. ", flags: ["nodejs_compat"] },
];

/** As `wrangler deploy --minify` bundles: what Node has is left to the runtime, also where its name has no `node:`. */
const BUNDLING = { minify: true, external: ["cloudflare:*", "node:*"], plugins: [{ name: "node", setup: ofNode }] };

function ofNode(build) {
  const names = new RegExp(`^(${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);
  build.onResolve({ filter: names }, ({ path }) => ({ path: `node:${path}`, external: true }));
}

/** Kilobytes and milliseconds of each Worker. */
export async function workers(origin) {
  const prepared = [];
  try {
    for (const worker of WORKERS) {
      const bundle = await bundled(fileURLToPath(new URL(worker.file, import.meta.url)), BUNDLING);
      prepared.push({ worker, bundle, place: new Prepared(bundle, { ...worker, origin }) });
    }
    const rounds = await inRounds(ROUNDS, prepared, async ({ worker, place }) => {
      const { answer, ...times } = await place.coldStart();
      if (answer !== worker.answer) throw new Error(`${worker.name} answers ${answer}`);
      return times;
    });
    return prepared.map(({ worker: { name, does }, bundle }, place) => ({
      name,
      does,
      kilobytes: bundle.modules.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1000,
      readyMs: median(rounds[place].map(({ readyMs }) => readyMs)),
      firstMs: median(rounds[place].map(({ firstMs }) => firstMs)),
    }));
  } finally {
    for (const { place } of prepared) place.remove();
  }
}
