// Runs on Restate's own server, behind three services that are killed again and again.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Counting } from "./counting.mjs";
import { OPERATIONS, ORDER } from "./programs/restate-steps.mjs";
import { Restate, Services } from "./restate.mjs";

/** So many runs go on at once, and so many calls are cut off in the middle. */
const RUNS = 30;
const INTERRUPTIONS = Number(process.env.KILLS ?? 300);

let folder;
let counting;
let services;
let restate;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-restate-"));
  counting = await new Counting(() => 20 + Math.random() * 60).start();
  services = await new Services("restate.script.mjs", counting.origin).start(3);
  restate = await new Restate(folder).start();
  await restate.register(services.address);
});

after(async () => {
  await restate?.kill();
  services?.stop();
  counting?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Resolves when the condition gives something. */
async function until(condition) {
  for (;;) {
    const found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("a run waits for a person, says for what, refuses an answer to nothing, and gives its state", { timeout: 60_000 }, async () => {
  await restate.call("Asking", "a1", "run", { name: "Ada" }, "/send");
  const [pending] = (await until(async () => { const { body } = await restate.call("Asking", "a1", "pending"); return body?.length > 0 && [body[0]]; }));
  assert.deepEqual([pending.key, pending.message], ["boss", "Go on, Ada?"]);
  const wrong = await restate.call("Asking", "a1", "answer", { chief: true });
  assert.deepEqual([wrong.status, wrong.body.message], [400, "the run waits for boss"]);
  assert.equal((await restate.call("Asking", "a1", "answer", { boss: { approved: true } })).status, 200);
  const { body } = await until(() => restate.output("Asking", "a1"));
  assert.deepEqual(body, { status: "done", state: { name: "Ada", boss_output: { approved: true } } });
  const late = await restate.call("Asking", "a1", "answer", { boss: true });
  assert.deepEqual([late.status, late.body.message], [409, "the run waits for nobody"]);
});

test("a run that nobody answers in time goes on without an answer", { timeout: 60_000 }, async () => {
  const { body } = await restate.call("Expiring", "e1", "run", {});
  assert.deepEqual([body.status, body.state.reminded], ["done", true]);
  assert.deepEqual((await restate.call("Expiring", "e1", "pending")).body, []);
});

test("a run that fails is not tried again, and says why", { timeout: 60_000 }, async () => {
  const { status, body } = await restate.call("Failing", "f1", "run", {});
  assert.deepEqual([status, body.message], [500, "handler: the bank is closed"]);
});

test(`of runs whose calls are cut off ${INTERRUPTIONS} times no call that was kept is repeated, and none is lost`, { timeout: 600_000 }, async () => {
  const total = { runs: 0, interruptions: 0, services: 0, servers: 0 };
  for (let round = 0; total.interruptions < INTERRUPTIONS; round += 1) {
    const runs = Array.from({ length: RUNS }, (_, index) => `r${round}-${index}`);
    await Promise.all(runs.map((run) => restate.call("Killed", run, "run", { run }, "/send")));
    const open = new Set(runs);
    for (let kills = 0; open.size > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
      if (kills < 12 && total.interruptions < INTERRUPTIONS) {
        kills += 1;
        total.interruptions += counting.underWay;
        if (kills % 6 === 0) {
          // The server, too, goes on with what it has kept.
          total.servers += 1;
          await restate.kill();
          await restate.start();
        } else {
          total.services += 1;
          await services.kill();
        }
      }
      await Promise.all([...open].map(async (run) => {
        const output = await restate.output("Killed", run).catch(() => undefined);
        if (output !== undefined) {
          assert.equal(output.body.state?.last, `did ${run}/last`, JSON.stringify(output));
          open.delete(run);
        } else if (counting.of(`${run}/each#3/each.one`).length > 0 && counting.of(`${run}/last`).length === 0) {
          await restate.call("Killed", run, "answer", { boss: { approved: true } }).catch(() => {});
        }
      }));
    }
    for (const run of runs) assert.deepEqual(OPERATIONS.filter((key) => counting.of(`${run}/${key}`).length === 0), [], `${run}: nothing is lost`);
    total.runs += runs.length;
    // What was followed by another call had been kept: it is never called after that.
    for (const run of runs) {
      for (const sequence of ORDER) {
        for (const [index, key] of sequence.slice(0, -1).entries()) {
          const [arrivals, next] = [counting.of(`${run}/${key}`), counting.of(`${run}/${sequence[index + 1]}`)[0].tick];
          assert.ok(arrivals.every(({ tick }) => tick < next), `${run}/${key} was called again after ${sequence[index + 1]}`);
        }
      }
    }
  }
  const keys = new Map(counting.arrivals.map(({ operation, key }) => [operation, key]));
  for (const { operation, key } of counting.arrivals) assert.equal(key, keys.get(operation), `${operation} has one idempotency key`);
  assert.ok(counting.arrivals.length > keys.size, "something was cut off");
  console.log(`${JSON.stringify(total)}, ${counting.arrivals.length} calls of ${keys.size} operations`);
});
