// Runs as traces: with the SDK of OpenTelemetry, its exporter over OTLP/HTTP and a server that receives what it sends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import * as incubating from "@opentelemetry/semantic-conventions/incubating";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { readFileSync } from "node:fs";
import { Agent, customModel, StepweaveError, tool, Workflow } from "stepweave";
import { consoleLogger } from "stepweave/log";
import { traced } from "stepweave/otel";
import { scriptedModel } from "stepweave/testing";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** A server that keeps what it receives. */
async function server(t, respond = (_, outgoing) => outgoing.end("{}")) {
  const received = [];
  const listening = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    received.push({ url: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks).toString() });
    respond(incoming, outgoing);
  });
  await once(listening.listen(0, "127.0.0.1"), "listening");
  t.after(() => { listening.close(); listening.closeAllConnections(); });
  return { received, origin: `http://127.0.0.1:${listening.address().port}` };
}

/** A tracer whose spans are in memory, and a way to wait for them. */
function memory(...more) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter }), ...more] });
  return {
    provider,
    tracer: provider.getTracer("test"),
    // The run's own span is the last one to end.
    spans: async () => {
      while (!exporter.getFinishedSpans().some(({ name }) => name.startsWith("invoke_workflow"))) await new Promise((resolve) => setImmediate(resolve));
      return exporter.getFinishedSpans();
    },
  };
}

const parentName = (span, all) => all.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name;

const weather = tool({ name: "weather", input: { type: "object", properties: { city: { type: "string" } } }, execute: ({ city }) => ({ sky: `blue in ${city}` }) });
const asking = (turns) => new Workflow({
  name: "trip",
  steps: [
    { name: "prepare", run: () => ({ ready: true }) },
    { name: "if ready", condition: "ready", steps: [{ name: "ask", agent: new Agent({ name: "guide", model: scriptedModel(turns), tools: [weather] }), inputFrom: "How is Paris?" }] },
  ],
});
const TURNS = [[{ type: "toolCall", name: "weather", input: { city: "Paris" } }, { type: "usage", inputTokens: 10, outputTokens: 2 }], ["A secret answer.", { type: "usage", inputTokens: 20, outputTokens: 5 }]];

test("the names are those of the conventions, of the version that the file says", () => {
  const file = readFileSync(new URL("../ts/otel/conventions.ts", import.meta.url), "utf8");
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("@opentelemetry/semantic-conventions").replace(/\/dist\/.*$/, "/package.json")), "utf8"));
  assert.ok(file.includes(`version ${version}`), version);
  const known = new Set(Object.values(incubating).filter((value) => typeof value === "string"));
  const used = [...file.matchAll(/"((?:gen_ai|error)\.[a-z_.]+)"/g)].map(([, name]) => name);
  assert.ok(used.length > 15);
  assert.deepEqual(used.filter((name) => !known.has(name)), []);
  assert.deepEqual(["invoke_agent", "chat", "execute_tool", "gcp.gemini", "mistral_ai", "x_ai", "azure.ai.openai"].filter((value) => !known.has(value)), []);
});

test("a run is a span, with its steps, the calls of models and those of tools in it", async () => {
  const { tracer, spans } = memory();
  const { status, runId } = await traced(asking(TURNS), { tracer }).run({ sessionId: "s1" });
  assert.equal(status, "done");
  const all = await spans();
  assert.deepEqual(all.map((span) => `${span.name} in ${parentName(span, all)}`), [
    "function prepare in invoke_workflow trip",
    "chat scripted in invoke_agent guide",
    "execute_tool weather in invoke_agent guide",
    "chat scripted in invoke_agent guide",
    "invoke_agent guide in condition if ready",
    "condition if ready in invoke_workflow trip",
    "invoke_workflow trip in undefined",
  ]);
  const [, , call, , agent, , run] = all;
  assert.deepEqual([run.attributes["gen_ai.operation.name"], run.attributes["gen_ai.workflow.name"], run.attributes["gen_ai.conversation.id"], run.attributes["stepweave.run.id"]], ["invoke_workflow", "trip", "s1", runId]);
  assert.deepEqual([agent.attributes["gen_ai.usage.input_tokens"], agent.attributes["gen_ai.usage.output_tokens"], agent.attributes["gen_ai.agent.name"]], [30, 7, "guide"]);
  assert.deepEqual([call.attributes["gen_ai.tool.name"], call.attributes["gen_ai.tool.type"]], ["weather", "function"]);
});

test("what models and tools say stays here, unless content is requested", async () => {
  for (const content of [false, true]) {
    const { tracer, spans } = memory();
    await traced(asking(TURNS), { tracer, content }).run();
    const text = JSON.stringify((await spans()).map(({ name, attributes, status, events }) => ({ name, attributes, status, events })));
    assert.equal(/secret answer/.test(text), content);
    assert.equal(/blue in Paris/.test(text), content);
    assert.equal(/How is Paris/.test(text), false, "what goes to models is in no event");
  }
});

test("a failure is the status of what failed, by its code; its words go along with the content alone", async () => {
  const failing = () => new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model: customModel("m", () => { throw new StepweaveError("model", "the customer Ada said no"); }) }), inputFrom: "x" }] });
  const { tracer, spans } = memory();
  await traced(failing(), { tracer }).run();
  const all = await spans();
  assert.deepEqual(all.map(({ name, status, attributes }) => [name, status.code, attributes["error.type"]]), [["chat m", 2, "model"], ["invoke_agent a", 2, "model"], ["invoke_workflow w", 2, "model"]]);
  assert.ok(!JSON.stringify(all.map(({ status, attributes, events }) => [status, attributes, events])).includes("Ada"));
  const wrong = memory();
  await assert.rejects(traced(failing(), { tracer: wrong.tracer }).run({ nonsense: 1 }), /no option `nonsense`/);
  assert.deepEqual((await wrong.spans()).map(({ attributes }) => attributes["error.type"]), ["validation"]);
});

test("rounds that run at once have their own spans, each in its round; a replay makes none", async () => {
  const each = new Workflow({ name: "each", initialState: { list: [1, 2] }, steps: [{ name: "all", items: "list", concurrency: 2, steps: [{ name: "big", condition: "item > 0", steps: [{ name: "one", run: async (state) => ({ n: state.item }) }] }] }] });
  const { tracer, spans } = memory();
  const { journal } = await traced(each, { tracer }).run({ journal: true });
  const all = await spans();
  const ones = all.filter(({ name }) => name === "function one");
  assert.equal(ones.length, 2);
  const parents = ones.map((span) => all.find((one) => one.spanContext().spanId === span.parentSpanContext.spanId));
  assert.deepEqual(ones.map(({ attributes }) => attributes["stepweave.step.key"].split("/")[0]), parents.map(({ attributes }) => attributes["stepweave.step.key"].split("/")[0]));
  assert.equal(new Set(parents).size, 2);
  const again = memory();
  await traced(each, { tracer: again.tracer }).run({ journal, replay: "strict" });
  assert.deepEqual((await again.spans()).map(({ name }) => name).filter((name) => name.startsWith("function")), []);
});

/** What was called in this trace, in which span, and whether the step began no earlier than the run. */
const called = (all) => {
  const run = all.at(-1);
  for (const { startTime, endTime } of all) {
    assert.ok(startTime[0] * 1e9 + startTime[1] >= run.startTime[0] * 1e9 + run.startTime[1], "nothing is earlier than its run");
    assert.ok(endTime[0] * 1e9 + endTime[1] >= startTime[0] * 1e9 + startTime[1]);
  }
  return all.map((span) => `${span.name} in ${parentName(span, all)}`);
};
const later = () => new Promise((resolve) => setTimeout(resolve, 5));
const AFTER_CALL = ["execute_tool q in invoke_agent ag", "chat m in invoke_agent ag", "invoke_agent ag in condition if so", "condition if so in invoke_workflow w", "invoke_workflow w in undefined"];
/** A workflow whose agent calls the tool `q`, and one that runs it traced. */
function calling(more) {
  const model = customModel("m", ({ messages }) => (messages.at(-1).role === "tool" ? ["end", { type: "usage", inputTokens: 1, outputTokens: 1 }] : [{ type: "toolCall", name: "q", input: {} }, { type: "usage", inputTokens: 1, outputTokens: 1 }]));
  const workflow = new Workflow({ name: "w", steps: [{ name: "if so", condition: "true", steps: [{ name: "ag", agent: new Agent({ name: "ag", model, tools: [tool({ name: "q", ...more })] }), inputFrom: "go" }] }] });
  return async (options) => {
    const { tracer, spans } = memory();
    const result = await traced(workflow, { tracer }).run(options);
    return { result, all: await spans() };
  };
}

test("a run that goes on after an approval has spans for what it calls then", async () => {
  const run = calling({ needsApproval: true, execute: () => 1 });
  const { result, all } = await run({ journal: true });
  assert.deepEqual(called(all), ["chat m in invoke_agent ag", "invoke_agent ag in condition if so", "condition if so in invoke_workflow w", "invoke_workflow w in undefined"]);
  await later();
  const resumed = await run({ journal: result.journal, answers: { [result.pending[0].key]: true } });
  assert.deepEqual(called(resumed.all), AFTER_CALL);
  // Each run has what its own calls used, so that a sum of them has each call once.
  const tokens = (spans, name) => spans.filter((span) => span.name.startsWith(name)).map(({ attributes }) => attributes["gen_ai.usage.input_tokens"]);
  assert.deepEqual([tokens(all, "invoke_workflow"), tokens(resumed.all, "invoke_workflow"), tokens(resumed.all, "invoke_agent")], [[1], [1], [1]]);
  assert.equal(resumed.result.usage.inputTokens, 2, "the result has all of it");
});

test("a run that goes on after a crash has no span for an answer that it had before", async () => {
  for (const [more, length] of [[{ execute: () => 1 }, 2], [{ workflow: new Workflow({ name: "inner", steps: [{ name: "one", run: () => ({ n: 1 }) }, { name: "two", run: () => ({ n: 2 }) }] }) }, 3]]) {
    const run = calling(more);
    const { journal } = (await run({ journal: true })).result;
    await later();
    const { all } = await run({ journal: { ...journal, entries: journal.entries.slice(0, length) } });
    const inTool = length === 3 ? ["function two in invoke_agent ag"] : [];
    assert.deepEqual(called(all), [...inTool, ...AFTER_CALL], journal.entries.map(({ key }) => key).join(" "));
  }
});

test("a run that goes on in a second attempt says which of its attempts begins now, and has a span for each answer", async () => {
  let asked = [];
  const model = customModel("m", ({ messages }) => {
    asked.push(messages.at(-1).role);
    if (hasFailed) return messages.at(-1).role === "tool" ? ["end"] : [{ type: "toolCall", name: "q", input: {} }];
    hasFailed = true;
    throw Object.assign(new Error("busy"), { retryable: true });
  });
  let hasFailed = false;
  const workflow = new Workflow({ name: "w", steps: [{ name: "ag", retryCount: 1, agent: new Agent({ name: "ag", model, tools: [tool({ name: "q", execute: () => 1 })] }), inputFrom: "go" }] });
  const { journal } = await workflow.run({ journal: true });
  const waited = journal.entries.findIndex(({ key }) => key === "ag/1/waited");
  for (const length of [waited + 1, waited + 2]) {
    await later();
    asked = [];
    const { tracer, spans } = memory();
    const starts = [];
    for await (const event of traced(workflow, { tracer }).stream({ journal: { ...journal, entries: journal.entries.slice(0, length) } })) {
      if (event.type === "step.start") starts.push([event.attempt, event.replayed]);
    }
    assert.deepEqual(starts, [[1, true], [2, undefined]]);
    assert.equal((await spans()).filter(({ name }) => name === "chat m").length, asked.length);
  }
});

test("a call of a tool that an attempt cuts short has its own end, and the next attempt's another, without a model between", async () => {
  let calls = 0;
  const slow = tool({ name: "slow", execute: (_, { signal }) => ((calls += 1) > 1 ? "ok" : new Promise((resolve) => signal.addEventListener("abort", resolve))) });
  const call = [{ type: "toolCall", name: "slow", input: {} }, { type: "usage", inputTokens: 1, outputTokens: 1 }];
  const model = scriptedModel([call, call, "done"]);
  const { tracer, spans } = memory();
  await traced(new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model, tools: [slow] }), inputFrom: "go", timeoutMs: 100, retryCount: 1 }] }), { tracer }).run({ clock: { now: Date.now, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 100))) } });
  const all = (await spans()).filter(({ name }) => name.startsWith("chat") || name.startsWith("execute_tool"));
  assert.deepEqual(all.map(({ name, attributes }) => [name, attributes["gen_ai.tool.call.id"], attributes["error.type"]]), [
    ["chat scripted", undefined, undefined],
    ["execute_tool slow", "call_0", "timeout"],
    ["execute_tool slow", "call_0", undefined],
    ["chat scripted", undefined, undefined],
    ["execute_tool slow", "call_2_0", undefined],
    ["chat scripted", undefined, undefined],
  ]);
});

test("a long answer stays JSON, of whole characters", async () => {
  const { tracer, spans } = memory();
  await traced(new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model: scriptedModel([`x${"😀".repeat(20_000)}`]) }), inputFrom: "go" }] }), { tracer, content: true }).run();
  const said = (await spans()).map(({ attributes }) => attributes["gen_ai.output.messages"]).find((text) => text !== undefined);
  const [{ parts: [{ content }] }] = JSON.parse(said);
  assert.deepEqual([content.length, content.isWellFormed(), content.endsWith("😀…")], [16_384, true, true]);
});

test("a tracer that fails costs the spans and no run, and is named once", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const workflow = traced(new Workflow({ name: "w", steps: [{ name: "a", run: () => ({ a: 1 }) }] }), { tracer: { startSpan() { throw new Error("no collector"); } } });
  for (let round = 0; round < 2; round += 1) assert.deepEqual((await workflow.run()).state, { a: 1 });
  assert.deepEqual(warn.mock.calls.map((call) => call.arguments), [["stepweave: the tracer of w failed: no collector"]]);
});

test("a tracer that fails in the midst of a run costs spans and no run, and no process", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const lost = [];
  const onLost = (error) => lost.push(error);
  process.on("unhandledRejection", onLost);
  t.after(() => process.off("unhandledRejection", onLost));
  const workflow = new Workflow({ name: "w", steps: [{ name: "a", run: () => ({ a: 1 }) }, { name: "b", run: () => { throw new Error("no"); } }] });
  for (const method of ["setAttribute", "setAttributes", "setStatus", "spanContext", "end"]) {
    const { tracer } = memory();
    const startSpan = (...given) => Object.assign(tracer.startSpan(...given), { [method]() { throw new Error("no collector"); } });
    const { status, state } = await traced(workflow, { tracer: { startSpan }, origins: ["https://a.example"] }).run();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual([status, state, warn.mock.callCount(), lost], ["error", { a: 1 }, 1, []], method);
    warn.mock.resetCalls();
  }
  assert.equal((await traced(new Workflow({ name: "w", steps: [] }), { tracer: { startSpan: () => undefined } }).run()).status, "done");
});

test("a span that could not begin leaves that of its run as the run ended", async (t) => {
  t.mock.method(console, "warn", () => {});
  const { tracer, spans } = memory();
  const startSpan = (name, ...more) => {
    if (name === "function a") throw new Error("no collector");
    return tracer.startSpan(name, ...more);
  };
  await traced(new Workflow({ name: "w", steps: [{ name: "a", run: () => ({}) }, { name: "b", run: () => ({}) }] }), { tracer: { startSpan } }).run();
  const all = await spans();
  assert.deepEqual(all.map(({ name, status, attributes }) => [name, status.code, attributes["stepweave.run.status"]]), [["function b", 0, undefined], ["invoke_workflow w", 0, "done"]]);
});

test("a traceparent that came in is the parent, and goes out to listed origins only", async (t) => {
  const listed = await server(t);
  const other = await server(t);
  const document = {
    version: 1,
    name: "calls",
    steps: [listed, other].map(({ origin }, index) => ({ id: `s${index}`, type: "http", name: `s${index}`, http: { url: `${origin}/a` } })),
  };
  const workflow = Workflow.fromDocument(document);
  const reach = { allowOrigins: [listed.origin, other.origin] };
  const { tracer, spans } = memory();
  await traced(workflow, { tracer, origins: [listed.origin] }).run({ ...reach, trace: { parent: PARENT } });
  const run = (await spans()).at(-1);
  assert.equal(run.spanContext().traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  assert.equal(run.parentSpanContext.spanId, "00f067aa0ba902b7");
  assert.equal(listed.received[0].headers.traceparent, `00-4bf92f3577b34da6a3ce929d0e0e4736-${run.spanContext().spanId}-01`);
  assert.equal(other.received[0].headers.traceparent, undefined);

  await workflow.run({ ...reach, trace: { parent: PARENT, origins: [listed.origin] } });
  assert.deepEqual([listed, other].map(({ received }) => received[1].headers.traceparent), [PARENT, undefined], "without spans it is passed on");
  for (const parent of ["00-zz", "", null, `${PARENT}\r\nx: y`, PARENT.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32))]) {
    await workflow.run({ ...reach, trace: { parent, origins: [listed.origin] } });
    assert.equal(listed.received.at(-1).headers.traceparent, undefined, "what is none is not passed on");
  }
  await assert.rejects(workflow.run({ trace: { parent: PARENT, origins: [`${listed.origin}/path`] } }), /trace\.origins\[0\] is no origin/);
  assert.throws(() => traced(workflow, { origins: ["everywhere"] }), /is no origin/);
});

test("a model's endpoint receives the traceparent too, if it is listed", async (t) => {
  const endpoint = await server(t, (_, outgoing) => outgoing.end(JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 1 } })));
  const document = { version: 1, name: "ask", models: { m: { provider: "openai", model: "gpt-5-mini", baseUrl: endpoint.origin } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "x" }] };
  const { tracer, spans } = memory();
  await traced(Workflow.fromDocument(document), { tracer, origins: [endpoint.origin] }).run({ allowOrigins: [endpoint.origin] });
  const all = await spans();
  assert.match(endpoint.received[0].headers.traceparent, new RegExp(`^00-${all[0].spanContext().traceId}-`));
  assert.deepEqual([all[0].name, all[0].attributes["gen_ai.provider.name"], all[0].attributes["gen_ai.usage.input_tokens"]], ["chat gpt-5-mini", "openai", 3]);
});

test("the exporter of the SDK sends the spans to a receiver of OTLP over HTTP", async (t) => {
  const collector = await server(t, (_, outgoing) => outgoing.writeHead(200, { "content-type": "application/json" }).end("{}"));
  const { provider, tracer, spans } = memory(new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${collector.origin}/v1/traces` }) }));
  await traced(asking(TURNS), { tracer }).run();
  await spans();
  await provider.forceFlush();
  await provider.shutdown();
  const sent = collector.received.flatMap(({ url, body }) => {
    assert.equal(url, "/v1/traces");
    return JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
  assert.deepEqual(sent.map(({ name }) => name).sort(), ["chat scripted", "chat scripted", "condition if ready", "execute_tool weather", "function prepare", "invoke_agent guide", "invoke_workflow trip"]);
  const run = sent.find(({ name }) => name === "invoke_workflow trip");
  assert.ok(sent.every(({ traceId }) => traceId === run.traceId));
  assert.deepEqual(run.attributes.find(({ key }) => key === "stepweave.run.status").value, { stringValue: "done" });
});

test("a traced workflow streams, and leaving the loop cancels the run and ends its spans", async () => {
  const { tracer, spans } = memory();
  const slow = new Workflow({ name: "slow", steps: [{ name: "a", run: () => ({}) }, { name: "w", wait: { ms: 60_000 } }] });
  for await (const event of traced(slow, { tracer }).stream()) if (event.type === "step.done") break;
  const all = await spans();
  assert.deepEqual(all.map(({ name }) => name), ["function a", "wait w", "invoke_workflow slow"]);
  assert.equal(all.at(-1).attributes["stepweave.run.status"], "cancelled");
});

test("the logger writes a line for each event of its level, without what anybody said", async () => {
  const run = async (level) => {
    const lines = [];
    const target = Object.fromEntries(["debug", "info", "warn", "error"].map((name) => [name, (line) => lines.push(`${name} ${line.replace(/^\[.{8}\] /, "").replace(/\d+ ms/, "_ ms")}`)]));
    const workflow = asking([...TURNS]);
    workflow.on("*", consoleLogger({ level, target }));
    await workflow.run();
    return lines;
  };
  assert.deepEqual(await run("info"), ["info trip begins", "info prepare done in _ ms", "info ask done in _ ms, 30 + 7 tokens", "info if ready done in _ ms", "info run ends done, 30 + 7 tokens"]);
  assert.ok((await run("debug")).includes("debug ask calls weather"));
  assert.deepEqual(await run("error"), []);
  assert.ok(![...(await run("debug"))].some((line) => /secret|Paris/.test(line)));
  assert.throws(() => consoleLogger({ level: "loud" }), /has no level "loud"/);
  const lines = [];
  const failing = new Workflow({ name: "w", steps: [{ name: "f", run: () => { throw new Error("one\ntwo\u001b[2J"); } }] });
  failing.on("*", consoleLogger({ level: "error", target: { debug() {}, info() {}, warn() {}, error: (line) => lines.push(line) } }));
  await failing.run();
  assert.deepEqual(lines.map((line) => /[\n\u001b]/.test(line)), [false, false]);
});

test("the logger of a run that goes on has what happens then, and the tokens of that", async () => {
  const lines = [];
  const target = Object.fromEntries(["debug", "info", "warn", "error"].map((name) => [name, (line) => lines.push(line.replace(/^\[.{8}\] /, "").replace(/\d+ ms/, "_ms"))]));
  const answering = (text) => [text, { type: "usage", inputTokens: 10, outputTokens: 2 }];
  const agent = new Agent({ name: "a", model: scriptedModel([answering("one"), answering("two")]) });
  const workflow = new Workflow({ name: "w", steps: [{ name: "first", agent, inputFrom: "Hi" }, { name: "boss", type: "approval" }, { name: "second", agent, inputFrom: "Bye" }] });
  workflow.on("*", consoleLogger({ target }));
  const { journal } = await workflow.run({ journal: true });
  assert.deepEqual(lines.splice(0), ["w begins", "first done in _ms, 10 + 2 tokens", "boss waits", "run ends suspended, 10 + 2 tokens"]);
  await workflow.run({ journal, answers: { boss: { approved: true } } });
  assert.deepEqual(lines, ["w goes on", "boss done in _ms", "second done in _ms, 10 + 2 tokens", "run ends done, 10 + 2 tokens"]);
});

test("a target of lines that answers later and fails is a warning, as another listener is", async () => {
  const late = async () => { throw new Error("the file is full"); };
  const workflow = new Workflow({ name: "w", steps: [{ name: "s", run: () => ({}) }] });
  workflow.on("*", consoleLogger({ target: { debug: late, info: late, warn: late, error: late } }));
  const { status, warnings } = await workflow.run();
  assert.equal(status, "done");
  assert.equal(warnings[0]?.message, "a listener of run.start failed: the file is full");
});
