// Agents with steps in steps of workflows.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Agent, agentStep, StepweaveError, tool, Workflow } from "stepweave";
import { act, ReasoningAgent, run, think } from "stepweave/reasoning";
import { scriptedModel } from "stepweave/testing";
import { choice, endpoint, isChoice, model } from "./chain-support.js";
import { eventsOf } from "./support.js";

/** An endpoint that answers with its prompt, in brackets. */
const echo = () => endpoint((prompt) => `<${prompt}>`);
const local = (name, func, options = {}) => act(name, { sendToLlm: false, ...options }, func);
const analyst = (definition = {}) =>
  new ReasoningAgent({ name: "analyst", model: model(), steps: [think("analyse", (topic) => `Analyse ${topic}`), local("sum", (analysis, topic) => ({ topic, analysis }))], ...definition });
const workflowOf = (step, definition = {}) => new Workflow({ name: "w", initialState: { topic: "bees" }, steps: [{ name: "research", ...step }], ...definition });

test("the steps of an agent run as a nested workflow, whose value is the step's output", async () => {
  const fetch = echo();
  const workflow = workflowOf({ agent: analyst(), inputFrom: "the {{ topic }}" });
  const { status, state, usage, stepResults } = await workflow.run({ fetch });
  assert.deepEqual([status, state], ["done", { topic: "bees", research_output: { topic: "the bees", analysis: "<Analyse the bees>" } }]);
  assert.deepEqual(usage, { inputTokens: 3, outputTokens: 2 });
  assert.deepEqual(stepResults.map(({ id, status }) => `${id} ${status}`), ["research", "research.input", "research.steps", "research.steps.analyse", "research.steps.sum", "research.value"].map((id) => `${id} done`));
  assert.deepEqual(workflow.steps.filter(({ isLlm }) => isLlm).map(({ id }) => id).includes("research.steps.analyse"), true);
});

test("its input is a template, a function's JSON, or else the whole state as JSON; the agent may stand in `agents` and in agentStep", async () => {
  const seen = async (step, definition) => (await workflowOf(step, definition).run({ fetch: echo() })).state.research_output;
  const own = new ReasoningAgent({ name: "own", model: model(), steps: [local("give", (input) => ({ input }))] });
  assert.deepEqual(await seen({ agent: own }), { input: '{"topic":"bees"}' });
  assert.deepEqual(await seen({ agent: own, inputFrom: async (state) => ({ deep: [state.topic] }) }), { input: { deep: ["bees"] } });
  assert.deepEqual(await seen({ agent: "o", inputFrom: "x" }, { agents: { o: own, plain: new Agent({ name: "plain", model: model() }) } }), { input: "x" });
  const { state } = await new Workflow({ name: "w", steps: [agentStep({ name: "a", agent: own, inputFrom: "y" })] }).run();
  assert.deepEqual(state, { a_output: { input: "y" } });
});

test("what its steps keep is of one execution: items at the same time, and two agents, have their own", async () => {
  const keeping = new ReasoningAgent({
    name: "keeping",
    model: model(),
    steps: [
      local("keep", async (input, context) => { context.state.set("kept", input); await Promise.resolve(); return input; }, { inputs: 1 }),
      local("tell", (_, context) => [context.state.all(), context.originalInput, context.iteration, context.history.length], { inputs: 1 }),
    ],
  });
  const each = { name: "each", items: () => [1, 2], concurrency: 2, steps: [{ name: "ask", agent: keeping, inputFrom: (state) => `item ${state.item}` }] };
  const workflow = new Workflow({ name: "w", steps: [{ name: "both", parallel: [{ name: "one", agent: keeping, inputFrom: "1" }, { name: "two", agent: keeping, inputFrom: "2" }] }, each] });
  const { state, status, error } = await workflow.run();
  assert.equal(status, "done", error?.message);
  assert.deepEqual([state.one_output, state.two_output], [[{ kept: "1" }, "1", 1, 0], [{ kept: "2" }, "2", 1, 0]]);
  assert.deepEqual(state.each_output.map(({ ask_output }) => ask_output), [[{ kept: "item 1" }, "item 1", 1, 0], [{ kept: "item 2" }, "item 2", 1, 0]]);
});

test("a journal answers its steps: nothing is requested twice, and a failed step is tried again", async () => {
  const fetch = echo();
  let fails = true;
  const calls = [];
  const steps = [think("analyse", (topic) => (calls.push("analyse"), `Analyse ${topic}`)), local("check", (analysis) => { calls.push("check"); if (fails) throw new Error("not yet"); return analysis; })];
  const workflow = workflowOf({ agent: analyst({ steps }), inputFrom: "{{ topic }}" });
  const first = await workflow.run({ fetch, journal: true });
  assert.deepEqual([first.status, first.error.step.id, fetch.bodies.length], ["error", "research.steps.check", 1]);
  fails = false;
  const second = await workflow.run({ fetch, journal: first.journal });
  assert.deepEqual([second.status, second.state.research_output, fetch.bodies.length, calls], ["done", "<Analyse bees>", 1, ["analyse", "check", "check"]]);
  const events = await eventsOf(workflow.start({ journal: second.journal, replay: "strict", fetch: () => assert.fail("nothing is sent") }));
  assert.ok(events.some(({ type, step, replayed }) => type === "step.done" && step.id === "research.steps.analyse" && replayed));
  assert.deepEqual(events.at(-1).result.state, second.state);
});

test("a tool that needs a person suspends the run, and goes on with the answer", async () => {
  const paid = [];
  const pay = tool({ name: "pay", needsApproval: true, execute: ({ eur }) => { paid.push(eur); return `${eur} paid`; } });
  const fetch = endpoint((prompt) => (isChoice(prompt) ? choice(["pay", { eur: 5 }]) : `<${prompt}>`));
  const workflow = workflowOf({ agent: analyst({ tools: [pay], steps: [think("ask", (input) => input)] }), inputFrom: "{{ topic }}" });
  const suspended = await workflow.run({ fetch, journal: true });
  assert.deepEqual([suspended.status, suspended.pending.map(({ tool }) => tool.name), paid], ["suspended", ["pay"], []]);
  const done = await workflow.run({ fetch, journal: suspended.journal, answers: { [suspended.pending[0].key]: true } });
  assert.deepEqual([done.status, paid], ["done", [5]]);
  assert.match(done.state.research_output, /Result: 5 paid/);
});

test("cancelling the run ends its steps; a step that is not required lets the workflow go on", async () => {
  let signal;
  const slow = analyst({ steps: [local("slow", (_, context) => { signal = context.signal; return new Promise(() => {}); }, { inputs: 1 })] });
  const run = workflowOf({ agent: slow }).start();
  for await (const { type, step } of run.events) if (type === "step.start" && step.id === "research.steps.slow") break;
  run.cancel("enough");
  assert.deepEqual([(await run.result).status, signal.aborted], ["cancelled", true]);
  const broken = analyst({ steps: [local("bad", () => { throw new Error("no"); })] });
  const { status, state, errors } = await workflowOf({ agent: broken, required: false }).run();
  assert.deepEqual([status, state, errors[0].message], ["done", { topic: "bees" }, "no"]);
});

test("attempts are those of the step or the agent: the model is called again with the same prompt, and no function is", async () => {
  for (const [step, definition] of [[{ retryCount: 2 }, {}], [{}, { retryPolicy: { maxRetries: 2 } }]]) {
    let calls = 0;
    const fetch = endpoint(503, 503, "fine");
    const agent = analyst({ ...definition, steps: [think("analyse", (topic) => { calls += 1; return `Analyse ${topic}`; })] });
    const { status, state } = await workflowOf({ agent, inputFrom: "x", ...step }, { retryPolicy: { maxRetries: 0, backoffMs: 0 } }).run({ fetch });
    assert.deepEqual([status, state.research_output, calls, fetch.prompts()], ["done", "fine", 1, ["Analyse x", "Analyse x", "Analyse x"]]);
  }
});

test("the document has its steps, and runs with its functions", async () => {
  const workflow = workflowOf({ agent: analyst(), inputFrom: "{{ topic }}" });
  const document = workflow.toDocument();
  const same = Workflow.fromDocument(document, { handlers: workflow.handlers });
  assert.deepEqual((await same.run({ fetch: echo() })).state, (await workflow.run({ fetch: echo() })).state);
});

test("an agent of the other copy of the package works too", async () => {
  const { ReasoningAgent: Other, act: otherAct } = createRequire(import.meta.url)("stepweave/reasoning");
  const agent = new Other({ name: "other", model: scriptedModel([]), steps: [otherAct("give", { sendToLlm: false }, (input) => `${input}!`)] });
  assert.equal((await workflowOf({ agent, inputFrom: "x" }).run()).state.research_output, "x!");
});

test("what a nested run cannot do is refused, and says what to do", () => {
  const refused = (step, message) => assert.throws(() => workflowOf(step), (error) => error instanceof StepweaveError && error.code === "document" && error.hint !== undefined && message.test(error.message));
  refused({ agent: analyst({ run: run(() => 1) }) }, /^the agent `analyst` of the step `research` has a custom run/);
  refused({ agent: analyst({ steps: [] }) }, /has no steps$/);
  refused({ agent: analyst({ limits: { maxTokens: 5 } }) }, /has `limits.maxTokens`/);
  for (const [key, value] of [["files", "photos"], ["history", { messages: "messages" }], ["fullResponse", true], ["output", { type: "string" }]]) refused({ agent: analyst(), [key]: value }, new RegExp(`takes no \`${key}\``));
  assert.throws(() => Workflow.fromDocument({ version: 1, name: "w", agents: { a: {} }, steps: [] }, { agents: { a: analyst() } }), { code: "validation", message: "agents.a is no Agent" });
});
