// The parts of a message have ids of their own, also where it goes on after a person has answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { answersOf, toUIMessageStream } from "stepweave/ui";

const pay = tool({ name: "pay", needsApproval: true, execute: () => "paid" });
const look = tool({ name: "look", execute: () => "seen" });
const call = (name) => ({ type: "toolCall", name, input: {}, id: "same" });
const shop = () => new Workflow({ name: "s", steps: [{ name: "order", agent: new Agent({ name: "c", model: scriptedModel([["I look.", call("look")], ["I will pay.", call("pay")], ["I pay again.", call("pay")], ["I look again.", call("look")], "It is paid."]), tools: [pay, look] }) }] });

/** The ids of texts and calls that a stream begins, and what it asks for. */
function begun(chunks) {
  const ids = chunks.flatMap((chunk) => (chunk.type === "text-start" ? [chunk.id] : chunk.type === "tool-input-available" ? [chunk.toolCallId] : []));
  const asked = chunks.find(({ type }) => type === "tool-approval-request");
  return { ids, asked, answers: chunks.flatMap(({ type, providerMetadata }) => (type === "text-start" ? [providerMetadata.stepweave.answer] : [])) };
}

function answered({ approvalId, toolCallId }) {
  return { type: "tool-pay", toolCallId, state: "approval-responded", input: {}, approval: { id: approvalId, approved: true } };
}

test("a continued stream gives no text and no call an id that the message has", async () => {
  const all = [];
  let journal;
  let message;
  for (let turn = 0; turn < 3; turn += 1) {
    const run = shop().start({ journal: journal ?? true, ...(message !== undefined && { answers: answersOf([message]) }) });
    const chunks = [];
    for await (const chunk of toUIMessageStream(run, message === undefined ? {} : { continues: message })) chunks.push(chunk);
    const { ids, asked, answers } = begun(chunks);
    all.push(...ids, ...answers);
    ({ journal } = await run.result);
    message = asked && { id: "m", role: "assistant", parts: [...(message?.parts.map((part) => ({ ...part, state: "output-available" })) ?? []), answered(asked)] };
  }
  assert.equal(all.length, new Set(all).size, all.join(" "));
  assert.ok(all.length >= 12, all.join(" "));
});

test("over HTTP, where nobody has the message, the ids are new too", async () => {
  const fetch = handler(shop(), { public: true, store: memoryStore() });
  const post = async (body) => {
    const response = await fetch(new Request("https://s.example/runs", { method: "POST", headers: { accept: "text/event-stream; protocol=ui-message-stream" }, body: JSON.stringify(body) }));
    return (await response.text()).split("\n\n").flatMap((frame) => (frame.startsWith("data: {") ? [JSON.parse(frame.slice(6))] : []));
  };
  const all = [];
  let chunks = await post({});
  const { runId } = chunks.find(({ type }) => type === "start").messageMetadata;
  for (let turn = 0; ; turn += 1) {
    const { ids, asked, answers } = begun(chunks);
    all.push(...ids, ...answers);
    if (asked === undefined) break;
    chunks = await post({ messages: [{ id: "m", role: "assistant", metadata: { runId }, parts: [answered(asked)] }] });
  }
  assert.equal(all.length, new Set(all).size, all.join(" "));
  assert.ok(all.length >= 12, all.join(" "));
});
