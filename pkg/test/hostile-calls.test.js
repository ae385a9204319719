// Whatever the functions of each entry are called with: it works, or an error of the package says what is wrong.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as main from "stepweave";
import { approvalLinks, bearer, handler, poller } from "stepweave/http";
import { restateHandlers, runDurably, runInCloudflare, runsObject } from "stepweave/durable";
import { clientCredentials, mcpServers, mcpToolDocuments, mcpTools, signIn } from "stepweave/mcp";
import { mcpServer } from "stepweave/mcp/server";
import { consoleLogger } from "stepweave/log";
import { traced } from "stepweave/otel";
import { formFiles, memoryBytes, readFiles, unstorageBytes } from "stepweave/files";
import { openApiOperations, openApiTools } from "stepweave/openapi";
import * as reasoning from "stepweave/reasoning";
import { sandbox } from "stepweave/sandbox";
import { durableObjectStore, indexedDbStore, inspect, journalFrom, memoryStore, sqlStore, summaryOf, unstorageStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";
import { cassette, recordCase, runTests, scriptedModel, testClock, whatIf } from "stepweave/testing";
import { answersOf, chatTransport, conversationOf, shownParts, toUIMessages, toUIMessageStream, toUIMessageStreamResponse } from "stepweave/ui";
import { connect, serve } from "stepweave/worker";
import { createStorage } from "unstorage";
import { assertSaid, eachKey, given } from "./evil.js";
import { virtualClock } from "./support.js";

const stepweave = { ...main, ...reasoning };
const { Agent, customModel, openai, publicError, ReasoningAgent, StepweaveError, think, validate, Workflow } = stepweave;

const sealKey = { id: "k", key: btoa("0".repeat(32)) };
const openApi = JSON.stringify({ openapi: "3.1.0", paths: { "/a": { get: { security: [{ k: [] }] } } }, components: { securitySchemes: { k: { type: "http", scheme: "basic" } } } });
const noop = { name: "noop", run: () => ({ n: 1 }) };
const workflow = new Workflow({ name: "w", initialState: { n: 1 }, steps: [noop, { name: "ask", type: "approval" }] });
const document = workflow.toDocument();
const parrot = customModel("parrot", () => "hello");
const text = { version: 1, name: "t", steps: [{ id: "a", type: "function", name: "a", run: { set: { n: "1" } } }] };

test("every function and class of every entry is called by these tests", async () => {
  const { exports } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const folder = new URL("./", import.meta.url);
  const tests = await Promise.all(["hostile-calls.test.js", "hostile-definitions.test.js"].map((name) => readFile(new URL(name, folder), "utf8")));
  // The entries that bring the engine in other ways have the same names.
  const apart = Object.entries(exports).filter(([name, to]) => typeof to === "object" && !/^\.\/(wasm|inline|web|workerd|edge|slim|schema|package|functions\/)/.test(name));
  assert.ok(apart.length >= 8, "the entries are found");
  for (const [entry] of apart) {
    const names = Object.keys(await import(`stepweave${entry.slice(1)}`));
    assert.deepEqual(names.filter((name) => !tests.some((words) => new RegExp(`\\b${name}\\b`).test(words))), [], entry);
  }
});

const RUN_OPTIONS = ["state", "secrets", "signal", "fetch", "clock", "journal", "store", "replay", "from", "onMismatch", "owner", "answers", "seed", "limits", "allowOrigins", "relay", "trace", "sessionId", "userId", "tenantId", "metadata", "dependencies", "nonsense"];
const readAll = async (iterable) => { for await (const _ of iterable); };

test("runs, their options one by one, and what is inside of them", async () => {
  const agent = new Agent({ name: "a", model: parrot });
  const stepped = new ReasoningAgent({ name: "a", model: parrot, steps: [think("one", (input) => `${input}`)] });
  const first = await workflow.run({ journal: true });
  await assertSaid("runs", {
    "run()": (value) => workflow.run(value),
    "start()": (value) => workflow.start(value).result,
    "stream()": (value) => readAll(workflow.stream(value)),
    ...eachKey("run", { state: {} }, RUN_OPTIONS, (options) => workflow.run(options)),
    ...Object.fromEntries(RUN_OPTIONS.map((key) => [`a getter of ${key}`, (value) => workflow.run({ get [key]() { throw value; } })])),
    ...eachKey("resume", { journal: first.journal }, ["replay", "from", "onMismatch", "answers", "store"], (options) => workflow.run(options)),
    ...eachKey("a store", memoryStore(), [], (store) => workflow.run({ store, journal: "j" })),
    ...Object.fromEntries(["load", "append"].flatMap((name) => [
      [`${name}() of a store gives`, (value) => workflow.run({ journal: "j", store: { ...memoryStore(), [name]: () => value } })],
      [`${name}() of a store rejects with`, (value) => workflow.run({ journal: "j", store: { ...memoryStore(), [name]: () => Promise.reject(value) } })],
    ])),
    ...eachKey("clock", virtualClock(), [], (clock) => workflow.run({ clock })),
    "now() gives": (value) => workflow.run({ clock: { ...virtualClock(), now: () => value } }),
    "sleep() gives": (value) => new Workflow({ name: "w", steps: [{ name: "s", wait: { ms: 5 } }] }).run({ clock: { ...virtualClock(), sleep: () => value } }),
    "fetch gives": (value) => new Workflow({ name: "w", steps: [{ name: "s", agent: new Agent({ name: "a", model: openai("m", { baseUrl: "http://llm.example/v1" }) }) }] }).run({ fetch: () => value, clock: virtualClock() }),
    "answers.ask": (ask) => workflow.run({ answers: { ask } }),
    "secrets.KEY": (KEY) => workflow.run({ secrets: { KEY } }),
    ...eachKey("secrets.KEY", { value: "a-long-value", origins: ["https://x.example"] }, [], (KEY) => workflow.run({ secrets: { KEY } })),
    "allowOrigins[0]": (value) => workflow.run({ allowOrigins: [value] }),
    "limits.maxSteps": (maxSteps) => workflow.run({ limits: { maxSteps } }),
    "cancel()": (value) => { const run = workflow.start(); run.cancel(value); return run.result; },
    "on()": (value) => { new Workflow({ name: "w", steps: [noop] }).on(value, () => {}); },
    "on(type, value)": (value) => { const one = new Workflow({ name: "w", steps: [noop] }); one.on("*", value); return one.run(); },
    "once(type, value)": (value) => { const one = new Workflow({ name: "w", steps: [noop] }); one.once("*", value); return one.run(); },
    "off()": (value) => workflow.off(value, value),
    "a listener throws": (value) => { const one = new Workflow({ name: "w", steps: [noop] }); one.on("*", () => { throw value; }); return one.run(); },
    "a listener gives": (value) => { const one = new Workflow({ name: "w", steps: [noop] }); one.on("*", () => value); return one.run(); },
    ...Object.fromEntries([["agent", agent], ["agent with steps", stepped]].flatMap(([name, one]) => [
      [`${name}: run()`, (value) => one.run(value)],
      [`${name}: start()`, (value) => one.start(value).result],
      [`${name}: run(x, value)`, (value) => one.run("x", value)],
      [`${name}: stream(x, value)`, (value) => readAll(one.stream("x", value))],
      ...Object.entries(eachKey(`${name}: run`, {}, RUN_OPTIONS, (options) => one.run("x", options))),
      [`${name}: run([value])`, (value) => one.run([value])],
      [`${name}: run([{ role }])`, (value) => one.run([{ role: value, content: value }])],
    ])),
    "listTools()": (value) => stepped.listTools(value),
    "listSteps()": (value) => stepped.listSteps(value),
    "findStep()": (value) => stepped.findStep(value),
    "useTool()": (value) => stepped.useTool(value),
    "useTool(name, value)": (value) => new ReasoningAgent({ name: "a", model: parrot, steps: [], tools: [function find() { return 1; }] }).useTool("find", value),
    "useTool(name, {}, value)": (value) => new ReasoningAgent({ name: "a", model: parrot, steps: [], tools: [function find() { return 1; }] }).useTool("find", {}, value),
  });
});

test("documents and the code that they are given", async () => {
  const from = (code, source = text) => Workflow.fromDocument(source, code).run({ clock: virtualClock() });
  const whole = { ...text, models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m", tools: ["find"] } }, tools: { find: { description: "x", run: { handler: "find" } } } };
  const code = { tools: [function find() {}] };
  await assertSaid("documents", {
    fromDocument: (value) => from({}, value),
    "fromDocument(d, value)": (value) => from(value),
    ...eachKey("code", code, ["handlers", "models", "agents", "nonsense"], (given) => from(given, whole)),
    "handlers.h": (h) => from({ handlers: { h } }),
    "tools[0]": (value) => from({ tools: [value] }),
    "models.m": (m) => from({ ...code, models: { m } }, whole),
    "agents.a": (a) => from({ ...code, agents: { a } }, whole),
    ...eachKey("document", whole, ["description", "input", "output", "initialState", "prices", "limits", "onError", "retryPolicy", "notes"], (source) => from(code, source)),
    ...Object.fromEntries(["models", "agents", "tools"].map((table) => [`${table} with such an entry`, (value) => from(code, { ...whole, [table]: { ...whole[table], a: value } })])),
    ...eachKey("document.models.m", whole.models.m, ["apiKey", "params"], (m) => from(code, { ...whole, models: { m } })),
    ...eachKey("document.agents.a", whole.agents.a, ["fallbacks", "params"], (a) => from({ ...code, models: { m: parrot } }, { ...whole, agents: { a } })),
    ...eachKey("document.tools.find", whole.tools.find, ["input", "needsApproval"], (find) => from(code, { ...whole, tools: { find } })),
    validate: (value) => validate(value),
    init: (value) => stepweave.init(value),
    "init(x, value)": (value) => stepweave.init(undefined, value),
    "init(x, { models })": (models) => stepweave.init(undefined, { models }),
  });
});

test("what tells of steps and of errors", async () => {
  const one = think("one", { params: [{ name: "a", schema: {} }], returns: {} }, (input) => input);
  await assertSaid("telling", {
    publicError: (value) => publicError(value),
    publicEvent: (value) => { stepweave.publicEvent(value); },
    publicResult: (value) => { stepweave.publicResult(value); },
    isIdentifier: (value) => stepweave.isIdentifier(value),
    canExecuteWith: (value) => stepweave.canExecuteWith(value, 1),
    "canExecuteWith(step, value)": (value) => stepweave.canExecuteWith(one, value),
    isCompatibleWith: (value) => stepweave.isCompatibleWith(value, one),
    "isCompatibleWith(step, value)": (value) => stepweave.isCompatibleWith(one, value),
    "isCompatibleWith(step, step, value)": (value) => stepweave.isCompatibleWith(one, one, value),
    stepMetadata: (value) => stepweave.stepMetadata(value),
    StepweaveError: (value) => { new StepweaveError(value, value, value).toJSON(); },
    "StepweaveError.from": (value) => { StepweaveError.from(value); },
    ...eachKey("StepweaveError.from", { code: "handler", message: "x" }, ["hint", "step", "retryable", "retryAfterMs", "problems", "cause"], (data) => { StepweaveError.from(data); }),
  });
});

const journalOf = async () => (await workflow.run({ journal: true, answers: { ask: { ok: true } } })).journal;
const summary = { status: "running", documentName: "w", updatedAt: 1 };

test("journals and their entries, field by field", async () => {
  const journal = JSON.parse(JSON.stringify(await journalOf()));
  const withEntry = (index, entry) => ({ ...journal, entries: journal.entries.map((old, at) => (at === index ? entry : old)) });
  const uses = (label, make) => ({
    [`journalFrom ${label}`]: (value) => { journalFrom(make(value)); },
    [`summaryOf ${label}`]: (value) => { const journal = make(value); if (journal === value) summaryOf(value); else summaryOf(journal.entries); },
    [`resumed ${label}`]: (value) => workflow.run({ journal: make(value) }),
    [`replayed ${label}`]: (value) => workflow.run({ journal: make(value), replay: "strict" }),
    [`edited ${label}`]: (value) => workflow.run({ journal: make(value), replay: "edit" }),
    [`inspected ${label}`]: given((value) => inspect({ load: async () => make(value) }, "x")),
  });
  const fields = ["key", "asked", "at", "seq", "ok", "error", "told", "nonsense"];
  await assertSaid("journals", {
    ...uses("journal", (value) => value),
    ...Object.assign({}, ...["version", "id", "entries"].map((key) => uses(key, (value) => ({ ...journal, [key]: value })))),
    ...Object.assign({}, ...journal.entries.flatMap((entry, index) => [
      uses(`entries[${index}]`, (value) => withEntry(index, value)),
      ...fields.map((key) => uses(`entries[${index}].${key}`, (value) => withEntry(index, { ...entry, [key]: value }))),
      ...(typeof entry.ok === "object" && entry.ok !== null ? Object.keys(entry.ok).map((key) => uses(`entries[${index}].ok.${key}`, (value) => withEntry(index, { ...entry, ok: { ...entry.ok, [key]: value } }))) : []),
    ])),
    ...Object.assign({}, ...["code", "message", "hint", "step", "retryable", "cause"].map((key) => uses(`error.${key}`, (value) => withEntry(1, { ...journal.entries[1], ok: undefined, error: { code: "handler", message: "no", [key]: value } })))),
    ...Object.assign({}, ...["type", "message", "key", "value", "at", "seq", "text"].flatMap((key) => ["log", "set", "delta", "reasoning"].map((type) => uses(`told ${type}.${key}`, (value) => withEntry(1, { ...journal.entries[1], told: [{ type, message: "m", key: "k", value: 1, text: "t", [key]: value }] }))))),
  });
});

test("stores, their options, and each argument of their functions", async () => {
  const values = new Map();
  const durable = { get: async (key) => values.get(key), put: async (key, value) => void values.set(key, value), list: async ({ prefix }) => new Map([...values].filter(([key]) => key.startsWith(prefix))), delete: async (key) => values.delete(key), transaction: async (work) => work(durable), sync: async () => {} };
  const { entries } = JSON.parse(JSON.stringify(await journalOf()));
  const stores = { memory: memoryStore(), file: fileStore(join(tmpdir(), `stepweave-evil-${process.pid}`)), unstorage: unstorageStore(createStorage()), durable: durableObjectStore(durable) };
  const used = async (store) => { await store.load("a"); await store.list(); await store.delete("a"); };
  await assertSaid("stores", {
    fileStore: (value) => { fileStore(value); },
    durableObjectStore: (value) => used(durableObjectStore(value)),
    sqlStore: (value) => { sqlStore(value); },
    runsObject: (value) => { runsObject(value, { public: true }); },
    "runsObject(w, value)": (value) => { runsObject(workflow, value); },
    "runDurably(value)": (value) => runDurably(value, workflow, { id: "a" }),
    "restateHandlers(value)": (value) => restateHandlers(value, { TerminalError: Error }),
    "restateHandlers(w, value)": (value) => restateHandlers(workflow, value),
    "restateHandlers(w).run(value)": (value) => restateHandlers(workflow, { TerminalError: TypeError }).run(value),
    "runInCloudflare(w, e, value)": (value) => runInCloudflare(workflow, { instanceId: "a" }, value),
    "new (runsObject(w, o))(value)": (value) => { new (runsObject(workflow, { public: true }))(value, {}); },
    ...eachKey("durableObjectStore", durable, [], async (storage) => { durableObjectStore(storage); }),
    unstorageStore: (value) => used(unstorageStore(value)),
    "unstorageStore(s, value)": (value) => used(unstorageStore(createStorage(), value)),
    "unstorageStore's prefix": (prefix) => used(unstorageStore(createStorage(), { prefix })),
    indexedDbStore: (value) => used(indexedDbStore(value)),
    "indexedDbStore's name": (name) => used(indexedDbStore({ name })),
    inspect: (value) => inspect(value, "x"),
    "inspect(store, value)": (value) => inspect(memoryStore(), value),
    "inspect's load": (load) => inspect({ load }, "x"),
    ...Object.assign({}, ...Object.entries(stores).map(([name, store]) => ({
      [`${name}.load()`]: (value) => store.load(value),
      [`${name}.delete()`]: (value) => store.delete(value),
      [`${name}.append(value)`]: (value) => store.append(value, entries, 0, summary),
      [`${name}.append(id, value)`]: (value) => store.append("b", value, 0, summary),
      [`${name}.append(id, [value])`]: (value) => store.append("b", [value], 0, summary),
      [`${name}.append(id, e, value)`]: (value) => store.append("b", entries, value, summary),
      [`${name}.append(id, e, n, value)`]: (value) => store.append("c", [], 0, value),
      [`${name}.list()`]: (value) => store.list(value),
      ...eachKey(`${name}.list`, {}, ["status", "owner", "wakeBefore", "cursor", "limit", "nonsense"], (filter) => store.list(filter)),
      ...eachKey(`${name}.append's summary`, summary, ["wakeAt", "owner"], (given) => store.append("d", [], 0, given)),
    }))),
  });
});

test("what tests are written with, and the sandbox", async () => {
  const place = { read: () => undefined, write: () => {} };
  const asks = (turn) => new Workflow({ name: "w", steps: [{ name: "s", agent: new Agent({ name: "a", model: scriptedModel(turn) }) }] }).run();
  const limits = { instructions: 1e6, memoryBytes: 1e7, stackBytes: 1e5, outputBytes: 1e5 };
  await assertSaid("testing", {
    cassette: (value) => { cassette(value); },
    traced: (value) => { traced(value); },
    "traced(w, value)": (value) => { traced(workflow, value); },
    ...eachKey("traced", {}, ["tracer", "content", "origins", "nonsense"], (options) => { traced(workflow, options); }),
    ...eachKey("traced runs", {}, RUN_OPTIONS, (options) => traced(workflow).run(options)),
    ...eachKey("trace", { parent: "x", origins: [] }, ["nonsense"], (trace) => workflow.run({ trace })),
    consoleLogger: (value) => { consoleLogger(value); },
    ...eachKey("consoleLogger", {}, ["level", "target", "nonsense"], (options) => { consoleLogger(options); }),
    testClock: (value) => { testClock(value); },
    runTests: (value) => runTests(value, []),
    "runTests(w, value)": (value) => runTests(workflow, value),
    "runTests(w, [value])": (value) => runTests(workflow, [value]),
    ...eachKey("a test", { name: "n", status: "suspended" }, ["name", "state", "pins", "answers", "recording", "status", "assert", "nonsense"], (one) => runTests(workflow, [one])),
    ...eachKey("an assertion", { equals: 1, of: "n" }, ["of", "not", "equals", "nonsense"], (one) => runTests(workflow, [{ name: "n", status: "suspended", assert: [one] }])),
    ...eachKey("runTests", {}, ["judge", "onResult", "signal", "clock", "nonsense"], (options) => runTests(workflow, [], options)),
    recordCase: (value) => recordCase(value, undefined, "n"),
    "recordCase(w, value)": (value) => recordCase(workflow, value, "n"),
    whatIf: (value) => whatIf(value, value, []),
    "whatIf(w, w, value)": (value) => whatIf(workflow, workflow, value),
    ...eachKey("whatIf", {}, ["assert", "judge", "nonsense"], (options) => whatIf(workflow, workflow, [], options)),
    "cassette(p, value)": (value) => { cassette(place, value); },
    ...eachKey("cassette", {}, ["mode", "fetch", "nonsense"], (options) => cassette(place, options).save()),
    "read() gives": given((value) => cassette({ ...place, read: () => value }, { mode: "replay" }).done()),
    "a cassette's fetch": (value) => cassette(place, { mode: "record", fetch: async () => new Response("x") }).fetch(value),
    "a cassette's fetch(u, value)": (value) => cassette(place, { mode: "record", fetch: async () => new Response("x") }).fetch("http://x.example", value),
    "fetch gives": given((value) => cassette(place, { mode: "record", fetch: () => value }).fetch("http://x.example")),
    scriptedModel: (value) => { scriptedModel(value).done(); },
    "scriptedModel(t, value)": (value) => { scriptedModel([], value); },
    ...eachKey("scriptedModel", {}, ["name", "test", "nonsense"], (options) => { scriptedModel([], options); }),
    "a turn": (value) => asks([value]),
    "a part of a turn": (value) => asks([[value]]),
    "a turn gives": (value) => asks([() => value]),
    "sandbox.run(value)": (value) => { sandbox.run(value, {}, console); },
    "sandbox.run(code, value)": (value) => { sandbox.run("return {}", value, console); },
    "sandbox.run(code, state, value)": (value) => { sandbox.run("ctx.log('x'); return {}", {}, value); },
    "sandbox.compute(code, state, console, value)": (value) => { sandbox.compute("return 1", {}, console, value); },
    ...eachKey("sandbox", limits, ["nonsense"], (options) => { sandbox.compute("return 1", {}, console, options); }),
  });
});

test("messages for chats, and tools of servers", async () => {
  const message = { id: "m", role: "assistant", parts: [{ type: "tool-x", toolCallId: "c", state: "approval-responded", approval: { id: "i", approved: true } }] };
  const read = async (stream) => { const reader = stream.getReader(); while (!(await reader.read()).done); };
  const events = async function* () { yield* []; };
  await assertSaid("ui", {
    answersOf: (value) => { answersOf(value); },
    "answersOf([value])": (value) => { answersOf([value]); },
    ...eachKey("a message", message, [], (one) => { answersOf([one]); }),
    "a part": (value) => { answersOf([{ ...message, parts: [value] }]); },
    ...eachKey("a part", message.parts[0], [], (part) => { answersOf([{ ...message, parts: [part] }]); }),
    shownParts: (value) => { shownParts(value); },
    "shownParts' parts": (parts) => { shownParts({ parts }); },
    "shownParts' part": (part) => { shownParts({ parts: [part] }); },
    "shownParts' metadata": (providerMetadata) => { shownParts({ parts: [{ type: "text", providerMetadata }] }); },
    conversationOf: (value) => { conversationOf(value); },
    "conversationOf's message": (message) => { conversationOf([message]); },
    "conversationOf's part": (part) => { conversationOf([{ id: "1", role: "user", parts: [part] }, { id: "2", role: "assistant", parts: [part] }]); },
    ...eachKey("conversationOf's call", { type: "tool-x", toolCallId: "c", state: "output-available", input: {}, output: 1 }, ["type", "toolCallId", "state", "input", "output"], (part) => { conversationOf([{ id: "1", role: "assistant", parts: [part] }]); }),
    toUIMessages: (value) => { toUIMessages(value); },
    "toUIMessages' options": (options) => { toUIMessages([{ role: "user", content: "Hi" }], options); },
    "toUIMessages' prefix": (prefix) => { toUIMessages([{ role: "user", content: "Hi" }], { prefix }); },
    "toUIMessages' fileUrl": (fileUrl) => { toUIMessages([{ role: "user", content: [{ type: "image", mediaType: "image/png", data: "stepweave-file:sha256-0" }] }], { fileUrl }); },
    "toUIMessages' message": (message) => { toUIMessages([message]); },
    "toUIMessages' content": (content) => { toUIMessages([{ role: "user", content }, { role: "assistant", content }]); },
    "toUIMessages' part": (part) => { toUIMessages([{ role: "user", content: [part] }, { role: "assistant", content: [part] }]); },
    chatTransport: (value) => { chatTransport(value); },
    "chatTransport(w, value)": (value) => { chatTransport(workflow, value); },
    "chatTransport's request": (value) => chatTransport(workflow).sendMessages(value),
    ...eachKey("chatTransport's messages", { chatId: "c", messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] }] }, ["chatId", "messages", "abortSignal"], async (request) => read(await chatTransport(workflow).sendMessages(request))),
    "chatTransport's run": async (run) => read(await chatTransport(() => run).sendMessages({ chatId: "c", messages: [{ id: "1", role: "user", parts: [] }] })),
    toUIMessageStream: (value) => read(toUIMessageStream(value)),
    "toUIMessageStream(r, value)": (value) => read(toUIMessageStream(events(), value)),
    ...eachKey("toUIMessageStream", {}, ["messageId", "continues", "approvals", "shows", "errorText", "onFinish", "nonsense"], (options) => read(toUIMessageStream(workflow.start(), options))),
    "an event": (value) => read(toUIMessageStream((async function* () { yield value; })())),
    toUIMessageStreamResponse: (value) => toUIMessageStreamResponse(value).text(),
    "toUIMessageStreamResponse(r, value)": (value) => toUIMessageStreamResponse(workflow.start(), value).text(),
    ...eachKey("toUIMessageStreamResponse", {}, ["status", "statusText", "headers"], (init) => toUIMessageStreamResponse(workflow.start(), init).text()),
    handler: (value) => { handler(value, { public: true }); },
    "handler(w, value)": (value) => { handler(workflow, value); },
    ...eachKey("handler", { public: true }, ["authorize", "mayAnswer", "store", "run", "onSuspended", "onError", "path", "origins", "hosts", "stream", "maxBodyBytes", "maxRuns", "links", "nonsense"], (options) => { handler(workflow, options); }),
    ...eachKey("handler with a store", { public: true, store: memoryStore() }, ["keepMs"], (options) => { handler(workflow, options); }),
    wake: (value) => handler(workflow, { public: true, store: memoryStore() }).wake(value),
    ...eachKey("wake", {}, ["limit", "staleMs", "nonsense"], (options) => handler(workflow, { public: true, store: memoryStore() }).wake(options)),
    poller: (value) => poller(value, { store: memoryStore() }).stop(),
    "poller(h, value)": (value) => poller(handler(workflow, { public: true, store: memoryStore() }), value).stop(),
    ...eachKey("poller", { store: memoryStore() }, ["store", "everyMs", "lease", "onError", "limit", "staleMs", "nonsense"], (options) => poller(handler(workflow, { public: true, store: memoryStore() }), options).stop()),
    approvalLinks: (value) => { approvalLinks(value); },
    ...eachKey("approvalLinks", { secrets: ["a-secret-of-more-than-32-characters"], url: "https://x.example" }, ["secrets", "url", "validMs", "nonsense"], (options) => { approvalLinks(options); }),
    "a secret of approvalLinks": (secret) => { approvalLinks({ secrets: [secret], url: "https://x.example" }); },
    bearer: (value) => { bearer(value); },
    "bearer's token": (token) => { bearer({ token }); },
    mcpTools: (value) => mcpTools(value),
    "mcpTools(u, value)": (value) => mcpTools("http://127.0.0.1:1", value),
    ...eachKey("mcpTools", { fetch: async () => new Response("", { status: 404 }) }, ["headers", "auth", "signal", "include", "prefix", "timeoutMs", "needsApproval", "elicitation", "onProgress", "binary", "nonsense"], (options) => mcpTools("http://x.example/mcp", options)),
    openApiOperations: (value) => openApiOperations(value),
    "mcpServers.open(value)": (value) => mcpServers.open(value).close(),
    mcpToolDocuments: (value) => mcpToolDocuments(value),
    "mcpToolDocuments(u, value)": (value) => mcpToolDocuments("http://127.0.0.1:1", value),
    ...eachKey("mcpToolDocuments", { fetch: async () => new Response("", { status: 404 }) }, ["headers", "auth", "signal", "include", "prefix", "timeoutMs", "secret", "elicitation", "nonsense"], (options) => mcpToolDocuments("http://x.example/mcp", options)),
    clientCredentials: (value) => clientCredentials(value, { clientId: "c", clientSecret: "a-long-secret", issuer: "https://login.example" }),
    "clientCredentials(u, value)": (value) => clientCredentials("https://x.example/mcp", value),
    ...eachKey("clientCredentials", { clientId: "c", clientSecret: "a-long-secret", issuer: "https://login.example" }, ["scope", "fetch", "nonsense"], (options) => clientCredentials("https://x.example/mcp", options)),
    signIn: (value) => signIn(value, { callback: "https://x.example/mcp-callback.html" }),
    "signIn(u, value)": (value) => signIn("https://x.example/mcp", value),
    mcpServer: (value) => mcpServer(value, { public: true, keys: [sealKey] }),
    "mcpServer(w, value)": (value) => mcpServer(workflow, value),
    ...eachKey("mcpServer", { public: true, keys: [sealKey] }, ["authorize", "run", "store", "keys", "names", "validMs", "maxStateBytes", "maxJournalBytes", "origins", "hosts", "maxBodyBytes", "maxRuns", "nonsense"], (options) => mcpServer(workflow, options)),
    readFiles: (value) => readFiles(value),
    "readFiles([value])": (value) => readFiles([value]),
    ...eachKey("a file", { size: 1, type: "", name: "a.txt", arrayBuffer: async () => new ArrayBuffer(1) }, ["size", "type", "name", "arrayBuffer"], (file) => readFiles([file])),
    ...eachKey("readFiles", {}, ["store", "maxFiles", "maxBytes", "maxTotalBytes", "maxCharacters", "pdf", "nonsense"], (options) => readFiles([new File(["x"], "x.txt")], options)),
    "put() of a store gives": (value) => readFiles([new File(["x"], "x.txt")], { store: { put: () => value, get: async () => undefined } }),
    "put() of a store throws": (value) => readFiles([new File(["x"], "x.txt")], { store: { put: () => { throw value; }, get: async () => undefined } }),
    formFiles: (value) => formFiles(value),
    unstorageBytes: (value) => unstorageBytes(value),
    memoryBytes: (value) => memoryBytes(value),
    openApiTools: (value) => openApiTools(value, { server: "https://x.example" }),
    "openApiTools(text, value)": (value) => openApiTools(openApi, value),
    ...eachKey("openApiTools", { server: "https://x.example" }, ["include", "prefix", "schemes", "auth", "nonsense"], (options) => openApiTools(openApi, options)),
    "include() of openApiTools gives": (value) => openApiTools(openApi, { server: "https://x.example", include: () => value }),
    "schemes.k of openApiTools": (k) => openApiTools(openApi, { server: "https://x.example", schemes: { k } }),
    ...eachKey("schemes.k of openApiTools", {}, ["secret", "user", "clientId"], (k) => openApiTools(openApi, { server: "https://x.example", schemes: { k } })),
    ...eachKey("auth of openApiTools", { bearer: { secret: "KEY" } }, ["bearer", "basic"], (auth) => openApiTools(openApi, { server: "https://x.example", auth })),
  });
});
