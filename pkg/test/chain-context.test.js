import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, StepweaveError } from "stepweave";
import { act, createAgent, ReasoningAgent, think } from "stepweave/reasoning";
import { echo, model, refusals } from "./chain-support.js";

const local = (name, func, options = {}) => act(name, { sendToLlm: false, ...options }, func);
const agentOf = (definition = {}) => new ReasoningAgent({ name: "a", model: demo(), steps: [local("one", (input) => `1${input}`), local("two", (latest) => `2${latest}`)], ...definition });
const inputs = (agent) => agent.context.history.map(({ input }) => input);

test("1.13/153 a context has state, results, inputs, history and an iteration, and begins empty", async () => {
  const agent = agentOf();
  const { context } = agent;
  assert.deepEqual(
    [context.state.all(), context.results, context.input, context.originalInput, context.history, context.maxHistorySize, context.iteration],
    [{}, {}, undefined, undefined, [], 10, 0],
  );
  const result = await agent.run("x");
  assert.equal(result.context, agent.context);
  assert.deepEqual([agent.context.input, agent.context.originalInput, agent.context.iteration], ["21x", "x", 1]);
});

test("1.13/153 what a step keeps is there for the steps after it, is plain data, and is shown when the run is over", async () => {
  const seen = [];
  const agent = agentOf({ steps: [
    think("ask", { inputs: 1 }, (input, { state }) => { state.set("list", [input]); return "?"; }),
    local("use", ({ state }) => { seen.push(state.get("list"), state.get("none")); assert.throws(() => state.get("list").push(1), TypeError); state.set("list", null); }, { inputs: 0 }),
    local("spoil", ({ state }) => state.set("when", new Date(0)), { inputs: 0 }),
  ] });
  const { error } = await agent.run("x");
  assert.deepEqual(seen, [["x"], undefined]);
  assert.equal(error.message, "state.when is a Date, which JSON cannot hold");
  assert.deepEqual(agent.context.state.all(), { list: null });
});

test("1.13/153 a step's context is a workflow's context too", async () => {
  let given;
  const agent = agentOf({ steps: [local("look", (context) => { given = context; context.log("seen"); context.sessionState.set("n", 1); return context.sessionState.get("n"); }, { inputs: 0 })] });
  const warnings = [];
  const run = agent.start("x", { sessionId: "s", userId: "u", tenantId: "t", metadata: { m: 1 }, dependencies: { d: 2 } });
  for await (const event of run.events) if (event.type === "run.warning") warnings.push(event.message);
  assert.deepEqual(
    [given.runId, given.sessionId, given.userId, given.tenantId, given.metadata, given.dependencies, given.step.name, given.attempt, given.signal.aborted],
    [run.id, "s", "u", "t", { m: 1 }, { d: 2 }, "look", 1, false],
  );
  assert.ok(given.idempotencyKey.startsWith(run.id));
  assert.deepEqual([warnings, (await run.result).value], [["seen"], 1]);
});

test("1.13/153 the steps that a custom run calls share its state and its session", async () => {
  const agent = agentOf({
    steps: [local("put", (key, { state, sessionState }) => { state.set(key, 1); sessionState.set(key, 2); return key; }, { inputs: 1 })],
    run: async (_, { steps }, { state, sessionState }) => { await steps.put("a"); state.set("b", 3); await steps.put("c"); return [state.all(), sessionState.get("a"), sessionState.get("c")]; },
  });
  assert.deepEqual((await agent.run("x")).value, [{ a: 1, b: 3, c: 1 }, 2, 2]);
});

test("1.13/154 the next run puts the last into the history: its input, its results, its iteration and when", async () => {
  let now = Date.UTC(2030, 0, 1);
  const agent = agentOf();
  await agent.run({ q: 1 }, { clock: { now: () => now, sleep: async () => {} } });
  assert.deepEqual(agent.context.history, []);
  now += 1000;
  await agent.run("y");
  assert.deepEqual(agent.context.history, [{ input: { q: 1 }, results: { one: "1[object Object]", two: "21[object Object]" }, iteration: 1, timestamp: "2030-01-01T00:00:01.000Z" }]);
  assert.ok(Object.isFrozen(agent.context.history[0]));
});

test("1.13/154 a run without results leaves nothing in the history, one that failed leaves what it had", async () => {
  const agent = agentOf({ steps: [local("none", () => null), local("half", (input) => (input === "empty" ? null : input)), local("end", (input) => { if (input === "bad") throw new Error("no"); })] });
  for (const input of ["empty", "bad", "x"]) await agent.run(input);
  assert.deepEqual(agent.context.history.map(({ input, results }) => [input, results]), [["bad", { half: "bad" }]]);
});

test("1.13/154 within a custom run another input does the same and counts the iteration up", async () => {
  const agent = agentOf({ run: async (input, { steps, setInput }, context) => {
    await steps.one(input);
    setInput("again");
    const between = [context.results, context.input, context.originalInput, context.iteration, context.history.map((past) => past.input)];
    await steps.two("z");
    return between;
  } });
  const { value, results } = await agent.run("x");
  assert.deepEqual([value, results], [[{}, "again", "again", 2, ["x"]], { two: "2z" }]);
});

test("1.13/155 clear keeps the history and forgets everything else; clearAll forgets the history too", async () => {
  const agent = agentOf();
  await agent.run("x");
  await agent.run("y", { state: { k: 1 } });
  const { context } = agent;
  assert.deepEqual([context.state.get("k"), inputs(agent)], [1, ["x"]]);
  context.clear();
  assert.deepEqual([context.state.all(), context.results, context.input, context.originalInput, context.iteration, inputs(agent)], [{}, {}, undefined, undefined, 0, ["x"]]);
  await agent.run("z");
  assert.deepEqual(inputs(agent), ["x"]);
  agent.context.clearAll();
  assert.deepEqual([agent.context.results, inputs(agent)], [{}, []]);
});

test("1.13/156 the result of a step that is not there is undefined", async () => {
  const agent = agentOf();
  await agent.run("x");
  assert.deepEqual([agent.context.resultOf("one"), agent.context.resultOf("other"), agent.context.resultOf("toString")], ["1x", undefined, undefined]);
});

test("1.13/157 the size of the history holds the newest, 0 keeps none, and a negative one is refused", async () => {
  const agent = agentOf({ maxHistorySize: 2 });
  for (const input of ["a", "b", "c", "d"]) await agent.run(input);
  assert.deepEqual(inputs(agent), ["b", "c"]);
  agent.context.setMaxHistorySize(1);
  assert.deepEqual(inputs(agent), ["c"]);
  agent.context.setMaxHistorySize(0);
  assert.deepEqual(inputs(agent), []);
  await agent.run("e");
  assert.deepEqual([inputs(agent), agent.context.maxHistorySize], [[], 0]);
  assert.throws(() => agent.context.setMaxHistorySize(-1), { code: "validation", message: /from 0, not -1/ });
  assert.throws(() => agentOf({ maxHistorySize: 1.5 }), { code: "validation" });
  const ten = agentOf();
  for (let count = 0; count < 13; count += 1) await ten.run(count);
  assert.deepEqual(inputs(ten), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("1.13/158 the latest interactions are had as data or as numbered text, with words of their own for nothing yet and for the first query", async () => {
  const texts = [];
  const agent = agentOf({ steps: [local("one", (input, context) => { texts.push(context.historyText()); return { n: input }; }, { inputs: 1 })] });
  assert.equal(agent.context.historyText(), "Nothing was asked yet.");
  const clock = { now: () => Date.UTC(2030, 0, 1), sleep: async () => {} };
  for (const input of ["a", "b", "c", "d"]) await agent.run(input, { clock });
  assert.equal(texts[0], "Nothing came before: this is the first query.");
  assert.equal(texts[1], 'What came before:\n\nInteraction 1 (2030-01-01T00:00:00.000Z)\nInput: a\nResults:\n- one: {"n":"a"}\n\nThe current query follows.');
  const { context } = agent;
  const recent = (count) => context.recentHistory(count).map(({ input }) => input);
  assert.deepEqual([recent(2), recent(0), recent(), recent(9)], [["b", "c"], ["a", "b", "c"], ["a", "b", "c"], ["a", "b", "c"]]);
  assert.match(context.historyText(1), /Interaction 1 .*\nInput: c/);
  assert.doesNotMatch(context.historyText(1), /Interaction 2|Input: b/);
});

test("1.13/159 an agent without a model, or with one that has no name, is refused", () => {
  for (const wrong of [undefined, null, "", {}, { provider: "demo" }, { provider: "demo", model: "" }]) {
    assert.throws(() => new Agent({ name: "a", model: wrong }), { code: "validation", message: "the agent a needs a model" });
  }
});

test("1.13/161 an agent of one step needs a role, a system prompt and a model", () => {
  const good = { role: "translator", systemPrompt: "Translate.", model: demo() };
  assert.deepEqual(refusals(() => createAgent({})), ["text_missing", "text_missing", "model_missing"]);
  for (const key of ["role", "systemPrompt"]) for (const value of ["", "  ", 5]) assert.deepEqual(refusals(() => createAgent({ ...good, [key]: value })), ["text_missing"]);
  assert.deepEqual(refusals(() => createAgent({ ...good, model: "gpt" })), ["model_missing"]);
});

test("1.13/161 it calls its model once, with the system prompt, the input, and the parameters of its type", async () => {
  const ask = async (options, input = "Hello") => {
    const fetch = echo();
    const agent = createAgent({ role: "translator", systemPrompt: "Translate.", model: model(), ...options });
    const result = await agent.run(input, { fetch });
    return { agent, result, body: fetch.bodies[0] };
  };
  const { agent, result, body } = await ask({});
  assert.deepEqual([body.system, body.prompt, body.temperature, body.top_p, result.text], ["Translate.", "Hello", 0.2, 0.8, "<Hello>"]);
  assert.equal(String(agent.findStep("translator_step")), "Step(translator_step) | Type: ACT | Model: m");
  assert.equal((await ask({}, { a: 1 })).body.prompt, '{"a":1}');
  const thinking = await ask({ step: "think", temperature: 0.9, modelParams: { seed: 1 } });
  assert.deepEqual([thinking.body.temperature, thinking.body.top_p, thinking.body.seed], [0.9, 0.9, 1]);
  const own = await ask({ step: "translate", topP: 1 });
  assert.deepEqual([own.agent.listSteps()[0].type, own.body.temperature, own.body.top_p], ["act", undefined, 1]);
});

test("1.13/161 its step is named after the role; parameters have their bounds, and core ones their own options", () => {
  const make = (options) => createAgent({ role: "r", systemPrompt: "s", model: demo(), ...options });
  const names = ["code reviewer!", "2nd", "größe", "?!"].map((role) => make({ role }).listSteps()[0].name);
  assert.deepEqual(names, ["codereviewer_step", "_2nd_step", "größe_step", "__step"]);
  assert.deepEqual(refusals(() => make({ temperature: 1.1, topP: -0.1 })), ["out_of_range", "out_of_range"]);
  for (const key of ["name", "model", "stream", "temperature", "system_prompt"]) assert.deepEqual(refusals(() => make({ modelParams: { [key]: 1 } })), ["core_parameter"]);
  assert.deepEqual(refusals(() => make({ step: "no identifier" })), ["name_no_identifier"]);
  assert.deepEqual(refusals(() => make({ stream: true, jsonOutput: true })), ["stream_with_json"]);
  assert.deepEqual(refusals(() => make({ toolSelection: {}, toolConfidence: 1 })), ["tool_selection_twice"]);
  assert.deepEqual(refusals(() => make({ temprature: 1 })), ["unknown_option"]);
});

test("1.13/163 there is one class of errors, with a code and its cause", async () => {
  const boom = new Error("boom");
  const { error } = await agentOf({ steps: [local("bad", () => { throw boom; })] }).run("x");
  assert.ok(error instanceof StepweaveError);
  assert.deepEqual([error.code, error.cause], ["handler", boom]);
  assert.throws(() => agentOf({ steps: [1] }), StepweaveError);
});
