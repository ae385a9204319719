// Served workflows as the clients of others call them: the AI SDK's transport, and AG-UI's HttpAgent with its own schemas.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import * as ai7 from "ai";
import * as ai6 from "ai6";
import { installed } from "./installed.mjs";

const TOKEN = "a-token-of-more-than-sixteen-characters";
const STREAM = { ui: "text/event-stream; protocol=ui-message-stream", agUi: "text/event-stream; protocol=ag-ui" };

let home;
let stepweave;
let http;
let stores;
let scriptedModel;

before(async () => {
  home = await installed();
  stepweave = home.stepweave;
  http = await home.load("stepweave/http");
  stores = await home.load("stepweave/stores");
  ({ scriptedModel } = await home.load("stepweave/testing"));
});
after(() => home.remove());

/** An assistant with a tool that a person has to allow, behind HTTP. */
function served(options = {}, turns) {
  const { Agent, tool, Workflow } = stepweave;
  const paid = [];
  const pay = tool({
    name: "pay",
    description: "Pays a sum",
    input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    needsApproval: true,
    execute: ({ sum }) => (paid.push(sum), { receipt: "internal-receipt" }),
  });
  const model = scriptedModel(turns ?? [[{ type: "text", text: "I shall pay. " }, { type: "toolCall", name: "pay", input: { sum: 47.11 } }], "It is paid."]);
  const agent = new Agent({ name: "cashier", instructions: "the-internal-prompt", model, tools: [pay] });
  const workflow = new Workflow({
    name: "till",
    input: { type: "object", properties: { input: { type: "string" }, messages: { type: "array" } }, required: ["input"] },
    steps: [{ name: "answer", agent, inputFrom: "{{ input }}", history: { key: "messages" } }],
  });
  const serve = http.handler(workflow, { authorize: http.bearer({ shop: TOKEN }), store: stores.memoryStore(), onError: () => {}, ...options });
  const texts = [];
  /** A `fetch` that reaches the handler, and keeps what it gave. */
  const fetch = async (url, init) => {
    const response = await serve(new Request(url, init));
    const [kept, passed] = response.body?.tee() ?? [];
    if (kept !== undefined) texts.push(new Response(kept).text());
    return new Response(passed, response);
  };
  return { fetch, paid, texts, model };
}

/**
 * Nothing that only the workflow knows is in what callers receive, besides their state, which is the conversation that this
 * workflow keeps there, and what the tool is to be called with where they are asked to allow it.
 */
async function assertPublic(texts) {
  const frames = (await Promise.all(texts)).flatMap((text) => text.split("\n\n")).filter((frame) => !frame.includes("STATE_SNAPSHOT"));
  const asks = (frame) => /"tool-input-available"|"interrupt"/.test(frame);
  for (const frame of frames) assert.doesNotMatch(frame, asks(frame) ? /the-internal-prompt|internal-receipt/ : /the-internal-prompt|internal-receipt|47\.11/);
}

const said = (message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text] : part.type.startsWith("tool-") ? [`${part.type} ${part.state}`] : []));

for (const [version, { DefaultChatTransport, readUIMessageStream }] of Object.entries({ 6: ai6, 7: ai7 })) test(`useChat's transport of version ${version} starts a run, shows its tool call, and goes on with the answer`, async () => {
  const { fetch, paid, texts } = served();
  const transport = new DefaultChatTransport({ api: "https://till.example/runs", fetch, headers: { accept: STREAM.ui, authorization: `Bearer ${TOKEN}` } });
  const question = { id: "1", role: "user", parts: [{ type: "text", text: "Pay" }] };
  const read = async (messages, message) => {
    const errors = [];
    let last;
    const stream = await transport.sendMessages({ chatId: "c", messages, trigger: "submit-message", messageId: undefined, abortSignal: undefined });
    for await (const state of readUIMessageStream({ stream, message, onError: (error) => errors.push(error.message) })) last = state;
    assert.deepEqual(errors, []);
    return last;
  };
  const waiting = await read([question]);
  assert.deepEqual(said(waiting), ["I shall pay. ", "tool-pay approval-requested"]);
  assert.equal(waiting.metadata.status, "suspended");
  assert.equal(waiting.id, waiting.metadata.runId);

  const parts = waiting.parts.map((part) => (part.type === "tool-pay" ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } } : part));
  const done = await read([question, { ...waiting, parts }], { ...waiting, parts });
  assert.deepEqual(said(done), ["I shall pay. ", "tool-pay output-available", "It is paid."]);
  assert.deepEqual([done.id, done.metadata.status], [waiting.id, "done"]);
  assert.deepEqual(paid, [47.11]);

  const whole = await fetch(`https://till.example/runs/${done.id}/events`, { headers: { accept: STREAM.ui, authorization: `Bearer ${TOKEN}` } });
  assert.equal(whole.headers.get("x-vercel-ai-ui-message-stream"), "v1");
  assert.match(await whole.text(), /It is paid[^]*data: \[DONE\]\n\n$/);
  await assertPublic(texts);
});

test("a tool call that a person denies is denied in the message", async () => {
  const { fetch, paid } = served();
  const headers = { accept: STREAM.ui, authorization: `Bearer ${TOKEN}` };
  const { runId, pending } = await (await fetch("https://till.example/runs", { method: "POST", headers: { ...headers, accept: "application/json" }, body: '{"input":"Pay"}' })).json();
  const text = await (await fetch(`https://till.example/runs/${runId}/answers`, { method: "POST", headers, body: JSON.stringify({ [pending[0].key]: { approved: false } }) })).text();
  assert.match(text, new RegExp(`"type":"tool-output-denied","toolCallId":"${pending[0].key}"`));
  assert.doesNotMatch(text, /I shall pay/, "what the caller has is not written again");
  assert.deepEqual(paid, []);
});

/** Events of AG-UI in a response's text, each as its schema has it. */
function eventsOf(text) {
  const events = text.split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) => JSON.parse(frame.slice(6)));
  for (const event of events) {
    const parsed = EventSchemas.safeParse(event);
    assert.ok(parsed.success, `${event.type}: ${JSON.stringify(parsed.error?.issues)}`);
  }
  return events;
}

for (const [how, options, headers] of [
  ["by Accept", {}, { accept: STREAM.agUi }],
  ["by the option", { stream: "ag-ui" }, {}],
]) {
  test(`AG-UI's HttpAgent runs a workflow, ${how}, and resumes it with the answer`, async () => {
    const { fetch, paid, texts, model } = served(options);
    const agent = new HttpAgent({ url: "https://till.example/runs", headers: { ...headers, authorization: `Bearer ${TOKEN}` }, fetch, threadId: "thread-1", initialMessages: [{ id: "0", role: "user", content: "Hello" }, { id: "1", role: "assistant", content: "Hi." }, { id: "2", role: "user", content: "Pay" }] });
    let finished;
    const subscriber = { onRunFinishedEvent: ({ event }) => void (finished = event) };
    const first = await agent.runAgent({ runId: "run-1" }, subscriber);
    assert.deepEqual(first.newMessages.map(({ role, content }) => [role, content]), [["assistant", "I shall pay. "]]);
    assert.deepEqual([finished.threadId, finished.runId, finished.outcome.type], ["thread-1", "run-1", "interrupt"]);
    const [interrupt] = finished.outcome.interrupts;
    assert.equal(interrupt.reason, "tool_call");
    assert.deepEqual(model.requests[0].messages.map(({ role }) => role), ["user", "assistant", "user"]);

    const second = await agent.runAgent({ runId: "run-2", resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }] }, subscriber);
    assert.deepEqual(finished.outcome, { type: "success" });
    assert.equal(finished.result.status, "done");
    assert.deepEqual(second.newMessages.map(({ role, content }) => [role, content ?? ""]), [["assistant", ""], ["tool", ""], ["assistant", "It is paid."]]);
    assert.deepEqual(paid, [47.11]);
    assert.equal(agent.state.answer_output, "It is paid.");
    const events = (await Promise.all(texts)).map(eventsOf);
    assert.deepEqual(events[0].map(({ type }) => type), ["RUN_STARTED", "STEP_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STEP_FINISHED", "STATE_SNAPSHOT", "RUN_FINISHED"]);
    await assertPublic(texts);
  });
}

test("a failure is AG-UI's RUN_ERROR in the public form", async () => {
  const { Workflow } = stepweave;
  const failing = new Workflow({ name: "w", steps: [{ name: "charge", run: () => { throw new Error("sk-123 at db.internal"); } }] });
  const serve = http.handler(failing, { public: true, stream: "ag-ui", onError: () => {} });
  const body = JSON.stringify({ threadId: "t", runId: "r", messages: [] });
  const text = await (await serve(new Request("https://till.example/runs", { method: "POST", headers: { accept: "text/event-stream" }, body }))).text();
  const events = eventsOf(text);
  assert.doesNotMatch(text, /sk-123|db\.internal/);
  assert.deepEqual([events.at(-1).type, events.at(-1).code], ["RUN_ERROR", "handler"]);
});

test("a run that answers in parallel, retries, yields and is cancelled is a stream that AG-UI accepts", async () => {
  const { Agent, Workflow } = stepweave;
  const writer = (name, text) => new Agent({ name, model: scriptedModel([text]) });
  let tries = 0;
  const workflow = new Workflow({
    name: "many",
    retryPolicy: { maxRetries: 0, backoffMs: 1 },
    initialState: { each: [1, 2, 3] },
    steps: [
      { name: "both", parallel: [{ name: "left", agent: writer("left", "one two three"), inputFrom: "a" }, { name: "right", agent: writer("right", "four five six"), inputFrom: "b" }] },
      { name: "flaky", retryCount: 1, run: () => { if ((tries += 1) === 1) throw new Error("once"); return {}; } },
      { name: "rows", items: "each", concurrency: 3, steps: [{ name: "row", run: async function* () { yield { row: 1 }; } }] },
      { name: "never", condition: "false", steps: [{ name: "left out", run: () => ({}) }] },
      { name: "last", run: (_, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))) },
    ],
  });
  const serve = http.handler(workflow, { authorize: http.bearer({ shop: TOKEN }), store: stores.memoryStore(), onError: () => {} });
  const headers = { accept: STREAM.agUi, authorization: `Bearer ${TOKEN}` };
  const agent = new HttpAgent({ url: "https://till.example/runs", headers, fetch: (url, init) => serve(new Request(url, init)) });
  const seen = [];
  let finished;
  await agent.runAgent({}, {
    onEvent: ({ event }) => void seen.push(event.type),
    onStepStartedEvent({ event }) {
      if (event.stepName !== "last") return;
      const runId = seen.runId;
      void serve(new Request(`https://till.example/runs/${runId}`, { method: "DELETE", headers }));
    },
    onRunStartedEvent: ({ event }) => void (seen.runId = event.metadata.stepweave.runId),
    onRunFinishedEvent: ({ event }) => void (finished = event),
  });
  assert.deepEqual(finished.outcome, { type: "cancelled" });
  assert.deepEqual(seen.filter((type) => type === "TEXT_MESSAGE_START").length, 2);
  assert.equal(seen.filter((type) => type === "STEP_STARTED").length, seen.filter((type) => type === "STEP_FINISHED").length);
  assert.equal(seen.filter((type) => type === "CUSTOM").length, 3, "what each row yielded");
});
