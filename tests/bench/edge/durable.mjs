// What a step costs that outlives its process, in workerd under Miniflare.
import { fileURLToPath } from "node:url";
import { performance } from "node:perf_hooks";
import { Miniflare } from "miniflare";
import { bundled } from "../../edge/worker.mjs";
import { inRounds } from "../rounds.mjs";
import { median } from "../statistics.mjs";

const ROUNDS = 7;
const PLACES = [
  { name: "in the Worker, not kept", place: "worker" },
  { name: "Durable Object", place: "object" },
  { name: "Cloudflare Workflows", place: "instance" },
];

/** Milliseconds that each of a hundred steps adds to a run. */
export async function durables() {
  const worker = await bundled(fileURLToPath(new URL("programs/durable.mjs", import.meta.url)));
  const miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    ...worker,
    durableObjects: Object.fromEntries(["ShortRuns", "LongRuns"].map((className) => [className, { className, useSQLite: true }])),
    workflows: { Instance: { name: "instance", className: "Instance" } },
    handleRuntimeStdio: () => {},
  });
  try {
    let count = 0;
    const timed = async (place, length) => {
      const address = `http://bench.test/${place}/${length}/${(count += 1)}`;
      const started = performance.now();
      let method = "POST";
      for (;;) {
        const response = await miniflare.dispatchFetch(address, { method });
        const answer = await response.text();
        if (!response.ok) throw new Error(`${place}: ${answer}`);
        if (JSON.parse(answer).status === "done") return performance.now() - started;
        method = "GET";
      }
    };
    for (const { place } of PLACES) await timed(place, 101);
    const rounds = await inRounds(ROUNDS, PLACES, async ({ place }) => (await timed(place, 101) - (await timed(place, 1))) / 100);
    return PLACES.map(({ name }, place) => ({ name, stepMs: median(rounds[place]) }));
  } finally {
    await miniflare.dispose();
  }
}
