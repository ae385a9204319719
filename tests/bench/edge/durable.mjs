// What a step costs that outlives its process: in workerd under Miniflare, and behind Restate's server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { Restate, Services } from "../../durable/restate.mjs";
import { bundled } from "../../edge/worker.mjs";
import { inRounds } from "../rounds.mjs";
import { median } from "../statistics.mjs";

const ROUNDS = 7;
const PLACES = [
  { name: "in the Worker, not kept", place: "worker" },
  { name: "Durable Object", place: "object" },
  { name: "Cloudflare Workflows", place: "instance" },
  { name: "Restate", place: "restate" },
];

/** Milliseconds that each of a hundred steps adds to a run. */
export async function durables() {
  const engines = await Promise.all([withMiniflare(), withRestate()]);
  const [cloudflare, restate] = engines;
  try {
    let count = 0;
    const timed = async (place, length) => {
      const run = place === "restate" ? restate.run : cloudflare.run;
      const id = `${(count += 1)}`;
      const started = performance.now();
      await run(place, length, id);
      return performance.now() - started;
    };
    for (const { place } of PLACES) await timed(place, 101);
    const rounds = await inRounds(ROUNDS, PLACES, async ({ place }) => (await timed(place, 101) - (await timed(place, 1))) / 100);
    return PLACES.map(({ name }, place) => ({ name, stepMs: median(rounds[place]) }));
  } finally {
    await Promise.all(engines.map(({ end }) => end()));
  }
}

async function withMiniflare() {
  const worker = await bundled(fileURLToPath(new URL("programs/durable.mjs", import.meta.url)));
  const miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    ...worker,
    durableObjects: Object.fromEntries(["ShortRuns", "LongRuns"].map((className) => [className, { className, useSQLite: true }])),
    workflows: { Instance: { name: "instance", className: "Instance" } },
    handleRuntimeStdio: () => {},
  });
  const run = async (place, length, id) => {
    for (let method = "POST"; ; method = "GET") {
      const response = await miniflare.dispatchFetch(`http://bench.test/${place}/${length}/${id}`, { method });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${place}: ${answer}`);
      if (JSON.parse(answer).status === "done") return;
    }
  };
  return { run, end: () => miniflare.dispose() };
}

async function withRestate() {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-bench-"));
  const services = await new Services("restate-lengths.script.mjs").start(1);
  const restate = await new Restate(folder).start();
  await restate.register(services.address);
  const run = async (_, length, id) => {
    const { status, body } = await restate.call(`Of${length}`, id, "run", {});
    if (status !== 200 || body.status !== "done") throw new Error(`Restate: ${JSON.stringify(body)}`);
  };
  const end = async () => {
    await restate.kill();
    services.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { run, end };
}
