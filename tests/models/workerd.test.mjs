// Workers AI through its binding, in workerd. The binding is the runtime's own; what stands behind it answers here, in the
// shapes that Workers AI answers in.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";

let service;
let miniflare;
/** The requests, and how it is answered: `answers` in their order, the last one for all that follow. */
let calls;
let answers;

before(async () => {
  service = createServer(async (request, response) => {
    // Miniflare itself looks now and then whether anyone is there.
    if (request.headers["mf-url"] === undefined) return response.writeHead(404).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const call = { ...JSON.parse(text), path: new URL(request.headers["mf-url"]).pathname, model: request.headers["mf-header-cf-consn-model-id"], isOver: false };
    calls.push(call);
    response.on("close", () => (call.isOver = true));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    await answer(response, call);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => service.once("listening", resolve));
  miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    ...(await bundled(fileURLToPath(new URL("programs/edge.mjs", import.meta.url)))),
    ai: { binding: "AI", remoteProxyConnectionString: new URL(`http://127.0.0.1:${service.address().port}`) },
  });
  await miniflare.ready;
});
after(async () => {
  await miniflare?.dispose();
  service?.closeAllConnections();
  service?.close();
});
beforeEach(() => {
  calls = [];
});

async function ask(given = {}) {
  const response = await miniflare.dispatchFetch("http://worker.test/", { method: "POST", body: JSON.stringify(given) });
  return response.json();
}

const stream = (...events) => async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    response.write(event);
    await new Promise(setImmediate);
  }
  response.end();
};
const data = (json) => `data: ${JSON.stringify(json)}\n\n`;
const whole = (json, status = 200) => async (response) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
const DONE = "data: [DONE]\n\n";
const delta = (delta, finish_reason = null) => data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });

test("the form of Workers AI itself is read as it comes", async () => {
  answers = [stream(data({ response: "Hel", p: "abdefghijk" }), 'data: {"respo', 'nse":"lo","p":"x"}\r\n\r\n', data({ response: " 你好" }), data({ response: "", usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }), DONE)];
  const { status, state, usage, deltas } = await ask({ agent: { instructions: "Be brief.", params: { max_tokens: 50 } }, options: { params: { temperature: 0.1 }, gateway: { id: "my-gateway" } } });
  assert.equal(status, "done");
  assert.equal(state.ask_output, "Hello 你好");
  assert.deepEqual(usage, { inputTokens: 7, outputTokens: 3 });
  assert.ok(deltas.length > 1, "the text comes in pieces");
  const [{ inputs, options, model, path }] = calls;
  assert.equal(model, "@cf/acme/llama");
  assert.equal(path, "/ai-gateway/run");
  assert.deepEqual(options, { gateway: { id: "my-gateway" } });
  assert.deepEqual(inputs, {
    messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }],
    stream: true,
    temperature: 0.1,
    max_tokens: 50,
  });
});

test("the form of OpenAI is read as it comes", async () => {
  answers = [
    stream(
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "hm" }),
      delta({ reasoning: "m" }),
      delta({ content: "Hel" }),
      ": a comment\n\n",
      delta({ content: "lo" }),
      delta({}, "length"),
      data({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 }, completion_tokens_details: { reasoning_tokens: 1 } } }),
      DONE,
    ),
  ];
  const { status, state, usage, thoughts } = await ask();
  assert.equal(status, "done");
  assert.equal(state.ask_output, "Hello");
  assert.deepEqual(usage, { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, reasoningTokens: 1 });
  assert.equal(thoughts.join(""), "hmm");
});

for (const [form, answer] of [
  ["pieces in OpenAI's form", () => stream(delta({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "search" } }] }), delta({ tool_calls: [{ index: 0, function: { arguments: '{"q":' } }] }), delta({ tool_calls: [{ index: 0, function: { arguments: '"bees"}' } }] }), delta({ tool_calls: [{ index: 0, id: null, type: null, function: { name: null, arguments: "" } }] }), delta({}, "tool_calls"), DONE)],
  ["one piece of a stream", () => stream(data({ response: "", tool_calls: [{ name: "search", arguments: { q: "bees" } }] }), DONE)],
  ["a whole answer", () => whole({ response: null, tool_calls: [{ name: "search", arguments: { q: "bees" } }], usage: { prompt_tokens: 1, completion_tokens: 1 } })],
  ["a whole answer in OpenAI's form", () => whole({ choices: [{ message: { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: '{"q":"bees"}' } }] }, finish_reason: "tool_calls" }] })],
]) {
  test(`a tool is called: ${form}`, async () => {
    answers = [answer(), stream(data({ response: "Found it." }), DONE)];
    const { status, state, error } = await ask({ hasTools: true });
    assert.equal(status, "done", error?.message);
    assert.equal(state.ask_output, "Found it.");
    const [first, again] = calls.map(({ inputs }) => inputs);
    assert.deepEqual(first.tools, [
      { type: "function", function: { name: "search", description: "Finds pages.", parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } } },
    ]);
    const [, said, result] = again.messages;
    assert.equal(said.role, "assistant");
    assert.equal(said.content, "");
    const [call] = said.tool_calls;
    assert.deepEqual(call.function, { name: "search", arguments: '{"q":"bees"}' });
    assert.ok(call.id.length > 0);
    assert.deepEqual(result, { role: "tool", tool_call_id: call.id, name: "search", content: '{"hits":["all about bees"]}' });
  });
}

test("a choice of one tool offers only that", async () => {
  answers = [stream(data({ response: "", tool_calls: [{ name: "search", arguments: { q: "x" } }] }), DONE), stream(data({ response: "ok" }), DONE)];
  assert.equal((await ask({ hasTools: true, agent: { toolChoice: { tool: "search" } } })).status, "done");
  assert.equal(calls[0].inputs.tool_choice, "required");
  assert.equal(calls[0].inputs.tools.length, 1);
});

test("an answer by a schema comes whole, as the value or as its text", async () => {
  const output = { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] };
  for (const response of [{ mood: "good" }, '{"mood":"good"}']) {
    answers = [whole({ response, usage: { prompt_tokens: 5, completion_tokens: 4 } })];
    const { status, state, usage } = await ask({ agent: { output } });
    assert.equal(status, "done");
    assert.deepEqual(state.ask_output, { mood: "good" });
    assert.deepEqual(usage, { inputTokens: 5, outputTokens: 4 });
    assert.deepEqual(calls.at(-1).inputs.response_format, { type: "json_schema", json_schema: output });
    assert.equal("stream" in calls.at(-1).inputs, false);
  }
});

test("images are shown, other files are refused", async () => {
  answers = [stream(data({ response: "a bee" }), DONE)];
  const files = [{ type: "image", mediaType: "image/png", data: "iVBOR" }];
  const { status, error } = await ask({ files });
  assert.equal(status, "done", error?.message);
  assert.deepEqual(calls[0].inputs.messages[0].content, [{ type: "text", text: "Hi" }, { type: "image_url", image_url: { url: "data:image/png;base64,iVBOR" } }]);
  const refused = await ask({ files: [{ type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" }] });
  assert.equal(refused.error.code, "model");
  assert.equal(refused.error.message, "the file a.pdf cannot be shown: Workers AI takes images only");
});

test("cancelling frees the service", async () => {
  answers = [
    async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(data({ response: "Hel" }));
    },
  ];
  const { status, deltas } = await ask({ cancelAtDelta: true });
  assert.equal(status, "cancelled");
  assert.deepEqual(deltas, ["Hel"]);
  const until = Date.now() + 5000;
  while (!calls[0].isOver && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(calls[0].isOver);
});

test("what Workers AI refuses has its code, and what to do", async () => {
  for (const [status, internalCode, description, code, retryable, message, hint] of [
    [400, 5007, "No such model @cf/acme/llama or task", "model", false, "does not know the model", /check its name/],
    [404, 3042, "The model name is invalid", "model", false, "does not know the model", /check its name/],
    [403, 5016, "User has not agreed to Llama3.2 model terms", "auth", false, "refuses access", /terms/],
    [429, 3036, "You have used up your daily free allocation of 10,000 neurons.", "rate_limit", false, "has given what is free today", /paid plan/],
    [429, 3040, "No more data centers to forward the request to", "rate_limit", true, "has no room for the call", /try again/],
    [408, 3007, "Request timeout", "timeout", true, "took too long", /try again/],
    [413, 3006, "Request is too large", "limit", false, "cannot take so much at once", /shorten/],
    [400, 5004, "Invalid data type", "model", false, "failed", /its own words/],
  ]) {
    answers = [whole({ internalCode, description, name: "InferenceUpstreamError" }, status)];
    const { error } = await ask();
    assert.equal(error.code, code);
    assert.equal(error.message, `Workers AI ${message} (@cf/acme/llama): ${internalCode}: ${description}`);
    assert.equal(error.retryable, retryable);
    assert.match(error.hint, hint);
  }
  answers = [whole({ errors: [{ code: 7003, message: "Could not route" }] }, 400)];
  assert.equal((await ask()).error.message, "Workers AI failed (@cf/acme/llama): 7003: Could not route");
});

test("a call for which there was no room is made again", async () => {
  answers = [whole({ internalCode: 3040, description: "No more data centers" }, 429), stream(data({ response: "ok" }), DONE)];
  const { status, state } = await ask({ retryPolicy: { maxRetries: 1, backoffMs: 1 } });
  assert.equal(status, "done");
  assert.equal(state.ask_output, "ok");
});

test("an answer that ends too early, or tells an error, is a failure", async () => {
  for (const [events, code, message] of [
    [[data({ response: "Hel" })], "network", "Workers AI broke off before the answer of @cf/acme/llama was whole"],
    [[delta({ content: "Hel" })], "network", "Workers AI broke off before the answer of @cf/acme/llama was whole"],
    [[data({ response: "Hel" }), data({ error: { message: "out of memory" } })], "model", "Workers AI reports an error in its answer (@cf/acme/llama): out of memory"],
    [[data({ errors: [{ code: 3040, message: "no room" }] })], "rate_limit", "Workers AI has no room for the call (@cf/acme/llama): 3040: no room"],
  ]) {
    answers = [stream(...events)];
    const { error } = await ask();
    assert.equal(error.code, code);
    assert.equal(error.message, message);
    assert.equal(error.retryable, true);
  }
});

test("many calls at once do not meet", async () => {
  let count = 0;
  answers = [
    async (response) => {
      const number = (count += 1);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let piece = 0; piece < 5; piece += 1) {
        response.write(data({ response: `${number} ` }));
        await new Promise(setImmediate);
      }
      response.end(DONE);
    },
  ];
  const results = await ask({ times: 10 });
  const texts = results.map(({ state }) => state.ask_output).sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
  assert.deepEqual(texts, Array.from({ length: 10 }, (_, index) => `${index + 1} `.repeat(5)));
});
