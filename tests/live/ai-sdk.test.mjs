// Agents on the AI SDK's own providers, on a real llama-server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAnthropic } from "../vendors/node_modules/@ai-sdk/anthropic/dist/index.js";
import { createOpenAI } from "../vendors/node_modules/@ai-sdk/openai/dist/index.js";
import { createOpenAICompatible } from "../vendors/node_modules/@ai-sdk/openai-compatible/dist/index.js";
import { installed } from "./installed.mjs";
import { MODEL, startLlama } from "./llama-server.mjs";
import { ENDLESS_ANSWERS, until } from "./report.mjs";

const KEY = "sk-live-test";

let llama;
let guarded;
let home;
let stepweave;

before(async () => {
  [llama, guarded, home] = await Promise.all([startLlama(), startLlama({ apiKey: KEY }), installed()]);
  stepweave = home.stepweave;
});
after(() => Promise.all([llama.stop(), guarded.stop(), home.remove()]));

// `createOpenAI().responses` reads places of parts that llama-server does not tell.
const PROVIDERS = {
  "@ai-sdk/openai-compatible": ({ url, ...more }) => createOpenAICompatible({ name: "local", baseURL: url, includeUsage: true, ...more })(MODEL),
  "@ai-sdk/openai": ({ url, apiKey = "none", ...more }) => createOpenAI({ baseURL: url, apiKey, ...more }).chat(MODEL),
  "@ai-sdk/anthropic": ({ url, apiKey = "none", ...more }) => createAnthropic({ baseURL: url, apiKey, ...more })(MODEL),
};

/** Sends what the providers do not know: the model goes on although it has said what it had to say. */
const endless = (url, init) => fetch(url, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), ...ENDLESS_ANSWERS }) });

function workflow(model, agent = {}) {
  const { Agent, fromAiSdk, Workflow } = stepweave;
  const helper = new Agent({ name: "helper", model: fromAiSdk(model), instructions: "You help.", params: { max_tokens: 200 }, ...agent });
  return new Workflow({ name: "Ask", steps: [{ name: "ask", agent: helper, inputFrom: "How is the weather in Paris?" }] });
}

for (const [name, provider] of Object.entries(PROVIDERS)) {
  describe(name, () => {
    test("an agent with two tools calls them and answers", async () => {
      const { tool } = stepweave;
      const city = { type: "object", properties: { city: { type: "string", maxLength: 20 } }, required: ["city"], additionalProperties: false };
      const tools = [
        tool({ name: "get_weather", description: "The weather in a city.", input: city, execute: () => ({ sky: "clear" }) }),
        tool({ name: "get_time", description: "The time in a city.", input: city, execute: () => "noon" }),
      ];
      const run = workflow(provider({ url: llama.url }), { tools }).start();
      const events = [];
      for await (const event of run.events) events.push(event);
      const { status, state, usage, errors } = await run.result;
      assert.equal(status, "done", errors[0]?.message);
      assert.ok(state.ask_output.length > 0);
      assert.ok(events.some(({ type }) => type === "tool.done"), "it called a tool");
      assert.ok(events.filter(({ type }) => type === "step.delta").length > 1, "it answered in pieces");
      assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    });

    // Over Messages llama-server lets a model stop when it wants to, which it does before anybody could cancel.
    if (name !== "@ai-sdk/anthropic") test("cancelling frees the server at once", async () => {
      const run = workflow(provider({ url: llama.url, fetch: endless })).start();
      let pieces = 0;
      for await (const { type } of run.events) {
        if (type === "step.delta" && (pieces += 1) === 20) {
          assert.equal(await llama.busySlots(), 1);
          run.cancel("enough");
        }
      }
      assert.equal((await run.result).status, "cancelled");
      await until("the slot is free", async () => (await llama.busySlots()) === 0);
    });

    test("a wrong key is refused, the right one is not", async () => {
      const { status, errors } = await workflow(provider({ url: guarded.url, apiKey: "sk-wrong" })).run();
      assert.equal(status, "error");
      assert.equal(errors[0].code, "auth");
      assert.doesNotMatch(JSON.stringify(errors[0]), /sk-wrong/);
      assert.equal((await workflow(provider({ url: guarded.url, apiKey: KEY })).run()).status, "done");
    });
  });
}

test("an answer by a schema fits it", async () => {
  const output = { type: "object", properties: { mood: { type: "string", enum: ["good", "bad"] } }, required: ["mood"], additionalProperties: false };
  const model = createOpenAICompatible({ name: "local", baseURL: llama.url, supportsStructuredOutputs: true })(MODEL);
  const { status, state, errors } = await workflow(model, { output }).run();
  assert.equal(status, "done", errors[0]?.message);
  assert.ok(["good", "bad"].includes(state.ask_output.mood));
});
