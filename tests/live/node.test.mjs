// The example workflow in Node, through the installed package, on a real llama-server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installed } from "./installed.mjs";
import { MODEL, startLlama } from "./llama-server.mjs";
import { assertReport, assertWritten, ENDLESS_ANSWERS, reportAt, reportIn, until } from "./report.mjs";
import { assertTools, FORMATS, TOOLS, withTools } from "./tools.mjs";

const KEY = "sk-live-test";
const SECRET = "LLAMA_KEY";

let llama;
let guarded;
let home;
let Workflow;

before(async () => {
  [llama, guarded, home] = await Promise.all([startLlama(), startLlama({ apiKey: KEY }), installed()]);
  ({ Workflow } = home.stepweave);
});
after(() => Promise.all([llama.stop(), guarded.stop(), home.remove()]));

const ask = (baseUrl, extra) => ({
  version: 1,
  name: "Ask",
  models: { real: { provider: "openai", model: MODEL, baseUrl, ...extra } },
  agents: { helper: { model: "real" } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: "{{ question | default('How is the weather in Paris?') }}" }],
});

/** What the code that runs a document allows: the servers of its models, which are on this machine. */
const allowed = ({ models }) => ({ allowOrigins: Object.values(models).map(({ baseUrl }) => new URL(baseUrl).origin) });

async function failureOf(document, options) {
  const { status, errors } = await Workflow.fromDocument(document).run({ ...allowed(document), ...options });
  assert.equal(status, "error");
  assert.equal(errors.length, 1);
  assert.equal(errors[0].step.name, "ask");
  assert.ok(errors[0].hint.length > 0);
  return errors[0];
}

test("the report is written, streaming", async () => {
  const events = [];
  const document = reportAt(llama.url);
  for await (const event of Workflow.fromDocument(document).stream(allowed(document))) {
    events.push(event);
  }
  assertReport(events);
});

/** All events of a run. */
async function eventsOf(document, options) {
  const events = [];
  for await (const event of Workflow.fromDocument(document, options).stream(allowed(document))) events.push(event);
  return events;
}

for (const wire of FORMATS) {
  test(`the report is written over ${wire.format}`, async () => assertWritten(await eventsOf(reportIn(wire, llama.url))));

  test(`an agent with two tools answers over ${wire.format}`, async () => {
    assertTools(await eventsOf(withTools(wire, llama.url), { handlers: TOOLS }));
  });
}

test("the same workflow serves many runs at once", async () => {
  // This server closes connections that wait when others queue, and a call that is sent into such a moment fails.
  const retryPolicy = { maxRetries: 3, backoffMs: 50 };
  const document = { ...reportAt(llama.url, { params: { max_tokens: 8 } }), retryPolicy };
  const workflow = Workflow.fromDocument(document);
  const results = await Promise.all(Array.from({ length: 8 }, (_, index) => workflow.run({ ...allowed(document), state: { topic: `topic ${index}` } })));
  for (const [index, { status, state, usage, errors }] of results.entries()) {
    assert.equal(status, "done", errors[0]?.message);
    assert.equal(state.topic, `topic ${index}`);
    assert.ok(usage.outputTokens > 0);
  }
});

for (const [how, stop] of [
  ["run.cancel()", ({ run }) => run.cancel("enough")],
  ["the signal", ({ controller }) => controller.abort(new Error("enough"))],
]) {
  test(`${how} in mid-answer frees the server at once`, async () => {
    const controller = new AbortController();
    const document = reportAt(llama.url, { params: ENDLESS_ANSWERS });
    const run = Workflow.fromDocument(document).start({ ...allowed(document), signal: controller.signal });
    let pieces = 0;
    for await (const { type } of run.events) {
      if (type === "step.delta" && (pieces += 1) === 20) {
        assert.equal(await llama.busySlots(), 1);
        stop({ run, controller });
      }
    }
    const { status, stepResults } = await run.result;
    assert.equal(status, "cancelled");
    assert.ok(stepResults[0].text.length > 20, "what had arrived is kept");
    await until("the slot is free", async () => (await llama.busySlots()) === 0, 2000);
  });
}

test("leaving the loop frees the server, also in a parallel", async () => {
  const document = reportAt(llama.url);
  document.models.endless = { ...document.models.default, params: ENDLESS_ANSWERS };
  document.agents.analyst.model = "endless";
  for await (const { type, step } of Workflow.fromDocument(document).stream(allowed(document))) {
    if (type === "step.delta" && step.path.includes("parallel") && (await llama.busySlots()) === 2) break;
  }
  await until("both slots are free", async () => (await llama.busySlots()) === 0, 2000);
});

test("the key opens a guarded server, and only the right one does", async () => {
  const named = ask(guarded.url, { apiKey: { secret: SECRET }, params: { max_tokens: 8 } });
  const secrets = (value) => ({ secrets: { [SECRET]: { value, origins: [guarded.url] } } });
  const { status, state } = await Workflow.fromDocument(named).run(secrets(KEY));
  assert.equal(status, "done");
  assert.ok(state.ask_output.length > 0);

  const wrong = await failureOf(named, secrets("sk-wrong"));
  assert.equal(wrong.code, "auth");
  assert.match(wrong.message, /401/);
  assert.doesNotMatch(JSON.stringify(wrong), /sk-wrong/);
  assert.equal((await failureOf(ask(guarded.url))).code, "auth");
});

test("an address where the server has nothing", async () => {
  const error = await failureOf(ask(llama.url.replace("/v1", "/v7")));
  assert.equal(error.code, "model");
  assert.match(error.message, /404/);
});

test("a question that is longer than the model can read", async () => {
  const error = await failureOf(ask(llama.url), { state: { question: "Why? ".repeat(5000) } });
  assert.equal(error.code, "limit");
  assert.match(error.message, /context/);
});

test("a server that is not there, and one that dies in mid-answer", async () => {
  const mortal = await startLlama();
  const document = ask(mortal.url, { params: ENDLESS_ANSWERS });
  const run = Workflow.fromDocument(document).start(allowed(document));
  let pieces = 0;
  for await (const { type } of run.events) {
    if (type === "step.delta" && (pieces += 1) === 20) mortal.kill();
  }
  const { status, errors, stepResults } = await run.result;
  assert.equal(status, "error");
  assert.equal(errors[0].code, "network");
  assert.ok(errors[0].retryable);
  assert.ok(stepResults[0].text.length > 20, "what had arrived is kept");

  await mortal.stop();
  const down = await failureOf(ask(mortal.url));
  assert.equal(down.code, "network");
  assert.match(down.message, /could not be reached/);
});
