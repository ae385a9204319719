import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { answering, deferred, eventsOf, piece, turn, virtualClock } from "./support.js";

const waiting = (hooks = {}) =>
  new Workflow({
    name: "wait",
    initialState: { n: 1 },
    steps: [
      { name: "before", run: () => ({ before: 1 }) },
      { name: "wait", run: (state, context) => { hooks.signal = context.signal; return hooks.promise ?? new Promise(() => {}); } },
      { name: "after", run: () => { hooks.after = true; } },
    ],
  });

test("cancel resolves the result, aborts the signal, drops what comes late, and ends with one event", async () => {
  const late = deferred();
  const hooks = { promise: late.promise };
  const run = waiting(hooks).start({ clock: virtualClock() });
  await turn();
  assert.equal(hooks.signal.aborted, false);
  run.cancel("changed my mind");
  run.cancel("again");
  const result = await run.result;
  assert.equal(result.status, "cancelled");
  assert.deepEqual(result.state, { n: 1, before: 1 });
  assert.deepEqual(result.stepResults.map(({ name, status }) => [name, status]), [["before", "done"], ["wait", "cancelled"]]);
  assert.deepEqual(result.errors, [], "nothing failed");
  assert.equal(hooks.signal.aborted, true);
  assert.equal(hooks.signal.reason.code, "cancelled");
  assert.equal(hooks.signal.reason.message, "the run was cancelled: changed my mind");
  late.resolve({ late: true });
  await turn();
  const events = await eventsOf(run);
  assert.deepEqual(events.map((event) => event.type), ["run.start", "step.start", "step.done", "step.start", "run.cancelled"]);
  assert.equal(events.at(-1).result, result);
  assert.equal(events.at(-1).reason, "changed my mind");
  assert.equal(hooks.after, undefined);
});

test("cancel at once, before the first step", async () => {
  const hooks = {};
  const run = waiting(hooks).start();
  run.cancel();
  const result = await run.result;
  assert.deepEqual([result.status, result.stepResults.length, result.state], ["cancelled", 0, { n: 1 }]);
  await turn();
  assert.equal(hooks.signal, undefined);
  assert.deepEqual((await eventsOf(run)).map((event) => event.type), ["run.start", "run.cancelled"]);
});

test("a signal cancels, also one that was aborted before", async () => {
  const controller = new AbortController();
  const run = waiting().start({ signal: controller.signal });
  await turn();
  controller.abort(new Error("tab closed"));
  assert.equal((await run.result).status, "cancelled");
  assert.equal((await eventsOf(run)).at(-1).reason, "tab closed");
  assert.equal((await waiting().run({ signal: controller.signal })).status, "cancelled");
});

test("leaving the loop of stream() cancels", async ({ mock }) => {
  // However slow the machine is, the step is called in the turn in which it begins.
  mock.method(Date, "now", () => 1);
  const hooks = {};
  for await (const event of waiting(hooks).stream()) {
    if (event.type === "step.start" && event.step.name === "wait") break;
  }
  assert.equal(hooks.signal.aborted, true);
  await assert.rejects(async () => {
    for await (const event of waiting(hooks).stream()) if (event.type === "step.start" && event.step.name === "wait") throw new Error("mine");
  }, /mine/);
  assert.equal(hooks.signal.aborted, true);
});

test("a stream that is read to its end is not cancelled", async () => {
  const types = [];
  for await (const event of new Workflow({ name: "t", steps: [{ name: "x", run: async () => {} }] }).stream()) types.push(event.type);
  assert.equal(types.at(-1), "run.done");
});

test("cancelling after the end changes nothing", async () => {
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => {} }] }).start();
  assert.equal((await run.result).status, "done");
  run.cancel();
  assert.equal((await run.result).status, "done");
});

test("cancelling while a model streams keeps the partial text and aborts the call", async () => {
  const stuck = deferred();
  const fetch = answering([piece("Bees "), piece("fly"), () => stuck.promise]);
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });
  const run = new Workflow({ name: "t", steps: [{ name: "write", agent, inputFrom: "go" }] }).start({ fetch, clock: virtualClock() });
  for await (const event of run.events) if (event.type === "step.delta" && event.text.includes("fly")) break;
  run.cancel();
  const { status, stepResults } = await run.result;
  assert.equal(status, "cancelled");
  assert.equal(stepResults[0].status, "cancelled");
  assert.equal(stepResults[0].text, "Bees fly");
  assert.equal(fetch.calls[0].init.signal.aborted, true, "to cancel the body alone leaves the connection open in some browsers");
});

test("an answer that was read to its end is not aborted afterwards", async () => {
  const whole = JSON.stringify({ choices: [{ message: { content: "Bees fly" }, finish_reason: "stop" }] });
  const fetch = answering([whole], { headers: { "content-type": "application/json" } });
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });
  const { status } = await new Workflow({ name: "t", steps: [{ name: "write", agent }] }).run({ fetch });
  assert.equal(status, "done");
  assert.equal(fetch.calls[0].init.signal.aborted, false);
});

test("cancelling aborts a request that has no answer yet", async () => {
  let signal;
  const fetch = (url, init) => new Promise((resolve, reject) => { signal = init.signal; init.signal.addEventListener("abort", () => reject(init.signal.reason)); });
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });
  const run = new Workflow({ name: "t", steps: [{ name: "write", agent }] }).start({ fetch });
  await turn();
  run.cancel();
  assert.equal((await run.result).status, "cancelled");
  assert.equal(signal.aborted, true);
});

test("the state of a cancelled run has what was reached, also inside a parallel", async () => {
  const run = new Workflow({
    name: "t",
    initialState: { list: [0] },
    steps: [
      { name: "one", steps: [{ name: "a", run: () => ({ a: 1 }) }] },
      { name: "fork", parallel: [{ name: "quick", run: () => ({ quick: 1, list: [0] }) }, { name: "lane", steps: [{ name: "b", run: () => ({ b: 1 }) }, { name: "stuck", run: () => new Promise(() => {}) }] }] },
    ],
  }).start();
  await turn();
  run.cancel();
  const { state, stepResults } = await run.result;
  assert.deepEqual(state, { list: [0], a: 1, quick: 1, b: 1 });
  assert.deepEqual(stepResults.map(({ name, status }) => `${name} ${status}`), ["one done", "a done", "fork cancelled", "quick done", "lane cancelled", "b done", "stuck cancelled"]);
});

test("a time limit ends the run with timeout; what was under way counts as cancelled", async () => {
  const hooks = {};
  const workflow = Workflow.fromDocument(
    { version: 1, name: "t", limits: { timeoutMs: 50 }, steps: [{ id: "s1", type: "function", name: "wait", run: { handler: "wait" } }] },
    { handlers: { wait: (state, { signal }) => { hooks.signal = signal; return new Promise(() => {}); } } },
  );
  const { status, errors, stepResults } = await workflow.run({ clock: virtualClock() });
  assert.equal(status, "error");
  assert.equal(errors[0].code, "timeout");
  assert.equal(stepResults[0].status, "cancelled");
  assert.equal(hooks.signal.aborted, true);
});

test("a long row of steps that ask nothing lets others go first, and can be cancelled", async () => {
  // They used to run in a single poll: a page stood still meanwhile and saw no event before the end.
  const steps = Array.from({ length: 5000 }, (_, index) => ({ name: `s${index}`, run: { set: { n: "n + 1" } } }));
  const run = new Workflow({ name: "row", initialState: { n: 0 }, steps }).start();
  setTimeout(() => run.cancel(), 0);
  const { status, state } = await run.result;
  assert.equal(status, "cancelled");
  assert.ok(state.n > 0 && state.n < 5000, `${state.n} steps were done`);
});

test("the result says why a run was cancelled", async () => {
  const workflow = new Workflow({ name: "w", steps: [{ name: "wait", type: "wait", wait: { ms: 60_000 } }] });
  const cancelled = async (reason) => {
    const run = workflow.start();
    run.cancel(reason);
    return run.result;
  };
  assert.equal((await cancelled("changed my mind")).reason, "changed my mind");
  assert.equal("reason" in (await cancelled()), false);
  assert.equal((await workflow.run({ signal: AbortSignal.abort(new Error("too slow")) })).reason, "too slow");
});
