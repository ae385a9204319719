// result.warnings: what a person should look at, as the run's events tell it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, tool, Workflow } from "stepweave";
import { act, ReasoningAgent, think } from "stepweave/reasoning";
import { connect, serve } from "stepweave/worker";
import { choosing, model } from "./chain-support.js";
import { eventsOf } from "./support.js";

const warned = async (run) => (await eventsOf(run)).filter(({ type }) => type === "run.warning");

test("an answer that nobody waits for is told of when a run goes on, and as no part of its journal", async () => {
  const workflow = new Workflow({ name: "pay", steps: [{ name: "boss", type: "approval", message: "Pay?" }] });
  const { journal } = await workflow.run({ journal: true });
  const events = await eventsOf(workflow.start({ journal, answers: { bos: { approved: true } } }));
  assert.deepEqual(events.filter(({ replayed }) => replayed !== true).map(({ type, code }) => code ?? type), ["unused_answer", "run.suspended"]);
});

test("a result has every warning of its run, in order, as its events had them", async () => {
  const workflow = new Workflow({
    name: "w",
    steps: [
      { name: "first", run: (_, { log }) => { log("one"); log("two"); } },
      { name: "both", parallel: [{ name: "a", run: { set: { x: "1" } } }, { name: "b", run: { set: { x: "2" } } }] },
      { name: "each", items: "[1, 0]", steps: [{ name: "in", run: (_, { log }) => log("three") }], result: "1 // item", onItemError: "drop" },
      { name: "last", type: "approval" },
    ],
  });
  const run = workflow.start({ answers: { nobody: 1 } });
  const { status, warnings, errors } = await run.result;
  assert.equal(status, "suspended");
  assert.deepEqual(warnings.map(({ code, step }) => [code, step?.key]), [
    ["log", "first"], ["log", "first"], ["write_conflict", "both"], ["log", "each#0/each.in"], ["log", "each#1/each.in"], ["item_error", "each"],
    ["unused_answer", undefined], ["no_journal", undefined],
  ]);
  assert.deepEqual(warnings, await warned(run));
  assert.deepEqual(errors.map(({ code, step }) => [code, step.name]), [["template", "each"]]);
  assert.deepEqual(JSON.parse(JSON.stringify(warnings)), structuredClone(warnings));
});

test("a run without warnings has an empty list, and so have those that fail or are cancelled", async () => {
  const ends = [() => {}, () => { throw new Error("no"); }, (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject))];
  for (const run of ends) {
    const begun = new Workflow({ name: "w", steps: [{ name: "s", run }] }).start();
    setTimeout(() => begun.cancel(), 5);
    assert.deepEqual((await begun.result).warnings, []);
  }
});

test("a warning's text shows no secret, and what is emitted again from a journal is among the warnings", async () => {
  let calls = 0;
  const workflow = new Workflow({ name: "w", steps: [{ name: "s", run: (_, { log }) => { calls += 1; log("it is sk-very-secret-key"); } }] });
  const secrets = { OPENAI_API_KEY: "sk-very-secret-key" };
  const first = await workflow.run({ journal: true, secrets });
  const again = await workflow.run({ journal: first.journal, replay: "strict", secrets });
  assert.deepEqual([first, again].map(({ warnings }) => warnings.map(({ message, replayed }) => [message, replayed])), [
    [["it is [secret OPENAI_API_KEY]", undefined]],
    [["it is [secret OPENAI_API_KEY]", true]],
  ]);
  assert.equal(calls, 1);
});

test("warnings cross from a worker", async () => {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2 });
  const engine = connect(port1);
  const set = (id, value) => ({ id, type: "function", name: id, run: { set: { x: value } } });
  const run = engine.start({ version: 1, name: "w", steps: [{ id: "p", type: "parallel", name: "both", parallel: [set("a", "1"), set("b", "2")] }] });
  const { warnings } = await run.result;
  assert.deepEqual(warnings.map(({ code, message, step }) => [code, message, step.id]), [["write_conflict", "`a` and `b` both wrote `x`; the value of `b` stays", "p"]]);
  assert.deepEqual(warnings, await warned(run));
  engine.close();
  stop();
  port1.close();
  port2.close();
});

test("agents have them too: alone, with steps, with tools, and with a custom run", async () => {
  const note = (text) => (input, context) => { context.log(text); return String(input); };
  const lookup = tool({ name: "lookup", description: "looks", execute: () => 1 });
  const agents = {
    "without steps": [new Agent({ name: "a", model: demo(), instructions: "x" }), []],
    "with steps": [new ReasoningAgent({ name: "a", model: demo(), steps: [think("one", { inputs: 1 }, note("1")), act("two", { sendToLlm: false, inputs: 1 }, note("2"))] }), ["1", "2"]],
    "with a custom run": [new ReasoningAgent({ name: "a", model: demo(), steps: [think("one", { inputs: 1 }, note("1"))], run: async (input, agent) => agent.steps.one(await agent.steps.one(input)) }), ["1", "1"]],
  };
  for (const [what, [agent, lines]] of Object.entries(agents)) {
    const run = agent.start("x");
    const { warnings, status, error } = await run.result;
    assert.equal(status, "done", `${what}: ${error?.message}`);
    assert.deepEqual(warnings.map(({ message }) => message), lines, what);
    assert.deepEqual(warnings, await warned(run), what);
  }
  const choice = new ReasoningAgent({ name: "a", model: model(), tools: [lookup], steps: [think("s", (input) => input)] });
  const run = choice.start("x", { fetch: choosing("not json") });
  const { warnings } = await run.result;
  assert.deepEqual([warnings.length > 0, warnings.every(({ step }) => step.name === "s")], [true, true]);
  assert.deepEqual(warnings, await warned(run));
});

const wait = { name: "wait", run: () => new Promise((resolve) => setTimeout(resolve, 2, {})) };
const sync = { name: "sync", run: () => ({}) };
const LISTENERS = {
  "throws": () => { throw new Error("no"); },
  "is async and rejects": async () => { throw new Error("no"); },
  "rejects after some turns of the microtasks": async () => { for (let turn = 0; turn < 20; turn += 1) await undefined; throw new Error("no"); },
  "gives a promise of another kind that rejects": () => ({ then: (_, reject) => reject(new Error("no")) }),
};

test("a listener that fails is in the warnings of every run, also of one that never waits", async () => {
  const printed = [];
  const { error } = console;
  console.error = (line) => printed.push(line);
  try {
    for (const [what, listener] of Object.entries(LISTENERS)) {
      for (const [how, steps] of Object.entries({ sync: [sync], async: [sync, wait], nothing: [] })) {
        for (const type of ["run.start", "run.done", "*"]) {
          for (const adds of ["on", "once"]) {
            const workflow = new Workflow({ name: "w", steps });
            workflow[adds](type, listener);
            const run = workflow.start();
            const { warnings } = await run.result;
            const label = `${what}, ${how}, ${adds} ${type}`;
            const expected = type === "*" && adds === "on" ? (await eventsOf(run)).filter((event) => event.code !== "listener").length : 1;
            assert.equal(warnings.length, expected, label);
            for (const { code, message, type } of warnings) assert.deepEqual([type, code], ["run.warning", "listener"], `${label}: ${message}`);
            assert.match(warnings[0].message, /^a listener of run\.\w+ failed: no$/, label);
            // What was emitted as an event before the run ended comes first, in the same order.
            const events = (await eventsOf(run)).filter(({ type }) => type === "run.warning");
            assert.deepEqual(warnings.slice(0, events.length), events, label);
          }
        }
      }
    }
    assert.deepEqual(printed, [], "what is in the result is not printed twice");
  } finally {
    console.error = error;
  }
});

test("a listener that fails once somebody has the result is in its warnings all the same, and on the console", async () => {
  const printed = [];
  const { error } = console;
  console.error = (line) => printed.push(line);
  try {
    const workflow = new Workflow({ name: "w", steps: [{ name: "s", run: (_, { log }) => log("sk-very-secret-key") }] });
    let fail;
    workflow.on("run.done", () => new Promise((_, reject) => (fail = reject)));
    const result = await workflow.run({ secrets: { OPENAI_API_KEY: "sk-very-secret-key" } });
    assert.deepEqual(result.warnings.map(({ code }) => code), ["log"]);
    fail(new Error("late: sk-very-secret-key"));
    await new Promise((resolve) => setImmediate(resolve));
    const message = "a listener of run.done failed: late: [secret OPENAI_API_KEY]";
    assert.deepEqual(result.warnings.map(({ message }) => message), ["[secret OPENAI_API_KEY]", message]);
    assert.deepEqual(printed, [`stepweave: ${message}`]);
  } finally {
    console.error = error;
  }
});

test("a key for which a patch has undefined keeps its value, and that is said once", async () => {
  const workflow = new Workflow({
    name: "w",
    initialState: { secret: "x", empty: null, n: 0 },
    steps: [{ name: "rounds", repeat: { while: "n < 3" }, maxIterations: 5, steps: [{ name: "drop", run: ({ n }) => ({ secret: undefined, empty: undefined, unknown: undefined, n: n + 1 }) }] }, { name: "yields", run: function* () { yield "a"; return { secret: undefined }; } }],
  });
  const { state, warnings } = await workflow.run();
  assert.deepEqual([state.secret, state.n], ["x", 3]);
  const said = (name) => `\`${name}\` returned \`secret\` as undefined, which changes nothing: the state keeps its value; null empties it`;
  assert.deepEqual(warnings.map(({ code, step, message }) => [code, step.name, message]), [["key_kept", "drop", said("drop")], ["key_kept", "yields", said("yields")]]);
});
