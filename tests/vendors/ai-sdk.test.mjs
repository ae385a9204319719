// Models of the AI SDK with its real providers, over HTTP, in whole workflows. What the package `ai` reads out of the same
// bytes is what a step has to give.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { Agent, fromAiSdk, tool, Workflow } from "stepweave";

let server;
let origin;
/** The requests, and how it is answered: in this order, the last one for all that follow. */
let calls;
let answers;

before(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const call = { path: request.url, headers: request.headers, body: JSON.parse(text), isOver: false };
    calls.push(call);
    response.on("close", () => (call.isOver = true));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    await answer(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  calls = [];
});

const stream = (...events) => async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    response.write(event);
    await new Promise(setImmediate);
  }
  response.end();
};
const refuse = (status, error, headers = {}) => async (response) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ type: "error", error }));
const data = (json) => `data: ${JSON.stringify(json)}\n\n`;
const named = (json) => `event: ${json.type}\n${data(json)}`;

/** A call of a tool with the arguments, then an answer in words, in the form of each endpoint; with what is thought before. */
const FORMS = {
  "chat completions": {
    model: () => createOpenAICompatible({ name: "local", baseURL: `${origin}/v1`, includeUsage: true })("some-model"),
    turns: [
      stream(
        data({ id: "1", model: "some-model", choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Let me see" } }] }),
        data({ id: "1", choices: [{ index: 0, delta: { content: "Looking." } }] }),
        data({ id: "1", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: '{"ci' } }] } }] }),
        data({ id: "1", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'ty":"Paris"}' } }] } }] }),
        data({ id: "1", choices: [{ index: 0, delta: { tool_calls: [{ index: 1, id: "call_2", type: "function", function: { name: "clock", arguments: "{}" } }] } }] }),
        data({ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage: { prompt_tokens: 20, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } } }),
        "data: [DONE]\n\n",
      ),
      stream(
        data({ id: "2", choices: [{ index: 0, delta: { role: "assistant", content: "Sunny " } }] }),
        data({ id: "2", choices: [{ index: 0, delta: { content: "at noon." } }] }),
        data({ id: "2", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 30, completion_tokens: 4 } }),
        "data: [DONE]\n\n",
      ),
    ],
    usage: { inputTokens: 50, outputTokens: 13, cachedInputTokens: 4, reasoningTokens: 3 },
    first: ({ messages, tools, temperature, max_tokens }) => {
      assert.deepEqual(messages, [{ role: "system", content: "Be brief." }, { role: "user", content: "How is Paris?" }]);
      assert.deepEqual(tools.map(({ function: { name, parameters } }) => [name, parameters.type]), [["weather", "object"], ["clock", "object"]]);
      assert.deepEqual([temperature, max_tokens], [0.1, 200]);
    },
    second: ({ messages }) => {
      const [said, ...results] = messages.slice(2);
      assert.equal(said.content, "Looking.");
      assert.equal(said.reasoning_content, "Let me see");
      assert.deepEqual(said.tool_calls.map(({ id, function: { name, arguments: text } }) => [id, name, JSON.parse(text)]), [["call_1", "weather", { city: "Paris" }], ["call_2", "clock", {}]]);
      assert.deepEqual(results.map(({ role, tool_call_id, content }) => [role, tool_call_id, content]), [["tool", "call_1", '{"sky":"clear"}'], ["tool", "call_2", "noon"]]);
    },
  },
  "OpenAI Responses": {
    model: () => createOpenAI({ apiKey: "sk-test", baseURL: `${origin}/v1` }).responses("gpt-5-mini"),
    agent: { params: { store: false, include: ["reasoning.encrypted_content"], max_tokens: 200 } },
    turns: [
      stream(
        named({ type: "response.created", sequence_number: 0, response: { id: "r1", created_at: 1, model: "gpt-5-mini" } }),
        named({ type: "response.output_item.added", sequence_number: 1, output_index: 0, item: { type: "reasoning", id: "rs_1", encrypted_content: null, summary: [] } }),
        named({ type: "response.reasoning_summary_part.added", sequence_number: 2, item_id: "rs_1", output_index: 0, summary_index: 0, part: { type: "summary_text", text: "" } }),
        named({ type: "response.reasoning_summary_text.delta", sequence_number: 3, item_id: "rs_1", output_index: 0, summary_index: 0, delta: "Let me see" }),
        named({ type: "response.output_item.done", sequence_number: 4, output_index: 0, item: { type: "reasoning", id: "rs_1", encrypted_content: "SEALED", summary: [{ type: "summary_text", text: "Let me see" }] } }),
        named({ type: "response.output_item.added", sequence_number: 5, output_index: 1, item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "" } }),
        named({ type: "response.function_call_arguments.delta", sequence_number: 6, item_id: "fc_1", output_index: 1, delta: '{"city":"Paris"}' }),
        named({ type: "response.output_item.done", sequence_number: 7, output_index: 1, item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: '{"city":"Paris"}', status: "completed" } }),
        named({ type: "response.completed", sequence_number: 8, response: { id: "r1", usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 4 }, output_tokens: 9, output_tokens_details: { reasoning_tokens: 3 } } } }),
      ),
      stream(
        named({ type: "response.created", sequence_number: 0, response: { id: "r2", created_at: 2, model: "gpt-5-mini" } }),
        named({ type: "response.output_item.added", sequence_number: 1, output_index: 0, item: { type: "message", id: "msg_1" } }),
        named({ type: "response.output_text.delta", sequence_number: 2, item_id: "msg_1", output_index: 0, content_index: 0, delta: "Sunny at noon." }),
        named({ type: "response.output_item.done", sequence_number: 3, output_index: 0, item: { type: "message", id: "msg_1" } }),
        named({ type: "response.completed", sequence_number: 4, response: { id: "r2", usage: { input_tokens: 30, output_tokens: 4 } } }),
      ),
    ],
    usage: { inputTokens: 50, outputTokens: 13, cachedInputTokens: 4, reasoningTokens: 3 },
    first: ({ input, max_output_tokens }) => {
      assert.equal(input.at(-1).content[0].text, "How is Paris?");
      assert.equal(max_output_tokens, 200);
    },
    second: ({ input }) => {
      const [thought, call, result] = input.slice(-3);
      assert.deepEqual(thought, { type: "reasoning", id: "rs_1", encrypted_content: "SEALED", summary: [{ type: "summary_text", text: "Let me see" }] });
      assert.deepEqual([call.type, call.call_id, JSON.parse(call.arguments)], ["function_call", "call_1", { city: "Paris" }]);
      assert.deepEqual([result.type, result.call_id, result.output], ["function_call_output", "call_1", '{"sky":"clear"}']);
    },
  },
  "Anthropic Messages": {
    model: () => createAnthropic({ apiKey: "sk-test", baseURL: `${origin}/v1` })("claude-sonnet-4-5"),
    agent: { params: { thinking: { type: "enabled", budgetTokens: 1024 }, max_tokens: 200 } },
    turns: [
      stream(
        named({ type: "message_start", message: { id: "m1", model: "claude-sonnet-4-5", role: "assistant", usage: { input_tokens: 16, cache_read_input_tokens: 4, output_tokens: 1 } } }),
        named({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
        named({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me see" } }),
        named({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SEALED" } }),
        named({ type: "content_block_stop", index: 0 }),
        named({ type: "ping" }),
        named({ type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} } }),
        named({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"city":"Paris"}' } }),
        named({ type: "content_block_stop", index: 1 }),
        named({ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } }),
        named({ type: "message_stop" }),
      ),
      stream(
        named({ type: "message_start", message: { id: "m2", model: "claude-sonnet-4-5", role: "assistant", usage: { input_tokens: 30, output_tokens: 1 } } }),
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Sunny at noon." } }),
        named({ type: "content_block_stop", index: 0 }),
        named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } }),
        named({ type: "message_stop" }),
      ),
    ],
    usage: { inputTokens: 50, outputTokens: 13, cachedInputTokens: 4 },
    first: ({ messages, system, thinking, max_tokens }) => {
      assert.equal(system[0].text, "Be brief.");
      assert.equal(messages[0].content[0].text, "How is Paris?");
      assert.deepEqual(thinking, { type: "enabled", budget_tokens: 1024 });
      assert.equal(max_tokens, 1224);
    },
    second: ({ messages }) => {
      const [said, results] = messages.slice(-2);
      assert.deepEqual(said.content.slice(0, 2).map(({ cache_control: _, ...part }) => part), [
        { type: "thinking", thinking: "Let me see", signature: "SEALED" },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } },
      ]);
      assert.deepEqual([results.content[0].type, results.content[0].tool_use_id, results.content[0].content], ["tool_result", "toolu_1", '{"sky":"clear"}']);
    },
  },
};

const weather = tool({ name: "weather", description: "The sky over a city.", input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }, execute: () => ({ sky: "clear" }) });
const clock = tool({ name: "clock", description: "The time.", execute: () => "noon" });

function workflow(model, agent = {}, more = {}) {
  const helper = new Agent({ name: "helper", model: fromAiSdk(model), instructions: "Be brief.", params: { temperature: 0.1, max_tokens: 200 }, ...agent });
  return new Workflow({ name: "ask", steps: [{ name: "ask", agent: helper, inputFrom: "How is Paris?" }], ...more });
}

for (const [name, { model, agent, turns, usage, first, second }] of Object.entries(FORMS)) {
  test(`${name}: an agent calls its tools and answers`, async () => {
    answers = [...turns];
    const run = workflow(model(), { tools: [weather, clock], ...agent }).start();
    const events = [];
    for await (const event of run.events) events.push(event);
    const result = await run.result;
    assert.equal(result.status, "done", result.errors[0]?.message);
    assert.equal(result.state.ask_output, "Sunny at noon.");
    const { cost: _, ...used } = result.usage;
    assert.deepEqual(used, usage);
    assert.equal(events.filter(({ type }) => type === "step.reasoning").map(({ text }) => text).join(""), "Let me see");
    assert.ok(events.some(({ type, tool }) => type === "tool.done" && tool === "weather"));
    assert.equal(calls.length, 2);
    first(calls[0].body);
    second(calls[1].body);
  });

  test(`${name}: the package \`ai\` reads the same`, async () => {
    for (const turn of turns) {
      answers = [turn];
      const read = streamText({ model: model(), prompt: "x", maxRetries: 0 });
      const theirs = { text: await read.text, reasoning: (await read.reasoningText) ?? "", calls: (await read.toolCalls).map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })), usage: await read.usage };
      let seen;
      const watching = tool({ name: "weather", execute: () => "" });
      const run = workflow(model(), { tools: [watching, clock], maxTurns: 1, ...agent }).start();
      const ours = { text: "", reasoning: "", calls: [] };
      for await (const event of run.events) {
        if (event.type === "step.delta") ours.text += event.text;
        if (event.type === "step.reasoning") ours.reasoning += event.text;
        if (event.type === "tool.start") ours.calls.push({ id: event.callId, name: event.tool, input: event.input });
        seen = event.result?.usage ?? seen;
      }
      assert.deepEqual(ours, { text: theirs.text, reasoning: theirs.reasoning, calls: theirs.calls });
      assert.deepEqual([seen.inputTokens, seen.outputTokens], [theirs.usage.inputTokens, theirs.usage.outputTokens]);
    }
  });

  test(`${name}: refusals have their codes`, async () => {
    for (const [status, headers, code, retryable, retryAfterMs] of [
      [401, {}, "auth", false, undefined],
      [404, {}, "model", false, undefined],
      [429, { "retry-after": "7" }, "rate_limit", true, 7000],
      [500, {}, "model", true, undefined],
    ]) {
      answers = [refuse(status, { type: "some_error", message: "its own words", code: null, param: null }, headers)];
      const { errors } = await workflow(model(), agent).run();
      const [error] = errors;
      assert.deepEqual([error.code, error.retryable, error.retryAfterMs], [code, retryable, retryAfterMs]);
      assert.ok(error.message.startsWith(`${origin} `), error.message);
      assert.match(error.message, /its own words$/);
      assert.equal(error.cause.name, "AI_APICallError");
      assert.doesNotMatch(JSON.stringify(error), /sk-test/);
    }
  });

  test(`${name}: cancelling hangs up`, async () => {
    answers = [
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": ready\n\n");
      },
    ];
    const run = workflow(model(), agent).start();
    while (calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    run.cancel("enough");
    assert.equal((await run.result).status, "cancelled");
    const until = Date.now() + 5000;
    while (!calls[0].isOver && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(calls[0].isOver);
  });
}

test("an answer by a schema is requested by the provider's own means", async () => {
  answers = [stream(data({ id: "1", choices: [{ index: 0, delta: { content: '{"sky":"clear"}' } }] }), data({ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }), "data: [DONE]\n\n")];
  const output = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"], additionalProperties: false };
  const model = createOpenAICompatible({ name: "local", baseURL: `${origin}/v1`, supportsStructuredOutputs: true })("some-model");
  const { status, state } = await workflow(model, { output }).run();
  assert.equal(status, "done");
  assert.deepEqual(state.ask_output, { sky: "clear" });
  assert.deepEqual(calls[0].body.response_format, { type: "json_schema", json_schema: { schema: output, strict: true, name: "response" } });
});

test("images and files reach the provider", async () => {
  answers = [FORMS["Anthropic Messages"].turns[1]];
  const agent = new Agent({ name: "helper", model: fromAiSdk(FORMS["Anthropic Messages"].model()) });
  const files = [
    { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    { type: "image", mediaType: "image/png", url: "https://example.com/bee.png" },
    { type: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "a.pdf" },
  ];
  const { status, errors } = await new Workflow({ name: "ask", steps: [{ name: "ask", agent, inputFrom: "What is this?", files: () => files }] }).run();
  assert.equal(status, "done", errors[0]?.message);
  const sent = calls[0].body.messages[0].content.map(({ type, source, text, title }) => ({ type, text, title, ...source }));
  assert.deepEqual(JSON.parse(JSON.stringify(sent)), [
    { type: "text", text: "What is this?" },
    { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    { type: "url", url: "https://example.com/bee.png" },
    { type: "base64", title: "a.pdf", media_type: "application/pdf", data: "JVBERi0=" },
  ]);
});

test("a connection that was kept and is closed meanwhile is no failure", async () => {
  // What used to happen: each second call of an agent failed at servers that close what their clients keep.
  const answer = FORMS["chat completions"].turns[1];
  const requests = [];
  const closing = createServer(async (request, response) => {
    requests.push(request.socket.remotePort);
    for await (const _ of request);
    if (requests.length === 2) request.socket.destroy();
    else await answer(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => closing.once("listening", resolve));
  const helped = workflow(createOpenAICompatible({ name: "local", baseURL: `http://127.0.0.1:${closing.address().port}/v1` })("some-model"));
  assert.equal((await helped.run()).status, "done");
  // The connection is kept when its answer has been read.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { status, errors } = await helped.run();
  assert.equal(status, "done", errors[0]?.message);
  assert.equal(requests[0], requests[1], "the connection was kept");
  assert.equal(requests.length, 3);
  closing.closeAllConnections();
  closing.close();
});

test("a provider that nobody reaches is a failure of the network", async () => {
  const model = createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:9/v1" })("some-model");
  const [error] = (await workflow(model).run()).errors;
  assert.equal(error.code, "network");
  assert.equal(error.retryable, true);
  assert.match(error.message, /^http:\/\/127\.0\.0\.1:9 could not be reached/);
});
