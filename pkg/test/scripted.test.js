import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Agent, StepweaveError, tool, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { eventsOf } from "./support.js";

const asking = (model, options = {}, step = {}) =>
  new Workflow({ name: "ask", steps: [{ name: "ask", agent: new Agent({ name: "a", model, ...options }), inputFrom: "Say hi", ...step }] });

const weather = tool({
  name: "weather",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => ({ city, sky: city === "Paris" ? "blue" : "grey" }),
});
const call = (city) => ({ type: "toolCall", name: "weather", input: { city } });

test("it answers turn by turn, and keeps its requests", async () => {
  const model = scriptedModel([call("Paris"), "It is blue in Paris."]);
  const { status, state } = await asking(model, { instructions: "Be kind", tools: [weather] }).run();
  assert.deepEqual([status, state.ask_output], ["done", "It is blue in Paris."]);
  const [first, second] = model.requests;
  assert.equal(model.requests.length, 2);
  assert.deepEqual([first.model, first.instructions, first.tools[0].name], ["scripted", "Be kind", "weather"]);
  assert.deepEqual(first.messages, [{ role: "user", content: [{ type: "text", text: "Say hi" }] }]);
  assert.deepEqual(second.messages.at(-1).results.map(({ name, output }) => [name, output]), [["weather", { city: "Paris", sky: "blue" }]]);
  model.done();
});

test("a turn may be a text, parts, pieces of texts, an error or a function of the request", async () => {
  const tokens = { type: "usage", inputTokens: 3, outputTokens: 2 };
  const model = scriptedModel([
    "a text",
    { type: "text", text: "a part" },
    [{ type: "reasoning", text: "hm" }, "in ", "pieces", tokens],
    ({ messages }) => `you said ${messages[0].content[0].text}`,
    async () => ({ type: "text", text: "later" }),
    function* () { yield "one "; yield "by one"; },
    () => ["of a ", "function"],
    () => ReadableStream.from(["a ", "stream"]),
  ]);
  const said = [];
  for (let count = 0; count < 8; count += 1) {
    const run = asking(model).start();
    const events = await eventsOf(run);
    said.push((await run.result).state.ask_output);
    if (count !== 2) continue;
    assert.deepEqual(events.filter(({ type }) => type === "step.reasoning" || type === "step.delta").map(({ type, text }) => [type, text]), [["step.reasoning", "hm"], ["step.delta", "in "], ["step.delta", "pieces"]]);
    assert.equal((await run.result).usage.inputTokens, 3);
  }
  assert.deepEqual(said, ["a text", "a part", "in pieces", "you said Say hi", "later", "one by one", "of a function", "a stream"]);
  model.done();
});

test("errors are thrown where they stand; one of ours keeps its code", async () => {
  const model = scriptedModel([new Error("no such weights"), ["Half of ", new StepweaveError("rate_limit", "slow down", { retryable: true })], () => new StepweaveError("network", "it is down")]);
  const failures = [];
  for (let count = 0; count < 3; count += 1) {
    const { status, errors, stepResults } = await asking(model).run();
    failures.push([status, errors[0].code, errors[0].message, stepResults[0].text]);
  }
  assert.deepEqual(failures, [
    ["error", "model", "the model `scripted` failed: no such weights", undefined],
    ["error", "rate_limit", "slow down", "Half of "],
    ["error", "network", "it is down", undefined],
  ]);
  model.done();
});

test("being called once more fails the step, with the turn and the request", async () => {
  const model = scriptedModel([call("Oslo")], { name: "weatherman" });
  const { status, errors } = await asking(model, { tools: [weather] }).run();
  assert.equal(status, "error");
  assert.equal(errors[0].code, "model");
  assert.equal(errors[0].step.name, "ask");
  assert.equal(errors[0].message, 'the model `weatherman` has 1 turn, and was asked for turn 2: tool: weather gave {"city":"Oslo","sky":"grey"} (tools: weather)');
  assert.equal(errors[0].hint, "add a turn, or look for why it is asked once more; model.requests has all that it was asked");
  assert.equal(errors[0].retryable, false);
  assert.throws(() => model.done(), { code: "model", message: errors[0].message });
});

test("turns that were not used are reported by done(), and by `using`", async () => {
  const model = scriptedModel(["one", ["two ", call("Rome")], { type: "finish", reason: "length" }, () => "x", new Error("boom")]);
  assert.throws(() => model.done(), { message: /^the model `scripted` has 5 turns and was not asked at all; not used:\n {2}turn 1: "one"\n/ });
  await asking(model).run();
  const rest = 'turn 2: "two ", a call of weather with {"city":"Rome"}\n  turn 3: finish\n  turn 4: a function\n  turn 5: the error "boom"';
  for (const end of [() => model.done(), () => model[Symbol.dispose]()]) {
    assert.throws(end, { code: "model", message: `the model \`scripted\` has 5 turns and was asked for 1 turn; not used:\n  ${rest}` });
  }
});

test("a test that is handed over fails when a turn is not used", () => {
  const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), "program-"));
  try {
    const file = join(folder, "program.mjs");
    writeFileSync(file, `
      import { test } from "node:test";
      import { scriptedModel } from "stepweave/testing";
      test("forgetful", (t) => void scriptedModel(["never said"], { test: t }));
      test("thorough", (t) => void scriptedModel([], { test: t }));
    `);
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
    const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], { encoding: "utf8", env });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /not ok 1 - forgetful/);
    assert.match(stdout, /turn 1: "never said"/);
    assert.match(stdout, /ok 2 - thorough/);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const ends = [];
  scriptedModel(["x"], { test: { onTestFinished: (check) => ends.push(check) } });
  assert.throws(ends[0], /not used:\n {2}turn 1: "x"/);
});

test("what is wrong with it is reported at once", () => {
  assert.throws(() => scriptedModel("hello"), { code: "validation", message: "scriptedModel() needs a list of turns" });
  assert.throws(() => scriptedModel([], { test: {} }), { message: "the option `test` of scriptedModel() is no test's context" });
  assert.throws(() => scriptedModel([], { Name: "x" }), /no option `Name`/);
});

test("a document has it by its name", async () => {
  const model = scriptedModel(["from a document"], { name: "parrot" });
  const document = { version: 1, name: "t", models: { m: { provider: "custom", model: "parrot", handler: "parrot" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "ask", agent: "a", inputFrom: "hi" }] };
  const { state } = await Workflow.fromDocument(document, { models: { parrot: model } }).run();
  assert.equal(state.ask_output, "from a document");
  model.done();
});
