// What a model's answer has beside its text: its id, its sources, and the images and files that the model made.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { act, ReasoningAgent, synthesize, think } from "stepweave/reasoning";
import { scriptedModel } from "stepweave/testing";

const image = { type: "image", mediaType: "image/png", data: "aGk=" };
const page = { url: "https://bees.test/", title: "Bees" };
const said = (text, id, ...more) => [{ type: "response", id }, text, ...more];
const beside = ({ responseId, sources, files }) => ({ responseId, sources, files });
const NOTHING = { responseId: undefined, sources: undefined, files: undefined };

test("an agent's run, its step and the step's last event have them", async () => {
  const model = scriptedModel([said("Bees dance.", "r1", { type: "source", ...page }, { type: "source", title: "Hives", text: "so it is" }, image)]);
  const run = new Agent({ name: "a", model }).start("What do bees do?");
  const result = await run.result;
  const wanted = { responseId: "r1", sources: [page, { title: "Hives", text: "so it is" }], files: [image] };
  assert.deepEqual([result.text, beside(result), beside(result.stepResults[0])], ["Bees dance.", wanted, wanted]);
  const events = [];
  for await (const event of run.events) events.push(event);
  assert.deepEqual(beside(events.find(({ type }) => type === "step.done")), wanted);
  assert.deepEqual(beside(events.at(-1).result), wanted);
  // Values that others hold cannot be changed.
  assert.throws(() => result.sources.push(page), TypeError);
});

test("an answer without any has none of the keys", async () => {
  const model = scriptedModel(["Plain."]);
  const result = await new Agent({ name: "a", model }).run("Hi");
  for (const key of ["responseId", "sources", "files"]) assert.deepEqual([key in result, key in result.stepResults[0]], [false, false], key);
});

test("the turns of a step have them together, and the id of the last one; of several steps the one that the value comes from", async () => {
  const look = tool({ name: "look", execute: () => "seen" });
  const model = scriptedModel([
    said("", "r1", { type: "source", ...page }, { type: "toolCall", name: "look", input: {} }),
    said("Seen.", "r2"),
  ]);
  assert.deepEqual(beside(await new Agent({ name: "a", model, tools: [look] }).run("Hi")), { ...NOTHING, responseId: "r2", sources: [page] });

  const chain = scriptedModel([said("Found.", "r3", { type: "source", ...page }), said("So.", "r4", image)]);
  const agent = new ReasoningAgent({ name: "b", model: chain, steps: [think("find", (input) => input), synthesize("conclude", (found) => found)] });
  const { stepResults, ...result } = await agent.run("Hi");
  assert.deepEqual(beside(result), { ...NOTHING, responseId: "r4", files: [image] });
  assert.deepEqual(stepResults.map(beside), [{ ...NOTHING, responseId: "r3", sources: [page] }, { ...NOTHING, responseId: "r4", files: [image] }]);

  const last = scriptedModel([said("Found.", "r5", { type: "source", ...page })]);
  const counting = new ReasoningAgent({ name: "c", model: last, steps: [think("find", (input) => input), act("count", { sendToLlm: false }, (found) => found.length)] });
  assert.deepEqual(beside(await counting.run("Hi")), NOTHING);
});

test("a step that chooses its tools, and one that a custom run calls, have them", async () => {
  const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
  const model = scriptedModel([
    said('{"tool_calls":[{"tool":"look","arguments":{},"confidence":0.9}]}', "choice", { type: "source", title: "not this one" }),
    said("Seen.", "r1", { type: "source", ...page }),
  ]);
  const steps = [act("find", (input) => input)];
  const chosen = await new ReasoningAgent({ name: "a", model, tools: [look], steps }).run("Hi");
  const wanted = { ...NOTHING, responseId: "r1", sources: [page] };
  assert.deepEqual([chosen.text, beside(chosen), chosen.stepResults.map(beside)], ["Seen.", wanted, [wanted]]);

  const called = scriptedModel([said("One.", "r2", image), said("Two.", "r3", { type: "source", ...page })]);
  const custom = new ReasoningAgent({ name: "b", model: called, steps: [act("ask", (input) => input)], run: async (input, agent) => `${await agent.steps.ask(input)} ${await agent.steps.ask(input)}` });
  const result = await custom.run("Hi");
  assert.deepEqual([result.text, beside(result)], ["One. Two.", { ...NOTHING, responseId: "r3", sources: [page] }]);
});

test("a journal gives the same, also of an answer that was requested once more", async () => {
  const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const model = scriptedModel([said("five", "r1", { type: "source", title: "wrong" }), said('{"n":5}', "r2", { type: "source", ...page }, image)]);
  const agent = new Agent({ name: "a", model, output });
  const first = await agent.run("Hi", { journal: true });
  const again = await agent.run("Hi", { journal: JSON.parse(JSON.stringify(first.journal)), replay: "strict" });
  assert.deepEqual([first.value, beside(first), beside(again)], [{ n: 5 }, { responseId: "r2", sources: [page], files: [image] }, beside(first)]);
  model.done();
});

test("a secret that an endpoint puts into a source is taken out of it", async () => {
  const secrets = { KEY: { value: "sk-very-secret-key", origins: ["https://model.test"] } };
  const found = { url: "https://bees.test/?key=sk-very-secret-key", title: "sk-very-secret-key" };
  const fetch = async () => Response.json({ id: "sk-very-secret-key", choices: [{ finish_reason: "stop", message: { role: "assistant", content: "Hi", annotations: [{ type: "url_citation", url_citation: found }] } }] });
  const document = {
    version: 1, name: "t",
    models: { m: { provider: "openai", model: "m", baseUrl: "https://model.test/v1", apiKey: { secret: "KEY" } } },
    agents: { a: { model: "m" } },
    steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "Hi" }],
  };
  for (const journal of [undefined, true]) {
    const run = Workflow.fromDocument(document).start({ secrets, fetch, journal });
    const { stepResults, journal: kept } = await run.result;
    const events = [];
    for await (const event of run.events) events.push(event);
    assert.ok(stepResults[0].sources[0].url.startsWith("https://bees.test/?key="));
    assert.equal(JSON.stringify([stepResults, events, kept]).includes("sk-very-secret-key"), false);
  }
});

test("files that count for maxResultBytes are refused by whichever bound is lower, once, with what they cost", async () => {
  const large = { type: "image", mediaType: "image/png", data: "aGk=".repeat(300) };
  const usage = { type: "usage", inputTokens: 5, outputTokens: 6 };
  for (const [limits, bounds] of [[{ maxResultBytes: 1000 }, undefined], [undefined, { maxResultBytes: 1000 }], [{ maxResultBytes: 5000 }, { maxResultBytes: 1000 }]]) {
    const model = scriptedModel([["Here.", large, usage]]);
    const workflow = new Workflow({ name: "w", limits, retryPolicy: { maxRetries: 2, backoffMs: 1 }, steps: [{ name: "draw", agent: new Agent({ name: "a", model }), inputFrom: "Draw" }] });
    const { status, error, usage: used, stepResults } = await workflow.run({ limits: bounds });
    assert.deepEqual([status, error.code, error.step.name, used.outputTokens], ["error", "limit", "draw", 6]);
    assert.equal(error.message, "the sources and files of the answer of `draw` have more than 1000 bytes, the limit of what is given at once");
    assert.equal(stepResults[0].files, undefined);
    model.done();
  }
});
