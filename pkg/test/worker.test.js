import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Agent, StepweaveError, tool, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { connect, serve } from "stepweave/worker";
import { deferred, eventsOf, rejection, turn, virtualClock } from "./support.js";

const document = { version: 1, name: "greet", steps: [{ id: "s1", type: "function", name: "hello", run: { set: { greeting: "'Hello ' ~ who" } } }] };
const talking = { version: 1, name: "talk", models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "say", agent: "a" }] };

/** Page and worker in one thread: what crosses is copied all the same. */
function pair(options = {}) {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2, ...options });
  const engine = connect(port1);
  return { engine, stop, close: () => { engine.close(); stop(); port1.close(); port2.close(); } };
}

test("a run in a worker emits the same events and gives the same result", async () => {
  const { engine, close } = pair();
  const run = engine.start(document, { state: { who: "bees" } });
  const result = await run.result;
  assert.deepEqual(result.state, { who: "bees", greeting: "Hello bees" });
  const events = await eventsOf(run);
  assert.deepEqual(events.map((event) => event.type), ["run.start", "step.start", "step.done", "run.done"]);
  assert.equal(events[0].runId, run.id);
  assert.deepEqual(events.at(-1).result, result);
  assert.deepEqual(await eventsOf(engine.start(JSON.stringify(document), { state: { who: 1 } })).then((all) => all.length), 4);
  close();
});

test("errors come back as StepweaveErrors", async () => {
  const { engine, close } = pair();
  const failing = { ...document, steps: [{ ...document.steps[0], run: { set: { x: "nobody.home" } } }] };
  const run = engine.start(failing);
  const result = await run.result;
  assert.equal(result.status, "error");
  const emitted = (await eventsOf(run)).find((event) => event.type === "step.error");
  for (const error of [result.errors[0], result.stepResults[0].error, emitted.error]) {
    assert.ok(error instanceof StepweaveError);
    assert.equal(error.code, "template");
    assert.equal(error.step.name, "hello");
  }
  const broken = engine.start("{}");
  const error = await rejection(broken.result);
  assert.equal(error.code, "document");
  assert.ok(error.problems.length > 0);
  assert.equal((await rejection(eventsOf(broken))).code, "document");
  close();
});

test("a worker has handlers, tools, models and agents for the documents of its pages", async () => {
  const model = scriptedModel([[{ type: "toolCall", id: "c1", name: "look", input: { at: "bees" } }], "They dance.", "By the agent."]);
  const look = tool({ name: "look", input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] }, execute: ({ at }) => `${at} dance` });
  const { engine, close } = pair({ handlers: { shout: ({ said }) => ({ said: said.toUpperCase() }) }, tools: [look], models: { m: model }, agents: { writer: new Agent({ name: "writer", model }) } });
  const asking = {
    ...talking,
    agents: { a: { model: "m", tools: ["look"] }, writer: { model: "m", instructions: "the document's" } },
    tools: { look: {} },
    initialState: { said: "hi" },
    steps: [...talking.steps, { id: "s2", type: "agent", name: "write", agent: "writer" }, { id: "s3", type: "function", name: "shout", run: { handler: "shout" } }],
  };
  const run = engine.start(asking);
  const { state, status, error } = await run.result;
  assert.deepEqual([status, error], ["done", undefined]);
  assert.deepEqual(state, { said: "HI", say_output: "They dance.", write_output: "By the agent." });
  assert.equal(model.requests[2].instructions, undefined);
  // A document that uses nothing of it runs as it is.
  assert.equal((await engine.start(document, { state: { who: "bees" } }).result).state.greeting, "Hello bees");
  // A handler is no tool, and a tool no handler.
  const sly = await engine.start({ ...asking, steps: [{ id: "s1", type: "function", name: "sly", run: { handler: "look" } }] }).result.catch((error) => error);
  assert.equal(sly.code, "document");
  close();
});

test("what serve() is given is looked at when it is called", () => {
  const { port1 } = new MessageChannel();
  for (const [options, message] of [
    [{ handlers: [] }, "the option `handlers` is no object"],
    [{ tools: [1] }, "tools[0] is no tool"],
    [{ handler: {} }, /serve\(\).*handler/],
  ]) {
    assert.throws(() => serve({ endpoint: port1, ...options }), { code: "validation", message });
  }
  port1.close();
});

test("calls of tools are emitted across, with their errors", async () => {
  const { engine, close } = pair({ sandbox: () => import("stepweave/sandbox") });
  const tools = { look: { run: { code: "throw new Error('too dark');" } } };
  const asking = { ...talking, agents: { a: { model: "m", tools: ["look"] } }, tools };
  const run = engine.start(asking, { journal: true });
  const emitted = (await eventsOf(run)).filter(({ type }) => type.startsWith("tool."));
  assert.deepEqual(emitted.map(({ type, tool }) => [type, tool]), [["tool.start", "look"], ["tool.error", "look"]]);
  assert.ok(emitted[1].error instanceof StepweaveError);
  assert.deepEqual([emitted[1].error.code, emitted[1].error.step.name], ["tool", "say"]);
  assert.match(emitted[1].error.message, /too dark/);
  const { journal, status } = await run.result;
  const again = engine.start(asking, { journal, replay: "strict" });
  assert.deepEqual((await eventsOf(again)).map(({ type }) => type), (await eventsOf(run)).map(({ type }) => type));
  assert.deepEqual([status, (await engine.start({ ...asking, limits: { maxTokens: 1 } }).result).status], ["done", "budget"]);
  close();
});

test("validate answers with the problems", async () => {
  const { engine, close } = pair();
  assert.deepEqual(await engine.validate(document), []);
  assert.ok((await engine.validate("{}")).length > 0);
  assert.equal((await engine.validate({ ...document, "x-f": () => {} }))[0].code, "not_json");
  close();
});

test("cancel and a signal reach the worker", async () => {
  const slow = { now: () => 0, sleep: () => new Promise(() => {}) };
  const { engine, close } = pair({ clock: slow });
  const run = engine.start(talking);
  for await (const event of run.events) if (event.type === "step.start") break;
  run.cancel("enough");
  const result = await run.result;
  assert.equal(result.status, "cancelled");
  assert.equal((await eventsOf(run)).at(-1).reason, "enough");
  const controller = new AbortController();
  const other = engine.start(talking, { signal: controller.signal });
  controller.abort(new Error("closed"));
  assert.equal((await other.result).status, "cancelled");
  assert.equal((await engine.start(talking, { signal: controller.signal }).result).status, "cancelled");
  close();
});

test("what cannot cross is refused by name", async () => {
  const { engine, close } = pair();
  assert.match((await rejection(engine.start(document, { state: { f: () => {} } }).result)).message, /state\.f is a function/);
  assert.equal((await rejection(engine.start(document, { metadata: { f: () => {} } }).result)).code, "validation");
  close();
});

test("closing rejects what is under way and everything after it", async () => {
  const { engine, close } = pair({ clock: { now: () => 0, sleep: () => new Promise(() => {}) } });
  const run = engine.start(talking);
  const nobodyLooks = engine.start(talking);
  await turn();
  close();
  assert.equal((await rejection(run.result)).code, "cancelled");
  assert.equal((await rejection(engine.start(document).result)).code, "cancelled");
  assert.equal((await rejection(engine.validate(document))).code, "cancelled");
  nobodyLooks.cancel();
});

const script = (body) => new Worker(`import { parentPort } from "node:worker_threads"; import "stepweave"; import { serve } from "stepweave/worker"; serve({ endpoint: parentPort }); ${body}`, { eval: true, type: "module" });

test("a real worker runs; when it crashes, every run rejects with internal", async (t) => {
  const url = new URL("./worker.script.js", import.meta.url);
  const worker = new Worker(url);
  const engine = connect(worker);
  assert.deepEqual((await engine.start(document, { state: { who: "you" } }).result).state, { who: "you", greeting: "Hello you" });
  const run = engine.start(talking);
  for await (const event of run.events) if (event.type === "step.delta") break;
  worker.postMessage("crash");
  const error = await rejection(run.result);
  assert.equal(error.code, "internal");
  assert.match(error.message, /the worker has stopped: on purpose/);
  assert.equal((await rejection(engine.start(document).result)).code, "internal");
  const fresh = new Worker(url);
  const again = connect(fresh);
  assert.equal((await again.start(document, { state: { who: 1 } }).result).status, "done");
  again.close();
  await fresh.terminate();
});

test("a stream of many events keeps its order", async () => {
  const { engine, close } = pair({ clock: virtualClock() });
  const steps = Array.from({ length: 500 }, (_, n) => ({ id: `s${n}`, type: "function", name: `n${n}`, run: { set: { n: String(n) } } }));
  const run = engine.start({ version: 1, name: "many", steps });
  const events = await eventsOf(run);
  assert.deepEqual(events.map((event) => event.seq), events.map((_, n) => n));
  assert.equal(events.length, 1002);
  close();
});

test("a port whose other side is gone ends what goes on at this one", async () => {
  const waiting = { version: 1, name: "w", steps: [{ id: "long", type: "wait", name: "long", wait: { ms: 60_000 } }] };
  const { port1, port2 } = new MessageChannel();
  serve({ endpoint: port2 });
  const run = connect(port1).start(waiting);
  await turn();
  port2.close();
  const { code, message } = await rejection(run.result);
  assert.deepEqual([code, message], ["internal", "the worker has stopped: its port was closed"]);

  const { promise, resolve } = deferred();
  const other = new MessageChannel();
  serve({ endpoint: other.port2, handlers: { hang: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => { resolve(signal.reason.message); reject(signal.reason); })) } });
  connect(other.port1).start({ version: 1, name: "w", steps: [{ id: "s", type: "function", name: "s", run: { handler: "hang" } }] }).result.catch(() => {});
  setTimeout(() => other.port1.close(), 50);
  assert.match(await promise, /the page closed the connection/);
});

test("a workflow in place of its document is answered with what to pass", async () => {
  const { engine, close } = pair();
  const { code, hint } = await rejection(engine.start(new Workflow({ name: "w", steps: [] })).result);
  assert.deepEqual([code, hint], ["document", "pass the document of the workflow: workflow.toDocument()"]);
  close();
});
