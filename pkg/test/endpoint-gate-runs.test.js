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

test("what is held for long by an endpoint says so, once, whichever run has been refused", async () => {
  for (const kind of ["a model", "a request"]) {
    const { received, fetch } = endpoint();
    let now = 0;
    const waiting = [];
    const clock = { now: () => now, sleep: (ms, signal) => new Promise((resolve) => { waiting.push({ until: now + ms, resolve }); signal.addEventListener("abort", resolve); }) };
    const host = kind === "a model" ? "http://busy-model.test" : "http://busy.test";
    const workflow =
      kind === "a model"
        ? asking("busy-model", { concurrency: 2 })
        : new Workflow({ name: "t", steps: [{ name: "ask", http: { url: `${host}/x` } }] });
    const options = { fetch, clock };
    const [first, second] = [workflow.start(options), workflow.start(options)];
    await hasReceived(received, 2);
    received[0].refuse({ status: 429, headers: { "retry-after": "20" } });
    received[1].refuse({ status: 429, headers: { "retry-after": "20" } });
    assert.deepEqual([(await first.result).warnings, (await second.result).warnings], [[], []], "their own errors say it");
    const later = workflow.start(options);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.equal(received.length, 2, kind);
    now += 20_000;
    for (const { until, resolve } of waiting) if (until <= now) resolve();
    while (received.length < 3) await turn();
    received[2].answer();
    const { status, warnings } = await later.result;
    assert.deepEqual([status, warnings.map(({ code, message, step }) => [code, message, step.name])], ["done", [["endpoint_busy", `a request to ${host} waits for 20 s, since the endpoint has asked others to come back later`, "ask"]]]);
  }
});

/** The document of a stranger that asks the same endpoint. */
function strangers(place, bounds) {
  return { version: 1, name: "s", models: { m: { provider: "openai", model: "m", baseUrl: `http://${place}.test/v1`, ...bounds } }, agents: { a: { model: "m" } }, steps: [{ id: "ask", name: "ask", type: "agent", agent: "a", inputFrom: "hi" }] };
}

test("a document takes none of the room that code has at an endpoint", async () => {
  for (const bounds of [{ concurrency: 1 }, { requestsPerMinute: 1 }]) {
    const place = `apart-${Object.keys(bounds)[0].toLowerCase()}`;
    const { received, fetch } = endpoint();
    const many = Workflow.fromDocument(strangers(place, { concurrency: 1000 }));
    const others = [many.start({ fetch }), many.start({ fetch })];
    await hasReceived(received, 2);
    const own = asking(place, bounds).start({ fetch });
    await hasReceived(received, 3);
    for (const { answer } of received) answer();
    assert.equal((await own.result).status, "done");
    for (const other of others) assert.equal((await other.result).status, "done");
  }
});

test("documents share the bounds of an endpoint, and those whose model is code's share them with code", async () => {
  const { received, fetch } = endpoint();
  const bounds = { concurrency: 1 };
  const runs = [strangers("among", bounds), strangers("among", bounds)].map((document) => Workflow.fromDocument(document).start({ fetch }));
  await hasReceived(received, 1);
  received[0].answer();
  await hasReceived(received, 2);
  received[1].answer();
  for (const run of runs) assert.equal((await run.result).status, "done");
  const given = Workflow.fromDocument(strangers("among", {}), { models: { m: openai("m", { baseUrl: "http://given.test/v1", ...bounds }) } }).start({ fetch });
  await hasReceived(received, 3);
  const own = asking("given", bounds).start({ fetch });
  await turn();
  await hasReceived(received, 3);
  received[2].answer();
  await hasReceived(received, 4);
  received[3].answer();
  assert.deepEqual([(await given.result).status, (await own.result).status], ["done", "done"]);
});

test("a document's own model at an endpoint of code's model keeps the bounds that code has there", async () => {
  const place = "beside";
  const model = openai("m", { baseUrl: `http://${place}.test/v1`, concurrency: 1, requestsPerMinute: 60 });
  const models = { ours: { provider: "demo", model: "demo" }, m: { provider: "openai", model: "m", baseUrl: `http://${place}.test/other`, concurrency: 50 } };
  const document = { ...strangers(place, {}), models, agents: { a: { model: "m" }, b: { model: "ours" } } };
  const workflow = Workflow.fromDocument(document, { models: { ours: model } });
  const { received, fetch } = endpoint();
  const runs = [workflow.start({ fetch }), workflow.start({ fetch })];
  await hasReceived(received, 1);
  received[0].answer();
  await hasReceived(received, 2);
  received[1].answer();
  for (const run of runs) assert.equal((await run.result).status, "done");
  const strict = Workflow.fromDocument({ ...document, models: { ...models, m: { ...models.m, requestsPerMinute: 5 } } }, { models: { ours: model } }).toDocument().models.m;
  assert.deepEqual([strict.concurrency, strict.requestsPerMinute], [1, 5]);
  const elsewhere = Workflow.fromDocument({ ...document, models: { ...models, m: { ...models.m, baseUrl: "http://elsewhere.test/v1" } } }, { models: { ours: model } }).toDocument().models.m;
  assert.deepEqual([elsewhere.concurrency, elsewhere.requestsPerMinute], [50, undefined]);
});
