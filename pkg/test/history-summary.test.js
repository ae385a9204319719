// Conversations whose older messages an agent sums up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { calls, saying } from "./agent-support.js";
import { eventsOf, rejection } from "./support.js";

const INPUT = "What have we said so far, in short?";

/** A conversation of so many questions with their answers. */
const talk = (count) => Array.from({ length: count }, (_, index) => [{ role: "user", content: `q${index}` }, { role: "assistant", content: `a${index}` }]).flat();

/** A chat whose older messages are summed up. */
function chat({ answers = ["fine"], summaries = ["they spoke"], history = {}, agent = {}, ...rest } = {}) {
  const [said, summed] = [saying(...answers), saying(...summaries)];
  const guide = new Agent({ name: "guide", model: said.model, ...agent });
  const summary = new Agent({ name: "secretary", model: summed.model, instructions: "Be short." });
  const workflow = new Workflow({ name: "chat", ...rest, steps: [{ name: "answer", agent: guide, inputFrom: "{{ input }}", history: { key: "messages", maxMessages: 8, summary, ...history } }] });
  return { workflow, requests: said.requests, summed: summed.requests };
}

test("a conversation that is longer than it may be begins with a summary, and the newer half follows", async () => {
  const { workflow, requests, summed } = chat();
  const events = await eventsOf(workflow.start({ state: { input: "and now?", messages: talk(5) } }));
  const { result } = events.at(-1);
  assert.equal(result.status, "done");
  // Whoever sums up gets the older messages as a text, with its own instructions, and no tools.
  assert.equal(summed.length, 1);
  assert.equal(summed[0].instructions ?? summed[0].system, "Be short.");
  const text = summed[0].messages[0].content[0].text;
  assert.match(text, /^Sum up the conversation below .*<conversation>\nUser: q0\n\nAssistant: a0\n\nUser: q1\n\nAssistant: a1\n\nUser: q2\n\nAssistant: a2\n<\/conversation>$/s);
  const shown = ({ role, content }) => [role, typeof content === "string" ? content : content[0].text];
  const before = [["user", INPUT], ["assistant", "they spoke"], ["user", "q3"], ["assistant", "a3"], ["user", "q4"], ["assistant", "a4"], ["user", "and now?"]];
  assert.deepEqual(requests[0].messages.map(shown), before);
  assert.deepEqual(result.state.messages.map(shown), [...before, ["assistant", "fine"]]);
  // Nobody but the next request hears it.
  assert.equal(events.filter(({ type }) => type === "step.delta").map(({ text }) => text).join(""), "fine");
});

test("what fits is not summed up, and neither is an empty conversation", async () => {
  for (const messages of [talk(4), [], undefined]) {
    const { workflow, summed } = chat({ summaries: [] });
    const { status, state } = await workflow.run({ state: { input: "x", ...(messages && { messages }) } });
    assert.deepEqual([status, summed.length, state.messages.length], ["done", 0, (messages?.length ?? 0) + 2]);
  }
});

test("the next summary has the last one in it", async () => {
  const { workflow, summed } = chat({ answers: ["1", "2", "3"], summaries: ["first", "second"] });
  let messages = talk(5);
  for (const input of ["x", "y", "z"]) ({ state: { messages } } = await workflow.run({ state: { input, messages } }));
  assert.equal(summed.length, 2);
  assert.match(summed[1].messages[0].content[0].text, new RegExp(`<conversation>\nUser: ${INPUT.replace("?", "\\?")}\n\nAssistant: first\n\nUser: q3`));
});

test("maxTokens bounds it too, and a conversation without a message of the user in its newer half is all summed up", async () => {
  const long = [{ role: "user", content: "a".repeat(400) }, { role: "assistant", content: "b".repeat(400) }, ...talk(1)];
  const first = chat({ history: { maxMessages: undefined, maxTokens: 100 } });
  const { state } = await first.workflow.run({ state: { input: "x", messages: long } });
  assert.deepEqual(state.messages.map(({ content }) => content), [INPUT, "they spoke", "q0", "a0", "x", "fine"]);
  const second = chat({ history: { maxTokens: 100 } });
  const { state: all } = await second.workflow.run({ state: { input: "x", messages: long.slice(0, 2) } });
  assert.deepEqual(all.messages.map(({ content }) => content), [INPUT, "they spoke", "x", "fine"]);
});

test("calls of tools, their results and files are in the text, and of long results there is the beginning", async () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "look" }, { type: "image", mediaType: "image/png", data: "aGk=", name: "bee.png" }] },
    { role: "assistant", content: [{ type: "toolCall", id: "1", name: "find", input: { q: "bees" } }] },
    { role: "tool", results: [{ id: "1", name: "find", output: "z".repeat(9000) }] },
    { role: "assistant", content: "found" },
    ...talk(4),
  ];
  const { workflow, summed } = chat();
  await workflow.run({ state: { input: "x", messages } });
  const text = summed[0].messages[0].content[0].text;
  assert.ok(text.includes('User: look\n[bee.png]\n\nAssistant calls find with {"q":"bees"}\n\nfind gives: zzz'));
  assert.ok(text.length < 6000);
});

test("its usage and cost count for the step, the run and their bounds", async () => {
  const usage = (inputTokens, outputTokens) => ({ type: "usage", inputTokens, outputTokens });
  const parts = { answers: [["fine", usage(10, 1)]], summaries: [["short", usage(100, 20)]] };
  const { workflow } = chat(parts);
  const { usage: all, stepResults } = await workflow.run({ state: { input: "x", messages: talk(5) } });
  assert.deepEqual([all, stepResults[0].usage], [{ inputTokens: 110, outputTokens: 21 }, { inputTokens: 110, outputTokens: 21 }]);
  const bounded = await chat({ ...parts, limits: { maxTokens: 90 } }).workflow.run({ state: { input: "x", messages: talk(5) } });
  assert.deepEqual([bounded.status, bounded.error.code], ["budget", "budget"]);
});

test("a journal keeps the summary: a resumed run, a repeated attempt and a replay have no other one made", async () => {
  let isDown = true;
  const model = customModel("main", () => {
    if (isDown) throw new Error("down");
    return "fine";
  });
  const summed = saying("short");
  const workflow = () => new Workflow({ name: "chat", retryPolicy: { maxRetries: 2, backoffMs: 0 }, steps: [{ name: "answer", agent: new Agent({ name: "guide", model }), inputFrom: "{{ input }}", history: { key: "messages", maxMessages: 8, summary: new Agent({ name: "secretary", model: summed.model }) } }] });
  const state = { input: "x", messages: talk(5) };
  const failed = await workflow().run({ state, journal: true });
  assert.deepEqual([failed.status, summed.requests.length], ["error", 1]);
  isDown = false;
  const result = await workflow().run({ journal: failed.journal });
  assert.deepEqual([result.status, result.state.messages[1].content, summed.requests.length], ["done", "short", 1]);
  const replayed = await workflow().run({ journal: result.journal, replay: "strict" });
  assert.deepEqual([replayed.status, replayed.state, summed.requests.length], ["done", result.state, 1]);
});

test("a summary that fails says so, nothing is lost, and the agent was not called", async () => {
  const { workflow, requests } = chat({ summaries: [], answers: ["fine"] });
  const messages = talk(5);
  const { status, error, state } = await workflow.run({ state: { input: "x", messages } });
  assert.equal(status, "error");
  assert.match(error.message, /^the conversation of `answer` could not be summed up: /);
  assert.deepEqual([error.step.name, requests.length, state.messages], ["answer", 0, messages]);
  const empty = await chat({ summaries: [" "] }).workflow.run({ state: { input: "x", messages } });
  assert.equal(empty.error.message, "the conversation of `answer` could not be summed up: the model answered with an empty text");
  assert.match(empty.error.hint, /leave `summary` out/);
});

test("where its model fails, its fallback is called", async () => {
  const broken = customModel("broken", () => { throw new Error("down"); });
  const summed = saying("short");
  const summary = new Agent({ name: "secretary", model: broken, fallbacks: [summed.model] });
  const { workflow } = chat({ history: { summary } });
  const events = await eventsOf(workflow.start({ state: { input: "x", messages: talk(5) } }));
  assert.deepEqual(events.filter(({ type }) => type === "run.warning").map(({ code, message }) => [code, message]), [["fallback", "`broken` failed; `scripted` is asked in its place"]]);
  assert.equal(events.at(-1).result.state.messages[1].content, "short");
});

test("what cannot sum up is a problem of the document", async () => {
  const { model } = saying();
  const step = (history) => ({ name: "answer", agent: new Agent({ name: "guide", model }), inputFrom: "x", history: { key: "messages", ...history } });
  const run = (history, more = {}) => rejection(new Workflow({ name: "chat", ...more, steps: [step(history)] }).run());
  const tools = [tool({ name: "look", execute: () => 1 })];
  for (const [history, message, more] of [
    [{ summary: new Agent({ name: "secretary", model, tools }) }, "steps[0].history.summary: the agent `secretary` sums up the conversation of `answer`, but has tools"],
    [{ summary: new Agent({ name: "secretary", model, output: { type: "object" } }) }, "steps[0].history.summary: the agent `secretary` sums up the conversation of `answer`, but has an output schema"],
    [{ summary: new Agent({ name: "secretary", model }), maxMessages: 3 }, "steps[0].history.maxMessages: the conversation of `answer` keeps too few messages for a summary"],
    [{ summary: "nobody" }, /steps\[0\]\.history\.summary: .*`nobody`/],
    [{ summary: 5 }, /steps\[0\]\.history\.summary/],
  ]) {
    const error = await run(history, more);
    assert.equal(error.code, "document");
    if (typeof message === "string") assert.equal(error.message, `the workflow cannot be run: ${message}`);
    else assert.match(error.message, message);
  }
  // By a key of the workflow's agents it is the same agent.
  const summed = saying("short");
  const named = new Workflow({ name: "chat", agents: { s: new Agent({ name: "s", model: summed.model }) }, steps: [{ ...step({ maxMessages: 4, summary: "s" }), agent: new Agent({ name: "guide", model: saying("fine").model }) }] });
  const { state } = await named.run({ state: { messages: talk(3) } });
  assert.equal(state.messages[1].content, "short");
});
