// Models that are functions, in whole workflows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, demo, openai, StepweaveError, Workflow } from "stepweave";
import { ReasoningAgent } from "stepweave/reasoning";
import { deferred, eventsOf, rejection, turn, virtualClock } from "./support.js";

const asking = (model, { step, agent, ...more } = {}) =>
  new Workflow({ name: "ask", steps: [{ name: "ask", agent: new Agent({ name: "a", model, ...agent }), inputFrom: "Hi", ...step }], ...more });

const failureOf = async (workflow, options) => {
  const { status, errors } = await workflow.run(options);
  assert.equal(status, "error");
  assert.equal(errors[0].step.name, "ask");
  return errors[0];
};

const deltas = (events) => events.filter(({ type }) => type === "step.delta").map(({ text }) => text);

test("a function answers a step, in pieces", async () => {
  const seen = [];
  const model = customModel(
    "parrot",
    async function* (request, context) {
      seen.push(request, context.step.id, context.attempt, context.dependencies.greeting, context.idempotencyKey, context.runId);
      yield "Hel";
      yield { type: "text", text: "lo" };
      yield { type: "usage", inputTokens: 3, outputTokens: 2 };
    },
    { params: { tone: "kind", temperature: 1 } },
  );
  const run = asking(model, { agent: { instructions: "Be brief.", params: { temperature: 0 } } }).start({ dependencies: { greeting: "hi" } });
  const { status, state, usage } = await run.result;
  assert.equal(status, "done");
  assert.equal(state.ask_output, "Hello");
  assert.deepEqual(usage, { inputTokens: 3, outputTokens: 2 });
  assert.deepEqual(deltas(await eventsOf(run)), ["Hel", "lo"]);
  assert.deepEqual(seen, [
    { model: "parrot", instructions: "Be brief.", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], params: { tone: "kind", temperature: 0 } },
    "ask",
    1,
    "hi",
    `${run.id}/ask`,
    run.id,
  ]);
});

test("a document names the function of a model", async () => {
  const parrot = customModel("parrot", ({ model }) => `I am ${model}`);
  const document = asking(parrot).toDocument();
  assert.deepEqual(document.models, { parrot: { provider: "custom", model: "parrot", handler: "parrot.model" } });
  const { handler } = document.models.parrot;
  for (const code of [{ handlers: asking(parrot).handlers }, { models: { [handler]: parrot } }, { models: { [handler]: () => "I am parrot" } }]) {
    assert.equal((await Workflow.fromDocument(document, code).run()).state.ask_output, "I am parrot");
  }
  const error = await rejection(Workflow.fromDocument(document).run());
  assert.equal(error.code, "document");
  assert.deepEqual(error.problems.map(({ path, code, hint }) => ({ path, code, hint })), [
    {
      path: "models.parrot.handler",
      code: "unknown_handler",
      hint: 'pass it: Workflow.fromDocument(document, { models: { "parrot.model": customModel("parrot.model", (request) => …) } }); to a worker with connect(worker, { models })',
    },
  ]);
  assert.throws(() => Workflow.fromDocument(document, { models: { x: demo() } }), { code: "validation", message: "the document has no model with the id `x`" });
});

test("two models of one name are two functions", async () => {
  const step = (name, answer) => ({ name, agent: new Agent({ name, model: customModel("twin", () => answer) }) });
  const { state } = await new Workflow({ name: "twins", steps: [step("one", "1"), step("two", "2")] }).run();
  assert.deepEqual(state, { one_output: "1", two_output: "2" });
});

test("what a function throws fails the step", async () => {
  const thrown = new RangeError("no such weights");
  const error = await failureOf(asking(customModel("parrot", () => Promise.reject(thrown))));
  assert.equal(error.code, "model");
  assert.equal(error.message, "the model `parrot` failed: no such weights");
  assert.equal(error.hint, "the model's own function threw this: see `cause`");
  assert.equal(error.cause, thrown);
  const wrong = await failureOf(asking(customModel("parrot", () => 42)));
  assert.equal(wrong.message, "the model `parrot` gave 42, which is no answer");
  const late = await asking(
    customModel("parrot", function* () {
      yield "so far";
      throw new StepweaveError("network", "the line is dead", { hint: "call again" });
    }),
  ).run();
  assert.equal(late.errors[0].code, "network");
  assert.equal(late.errors[0].hint, "call again");
  assert.equal(late.errors[0].cause.message, "the line is dead");
  assert.equal(late.stepResults[0].text, "so far");
});

test("an error of ours says whether and when the model is called again", async () => {
  const clock = virtualClock();
  const attempts = [];
  const model = customModel("parrot", (_, { attempt }) => {
    attempts.push([attempt, clock.now()]);
    if (attempt === 1) throw new StepweaveError("rate_limit", "busy", { retryable: true, retryAfterMs: 7000 });
    if (attempt === 2) throw Object.assign(new Error("busy"), { retryable: true });
    return "at last";
  });
  const run = asking(model, { retryPolicy: { maxRetries: 2, backoffMs: 1000, factor: 1 } }).start({ clock });
  assert.equal((await run.result).state.ask_output, "at last");
  assert.deepEqual(attempts, [[1, 1000], [2, 8000], [3, 9000]]);
  const [first, second] = (await eventsOf(run)).filter(({ type }) => type === "step.error").map(({ error }) => error);
  assert.deepEqual([first.code, first.retryAfterMs, first.toJSON().retryAfterMs], ["rate_limit", 7000, 7000]);
  assert.deepEqual([second.code, second.retryAfterMs], ["model", undefined]);
  assert.equal(StepweaveError.from(first.toJSON()).retryAfterMs, 7000);
});

test("cancelling aborts the signal and lets the generator go", async () => {
  for (const isLate of [false, true]) {
    const entered = deferred();
    const left = deferred();
    const model = customModel("parrot", async function* (_, { signal }) {
      try {
        if (isLate) yield "so far";
        entered.resolve();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      } finally {
        left.resolve(signal.reason);
      }
    });
    const run = asking(model).start();
    await entered.promise;
    await turn();
    run.cancel("enough");
    const { status, stepResults } = await run.result;
    assert.equal(status, "cancelled");
    assert.equal(stepResults[0].text, isLate ? "so far" : undefined);
    assert.equal((await left.promise).message, "the run was cancelled: enough");
  }
});

test("a function that has not answered yet learns that nobody waits", async () => {
  const entered = deferred();
  const left = deferred();
  const model = customModel("parrot", (_, { signal }) => {
    signal.addEventListener("abort", () => left.resolve(signal.reason));
    entered.resolve();
    return new Promise(() => {});
  });
  const run = asking(model).start();
  await entered.promise;
  run.cancel();
  assert.equal((await run.result).status, "cancelled");
  assert.equal((await left.promise).code, "cancelled");
});

test("the signal of an answer that is whole stays as it is", async () => {
  const signals = [];
  const give = [() => "x", function* () { yield { type: "finish", reason: "stop" }; }, async () => [{ type: "text", text: "x" }]];
  for (const fn of give) {
    await asking(customModel("parrot", (request, context) => (signals.push(context.signal), fn()))).run();
    await turn();
  }
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false, false]);
});

test("the waiting limits are those of an endpoint", async () => {
  const silent = customModel("parrot", () => new Promise(() => {}));
  const first = await failureOf(asking(silent, { limits: { firstTokenMs: 500 } }), { clock: virtualClock() });
  assert.equal(first.code, "timeout");
  assert.match(first.hint, /limits\.firstTokenMs/);
  let reason;
  const stalling = customModel("parrot", async function* (_, { signal }) {
    signal.addEventListener("abort", () => (reason = signal.reason));
    yield "a";
    await new Promise(() => {});
  });
  const idle = await failureOf(asking(stalling, { limits: { idleMs: 500 } }), { clock: virtualClock() });
  assert.equal(idle.code, "timeout");
  assert.match(idle.hint, /limits\.idleMs/);
  assert.equal(reason.code, "cancelled");
});

test("a generator that never waits can be cancelled", async () => {
  const model = customModel("parrot", function* () {
    for (;;) yield "x";
  });
  const run = asking(model).start();
  setTimeout(() => run.cancel("enough"), 30);
  assert.equal((await run.result).status, "cancelled");
});

test("many calls at once do not meet", async () => {
  const model = customModel("parrot", async function* ({ messages }) {
    for (const word of messages[0].content[0].text.split(" ")) {
      await undefined;
      yield `${word} `;
    }
  });
  const agent = new Agent({ name: "a", model });
  const parallel = Array.from({ length: 20 }, (_, index) => ({ name: `ask${index}`, agent, inputFrom: `I am number ${index} of all` }));
  const { state } = await new Workflow({ name: "many", steps: [{ name: "all", parallel }] }).run();
  for (let index = 0; index < 20; index += 1) assert.equal(state[`ask${index}_output`], `I am number ${index} of all `);
});

test("a model that does one thing at a time is called for one thing at a time", async () => {
  let most = 0;
  let now = 0;
  const slow = async () => {
    most = Math.max(most, (now += 1));
    await turn();
    now -= 1;
    return "done";
  };
  const run = async (options) => {
    const agent = new Agent({ name: "a", model: customModel("slow", slow, options) });
    const { status } = await new Workflow({ name: "many", steps: [{ name: "all", parallel: [0, 1, 2, 3].map((index) => ({ name: `ask${index}`, agent })) }] }).run();
    assert.equal(status, "done");
    return most;
  };
  assert.equal(await run({ concurrency: 1 }), 1);
  assert.equal(await run({ concurrency: 2 }), 2);
  assert.equal(await run({}), 4);
});

test("a journal answers for the model", async () => {
  let calls = 0;
  const model = customModel("parrot", (_, { log }) => {
    log(`call ${(calls += 1)}`);
    return "once";
  });
  const workflow = asking(model);
  const { journal, state } = await workflow.run({ journal: true });
  const run = workflow.start({ journal, replay: "strict" });
  assert.deepEqual((await run.result).state, state);
  assert.equal(calls, 1);
  assert.deepEqual((await eventsOf(run)).filter(({ type }) => type === "run.warning").map(({ code, message }) => [code, message]), [["log", "call 1"]]);
});

test("the values of secrets are taken out of what it gives and throws", async () => {
  const KEY = "sk-very-secret-value";
  const secrets = { OPENAI_API_KEY: KEY };
  const other = { name: "other", agent: new Agent({ name: "b", model: openai("gpt-5-mini") }), enabled: false };
  const workflow = (fn) => new Workflow({ name: "ask", steps: [{ name: "ask", agent: new Agent({ name: "a", model: customModel("parrot", fn) }) }, other] });
  const telling = workflow(() => ["it is ", KEY.slice(0, 5), KEY.slice(5), "!"]).start({ secrets });
  const emitted = await telling.result;
  assert.equal(emitted.status, "done", emitted.errors[0]?.message);
  assert.doesNotMatch(JSON.stringify([emitted, await eventsOf(telling)]), /very-secret/);
  const { errors } = await workflow(() => { throw new Error(`refused: ${KEY}`); }).run({ secrets });
  assert.match(errors[0].message, /^the model `parrot` failed: refused: /);
  assert.doesNotMatch(`${errors[0].message} ${errors[0].cause.message} ${errors[0].cause.stack}`, /very-secret/);
});

test("a step of an agent may ask the same function by another name", async () => {
  const { think } = await import("stepweave/reasoning");
  const agent = new ReasoningAgent({
    name: "planner",
    model: customModel("parrot", ({ model }) => `I am ${model}`),
    steps: [think("first", () => "Who?"), think("second", { model: "cockatoo" }, () => "Who?")],
  });
  const { results } = await agent.run("x");
  assert.deepEqual(results, { first: "I am parrot", second: "I am cockatoo" });
});

test("customModel refuses what is no model", () => {
  for (const [args, message, hint] of [
    [[""], "customModel() needs a name", 'write customModel("my-model", async (request) => "…")'],
    [[undefined], "customModel() needs a name", 'write customModel("my-model", async (request) => "…")'],
    [["parrot"], "the model parrot needs a function", 'write customModel("parrot", async (request) => "…")'],
    [["parrot", {}], "the model parrot needs a function", 'write customModel("parrot", async (request) => "…")'],
    [["parrot", () => "", { Params: {} }], "customModel() has no option `Params`", "did you mean `params`?"],
  ]) {
    assert.throws(() => customModel(...args), { name: "StepweaveError", code: "validation", message, hint });
  }
});

test("how often a model was tried is said whole, where its error has no hint", async () => {
  const down = customModel("down", () => Promise.reject(new StepweaveError("network", "down", { retryable: true })));
  const step = { name: "one", agent: new Agent({ name: "a", model: down }), type: "agent", inputFrom: "Hi", retryCount: 1 };
  const { error } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [step] }).run();
  assert.equal(error.hint, "it was tried 2 times");
});
