// Runs as Cloudflare Workflows, in workerd: their process is killed again and again, and the limits of the platform are met.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled } from "../edge/worker.mjs";
import { Counting } from "./counting.mjs";
import { Life } from "./life.mjs";
import { OPERATIONS } from "./programs/steps.mjs";

const NAMES = ["Killed", "Long", "Large"];
/** So many runs go on when their process is killed. */
const RUNS = 40;
const INTERRUPTIONS = Number(process.env.KILLS ?? 300);

let folder;
let worker;
let counting;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-cloudflare-"));
  worker = await bundled(fileURLToPath(new URL("programs/cloudflare.mjs", import.meta.url)));
  counting = await new Counting(() => 30 + Math.random() * 80).start();
});

after(async () => {
  counting.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const started = (name, stepLimit = 1024) =>
  new Life({
    compatibilityDate: "2026-01-01",
    ...worker,
    bindings: { ORIGIN: counting.origin },
    workflows: Object.fromEntries(NAMES.map((className) => [className, { name: className.toLowerCase(), className, stepLimit }])),
    workflowsPersist: join(folder, name),
    handleRuntimeStdio: () => {},
  });

/** The status of an instance, once it has ended. */
async function ended(place, path) {
  for (;;) {
    const status = await (await place.call("GET", path))?.json().catch(() => undefined);
    if (status?.status === "complete" || status?.status === "errored") return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test(`of runs that are interrupted ${INTERRUPTIONS} times no call that was kept is repeated, and none is lost`, { timeout: 240_000 }, async () => {
  const place = started("killed");
  const total = { runs: 0, interruptions: 0, processes: 0 };
  for (let round = 0; total.interruptions < INTERRUPTIONS; round += 1) {
    const runs = Array.from({ length: RUNS }, (_, index) => `r${round}-${index}`);
    await Promise.all(runs.map((run) => place.call("POST", `/Killed/${run}`, { run })));
    const open = new Set(runs);
    for (let kills = 0; open.size > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 500));
      const looks = [...open].map(async (run) => {
        const status = await (await place.call("GET", `/Killed/${run}`))?.json().catch(() => undefined);
        assert.notEqual(status?.status, "errored", JSON.stringify(status));
        if (status?.status === "complete") {
          assert.equal(status.output.state.last, `did ${run}/last`);
          open.delete(run);
        } else if (counting.of(`${run}/each#5/each.one`).length > 0) {
          await place.call("PUT", `/Killed/${run}`, { boss: { approved: true } });
        }
      });
      await Promise.all(looks);
      if (open.size > 0 && kills < 14 && total.interruptions < INTERRUPTIONS) {
        kills += 1;
        total.processes += 1;
        total.interruptions += open.size;
        await place.restart();
        await Promise.all([...open].map((run) => place.call("PATCH", `/Killed/${run}`)));
      }
    }
    for (const run of runs) assert.deepEqual(OPERATIONS.filter((key) => counting.of(`${run}/${key}`).length === 0), [], `${run}: nothing is lost`);
    total.runs += runs.length;
  }
  await place.leave();
  // A step whose follower was called had been kept: it is never called after that.
  for (const first of counting.arrivals.filter(({ operation }) => operation.endsWith("/first"))) {
    const run = first.operation.split("/")[0];
    const sequence = ["first", "both.lane.middle", "both.lane.right", "each#0/each.one", "again#0/again.round", "again#1/again.round", "again#2/again.round", "last"].map((key) => counting.of(`${run}/${key}`));
    for (const [index, arrivals] of sequence.slice(0, -1).entries()) {
      const next = sequence[index + 1][0].tick;
      assert.ok(arrivals.every(({ tick }) => tick < next), `${arrivals[0].operation} was called again after what follows it`);
    }
  }
  const keys = new Map(counting.arrivals.map(({ operation, key }) => [operation, key]));
  for (const { operation, key } of counting.arrivals) assert.equal(key, keys.get(operation));
  console.log(`${JSON.stringify(total)}, ${counting.arrivals.length} calls of ${keys.size} operations`);
});

test("a foreach of 5,000 takes fewer steps when items run at once, or their answers are kept together, and says so where it takes too many", { timeout: 60_000 }, async () => {
  const place = started("long");
  await place.call("POST", "/Long/wide", { concurrency: 50 });
  await place.call("POST", "/Long/kept", { concurrency: 1, answersPerStep: 50 });
  await place.call("POST", "/Long/much", { concurrency: 1, maxSteps: 200 });
  for (const id of ["wide", "kept"]) assert.equal((await ended(place, `/Long/${id}`)).output?.state.sum, 4999 * 5000);
  const { status, error } = await ended(place, "/Long/much");
  assert.equal(status, "errored");
  assert.match(error.message, /the run takes more than 200 steps of its engine/);
  await place.leave();
});

test("an answer that is larger than a result of the platform is kept in pieces, and a state that is larger is refused", { timeout: 60_000 }, async () => {
  const place = started("large");
  await place.call("POST", "/Large/a", {});
  await place.call("POST", "/Large/b", { keep: true });
  const { output } = await ended(place, "/Large/a");
  assert.deepEqual([output.state.length, output.state.text], [900_000, "ä😀"]);
  assert.match((await ended(place, "/Large/b")).error.message, /the state at the end of the run is larger than the platform keeps/);
  await place.leave();
});
