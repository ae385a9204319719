// Models of the page that runs in a worker ask.
import assert from "node:assert/strict";
import { test } from "node:test";
import { customModel, demo, fromAiSdk, promptApi, StepweaveError } from "stepweave";
import { connect, serve } from "stepweave/worker";
import { deferred, eventsOf, turn } from "./support.js";

/** Page and worker in one thread: what crosses is copied all the same. */
function pair(models) {
  const { port1, port2 } = new MessageChannel();
  const said = [];
  for (const [side, port] of [["page", port1], ["worker", port2]]) {
    const post = port.postMessage.bind(port);
    port.postMessage = (message) => {
      said.push(`${side} ${message.stepweave}`);
      post(message);
    };
  }
  const stop = serve({ endpoint: port2 });
  const engine = connect(port1, { models });
  return { engine, said, close: () => { engine.close(); stop(); port1.close(); port2.close(); } };
}

const asking = (handlers = ["lent"], extra = {}) => ({
  version: 1,
  name: "ask",
  models: Object.fromEntries(handlers.map((handler) => [handler, { provider: "custom", model: `the-${handler}`, handler }])),
  agents: Object.fromEntries(handlers.map((handler) => [handler, { model: handler }])),
  steps: handlers.map((handler, index) => ({ id: `s${index + 1}`, type: "agent", name: `ask${index + 1}`, agent: handler, inputFrom: "Hi" })),
  ...extra,
});

test("a model of the page answers a run of the worker, piece by piece", async () => {
  const seen = [];
  const lent = customModel("x", async function* (request, context) {
    const { runId, userId, metadata, step, attempt, dependencies, idempotencyKey, sessionId, tenantId } = context;
    seen.push(request, { runId, userId, metadata, step: step.id, attempt, dependencies, idempotencyKey, sessionId, tenantId });
    context.log("thinking");
    yield "Hel";
    yield "lo";
    yield { type: "usage", inputTokens: 3, outputTokens: 2 };
  });
  const { engine, close } = pair({ lent });
  const run = engine.start(asking(), { userId: "u", metadata: { a: 1 }, sessionId: "s" });
  const { status, state, usage } = await run.result;
  assert.equal(status, "done");
  assert.deepEqual(state, { ask1_output: "Hello" });
  assert.deepEqual(usage, { inputTokens: 3, outputTokens: 2 });
  const events = await eventsOf(run);
  assert.deepEqual(events.filter(({ type }) => type === "step.delta").map(({ text }) => text), ["Hel", "lo"]);
  assert.equal(events.find(({ type }) => type === "run.warning").message, "thinking");
  assert.deepEqual(seen, [
    { model: "the-lent", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], params: {} },
    { runId: run.id, userId: "u", metadata: { a: 1 }, step: "s1", attempt: 1, dependencies: {}, idempotencyKey: `${run.id}/s1`, sessionId: "s", tenantId: undefined },
  ]);
  close();
});

test("models of a run share what they keep, and other runs do not see it", async () => {
  const count = (_, { sessionState }) => {
    sessionState.set("calls", (sessionState.get("calls") ?? 0) + 1);
    return String(sessionState.get("calls"));
  };
  const { engine, close } = pair({ one: customModel("one", count), two: count });
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual((await engine.start(asking(["one", "two"])).result).state, { ask1_output: "1", ask2_output: "2" });
  }
  close();
});

test("what a model of the page throws fails the step in the worker", async () => {
  for (const [model, code, message, retryAfterMs] of [
    [() => { throw new TypeError("no weights"); }, "model", "the model `the-lent` failed: no weights"],
    [() => { throw new StepweaveError("rate_limit", "busy", { retryAfterMs: 70 }); }, "rate_limit", "busy", 70],
    [() => 42, "model", "the model `the-lent` gave 42, which is no answer"],
    [() => [{ type: "toolCall", name: "n", input: { f: () => {} } }], "model", "part 1 of the answer of the model `the-lent` cannot be used: input.f is a function, which JSON cannot hold; it is {\"type\":\"toolCall\",\"name\":\"n\",\"input\":{}}"],
  ]) {
    const { engine, close } = pair({ lent: model });
    const { status, errors } = await engine.start(asking()).result;
    assert.equal(status, "error");
    assert.equal(errors[0].code, code);
    assert.equal(errors[0].message, message);
    assert.equal(errors[0].retryAfterMs, retryAfterMs);
    close();
  }
});

test("what an endpoint refused a model of the page means in the worker what it does elsewhere", async () => {
  const refusal = Object.assign(new Error("slow down"), { name: "AI_APICallError", statusCode: 429, url: "https://api.acme.test/v1", responseHeaders: { "retry-after": "2" } });
  const lent = fromAiSdk({ specificationVersion: "v3", provider: "acme", modelId: "m", doStream: () => Promise.reject(refusal) });
  const { engine, close } = pair({ lent });
  const [{ code, message, retryAfterMs }] = (await engine.start(asking()).result).errors;
  assert.deepEqual([code, message, retryAfterMs], ["rate_limit", "https://api.acme.test asks to come back later (status 429): slow down", 2000]);
  close();
});

test("cancelling a run in the worker aborts the model of the page", async () => {
  for (const isLate of [false, true]) {
    const entered = deferred();
    const left = deferred();
    const lent = async function* (_, { signal }) {
      try {
        if (isLate) yield "so far";
        entered.resolve();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      } finally {
        left.resolve(signal.reason);
      }
    };
    const { engine, said, close } = pair({ lent });
    const run = engine.start(asking());
    await entered.promise;
    await turn();
    run.cancel("enough");
    assert.equal((await run.result).status, "cancelled");
    assert.equal((await left.promise).code, "cancelled");
    await turn();
    assert.equal(said.filter((what) => what === "worker leave").length, 1);
    assert.equal(said.some((what) => what === "page broke"), false, "whoever has left hears nothing more");
    close();
  }
});

test("closing the connection aborts the models of the page", async () => {
  const entered = deferred();
  const left = deferred();
  const lent = (_, { signal }) => {
    signal.addEventListener("abort", () => left.resolve(signal.reason));
    entered.resolve();
    return new Promise(() => {});
  };
  const { engine, close } = pair({ lent });
  engine.start(asking());
  await entered.promise;
  engine.close();
  assert.equal((await left.promise).code, "cancelled");
  close();
});

test("many calls at once do not meet", async () => {
  const lent = async function* ({ model }, { runId }) {
    for (const part of [model, " of ", runId]) {
      await turn();
      yield part;
    }
  };
  const { engine, close } = pair({ lent });
  const runs = Array.from({ length: 20 }, () => engine.start(asking()));
  for (const run of runs) assert.equal((await run.result).state.ask1_output, `the-lent of ${run.id}`);
  close();
});

test("a document that names a model which the page does not lend is refused", async () => {
  const { engine, close } = pair({});
  const error = await engine.start(asking()).result.catch((error) => error);
  assert.equal(error.code, "document");
  assert.match(error.problems[0].hint, /to a worker with connect\(worker, \{ models \}\)/);
  close();
  const worker = { postMessage: () => {} };
  assert.throws(() => connect(worker, { models: { demo: demo() } }), { code: "validation", message: "models.demo is no model that is a function" });
  assert.throws(() => connect(worker, { model: {} }), { code: "validation", message: "connect() has no option `model`" });
});

test("outside of browsers there is no model of the browser", async () => {
  const { engine, close } = pair({ lent: promptApi() });
  const [error] = (await engine.start(asking()).result).errors;
  assert.equal(error.code, "model");
  assert.equal(error.message, "there is no LanguageModel here: this is no page in a browser");
  assert.equal(error.hint, "take another model here; an agent's `fallbacks` name those that stand in");
  close();
});
