// An agent without steps, run by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, tool, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";

const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => ({ city, sky: "blue" }),
});

test("its model is asked with the input, which is a text or becomes one", async () => {
  const model = scriptedModel(["Hello.", "Counted."]);
  const agent = new Agent({ name: "greeter", model, instructions: "Be short." });
  const { status, value, text, results, stepResults, state } = await agent.run("Say hello");
  assert.deepEqual([status, value, text, results], ["done", "Hello.", "Hello.", { answer: "Hello." }]);
  assert.deepEqual(stepResults.map(({ name, path }) => [name, path]), [["answer", "steps[0]"]]);
  assert.deepEqual(state, { input: "Say hello", answer_output: "Hello." });
  assert.equal((await agent.run({ bees: 3 })).text, "Counted.");
  model.done();
  const asked = model.requests.map(({ instructions, messages }) => [instructions, messages.map(({ role, content }) => [role, content[0].text])]);
  assert.deepEqual(asked, [["Be short.", [["user", "Say hello"]]], ["Be short.", [["user", '{"bees":3}']]]]);
});

test("it calls its tools until it answers, in JSON where it has a schema", async () => {
  const model = scriptedModel([{ type: "toolCall", name: "weather", input: { city: "Oslo" } }, '{"outdoors":true}']);
  const output = { type: "object", properties: { outdoors: { type: "boolean" } }, required: ["outdoors"] };
  const agent = new Agent({ name: "guide", model, tools: [weather], output });
  const events = [];
  for await (const event of agent.stream("Oslo")) events.push(event);
  assert.deepEqual(events.filter(({ type }) => type.startsWith("tool.")).map(({ type, tool }) => [type, tool]), [["tool.start", "weather"], ["tool.done", "weather"]]);
  const { value, text } = events.at(-1).result;
  assert.deepEqual([value, text], [{ outdoors: true }, undefined]);
  assert.deepEqual(agent.context.results, { answer: { outdoors: true } });
});

test("its text comes in pieces", async () => {
  const agent = new Agent({ name: "writer", model: demo() });
  let pieces = 0;
  let text = "";
  const run = agent.start("Write about bees", { stream: true });
  for await (const piece of run.textStream) {
    pieces += 1;
    text += piece;
  }
  assert.ok(pieces > 5, `${pieces} pieces`);
  assert.equal((await run.result).text, text);
});

test("a failure is data; a person's leave is waited for and taken up", async () => {
  const failing = new Agent({ name: "a", model: scriptedModel([new Error("no such luck")]) });
  const { status, error, value } = await failing.run("x");
  assert.deepEqual([status, error.code, error.step.name, value], ["error", "model", "answer", undefined]);

  const model = scriptedModel([{ type: "toolCall", name: "pay", input: { eur: 5 } }, "Paid."]);
  const pay = tool({ name: "pay", description: "Pays.", input: { type: "object" }, needsApproval: true, execute: ({ eur }) => `${eur} paid` });
  const payer = new Agent({ name: "payer", model, tools: [pay] });
  const asked = await payer.run("pay", { journal: true });
  assert.deepEqual([asked.status, asked.pending.length, asked.pending[0].tool], ["suspended", 1, { name: "pay", input: { eur: 5 } }]);
  const paid = await payer.run("pay", { journal: asked.journal, answers: { [asked.pending[0].key]: true } });
  assert.deepEqual([paid.status, paid.text], ["done", "Paid."]);
});

test("the same agent answers in a workflow", async () => {
  const agent = new Agent({ name: "writer", model: demo() });
  const alone = await agent.run("bees");
  const { state } = await new Workflow({ name: "w", steps: [{ name: "answer", agent, inputFrom: "bees" }] }).run();
  assert.equal(state.answer_output, alone.text);
});
