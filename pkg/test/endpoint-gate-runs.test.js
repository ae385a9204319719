// The bounds of an endpoint hold for all runs together, and nothing that ends keeps the others out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { deferred, rejection, turn, virtualClock } from "./support.js";

/** A workflow that asks a model at this endpoint. */
function asking(place, bounds, more) {
  const model = openai("m", { baseUrl: `http://${place}.test/v1`, ...bounds });
  return new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "hi", ...more }] });
}

/** An endpoint whose answers the test gives, one after another. */
function endpoint() {
  const asked = [];
  const fetch = (url, { signal }) => {
    const { promise, resolve, reject } = deferred();
    signal.addEventListener("abort", () => reject(signal.reason));
    asked.push({ answer: () => resolve(Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] })), refuse: (init) => resolve(new Response("{}", init)) });
    return promise;
  };
  return { asked, fetch };
}

/** Once the endpoint was asked so often; it is not asked more often meanwhile. */
async function asks(asked, number) {
  while (asked.length < number) await turn();
  await turn();
  assert.equal(asked.length, number);
}

test("runs share the bounds of an endpoint", async () => {
  const workflow = asking("shared", { concurrency: 1 });
  const { asked, fetch } = endpoint();
  const runs = [workflow.start({ fetch }), workflow.start({ fetch }), workflow.start({ fetch })];
  for (let number = 0; number < 3; number += 1) {
    await asks(asked, number + 1);
    asked[number].answer();
  }
  for (const run of runs) assert.equal((await run.result).status, "done");
});

test("a run that is cancelled while it asks, or while it waits, lets the others pass", async () => {
  const workflow = asking("cancelled", { concurrency: 1 });
  const { asked, fetch } = endpoint();
  const [first, second, third] = [workflow.start({ fetch }), workflow.start({ fetch }), workflow.start({ fetch })];
  await asks(asked, 1);
  second.cancel();
  first.cancel();
  await asks(asked, 2);
  asked[1].answer();
  assert.deepEqual([(await first.result).status, (await second.result).status, (await third.result).status], ["cancelled", "cancelled", "done"]);
});

test("a step that fails, or is late, lets the others pass", async () => {
  const { asked, fetch } = endpoint();
  const late = await asking("fails", { concurrency: 1 }, { timeoutMs: 20 }).run({ fetch });
  assert.equal(late.error.code, "timeout");
  const workflow = asking("fails", { concurrency: 1 });
  const [first, second] = [workflow.start({ fetch }), workflow.start({ fetch })];
  await asks(asked, 2);
  asked[1].refuse({ status: 400 });
  assert.equal((await first.result).error.code, "model");
  await asks(asked, 3);
  asked[2].answer();
  assert.equal((await second.result).status, "done");
});

test("a clock that fails while a request waits ends the run", async () => {
  const clock = { ...virtualClock(), sleep: async () => { throw new Error("no time"); } };
  const workflow = asking("clockless", { requestsPerMinute: 1 });
  const { asked, fetch } = endpoint();
  const first = workflow.start({ fetch, clock });
  await asks(asked, 1);
  asked[0].answer();
  assert.equal((await first.result).status, "done");
  const error = await rejection(workflow.run({ fetch, clock }));
  assert.deepEqual([error.code, error.cause.message], ["validation", "no time"]);
  assert.match(error.message, /the option `clock` does not work/);
});
