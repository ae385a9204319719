// Engines that do not do what runDurably() needs: the error says what to do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { restateHandlers, runDurably, runInCloudflare } from "stepweave/durable";
import { rejection } from "./support.js";

const workflow = new Workflow({ name: "d", steps: [{ name: "a", run: () => ({ a: 1 }) }, { name: "boss", type: "approval", message: "ok?" }] });

/** An engine that keeps nothing, but for what is wrong with it. */
const run = (wrong) =>
  runDurably({ perform: (_, call) => call(), sleepUntil: async () => {}, waitFor: async () => ({ boss: 1 }), ...wrong }, workflow, { id: "x" });

/** What is given instead of the text of this key. */
const instead = (key, given) => ({ perform: async (asked, call) => (asked === key ? given : call()) });

for (const key of ["document", "journal 1"]) {
  for (const given of [undefined, null, 7, "", "garbage", ".", ".garbage", "b.garbage", "b.7", "r.garbage", "c."]) {
    test(`an engine that keeps ${JSON.stringify(given)} under "${key}" is reported`, async () => {
      const error = await rejection(run(instead(key, given)));
      assert.deepEqual([error.code, error.message], ["validation", "the engine gives something else than what the run had it keep"]);
      assert.match(error.hint, /`perform`/);
    });
  }
}

test("an option that is none of a run on an engine is refused, and what is meant is said", async () => {
  const engine = { perform: assert.fail, sleepUntil: assert.fail, waitFor: assert.fail };
  const step = { do: assert.fail, sleep: assert.fail, waitForEvent: assert.fail };
  const durably = (options) => runDurably(engine, workflow, { id: "a", ...options });
  const inCloudflare = (options) => runInCloudflare(workflow, { instanceId: "a" }, step, options);
  const onRestate = async (options) => restateHandlers(workflow, { TerminalError: Error, ...options });
  for (const [of, start] of [["runDurably()", durably], ["runInCloudflare()", inCloudflare], ["restateHandlers()", onRestate]]) {
    const { code, message, hint } = await rejection(start({ maxStep: 3 }));
    assert.deepEqual([code, message, hint], ["validation", `${of} has no option \`maxStep\``, "did you mean `maxSteps`?"]);
    for (const taken of ["store", "journal", "replay", "from", "signal", "answers"]) {
      const { message, hint } = await rejection(start({ [taken]: {} }));
      assert.equal(message, `${of} has no option \`${taken}\``);
      assert.match(hint, /^did you mean `|^use .*maxSteps, answersPerStep, document, (?:state, )?secrets, fetch, /);
    }
  }
});

test("what is missing of a Cloudflare Workflow is said in the words of who called it", async () => {
  const step = { do: (_, __, call) => call(), sleep: async () => {}, waitForEvent: async () => ({ payload: {} }) };
  for (const [given, message] of [[[{}, { instanceId: "i" }, step], "runInCloudflare() needs a workflow: what it was given has no start()"], [[new Workflow({ name: "w", steps: [] }), { instanceId: "i" }, {}], "runInCloudflare() needs the step of a Cloudflare Workflow: what it was given has no do()"]]) {
    const { code, message: said } = await rejection(runInCloudflare(...given));
    assert.deepEqual([code, said], ["validation", message]);
  }
});

test("a run goes on waiting after an answer to nothing that it asks, and after an engine that wakes it early, wherever it crashes", async () => {
  let paid = 0;
  const asking = new Workflow({
    name: "pay",
    steps: [
      { name: "boss", type: "approval", message: "Pay?", steps: [{ name: "pay", run: () => ({ paid: ++paid }) }] },
      { name: "nap", wait: { ms: 30 } },
      { name: "check", type: "approval", message: "Right?", steps: [{ name: "done", run: () => ({ right: true }) }] },
    ],
  });
  const yes = { approved: true };
  // A misspelt key, nothing, an answer that does not fit, and one that came twice.
  const given = [{ bos: yes }, undefined, {}, { boss: "yes" }, {}, { boss: yes }, { boss: yes }, { check: yes }];
  const kept = new Map();
  let result;
  for (let life = 0; result === undefined && life < 100; life += 1) {
    let steps = 0;
    const once = async (key, make) => {
      if (kept.has(key)) return kept.get(key);
      if ((steps += 1) > 1) throw new Error("the process has ended");
      kept.set(key, await make());
      return kept.get(key);
    };
    const engine = {
      perform: once,
      sleepUntil: (key) => once(key, () => new Promise((resolve) => setTimeout(resolve, 10))),
      waitFor: (key) => once(key, () => given.shift()),
    };
    result = await runDurably(engine, asking, { id: "order-17" }).catch((error) => assert.equal(error.message, "the process has ended"));
  }
  assert.deepEqual([result.status, result.state.right, paid, given], ["done", true, 1, []]);
});
