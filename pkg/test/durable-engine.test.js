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
