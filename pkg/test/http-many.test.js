// Thousands of served runs that wait at once: what they take, by the calls of their store, and in which order they wake.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { bearer, handler, poller } from "stepweave/http";
import { memoryStore } from "stepweave/stores";

const ANN = "ann-has-a-token-of-32-characters";
const RUNS = 3_000;
const DAY = 86_400_000;

test(`${RUNS} runs that wait wake in the order of their times, and each is read once for that`, async () => {
  const [work, kept, woken] = [{ load: 0, append: 0, list: 0 }, memoryStore(), []];
  const store = { ...kept, ...Object.fromEntries(Object.keys(work).map((name) => [name, (...given) => { work[name] += 1; return kept[name](...given); }])) };
  const clock = { daysAgo: 30, now: () => Date.now() - clock.daysAgo * DAY, sleep: (ms) => new Promise((resolve) => ms > 0 || resolve()) };
  let last;
  const all = new Promise((resolve) => (last = resolve));
  const base = Date.now() - 20 * DAY;
  const workflow = new Workflow({
    name: "remind",
    input: { type: "object", properties: { order: { type: "number" }, at: { type: "number" } } },
    steps: [{ name: "rest", wait: { until: "at" } }, { name: "mail", run: ({ order }) => void (woken.push(order) === RUNS && last()) }],
  });
  const serve = handler(workflow, { authorize: bearer({ ann: ANN }), store, run: { clock, longWaitMs: 1000 } });
  const begin = async (order) => {
    const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` }, body: JSON.stringify({ order, at: base + order * 1000 }) }));
    assert.equal(response.status, 202);
    await response.body.cancel();
  };
  for (let begun = 0; begun < RUNS; begun += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => begin(((begun + index) * 7919) % RUNS)));
  assert.ok(work.append <= 4 * RUNS + 100, `${work.append} appends`);
  for (const name of Object.keys(work)) work[name] = 0;
  clock.daysAgo = 0;
  const polling = poller(serve, { store, everyMs: 2 ** 31 - 1 });
  await all;
  await polling.stop();
  assert.deepEqual([woken.length, new Set(woken).size], [RUNS, RUNS], "each wakes once");
  // A hundred go at a time.
  for (const [index, order] of woken.entries()) assert.ok(Math.abs(index - order) <= 100, `${order} comes as number ${index}`);
  assert.ok(work.list <= 8, `the store is looked through once for all of them: ${work.list} pages`);
  assert.ok(work.load <= RUNS * 1.02 + 20, `${work.load} journals are read`);
  assert.ok(work.append <= 3 * RUNS + 300, `${work.append} appends`);
});
