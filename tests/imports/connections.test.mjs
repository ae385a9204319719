// Connections of n8n that are no plain way from one node of the flow to the next.
import assert from "node:assert/strict";
import { test } from "node:test";
import { imported } from "./reading.mjs";

const node = (name, kind, parameters = {}, more = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 1, parameters, ...more });
const chat = (name, kind, parameters = {}) => ({ ...node(name, kind, parameters), type: `@n8n/n8n-nodes-langchain.${kind}` });
const to = (...ports) => ({ main: ports.map((names) => [names].flat().map((node) => ({ node }))) });
const flow = (nodes, connections) => imported(JSON.stringify({ name: "Flow", nodes, connections }));
const about = (report, name) => report.nodes.find((node) => node.name === name);

test("each output of a trigger that leads to one node is a connection", async () => {
  const { report } = await flow([node("Hook", "webhook", { multipleMethods: true }), node("A", "noOp"), node("Hand", "manualTrigger"), node("B", "noOp")], { Hook: to("A", "A"), Hand: to("B", "A", "B") });
  assert.deepEqual(report.connections.map(({ from, to, lost }) => [from, to, lost]), [["Hook", "A", undefined], ["Hook", "A", undefined], ["Hand", "A", undefined], ["Hand", "B", undefined], ["Hand", "B", undefined]]);
  const one = await flow([node("Hook", "webhook"), node("A", "noOp")], { Hook: to("A", "A") });
  assert.equal(one.report.connections.length, 2);
});

test("a model, a tool or a memory in the way of the flow is none of its steps", async () => {
  const { report, steps } = await flow(
    [node("Hook", "webhook"), chat("Memory", "memoryBufferWindow"), chat("Splitter", "textSplitterCharacterTextSplitter"), chat("Ask", "agent", { text: "Hi" }), chat("Model", "lmChatOpenAi", { model: "gpt-4o" })],
    { Hook: to(["Splitter", "Memory", "Ask"]), Memory: { ai_memory: [[{ node: "Ask" }]] } },
  );
  assert.deepEqual(steps.map(({ name }) => name), ["Ask"]);
  assert.equal(about(report, "Memory").became, "the history of an agent step");
  assert.equal(about(report, "Splitter").became, "left out: no node uses it");
  assert.equal(about(report, "Model").became, "left out: no node uses it");
  assert.deepEqual(report.connections.filter(({ lost }) => lost).map(({ to, lost }) => [to, lost]), [
    ["Splitter", "“Splitter” serves other nodes, and has no place in the flow"],
    ["Memory", "“Memory” serves other nodes, and has no place in the flow"],
  ]);
});

test("connections of a kind that n8n does not have are listed", async () => {
  const { report } = await flow([node("Hook", "webhook"), node("A", "noOp"), node("Tell", "noOp")], { Hook: to("A"), A: { onError: [[{ node: "Tell" }]] } });
  assert.deepEqual(report.connections.map(({ to, lost }) => [to, lost]), [["A", undefined], ["Tell", "n8n has no connections of the kind “onError”"]]);
});

test("a trigger that is switched off starts no run, unless each of them is", async () => {
  const off = { disabled: true };
  const two = [node("Later", "cron", {}, off), node("Hook", "webhook"), node("A", "noOp"), node("B", "noOp")];
  const { document, report, steps } = await flow(two, { Later: to("A"), Hook: to(["A", "B"]) });
  assert.equal(document.input?.properties?.trigger, undefined);
  assert.deepEqual([...new Set(steps.map(({ type }) => type))], ["parallel", "function"]);
  assert.equal(about(report, "Later").became, "left out: it was switched off");
  assert.deepEqual(report.connections.filter(({ lost }) => lost).map(({ from, lost }) => [from, lost]), [["Later", "“Later” was switched off"]]);
  const alone = await flow([node("Later", "cron", {}, off), node("A", "noOp")], { Later: to("A") });
  assert.deepEqual(alone.report.connections.map(({ lost }) => lost), [undefined]);
});

test("steps that nothing leads to stand in the order of their flow", async () => {
  const { report, steps } = await flow([node("Hook", "webhook"), node("A", "noOp"), node("Last", "noOp"), node("Middle", "noOp"), node("First", "noOp")], { Hook: to("A"), Middle: to("Last"), First: to("Middle") });
  assert.deepEqual(steps.map(({ name, enabled }) => [name, enabled]), [["A", undefined], ["First", false], ["Middle", false], ["Last", false]]);
  assert.deepEqual(report.connections.filter(({ lost }) => lost), []);
});
