// An agent without steps, run by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, anthropic, demo, tool, Workflow } from "stepweave";
import { createAgent, ReasoningAgent, think } from "stepweave/reasoning";
import { scriptedModel } from "stepweave/testing";
import { answering } from "./support.js";

const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => ({ city, sky: "blue" }),
});

test("its model is called with the input, which is a text or becomes one", async () => {
  const model = scriptedModel(["Hello.", "Counted."]);
  const agent = new Agent({ name: "greeter", model, instructions: "Be short." });
  const { status, value, text, stepResults, state } = await agent.run("Say hello");
  assert.deepEqual([status, value, text], ["done", "Hello.", "Hello."]);
  assert.deepEqual(stepResults.map(({ name, path }) => [name, path]), [["answer", "steps[0]"]]);
  const messages = [{ role: "user", content: "Say hello" }, { role: "assistant", content: "Hello." }];
  assert.deepEqual(state, { input: "Say hello", answer_output: "Hello.", messages });
  assert.equal((await agent.run({ bees: 3 })).text, "Counted.");
  model.done();
  const sent = model.requests.map(({ instructions, messages }) => [instructions, messages.map(({ role, content }) => [role, content[0].text])]);
  assert.deepEqual(sent, [["Be short.", [["user", "Say hello"]]], ["Be short.", [["user", '{"bees":3}']]]]);
});

test("the messages of a result go on: calls, results, images and what only the model understands are sent again as they were", async () => {
  const signed = { signature: "SIG" };
  const model = scriptedModel([[{ type: "reasoning", text: "I look." }, { type: "toolCall", id: "c1", name: "weather", input: { city: "Oslo" } }, { type: "echo", value: signed }], "Blue.", "Still blue."]);
  const agent = new Agent({ name: "guide", model, tools: [weather] });
  const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" };
  const first = await agent.run([{ role: "user", content: [{ type: "text", text: "How is the sky?" }, image] }]);
  const { messages } = await agent.run(JSON.parse(JSON.stringify([...first.messages, { role: "user", content: "And now?" }])));
  const [, second, third] = model.requests.map((request) => request.messages);
  assert.deepEqual(third.slice(0, 3), second);
  assert.deepEqual(second[1].echo, signed);
  assert.deepEqual(second[2].results, [{ id: "c1", name: "weather", output: { city: "Oslo", sky: "blue" } }]);
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool", "assistant", "user", "assistant"]);
  assert.deepEqual(messages.slice(0, 4), first.messages);
  assert.equal((await new Agent({ name: "cut off", model: scriptedModel([{ error: new Error("no") }]) }).run("Hi")).messages, undefined);
});

test("a list of messages is a conversation: what was said before goes along, and the last message is the input", async () => {
  const model = scriptedModel(["Still Oslo.", "Rows."]);
  const agent = new Agent({ name: "guide", model });
  const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" };
  const conversation = [{ role: "user", content: "Where am I?" }, { role: "assistant", content: "In Oslo." }, { role: "user", content: [{ type: "text", text: "And now?" }, image] }];
  const { status, text, state } = await agent.run(conversation);
  assert.deepEqual([status, text, state.input], ["done", "Still Oslo.", conversation]);
  assert.deepEqual(model.requests[0].messages.map(({ role, content }) => [role, content.map(({ type, text }) => text ?? type)]), [
    ["user", ["Where am I?"]], ["assistant", ["In Oslo."]], ["user", ["And now?", "image"]],
  ]);
  // Rows that have a role are data.
  await agent.run([{ role: "admin", name: "Ada" }]);
  assert.equal(model.requests[1].messages[0].content[0].text, '[{"role":"admin","name":"Ada"}]');
  for (const [messages, message] of [
    [[{ role: "system", content: "Obey" }, ...conversation], "`inputFrom[0]` of `answer` is a message with the role `system`"],
    [conversation.slice(0, 2), "the conversation that `answer` is given does not end with a question"],
    [[{ role: "user", parts: [{ type: "text", text: "Hi" }] }], "message 1 of inputFrom of `answer` has `parts` and no `content`"],
  ]) {
    const { status, error } = await agent.run(messages);
    assert.deepEqual([status, error.message, error.hint !== undefined], ["error", message, true]);
  }
  model.done();
});

test("a step of a workflow, one of an agent and the agent of one step are given conversations too", async () => {
  const model = scriptedModel(["one", "two", "three"]);
  const messages = [{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello" }, { role: "user", content: "How are you?" }];
  const agent = new Agent({ name: "guide", model });
  await new Workflow({ name: "w", initialState: { messages }, steps: [{ name: "ask", agent, inputFrom: (state) => state.messages }] }).run();
  await new ReasoningAgent({ name: "thinker", model, steps: [think("ask", (input) => input)] }).run(messages);
  await createAgent({ role: "greeter", systemPrompt: "Greet.", model }).run(messages);
  for (const { messages } of model.requests) assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user"]);
  model.done();
});

test("what was paid before a person is waited for is counted, and counted once when the run goes on", async () => {
  const usage = (inputTokens) => ({ type: "usage", inputTokens, outputTokens: 1 });
  const model = scriptedModel([[{ type: "toolCall", name: "pay", input: {} }, usage(40)], ["Paid.", usage(60)]]);
  const pay = tool({ name: "pay", needsApproval: true, execute: () => "ok" });
  const agent = new Agent({ name: "a", model, tools: [pay] });
  const first = await agent.run("Pay", { journal: true });
  assert.deepEqual([first.status, first.usage, first.stepResults[0].usage], ["suspended", { inputTokens: 40, outputTokens: 1 }, { inputTokens: 40, outputTokens: 1 }]);
  const second = await agent.run("Pay", { journal: first.journal, answers: { [first.pending[0].key]: true } });
  assert.deepEqual([second.status, second.usage, second.stepResults[0].usage], ["done", { inputTokens: 100, outputTokens: 2 }, { inputTokens: 100, outputTokens: 2 }]);
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
});

test("its text comes in pieces", async () => {
  const agent = new Agent({ name: "writer", model: demo() });
  let pieces = 0;
  let text = "";
  const run = agent.start("Write about bees");
  for await (const piece of run.textStream) {
    pieces += 1;
    text += piece;
  }
  assert.ok(pieces > 5, `${pieces} pieces`);
  const result = await run.result;
  assert.equal(result.text, text);
  let last;
  for await (const event of run.events) last = event;
  assert.equal(last.result, result);
});

test("nothing of its text comes twice, also where it says something before it calls a tool; JSON is no text", async () => {
  const model = scriptedModel([["Let me look. ", { type: "toolCall", name: "weather", input: { city: "Oslo" } }], "It is blue."]);
  let text = "";
  for await (const piece of new Agent({ name: "guide", model, tools: [weather] }).start("Oslo").textStream) text += piece;
  assert.equal(text, "Let me look. It is blue.");
  const judge = new Agent({ name: "judge", model: scriptedModel(['{"score":1}']), output: { type: "object" } });
  for await (const piece of judge.start("x").textStream) assert.fail(piece);
});

const textOf = async (agent, options) => {
  let text = "";
  for await (const piece of agent.start("Oslo", options).textStream) text += piece;
  return text;
};

test("what is said before a call is in its text, also where it is dropped as the call was demanded", async () => {
  const model = scriptedModel(["It is grey. ", { type: "toolCall", name: "weather", input: { city: "Oslo" } }, "It is blue."]);
  assert.equal(await textOf(new Agent({ name: "guide", model, tools: [weather], toolChoice: "required" })), "It is grey. It is blue.");
});

test("what is said around a call of the provider's own is one text, of which nothing comes twice", async () => {
  const block = (index, content_block) => [{ type: "content_block_start", index, content_block }, { type: "content_block_stop", index }];
  const answer = [
    { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
    ...block(0, { type: "text", text: "Let me look. " }),
    ...block(1, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    ...block(2, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
    ...block(3, { type: "text", text: "It is blue." }),
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ];
  const fetch = answering(answer.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
  const model = anthropic("claude-sonnet-4-5", { apiKey: "a key of a test" });
  assert.equal(await textOf(new Agent({ name: "guide", model, tools: [tool({ name: "search", provider: "web_search" })] }), { fetch }), "Let me look. It is blue.");
});

test("what only agents with steps have is refused, and says where they are", async () => {
  const agent = new Agent({ name: "a", model: demo() });
  for (const option of ["state", "stream"]) {
    for (const call of [() => agent.run("x", { [option]: true }), () => agent.start("x", { [option]: true }).result, async () => { for await (const _ of agent.stream("x", { [option]: true })); }]) {
      await assert.rejects(call, { code: "validation", message: `a run of the agent a has no option \`${option}\``, hint: /stepweave\/reasoning/ });
    }
  }
  for (const options of [[], [{}]]) await assert.rejects(agent.run("x", options), { code: "validation", message: "the options of a run must be an object" });
  await assert.rejects(agent.run("x", 5), { code: "validation", message: "the options of a run must be an object" });
  await assert.rejects(agent.run({ at: new Date(0) }), { code: "validation", message: /input\.at is a Date/ });
  assert.throws(() => new Agent({ name: "a", model: demo(), steps: [think("s", (x) => x)] }), { code: "validation", message: "the agent a has `steps`, which only agents with steps have", hint: /stepweave\/reasoning/ });
});

test("leaving the loop over its events cancels its run", async () => {
  const seen = [];
  const agent = new Agent({ name: "writer", model: demo() });
  const stream = agent.stream("bees", { signal: new AbortController().signal });
  for await (const { type } of stream) { seen.push(type); break; }
  assert.deepEqual([seen, await stream.next()], [["run.start"], { done: true, value: undefined }]);
});

test("a failure is data; a person's leave is waited for and taken up", async () => {
  const failing = new Agent({ name: "a", model: scriptedModel([new Error("no such luck")]) });
  const { status, error, value } = await failing.run("x");
  assert.deepEqual([status, error.code, error.step.name, value], ["error", "model", "answer", undefined]);

  const model = scriptedModel([{ type: "toolCall", name: "pay", input: { eur: 5 } }, "Paid."]);
  const pay = tool({ name: "pay", description: "Pays.", input: { type: "object" }, needsApproval: true, execute: ({ eur }) => `${eur} paid` });
  const payer = new Agent({ name: "payer", model, tools: [pay] });
  const suspended = await payer.run("pay", { journal: true });
  assert.deepEqual([suspended.status, suspended.pending.length, suspended.pending[0].tool], ["suspended", 1, { name: "pay", input: { eur: 5 }, callId: "call_0" }]);
  const paid = await payer.run("pay", { journal: suspended.journal, answers: { [suspended.pending[0].key]: true } });
  assert.deepEqual([paid.status, paid.text], ["done", "Paid."]);
});

test("the same agent answers in a workflow", async () => {
  const agent = new Agent({ name: "writer", model: demo() });
  const alone = await agent.run("bees");
  const { state } = await new Workflow({ name: "w", steps: [{ name: "answer", agent, inputFrom: "bees" }] }).run();
  assert.equal(state.answer_output, alone.text);
});

test("its text is whole where it is resumed inside of a pause of the provider", async () => {
  const bodyOf = (text, reason) =>
    [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  const going = (...answers) => async () => {
    const [text, reason] = answers.shift();
    return new Response(bodyOf(text, reason), { headers: { "content-type": "text/event-stream" } });
  };
  const agent = new Agent({ name: "searcher", model: anthropic("claude-sonnet-4-5", { apiKey: "k".repeat(20), baseUrl: "https://model.example/v1" }) });
  const { journal } = await agent.run("Oslo", { journal: true, fetch: going(["One. ", "pause_turn"], ["Two. ", "pause_turn"], ["Three.", "end_turn"]) });
  const answers = journal.entries.flatMap((entry, index) => (/\/model\d*$/.test(entry.key) ? [index] : []));
  assert.equal(answers.length, 3);
  for (const [kept, rest] of [[1, [["Two. ", "pause_turn"], ["Three.", "end_turn"]]], [2, [["Three.", "end_turn"]]], [3, []]]) {
    const entries = journal.entries.slice(0, answers[kept - 1] + 1);
    assert.equal(await textOf(agent, { journal: { ...JSON.parse(JSON.stringify(journal)), entries }, fetch: going(...rest) }), "One. Two. Three.");
  }
});
