// Runs as the AI SDK reads them: by `readUIMessageStream`, and by the transport of `useChat` over HTTP.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls, readUIMessageStream } from "ai";
import { installed } from "./installed.mjs";

let home;
let stepweave;
let ui;
let scriptedModel;

before(async () => {
  home = await installed();
  stepweave = home.stepweave;
  ui = await home.load("stepweave/ui");
  ({ scriptedModel } = await home.load("stepweave/testing"));
});
after(() => home.remove());

const step = (name, key = name) => ({ id: name, path: `steps[${name}]`, name, key });
const DONE = { type: "run.done", result: { runId: "r", status: "done", state: {}, stepResults: [], usage: { inputTokens: 5, outputTokens: 7 }, errors: [] } };

const call = (name, input) => ({ type: "toolCall", name, input });

/** Events as a run emits them, from their types and what they carry. */
async function* emitted(...events) {
  for (const [at, event] of [{ type: "run.start", runId: "r", workflow: "w" }, ...events].entries()) yield { seq: at, at, ...event };
}

/** The message that the AI SDK makes of a stream, in its last state, with the errors that it met. */
async function read(stream, message) {
  const errors = [];
  let last;
  for await (const state of readUIMessageStream({ stream, message, onError: (error) => errors.push(error.message) })) last = state;
  return { message: last, errors };
}

async function messageOf(...events) {
  const { message, errors } = await read(ui.toUIMessageStream(emitted(...events)));
  assert.deepEqual(errors, []);
  return message;
}

/** The parts without what only says where things are. */
const said = ({ parts }) => parts.filter(({ type }) => type !== "data-step" && type !== "step-start");
const texts = (message) => said(message).map(({ type, text, state }) => ({ type, text, state }));

test("a run is a message with the text of its agents and the status of its steps", async () => {
  const { Agent, demo, Workflow } = stepweave;
  const agent = new Agent({ name: "writer", model: demo() });
  const workflow = new Workflow({ name: "write", steps: [{ name: "draft", agent, inputFrom: "Write about bees" }, { name: "count", run: ({ draft_output }) => ({ length: draft_output.length }) }] });
  const run = workflow.start();
  const { message, errors } = await read(ui.toUIMessageStream(run, { messageId: "m1" }));
  assert.deepEqual(errors, []);
  const { state, usage } = await run.result;
  assert.equal(message.id, "m1");
  assert.deepEqual(texts(message), [{ type: "text", text: state.draft_output, state: "done" }]);
  assert.deepEqual(message.parts.filter(({ type }) => type === "data-step").map(({ id, data }) => [id, data.name, data.status]), [["draft", "draft", "done"], ["count", "count", "done"]]);
  assert.deepEqual(message.metadata, { runId: run.id, workflow: "write", status: "done", usage });
});

test("agents that answer at once have texts of their own, which are whole", async () => {
  const { Agent, demo, Workflow } = stepweave;
  const names = ["one", "two", "three", "four"];
  const agent = new Agent({ name: "writer", model: demo() });
  const run = new Workflow({ name: "write", steps: [{ name: "all", parallel: names.map((name) => ({ name, agent, inputFrom: `Write about ${name}` })) }] }).start();
  const { message, errors } = await read(ui.toUIMessageStream(run));
  assert.deepEqual(errors, []);
  const { state } = await run.result;
  assert.deepEqual(texts(message).map(({ text }) => text).sort(), names.map((name) => state[`${name}_output`]).sort());
  assert.ok(message.parts.length >= 9);
});

test("reasoning, calls of tools and answers stand in their order, each answer of the model in a step of its own", async () => {
  const s = step("ask");
  const message = await messageOf(
    { type: "step.start", step: s, attempt: 1 },
    { type: "step.reasoning", step: s, text: "I need " },
    { type: "step.reasoning", step: s, text: "the weather" },
    { type: "step.delta", step: s, text: "Let me look." },
    { type: "tool.start", step: s, callId: "c1", tool: "weather", input: { city: "Paris" } },
    { type: "tool.start", step: s, callId: "c2", tool: "weather", input: { city: "Oslo" } },
    { type: "tool.done", step: s, callId: "c2", tool: "weather", output: { sky: "grey" }, durationMs: 1 },
    { type: "tool.error", step: s, callId: "c1", tool: "weather", error: new stepweave.StepweaveError("tool", "no such city"), durationMs: 1 },
    { type: "step.delta", step: s, text: "Oslo is " },
    { type: "step.delta", step: s, text: "grey." },
    { type: "step.done", step: s, attempts: 1, durationMs: 9, usage: { inputTokens: 5, outputTokens: 7 } },
    DONE,
  );
  assert.deepEqual(message.parts.map(({ type }) => type), ["data-step", "step-start", "reasoning", "text", "tool-weather", "tool-weather", "step-start", "text"]);
  const [reasoning, first, paris, oslo, last] = said(message);
  assert.deepEqual([reasoning.text, first.text, last.text], ["I need the weather", "Let me look.", "Oslo is grey."]);
  assert.deepEqual([paris.toolCallId, paris.state, paris.input, paris.errorText], ["ask/c1", "output-error", { city: "Paris" }, "a tool failed"]);
  assert.deepEqual([oslo.toolCallId, oslo.state, oslo.output], ["ask/c2", "output-available", { sky: "grey" }]);
  assert.deepEqual(message.metadata.usage, { inputTokens: 5, outputTokens: 7 });
  assert.equal(lastAssistantMessageIsCompleteWithToolCalls({ messages: [message] }), false, "the chat does not go on by itself");
});

test("a run with tools is read as it went", async () => {
  const { Agent, tool, Workflow } = stepweave;
  const model = scriptedModel([
    [{ type: "reasoning", text: "two at once" }, "Let me look. ", call("weather", { city: "Paris" }), call("weather", { city: "Atlantis" })],
    [call("whether", {}), { type: "usage", inputTokens: 3, outputTokens: 2 }],
    ["Paris is ", "blue."],
  ]);
  const weather = tool({ name: "weather", execute: ({ city }) => { if (city === "Atlantis") throw new Error("it sank"); return { city, sky: "blue" }; } });
  const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model, tools: [weather] }), inputFrom: "Hi" }] });
  const { message, errors } = await read(ui.toUIMessageStream(workflow.start()));
  assert.deepEqual(errors, []);
  model.done();
  assert.deepEqual(said(message).map(({ type, text, state, output, errorText }) => [type, text ?? output?.sky ?? errorText, state]), [
    ["reasoning", "two at once", "done"],
    ["text", "Let me look. ", "done"],
    ["tool-weather", "blue", "output-available"],
    ["tool-weather", "a tool failed", "output-error"],
    ["tool-whether", "a tool failed", "output-error"],
    ["text", "Paris is blue.", "done"],
  ]);
  assert.equal(new Set(said(message).map(({ toolCallId }) => toolCallId)).size, 4, "three calls of tools, and what is none");
  assert.equal(message.metadata.usage.inputTokens, 3);
});

test("a chat asks whether a tool may be called, and the run goes on with what is answered", async () => {
  const { Agent, tool, Workflow } = stepweave;
  const pay = tool({ name: "pay", needsApproval: true, execute: ({ sum }) => `paid ${sum}` });
  const workflow = (model) => new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model, tools: [pay] }), inputFrom: "Hi" }] });
  for (const [approved, state] of [[true, "output-available"], [false, "output-denied"]]) {
    const model = scriptedModel([["I will pay both.", call("pay", { sum: 5 }), call("pay", { sum: 7 })], "So be it."]);
    const run = workflow(model).start({ journal: true });
    const first = await read(ui.toUIMessageStream(run, { messageId: "m" }));
    assert.deepEqual(first.errors, []);
    const calls = first.message.parts.filter(({ type }) => type === "tool-pay");
    assert.deepEqual(calls.map(({ state, approval }) => [state, approval.requestReason]), [["approval-requested", "May `pay` be called?"], ["approval-requested", "May `pay` be called?"]]);
    assert.equal(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [first.message] }), false);
    for (const part of calls) Object.assign(part, { state: "approval-responded", approval: { id: part.approval.id, approved: part.input.sum === 5 || approved } });
    assert.ok(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [first.message] }));

    const { journal } = await run.result;
    const again = workflow(model).start({ journal, answers: ui.answersOf([first.message]) });
    const { message, errors } = await read(ui.toUIMessageStream(again, { continues: first.message }), first.message);
    assert.deepEqual(errors, []);
    assert.equal((await again.result).status, "done");
    model.done();
    assert.equal(message.id, "m");
    assert.deepEqual(said(message).map(({ type, text, state, output }) => [type, text ?? output, state]), [
      ["text", "I will pay both.", "done"],
      ["tool-pay", "paid 5", "output-available"],
      ["tool-pay", approved ? "paid 7" : undefined, state],
      ["text", "So be it.", "done"],
    ]);
  }
});

test("what a model is called for anew is read once", async () => {
  const { Agent, StepweaveError, Workflow } = stepweave;
  const model = scriptedModel([["Half of ", new StepweaveError("network", "it broke off", { retryable: true })], "The whole"]);
  const retryPolicy = { maxRetries: 1, backoffMs: 1, afterFirstDelta: true };
  const workflow = new Workflow({ name: "t", retryPolicy, steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "Hi" }] });
  const { message, errors } = await read(ui.toUIMessageStream(workflow.start()));
  assert.deepEqual(errors, []);
  assert.deepEqual(texts({ parts: ui.shownParts(message) }), [{ type: "text", text: "The whole", state: "done" }]);
  assert.deepEqual(message.parts.map(({ type, data, text }) => data?.status ?? text ?? type), ["done", "step-start", "Half of ", "step-start", "The whole"]);
});

test("calls that have the same id keep apart, and one that gives nothing is there too", async () => {
  const s = step("ask");
  const message = await messageOf(
    { type: "tool.start", step: s, callId: "c2", tool: "wether", input: {} },
    { type: "tool.error", step: s, callId: "c2", tool: "wether", error: new stepweave.StepweaveError("tool", "there is no tool wether"), durationMs: 0 },
    { type: "step.delta", step: s, text: "I see." },
    { type: "tool.start", step: s, callId: "c2", tool: "log", input: {} },
    { type: "tool.done", step: s, callId: "c2", tool: "log", durationMs: 0 },
    DONE,
  );
  assert.deepEqual(said(message).map(({ type, toolCallId, state, errorText, output }) => [type, toolCallId, state, errorText, output]), [
    ["tool-wether", "ask/c2", "output-error", "a tool failed", undefined],
    ["text", undefined, "done", undefined, undefined],
    ["tool-log", "ask/c2#2", "output-available", undefined, null],
  ]);
});

test("what was emitted of an answer that is requested anew says so, and the next one is a step of its own", async () => {
  const [a, b] = [step("a"), step("b")];
  const alone = await messageOf(
    { type: "step.start", step: a, attempt: 1 },
    { type: "step.reasoning", step: a, text: "Let me think." },
    { type: "step.delta", step: a, text: "Half of " },
    { type: "step.start", step: b, attempt: 1 },
    { type: "step.reset", step: a },
    { type: "step.delta", step: a, text: "The whole" },
    { type: "step.done", step: a, attempts: 2, durationMs: 1 },
    { type: "step.done", step: b, attempts: 1, durationMs: 1 },
    DONE,
  );
  assert.deepEqual(alone.parts.map(({ type, text, data }) => text ?? data?.name ?? type), ["a", "step-start", "Let me think.", "Half of ", "b", "step-start", "The whole"]);
  assert.deepEqual(said(alone).map(({ providerMetadata }) => providerMetadata.stepweave.dropped), [undefined, true, undefined]);
  // What was thought for it goes with it.
  assert.deepEqual(texts({ parts: ui.shownParts(alone) }), [{ type: "text", text: "The whole", state: "done" }]);
  assert.deepEqual(ui.shownParts(alone).length, 5);

  const together = await messageOf(
    { type: "step.delta", step: a, text: "Half of " },
    { type: "step.delta", step: b, text: "Mine " },
    { type: "step.reset", step: a },
    { type: "step.delta", step: b, text: "goes on" },
    { type: "step.delta", step: a, text: "The whole" },
    DONE,
  );
  assert.deepEqual(texts(together).map(({ text }) => text), ["Half of ", "Mine goes on", "The whole"]);
  assert.deepEqual(texts({ parts: ui.shownParts(together) }).map(({ text }) => text), ["Mine goes on", "The whole"]);

  // A function that is tried again yields anew; there is no reset between.
  const yielding = await messageOf(
    { type: "step.start", step: a, attempt: 1 },
    { type: "step.delta", step: a, text: "one, " },
    { type: "step.start", step: a, attempt: 2 },
    { type: "step.delta", step: a, text: "one, two" },
    DONE,
  );
  assert.deepEqual(texts({ parts: ui.shownParts(yielding) }).map(({ text }) => text), ["one, two"]);
});

test("a failure of the run is an error of the message; of a retry, only the step tells", async () => {
  const { Agent, openai, Workflow } = stepweave;
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://127.0.0.1:9/v1" }) });
  const workflow = new Workflow({ name: "t", retryPolicy: { maxRetries: 1, backoffMs: 1 }, steps: [{ name: "ask", agent, inputFrom: "Hi" }] });
  const shown = await read(ui.toUIMessageStream(workflow.start()));
  assert.equal(shown.errors.length, 1);
  assert.match(shown.errors[0], /could not be reached/);
  assert.match(shown.message.parts[0].data.errorText, /could not be reached/);
  assert.deepEqual([shown.message.parts[0].data.status, shown.message.parts[0].data.attempt, shown.message.metadata.status], ["error", 2, "error"]);
  const hidden = await read(ui.toUIMessageStream(workflow.start(), { errorText: ({ code }) => `sorry (${code})` }));
  assert.deepEqual([hidden.errors, hidden.message.parts[0].data.errorText], [["sorry (network)"], "sorry (network)"]);
  const wrong = await read(ui.toUIMessageStream(Workflow.fromDocument("{}").start()));
  assert.equal(wrong.errors.length, 1);
});

const SUSPENDED = { type: "run.suspended", result: { runId: "r", status: "suspended", state: {}, stepResults: [], usage: { inputTokens: 0, outputTokens: 0 }, errors: [], pending: [
  { key: "ask/tool1.0", step: step("ask"), message: "May I?", tool: { name: "pay", input: { sum: 5 } } },
  { key: "sign", step: step("sign"), message: "Sign here", schema: { type: "boolean" } },
] } };

test("a call that waits for a person is a question, and goes on in the same message", async () => {
  const s = step("ask");
  const before = [{ type: "step.start", step: s, attempt: 1 }, { type: "step.delta", step: s, text: "I will pay." }];
  const waiting = await messageOf(...before, { type: "step.suspended", step: s }, SUSPENDED);
  const call = waiting.parts.find(({ type }) => type === "tool-pay");
  assert.deepEqual([call.state, call.approval.id, call.approval.requestReason, call.input], ["approval-requested", "ask/tool1.0", "May I?", { sum: 5 }]);
  const { id, data } = waiting.parts.find(({ type }) => type === "data-approval");
  assert.deepEqual([id, data.message, data.schema], ["sign", "Sign here", { type: "boolean" }]);
  assert.deepEqual(ui.answersOf([waiting]), {});

  for (const approved of [true, false]) {
    // As `addToolApprovalResponse` writes it.
    const answered = structuredClone(waiting);
    Object.assign(answered.parts.find(({ type }) => type === "tool-pay"), { state: "approval-responded", approval: { id: "ask/tool1.0", approved, reason: "because" } });
    assert.ok(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [answered] }));
    assert.deepEqual(ui.answersOf([{ id: "u", role: "user", parts: [] }, answered]), { "ask/tool1.0": { approved, reason: "because" } });
    const outcome = approved ? { type: "tool.done", output: "paid", durationMs: 1 } : { type: "tool.error", error: new stepweave.StepweaveError("tool", "refused"), durationMs: 1 };
    const events = emitted(
      ...before.map((event) => ({ ...event, replayed: true })),
      { type: "tool.start", step: s, callId: "c1", tool: "pay", input: { sum: 5 } },
      { ...outcome, step: s, callId: "c1", tool: "pay" },
      { type: "step.delta", step: s, text: "So be it." },
      { type: "step.done", step: s, attempts: 1, durationMs: 1 },
      DONE,
    );
    const { message, errors } = await read(ui.toUIMessageStream(events, { continues: answered }), answered);
    assert.deepEqual(errors, []);
    assert.equal(message.id, waiting.id);
    assert.deepEqual(said(message).map(({ type, state }) => [type, state]), [["text", "done"], ["data-approval", undefined], ["tool-pay", approved ? "output-available" : "output-denied"], ["text", "done"]]);
  }
});

test("an approval step suspends, and its answer ends the message", async () => {
  const { Workflow } = stepweave;
  const workflow = new Workflow({ name: "t", steps: [{ type: "approval", name: "sign", message: "Sign here" }, { name: "after", run: () => ({ ok: true }) }] });
  const run = workflow.start({ journal: true });
  const { message, errors } = await read(ui.toUIMessageStream(run, { messageId: "m" }));
  assert.deepEqual(errors, []);
  const { id } = message.parts.find(({ type }) => type === "data-approval");
  assert.equal(message.metadata.status, "suspended");
  const again = workflow.start({ journal: (await run.result).journal, answers: { [id]: true } });
  const end = await read(ui.toUIMessageStream(again, { continues: message }), message);
  assert.deepEqual(end.errors, []);
  assert.deepEqual([end.message.id, end.message.metadata.status], ["m", "done"]);
  assert.deepEqual(end.message.parts.filter(({ type }) => type === "data-step").map(({ data }) => [data.name, data.status]), [["sign", "done"], ["after", "done"]]);
});

/** A chat's endpoint, and the AI SDK's transport to it. */
async function served(answer, use) {
  const gone = [];
  const server = createServer(async (request, response) => {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, Object.fromEntries(headers));
    const stream = Readable.fromWeb(body);
    response.on("close", () => stream.destroy());
    stream.on("error", () => {}).on("close", () => gone.push(true)).pipe(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}/api/chat`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const send = (api, abortSignal) =>
  new DefaultChatTransport({ api }).sendMessages({ chatId: "c", trigger: "submit-message", messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "Hi" }] }], abortSignal });

test("the chat's transport reads it over HTTP", async () => {
  const { Agent, demo, Workflow } = stepweave;
  const workflow = new Workflow({ name: "t", steps: [{ name: "say", agent: new Agent({ name: "a", model: demo() }), inputFrom: "Hello" }] });
  await served(() => ui.toUIMessageStreamResponse(workflow.start(), { headers: { "x-mine": "1" } }), async (api) => {
    const plain = await fetch(api);
    const text = await plain.text();
    assert.deepEqual(["content-type", "x-vercel-ai-ui-message-stream", "cache-control", "x-mine"].map((name) => plain.headers.get(name)), ["text/event-stream", "v1", "no-cache", "1"]);
    assert.ok(text.endsWith("data: [DONE]\n\n"));
    const { message, errors } = await read(await send(api));
    assert.deepEqual(errors, []);
    assert.match(said(message)[0].text, /simulated/);
    assert.equal(message.metadata.status, "done");
  });
});

test("hanging up cancels the run, and so does cancelling the stream", async () => {
  const { Workflow } = stepweave;
  const endless = () =>
    new Workflow({
      name: "t",
      steps: [{ name: "talk", run: async function* (_, { signal }) { while (!signal.aborted) { yield "and so on "; await new Promise((resolve) => setTimeout(resolve, 5)); } } }],
    }).start();
  let run;
  await served(() => ui.toUIMessageStreamResponse((run = endless())), async (api) => {
    const controller = new AbortController();
    const reader = (await send(api, controller.signal)).getReader();
    for (let chunk = await reader.read(); chunk.value.type !== "text-delta"; chunk = await reader.read());
    controller.abort();
    await assert.rejects(async () => { for (;;) if ((await reader.read()).done) return; }, { name: "AbortError" });
    assert.equal((await run.result).status, "cancelled");
  });
  const other = endless();
  const stream = ui.toUIMessageStream(other);
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  assert.equal((await other.result).status, "cancelled");

  const third = endless();
  setTimeout(() => third.cancel("enough"), 20);
  const chunks = [];
  for await (const chunk of ui.toUIMessageStream(third)) chunks.push(chunk);
  assert.deepEqual(chunks.at(-1), { type: "abort", reason: "enough" });
  assert.ok(chunks.some(({ type }) => type === "text-end"));
});

test("only the words of chosen steps are shown", async () => {
  const { Agent, demo, Workflow } = stepweave;
  const agent = new Agent({ name: "a", model: demo() });
  const run = new Workflow({ name: "t", steps: [{ name: "think", agent, inputFrom: "Think" }, { name: "answer", agent, inputFrom: "Answer" }] }).start();
  const { message } = await read(ui.toUIMessageStream(run, { shows: ({ name }) => name === "answer" }));
  assert.deepEqual(said(message).map(({ text }) => text), [(await run.result).state.answer_output]);
  assert.equal(message.parts.filter(({ type }) => type === "data-step").length, 2);
});

test("its types are those of the AI SDK", async () => {
  await home.beside("ai", "@ai-sdk/provider", "@ai-sdk/provider-utils");
  const program = `
    import { DefaultChatTransport, readUIMessageStream, type ChatTransport, type UIMessage, type UIMessageChunk } from "ai";
    import { Workflow } from "stepweave";
    import { answersOf, toUIMessageStream, toUIMessageStreamResponse, type ApprovalData, type RunMetadata, type StepData } from "stepweave/ui";

    type Message = UIMessage<RunMetadata, { step: StepData; approval: ApprovalData }>;
    declare const workflow: Workflow;
    declare const messages: Message[];
    const run = workflow.start({ answers: answersOf(messages) });
    const stream: ReadableStream<UIMessageChunk> = toUIMessageStream(run, { continues: messages.at(-1) });
    const response: Response = toUIMessageStreamResponse(workflow.stream(), { status: 200 });
    for await (const message of readUIMessageStream<Message>({ stream })) {
      for (const part of message.parts) if (part.type === "data-step") part.data.status satisfies string;
    }
    const transport: ChatTransport<Message> = new DefaultChatTransport<Message>();
    void [response, transport];
  `;
  await writeFile(join(home.folder, "chat.ts"), program);
  const tsc = createRequire(import.meta.url).resolve("typescript/package.json").replace("package.json", "bin/tsc");
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable,dom.asynciterable", "--types", ""];
  try {
    execFileSync(process.execPath, [tsc, ...options, "chat.ts"], { cwd: home.folder, encoding: "utf8", stdio: "pipe" });
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
});

test("what is no run is refused", () => {
  for (const wrong of [undefined, null, 5, {}, { events: 5 }]) assert.throws(() => ui.toUIMessageStream(wrong), { message: "toUIMessageStream() needs a run or its events", code: "validation" });
  assert.throws(() => ui.toUIMessageStream(emitted(), { messageid: "x" }), /did you mean|no option/);
});
