// Endpoints that send nothing do not hold a run for ever, though nobody has said how long they may take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { answering, END, piece, turn } from "./support.js";

const document = (limits) => ({ version: 1, name: "w", ...(limits && { limits }), models: { m: { provider: "openai", model: "m", baseUrl: "https://llm.test/v1" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] });
const never = () => new Promise(() => {});

/** After how many milliseconds the run is over, and of what; nothing when that is not within an hour. */
async function ended(mock, fetch, limits) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const run = Workflow.fromDocument(document(limits)).start({ fetch });
  let result;
  run.result.then((value) => (result = value));
  await turn();
  for (let passed = 0; passed < 3_600_000; passed += 30_000) {
    if (result !== undefined) return [passed, result.errors[0].code, result.errors[0].message, result.errors[0].retryable];
    mock.timers.tick(30_000);
    await turn();
  }
  run.cancel();
  return undefined;
}

// What looks at addresses is loaded before time stands still.
await Workflow.fromDocument(document()).run({ fetch: answering([piece("ok"), END]) });

test("an endpoint has five minutes for its first byte, and two for each of the later ones", async ({ mock }) => {
  const silent = (ms) => ["timeout", `https://llm.test sent nothing for ${ms} ms`, true];
  assert.deepEqual(await ended(mock, never), [300_000, ...silent(300_000)]);
  assert.deepEqual(await ended(mock, answering([never])), [300_000, ...silent(300_000)]);
  assert.deepEqual((await ended(mock, answering([never], { status: 500 }))).slice(0, 2), [300_000, "model"]);
  assert.deepEqual(await ended(mock, answering([": waiting\n\n", never])), [120_000, ...silent(120_000)]);
  assert.deepEqual(await ended(mock, answering([piece("one "), never])), [120_000, ...silent(120_000)]);
});

test("limits that say more give an endpoint more time", async ({ mock }) => {
  assert.equal((await ended(mock, never, { firstTokenMs: 1_200_000 }))[0], 1_200_000);
  assert.equal((await ended(mock, answering([piece("one "), never]), { idleMs: 600_000 }))[0], 600_000);
  assert.equal((await ended(mock, answering([piece("one "), never]), { firstTokenMs: 1000 }))[0], 120_000);
  assert.equal((await ended(mock, never, { idleMs: 1000 }))[0], 300_000);
});

test("an endpoint is given up that is silent: its request is aborted, and no timer is left", async ({ mock }) => {
  let signal;
  await ended(mock, (_, init) => { signal = init.signal; return never(); });
  assert.equal(signal.aborted, true);
  mock.timers.reset();
  const run = Workflow.fromDocument(document()).start({ fetch: never });
  await turn();
  const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  assert.equal(before, 1);
  run.cancel();
  await run.result;
  await turn();
  assert.equal(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length, 0);
});
