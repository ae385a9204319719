// A chat of useChat that is answered by a workflow in a worker, whose tools, models and agents the worker has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { chatTransport } from "stepweave/ui";
import { connect, serve } from "stepweave/worker";

const said = (id, text) => ({ id, role: "user", parts: [{ type: "text", text }] });
const textOf = (chunks) => chunks.flatMap(({ type, delta }) => (type === "text-delta" ? [delta] : [])).join("");

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** What the page has: a document, in which nothing says how the agent answers. */
const document = {
  version: 1,
  name: "chat",
  models: { m: { provider: "demo", model: "m" } },
  agents: { clerk: { model: "m" } },
  steps: [{ id: "s1", type: "agent", name: "answer", agent: "clerk", inputFrom: "{{ input }}", history: { key: "messages" } }],
};

/** A page and a worker over one channel, and the transport of a chat between them. */
function chatting(agents, document) {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2, agents });
  const engine = connect(port1);
  const results = [];
  const transport = chatTransport({ start: (options) => engine.start(document, options) }, { onFinish: (result) => void results.push(result) });
  return { transport, results, close: () => { engine.close(); stop(); port1.close(); port2.close(); } };
}

test("a workflow in a worker answers a chat, and knows what was said before", async () => {
  const model = scriptedModel(["Oslo.", "Since 1814."]);
  const { transport, results, close } = chatting({ clerk: new Agent({ name: "clerk", model }) }, document);
  const first = [said("1", "The capital of Norway?")];
  assert.equal(textOf(await read(await transport.sendMessages({ chatId: "c", messages: first }))), "Oslo.");
  const more = [...first, { id: "2", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "Oslo." }] }, said("3", "Since when?")];
  assert.equal(textOf(await read(await transport.sendMessages({ chatId: "c", messages: more }))), "Since 1814.");
  assert.deepEqual(model.requests.map(({ messages }) => messages.length), [1, 3]);
  assert.deepEqual(results.map(({ status, state }) => [status, state.messages.length]), [["done", 2], ["done", 4]]);
  close();
});

test("calls there that need approval, by a function, become questions in the chat and are resumed with its answer", async () => {
  const paid = [];
  const pay = tool({ name: "pay", needsApproval: ({ sum }) => sum > 10, execute: ({ sum }) => { paid.push(sum); return `paid ${sum}`; } });
  const model = scriptedModel([[{ type: "toolCall", id: "a", name: "pay", input: { sum: 5 } }, { type: "toolCall", id: "b", name: "pay", input: { sum: 50 } }], "Both are paid."]);
  const { transport, close } = chatting({ clerk: new Agent({ name: "clerk", model, tools: [pay] }) }, document);
  const messages = [said("1", "Pay 5 and 50")];
  const first = await read(await transport.sendMessages({ chatId: "c", messages }));
  const questions = first.filter(({ type }) => type === "tool-approval-request");
  assert.deepEqual([questions.length, paid], [1, [5]]);
  const [{ approvalId, toolCallId }] = questions;
  const part = { type: "tool-pay", toolCallId, state: "approval-responded", input: { sum: 50 }, approval: { id: approvalId, approved: true } };
  const second = await read(await transport.sendMessages({ chatId: "c", messages: [...messages, { id: "2", role: "assistant", parts: [{ type: "step-start" }, part] }] }));
  assert.deepEqual([textOf(second), paid], ["Both are paid.", [5, 50]]);
  model.done();
  close();
});
