import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, demo, openai, StepweaveError, tool } from "stepweave";
import { act, createAgent, ModelConfig, observe, ReasoningAgent, think, toolSelection } from "stepweave/reasoning";
import { z } from "zod";
import { choice, choosing, endpoint, isChoice, model, refusals } from "./chain-support.js";
import { eventsOf } from "./support.js";

const sum = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const add = tool({ name: "add", description: "Adds two numbers.", input: sum, execute: ({ a, b }) => a + b });
const ask = (options = {}) => think("ask", options, (input) => `Think: ${input}`);
const agentOf = (definition = {}) => new ReasoningAgent({ name: "a", model: model(), tools: [add], steps: [ask()], ...definition });

/** A run of an agent with tools: what came of it, what was sent, and what was warned of. */
async function chosen(chosen, definition, options) {
  const fetch = choosing(chosen);
  const events = await eventsOf(agentOf(definition).start("x", { fetch, ...options }));
  const { result } = events.at(-1);
  const warnings = events.filter(({ type }) => type === "run.warning").map(({ code, message, step }) => `${code} ${step?.id}: ${message}`);
  const [decisions] = result.stepResults.map(({ toolDecisions }) => toolDecisions);
  return { ...result, fetch, events, warnings, decisions };
}

test("1.12/134 a selection has these defaults and bounds, is frozen, and takes names with underscores too", () => {
  assert.deepEqual(toolSelection(), { confidenceThreshold: 0.7, maxToolsPerStep: 3 });
  assert.deepEqual(toolSelection({ confidence_threshold: 0, max_tools_per_step: 1, prompt_template: "{task}" }), { confidenceThreshold: 0, maxToolsPerStep: 1, promptTemplate: "{task}" });
  assert.ok(Object.isFrozen(toolSelection()));
  for (const confidenceThreshold of [-0.1, 1.1]) assert.deepEqual(refusals(() => toolSelection({ confidenceThreshold })), ["out_of_range"]);
  assert.deepEqual(refusals(() => toolSelection({ maxToolsPerStep: 0 })), ["out_of_range"]);
  assert.deepEqual(refusals(() => toolSelection({ maxToolsPerStep: 1.5, confidenceThreshold: "sure", promptTemplate: 5 })), ["wrong_type", "wrong_type", "wrong_type"]);
  assert.deepEqual(refusals(() => toolSelection({ treshold: 1 })), ["unknown_option"]);
  for (const promptTemplate of ["{taks}", "{", "a } b", "{}"]) assert.deepEqual(refusals(() => toolSelection({ promptTemplate })), ["unknown_placeholder"]);
  for (const make of [ask, (options) => agentOf({ steps: [], ...options })]) {
    assert.deepEqual(refusals(() => make({ toolConfidence: 2 })), ["out_of_range"]);
    for (const [given, path] of [[{ toolConfidence: 2 }, /(?:^|\.)toolConfidence$/], [{ toolSelection: { confidenceThreshold: 2 } }, /toolSelection\.confidenceThreshold$/]]) {
      assert.throws(() => make(given), ({ problems: [problem] }) => path.test(problem.path), "the option as it was written");
    }
    assert.deepEqual(refusals(() => make({ toolSelection: { maxToolsPerStep: 0 } })), ["out_of_range"]);
  }
});

test("1.12/134 1.13/159 an agent says how tools are chosen for its steps, unless a step does; all of it or in short", async () => {
  const sure = (confidence) => [{ tool_name: "add", arguments: { a: 1, b: 2 }, confidence, reasoning: "r" }];
  assert.equal((await chosen(sure(0.5), { toolConfidence: 0.5 })).decisions.length, 1);
  assert.equal((await chosen(sure(0.5), { toolConfidence: 0.6 })).decisions.length, 0);
  assert.equal((await chosen(sure(0.5), { toolSelection: { confidenceThreshold: 0.9 }, steps: [ask({ toolConfidence: 0.1 })] })).decisions.length, 1);
  for (const short of [{ toolConfidence: 0.5 }, { toolModel: "m" }, { maxToolsPerStep: 2 }]) {
    assert.deepEqual(refusals(() => agentOf({ toolSelection: {}, ...short })), ["tool_selection_twice"]);
    assert.throws(() => new Agent({ name: "a", model: demo(), ...short }), { message: /^the agent a has `\w+`, which only agents with steps have$/, hint: /stepweave\/reasoning/ });
  }
});

test("1.12/135 tools are chosen only for a step that calls a model, may use tools, and has one in its scope", async () => {
  const requests = async (definition) => (await chosen([], definition)).fetch.bodies.length;
  assert.equal(await requests({}), 2);
  assert.equal(await requests({ tools: [] }), 1);
  assert.equal(await requests({ steps: [ask({ useTools: false })] }), 1);
  assert.equal(await requests({ steps: [act("s", { sendToLlm: false }, (input) => input)] }), 0);
  assert.equal(await requests({ tools: [{ tool: add, scopes: ["act"] }] }), 1);
  assert.equal(await requests({ tools: [{ tool: add, scopes: ["act", "think"] }] }), 2);
});

test("1.12/136 the model that chooses is the step's, else the agent's, else the one that answers; it takes no chances, and its extras are kept", async () => {
  const own = model("own", { temperature: 0.9, seed: 7 });
  const first = async (definition) => {
    const { fetch } = await chosen([], definition);
    assert.equal(fetch.bodies.length, 2);
    const { model, temperature, seed, url, response_format: { json_schema: { schema: format } }, max_tokens: most } = fetch.bodies[0];
    return { model, temperature, seed, url, format, most };
  };
  const url = "http://llm.example/v1/chat/completions";
  const call = { tool_name: { type: "string", enum: ["add"] }, arguments: sum, confidence: { type: "number" }, reasoning: { type: "string" } };
  const calls = { type: "array", items: { type: "object", properties: call, required: Object.keys(call) } };
  const format = { type: "object", properties: { tool_calls: calls }, required: ["tool_calls"] };
  assert.deepEqual(await first({ model: own }), { model: "own", temperature: 0, seed: 7, url, format, most: undefined });
  assert.deepEqual(await first({ model: own, steps: [ask({ model: "other" })] }), { model: "own", temperature: 0, seed: 7, url, format, most: undefined });
  assert.deepEqual(await first({ model: own, toolModel: "agents" }), { model: "agents", temperature: 0, seed: 7, url, format, most: undefined });
  assert.deepEqual(await first({ model: own, toolModel: "agents", steps: [ask({ toolModel: new ModelConfig({ name: "steps", temperature: 1, max_tokens: 9 }) })] }), { model: "steps", temperature: 0, seed: 7, url, format, most: 9 });
  const whole = openai("whole", { baseUrl: "http://elsewhere.example/v1", params: { seed: 8 } });
  assert.deepEqual(await first({ model: own, toolModel: whole }), { model: "whole", temperature: 0, seed: 8, url: "http://elsewhere.example/v1/chat/completions", format, most: undefined });
});

test("1.12/136 the endpoint is sent what any of the tools takes, unless a schema cannot stand inside of another", async () => {
  const argumentsOf = async (...tools) => (await chosen([], { tools })).fetch.bodies[0].response_format.json_schema.schema.properties.tool_calls.items.properties.arguments;
  const refers = tool({ name: "refers", input: { type: "object", properties: { a: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } }, execute: () => 1 });
  const city = tool({ name: "city", input: z.object({ name: z.string() }), execute: () => 1 });
  assert.deepEqual(await argumentsOf(add), sum);
  const { anyOf } = await argumentsOf(add, city);
  assert.deepEqual([anyOf.length, anyOf[0], anyOf[1].properties], [2, sum, { name: { type: "string" } }]);
  assert.deepEqual(await argumentsOf(add, refers), { type: "object" });
  assert.deepEqual(await argumentsOf(add, tool(function free() {})), { type: "object" });
});

test("1.12/136 what the choosing model says is not emitted piece by piece, also when the step streams", async () => {
  const { events } = await chosen([["add", { a: 1, b: 2 }]], { steps: [ask({ stream: true })] });
  const pieces = events.filter(({ type }) => type === "step.delta").map(({ step, text }) => `${step.id} ${text}`);
  assert.equal(pieces.length, 1);
  assert.match(pieces[0], /^ask <Think: x/);
});

test("1.12/137 the prompt has the task, what the steps keep line by line, the tools and the demanded shape", async () => {
  const { fetch } = await chosen([], { instructions: "Be brief." }, { state: { city: "Oslo", sizes: [1, 2] } });
  const { prompt, system } = fetch.bodies[0];
  assert.ok(!String(system).includes("Be brief."));
  for (const part of ["Task:\nThink: x\n", "- city: Oslo\n- sizes: [1,2]\n", "- add\n  Signature: add(a: number, b: number) -> any\n  Description: Adds two numbers.\n"]) assert.ok(prompt.includes(part), part);
  assert.match((await chosen([])).fetch.bodies[0].prompt, /\nNothing else is known\.\n/);
});

test("1.12/138 the demanded answer is an object of calls, each with a name, arguments, a confidence and a reasoning", async () => {
  const { prompt } = (await chosen([], { maxToolsPerStep: 2 })).fetch.bodies[0];
  const shape = JSON.parse(/^\{"tool_calls".*$/m.exec(prompt)[0]);
  assert.deepEqual(shape.tool_calls.map((call) => Object.keys(call)), [["tool_name", "arguments", "confidence", "reasoning"]]);
  assert.match(prompt, /At most 2 calls are made/);
});

test("1.12/139 a prompt template is used, with its places filled; a task or tools that it leaves out are added, and the shape", async () => {
  const first = async (promptTemplate) => (await chosen([], { toolSelection: { promptTemplate } }, { state: { $: "$&" } })).fetch.bodies[0].prompt;
  const whole = await first("Custom {{x}}: {task} | {context} | {tool_descriptions} |");
  assert.ok(whole.startsWith("Custom {x}: Think: x | What is known:\n- $: $& | - add\n  Signature:"), whole);
  assert.ok(isChoice(whole));
  assert.equal(whole.match(/- add/g).length, 1);
  const short = await first("Custom tool selection prompt: {task}");
  assert.ok(short.startsWith("Custom tool selection prompt: Think: x\n\nTools:\n- add\n"), short);
  assert.ok(!short.includes("What is known"));
  assert.ok((await first("Choose!")).startsWith("Choose!\n\nTask:\nThink: x\n\nTools:\n- add\n"));
});

test("1.12/140 the answer is read as JSON, else what stands between its braces, else no tool is used", async () => {
  const plain = choice(["add", { a: 1, b: 2 }]);
  for (const answer of [plain, `\n ${plain}\n`, `Sure:\n\`\`\`json\n${plain}\n\`\`\`\nDone.`]) assert.equal((await chosen(answer)).decisions.length, 1, answer);
  for (const answer of ["I would add.", "{tool_calls", "}{", "[1]", "5", '"text"', "null"]) {
    const { fetch, status, decisions, warnings, value } = await chosen(answer);
    // One call for the choice, which is not requested again, and one for the answer.
    assert.deepEqual([status, decisions, value, fetch.bodies.length], ["done", [], "<Think: x>", 2], answer);
    assert.match(warnings[0], /^tool_selection ask: no tools were chosen for `ask`: the answer of `ask\.select` (?:is no JSON|does not fit)/);
  }
  assert.deepEqual((await chosen('{"tool_calls": {}}')).warnings, ["tool_selection ask: the answer has no list of `tool_calls`: no tools were chosen"]);
  assert.deepEqual((await chosen("{}")).warnings, []);
});

test("1.12/141 when choosing fails, the step goes on without tools, and that is emitted", async () => {
  for (const [status, what] of [[500, /500/], [401, /401/]]) {
    const { fetch, value, errors, warnings, decisions, stepResults, ...result } = await chosen(status);
    assert.deepEqual([result.status, value, errors, decisions, stepResults.length], ["done", "<Think: x>", [], [], 1]);
    assert.match(warnings[0], /^tool_selection ask: no tools were chosen for `ask`: /);
    assert.match(warnings[0], what);
    assert.equal(fetch.bodies.length, 2);
  }
});

test("1.12/141 the agent's retry policy repeats choosing too; the step's count is for its answer", async () => {
  const clock = { now: Date.now, sleep: (ms, signal) => new Promise((resolve) => (ms < 60_000 ? resolve() : signal.addEventListener("abort", resolve))) };
  const busy = () => {
    let calls = 0;
    return endpoint((prompt) => (isChoice(prompt) && (calls += 1) < 2 ? 503 : isChoice(prompt) ? choice(["add", { a: 1, b: 2 }]) : `<${prompt}>`));
  };
  const run = async (definition) => {
    const fetch = busy();
    const result = await agentOf(definition).run("x", { fetch, clock });
    return [fetch.bodies.length, result.stepResults[0].toolDecisions.length, result.stepResults[0].attempts];
  };
  assert.deepEqual(await run({ retryPolicy: { maxRetries: 1, backoffMs: 1 } }), [3, 1, 1]);
  assert.deepEqual(await run({ steps: [ask({ config: { retryCount: 3 } })] }), [2, 0, 1]);
  assert.deepEqual(await run({ retryPolicy: { maxRetries: 1, backoffMs: 1 }, steps: [ask({ config: { useInternalRetry: false } })] }), [2, 0, 1]);
});

test("1.12/142 a call of a tool that is not there is left out; what is not said of a call is 0, a fixed text, or nothing", async () => {
  const now = tool(function now(args) { return Object.keys(args).length; });
  const { decisions, warnings } = await chosen([{ tool_name: "subtract" }, {}, { tool_name: "now" }, "now"], { tools: [add, now], toolConfidence: 0 });
  assert.deepEqual(decisions, [{ toolName: "now", arguments: {}, confidence: 0, reasoning: "no reasoning given", error: null, result: 0 }]);
  assert.deepEqual(warnings.map((text) => text.slice("tool_selection ask: ".length)), ['there is no tool "subtract" for this step', "there is no tool without a name for this step", "a call that is no object was left out"]);
});

test("1.12/142 a tool of another scope is not there for the step", async () => {
  const { decisions } = await chosen([["other", {}]], { tools: [add, { tool: () => 1, name: "other", scopes: ["act"] }] });
  assert.deepEqual(decisions, []);
});

test("1.12/143 a call counts when the model is as sure as the threshold or surer", async () => {
  const sure = (confidence) => ({ tool_name: "add", arguments: { a: confidence, b: 0 }, confidence, reasoning: "r" });
  const { decisions, warnings } = await chosen([sure(0.69), sure(0.7), sure(1)]);
  assert.deepEqual([decisions.map(({ result }) => result), warnings], [[0.7, 1], []]);
});

test("1.12/144 1.12/145 a call needs every required argument and no unknown one; one with a default, also of null, may be left out and is filled in", async () => {
  const input = { type: "object", properties: { city: { type: "string" }, days: { type: "integer", default: 3 }, lang: { default: null } }, required: ["city"] };
  const weather = tool({ name: "weather", input, execute: (args) => args });
  const ran = async (args, one = weather) => {
    const { decisions, warnings } = await chosen([["weather", args]], { tools: [one] });
    return decisions.length === 1 ? decisions[0].result ?? decisions[0].error : warnings[0].replace(/.*left out: /, "");
  };
  assert.deepEqual(await ran({ city: "Oslo" }), { city: "Oslo", days: 3, lang: null });
  assert.equal(await ran({ days: 2 }), "it needs city");
  assert.equal(await ran({ city: "Oslo", unit: "C", x: 1 }), "it takes no unit, x");
  assert.equal(await ran(["Oslo"]), "its arguments are no object");
  assert.deepEqual(await ran({ city: "Oslo", unit: "C" }, tool({ name: "weather", input: { ...input, additionalProperties: true }, execute: (args) => args.unit })), "C");
  const zod = tool({ name: "weather", input: z.object({ city: z.string(), days: z.number().default(3) }), execute: ({ days }) => days });
  assert.equal(await ran({ city: "Oslo" }, zod), 3);
  assert.equal(await ran({ days: 2 }, zod), "it needs city");
});

test("1.12/144 the types of arguments are looked at when the tool is called: what does not fit is the call's error", async () => {
  let calls = 0;
  const counting = tool({ name: "add", input: sum, execute: () => (calls += 1) });
  const { decisions, status } = await chosen([["add", { a: "one", b: 2 }]], { tools: [counting] });
  assert.deepEqual([status, calls, decisions[0].result], ["done", 0, null]);
  assert.equal(decisions[0].error, 'the input of the tool `add` does not fit its schema: `a` must be a number, but is "one"');
  const [plain] = (await chosen([["add", { a: "1", b: 2 }]])).decisions;
  assert.deepEqual([plain.result, plain.error], [3, null]);
});

test("1.12/146 a confidence that is no number from 0 to 1 leaves its call out, and no other", async () => {
  const call = (confidence) => ({ tool_name: "add", arguments: { a: 1, b: 2 }, confidence, reasoning: "r" });
  const { status, decisions, warnings } = await chosen([call("0.9"), call(1.1), call(-1), call(null), call(0.9)]);
  assert.deepEqual([status, decisions.length, warnings.length], ["done", 1, 4]);
  assert.equal(warnings[0], 'tool_selection ask: the call of `add` was left out: its confidence "0.9" is no number from 0 to 1');
});

test("1.12/147 of the calls that count, as many as the step may use are made, in the order of the answer", async () => {
  const ran = [];
  const named = (name) => tool({ name, execute: () => ran.push(name) });
  const sure = (tool_name, confidence) => ({ tool_name, arguments: {}, confidence, reasoning: "r" });
  const calls = [sure("c", 0.1), sure("b", 0.8), sure("a", 0.99), sure("d", 0.9)];
  const { decisions, warnings } = await chosen(calls, { tools: ["a", "b", "c", "d"].map(named), maxToolsPerStep: 2 });
  assert.deepEqual([decisions.map(({ toolName }) => toolName), ran], [["b", "a"], ["b", "a"]]);
  assert.deepEqual(warnings, ["tool_selection ask: more than 2 tools were chosen; left out: d"]);
});

test("what a chosen tool logs is no warning of the choice", async () => {
  const talks = tool({ name: "talks", execute: (_, { log }) => log("I am at it") });
  const { warnings } = await chosen([["talks", {}], ["nobody", {}]], { tools: [talks] });
  assert.deepEqual(warnings, ['tool_selection ask: there is no tool "nobody" for this step', "log ask: I am at it"]);
});

test("1.12/148 tools run one after the other; one that fails stops neither the others nor the step", async () => {
  const order = [];
  const slow = (name) => tool({ name, execute: async () => { order.push(`${name} begins`); await new Promise((resolve) => setTimeout(resolve, 5)); order.push(`${name} ends`); if (name === "two") throw new Error("two is broken"); return name; } });
  const { status, decisions } = await chosen([["one", {}], ["two", {}], ["three", {}]], { tools: ["one", "two", "three"].map(slow) });
  assert.deepEqual(order, ["one begins", "one ends", "two begins", "two ends", "three begins", "three ends"]);
  assert.deepEqual([status, decisions.map(({ error, result }) => [error, result])], ["done", [[null, "one"], ["two is broken", null], [null, "three"]]]);
});

test("1.12/149 a decision has the tool, the arguments, the confidence, the reasoning, and an error or a result", async () => {
  const { decisions } = await chosen([["add", { a: 1, b: 2 }]]);
  assert.deepEqual(decisions, [{ toolName: "add", arguments: { a: 1, b: 2 }, confidence: 0.9, reasoning: "it helps", error: null, result: 3 }]);
});

test("1.12/150 what the tools gave stands below the prompt", async () => {
  const broken = tool(function broken() { throw new Error("no way"); });
  const list = tool(function list() { return [1, { a: 2 }]; });
  const { fetch } = await chosen([["add", { a: 1, b: 2 }], ["broken", {}], ["list", {}]], { tools: [add, broken, list] });
  assert.equal(fetch.bodies[1].prompt, `Think: x

Tool Execution Results:

add:
Result: 3
Confidence: 0.9
Reasoning: it helps

broken:
Error: no way
Confidence: 0.9
Reasoning: it helps

list:
Result: [1,{"a":2}]
Confidence: 0.9
Reasoning: it helps
`);
});

test("1.12/151 decisions are in the step's result, in its event, and in the state under last_tool_decisions; the record stays as it was", async () => {
  const step = ask();
  const agent = agentOf({ steps: [step, act("look", { sendToLlm: false, inputs: 0 }, (context) => context.state.get("last_tool_decisions"))] });
  const events = await eventsOf(agent.start("x", { fetch: choosing([["add", { a: 1, b: 2 }]]) }));
  const { result } = events.at(-1);
  const [decision] = result.stepResults[0].toolDecisions;
  assert.equal(decision.result, 3);
  assert.deepEqual(events.find(({ type }) => type === "step.done").toolDecisions, [decision]);
  assert.deepEqual([result.value, agent.context.state.get("last_tool_decisions")], [[decision], [decision]]);
  assert.equal(step.toolDecisions, undefined);
  // The step as the run has gone through it: the same, with its decisions.
  assert.deepEqual({ ...result.records.ask }, { ...step, toolDecisions: [decision] });
  assert.equal(String(result.records.ask), String(step));
  assert.ok(Object.isFrozen(result.records.ask));
});

test("1.12/152 where no tool was used the list of decisions is empty, whatever the step before and the run before used", async () => {
  const steps = [ask(), observe("next", (input) => `Look: ${input}`)];
  const agent = agentOf({ steps });
  const once = endpoint((prompt) => (isChoice(prompt) ? choice(...(prompt.includes("Look:") ? [] : [["add", { a: 1, b: 2 }]])) : "yes"));
  const { stepResults } = await agent.run("x", { fetch: once });
  assert.deepEqual(stepResults.map(({ toolDecisions }) => toolDecisions.length), [1, 0]);
  assert.deepEqual(agent.context.state.get("last_tool_decisions"), []);
  const second = await agent.run("x", { fetch: choosing([]) });
  assert.deepEqual(second.stepResults.map(({ toolDecisions }) => toolDecisions), [[], []]);
});

test("a step with tools is emitted and counted as one step, and leaves nothing but its result", async () => {
  const { events, stepResults, state, results, usage } = await chosen([["add", { a: 1, b: 2 }]]);
  assert.deepEqual(events.map(({ type, step }) => (step ? `${type} ${step.id} ${step.path}` : type)), ["run.start", "step.start ask steps[0]", "tool.start ask steps[0]", "tool.done ask steps[0]", "step.done ask steps[0]", "run.done"]);
  const [{ id, path, name, key, output, attempts }] = stepResults;
  assert.deepEqual([stepResults.length, id, path, name, key, attempts], [1, "ask", "steps[0]", "ask", "ask", 1]);
  assert.deepEqual([Object.keys(state), Object.keys(results), output], [["input", "ask_output"], ["ask"], results.ask]);
  assert.deepEqual([usage, stepResults[0].usage, events[4].usage], [{ inputTokens: 6, outputTokens: 4 }, { inputTokens: 6, outputTokens: 4 }, { inputTokens: 6, outputTokens: 4 }]);
});

test("a step with tools fails as a step: its error names it, is emitted once, and lets the run go on where it is not required", async () => {
  const boom = new TypeError("boom");
  const bad = (config) => think("bad", { config }, () => { throw boom; });
  const failed = await chosen([], { steps: [bad()] });
  assert.deepEqual([failed.status, failed.error.code, failed.error.cause, failed.error.step.id, failed.error.step.path, failed.error.message], ["error", "handler", boom, "bad", "steps[0]", "boom"]);
  assert.deepEqual([failed.errors.length, failed.errors[0] === failed.error, failed.stepResults[0].error === failed.error], [1, true, true]);
  assert.deepEqual(failed.events.map(({ type, step }) => (step ? `${type} ${step.id}` : type)), ["run.start", "step.start bad", "step.error bad", "run.error"]);
  const survived = await chosen([], { steps: [bad({ required: false }), act("after", { sendToLlm: false }, (input) => input)] });
  assert.deepEqual([survived.status, survived.value, survived.errors.length], ["done", "x", 1]);
  const off = await chosen([], { steps: [ask({ config: { enabled: false } })] });
  assert.deepEqual([off.status, off.value, off.fetch.bodies.length], ["done", "x", 0]);
});

test("of a step with tools only the answer is requested again: the function, the choice and the tools stay as they were", async () => {
  let [calls, sums, answers] = [0, 0, 0];
  const fetch = endpoint((prompt) => (isChoice(prompt) ? choice(["count", {}]) : (answers += 1) < 3 ? 503 : `<${prompt}>`));
  const count = tool(function count() { return (sums += 1); });
  const step = think("s", { config: { retryCount: 2 } }, (input) => { calls += 1; return input; });
  const events = await eventsOf(agentOf({ tools: [count], steps: [step] }).start("x", { fetch }));
  const { result } = events.at(-1);
  assert.deepEqual([result.status, calls, sums, answers, fetch.bodies.length, result.stepResults[0].attempts], ["done", 1, 1, 3, 4, 3]);
  assert.deepEqual(events.map(({ type, attempt, retryInMs }) => [type, attempt, retryInMs].filter((part) => part !== undefined).join(" ")),
    ["run.start", "step.start 1", "tool.start", "tool.done", "step.error 0", "step.start 2", "step.error 0", "step.start 3", "step.done", "run.done"]);
});

test("a run that is taken up again neither chooses nor runs tools a second time", async () => {
  let [sums, fails] = [0, true];
  const count = tool(function count() { return (sums += 1); });
  const agent = agentOf({ tools: [count], steps: [ask(), act("then", { sendToLlm: false, inputs: 1 }, (answer, context) => { if (fails) throw new Error("not yet"); return [answer, context.state.get("last_tool_decisions").length]; })] });
  const fetch = choosing([["count", {}]]);
  const first = await agent.run("x", { fetch, journal: true });
  assert.equal(first.status, "error");
  fails = false;
  const second = await agent.run("x", { fetch, journal: first.journal });
  assert.deepEqual([second.status, sums, fetch.bodies.length, second.value[1]], ["done", 1, 2, 1]);
  assert.deepEqual(second.stepResults[0].toolDecisions, first.stepResults[0].toolDecisions);
  assert.deepEqual(second.usage, first.usage);
});

test("a step that a custom run calls chooses its tools too", async () => {
  const agent = agentOf({ run: async (input, { steps }) => [await steps.ask(input), await steps.ask("y")] });
  const events = await eventsOf(agent.start("x", { fetch: choosing([["add", { a: 1, b: 2 }]]) }));
  const { value, stepResults, usage } = events.at(-1).result;
  assert.equal(value.length, 2);
  assert.match(value[1], /^<Think: y\n\nTool Execution Results:/);
  assert.deepEqual(stepResults.map(({ id, toolDecisions }) => [id, toolDecisions?.length]), [["ask", 1], ["ask", 1], ["run()", undefined]]);
  assert.deepEqual(usage, { inputTokens: 12, outputTokens: 8 });
});

test("the step's timeout holds for each of its parts: choosing that takes too long is choosing that failed", async () => {
  const hang = (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const fetch = endpoint((prompt, signal) => (isChoice(prompt) ? hang(prompt, signal) : `<${prompt}>`));
  const events = await eventsOf(agentOf({ steps: [ask({ config: { timeoutMs: 30 } })] }).start("x", { fetch }));
  const { status, value } = events.at(-1).result;
  assert.deepEqual([status, value], ["done", "<Think: x>"]);
  assert.equal(events.find(({ code }) => code === "tool_selection").message, "no tools were chosen for `ask`: `ask.select` took longer than 30 ms");
});

test("a replay emits the same of a step with tools, at the same times", async () => {
  const agent = agentOf({ tools: [add, tool(function broken() { throw new Error("no"); })] });
  const fetch = choosing([["add", { a: 1, b: 2 }], ["subtract", {}], ["broken", {}]]);
  // Time passes while the model is called, and nowhere else.
  let now = 1000;
  const slow = (...request) => ((now += 10), fetch(...request));
  const clockAt = (time) => ({ now: time, sleep: async () => {} });
  const first = await eventsOf(agent.start("x", { fetch: slow, journal: true, clock: clockAt(() => now) }));
  assert.deepEqual([first[0].at, first.at(-1).at], [1000, 1020]);
  const again = await eventsOf(agent.start("x", { fetch, journal: first.at(-1).result.journal, replay: "strict", clock: clockAt(() => 9_000_000) }));
  const shown = (events) => events.slice(1, -1).map(({ type, at, step, code, message, tool, output, error }) => [type, at, step?.id, code, message, tool, output, error?.message]);
  assert.deepEqual(shown(again), shown(first));
  assert.equal(fetch.bodies.length, 2);
  assert.ok(first.length > 7);
});

test("a cancelled run stops a tool that is under way", async () => {
  let signal;
  const hangs = tool({ name: "hangs", execute: (_, context) => new Promise(() => { signal = context.signal; run.cancel("enough"); }) });
  const run = agentOf({ tools: [hangs] }).start("x", { fetch: choosing([["hangs", {}]]) });
  const { status, stepResults } = await run.result;
  assert.deepEqual([status, stepResults.map(({ id, status }) => [id, status]), signal.aborted], ["cancelled", [["ask", "cancelled"]], true]);
});

test("a chosen tool that needs approval suspends the run; the answer lets it go on, refuses the call or changes it", async () => {
  const calls = [];
  const send = tool({ name: "send", needsApproval: true, input: sum, execute: (args) => { calls.push(args); return "sent"; } });
  const agent = agentOf({ tools: [send] });
  const fetch = choosing([["send", { a: 1, b: 2 }]]);
  const first = await agent.run("x", { fetch, journal: true });
  assert.deepEqual([first.status, first.stepResults.map(({ id, status }) => [id, status]), calls], ["suspended", [["ask", "suspended"]], []]);
  const [{ key, step, tool: call, message }] = first.pending;
  assert.deepEqual([first.pending.length, step.id, step.path, call, message], [1, "ask", "steps[0]", { name: "send", input: { a: 1, b: 2 }, callId: "1" }, "May `send` be called?"]);
  const answered = async (answer) => {
    const { stepResults } = await agent.run("x", { fetch, journal: first.journal, answers: { [key]: answer } });
    const [{ error, result }] = stepResults[0].toolDecisions;
    return error ?? result;
  };
  assert.equal(await answered(true), "sent");
  assert.equal(await answered({ approved: true, input: { a: 3, b: 4 } }), "sent");
  assert.equal(await answered(false), "a person did not allow the call of `send`");
  assert.deepEqual(calls, [{ a: 1, b: 2 }, { a: 3, b: 4 }]);
  const inCustomRun = agentOf({ tools: [send], run: (input, { steps }) => steps.ask(input) });
  const { status, error } = await inCustomRun.run("x", { fetch });
  assert.deepEqual([status, error.code, error.message], ["error", "validation", "the step `ask` waits for a person, which steps that a custom run calls cannot"]);
});

test("a chosen tool has its own time, and receives its call", async () => {
  const slow = tool({ name: "slow", timeoutMs: 10, execute: () => new Promise(() => {}) });
  const about = tool({ name: "about", execute: (_, { tool, callId, step, dependencies }) => [tool, typeof callId, step.key, dependencies.db] });
  const { decisions, events } = await chosen([["slow", {}], ["about", {}]], { tools: [slow, about] }, { dependencies: { db: "mine" } });
  assert.deepEqual(decisions.map(({ error, result }) => error ?? result), ["the tool `slow` took longer than 10 ms", ["about", "string", "ask.tools", "mine"]]);
  const calls = events.filter(({ type }) => type.startsWith("tool."));
  assert.deepEqual(calls.map(({ type, tool, step }) => `${type} ${tool} ${step.id}`), ["tool.start slow ask", "tool.error slow ask", "tool.start about ask", "tool.done about ask"]);
  assert.deepEqual([calls[1].error.code, calls[1].error.step.id, calls[3].output[0], calls[0].callId !== calls[2].callId], ["timeout", "ask", "about", true]);
});

test("what a tool gives has to be what JSON can hold", async () => {
  const { decisions } = await chosen([["bad", {}], ["none", {}]], { tools: [tool(function bad() { return new Map(); }), tool(function none() {})] });
  assert.match(decisions[0].error, /Map/);
  assert.deepEqual([decisions[1].error, decisions[1].result], [null, null]);
});

test("choosing counts against the limits of the run, also of one that calls its steps itself", async () => {
  const spent = await chosen([["add", { a: 1, b: 2 }]], { limits: { maxTokens: 6 } });
  assert.deepEqual([spent.status, spent.error.code, spent.error.step.id, spent.fetch.bodies.length], ["budget", "budget", "ask", 0]);
  const calls = agentOf({ tools: [], limits: { maxTokens: 60 }, run: async (input, { steps }) => { for (;;) await steps.ask(input); } });
  const fetch = choosing([]);
  const { status, error, usage } = await calls.run("x", { fetch });
  assert.deepEqual([status, error.code, usage.inputTokens + usage.outputTokens <= 60, fetch.bodies.length > 1], ["budget", "budget", true, true]);
});

test("an agent of one step may use tools too", async () => {
  const fetch = choosing([["add", { a: 1, b: 2 }]]);
  const agent = createAgent({ role: "adder", systemPrompt: "Add.", model: model(), tools: [add], toolConfidence: 0.8 });
  const { stepResults, text } = await agent.run("1 + 2", { fetch });
  assert.deepEqual([stepResults[0].toolDecisions[0].result, text.startsWith("<1 + 2")], [3, true]);
});

test("a step with tools says when its model wants to be called again", async () => {
  const model = customModel("busy", ({ output }) => {
    if (output !== undefined) return '{"tool_calls": []}';
    throw new StepweaveError("rate_limit", "the machine is busy", { retryable: true, retryAfterMs: 90_000 });
  });
  const agent = new ReasoningAgent({ name: "a", model, tools: [tool(function now() {})], steps: [think("s", (input) => input)] });
  const { error, errors } = await agent.run("x");
  assert.deepEqual([error.code, error.step.name, error.retryable, error.retryAfterMs], ["rate_limit", "s", true, 90_000]);
  assert.deepEqual(errors, [error]);
});
