// What a served chat keeps from its page is no memory for a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { conversationOf } from "stepweave/ui";

const object = { type: "object" };
const stock = tool({ name: "stock", input: object, execute: ({ article }) => `3 of ${article}` });
const pay = tool({ name: "pay", input: object, needsApproval: true, execute: ({ sum }) => `paid ${sum}` });
const call = (name, input) => ({ type: "toolCall", name, input });

function chat(model) {
  const agent = new Agent({ name: "clerk", model, tools: [stock, pay] });
  const input = { type: "object", properties: { input: {}, messages: { type: "array" } } };
  const workflow = new Workflow({ name: "shop", input, steps: [{ name: "answer", agent, inputFrom: "{{ input }}", history: { key: "messages" } }] });
  const fetch = handler(workflow, { public: true, store: memoryStore(), stream: "ui-message-stream" });
  return async (messages) => {
    const response = await fetch(new Request("https://shop.example/runs", { method: "POST", headers: { accept: "text/event-stream" }, body: JSON.stringify({ messages }) }));
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
    return read(lines.map((line) => JSON.parse(line.slice("data: ".length))), messages.at(-1));
  };
}

/** The message that `useChat` makes of the chunks, as far as this test looks at it. */
function read(chunks, before) {
  const message = before.role === "assistant" ? structuredClone(before) : { id: "a", role: "assistant", parts: [], metadata: {} };
  const called = (id) => message.parts.find(({ toolCallId }) => toolCallId === id);
  for (const { type, messageMetadata, ...chunk } of chunks) {
    Object.assign(message.metadata, messageMetadata);
    if (type === "start-step") message.parts.push({ type: "step-start" });
    else if (type === "text-start") message.parts.push({ type: "text", text: "" });
    else if (type === "text-delta") message.parts.findLast((part) => part.type === "text").text += chunk.delta;
    else if (type === "tool-input-available") message.parts.push({ type: `tool-${chunk.toolName}`, toolCallId: chunk.toolCallId, state: "input-available", input: chunk.input, callProviderMetadata: chunk.providerMetadata });
    else if (type === "tool-approval-request") Object.assign(called(chunk.toolCallId), { state: "approval-requested", approval: { id: chunk.approvalId } });
    else if (type === "tool-output-available") Object.assign(called(chunk.toolCallId), { state: "output-available", output: chunk.output });
    else if (type === "tool-output-denied") Object.assign(called(chunk.toolCallId), { state: "output-denied" });
  }
  return message;
}

const said = (id, text) => ({ id, role: "user", parts: [{ type: "text", text }] });

for (const approved of [true, false]) {
  test(`a served chat gives its model no calls whose arguments or results the page was not told, ${approved ? "allowed" : "denied"}`, async () => {
    const model = scriptedModel([["I look.", call("stock", { article: "tea" })], ["I pay.", call("pay", { sum: 5 })], "That is it.", "Nothing."]);
    const send = chat(model);
    const messages = [said("1", "Buy tea")];
    const asked = await send(messages);
    const waiting = asked.parts.find(({ state }) => state === "approval-requested");
    assert.deepEqual(waiting.input, { sum: 5 });
    Object.assign(waiting, { state: "approval-responded", approval: { ...waiting.approval, approved } });
    const answer = await send([...messages, asked]);
    assert.deepEqual(answer.parts.flatMap(({ state, output }) => (state === undefined ? [] : [[state, output]])), [["output-available", null], approved ? ["output-available", null] : ["output-denied", undefined]]);
    await send([...messages, answer, said("2", "And now?")]);

    const texts = ["I look.", "I pay.", "That is it."].map((text) => ({ role: "assistant", content: [{ type: "text", text }] }));
    const denied = [
      { role: "assistant", content: [{ type: "toolCall", id: "answer/tool2.0", name: "pay", input: { sum: 5 } }] },
      { role: "tool", results: [{ id: "answer/tool2.0", name: "pay", output: "a person denied this call", isError: true }] },
    ];
    assert.deepEqual(conversationOf([answer]), approved ? texts : texts.toSpliced(2, 0, ...denied));
    const sent = JSON.stringify(model.requests.at(-1).messages);
    assert.match(sent, /I look\..*I pay\..*That is it\..*And now\?/);
    assert.doesNotMatch(sent, /"output":null|"input":\{\}/);
  });
}
