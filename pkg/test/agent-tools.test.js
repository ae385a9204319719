// Agents that call tools, as a run shows them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, demo, StepweaveError, tool, Workflow } from "stepweave";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { calls, saying } from "./agent-support.js";
import { answering, deferred, END, eventsOf, piece, turn, virtualClock } from "./support.js";

const KEY = "sk-a-key-of-some-length";

/** A workflow of one agent step. */
const asking = ({ model }, tools, { agent = {}, step = {}, ...rest } = {}) =>
  new Workflow({ name: "w", ...rest, steps: [{ name: "ask", agent: new Agent({ name: "a", model, tools, ...agent }), inputFrom: "go", ...step }] });

/** What the tools of the turn before gave, as they were sent to the model. */
const results = ({ messages }) => messages.at(-1).results;

/** The events about tools, without what differs from run to run. */
const toolEvents = (events) => events.filter(({ type }) => type.startsWith("tool.")).map(({ seq: _, at: __, runId: ___, step, durationMs: ____, ...event }) => ({ ...event, step: step.name }));

test("a tool is given its arguments and who calls; what it gives goes to the model and into the events", async () => {
  const seen = [];
  const add = tool({
    name: "add",
    execute: ({ a, b }, context) => {
      const { callId, tool: name, step, attempt, runId } = context;
      seen.push([callId, name, step.name, attempt, context.idempotencyKey.replace(runId, "run")]);
      return a + b;
    },
  });
  const said = saying([calls("add", { a: 1, b: 2 }, "x"), calls("add", { a: 3, b: 4 }, "y")], "7");
  const run = asking(said, [add]).start();
  const events = await eventsOf(run);
  assert.deepEqual(seen, [["x", "add", "ask", 1, "run/ask/x"], ["y", "add", "ask", 1, "run/ask/y"]]);
  assert.deepEqual(results(said.requests[1]), [{ id: "x", name: "add", output: 3 }, { id: "y", name: "add", output: 7 }]);
  assert.deepEqual(toolEvents(events), [
    { type: "tool.start", callId: "x", tool: "add", input: { a: 1, b: 2 }, step: "ask" },
    { type: "tool.start", callId: "y", tool: "add", input: { a: 3, b: 4 }, step: "ask" },
    { type: "tool.done", callId: "x", tool: "add", output: 3, step: "ask" },
    { type: "tool.done", callId: "y", tool: "add", output: 7, step: "ask" },
  ]);
  assert.deepEqual((await run.result).state, { ask_output: "7" });
});

test("the calls of a turn go on at the same time, and are emitted in the order in which they end", async () => {
  const doors = { slow: deferred(), fast: deferred() };
  const open = tool({ name: "open", execute: ({ door }) => doors[door].promise });
  const said = saying([calls("open", { door: "slow" }, "1"), calls("open", { door: "fast" }, "2")], "open");
  const run = asking(said, [open]).start();
  await turn();
  doors.fast.resolve("fast");
  await turn();
  doors.slow.resolve("slow");
  const events = await eventsOf(run);
  assert.deepEqual(events.filter(({ type }) => type === "tool.done").map(({ output }) => output), ["fast", "slow"]);
  assert.deepEqual(results(said.requests[1]).map(({ output }) => output), ["slow", "fast"]);
});

test("what a tool throws goes back to the model, which goes on; the event has the error with its cause", async () => {
  const boom = new TypeError("the printer is on fire");
  const print = tool({ name: "print", execute: () => { throw boom; } });
  const shop = tool({ name: "shop", execute: async () => { throw new StepweaveError("network", "the shop is down", { hint: "wait", retryable: true }); } });
  const said = saying([calls("print"), calls("shop")], "sorry");
  const run = asking(said, [print, shop]).start();
  const events = await eventsOf(run);
  const errors = events.filter(({ type }) => type === "tool.error").map(({ error }) => error);
  assert.deepEqual(errors.map(({ code, message, step, cause, hint }) => [code, message, step.name, cause, hint]), [
    ["tool", "the printer is on fire", "ask", boom, "the tool's own function threw this: see `cause`; the model is told the message and may go on without it"],
    ["network", "the shop is down", "ask", errors[1].cause, "wait"],
  ]);
  assert.deepEqual(results(said.requests[1]).map(({ output, isError }) => [output, isError]), [[{ error: "the printer is on fire" }, true], [{ error: "the shop is down" }, true]]);
  const { status, errors: failures, state } = await run.result;
  assert.deepEqual([status, failures, state.ask_output], ["done", [], "sorry"]);
});

test("a tool gives anything that JSON holds; what it does not hold is an error that names the tool", async () => {
  const give = tool({ name: "give", execute: ({ what }) => ({ nothing: undefined, list: [1], date: { at: new Date(0) } })[what] });
  const said = saying([calls("give", { what: "nothing" }), calls("give", { what: "list" }), calls("give", { what: "date" })], "done");
  await asking(said, [give]).run();
  assert.deepEqual(results(said.requests[1]).map(({ output }) => output), [null, [1], { error: "the tool `give` returned what JSON cannot hold: output.at is a Date" }]);
});

test("a tool that is a generator gives what it returns, else what it yielded; that is no part of the answer", async () => {
  const count = tool({ name: "count", execute: async function* ({ to }) { for (let n = 1; n <= to; n += 1) yield `${n} `; } });
  const sum = tool({ name: "sum", execute: function* () { yield { half: 1 }; return { whole: 2 }; } });
  const later = tool({ name: "later", execute: async (args) => count.execute(args) });
  const said = saying([calls("count", { to: 3 }), calls("sum"), calls("later", { to: 2 })], "done");
  const events = await eventsOf(asking(said, [count, sum, later]).start());
  assert.deepEqual(results(said.requests[1]).map(({ output }) => output), ["1 2 3 ", { whole: 2 }, "1 2 "]);
  assert.deepEqual(events.filter(({ type }) => type === "step.delta").map(({ text }) => text), ["done"]);
});

test("what a tool yields or returns and JSON cannot hold is the tool's mistake by name", async () => {
  const yields = tool({ name: "yields", execute: function* () { yield 1n; } });
  const returns = tool({ name: "returns", execute: () => 1n });
  const said = saying([calls("yields"), calls("returns")], "done");
  await asking(said, [yields, returns]).run();
  assert.deepEqual(results(said.requests[1]).map(({ output }) => /the tool `\w+` returned what JSON cannot hold/.exec(JSON.stringify(output))?.[0]), ["yields", "returns"].map((name) => `the tool \`${name}\` returned what JSON cannot hold`));
});

test("arguments are what the schema makes of them; what does not fit goes back to the model, and the tool is not called", async () => {
  const seen = [];
  const remember = (args) => void seen.push(args);
  const json = tool({ name: "json", input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, execute: remember });
  const zod = tool({ name: "zod", input: z.object({ n: z.number().default(5), when: z.string().transform((text) => text.length) }), execute: remember });
  const valibot = tool({ name: "valibot", input: toStandardJsonSchema(v.object({ n: v.pipe(v.number(), v.check((n) => n > 0, "too small")) }), { errorMode: "ignore" }), execute: remember });
  const said = saying(
    [calls("json", { n: "3" }), calls("json", {}), calls("zod", { when: "now" }), calls("zod", { n: "x" }), calls("valibot", { n: 0 }), calls("missing")],
    "done",
  );
  await asking(said, [json, zod, valibot]).run();
  assert.deepEqual(seen, [{ n: 3 }, { n: 5, when: 3 }]);
  const sent = results(said.requests[1]).map(({ output }) => output?.error);
  assert.match(sent[1], /^the input of the tool `json`.*`n`/);
  assert.match(sent[3], /`n`/);
  assert.match(sent[4], /too small/);
  assert.match(sent[5], /there is no tool `missing`/);
});

test("a call that takes too long is given up, and its signal aborts", async () => {
  const signals = [];
  const slow = tool({ name: "slow", timeoutMs: 50, execute: (_, { signal }) => new Promise(() => signals.push(signal)) });
  const said = saying([calls("slow")], "too late");
  await asking(said, [slow]).run({ clock: virtualClock() });
  assert.deepEqual(results(said.requests[1])[0].output, { error: "the tool `slow` took longer than 50 ms" });
  assert.equal(signals[0].aborted, true);
});

test("cancelling a run aborts its tools, and their results are dropped", async () => {
  const door = deferred();
  let signal;
  const slow = tool({ name: "slow", execute: (_, context) => { signal = context.signal; return door.promise; } });
  const run = asking(saying([calls("slow")]), [slow]).start();
  await turn();
  run.cancel("enough");
  door.resolve("late");
  const { status } = await run.result;
  assert.deepEqual([status, signal.aborted, (await eventsOf(run)).some(({ type }) => type === "tool.done")], ["cancelled", true, false]);
});

test("a secret is in nothing that a tool was given, gave or threw, and in nothing that a model thinks", async () => {
  const leak = tool({ name: "leak", execute: ({ how }) => { if (how === "throw") throw new Error(`no: ${KEY}`); return { key: KEY, [KEY]: 1 }; } });
  const said = saying(
    [{ type: "reasoning", text: `it is ${KEY.slice(0, 9)}` }, { type: "reasoning", text: `${KEY.slice(9)}!` }, calls("leak", { how: "throw", key: KEY }), calls("leak", { how: "return" })],
    "done",
  );
  const run = asking(said, [leak]).start({ secrets: { K: { value: KEY, origins: ["https://x.example"] } }, journal: true });
  const events = await eventsOf(run);
  const result = await run.result;
  assert.ok(!JSON.stringify([events, result]).includes(KEY));
  assert.ok(!JSON.stringify(results(said.requests[1])).includes(KEY));
  assert.equal(events.filter(({ type }) => type === "step.reasoning").map(({ text }) => text).join(""), "it is [secret K]!");
  const again = asking(saying(), [leak]).start({ journal: result.journal, replay: "strict" });
  assert.deepEqual((await eventsOf(again)).map(({ type, text }) => [type, text]), events.map(({ type, text }) => [type, text]));
});

test("a run that is taken up again calls no tool twice, and what happens now is no replay", async () => {
  const door = deferred();
  const counts = { quick: 0, slow: 0 };
  const keys = [];
  const tools = [
    tool({ name: "quick", execute: () => (counts.quick += 1) }),
    tool({ name: "slow", execute: (_, { idempotencyKey }) => { keys.push(idempotencyKey); counts.slow += 1; return counts.slow === 1 ? door.promise : "slow"; } }),
  ];
  const first = saying([{ type: "reasoning", text: "hm" }, calls("quick", {}, "q"), calls("slow", {}, "s")]);
  const run = asking(first, tools).start({ journal: true });
  await turn();
  run.cancel();
  const { journal } = await run.result;
  const second = saying("done");
  const resumed = asking(second, tools).start({ journal: JSON.parse(JSON.stringify(journal)) });
  const events = await eventsOf(resumed);
  assert.deepEqual([counts, first.requests.length, second.requests.length, new Set(keys).size], [{ quick: 1, slow: 2 }, 1, 1, 1]);
  const emitted = events.filter(({ type }) => /^(tool|step\.reasoning)/.test(type)).map(({ type, tool: name, replayed = false }) => [type, name, replayed]);
  assert.deepEqual(emitted, [
    ["step.reasoning", undefined, true],
    ["tool.start", "quick", true],
    ["tool.start", "slow", false],
    ["tool.done", "quick", true],
    ["tool.done", "slow", false],
  ]);
  assert.equal((await resumed.result).state.ask_output, "done");
});

test("a tool that needs approval suspends its step, and the answer says whether and with what it is called", async () => {
  const paid = [];
  const pay = tool({ name: "pay", needsApproval: true, execute: ({ sum }) => { paid.push(sum); return "paid"; } });
  const tools = [pay, tool({ name: "look", execute: () => "seen" })];
  const first = saying([calls("pay", { sum: 5 }), calls("look"), calls("pay", { sum: 900 })]);
  const { status, pending, journal, stepResults } = await asking(first, tools).run({ journal: true });
  assert.deepEqual([status, stepResults[0].status], ["suspended", "suspended"]);
  assert.deepEqual(pending.map(({ key, step, message, tool: call }) => [key, step.name, message, call]), [
    ["ask/tool1.0", "ask", "May `pay` be called?", { name: "pay", input: { sum: 5 }, callId: "call_0" }],
    ["ask/tool1.2", "ask", "May `pay` be called?", { name: "pay", input: { sum: 900 }, callId: "call_2" }],
  ]);
  assert.ok(pending[0].schema.anyOf.length === 2);
  const second = saying("done");
  const answers = { [pending[0].key]: { approved: true, input: { sum: 4 } }, [pending[1].key]: { approved: false, reason: "too much" } };
  const result = await asking(second, tools).run({ journal, answers });
  assert.deepEqual([result.status, paid], ["done", [4]]);
  assert.deepEqual(results(second.requests[0]).map(({ output }) => output), ["paid", "seen", { error: "a person did not allow the call of `pay`: too much" }]);
});

test("a tool whose version changed is called again where a run is edited", async () => {
  const counts = [];
  const workflow = (version, ...turns) => asking(saying(...turns), [tool({ name: "count", version, execute: () => counts.push(version) })]);
  const { journal } = await workflow("1", [calls("count", {}, "c")], "done").run({ journal: true });
  await workflow("1").run({ journal, replay: "edit" });
  const { state } = await workflow("2", "done again").run({ journal, replay: "edit" });
  assert.deepEqual([counts, state.ask_output], [["1", "2"], "done again"]);
});

test("with an output schema the answer is a value of that shape; a library's schema may change it", async () => {
  const output = { type: "object", properties: { score: { type: "number" } }, required: ["score"] };
  const plain = saying("It is 4.", '```json\n{"score": "4"}\n```');
  const { state } = await asking(plain, [], { agent: { output } }).run();
  assert.deepEqual(state.ask_output, { score: 4 });
  assert.deepEqual(plain.requests[0].output, output);
  const library = z.object({ score: z.number().max(5, "too high"), stars: z.number().default(3) });
  const said = saying('{"score": 9}', '{"score": 4}');
  const workflow = asking(said, [], { agent: { output: library } });
  assert.deepEqual((await workflow.run()).state.ask_output, { score: 4, stars: 3 });
  assert.match(said.requests[1].messages.at(-1).content[0].text, /too high/);
  assert.deepEqual(Object.keys(said.requests[0].output.properties), ["score", "stars"]);
  assert.deepEqual(workflow.toDocument().agents.a.output.handler, "agents.a.output");
});

test("fullResponse gives the answer with all that is known of it", async () => {
  const now = tool({ name: "now", execute: () => 12 });
  const usage = (inputTokens, outputTokens, more) => ({ type: "usage", inputTokens, outputTokens, ...more });
  const said = saying([calls("now", {}, "n"), usage(10, 2)], [{ type: "reasoning", text: "hm" }, { type: "text", text: "noon" }, usage(20, 3, { cachedInputTokens: 8, reasoningTokens: 1 })]);
  const run = asking(said, [now], { step: { fullResponse: true } }).start();
  const { state, usage: total, stepResults } = await run.result;
  const whole = { inputTokens: 30, outputTokens: 5, cachedInputTokens: 8, reasoningTokens: 1 };
  assert.deepEqual(state.ask_output, { text: "noon", reasoning: "hm", toolCalls: [{ id: "n", name: "now", input: {} }], usage: whole, finishReason: "stop", model: "scripted" });
  assert.deepEqual([total, stepResults[0].usage], [whole, whole]);
});

test("a conversation goes on in the state, and keeps as many messages as it may", async () => {
  const said = saying("one", "two");
  const step = { inputFrom: "{{ question }}", history: { key: "chat", maxMessages: 2 } };
  const workflow = asking(said, [], { step });
  const { state } = await workflow.run({ state: { question: "first?" } });
  const next = await workflow.run({ state: { ...state, question: "second?" } });
  assert.deepEqual(next.state.chat, [{ role: "user", content: "second?" }, { role: "assistant", content: "two" }]);
  assert.deepEqual(said.requests[1].messages.map(({ role }) => role), ["user", "assistant", "user"]);
});

test("a fallback is called when the model before it fails; what was emitted is dropped where that is wanted", async () => {
  const broken = { model: customModel("broken", async function* () { yield "It i"; throw new StepweaveError("network", "gone", { retryable: true }); }) };
  const agent = { fallbacks: [saying("It is noon.").model] };
  const run = asking(broken, [], { agent, retryPolicy: { afterFirstDelta: true } }).start();
  const events = await eventsOf(run);
  assert.deepEqual(events.map(({ type }) => type), ["run.start", "step.start", "step.delta", "step.error", "step.reset", "run.warning", "step.start", "step.delta", "step.done", "run.done"]);
  assert.deepEqual([(await run.result).state.ask_output, events[5].code], ["It is noon.", "fallback"]);
  const kept = await asking(broken, [], { agent }).run();
  assert.deepEqual([kept.status, kept.stepResults[0].text], ["error", "It i"]);
});

test("a run that has used what it may ends with the status `budget`, and says what it used", async () => {
  const spends = [{ type: "text", text: "one" }, { type: "usage", inputTokens: 900, outputTokens: 200 }];
  const said = saying(spends, spends);
  const agent = new Agent({ name: "a", model: said.model });
  const step = (name) => ({ name, agent, inputFrom: "go" });
  const workflow = new Workflow({ name: "w", limits: { maxTokens: 1000 }, steps: [step("first"), step("second")] });
  const run = workflow.start();
  const events = await eventsOf(run);
  const { status, error, errors, usage, state } = await run.result;
  assert.deepEqual([status, error.code, error.step.name, errors, events.at(-1).type], ["budget", "budget", "second", [error], "run.budget"]);
  assert.deepEqual([said.requests.length, usage, state], [1, { inputTokens: 900, outputTokens: 200 }, { first_output: "one" }]);
});

test("money is counted by the prices of the document, the model's own first", async () => {
  const ask = (model, prices) => new Workflow({ name: "w", prices, steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "go" }] });
  const { openai } = await import("stepweave");
  const options = { baseUrl: "http://model.test/v1" };
  const costOf = async (model, prices) => (await ask(model, prices).run({ fetch: answering([piece("hi"), END]) })).usage.cost;
  const price = { input: 1, output: 10 };
  assert.equal(await costOf(openai("m", options), { m: price }), 23e-6);
  assert.equal(await costOf(openai("m", { ...options, price: { input: 2, output: 20 } }), { m: price }), 46e-6);
  assert.equal(await costOf(openai("a-model-of-nobody", options)), undefined);
});

test("a text that was cut within a character goes to the model, wherever it comes from", async () => {
  const cut = "bees 🐝".slice(0, 6);
  const said = saying([calls("cut"), calls("fails")], "ok");
  const tools = [tool({ name: "cut", execute: () => ({ cut }) }), tool({ name: "fails", execute: () => { throw new Error(cut); } })];
  const { status } = await asking(said, tools, { agent: { instructions: cut }, step: { inputFrom: () => [{ type: "text", text: cut }] } }).run();
  assert.equal(status, "done");
  assert.deepEqual(results(said.requests[1]).map(({ output }) => output), [{ cut: "bees \ufffd" }, { error: "bees \ufffd" }]);
  const [{ instructions, messages }] = said.requests;
  assert.deepEqual([instructions, messages[0].content], ["bees \ufffd", [{ type: "text", text: "bees \ufffd" }]]);
});

test("a tool that writes into its arguments gets an error that says what to do", async () => {
  const said = saying([calls("bad", { n: 1 })], "ok");
  const events = await eventsOf(asking(said, [function bad(args) { args.n += 1; }]).start());
  assert.equal(events.find(({ type }) => type === "tool.error").error.hint, "a tool's arguments are read-only: change a copy of them, as in { ...args }");
});

test("a schema that is none is reported with its path before anything runs", async () => {
  const said = saying("ok");
  const bad = tool({ name: "bad", input: { type: "object", properties: { n: { type: "nummer" } } }, execute: () => 1 });
  const of = async (tools, rest) => {
    const { code, message } = await asking(said, tools, rest).run().then(() => assert.fail("it ran"), (error) => error);
    return [code, message];
  };
  assert.deepEqual(await of([], { agent: { output: { type: "objekt" } } }), ["validation", "`agents.a.output` cannot be used: the schema's /type is not what `type` takes"]);
  assert.deepEqual(await of([bad]), ["validation", "`tools.bad.input` cannot be used: the schema's /properties/n/type is not what `type` takes"]);
  assert.deepEqual(await of([], { step: { input: { required: "x" } } }), ["validation", "`steps[0].input` cannot be used: the schema's /required is not what `required` takes"]);
  assert.equal(said.requests.length, 0);
});

test("a schema that no model can be told of is refused, as a tool's input and as an answer, with what to wrap it in", async () => {
  const schema = v.object({ n: v.number() });
  const told = toStandardJsonSchema(schema);
  const made = (input, output) => new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "clerk", model: demo(), tools: [tool({ name: "count", input, execute: ({ n }) => n })], output }) }] });
  const refusal = (whose) => ({ code, message, hint }) => code === "validation" && message.includes(whose) && hint.includes("toStandardJsonSchema()");
  assert.throws(() => made(schema, told), refusal("the `input` of the tool count"));
  assert.throws(() => made(told, schema), refusal("the `output` of the agent clerk"));
  await assert.rejects(async () => new Agent({ name: "judge", model: demo(), output: schema }).run("?"), refusal("the `output` of the agent judge"));
  const { tools } = made(told, told).toDocument();
  assert.deepEqual(tools.count.input.required, ["n"]);
  // A document may say itself what its model is told.
  const document = { ...made({ type: "object", properties: { n: {} } }).toDocument() };
  assert.equal((await Workflow.fromDocument(document, { tools: [tool({ name: "count", input: schema, execute: ({ n }) => n })] }).run()).status, "done");
});
