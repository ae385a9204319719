// Tests of workflows that wait, without waiting.
import assert from "node:assert/strict";
import { pbkdf2 } from "node:crypto";
import { test } from "node:test";
import { Agent, Workflow } from "stepweave";
import { runTests, scriptedModel, testClock } from "stepweave/testing";

const DAY_MS = 86_400_000;
const agent = () => new Agent({ name: "a", model: scriptedModel(["hello"]) });

// The first of this file, since what it waits for is read only once.
test("no time passes while what a step needs is read, however long that takes", async () => {
  // Reading a file waits until one of these is over.
  for (let thread = 0; thread < 4; thread += 1) pbkdf2("any", "salt", 700_000, 64, "sha512", () => {});
  const workflow = new Workflow({ name: "w", steps: [{ name: "say", agent: agent(), inputFrom: "x", timeoutMs: DAY_MS }] });
  const { status, error } = await workflow.run({ clock: testClock() });
  assert.equal(status, "done", error?.message);
});

test("a run waits for days at once, and its limits hold", async () => {
  const workflow = new Workflow({ name: "w", steps: [{ name: "say", agent: agent(), inputFrom: "x", timeoutMs: DAY_MS }, { name: "pause", wait: { ms: 3 * DAY_MS } }, { name: "late", required: false, timeoutMs: 1000, run: () => new Promise(() => {}) }] });
  const clock = testClock(5);
  const { status, state, errors } = await workflow.run({ clock });
  assert.deepEqual([status, state.say_output, errors.map(({ code }) => code)], ["done", "hello", ["timeout"]]);
  assert.equal(clock.now(), 5 + 3 * DAY_MS + 1000);
});

test("a clock needs a time to begin with", () => {
  assert.throws(() => testClock("now"), { code: "validation", message: 'testClock() begins at "now"' });
});

const asking = () =>
  new Workflow({
    name: "ask",
    steps: [
      { name: "pause", wait: { ms: DAY_MS } },
      { name: "boss", type: "approval", message: "Go on?", expiresMs: DAY_MS, steps: [{ name: "yes", run: () => ({ said: "yes" }) }], expired: [{ name: "late", run: () => ({ said: "nothing" }) }] },
      { name: "second", type: "approval", message: "And this?", schema: { type: "string" } },
    ],
  });

test("tests run in the time of a clock", async () => {
  const answers = { boss: { approved: true }, second: "fine" };
  const [answered, waits] = await runTests(asking(), [{ name: "answered", answers, assert: [{ equals: "yes", of: "said" }] }, { name: "waits", status: "suspended" }], { clock: testClock() });
  assert.deepEqual([answered.passed, waits.passed], [true, true]);
  assert.ok(answered.durationMs >= DAY_MS);
});

test("a test says that nobody answers in time", async () => {
  const results = await runTests(asking(), [
    { name: "late", expired: true, answers: { second: "fine" }, assert: [{ equals: "nothing", of: "said" }, { equals: "fine", of: "second_output" }] },
    { name: "no end by itself", expired: true, status: "suspended", assert: [{ equals: "nothing", of: "said" }] },
  ], { clock: testClock() });
  assert.deepEqual(results.map(({ passed, assertions }) => [passed, assertions.filter((one) => !one.passed)]), [[true, []], [true, []]]);
  await assert.rejects(runTests(asking(), [{ name: "x", expired: 1 }]), { code: "validation", message: "cases[0] has an `expired` that is a number" });
});
