import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, demo, StepweaveError, tool } from "stepweave";
import { act, observe, ReasoningAgent, run, step, synthesize, think } from "stepweave/reasoning";
import { memoryStore } from "stepweave/stores";
import { choice, echo, endpoint, model } from "./chain-support.js";
import { eventsOf, rejection, turn } from "./support.js";

/** A step that computes its result itself. */
const local = (name, func, options = {}) => act(name, { sendToLlm: false, ...options }, func);
const chain = (...steps) => new ReasoningAgent({ name: "a", model: model(), steps });
const types = (events) => events.filter(({ type }) => type !== "step.delta").map(({ type, step }) => (step ? `${type} ${step.id}` : type));

test("1.6/67 a custom run is a function, alone or with a description", async () => {
  const func = async (input) => `ran ${input}`;
  for (const custom of [func, run(func), run(func, { description: "runs" })]) {
    const agent = new ReasoningAgent({ name: "a", model: demo(), run: custom });
    assert.equal((await agent.run("x")).value, "ran x");
  }
  assert.throws(() => run("text"), { code: "validation" });
});

test("1.6/68 a custom run is called with the agent that runs, bound to its run", async () => {
  const agent = new ReasoningAgent({ name: "bound", model: demo(), steps: [local("s", (input) => `${input}!`)], run: async (input, own) => [own.name, await own.steps.s(input)] });
  assert.deepEqual((await agent.run("x")).value, ["bound", "x!"]);
});

test("1.6/69 the custom run of an agent keeps its description and its function's name", () => {
  const agent = new ReasoningAgent({ name: "a", model: demo(), run: run(function drafts() {}, { description: "drafts, then reviews" }) });
  assert.deepEqual([agent.customRun.name, agent.customRun.description], ["drafts", "drafts, then reviews"]);
  assert.ok(Object.isFrozen(agent.customRun));
});

test("1.6/70 a custom run takes the place of the sequence: only the steps that it calls are run", async () => {
  const fetch = echo();
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("one", (input) => `1 ${input}`), think("two", (input) => `2 ${input}`), think("three", () => "3")],
    run: async (input, { steps }) => steps.one(await steps.two(input)) });
  const { value, results, stepResults } = await agent.run("x", { fetch });
  assert.equal(value, "<1 <2 x>>");
  assert.deepEqual(results, { two: "<2 x>", one: "<1 <2 x>>" });
  assert.deepEqual(stepResults.map(({ id, path, status }) => `${id} ${path} ${status}`), ["two steps[1] done", "one steps[0] done", "run() steps[3] done"]);
});

test("1.6/71 a custom run is given the input as it is, whatever JSON it is", async () => {
  const agent = new ReasoningAgent({ name: "a", model: demo(), run: (input) => ({ got: input }) });
  for (const input of [{ a: [1] }, null, 5, ["x"], ""]) assert.deepEqual((await agent.run(input)).value, { got: input });
});

test("1.6/72 an agent has one custom run at most", () => {
  const func = () => "";
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), run: [func, func] }), { code: "validation", hint: /exactly one/ });
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), steps: [run(func), run(func)] }), { code: "validation", message: "steps[0] of a is no step" });
});

test("1.6/73 what a custom run's steps result in is in the context under their names", async () => {
  let seen;
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [local("one", (input) => input.length), local("none", (input) => null)],
    run: async (input, { steps }, context) => { await steps.one(input); await steps.none(input); seen = context.results; } });
  const { value, results } = await agent.run("x");
  assert.deepEqual([value, results, seen, agent.context.results], [null, { one: 1 }, { one: 1 }, { one: 1 }]);
});

test("1.6/74 1.8/105 what a custom run throws ends the run, keeps its kind and has its cause", async () => {
  const boom = new RangeError("boom");
  const thrown = await new ReasoningAgent({ name: "a", model: demo(), run: () => { throw boom; } }).run("x");
  assert.deepEqual([thrown.status, thrown.error.code, thrown.error.cause, thrown.error.step.name], ["error", "handler", boom, "run"]);
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("s", (input) => input)], run: (input, { steps }) => steps.s(input) });
  const refused = await agent.run("x", { fetch: endpoint(401) });
  assert.deepEqual([refused.error.code, refused.error.cause.code, refused.error.cause.step.name], ["auth", "auth", "s"]);
  assert.deepEqual(refused.errors, [refused.error.cause]);
});

test("1.6/74 a custom run may catch a step's failure, which is emitted all the same", async () => {
  const broken = new ReasoningAgent({ name: "a", model: demo(), steps: [local("bad", (input) => { throw new Error(input); })],
    run: async (input, { steps }) => steps.bad(input).catch((error) => `${error.code} ${error.step.name}`) });
  const { status, value, errors } = await broken.run("no");
  assert.deepEqual([status, value, errors.length, errors[0].message], ["done", "handler bad", 1, "no"]);
});

test("a custom run is emitted as one run: its steps between its beginning and its end, each event with the next number", async () => {
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("one", (input) => input), think("two", (input) => input)],
    run: async (input, { steps }) => Promise.all([steps.one(input), steps.two(input)]) });
  const events = await eventsOf(agent.start("x", { fetch: echo() }));
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index));
  const emitted = types(events);
  assert.deepEqual([emitted[0], emitted[1], emitted.at(-2), emitted.at(-1)], ["run.start", "step.start run()", "step.done run()", "run.done"]);
  assert.deepEqual(emitted.slice(2, -2).sort(), ["step.done one", "step.done two", "step.start one", "step.start two"]);
  const { result } = events.at(-1);
  assert.deepEqual([result.value, result.usage], [["<x>", "<x>"], { inputTokens: 6, outputTokens: 4 }]);
});

test("when a custom run has ended or is cancelled, nothing that it calls begins or goes on", async () => {
  let begun = 0;
  let kept;
  const slow = local("slow", async (_, { signal }) => { begun += 1; await new Promise((resolve) => signal.addEventListener("abort", resolve)); }, { inputs: 1 });
  const left = new ReasoningAgent({ name: "a", model: demo(), steps: [slow], run: async (input, { steps }) => { kept = steps; void steps.slow(input); await turn(); return "early"; } });
  const result = await left.run("x");
  assert.deepEqual([result.value, result.stepResults.map(({ id, status }) => [id, status]), begun], ["early", [["slow", "cancelled"], ["run()", "done"]], 1]);
  assert.match((await rejection(kept.slow("x"))).message, /only while a custom run goes on/);

  const codes = [];
  const stubborn = new ReasoningAgent({ name: "a", model: demo(), steps: [slow], run: async (input, { steps }) => { for (let i = 0; i < 3; i += 1) await steps.slow(input).catch(({ code }) => codes.push(code)); } });
  const run = stubborn.start("x");
  await turn();
  run.cancel("enough");
  const { status, stepResults } = await run.result;
  await turn();
  assert.deepEqual([status, begun, codes], ["cancelled", 2, ["cancelled", "cancelled", "cancelled"]]);
  assert.deepEqual(stepResults.map(({ id, status }) => [id, status]), [["slow", "cancelled"], ["run()", "cancelled"]]);
});

test("a step that a custom run calls is given what it takes: another number, or what JSON cannot hold, is refused", async () => {
  const agent = (call) => new ReasoningAgent({ name: "a", model: demo(), steps: [local("two", (a, b) => [a, b])], run: (_, { steps }) => call(steps) });
  assert.match((await agent(({ two }) => two("x")).run()).error.message, /`two` takes 2 inputs, but was called with 1/);
  assert.match((await agent(({ two }) => two("x", { at: new Date(0) })).run()).error.message, /inputs\[1\]\.at is a Date, which JSON cannot hold/);
  assert.deepEqual((await agent(({ two }) => two("x", { at: 0 })).run()).value, ["x", { at: 0 }]);
});

test("1.7/76 steps run in the order in which they are listed", async () => {
  const order = [];
  const named = (name) => local(name, () => void order.push(name));
  await chain(named("c"), named("a"), named("b")).run("x");
  assert.deepEqual(order, ["c", "a", "b"]);
});

test("1.7/77 steps are shared by putting them in the lists of several agents", async () => {
  const shared = [local("one", (input) => `${input}1`)];
  assert.equal((await chain(...shared, local("two", (latest) => `${latest}2`)).run("x")).value, "x12");
  assert.equal((await chain(...shared).run("y")).value, "y1");
});

test("1.7/78 two steps of one name are refused", () => {
  assert.throws(() => chain(local("one", () => 1), local("one", () => 2)), { code: "validation", message: "a has two steps named `one`" });
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), steps: [() => 1] }), { message: "steps[0] of a is no step" });
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), steps: "one" }), { message: "the steps of a are no list" });
});

test("1.7/79 an agent whose list of steps is empty cannot be run", async () => {
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [] });
  const error = await rejection(agent.run("x"));
  assert.deepEqual([error.code, error.message], ["validation", "the agent a has no steps and no custom run"]);
  assert.equal(await rejection(eventsOf(agent.start("x"))).then(({ message }) => message), error.message);
});

test("what only runs of an agent need is refused for one that has none", () => {
  for (const option of [{ retryPolicy: { maxRetries: 1 } }, { maxHistorySize: 5 }, { steps: [] }]) {
    assert.throws(() => new Agent({ name: "a", model: demo(), ...option }), { code: "validation", message: /^the agent a has `\w+`, which only agents with steps have$/, hint: /stepweave\/reasoning/ });
    assert.ok(new ReasoningAgent({ name: "a", model: demo(), run: () => 1, ...option }));
  }
  const bounded = (limits) => () => new Agent({ name: "a", model: demo(), limits });
  assert.throws(bounded({ maxToken: 5 }), { code: "validation", message: "the limits of the agent a have no `maxToken`", hint: "did you mean `maxTokens`?" });
  assert.throws(bounded({ timeoutMs: 5 }), { message: "the limits of the agent a have no `timeoutMs`", hint: /^the limits of one answer are maxTokens and maxCost; / });
  assert.ok(new ReasoningAgent({ name: "a", model: demo(), run: () => 1, limits: { timeoutMs: 5 } }));
});

test("1.7/80 1.7/81 a run begins with its input as current and original, without the results and the state of the last, in iteration 1", async () => {
  const seen = [];
  const agent = chain(local("one", (input, context) => {
    seen.push([context.input, context.originalInput, context.results, context.state.all(), context.iteration, context.history.length]);
    context.state.set("left", input);
    return input;
  }, { inputs: 1 }));
  await agent.run("x");
  await agent.run("y", { state: { given: [1] } });
  assert.deepEqual(seen, [["x", "x", {}, {}, 1, 0], ["y", "y", {}, { given: [1] }, 1, 1]]);
});

test("1.7/82 1.7/86 a step with one input gets the input at first, then the latest result", async () => {
  const seen = [];
  await chain(local("one", (a) => (seen.push(a), "r1")), local("two", (a) => (seen.push(a), "r2")), local("three", (a) => seen.push(a))).run("x");
  assert.deepEqual(seen, ["x", "r1", "r2"]);
});

test("1.7/83 a step takes as many inputs as its function has parameters without a default, unless it says how many", async () => {
  const counts = [];
  const count = (...args) => counts.push(args.length - 1);
  await chain(
    local("one", (a, b = 1) => count(a, b)),
    local("two", (a, b = 1, c = 2) => count(a, b, c), { inputs: 2 }),
    local("rest", (...all) => count(...all)),
    local("three", (...all) => count(...all), { inputs: 3 }),
  ).run("x");
  assert.deepEqual(counts, [1, 2, 0, 3]);
});

test("1.7/84 a step that takes more than there is fails, and says how many there are and which", async () => {
  const { status, error } = await chain(local("one", () => 1), local("none", () => null), local("greedy", (a, b, c) => [a, b, c])).run("x");
  assert.equal(status, "error");
  assert.deepEqual([error.code, error.step.name], ["validation", "greedy"]);
  assert.equal(error.message, "the step `greedy` takes 3 inputs, but there are only 2: the result of `one`, the input");
  const first = await chain(local("greedy", (a, b) => [a, b])).run("x");
  assert.equal(first.error.message, "the step `greedy` takes 2 inputs, but there is only 1: the input");
  assert.match(first.error.hint, /context, write inputs: 1$/);
});

test("1.7/85 a step that takes nothing is given the context alone", async () => {
  let given;
  await chain(local("one", () => 1), local("look", (...args) => void (given = args))).run("x");
  assert.equal(given.length, 1);
  assert.deepEqual([given[0].results, given[0].input], [{ one: 1 }, 1]);
});

test("1.7/87 1.7/88 results are handed over the latest first, and the input last", async () => {
  const all = (name, inputs) => local(name, (...args) => (seen.push(args.slice(0, -1)), name), { inputs });
  let seen = [];
  await chain(all("r1", 1), all("r2", 2), all("r3", 3), all("r4", 4)).run("in");
  assert.deepEqual(seen, [["in"], ["r1", "in"], ["r2", "r1", "in"], ["r3", "r2", "r1", "in"]]);
  seen = [];
  await chain(all("r1", 1), all("r2", 1), all("r3", 2), all("r4", 3)).run("in");
  assert.deepEqual(seen, [["in"], ["r1"], ["r2", "r1"], ["r3", "r2", "r1"]]);
});

test("1.7/87 what was passed on comes first, every other result after it, the latest first", async () => {
  const aside = { config: { passResult: false } };
  const given = [];
  const look = (name, inputs) => local(name, (...args) => void given.push(args.slice(0, -1)), { inputs });
  await chain(local("n0", () => "n0", aside), look("l0", 2), local("r1", () => "r1"), local("n2", () => "n2", aside), look("l1", 4)).run("in");
  assert.deepEqual(given, [["in", "n0"], ["r1", "n2", "n0", "in"]]);
});

test("1.7/89 what a generator gives is collected before it is handed over: texts joined, of other chunks the last, of none nothing", async () => {
  const seen = [];
  const keep = (name) => local(name, (latest) => void seen.push(latest));
  await chain(
    local("texts", async function* () { yield "a"; yield "b"; }), keep("k1"),
    local("others", function* () { yield 1; yield { n: 2 }; }), keep("k2"),
    local("mixed", function* () { yield "a"; yield 2; }), keep("k3"),
    local("none", function* () {}), keep("k4"),
    local("list", () => ["a", "b"]), keep("k5"),
    local("stream", () => new Response("streamed").body.pipeThrough(new TextDecoderStream())), keep("k6"),
  ).run("x");
  assert.deepEqual(seen, ["ab", { n: 2 }, 2, 2, ["a", "b"], "streamed"]);
});

test("1.7/90 1.8/104 a result that is not null is stored and passed on", async () => {
  const seen = [];
  const look = (name) => local(name, (context) => void seen.push([context.input, { ...context.results }]), { inputs: 0 });
  const { results, state } = await chain(local("one", () => false), look("l1"), local("null", () => null), local("undef", () => {}), look("l2"), local("zero", () => 0)).run("x");
  assert.deepEqual(seen, [[false, { one: false }], [false, { one: false }]]);
  assert.deepEqual([results, state], [{ one: false, zero: 0 }, { input: "x", one_output: false, zero_output: 0 }]);
});

test("1.7/91 a failure names its step and has what was thrown as its cause", async () => {
  const boom = new TypeError("boom");
  const { error, stepResults } = await chain(local("fine", () => 1), local("bad", () => { throw boom; })).run("x");
  assert.deepEqual([error.step.name, error.step.path, error.message, error.cause], ["bad", "steps[1]", "boom", boom]);
  assert.deepEqual(stepResults.map(({ name, status }) => [name, status]), [["fine", "done"], ["bad", "error"]]);
});

test("1.7/92 steps are found by name, by type, or all in their order", () => {
  const steps = [think("one", () => ""), observe("two", () => ""), think("three", () => ""), synthesize("four", () => "")];
  const agent = chain(...steps);
  assert.equal(agent.findStep("two"), steps[1]);
  assert.equal(agent.findStep("toString"), undefined);
  assert.deepEqual(agent.listSteps(), steps);
  assert.deepEqual(agent.listSteps("think"), [steps[0], steps[2]]);
  assert.deepEqual(agent.listSteps("act"), []);
  assert.throws(() => agent.listSteps("dream"), { code: "validation" });
  agent.listSteps().pop();
  assert.equal(agent.listSteps().length, 4);
});

test("1.7/93 1.13/160 a reset forgets the last run and keeps the steps and the history", async () => {
  const agent = chain(local("one", (input) => input));
  await agent.run("x");
  await agent.run("y");
  agent.reset();
  assert.deepEqual([agent.context.results, agent.context.originalInput, agent.context.iteration, agent.context.history.length], [{}, undefined, 0, 1]);
  assert.equal((await agent.run("z")).value, "z");
  agent.resetContext();
  assert.deepEqual([agent.context.results, agent.context.history.map(({ input }) => input)], [{}, ["x"]]);
});

test("1.7/94 after a run, also one that failed, its steps refuse to be called and the agent can be run again", async () => {
  const kept = [];
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [local("s", (input) => input)], run: (input, { steps }) => { kept.push(steps); if (input === "bad") throw new Error("no"); return steps.s(input); } });
  assert.equal((await agent.run("bad")).status, "error");
  assert.equal((await agent.run("good")).value, "good");
  for (const steps of kept) assert.equal((await rejection(steps.s("x"))).code, "validation");
});

test("1.8/95 the function is called, its text is the prompt, the model's answer is the result that is stored and passed on", async () => {
  const fetch = echo();
  const order = [];
  const agent = new ReasoningAgent({ name: "a", model: model(), instructions: "Be brief.", steps: [
    think("ask", (input) => (order.push("called"), `Think: ${input}`)),
    local("after", (answer) => (order.push(answer), answer.toUpperCase())),
  ] });
  const { value, text, results, usage } = await agent.run("x", { fetch });
  assert.deepEqual(order, ["called", "<Think: x>"]);
  assert.deepEqual([fetch.bodies[0].system, fetch.bodies[0].prompt], ["Be brief.", "Think: x"]);
  assert.deepEqual([value, text, results, usage], ["<THINK: X>", "<THINK: X>", { ask: "<Think: x>", after: "<THINK: X>" }, { inputTokens: 3, outputTokens: 2 }]);
});

test("1.8/96 a step that calls a model must return a text, or what streams one: anything else fails it before a model is called", async () => {
  for (const [returned, what] of [[{ a: 1 }, "an object"], [["a"], "a list"], [5, "a number"], [undefined, "nothing"], [null, "nothing"]]) {
    const fetch = echo();
    const { error } = await chain(think("ask", () => returned)).run("x", { fetch });
    assert.deepEqual([error.code, error.message, fetch.bodies.length], ["handler", `the step \`ask\` returned ${what}, not the text of a prompt`, 0]);
    assert.match(error.hint, /sendToLlm: false/);
  }
  const fetch = echo();
  assert.equal((await chain(think("ask", async function* (input) { yield "Think: "; yield input; })).run("x", { fetch })).value, "<Think: x>");
});

test("1.8/97 1.8/98 what a step that sends nothing returns is its result, whatever JSON it is", async () => {
  const fetch = echo();
  for (const value of ["text", 0, false, [1, { a: null }], { deep: { er: [] } }]) {
    const result = await chain(local("s", () => value)).run("x", { fetch });
    assert.deepEqual([result.value, result.text], [value, typeof value === "string" ? value : undefined]);
  }
  assert.equal(fetch.bodies.length, 0);
  const { error } = await chain(local("s", () => ({ when: new Date(0) }))).run("x");
  assert.match(error.message, /s_output\.when is a Date/);
});

test("1.8/99 a step calls its own model, else the agent's", async () => {
  const fetch = echo();
  await chain(think("one", { model: "other" }, (a) => a), think("two", (a) => a)).run("x", { fetch });
  assert.deepEqual(fetch.bodies.map((body) => body.model), ["other", "m"]);
});

test("1.8/100 1.8/101 flags live on steps: those of a model config are in no request, its extras are", async () => {
  const fetch = echo();
  await chain(think("s", { model: { name: "m", jsonOutput: true, returnFullResponse: true, stop: ["."] } }, (a) => a)).run("x", { fetch });
  const { stop, stream, jsonOutput, json_output, returnFullResponse, response_format } = fetch.bodies[0];
  assert.deepEqual([stop, stream, jsonOutput, json_output, returnFullResponse, response_format], [["."], true, undefined, undefined, undefined, undefined]);
});

test("1.8/102 1.8/105 1.8/106 errors keep their kind: there is one class, with a code, a cause and the step", async () => {
  const of = async (answer) => (await chain(think("s", (a) => a)).run("x", { fetch: endpoint(answer) })).error;
  const boom = new TypeError("fetch failed");
  const failures = await Promise.all([401, 429, 500, () => { throw boom; }].map(of));
  assert.deepEqual(failures.map(({ code }) => code), ["auth", "rate_limit", "model", "network"]);
  for (const error of failures) assert.ok(error instanceof StepweaveError && error.step.name === "s");
  assert.equal(failures[3].cause, boom);
});

test("1.8/103 a run results in a text, in data, or in nothing when every step is left out", async () => {
  const off = { config: { enabled: false } };
  assert.equal((await chain(local("one", () => 1, off)).run("x")).value, "x");
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [local("one", () => 1, off)], run: async (input, { steps }) => ({ none: (await steps.one("x").catch((e) => e.message)) ?? null }) });
  assert.deepEqual((await agent.run("x")).value, { none: "the step `one` takes 0 inputs, but was called with 1" });
  const none = new ReasoningAgent({ name: "a", model: demo(), steps: [local("one", () => 1, off)], run: async (_, { steps }) => String(await steps.one()) });
  assert.equal((await none.run("x")).value, "undefined");
});

test("an agent is run and emits as a workflow does: events, cancel, leaving the loop, rejected options", async () => {
  const agent = chain(think("one", (a) => a), local("two", (a) => a));
  const events = await eventsOf(agent.start("x", { fetch: echo() }));
  assert.deepEqual(types(events), ["run.start", "step.start one", "step.done one", "step.start two", "step.done two", "run.done"]);
  assert.equal(events.at(-1).result.value, "<x>");
  const run = agent.start("x", { fetch: echo() });
  assert.equal((await eventsOf(run))[0].runId, run.id);
  assert.equal((await run.result).runId, run.id);
  const early = agent.start("x", { fetch: echo() });
  early.cancel("changed my mind");
  assert.deepEqual(await early.result.then(({ status, value, stepResults }) => [status, value, stepResults]), ["cancelled", undefined, []]);
  const fetch = echo();
  for await (const event of agent.stream("x", { fetch })) if (event.type === "step.start") break;
  await turn();
  assert.equal((await rejection(agent.run("x", { secret: {} }))).message, "a run has no option `secret`");
  assert.match((await rejection(agent.run({ at: new Date(0) }))).message, /^the input\.at is a Date/);
});

test("runs of one agent at the same time do not touch each other", async () => {
  const agent = chain(local("wait", async (input, context) => { context.state.set("mine", input); await turn(); return context.state.get("mine"); }, { inputs: 1 }), local("end", (latest, input) => `${latest}${input}`));
  const values = await Promise.all(["x", "y", "z"].map(async (input) => (await agent.run(input)).value));
  assert.deepEqual(values, ["xx", "yy", "zz"]);
  await agent.run("last");
  assert.deepEqual(agent.context.history.map(({ input }) => input).sort(), ["x", "y", "z"]);
});

test("limits hold for an agent's run and for the steps that a custom run calls", async () => {
  const hang = (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const slow = local("slow", hang, { inputs: 1 });
  const whole = await new ReasoningAgent({ name: "a", model: demo(), steps: [slow], limits: { timeoutMs: 20 } }).run("x");
  assert.equal(whole.error.code, "timeout");
  const one = await new ReasoningAgent({ name: "a", model: demo(), steps: [slow], limits: { stepTimeoutMs: 20 }, run: (input, { steps }) => steps.slow(input) }).run("x");
  assert.deepEqual([one.error.code, one.error.cause.step.name], ["timeout", "slow"]);
  const custom = await new ReasoningAgent({ name: "a", model: demo(), steps: [slow], limits: { timeoutMs: 20 }, run: (input, { steps }) => steps.slow(input) }).run("x");
  assert.equal(custom.error.code, "timeout");
});

test("a step named like what an object has, or like the custom run, is a step like any other", async () => {
  const names = ["__proto__", "constructor", "toString", "run", "input", "output"];
  const result = await chain(...names.map((name) => local(name, () => name))).run("x");
  assert.deepEqual(Object.entries(result.results), names.map((name) => [name, name]));
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [step({ type: "act", name: "run", sendToLlm: false, func: () => "own" })], run: (_, { steps }) => steps.run() });
  assert.equal((await agent.run("x")).value, "own");
});

test("an agent's run that is taken up from a journal goes on under its own id", async () => {
  let fails = true;
  const steps = [
    local("one", (input) => `${input}!`),
    local("two", (one) => { if (fails) throw new Error("not yet"); return `${one}?`; }),
  ];
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps });
  const first = agent.start("x", { journal: true });
  const { journal, status } = await first.result;
  assert.deepEqual([status, journal.id], ["error", first.id]);
  fails = false;
  const second = agent.start("x", { journal });
  const { value } = await second.result;
  assert.deepEqual([second.id, value], [first.id, "x!?"]);
});

test("requests of the steps that a custom run calls belong to the trace of the run", async () => {
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (const run of [undefined, (input, { steps }) => steps.ask(input)]) {
    const sent = [];
    const answering = echo();
    const fetch = (url, init) => (sent.push(new Headers(init.headers).get("traceparent")), answering(url, init));
    const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("ask", (input) => input)], run });
    const { text } = await agent.run("x", { fetch, trace: { parent, origins: ["http://llm.example"] } });
    assert.deepEqual([text, sent], ["<x>", [parent]]);
  }
});

test("the options `state` and `stream` of an agent's run are refused where they are no object, and neither true nor false", async () => {
  const agent = chain(local("one", () => 1));
  for (const [options, message] of [
    [{ state: [1] }, "the option `state` is [1]"],
    [{ state: "abc" }, 'the option `state` is "abc"'],
    [{ state: new Map() }, "state is a Map, which JSON cannot hold"],
    [{ stream: "yes" }, 'the option `stream` is "yes"'],
    [{ stream: null }, "the option `stream` is null"],
  ]) {
    const { code, message: said } = await rejection(agent.run("x", options));
    assert.deepEqual([code, said], ["validation", message]);
  }
});

test("tools that were chosen, and what a step computes itself, leave the budget of a run alone", async () => {
  const big = tool({ name: "big", execute: () => "y".repeat(40_000) });
  const used = { type: "usage", inputTokens: 5, outputTokens: 5 };
  const answering = ({ output }) => [{ type: "text", text: output === undefined ? "It is." : choice(["big", {}]) }, used];
  const steps = [think("ask", (input) => input), act("count", { sendToLlm: false, jsonOutput: true }, (text) => text.length)];
  for (const [limits, price, cost] of [[{ maxTokens: 15_000 }, undefined, {}], [{ maxCost: 1 }, { input: 1, output: 1 }, { cost: 20 / 1e6 }]]) {
    const agent = new ReasoningAgent({ name: "a", model: customModel("m", answering, { price }), tools: [big], steps, limits });
    const { status, value, usage, warnings, error } = await agent.run("x");
    assert.deepEqual([status, value, usage, warnings], ["done", 6, { inputTokens: 10, outputTokens: 10, ...cost }, []], error?.message);
  }
});

test("a run that goes on from its journal needs no input: it has that of the journal", async () => {
  let isOpen = false;
  const agent = () => chain(local("one", (input) => [input]), local("two", (one, input, context) => { if (!isOpen) throw new Error("closed"); return [one, input, context.originalInput]; }, { inputs: 2 }));
  const { journal } = await agent().run("bees", { journal: true });
  isOpen = true;
  const { status, value, state, context } = await agent().run(undefined, { journal });
  assert.deepEqual([status, value, state.input, context.originalInput], ["done", [["bees"], "bees", "bees"], "bees", "bees"]);
  assert.match((await rejection(agent().run("ants", { journal }))).message, /began with another state/);
  const fresh = await chain(local("one", (input) => ({ input }))).run(undefined, { store: memoryStore(), journal: "run-1" });
  assert.deepEqual(fresh.value, { input: null });
});
