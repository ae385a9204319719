// What inspect() and `stepweave inspect` say of steps whose last entry is no answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "../dist/entry-inline.js";
import { inspect, memoryStore } from "../dist/stores.js";
import { cli, folderWith } from "./cli-support.js";
import { virtualClock } from "./support.js";

const workflow = (...steps) => Workflow.fromDocument({ version: 1, name: "w", steps });
const pays = (more = {}) => ({ id: "1", type: "http", name: "pay", http: { url: "https://pay.test/pay", method: "POST" }, ...more });
const boss = { id: "boss", type: "approval", name: "boss", message: "Pay?", expiresMs: 60_000 };
const nap = { id: "nap", type: "wait", name: "nap", wait: { ms: 60_000 } };
const silent = () => new Promise(() => {});
const copy = (value) => JSON.parse(JSON.stringify(value));

/** The steps of a run, without their times. */
const standing = async (store) => (await inspect(store, "r")).steps.map(({ key, standing, answers, answeredAt, error }) => [key, standing, answers, answeredAt !== undefined, error?.code]);

/** What `stepweave inspect` writes of a journal, as lines without times. */
async function shown(t, store) {
  const folder = folderWith(t, { "r.json": await store.load("r") });
  const { code, stdout } = await cli(folder, ["inspect", "r.json"]);
  assert.equal(code, 0);
  return stdout.trimEnd().split("\n").slice(3).map((line) => line.replace(/at [\d.]+ m?s/, "at T").trim());
}

/** A store in which a run is left as it was once this key was there, as if its process had been killed. */
async function killedAt(key, run) {
  const store = memoryStore();
  const started = run({ store, journal: "r" });
  let journal;
  while (!(journal = await store.load("r"))?.entries.some((entry) => entry.key === key)) await new Promise((resolve) => setTimeout(resolve, 1));
  const left = { load: async () => copy(journal) };
  started.cancel();
  await started.result;
  return left;
}

test("a request that was sent and has no answer is open, with an outcome that nobody knows", async (t) => {
  const left = await killedAt("1/1/http.sent", (options) => workflow(pays()).start({ ...options, fetch: silent }));
  assert.deepEqual(await standing(left), [["1", "sent", 0, false, undefined]]);
  assert.deepEqual(await shown(t, left), ["! 1  sent, no answer so far: its outcome is unknown"]);
});

test("a request that was sent and is answered is answered, also in a later attempt, and with a failure", async () => {
  let calls = 0;
  const answers = [() => new Response("{}", { status: 429, headers: { "retry-after": "1" } }), () => Response.json({ ok: true })];
  const fetch = async () => answers[calls++]();
  const store = memoryStore();
  const { status } = await workflow(pays({ retryCount: 1 })).run({ store, journal: "r", fetch, clock: virtualClock(0) });
  assert.equal(status, "done");
  assert.deepEqual(await standing(store), [["1", "answered", 2, true, undefined]]);
  const failed = memoryStore();
  await workflow(pays()).run({ store: failed, journal: "r", fetch: async () => new Response("no", { status: 400 }) });
  assert.deepEqual((await standing(failed)).map(([, standing, answers]) => [standing, answers]), [["answered", 1]]);
});

test("a wait under way waits, and one that is over has ended", async (t) => {
  const left = await killedAt("nap/1/deadline", (options) => workflow(nap).start({ ...options, clock: { now: () => 0, sleep: silent } }));
  assert.deepEqual(await standing(left), [["nap", "waiting", 0, false, undefined]]);
  assert.deepEqual(await shown(t, left), ["… nap  waits"]);
  const store = memoryStore();
  await workflow(nap).run({ store, journal: "r", clock: virtualClock(0) });
  assert.deepEqual(await standing(store), [["nap", "answered", 1, true, undefined]]);
});

test("an approval with a time waits until it is answered or too late", async (t) => {
  for (const [answers, now] of [[{ boss: true }, 1], [undefined, 60_000]]) {
    const store = memoryStore();
    await workflow(boss).run({ store, journal: "r", clock: virtualClock(0) });
    assert.deepEqual(await standing(store), [["boss", "waiting", 0, false, undefined]]);
    assert.deepEqual(await shown(t, store), ["… boss  waits", "? boss: Pay?"]);
    // A run that finds it open keeps when that was.
    await workflow(boss).run({ store, journal: "r", clock: virtualClock(1) });
    assert.deepEqual(await standing(store), [["boss", "waiting", 0, false, undefined]]);
    await workflow(boss).run({ store, journal: "r", clock: virtualClock(now), answers });
    assert.deepEqual(await standing(store), [["boss", "answered", 1, true, undefined]]);
  }
});

test("a step whose time limit was over has no answer", async (t) => {
  const store = memoryStore();
  const step = { ...pays({ timeoutMs: 20 }), http: { url: "https://pay.test/see", method: "GET" } };
  assert.equal((await workflow(step).run({ store, journal: "r", fetch: silent })).status, "error");
  assert.deepEqual(await standing(store), [["1", "late", 0, false, undefined]]);
  assert.match((await shown(t, store))[0], /^✗ 1 {2}its time limit was over before an answer came$/);
});
