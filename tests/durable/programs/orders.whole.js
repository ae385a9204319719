// Put beside the tests of an exported project of `orders.json`: its run from the start to the end, and what is not set.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "./serve.js";

const TOKEN = "a-token-of-more-than-sixteen-characters";
const call = async (served, method, path, body) => {
  const response = await served.fetch(`https://runs.test${path}`, { method, headers: { authorization: `Bearer ${TOKEN}`, prefer: "respond-async" }, ...(body && { body: JSON.stringify(body) }) });
  return { http: response.status, ...(await response.json()) };
};

async function once(served, id, isSo) {
  for (;;) {
    const run = await call(served, "GET", `/runs/${id}`);
    if (isSo(run)) return run;
    await new Promise((later) => setTimeout(later, 50));
  }
}

/** Starts a run of this sum and answers both people, each when asked, or ahead where answers are kept. */
async function answered(served, sum, way) {
  const { runId } = await call(served, "POST", "/runs", { sum });
  for (const [key, answer] of [["boss", { approved: true }], ["how", { way }]]) {
    if (!served.takesAhead) {
      const { pending } = await once(served, runId, ({ pending }) => pending?.[0]?.key === key);
      assert.equal(pending[0].message, key === "boss" ? `Pay ${sum}?` : undefined);
    }
    await call(served, "POST", `/runs/${runId}/answers`, { [key]: answer });
  }
  return once(served, runId, ({ http, status }) => http >= 400 || status === "done");
}

test("a run waits for two people, goes on with their answers, and is done", { timeout: 60_000 }, async (context) => {
  const served = await serve({ ACCESS_TOKEN: TOKEN });
  context.after(() => served.stop());
  const { status, state } = await answered(served, 40, "invoice");
  assert.deepEqual([status, state?.way, state?.note, state?.sum], ["done", "invoice", "INVOICE", 40]);
  assert.match(state.thank_output, /^\[simulated\]/);
  assert.ok(JSON.stringify(state).includes('"box":{"__proto__":{"kept":true}}'), JSON.stringify(state));
  assert.deepEqual(served.refused, []);
});

test("what needs a key sends it to its own address, and callers hear nothing of that", { timeout: 60_000 }, async (context) => {
  const served = await serve({ ACCESS_TOKEN: TOKEN });
  context.after(() => served.stop());
  const failed = await answered(served, 4000, "card");
  assert.ok(failed.http >= 500, JSON.stringify(failed));
  assert.doesNotMatch(JSON.stringify(failed), /refused by the test|anthropic\.com/);
  assert.deepEqual(served.refused.map((url) => new URL(url).origin), ["https://api.anthropic.com"]);
});

test("nothing is open as long as the token is not set, and what is wrong is said", { timeout: 60_000 }, async (context) => {
  for (const [environment, words] of [[{}, /^ACCESS_TOKEN is not set, or shorter/], [{ ACCESS_TOKEN: "short" }, /^ACCESS_TOKEN is not set, or shorter/], [{ ACCESS_TOKEN: TOKEN, BANK_KEY: " \n" }, /^BANK_KEY is no text, or empty/]]) {
    let said;
    try {
      const served = await serve(environment);
      context.after(() => served.stop());
      const answered = await call(served, "POST", "/runs", {});
      assert.deepEqual([answered.http, answered.code], [500, "configuration"]);
      said = answered.detail;
    } catch (error) {
      said = error.message;
    }
    assert.match(said, words);
  }
});
