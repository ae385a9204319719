// When things happened in a run: the same for whoever started it and whoever looks at it later, however long the store takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";

const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

/** A store that takes a while for each append. */
function slowly(store) {
  return { ...store, append: async (...given) => (await later(7), await store.append(...given)) };
}

test("a run's times are those that its journal has, in the response that ended it and in every later one", async () => {
  const steps = [
    { name: "first", run: () => later(3, { a: 1 }) },
    { name: "pause", wait: { ms: 5 } },
    { name: "both", parallel: [{ name: "one", run: () => later(2, {}) }, { name: "other", run: () => later(20, {}) }] },
    { name: "agent", agent: new Agent({ name: "a", model: scriptedModel(["done"]) }), type: "agent", inputFrom: "Hi" },
    { name: "boss", type: "approval", message: "?" },
    { name: "again", retryCount: 1, run: (_, { attempt }) => { if (attempt === 1) throw new Error("no"); return {}; } },
    { name: "last", run: () => ({}) },
  ];
  const store = slowly(memoryStore());
  const serve = handler(new Workflow({ name: "served", retryPolicy: { backoffMs: 2 }, steps }), { public: true, store, onError: () => {} });
  const call = (method, path, body, headers) => serve(new Request(`https://flow.example${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
  const timesIn = ({ stepResults }) => stepResults.map(({ key, startedAt, durationMs }) => ({ key, startedAt, durationMs }));
  const started = await (await call("POST", "/runs")).json();
  assert.deepEqual(timesIn(await (await call("GET", `/runs/${started.runId}`)).json()), timesIn(started));
  const text = await (await call("POST", `/runs/${started.runId}/answers`, { boss: { approved: true } }, { accept: "text/event-stream" })).text();
  const eventsIn = (text) => text.split("\n\n").filter((block) => block.startsWith("id: ")).map((block) => JSON.parse(block.split("\ndata: ")[1])).map(({ type, at, step, durationMs }) => ({ type, at, key: step?.key, durationMs }));
  const again = await (await call("GET", `/runs/${started.runId}/events`)).text();
  assert.deepEqual(eventsIn(again), eventsIn(text));
  const ended = JSON.parse(text.split("event: run.done\ndata: ")[1]).result;
  const shown = await (await call("GET", `/runs/${started.runId}`)).json();
  assert.deepEqual([shown.status, timesIn(shown)], ["done", timesIn(ended)]);
});

for (const accept of ["text/event-stream", "text/event-stream; protocol=ui-message-stream", "text/event-stream; protocol=ag-ui"]) {
  test(`who has read a stream to its end finds the run as that says, and answers it: ${accept}`, async () => {
    const serve = handler(new Workflow({ name: "served", steps: [{ name: "boss", type: "approval", message: "?" }] }), { public: true, store: slowly(memoryStore()) });
    const call = (method, path, body, headers) => serve(new Request(`https://flow.example${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
    const response = await call("POST", "/runs", accept.includes("ag-ui") ? { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} } : {}, { accept });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !/event: run\.suspended|data-approval|RUN_FINISHED/.test(text); ) text += (await reader.read()).value;
    const path = response.headers.get("location");
    assert.equal((await (await call("GET", path)).json()).status, "suspended");
    assert.equal((await call("POST", `${path}/answers`, { boss: { approved: true } })).status, 200);
  });
}

test("a stream in which nothing happens says so before Bun takes it for dead", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const turns = async () => {
    for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const serve = handler(new Workflow({ name: "served", steps: [{ name: "slow", run: () => new Promise(() => {}) }] }), { public: true });
  const following = serve(new Request("https://flow.example/runs", { method: "POST", headers: { accept: "text/event-stream" } }));
  await turns();
  context.mock.timers.tick(1);
  const reader = (await following).body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes("step.start"); ) text += (await reader.read()).value;
  const next = reader.read();
  await turns();
  context.mock.timers.tick(9000);
  assert.equal((await next).value, ": waiting\n\n");
  await reader.cancel();
});
