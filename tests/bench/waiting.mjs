// The memory of runs that wait: `node --expose-gc tests/bench/waiting.mjs [runs] [memory|file]`, in plain Node, behind `stepweave/http`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Workflow } from "stepweave";
import { bearer, handler, poller } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";

const [runs = "10000", kind = "file"] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(runs) || !["file", "memory"].includes(kind)) throw new Error("write: node --expose-gc tests/bench/waiting.mjs [runs] [memory|file]");
const RUNS = Number(runs);
const TOKEN = "a-token-of-more-than-sixteen-characters";
const DAY = 86_400_000;

const folder = await mkdtemp(join(tmpdir(), "stepweave-waiting-"));
const store = kind === "file" ? fileStore(folder) : memoryStore();
// The clock of the runs is behind, until their time is to have come.
const clock = { daysAgo: 30, now: () => Date.now() - clock.daysAgo * DAY, sleep: (ms) => new Promise((resolve) => ms > 0 || resolve()) };
let [woken, last] = [0, () => {}];
const workflow = new Workflow({
  name: "remind",
  input: { type: "object", properties: { order: { type: "number" } } },
  steps: [{ name: "rest", wait: { ms: 20 * DAY } }, { name: "mail", run: () => void ((woken += 1) === RUNS && last()) }],
});
const serve = handler(workflow, { authorize: bearer({ shop: TOKEN }), store, run: { clock, longWaitMs: 1000 }, maxRuns: RUNS });

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const shown = (when) => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  console.log(`${when}: resident ${megabytes(rss)}, heap ${megabytes(heapUsed)}, outside of it ${megabytes(external)}`);
  return heapUsed + external;
};
const seconds = async (what, work) => {
  const began = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
};

console.log(`Node ${process.versions.node}, ${RUNS} runs, ${kind} store`);
try {
  await (await serve(new Request("https://flow.example/openapi.json"))).text();
  const before = shown("before");
  await seconds("all of them begun", async () => {
    for (let begun = 0; begun < RUNS; begun += 100) {
      await Promise.all(Array.from({ length: Math.min(100, RUNS - begun) }, async (_, index) => {
        const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body: JSON.stringify({ order: begun + index }) }));
        if (response.status !== 202) throw new Error(await response.text());
        await response.text();
      }));
    }
  });
  const waiting = shown("waiting");
  console.log(`for each run that waits: ${Math.round((waiting - before) / RUNS)} bytes`);
  clock.daysAgo = 0;
  await seconds("all of them woken", async () => {
    const all = new Promise((resolve) => (last = resolve));
    const polling = poller(serve, { store });
    await all;
    await polling.stop();
  });
  shown("after");
} finally {
  await rm(folder, { recursive: true, force: true });
}
