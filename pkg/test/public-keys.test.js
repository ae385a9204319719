// What users hold has exactly the keys that are documented, of its own and by its class: what the package does with it is not theirs to call.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Agent, customModel, demo, openai, StepweaveError, tool, Workflow } from "stepweave";
import { act, ModelConfig, ReasoningAgent, run, think } from "stepweave/reasoning";
import { scriptedModel } from "stepweave/testing";
import { connect, serve } from "stepweave/worker";

/** Every name that an object answers to; marks by which the package knows what it made are symbols and none of these. */
function keysOf(object) {
  const keys = new Set();
  for (let holder = object; holder !== null && holder !== Object.prototype && holder !== Error.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const key of Reflect.ownKeys(holder)) if (typeof key === "string" && key !== "constructor") keys.add(key);
  }
  return [...keys].sort();
}

/** The members that an interface or a class of the declarations has, which is what the docs show. */
function documented(file, name) {
  const text = readFileSync(new URL(`../dist/${file}.d.ts`, import.meta.url), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const start = text.search(new RegExp(`export (?:declare )?(?:interface|class) ${name}\\b`));
  assert.ok(start >= 0, `${file} declares ${name}`);
  const body = text.slice(text.indexOf("{\n", start) + 2, text.indexOf("\n}", start));
  return [...body.matchAll(/^ {4}(?:readonly |get )?(\w+)[?(<:]/gm)].map(([, key]) => key).filter((key) => key !== "constructor").sort();
}

const steps = [{ name: "a", run: () => ({ a: 1 }) }];

test("a run has what Run documents", async () => {
  const run = new Workflow({ name: "w", steps }).start();
  assert.deepEqual(keysOf(run), ["cancel", "events", "id", "result"]);
  assert.deepEqual(keysOf(run), documented("api/run", "Run"));
  await run.result;
  assert.deepEqual(keysOf(run), documented("api/run", "Run"), "also when it has ended");
  assert.deepEqual(Object.keys(run), ["id"]);
});

test("a stream of events is an async iterator and nothing else", async () => {
  const stream = new Workflow({ name: "w", steps }).stream();
  assert.deepEqual(keysOf(stream), ["next", "return"]);
  assert.equal(stream[Symbol.asyncIterator](), stream);
  for await (const event of stream) if (event.type === "run.done") break;
});

test("a workflow has what Workflow documents, whatever it was made of", () => {
  const workflow = new Workflow({ name: "w", steps });
  const copy = Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
  for (const one of [workflow, copy]) {
    assert.deepEqual(keysOf(one), documented("api/workflow", "Workflow"));
    assert.ok(one instanceof Workflow);
    assert.deepEqual(Object.keys(one), []);
  }
});

test("a workflow is made of a definition, and nothing that a workflow has makes one of something else", async () => {
  const workflow = new Workflow({ name: "w", steps });
  for (const definition of [workflow, new Proxy({}, {}), undefined, "w"]) {
    const made = (async () => new Workflow(definition).run())();
    await assert.rejects(made, (error) => error instanceof StepweaveError || error instanceof TypeError);
  }
});

test("an agent has what Agent documents, and its runs what AgentRun does", async () => {
  const agent = new Agent({ name: "a", model: demo(), instructions: "Be brief.", params: { temperature: 0 }, toolChoice: "auto", output: true, maxTurns: 3, limits: { maxTokens: 1000 } });
  assert.deepEqual(keysOf(agent), documented("api/agent", "Agent"));
  const run = agent.start("hello");
  assert.deepEqual(keysOf(run), documented("api/agent", "TextRun"));
  await run.result;
  assert.deepEqual(keysOf(agent.stream("hello")), ["next", "return"]);
});

test("an agent with steps has what ReasoningAgent documents, and its runs what ReasoningRun does", async () => {
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [think("plan", (input) => `Plan: ${input}`)] });
  assert.deepEqual(keysOf(agent), documented("reasoning/agent", "ReasoningAgent"));
  const run = agent.start("hello");
  assert.deepEqual(keysOf(run), documented("api/agent", "TextRun"));
  await run.result;
  assert.deepEqual(keysOf(agent.stream("hello")), ["next", "return"]);
});

test("what a function is given has what RunContext documents; what a tool is given, the call too", async () => {
  const seen = {};
  const note = (key) => (_, context) => void (seen[key] = keysOf(context));
  await new Workflow({ name: "w", steps: [{ name: "a", run: note("step") }, { name: "b", run: async (state, context) => note("later")(state, context) }] }).run();
  const look = tool({ name: "look", execute: (args, context) => (note("tool")(args, context), "seen") });
  const model = scriptedModel([{ type: "toolCall", name: "look", input: {} }, "done"]);
  const agent = new Agent({ name: "a", model, tools: [look] });
  await new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "x" }] }).run();
  const own = customModel("own", (request, context) => (note("model")(request, context), "hello"));
  await new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model: own }), inputFrom: "x" }] }).run();
  const expected = documented("api/functions", "RunContext");
  for (const key of ["step", "later", "model"]) assert.deepEqual(seen[key], expected, key);
  assert.deepEqual(seen.tool, [...expected, "callId", "tool"].sort());
});

test("what the steps of an agent are given, and what its runs leave, has what is documented", async () => {
  const seen = {};
  const note = (key) => (input, context) => ((seen[key] = keysOf(context)), String(input));
  const expected = { step: documented("reasoning/running/step-context", "StepContext"), context: documented("reasoning/running/context", "AgentContext"), record: documented("reasoning/definition/record", "StepRecord") };
  const inSequence = new ReasoningAgent({ name: "a", model: demo(), steps: [think("plan", { inputs: 1 }, note("think")), act("count", { sendToLlm: false, inputs: 1 }, note("act"))] });
  const custom = run(async (input, agent, context) => {
    seen.agent = keysOf(agent);
    note("run")(input, context);
    return agent.steps.count(input);
  });
  const ownRun = new ReasoningAgent({ name: "a", model: demo(), steps: [act("count", { sendToLlm: false, inputs: 1 }, note("called"))], run: custom });
  for (const agent of [inSequence, ownRun]) {
    const { status, context, records } = await agent.run("hello");
    assert.equal(status, "done");
    assert.deepEqual(keysOf(context), expected.context);
    assert.deepEqual(keysOf(context.state), documented("reasoning/running/context", "ContextState"));
    for (const record of Object.values(records)) assert.deepEqual(keysOf(record), expected.record);
    assert.deepEqual(keysOf(agent.context), expected.context);
  }
  await new Workflow({ name: "w", steps: [{ name: "ask", agent: new ReasoningAgent({ name: "a", model: demo(), steps: [think("plan", { inputs: 1 }, note("nested"))] }), inputFrom: "x" }] }).run();
  for (const key of ["think", "act", "run", "called", "nested"]) assert.deepEqual(seen[key], expected.step, key);
  assert.deepEqual(seen.agent, documented("reasoning/definition/custom", "RunningAgent"));
  assert.deepEqual(keysOf(custom), documented("reasoning/definition/custom", "CustomRun"));
  assert.deepEqual(keysOf(new ModelConfig({ name: "m" })), documented("reasoning/definition/model", "ModelConfig"));
});

test("steps whose tools were chosen, and steps that are methods, have what StepRecord documents", async () => {
  const look = tool({ name: "look", description: "looks", execute: () => "seen" });
  const choice = { tool_calls: [{ tool_name: "look", arguments: {}, confidence: 1, reasoning: "it looks" }] };
  const model = scriptedModel([JSON.stringify(choice), "done"]);
  const chosen = await new ReasoningAgent({ name: "a", model, tools: [look], steps: [think("plan", { inputs: 1 }, (input) => input)] }).run("hello");
  // What the compiler makes of `@think() plan(input) { … }`.
  const initializers = [];
  class Planner extends ReasoningAgent {
    constructor(definition) {
      super(definition);
      for (const initializer of initializers) initializer.call(this);
    }
    plan(input) {
      return `Plan: ${input}`;
    }
  }
  think()(Planner.prototype.plan, { kind: "method", name: "plan", static: false, private: false, addInitializer: (initializer) => initializers.push(initializer) });
  const decorated = await new Planner({ name: "a", model: demo() }).run("hello");
  const expected = documented("reasoning/definition/record", "StepRecord");
  assert.notEqual(chosen.records.plan.toolDecisions, undefined);
  for (const { records } of [chosen, decorated]) assert.deepEqual(keysOf(records.plan), expected);
});

test("a run in a worker and its connection have what is documented", async () => {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2 });
  const connection = connect(port1);
  assert.deepEqual(keysOf(connection), documented("worker/connect", "Connection"));
  const document = { version: 1, name: "w", steps: [{ id: "a", type: "function", name: "a", run: { set: { a: "1" } } }] };
  const run = connection.start(document);
  assert.deepEqual(keysOf(run), documented("api/run", "Run"));
  assert.equal((await run.result).status, "done");
  const refused = connection.start(document, { steps: 1 });
  assert.deepEqual(keysOf(refused), documented("api/run", "Run"));
  await assert.rejects(refused.result, { code: "validation" });
  connection.close();
  assert.deepEqual(keysOf(connection.start(document)), documented("api/run", "Run"));
  stop();
  port1.close();
});

test("models and tools are data", () => {
  assert.deepEqual(keysOf(demo()), ["model", "provider"]);
  assert.deepEqual(keysOf(openai("gpt-5-mini", { apiKey: "sk-00000000", params: { temperature: 0 } })), ["model", "params", "provider"]);
  assert.deepEqual(keysOf(scriptedModel(["hello"])), ["done", "model", "provider", "requests"]);
  assert.deepEqual(keysOf(tool({ name: "look", execute: () => 1 })), documented("api/tool", "Tool"));
});

test("an error has what is documented", () => {
  const error = new StepweaveError("handler", "it failed", { hint: "do this", cause: 1 });
  assert.deepEqual(keysOf(error), ["cause", "code", "hint", "message", "name", "problems", "retryAfterMs", "retryable", "stack", "step", "toJSON"]);
});
