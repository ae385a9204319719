// Models behind the binding of Workers AI: what it is run with, and what becomes of answers that are none. The rest is shown in
// workerd itself (tests/models).
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal, rejection } from "./support.js";

const { ask } = await internal("models/workers-ai/ask.ts");

async function outcomeOf(answer, extra = {}) {
  const inputs = [];
  const ai = { run: async (_, given) => (inputs.push(given), answer) };
  const request = { model: "@cf/m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], params: {}, ...extra };
  const parts = [];
  for await (const part of ask(ai, "@cf/m", undefined, request, new AbortController().signal)) parts.push(part);
  return { parts, inputs: inputs[0] };
}

test("settings that every endpoint has go by the names of this one", async () => {
  const { inputs } = await outcomeOf({ response: "Hi" }, { params: { maxOutputTokens: 9, stopSequences: ["END"], reasoningEffort: "low", seed: 1 } });
  const { messages: _, stream: __, ...settings } = inputs;
  assert.deepEqual(settings, { max_tokens: 9, stop: ["END"], reasoning_effort: "low", seed: 1 });
});

test("an image that a tool gave is shown behind what it gave", async () => {
  const output = [{ type: "text", text: "A dot:" }, { type: "image", mediaType: "image/png", data: "AAAA" }, { type: "audio", bytes: 3 }];
  const { inputs } = await outcomeOf({ response: "Hi" }, { messages: [{ role: "tool", results: [{ id: "c", name: "look", output }, { id: "d", name: "count", output: [1] }] }] });
  assert.deepEqual(inputs.messages, [
    { role: "tool", tool_call_id: "c", name: "look", content: 'A dot:\n[file 1 below]\n{"type":"audio","bytes":3}' },
    { role: "tool", tool_call_id: "d", name: "count", content: "[1]" },
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
  ]);
});

test("what is no answer is an error, and no empty answer", async () => {
  for (const answer of [{}, { image: "AAAA" }, { result: { response: "Hi" } }]) {
    const error = await rejection(outcomeOf(answer));
    assert.equal(error.code, "model");
    assert.ok(error.message.endsWith(`it gave ${JSON.stringify(answer)}, which is no answer`), error.message);
  }
  const { parts } = await outcomeOf({ response: "" });
  assert.deepEqual(parts, []);
});

test("a stream that ends anywhere is whole or broken off", async () => {
  const text = ['{"response":"H"}', '{"response":"i"}', '{"response":"","finish_reason":"stop"}', '{"usage":{"prompt_tokens":1,"completion_tokens":2}}', "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
  let whole = 0;
  for (let end = 0; end < text.length; end += 1) {
    try {
      const { parts } = await outcomeOf(new Blob([text.slice(0, end)]).stream());
      assert.equal(parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(""), "Hi");
      whole += 1;
    } catch (error) {
      assert.deepEqual([error.code, error.retryable], ["network", true], `${text.slice(0, end)}: ${error.message}`);
    }
  }
  assert.ok(whole > 0 && whole < 100, String(whole));
});
