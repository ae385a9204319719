// What becomes of a run here, without the outside: every request that the workflow sends is refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import document from "../workflow.json" with { type: "json" };
import answers from "./answers.json" with { type: "json" };
import input from "./input.json" with { type: "json" };
import { serve } from "./serve.js";

const TOKEN = "a-token-of-the-tests-and-of-nobody-else";
/** Whether the workflow has steps that wait for a time. */
const waits = false;
/** What the workflow has to be given, and nothing could be made up for. */
const missing = (document.input?.required ?? []).filter((key) => !Object.hasOwn({ ...document.initialState, ...input }, key));
let served;
before(async () => {
  served = await serve({ ACCESS_TOKEN: TOKEN });
});
after(() => served?.stop());

async function call(method, path, body, token = TOKEN) {
  const init = { method, headers: { authorization: `Bearer ${token}`, prefer: "respond-async" }, ...(body && { body: JSON.stringify(body) }) };
  const response = await served.fetch(`https://runs.test${path}`, init);
  return { status: response.status, ...(await response.json()), http: response.status };
}

test("nobody starts a run without the token", async () => {
  assert.equal((await call("POST", "/runs", input, "another-token-than-that-of-the-owner")).http, 401);
});

test("a run is started, answered, and gets as far as it can without the outside", { timeout: 60_000 }, async () => {
  assert.deepEqual(missing, [], `write ${missing.join(", ")} into test/input.json, as "input" of workflow.json describes it: no value could be made up`);
  const started = await call("POST", "/runs", input);
  assert.equal(started.http, 202, `test/input.json is no input of this workflow: ${JSON.stringify(started)}`);
  const given = new Set();
  for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((later) => setTimeout(later, 50))) {
    const run = await call("GET", `/runs/${started.runId}`);
    // A failure is the workflow's own, unless the test has refused what it needs.
    if (run.http >= 400) return assert.ok(served.refused.length > 0, `the run failed, and not for a request that the test refused (is test/input.json what this workflow can work with?): ${JSON.stringify(run)}`);
    if (run.status === "running" && !served.takesAhead) continue;
    if (!["running", "suspended"].includes(run.status)) return assert.equal(run.status, "done");
    const keys = served.takesAhead ? Object.keys(answers) : run.pending.map(({ key }) => key);
    const next = keys.find((key) => !given.has(key) && Object.hasOwn(answers, key));
    // It waits for a time, or for an answer that test/answers.json does not have.
    if (next === undefined && run.status === "suspended" && !keys.some((key) => given.has(key))) return;
    if (next === undefined) continue;
    given.add(next);
    const answered = await call("POST", `/runs/${started.runId}/answers`, { [next]: answers[next] });
    assert.equal(answered.http, 202, `test/answers.json has no answer that fits: ${JSON.stringify(answered)}`);
  }
  assert.ok(waits, "the run is still under way after 20 seconds");
});
