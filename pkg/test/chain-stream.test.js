import assert from "node:assert/strict";
import { test } from "node:test";
import { customModel, StepweaveError, tool } from "stepweave";
import { act, ReasoningAgent, think } from "stepweave/reasoning";
import { choice, endpoint, isChoice, model } from "./chain-support.js";
import { answering, END, eventsOf, piece, rejection, turn } from "./support.js";

/** An endpoint that answers a prompt with these pieces, each as it comes. */
const inPieces = (piecesOf) => (url, init) => answering([...piecesOf(JSON.parse(init.body).messages.at(-1).content).map(piece), END])(url, init);

/** An endpoint that answers with its prompt in pieces of two letters. */
const slowly = () => inPieces((prompt) => `<${prompt}>`.match(/.{1,2}/gs));

const ask = (name, options = {}) => think(name, options, (input) => `${name}:${input}`);
const local = (name, func, options = {}) => act(name, { sendToLlm: false, ...options }, func);
const agentOf = (steps, definition) => new ReasoningAgent({ name: "a", model: model(), steps, ...definition });

/** Which steps emitted how many pieces in a run with this override. */
async function pieces(agent, options) {
  const events = await eventsOf(agent.start("x", { fetch: slowly(), ...options }));
  const emitted = {};
  for (const { type, step, text } of events) if (type === "step.delta") (emitted[step.id] ??= []).push(text);
  return { emitted, result: events.at(-1).result };
}

const texts = async (run) => {
  const found = [];
  for await (const text of run.textStream) found.push(text);
  return found;
};

test("1.9/107 a run that says nothing leaves streaming to its steps; one that says true has its last step stream alone, one that says false none", async () => {
  const agent = agentOf([ask("one", { stream: true }), ask("two"), ask("three", { stream: true }), ask("four")]);
  const streamed = async (stream) => Object.keys((await pieces(agent, { stream })).emitted);
  assert.deepEqual(await streamed(undefined), ["one", "three"]);
  assert.deepEqual(await streamed(true), ["four"]);
  assert.deepEqual(await streamed(false), []);
  assert.deepEqual(Object.keys((await pieces(agentOf([ask("one"), ask("off", { config: { enabled: false } })]), { stream: true })).emitted), ["one"]);
});

test("1.9/108 1.9/109 what the run says wins over the step: true emits the pieces of a last step that says false, false emits none of one that says true", async () => {
  const silent = await pieces(agentOf([ask("s")]), { stream: true });
  assert.deepEqual(silent.emitted, { s: ["<s", ":x", ">"] });
  const loud = await pieces(agentOf([ask("s", { stream: true })]), { stream: false });
  assert.deepEqual([loud.emitted, loud.result.value], [{}, "<s:x>"]);
});

test("1.9/107 stream() has the last step stream by default", async () => {
  const agent = agentOf([ask("one", { stream: true }), ask("two")]);
  const emitted = async (options) => {
    const steps = new Set();
    for await (const event of agent.stream("x", { fetch: slowly(), ...options })) if (event.type === "step.delta") steps.add(event.step.id);
    return [...steps];
  };
  assert.deepEqual(await emitted({}), ["two"]);
  assert.deepEqual(await emitted({ stream: undefined }), ["one"]);
  assert.deepEqual(await emitted({ stream: false }), []);
});

test("1.9/110 the text of a run comes in the pieces of a last step that streams, else in one; a value that is no text is in the result", async () => {
  const start = (steps, options) => agentOf(steps).start("x", { fetch: slowly(), ...options });
  assert.deepEqual(await texts(start([ask("s", { stream: true })])), ["<s", ":x", ">"]);
  assert.deepEqual(await texts(start([ask("s")])), ["<s:x>"]);
  assert.deepEqual(await texts(start([ask("s")], { stream: true })), ["<s", ":x", ">"]);
  assert.deepEqual(await texts(start([ask("s", { stream: true }), local("end", (text) => text.toUpperCase())])), ["<S:X>"]);
  assert.deepEqual(await texts(start([ask("s"), ask("aside", { stream: true, config: { passResult: false } })])), ["<s:x>"]);
  const data = start([local("s", () => ({ n: 1 }))], { stream: true });
  assert.deepEqual([await texts(data), (await data.result).value], [[], { n: 1 }]);
  const custom = agentOf([ask("s", { stream: true })], { run: async (input, { steps }) => `${await steps.s(input)}!` }).start("x", { fetch: slowly() });
  assert.deepEqual(await texts(custom), ["<s:x>!"]);
});

test("1.9/110 the text of a run that fails ends with its error, that of one that is cancelled says so", async () => {
  const failed = agentOf([ask("s")]).start("x", { fetch: endpoint(401) });
  assert.equal((await rejection(texts(failed))).code, "auth");
  const cancelled = agentOf([ask("s")]).start("x", { fetch: slowly() });
  cancelled.cancel();
  const error = await rejection(texts(cancelled));
  assert.deepEqual([error.code, error.message], ["cancelled", "the run ended with the status cancelled"]);
});

test("what is dropped and said again comes once in the text of a run; where it is said otherwise, the text ends with an error and the result stays", async () => {
  const start = (...attempts) => {
    const broken = customModel("broken", async function* () {
      yield* attempts.shift();
      if (attempts.length > 0) throw new StepweaveError("network", "cut", { retryable: true });
    });
    const retryPolicy = { maxRetries: 1, backoffMs: 0, afterFirstDelta: true };
    return new ReasoningAgent({ name: "a", model: broken, retryPolicy, steps: [ask("s", { stream: true })] }).start("x");
  };
  assert.deepEqual(await texts(start(["It ", "is "], ["It", " is", " blue", "."])), ["It ", "is ", "blue", "."]);
  for (const otherwise of ["Blue.", "It"]) {
    const run = start(["It ", "is "], [otherwise]);
    const { code, hint } = await rejection(texts(run));
    assert.equal(code, "conflict", otherwise);
    assert.match(hint, /`text` of the run's `result`.*`step\.reset`/);
    assert.equal((await run.result).text, otherwise);
  }
});

test("1.9/111 what an earlier step streams is collected once: the next step gets the whole text, and the context keeps it", async () => {
  const seen = [];
  const { emitted, result } = await pieces(agentOf([
    ask("one", { stream: true }),
    local("gen", async function* (text) { yield text; yield "!"; }, { stream: true }),
    local("look", (text, context) => void seen.push(text, context.results.one, context.results.gen), { inputs: 1 }),
  ]));
  assert.deepEqual(seen, ["<one:x>!", "<one:x>", "<one:x>!"]);
  assert.deepEqual(emitted, { one: ["<o", "ne", ":x", ">"], gen: ["<one:x>", "!"] });
  assert.deepEqual(result.results, { one: "<one:x>", gen: "<one:x>!" });
});

test("1.9/112 the whole text of a last step that streams is stored when its stream ends, whatever the run says", async () => {
  for (const stream of [undefined, true, false]) {
    const { result } = await pieces(agentOf([ask("s", { stream: true })]), { stream });
    assert.deepEqual([result.value, result.results, result.context.results, result.state], ["<s:x>", { s: "<s:x>" }, { s: "<s:x>" }, { input: "x", s_output: "<s:x>" }]);
  }
});

test("a step that computes its result emits what its generator gives when it streams; of other things the last one counts", async () => {
  const of = (stream, ...chunks) => pieces(agentOf([local("gen", async function* () { yield* chunks; }, { stream })]));
  assert.deepEqual(await of(true, "a", "b").then(({ emitted, result }) => [emitted, result.value]), [{ gen: ["a", "b"] }, "ab"]);
  assert.deepEqual(await of(false, "a", "b").then(({ emitted, result }) => [emitted, result.value]), [{}, "ab"]);
  assert.deepEqual(await of(true, "a", { n: 1 }).then(({ emitted, result }) => [emitted.gen.length, result.value, result.state]), [2, { n: 1 }, { input: "x", gen_output: { n: 1 } }]);
  assert.deepEqual(await of(true).then(({ emitted, result }) => [emitted, result.value, result.results]), [{}, "x", {}]);
  const plain = await pieces(agentOf([local("s", () => [1, 2], { stream: true })]));
  assert.deepEqual([plain.emitted, plain.result.value], [{}, [1, 2]]);
  let left = false;
  const endless = agentOf([local("gen", async function* () { try { for (;;) yield "x"; } finally { left = true; } }, { stream: true })]).start("x");
  for await (const event of endless.events) if (event.type === "step.delta") break;
  endless.cancel();
  await endless.result;
  await turn();
  assert.ok(left);
});

test("a step that answers in JSON is emitted whole, whatever the run says", async () => {
  const fetch = inPieces(() => ['{"n":', "1}"]);
  const run = agentOf([ask("s", { jsonOutput: true })]).start("x", { fetch, stream: true });
  const emitted = (await eventsOf(run)).filter(({ type }) => type === "step.delta");
  assert.deepEqual([emitted, await texts(run), (await run.result).value], [[], [], { n: 1 }]);
});

test("1.6/75 what a run says of streaming holds for every step of a custom run, and for no run after it", async () => {
  const agent = agentOf([ask("one"), ask("two", { stream: true })], { run: async (input, { steps }) => steps.two(await steps.one(input)) });
  const streamed = async (stream) => Object.keys((await pieces(agent, { stream })).emitted);
  assert.deepEqual(await streamed(true), ["one", "two"]);
  assert.deepEqual(await streamed(false), []);
  assert.deepEqual(await streamed(undefined), ["two"]);
});

test("a step with tools streams its answer", async () => {
  const fetch = inPieces((prompt) => (isChoice(prompt) ? [choice(["now", {}])] : ["it ", "is noon"]));
  const run = agentOf([ask("s", { stream: true })], { tools: [tool(function now() { return "noon"; })] }).start("x", { fetch });
  assert.deepEqual(await texts(run), ["it ", "is noon"]);
});
