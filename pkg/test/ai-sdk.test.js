// Models of the AI SDK: what their three versions are called with, and what becomes of what they give and throw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, fromAiSdk, openai, Workflow } from "stepweave";
import { internal, rejection } from "./support.js";

const { ask } = await internal("models/ai-sdk/ask.ts");

const USAGES = {
  v2: { inputTokens: 7, outputTokens: 5, totalTokens: 12, cachedInputTokens: 2, reasoningTokens: 3 },
  v3: { inputTokens: { total: 7, noCache: 1, cacheRead: 2, cacheWrite: 4 }, outputTokens: { total: 5, text: 2, reasoning: 3 } },
};
USAGES.v4 = USAGES.v3;
/** A picture that a tool gave, in each version. */
const SHOWN = {
  v2: { type: "media", data: "iVBOR", mediaType: "image/png" },
  v3: { type: "image-data", data: "iVBOR", mediaType: "image/png" },
  v4: { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBOR" } },
};
const finishOf = (version, unified, raw) => (version === "v2" ? unified : { unified, raw });

/** A model of a version that gives these parts, and remembers its requests. */
function fake(version, parts, provider = "acme.chat") {
  const model = {
    specificationVersion: version,
    provider,
    modelId: "acme-1",
    requests: [],
    async doStream(options) {
      model.requests.push(options);
      if (typeof parts === "function") return parts(options);
      return { stream: ReadableStream.from(parts) };
    },
  };
  return model;
}

const request = (extra = {}) => ({ model: "acme-1", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], params: {}, ...extra });

function context() {
  const lines = [];
  const controller = new AbortController();
  return { signal: controller.signal, lines, log: (line) => void lines.push(line), controller };
}

async function answerOf(model, extra, given = context()) {
  const parts = [];
  for await (const part of ask(model, request(extra), given)) parts.push(part);
  return parts;
}

const done = (version, reason = "stop") => ({ type: "finish", usage: USAGES[version], finishReason: finishOf(version, reason) });
const failing = (error, version = "v4") => rejection(answerOf(fake(version, () => Promise.reject(error))));
const named = (name, message, more) => Object.assign(new Error(message), { name, ...more });
const call = (statusCode, message = "no", more = {}) =>
  named("AI_APICallError", message, { statusCode, url: "https://api.acme.test/v1/chat?key=sk-secret", isRetryable: statusCode >= 500, ...more });

for (const version of ["v2", "v3", "v4"]) {
  test(`${version}: texts, thoughts, calls, usage and the end`, async () => {
    const model = fake(version, [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r1" },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "Let me " },
      { type: "reasoning-delta", id: "0", delta: "see" },
      { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { acme: { signature: "s1", gone: undefined } } },
      { type: "reasoning-end", id: "0" },
      { type: "text-start", id: "1", providerMetadata: { acme: { itemId: "a" } } },
      { type: "text-delta", id: "1", delta: "Looking" },
      { type: "text-end", id: "1", providerMetadata: { acme: { itemId: "b" } } },
      { type: "tool-input-start", id: "c1", toolName: "search" },
      { type: "tool-input-delta", id: "c1", delta: '{"q":' },
      { type: "tool-input-end", id: "c1" },
      { type: "tool-call", toolCallId: "c1", toolName: "search", input: '{"q":"bees"}', providerMetadata: { acme: { itemId: "c" } } },
      { type: "tool-call", toolCallId: "c2", toolName: "now", input: "" },
      { type: "tool-call", toolCallId: "c3", toolName: "web", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "c3", toolName: "web", result: {} },
      { type: "tool-call", toolCallId: "c4", toolName: "search", input: '{"q":' },
      { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
      { type: "ping" },
      { type: "raw", rawValue: {} },
      done(version, "tool-calls"),
    ]);
    assert.deepEqual(await answerOf(model), [
      { type: "response", id: "r1" },
      { type: "reasoning", text: "Let me " },
      { type: "reasoning", text: "see" },
      { type: "reasoning", text: "" },
      { type: "text", text: "Looking" },
      { type: "toolCall", id: "c1", name: "search", input: { q: "bees" } },
      { type: "toolCall", id: "c2", name: "now", input: {} },
      { type: "toolCall", id: "c4", name: "search", input: '{"q":' },
      { type: "source", url: "https://example.com" },
      {
        type: "echo",
        value: {
          provider: "acme.chat",
          modelId: "acme-1",
          content: [
            { type: "reasoning", text: "Let me see", providerOptions: { acme: { signature: "s1" } } },
            { type: "text", text: "Looking", providerOptions: { acme: { itemId: "b" } } },
            { type: "tool-call", toolCallId: "c1", toolName: "search", input: { q: "bees" }, providerOptions: { acme: { itemId: "c" } } },
            { type: "tool-call", toolCallId: "c2", toolName: "now", input: {} },
            { type: "tool-call", toolCallId: "c4", toolName: "search", input: {} },
          ],
        },
      },
      { type: "usage", inputTokens: 7, outputTokens: 5, cachedInputTokens: 2, ...(version !== "v2" && { cacheWriteTokens: 4 }), reasoningTokens: 3 },
      { type: "finish", reason: "toolCalls" },
    ]);
  });

  test(`${version}: a conversation becomes a prompt`, async () => {
    const model = fake(version, [done(version)]);
    await answerOf(model, {
      instructions: "Be brief.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", mediaType: "image/png", data: "iVBOR" },
            { type: "image", mediaType: "image/png", url: "data:image/png;base64,AAAA" },
            { type: "file", mediaType: "application/pdf", url: "https://example.com/a.pdf", name: "a.pdf" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "Let me look." },
            { type: "toolCall", id: "c1", name: "search", input: { q: "x" } },
            { type: "toolCall", id: "c2", name: "now", input: "no JSON" },
          ],
        },
        {
          role: "tool",
          results: [
            { id: "c1", name: "search", output: { hits: 2 } },
            { id: "c2", name: "now", output: "no clock here", isError: true },
            { id: "c3", name: "now", output: "noon" },
            { id: "c4", name: "now", output: { code: 1 }, isError: true },
            { id: "c5", name: "look", output: [{ type: "text", text: "A dot:" }, { type: "image", mediaType: "image/png", data: "iVBOR" }] },
          ],
        },
      ],
      tools: [{ name: "search", description: "Finds.", input: { type: "object", properties: { q: { type: "string" } } } }, { name: "now" }],
      toolChoice: { tool: "search" },
      output: { type: "object" },
    });
    const { abortSignal, ...sent } = model.requests[0];
    assert.ok(abortSignal instanceof AbortSignal);
    const data = (data) => (version === "v4" ? { type: "data", data } : data);
    const url = new URL("https://example.com/a.pdf");
    assert.deepEqual(sent, {
      prompt: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/png", data: data("iVBOR") },
            { type: "file", mediaType: "image/png", data: data("AAAA") },
            { type: "file", mediaType: "application/pdf", filename: "a.pdf", data: version === "v4" ? { type: "url", url } : url },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "Let me look." },
            { type: "tool-call", toolCallId: "c1", toolName: "search", input: { q: "x" } },
            { type: "tool-call", toolCallId: "c2", toolName: "now", input: {} },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c1", toolName: "search", output: { type: "json", value: { hits: 2 } } },
            { type: "tool-result", toolCallId: "c2", toolName: "now", output: { type: "error-text", value: "no clock here" } },
            { type: "tool-result", toolCallId: "c3", toolName: "now", output: { type: "text", value: "noon" } },
            { type: "tool-result", toolCallId: "c4", toolName: "now", output: { type: "error-json", value: { code: 1 } } },
            { type: "tool-result", toolCallId: "c5", toolName: "look", output: { type: "content", value: [{ type: "text", text: "A dot:" }, SHOWN[version]] } },
          ],
        },
      ],
      tools: [
        { type: "function", name: "search", description: "Finds.", inputSchema: { type: "object", properties: { q: { type: "string" } } } },
        { type: "function", name: "now", description: undefined, inputSchema: { type: "object", properties: {} } },
      ],
      toolChoice: { type: "tool", toolName: "search" },
      responseFormat: { type: "json", schema: { type: "object" } },
    });
  });

  test(`${version}: why a model stops`, async () => {
    for (const [word, raw, reason] of [
      ["stop", undefined, "stop"],
      ["length", undefined, "length"],
      ["tool-calls", undefined, "toolCalls"],
      ["content-filter", "SAFETY", "filtered"],
      ["content-filter", "refusal", version === "v2" ? "filtered" : "refused"],
      ["other", undefined, "other"],
      ["unknown", undefined, "other"],
    ]) {
      const [, end] = await answerOf(fake(version, [{ type: "finish", usage: USAGES[version], finishReason: finishOf(version, word, raw) }]));
      assert.deepEqual(end, { type: "finish", reason });
    }
    for (const word of ["error", "interrupted"]) {
      const error = await rejection(answerOf(fake(version, [done(version, word)])));
      assert.equal(error.code, "network");
      assert.equal(error.message, "acme.chat broke off before its answer was whole");
      assert.equal(error.retryable, true);
    }
  });
}

test("what a provider sent about an answer goes back to the same model, and to no other", async () => {
  const content = [{ type: "reasoning", text: "hm", providerOptions: { acme: { signature: "s1" } } }];
  const assistant = { role: "assistant", content: [{ type: "reasoning", text: "hm" }], echo: { provider: "acme.chat", modelId: "acme-1", content } };
  const sent = async (message, provider) => {
    const model = fake("v4", [done("v4")], provider);
    await answerOf(model, { messages: [message] });
    return model.requests[0].prompt[0].content;
  };
  assert.deepEqual(await sent(assistant), content);
  assert.deepEqual(await sent(assistant, "other.chat"), [{ type: "reasoning", text: "hm" }]);
  for (const echo of [null, [], "text", { content }, { output: [] }]) assert.deepEqual(await sent({ ...assistant, echo }), [{ type: "reasoning", text: "hm" }]);
  const twice = [0, 1].flatMap((number) => [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: String(number), providerMetadata: { acme: { number } } },
    { type: "text-end", id: "0" },
  ]);
  const echo = (await answerOf(fake("v4", [...twice, done("v4")]))).find(({ type }) => type === "echo");
  assert.deepEqual(echo.value.content, [
    { type: "text", text: "0", providerOptions: { acme: { number: 0 } } },
    { type: "text", text: "1", providerOptions: { acme: { number: 1 } } },
  ]);
  const plain = await answerOf(fake("v4", [{ type: "text-delta", id: "1", delta: "x" }, done("v4")]));
  assert.ok(plain.every(({ type }) => type !== "echo"), "there is nothing to give back");
});

test("params become settings; what is left goes to the provider", async () => {
  const settings = async (params, provider) => {
    const model = fake("v4", [done("v4")], provider);
    await answerOf(model, { params });
    const { prompt: _, abortSignal: __, ...rest } = model.requests[0];
    return rest;
  };
  const seven = { temperature: 0.2, topP: 0.9, topK: 4, maxOutputTokens: 10, stopSequences: ["END"], seed: 3, presencePenalty: 1, frequencyPenalty: 2, headers: { a: "b" }, reasoning: "low" };
  assert.deepEqual(await settings(seven), seven);
  const { temperature, headers, reasoning, ...others } = seven;
  assert.deepEqual(await settings({ top_p: 0.9, top_k: 4, max_tokens: 10, stop: "END", seed: 3, presence_penalty: 1, frequency_penalty: 2 }), others);
  for (const name of ["maxTokens", "max_output_tokens", "max_completion_tokens"]) assert.deepEqual(await settings({ [name]: 10 }), { maxOutputTokens: 10 });
  assert.deepEqual(await settings({ stop_sequences: ["a", "b"] }), { stopSequences: ["a", "b"] });
  assert.deepEqual(await settings({ serviceTier: "flex", toString: "x" }, "openai.responses"), { providerOptions: { openai: { serviceTier: "flex", toString: "x" } } });
  assert.deepEqual(await settings({ a: 1, b: 2, providerOptions: { acme: { b: 3 }, bedrock: { c: 4 } } }), { providerOptions: { acme: { a: 1, b: 3 }, bedrock: { c: 4 } } });
  assert.deepEqual(await settings({}), {});
});

test("an empty list of tools is none, and a choice of words is one of the AI SDK", async () => {
  const model = fake("v4", [done("v4")]);
  for (const toolChoice of ["auto", "required", "none"]) {
    await answerOf(model, { tools: [], toolChoice });
    assert.deepEqual(model.requests.at(-1).toolChoice, { type: toolChoice });
    assert.equal("tools" in model.requests.at(-1), false);
  }
});

test("usage that is not counted is not emitted", async () => {
  for (const usage of [undefined, { inputTokens: undefined, outputTokens: undefined }, { inputTokens: { total: undefined }, outputTokens: { total: NaN } }, { inputTokens: null }]) {
    assert.deepEqual(await answerOf(fake("v4", [{ type: "finish", usage, finishReason: { unified: "stop" } }])), [{ type: "finish", reason: "stop" }]);
  }
  const half = await answerOf(fake("v4", [{ type: "finish", usage: { inputTokens: { total: 3 } }, finishReason: { unified: "stop" } }]));
  assert.deepEqual(half[0], { type: "usage", inputTokens: 3, outputTokens: 0 });
});

test("files that a model makes are parts, however they are given", async () => {
  const bytes = Uint8Array.of(0, 0, 0);
  for (const [version, data] of [["v2", "AAAA"], ["v3", bytes], ["v4", { type: "data", data: "AAAA" }], ["v4", { type: "data", data: bytes }]]) {
    const [file] = await answerOf(fake(version, [{ type: "file", mediaType: "image/png", data }, done(version)]));
    assert.deepEqual(file, { type: "image", mediaType: "image/png", data: "AAAA" });
  }
  const url = new URL("https://example.com/a.pdf");
  const [file] = await answerOf(fake("v4", [{ type: "file", mediaType: "application/pdf", data: { type: "url", url } }, done("v4")]));
  assert.deepEqual(file, { type: "file", mediaType: "application/pdf", url: "https://example.com/a.pdf" });
});

test("how much a model is to think is a setting since version 4, and an option of the provider before", async () => {
  const sentTo = async (version) => {
    const model = fake(version, [done(version)]);
    await answerOf(model, { params: { reasoningEffort: "low" } });
    const { reasoning, providerOptions } = model.requests[0];
    return { reasoning, providerOptions };
  };
  assert.deepEqual(await sentTo("v4"), { reasoning: "low", providerOptions: undefined });
  assert.deepEqual(await sentTo("v3"), { reasoning: undefined, providerOptions: { acme: { reasoningEffort: "low" } } });
});

test("what the provider warns of, and files that nobody takes, are emitted as lines", async () => {
  const given = context();
  await answerOf(
    fake("v4", [
      {
        type: "stream-start",
        warnings: [
          { type: "unsupported-setting", setting: "topK" },
          { type: "unsupported", feature: "seed", details: "not on this model" },
          { type: "unsupported-tool", tool: { name: "search" } },
          { type: "other", message: "be careful" },
        ],
      },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
      done("v4"),
    ]),
    {},
    given,
  );
  assert.deepEqual(given.lines, [
    "acme-1: topK (unsupported-setting)",
    "acme-1: seed (unsupported): not on this model",
    "acme-1: search (unsupported-tool)",
    "acme-1: other: be careful",
    "acme-1 gave a file of its thoughts (image/png), which is left out",
  ]);
});

/** What a step fails with whose model is this. */
const failed = async (model, options) => {
  const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "Hi" }] });
  return (await workflow.run(options)).error;
};
const refusedWith = (error) => failed(fromAiSdk(fake("v4", () => Promise.reject(error))));

test("a refusal means what it means at an endpoint of the engine's own, whatever the provider's class of errors", async () => {
  for (const [status, body, headers = {}] of [
    [400, { error: { message: "Unknown parameter" } }],
    [400, { error: { message: "This model's maximum context length is 8192 tokens" } }],
    [400, { error: { message: "Your credit balance is too low" } }],
    [400, { error: { message: "filtered", code: "content_filter" } }],
    [400, { error: { message: "API key not valid", details: [{ reason: "API_KEY_INVALID" }] } }],
    [401, { error: { message: "Incorrect API key provided" } }],
    [402, { error: { message: "Payment required" } }],
    [403, { error: { message: "no" } }],
    [404, { error: { message: "no such model" } }],
    [409, { error: { message: "conflict" } }],
    [413, { error: { type: "request_too_large" } }],
    [429, { error: { message: "Slow down" } }, { "retry-after-ms": "1500.4" }],
    [429, { error: { message: "Slow down" } }, { "retry-after": "2" }],
    [429, { error: { message: "Try again in 1.2s." } }],
    [429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }],
    [429, { error: { status: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota", details: [{ retryDelay: "34s" }] } }],
    [500, { error: { message: "oh" } }],
    [529, { error: { type: "overloaded_error", message: "Overloaded" } }],
    [503, "<html>down</html>"],
  ]) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const fetch = async () => new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
    const own = await failed(openai("acme-1", { baseUrl: "https://api.acme.test/v1", apiKey: "sk-a-key-of-some-length" }), { fetch });
    const cause = call(status, "its own words", { responseBody: text, responseHeaders: headers });
    const error = await refusedWith(cause);
    const shown = ({ code, message, hint, retryable, retryAfterMs }) => ({ code, message, hint, retryable, retryAfterMs });
    assert.deepEqual(shown(error), shown(own), text);
    assert.equal(error.cause, cause);
    assert.doesNotMatch(JSON.stringify(error.toJSON()), /sk-secret/);
  }
});

test("a refusal without a body says what its error says, and one without an address is its provider's", async () => {
  const bare = await refusedWith(named("AI_APICallError", "its own words", { statusCode: 400 }));
  assert.equal(bare.message, "acme.chat refuses the request (status 400): its own words");
  const wrapped = await refusedWith(named("AI_RetryError", "gave up", { cause: call(429, "busy") }));
  assert.deepEqual([wrapped.code, wrapped.message], ["rate_limit", "https://api.acme.test asks to come back later (status 429): busy"]);
  // A provider may tell of it where its answer should be.
  const within = await failed(fromAiSdk(fake("v4", [{ type: "error", error: call(401, "who?") }])));
  assert.deepEqual([within.code, within.message], ["auth", "https://api.acme.test does not accept the key (status 401): who?"]);
});

test("when to come back may be a date", async () => {
  const { retryAfterMs } = await refusedWith(call(429, "busy", { responseHeaders: { "retry-after": new Date(Date.now() + 10_000).toUTCString() } }));
  assert.ok(retryAfterMs > 7000 && retryAfterMs <= 10_000, String(retryAfterMs));
});

test("other errors are distinguished by their names and words", async () => {
  for (const [thrown, code, retryable, words] of [
    [named("AI_LoadAPIKeyError", "OpenAI API key is missing"), "auth", false, /^acme\.chat has no key: OpenAI API key is missing$/],
    [named("AI_APICallError", "Cannot connect to API: other side closed", { url: "https://api.acme.test/v1" }), "network", true, /^https:\/\/api\.acme\.test could not be reached/],
    [new TypeError("fetch failed"), "network", true, /fetch failed/],
    [named("Error", "read ECONNRESET"), "network", true, /ECONNRESET/],
    [named("TimeoutError", "signal timed out"), "timeout", true, /took too long: signal timed out/],
    [named("AI_UnsupportedFunctionalityError", "no images"), "model", false, /^acme\.chat cannot answer: no images$/],
    [named("AI_TypeValidationError", "x".repeat(1000)), "model", false, /^acme\.chat cannot answer: x{300}…$/],
    ["a text", "model", true, /^acme\.chat failed: a text$/],
    [{ type: "overloaded_error", message: "Overloaded" }, "model", true, /failed: Overloaded/],
    [{ type: "rate_limit_error", message: "Slow down" }, "rate_limit", true, /come back later: Slow down/],
    [{ code: "rate_limit_exceeded", message: "Slow down" }, "rate_limit", true, /Slow down/],
    [undefined, "model", true, /failed: undefined/],
  ]) {
    for (const error of [await failing(thrown), await rejection(answerOf(fake("v3", [{ type: "error", error: thrown }])))]) {
      assert.equal(error.code, code, String(thrown));
      assert.match(error.message, words);
      assert.equal(error.retryable, retryable);
      assert.ok(error.hint.length > 0);
      assert.equal(error.cause, thrown);
    }
  }
});

test("a stream that ends too early broke off", async () => {
  const error = await rejection(answerOf(fake("v4", [{ type: "text-delta", id: "1", delta: "Hel" }])));
  assert.equal(error.code, "network");
  assert.equal(error.retryable, true);
});

test("whoever leaves cancels the stream, and the signal reaches the provider", async () => {
  let cancelled = false;
  const model = fake("v4", () => ({
    stream: new ReadableStream({ pull: (controller) => controller.enqueue({ type: "text-delta", id: "1", delta: "x" }), cancel: () => void (cancelled = true) }),
  }));
  const given = context();
  for await (const part of ask(model, request(), given)) if (part.type === "text") break;
  assert.ok(cancelled);
  assert.equal(model.requests[0].abortSignal, given.signal);
});

test("a file without a usable address is refused", async () => {
  const error = await rejection(answerOf(fake("v4", []), { messages: [{ role: "user", content: [{ type: "image", mediaType: "image/png", url: "photo.png" }] }] }));
  assert.equal(error.code, "validation");
  assert.equal(error.message, "a file has no `data`, and its `url` is no address: photo.png");
});

test("fromAiSdk refuses what is no model", () => {
  for (const [given, message] of [
    ["gpt-5-mini", 'fromAiSdk() needs a model, not the name "gpt-5-mini"'],
    [undefined, "fromAiSdk() needs a model, not undefined"],
    [null, "fromAiSdk() was given something else than a language model of the AI SDK"],
    [Object.assign(() => {}, { languageModel: () => {} }), "fromAiSdk() was given something else than a language model of the AI SDK"],
    [{ ...fake("v1", []) }, "the model acme-1 is of version v1 of the AI SDK's specification, which is not understood"],
    [{ ...fake("v5", []) }, "the model acme-1 is of version v5 of the AI SDK's specification, which is not understood"],
  ]) {
    assert.throws(() => fromAiSdk(given), (error) => error.code === "validation" && error.message === message && error.hint.length > 0, message);
  }
  assert.throws(() => fromAiSdk(fake("v4", []), { temperature: 1 }), { message: "fromAiSdk() has no option `temperature`" });
  assert.deepEqual({ ...fromAiSdk(fake("v4", []), { params: { seed: 1 } }) }, { provider: "custom", model: "acme-1", params: { seed: 1 } });
});
