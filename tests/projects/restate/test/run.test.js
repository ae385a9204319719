// What becomes of a run here, without the outside: every request that the workflow sends is refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import document from "../workflow.json" with { type: "json" };
import answers from "./answers.json" with { type: "json" };
import input from "./input.json" with { type: "json" };
import { post, serve } from "./serve.js";

/** Whether the workflow has steps that wait for a time. */
const waits = false;
/** What the workflow has to be given, and nothing could be made up for. */
const missing = (document.input?.required ?? []).filter((key) => !Object.hasOwn({ ...document.initialState, ...input }, key));
let served;
before(async () => {
  served = await serve();
});
after(() => served?.stop());

const call = async (handler, body) => {
  const response = await post(`${served.ingress}/gr-e-co-orders-x-name/first/${handler}`, body);
  const text = await response.text();
  return { http: response.status, body: text === "" ? undefined : JSON.parse(text) };
};

/** What the run gave, once it has ended. */
async function output() {
  const response = await fetch(`${served.ingress}/restate/workflow/gr-e-co-orders-x-name/first/output`);
  return response.status === 470 ? undefined : { http: response.status, body: await response.json() };
}

test("a run is started, answered, and gets as far as it can without the outside", { timeout: 60_000 }, async () => {
  assert.deepEqual(missing, [], `write ${missing.join(", ")} into test/input.json, as "input" of workflow.json describes it: no value could be made up`);
  const started = await call("run/send", input);
  assert.ok(started.http < 300, JSON.stringify(started));
  const given = new Set();
  for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((later) => setTimeout(later, 50))) {
    const ended = await output();
    // A failure is the workflow's own, unless the test has refused what it needs.
    if (ended?.http >= 400) return assert.ok(served.refused.length > 0, `the run failed, and not for a request that the test refused (is test/input.json what this workflow can work with?): ${JSON.stringify(ended)}`);
    if (ended !== undefined) return assert.equal(ended.body.status, "done");
    const pending = (await call("pending")).body.filter(({ key }) => !given.has(key));
    const [next] = pending.filter(({ key }) => Object.hasOwn(answers, key));
    // It waits for an answer that test/answers.json does not have.
    if (next === undefined && pending.length > 0) return;
    if (next === undefined) continue;
    given.add(next.key);
    const answered = await call("answer", { [next.key]: answers[next.key] });
    assert.ok(answered.http < 300, `test/answers.json has no answer that fits: ${JSON.stringify(answered)}`);
  }
  assert.ok(waits, "the run is still under way after 20 seconds");
});
