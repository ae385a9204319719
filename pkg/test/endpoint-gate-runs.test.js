// The bounds of an endpoint hold for all runs together, and nothing that ends keeps the others out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { deferred, rejection, turn, virtualClock } from "./support.js";

/** A workflow that calls a model at this endpoint. */
function asking(place, bounds, more) {
  const model = openai("m", { baseUrl: `http://${place}.test/v1`, ...bounds });
  return new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "hi", ...more }] });
}

/** An endpoint whose answers the test gives, one after another. */
function endpoint() {
  const received = [];
  const fetch = (url, { signal }) => {
    const { promise, resolve, reject } = deferred();
    signal.addEventListener("abort", () => reject(signal.reason));
    received.push({ answer: () => resolve(Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] })), refuse: (init) => resolve(new Response("{}", init)) });
    return promise;
  };
  return { received, fetch };
}

/** Once the endpoint has received so many requests; it receives no more meanwhile. */
async function hasReceived(received, number) {
  while (received.length < number) await turn();
  await turn();
  assert.equal(received.length, number);
}

test("runs share the bounds of an endpoint", async () => {
  const workflow = asking("shared", { concurrency: 1 });
  const { received, fetch } = endpoint();
  const runs = [workflow.start({ fetch }), workflow.start({ fetch }), workflow.start({ fetch })];
  for (let number = 0; number < 3; number += 1) {
    await hasReceived(received, number + 1);
    received[number].answer();
  }
  for (const run of runs) assert.equal((await run.result).status, "done");
});

test("a run that is cancelled during its request, or while it waits, lets the others pass", async () => {
  const workflow = asking("cancelled", { concurrency: 1 });
  const { received, fetch } = endpoint();
  const [first, second, third] = [workflow.start({ fetch }), workflow.start({ fetch }), workflow.start({ fetch })];
  await hasReceived(received, 1);
  second.cancel();
  first.cancel();
  await hasReceived(received, 2);
  received[1].answer();
  assert.deepEqual([(await first.result).status, (await second.result).status, (await third.result).status], ["cancelled", "cancelled", "done"]);
});

test("a step that fails, or is late, lets the others pass", async () => {
  const { received, fetch } = endpoint();
  const late = await asking("fails", { concurrency: 1 }, { timeoutMs: 20 }).run({ fetch });
  assert.equal(late.error.code, "timeout");
  const workflow = asking("fails", { concurrency: 1 });
  const [first, second] = [workflow.start({ fetch }), workflow.start({ fetch })];
  await hasReceived(received, 2);
  received[1].refuse({ status: 400 });
  assert.equal((await first.result).error.code, "model");
  await hasReceived(received, 3);
  received[2].answer();
  assert.equal((await second.result).status, "done");
});

test("a clock that fails while a request waits ends the run", async () => {
  const clock = { ...virtualClock(), sleep: async () => { throw new Error("no time"); } };
  const workflow = asking("clockless", { requestsPerMinute: 1 });
  const { received, fetch } = endpoint();
  const first = workflow.start({ fetch, clock });
  await hasReceived(received, 1);
  received[0].answer();
  assert.equal((await first.result).status, "done");
  const error = await rejection(workflow.run({ fetch, clock }));
  assert.deepEqual([error.code, error.cause.message], ["validation", "no time"]);
  assert.match(error.message, /the option `clock` does not work/);
});
