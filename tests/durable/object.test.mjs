// Runs in Durable Objects, in workerd: killed, evicted, woken by their alarms, and followed late.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled } from "../edge/worker.mjs";
import { between, generator, pick } from "../kill/random.mjs";
import { Counting } from "./counting.mjs";
import { Life } from "./life.mjs";
import { OPERATIONS } from "./programs/steps.mjs";

const AUTHORIZED = { authorization: "Bearer a-token-of-more-than-sixteen-characters" };
/** How often objects are evicted in the middle, and the process that runs them all is killed. */
const [EVICTIONS, PROCESSES] = [300, 12];
const OBJECTS = ["Killed", "Sleeper", "Large", "Operated", "Asking"];

let folder;
let worker;
let counting;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-durable-"));
  worker = await bundled(fileURLToPath(new URL("programs/object.mjs", import.meta.url)));
  counting = await new Counting(() => Math.random() * 6).start();
});

after(async () => {
  counting.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A place where objects live. */
const placeOf = (name) =>
  new Life(
    {
      compatibilityDate: "2026-01-01",
      ...worker,
      bindings: { ORIGIN: counting.origin },
      durableObjects: Object.fromEntries(OBJECTS.map((name) => [name, { className: name, useSQLite: true }])),
      durableObjectsPersist: join(folder, name),
      handleRuntimeStdio: () => {},
    },
    AUTHORIZED,
  );

/** What an object says of its run; again until it says something, as it may be evicted while it is called. */
async function shown(place, at) {
  for (;;) {
    const response = await place.call("GET", at);
    const state = response !== undefined && response.status < 500 ? await response.json().catch(() => undefined) : undefined;
    if (state !== undefined) return state;
  }
}

/** Reads the events of a run until they end or are cut off. */
async function follow(place, at, run, seen) {
  const response = await place.call("GET", `${at}/events`, undefined, seen.last === undefined ? {} : { "last-event-id": seen.last });
  if (response === undefined || response.status !== 200) return response?.body?.cancel();
  let text = "";
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data);
        seen.last = /^id: (.*)$/m.exec(part)?.[1] ?? seen.last;
        if (event.type === "step.done" && OPERATIONS.includes(event.step.key)) counting.acknowledge(`${run}/${event.step.key}`);
      }
    }
  } catch {
    // Evicted in the middle.
  }
}

/** All events that a run that has ended gives to a late caller; again where the process is killed meanwhile. */
async function eventsOf(place, at) {
  for (;;) {
    const text = await (await place.call("GET", `${at}/events`))?.text().catch(() => undefined);
    if (text?.includes("event: run.done")) return text;
  }
}

/** Starts a run under a key, whatever becomes of the response; the same key is the same run. */
async function begin(place, object, run) {
  for (;;) {
    const response = await place.call("POST", `${object}/runs`, { run }, { "idempotency-key": run, prefer: "respond-async" });
    const { runId } = (await response?.json().catch(() => undefined)) ?? {};
    if (runId !== undefined) return `${object}/runs/${runId}`;
  }
}

/** Drives one run to its end as its callers would, and takes what its listeners receive. */
async function live(place, object, run) {
  const at = await begin(place, object, run);
  const seen = {};
  for (;;) {
    await follow(place, at, run, seen);
    const state = await shown(place, at);
    if (state.status === "done") return { at, state };
    assert.ok(state.status === "running" || state.status === "suspended" || state.code === "conflict", `${run}: ${JSON.stringify(state)}`);
    if (state.pending?.length > 0) await (await place.call("POST", `${at}/answers`, { boss: { approved: true } }, { prefer: "respond-async" }))?.text().catch(() => {});
    // The alarm resumes it after the wait.
    else await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

test(`of runs that are evicted or killed ${EVICTIONS + PROCESSES} times no acknowledged call is repeated, and none is lost`, { timeout: 240_000 }, async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = generator(seed);
  const place = placeOf("killed");
  const total = { runs: 0, evictions: 0, processes: 0, repeated: 0, acknowledged: 0 };
  let isRestarting;
  const lane = async (number) => {
    for (let round = 0; total.evictions < EVICTIONS || total.processes < PROCESSES; round += 1) {
      const object = `/Killed/o${number}.${round}`;
      const runs = [0, 1].map((index) => `r${number}.${round}.${index}`);
      let isOver = false;
      const lives = Promise.all(runs.map((run) => live(place, object, run))).finally(() => { isOver = true; });
      lives.catch(() => {});
      for (let kills = 0; !isOver && kills < 12; kills += 1) {
        await new Promise((resolve) => setTimeout(resolve, random() * 25));
        if (isOver) break;
        await isRestarting;
        if (total.evictions >= ((total.processes + 1) * EVICTIONS) / PROCESSES) {
          total.processes += 1;
          await (isRestarting = place.restart());
        } else {
          total.evictions += 1;
          await (await place.call("GET", `${object}/abort`))?.text().catch(() => {});
        }
      }
      for (const [index, { at, state }] of (await lives).entries()) {
        const run = runs[index];
        const missing = OPERATIONS.filter((key) => counting.of(`${run}/${key}`).length === 0);
        assert.deepEqual(missing, [], `${run}, seed ${seed}: nothing is lost`);
        assert.equal(state.state.last, `did ${run}/last`);
        // A late caller receives all of it, once.
        const late = await eventsOf(place, at);
        assert.equal(late.match(/^event: run\.done$/gm)?.length, 1);
        assert.deepEqual(OPERATIONS.filter((key) => late.split("\n").filter((line) => line.includes('"type":"step.done"') && line.includes(`"key":"${key}"`)).length !== 1), []);
        total.runs += 1;
      }
    }
  };
  await Promise.all([0, 1, 2].map(lane));
  await place.leave();
  for (const [operation, tick] of counting.done) {
    const repeated = counting.of(operation).filter((arrival) => arrival.tick > tick);
    assert.deepEqual(repeated, [], `${operation} was called again after it was said to be done (seed ${seed})`);
    total.acknowledged += 1;
  }
  const operations = new Map(counting.arrivals.map(({ operation, key }) => [operation, key]));
  for (const { operation, key } of counting.arrivals) assert.equal(key, operations.get(operation), `${operation} has one idempotency key`);
  total.repeated = counting.arrivals.length - operations.size;
  assert.ok(total.acknowledged > total.runs && total.repeated > 0, "something was acknowledged, and something was cut off");
  console.log(`seed ${seed}: ${JSON.stringify(total)}, ${counting.arrivals.length} calls`);
});

test("waiting runs wake by themselves in their order, in a new process too, without a request", { timeout: 60_000 }, async () => {
  const place = placeOf("sleeping");
  const RUNS = 200;
  const base = Date.now() + 12_000;
  const orders = [...Array(RUNS).keys()].map((index) => (index * 73) % RUNS);
  for (let begun = 0; begun < RUNS; begun += 20) {
    const asleep = orders.slice(begun, begun + 20).map(async (order) => (await place.call("POST", "/Sleeper/bed/runs", { run: `sleeper-${order}`, ms: base + order * 5 })).json());
    for (const { status } of await Promise.all(asleep)) assert.equal(status, "suspended");
  }
  assert.ok(Date.now() < base, "all of them wait");
  await place.restart();
  const own = () => counting.arrivals.filter(({ operation }) => operation.startsWith("sleeper-")).map(({ operation }) => Number(operation.slice("sleeper-".length)));
  while (own().length < RUNS) await new Promise((resolve) => setTimeout(resolve, 50));
  const woken = own();
  assert.equal(new Set(woken).size, RUNS, "each wakes once");
  assert.equal(woken.length, RUNS);
  // Those that are woken together call together.
  for (const [index, order] of woken.entries()) assert.ok(Math.abs(index - order) <= 100, `${order} comes as number ${index}`);
  // The last answers are on their way.
  for (let ended = 0; ended < RUNS; ) ended = (await (await place.call("GET", "/Sleeper/bed/runs?status=done&limit=1000")).json()).runs.length;
  await place.leave();
});

test("a result that is larger than a row is kept in pieces, and one can cancel what waits", async () => {
  const place = placeOf("large");
  const waiting = await (await place.call("POST", "/Large/a/runs")).json();
  assert.equal(waiting.pending[0].key, "boss");
  await (await place.call("GET", "/Large/a/abort"))?.text().catch(() => {});
  const done = await (await place.call("POST", `/Large/a/runs/${waiting.runId}/answers`, { boss: { approved: true } })).json();
  assert.deepEqual([done.status, done.state.length, done.state.text], ["done", 3_600_000, "ä😀"]);
  const other = await (await place.call("POST", "/Large/a/runs")).json();
  await place.restart();
  assert.equal((await place.call("DELETE", `/Large/a/runs/${other.runId}`)).status, 204);
  assert.equal((await (await place.call("GET", `/Large/a/runs/${other.runId}`)).json()).code, "cancelled");
  assert.equal((await place.call("GET", "/Large/a/runs", undefined, { authorization: "Bearer another-token-altogether" })).status, 401);
  await place.leave();
});

test("a Worker resumes a run that has failed by a method of its object, and no caller does", async () => {
  const place = placeOf("operated");
  const key = { "idempotency-key": "once" };
  const failed = await (await place.call("POST", "/Operated/a/runs", {}, key)).json();
  assert.equal(failed.code, "handler");
  assert.equal((await place.call("POST", `/Operated/a/runs/${failed.runId}/resume`)).status, 404);
  const { id, status, owner } = await (await place.call("GET", `/Operated/a/resume/${failed.runId}`)).json();
  assert.deepEqual([id, status, owner], [failed.runId, "done", "tester"]);
  const again = await (await place.call("POST", "/Operated/a/runs", {}, key)).json();
  assert.deepEqual([again.runId, again.state], [failed.runId, { failures: 2 }]);
  assert.deepEqual(await (await place.call("GET", "/Operated/a/kept")).json(), { hasContext: true, origin: counting.origin });
  await place.leave();
});

test("an object that is evicted while it asks people does so once more, without a request", { timeout: 90_000 }, async () => {
  const place = placeOf("asking");
  const { runId } = await (await place.call("POST", "/Asking/a/runs")).json();
  const asked = () => counting.of(`asking ${runId}`).map(({ key }) => key);
  while (asked().length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await (await place.call("GET", "/Asking/a/abort"))?.text().catch(() => {});
  while (asked().length < 2) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(asked(), ["boss", "boss"]);
  await place.leave();
});
