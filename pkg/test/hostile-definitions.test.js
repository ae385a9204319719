// Whatever stands in a definition, under each key that it may have: it works, or an error of the package says what is wrong.
import { test } from "node:test";
import * as main from "stepweave";
import * as reasoning from "stepweave/reasoning";
import { z } from "zod";
import { assertSaid, eachKey } from "./evil.js";
import { virtualClock } from "./support.js";

const stepweave = { ...main, ...reasoning };
const { act, Agent, createAgent, customModel, demo, ModelConfig, openai, ReasoningAgent, step, think, tool, toolSelection, workersAi, Workflow } = stepweave;

const noop = { name: "noop", run: () => {} };
const parrot = customModel("parrot", () => "hello");
const agent = new Agent({ name: "a", model: parrot });
const inner = new Workflow({ name: "inner", initialState: { n: 1 }, steps: [noop] });

/** Everything that is read of a workflow, with its run; nothing waits. */
async function runs(workflow, options = {}) {
  for (const look of [() => workflow.name, () => workflow.steps, () => workflow.handlers]) look();
  const result = await workflow.run({ clock: virtualClock(), limits: { timeoutMs: 60_000, maxSteps: 300 }, ...options });
  try {
    workflow.toDocument();
  } catch (error) {
    return { error };
  }
  return result;
}

const define = (definition, options) => runs(new Workflow(definition), options);
const withStep = (one, rest) => define({ name: "w", initialState: { list: [1], n: 1 }, ...rest, steps: [one] });

const COMMON = ["id", "type", "name", "required", "enabled", "onError", "input", "output", "coerce", "config", "notes", "x-note", "nonsense"];
const ATTEMPTED = ["retryCount", "retryPolicy", "timeoutMs"];

/** A step of each kind, with the keys that only some have. */
const STEPS = {
  agent: [{ name: "s", agent }, ["inputFrom", "files", "history", "fullResponse", ...ATTEMPTED]],
  "agent by its name": [{ name: "s", type: "agent", agent: "a" }, []],
  function: [{ name: "s", run: () => ({}) }, ["version", ...ATTEMPTED]],
  "function of a document": [{ name: "s", run: { set: { a: "n" } } }, ["version"]],
  condition: [{ name: "s", condition: "true", steps: [noop] }, ["else"]],
  parallel: [{ name: "s", parallel: [noop, { name: "b", run: () => {} }] }, ["concurrency", "onConflict"]],
  sequence: [{ name: "s", steps: [noop] }, []],
  switch: [{ name: "s", cases: [{ when: "true", steps: [noop] }], default: [noop] }, []],
  foreach: [{ name: "s", items: "list", steps: [noop] }, ["as", "indexAs", "result", "outputKey", "concurrency", "onItemError", "maxItems"]],
  loop: [{ name: "s", repeat: { while: "n > 1" }, steps: [noop] }, ["maxIterations", "onLimit"]],
  workflow: [{ name: "s", workflow: inner, with: { n: "n" }, set: { m: "n" } }, ["initialState"]],
  "workflow of steps": [{ name: "s", type: "workflow", steps: [noop] }, ["initialState", "with", "set"]],
  wait: [{ name: "s", wait: { ms: 1 } }, []],
  approval: [{ name: "s", type: "approval" }, ["message", "schema", "timeoutMs", "onTimeout"]],
};

for (const [kind, [whole, keys]] of Object.entries(STEPS)) {
  test(`each key of a step: ${kind}`, () => assertSaid(kind, eachKey("step", whole, [...COMMON, ...keys], (one) => withStep(one, { agents: { a: agent } }))));
}

test("what stands inside the keys of steps", async () => {
  await assertSaid("inside", {
    ...eachKey("config", {}, ["enabled", "retryCount", "timeout", "required", "useInternalRetry"], (config) => withStep({ ...noop, config })),
    ...eachKey("retryPolicy", {}, ["maxRetries", "backoffMs", "factor", "maxBackoffMs", "jitter", "afterFirstDelta"], (retryPolicy) => withStep({ ...noop, retryPolicy })),
    ...eachKey("cases[0]", { when: "true", steps: [noop] }, ["x"], (one) => withStep({ name: "s", cases: [one], default: [] })),
    ...eachKey("repeat", {}, ["while", "until"], (repeat) => withStep({ name: "s", repeat, steps: [noop], maxIterations: 2 })),
    ...eachKey("wait", {}, ["ms", "until", "for"], (wait) => withStep({ name: "s", wait })),
    ...eachKey("with", {}, ["n", "__proto__"], (given) => withStep({ name: "s", workflow: inner, with: given })),
    ...eachKey("history", {}, ["from", "max"], (history) => withStep({ name: "s", agent, history })),
    ...Object.fromEntries(["steps", "else", "parallel", "default"].map((block) => [`${block}[0]`, (value) => withStep({ name: "s", condition: "true", steps: [noop], [block]: [value] })])),
    "run.handler": (handler) => withStep({ name: "s", run: { handler } }),
    "run.set": (set) => withStep({ name: "s", run: { set } }),
    "run.set.a": (a) => withStep({ name: "s", run: { set: { a } } }),
    "run.code": (code) => withStep({ name: "s", run: { code } }),
    "a schema's keyword": (value) => withStep({ ...noop, input: { type: value, properties: value, required: value } }),
    "a schema of a library": (value) => withStep({ ...noop, input: { "~standard": value } }),
    "a schema of a library that checks": (value) => withStep({ ...noop, input: { "~standard": { version: 1, vendor: "v", validate: () => value } } }),
    "a schema of a library that throws": (value) => withStep({ ...noop, input: { "~standard": { version: 1, vendor: "v", validate: () => { throw value; } } } }),
    "issues of a schema of a library": (value) => withStep({ ...noop, input: { "~standard": { version: 1, vendor: "v", validate: () => ({ issues: [value] }) } } }),
    "a path of an issue": (path) => withStep({ ...noop, input: { "~standard": { version: 1, vendor: "v", validate: () => ({ issues: [{ message: "no", path }] }) } } }),
  });
});

test("each key of a workflow", async () => {
  const whole = { name: "w", steps: [{ name: "s", agent: "a" }], agents: { a: agent } };
  await assertSaid("workflow", {
    definition: (value) => runs(new Workflow(value)),
    ...eachKey("definition", whole, ["description", "initialState", "prices", "retryPolicy", "onError", "limits", "input", "output", "notes", "x-a", "other", "version", "models", "tools"], define),
    ...eachKey("inner", { name: "i", steps: [noop] }, ["initialState", "agents", "prices", "retryPolicy", "onError", "limits", "input", "output"], (definition) => withStep({ name: "s", workflow: new Workflow(definition) })),
    ...eachKey("limits", {}, ["timeoutMs", "stepTimeoutMs", "maxSteps", "maxStateBytes", "maxResultBytes", "maxEvents", "maxTokens", "maxCost", "templateFuel"], (limits) => define({ ...whole, limits })),
    "agents.a": (a) => define({ ...whole, agents: { a } }),
    "prices.m": (m) => define({ ...whole, prices: { m } }),
    "steps[0]": (value) => define({ name: "w", steps: [value] }),
    ...Object.fromEntries(Object.entries({ agentStep: { name: "s", agent }, functionStep: noop, conditionStep: { name: "s", condition: "true", steps: [noop] }, parallelStep: { name: "s", parallel: [noop] }, approvalStep: { name: "s" } }).flatMap(([name, one]) => [
      [name, (value) => withStep(stepweave[name](value))],
      ...Object.entries(eachKey(name, one, COMMON, (given) => withStep(stepweave[name](given)))),
    ])),
  });
});

test("each key of an agent, and what stands inside", async () => {
  const answering = (definition) => withStep({ name: "s", agent: new Agent(definition) });
  const alone = async (definition) => new Agent(definition).run("x", { clock: virtualClock() });
  const inSteps = async (definition) => new ReasoningAgent(definition).run("x", { clock: virtualClock() });
  const answers = { name: "a", model: parrot };
  const stepped = { name: "a", model: parrot, steps: [think("one", (input) => `${input}`)] };
  const fits = tool({ name: "find", execute: () => 1 });
  await assertSaid("agent", {
    Agent: (value) => new Agent(value),
    ReasoningAgent: (value) => new ReasoningAgent(value),
    ...eachKey("asked", answers, ["fallbacks", "instructions", "params", "tools", "toolChoice", "output", "maxTurns", "limits", "nonsense"], answering),
    ...eachKey("alone", answers, ["fallbacks", "instructions", "params", "tools", "toolChoice", "output", "maxTurns", "limits"], alone),
    ...eachKey("with steps", stepped, ["run", "retryPolicy", "limits", "maxHistorySize", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel", "tools", "instructions", "params"], inSteps),
    "fallbacks[0]": (value) => answering({ ...answers, fallbacks: [value] }),
    "tools[0]": (value) => answering({ ...answers, tools: [value] }),
    "tools[0].tool": (value) => answering({ ...answers, tools: [{ tool: value }] }),
    ...eachKey("tools[0]", { tool: fits }, ["name", "description", "scopes"], (one) => answering({ ...answers, tools: [one] })),
    "steps[0]": (value) => inSteps({ ...answers, steps: [value] }),
    "toolChoice.tool": (value) => answering({ ...answers, tools: [fits], toolChoice: { tool: value } }),
    "params.p": (p) => answering({ ...answers, params: { p } }),
    "limits.maxTokens": (maxTokens) => answering({ ...answers, limits: { maxTokens } }),
    "a custom run gives": (value) => inSteps({ ...stepped, run: () => value }),
    "a custom run throws": (value) => inSteps({ ...stepped, run: () => { throw value; } }),
    "a step of an agent gives": (value) => inSteps({ ...answers, steps: [think("one", () => value)] }),
    "a step of an agent gives without a model": (value) => inSteps({ ...answers, steps: [act("one", { sendToLlm: false }, () => value)] }),
    "a step of an agent is called with": (value) => inSteps({ ...stepped, run: (_, { steps }) => steps.one(value) }),
  });
});

test("each key of a step of an agent, of its config and its model", async () => {
  const runStep = (one) => new ReasoningAgent({ name: "a", model: parrot, steps: [one] }).run("x", { clock: virtualClock() });
  const whole = { type: "think", name: "one", func: (input) => `${input}` };
  const keys = ["description", "model", "sendToLlm", "stream", "jsonOutput", "returnType", "returnFullResponse", "useTools", "toolSelection", "toolConfidence", "maxToolsPerStep", "toolModel", "config", "inputs", "params", "returns", "sampling", "nonsense"];
  await assertSaid("steps of agents", {
    step: (value) => step(value),
    ...eachKey("step", whole, keys, (options) => runStep(step(options))),
    ...Object.fromEntries(["think", "act", "observe", "synthesize"].flatMap((name) => [
      [`${name}(value)`, (value) => stepweave[name](value)],
      [`${name}(value, f)`, (value) => runStep(stepweave[name](value, (input) => `${input}`))],
      [`${name}("n", value)`, (value) => stepweave[name]("n", value)],
      [`${name}("n", value, f)`, (value) => runStep(stepweave[name]("n", value, (input) => `${input}`))],
      [`${name}("n", {}, value)`, (value) => stepweave[name]("n", {}, value)],
    ])),
    createStepHelper: (value) => stepweave.createStepHelper(value)("n", (input) => input),
    stepConfig: (value) => stepweave.stepConfig(value),
    ...eachKey("stepConfig", {}, ["enabled", "retryCount", "timeout", "timeoutMs", "required", "passResult", "useInternalRetry", "x"], (options) => runStep(step({ ...whole, config: stepweave.stepConfig(options) }))),
    ...eachKey("config", {}, ["enabled", "retryCount", "timeout", "timeoutMs", "required", "passResult", "useInternalRetry", "x"], (config) => runStep(step({ ...whole, config }))),
    toolSelection: (value) => toolSelection(value),
    ...eachKey("toolSelection", {}, ["confidenceThreshold", "maxToolsPerStep", "promptTemplate", "max_tools_per_step"], (options) => toolSelection(options)),
    ModelConfig: (value) => new ModelConfig(value),
    "ModelConfig.from": (value) => ModelConfig.from(value),
    "ModelConfig.merge": (value) => new ModelConfig({ name: "m" }).merge(value).parameters(),
    ...eachKey("ModelConfig", { name: "m" }, ["temperature", "topP", "stream", "jsonOutput", "returnFullResponse", "top_p", "extra"], (options) => { const one = new ModelConfig(options); one.toJSON(); one.parameters(); }),
    ...eachKey("sampling", {}, ["temperature", "topP"], (sampling) => runStep(step({ ...whole, sampling }))),
    ...eachKey("params[0]", {}, ["name", "schema"], (one) => step({ ...whole, params: [one] })),
    createAgent: (value) => createAgent(value),
    ...eachKey("createAgent", { role: "r", systemPrompt: "x", model: parrot }, ["step", "temperature", "topP", "modelParams", "tools", ...keys], (options) => createAgent(options).run("x")),
    run: (value) => stepweave.run(value),
    "run(f, value)": (value) => stepweave.run(() => 1, value),
    "run's description": (description) => stepweave.run(() => 1, { description }),
  });
});

test("each key of a tool, and what its function gives", async () => {
  const called = (one, input = {}) => withStep({ name: "s", agent: new Agent({ name: "a", model: calling(input), tools: [one] }) });
  const calling = (input) => customModel("caller", ({ messages }) => (messages.at(-1).role === "tool" ? "done" : [{ type: "toolCall", name: "find", input }]));
  const whole = { name: "find", execute: () => 1 };
  await assertSaid("tools", {
    tool: (value) => tool(value),
    Tool: (value) => new stepweave.Tool(value),
    "tool(f, value)": (value) => tool(function find() {}, value),
    ...eachKey("tool", whole, ["description", "input", "output", "scopes", "needsApproval", "timeoutMs", "version", "nonsense"], (definition) => called(tool(definition))),
    "scopes[0]": (scope) => called(tool({ ...whole, scopes: [scope] })),
    "input.properties": (properties) => called(tool({ ...whole, input: { type: "object", properties } })),
    "a tool gives": (value) => called(tool({ ...whole, execute: () => value })),
    "a tool throws": (value) => called(tool({ ...whole, execute: () => { throw value; } })),
    "a tool is called with": (value) => called(tool({ ...whole, input: z.object({}) }), value),
    registerTool: (value) => new ReasoningAgent({ name: "a", model: parrot }).registerTool(value),
    "registerTool(f, value)": (value) => new ReasoningAgent({ name: "a", model: parrot }).registerTool(() => 1, value),
    "registerTool's name": (name) => new ReasoningAgent({ name: "a", model: parrot }).registerTool(() => 1, { name }),
  });
});

const ENDPOINTS = ["openai", "openaiResponses", "anthropic", "gemini", "openrouter", "groq", "mistral", "deepseek", "xai", "together", "ollama", "lmstudio", "vllm", "llamacpp", "azure", "workersAi"];
const fetch = async () => new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
const asks = (model) => define({ name: "w", steps: [{ name: "s", agent: new Agent({ name: "a", model }) }] }, { fetch, secrets: { OPENAI_API_KEY: "sk-long-enough-key" } });

test("models at endpoints: their names, and each of their options", async () => {
  const keys = ["apiKey", "baseUrl", "params", "headers", "apiVersion", "sampling", "outputMode", "price", "concurrency", "requestsPerMinute", "nonsense"];
  await assertSaid("models", {
    ...Object.fromEntries(ENDPOINTS.flatMap((name) => [
      [`${name}(value)`, (value) => asks(stepweave[name](value))],
      [`${name}("m", value)`, (value) => asks(stepweave[name]("m", value))],
    ])),
    ...eachKey("openai", {}, keys, (options) => asks(openai("m", options))),
    ...eachKey("anthropic", {}, keys, (options) => asks(stepweave.anthropic("m", options))),
    ...eachKey("azure", { baseUrl: "https://x.example/v1" }, keys, (options) => asks(stepweave.azure("m", options))),
    ...eachKey("workersAi", {}, ["accountId", "baseUrl"], (options) => asks(workersAi("m", options))),
    ...eachKey("price", { input: 1, output: 1 }, ["cachedInput", "cacheWrite", "longPrompt"], (price) => asks(openai("m", { price }))),
    ...eachKey("params", {}, ["maxOutputTokens", "stopSequences", "reasoningEffort", "temperature", "messages"], (params) => asks(openai("m", { params }))),
    "apiKey.secret": (secret) => asks(openai("m", { apiKey: { secret } })),
    "headers.h": (h) => asks(openai("m", { headers: { h } })),
    "a model as an object": (value) => asks({ provider: "openai", model: "m", baseUrl: value, apiKey: value, params: value }),
    demo: (value) => demo(value),
  });
});

test("models that are functions: what they are made of, and what they give", async () => {
  const keys = ["params", "sampling", "outputMode", "price", "concurrency", "requestsPerMinute", "nonsense"];
  const ai = (more) => ({ specificationVersion: "v3", provider: "p", modelId: "m", doStream: async () => ({ stream: new ReadableStream({ start: (c) => c.close() }) }), ...more });
  await assertSaid("own models", {
    "customModel(value)": (value) => customModel(value, () => "x"),
    'customModel("m", value)': (value) => asks(customModel("m", value)),
    'customModel("m", f, value)': (value) => asks(customModel("m", () => "x", value)),
    ...eachKey("customModel", {}, keys, (options) => asks(customModel("m", () => "x", options))),
    "a model gives": (value) => asks(customModel("m", () => value)),
    "a model gives a list of": (value) => asks(customModel("m", () => [value])),
    "a model yields": (value) => asks(customModel("m", function* () { yield value; })),
    "a model throws": (value) => asks(customModel("m", () => { throw value; })),
    ...Object.fromEntries(["text", "reasoning", "toolCall", "usage", "finish", "source", "file"].flatMap((type) =>
      Object.entries(eachKey(type, {}, ["text", "name", "input", "id", "inputTokens", "outputTokens", "reason", "url", "title", "mediaType", "data", "echo"], (part) => asks(customModel("m", () => [{ type, ...part }])))))),
    fromAiSdk: (value) => asks(stepweave.fromAiSdk(value)),
    "fromAiSdk(m, value)": (value) => asks(stepweave.fromAiSdk(ai(), value)),
    ...eachKey("fromAiSdk", ai(), [], (model) => asks(stepweave.fromAiSdk(model))),
    "doStream gives": (value) => asks(stepweave.fromAiSdk(ai({ doStream: () => value }))),
    "doStream's part": (value) => asks(stepweave.fromAiSdk(ai({ doStream: () => ({ stream: new ReadableStream({ start: (c) => { c.enqueue(value); c.close(); } }) }) }))),
    "workersAi binding": (value) => asks(workersAi({ run: () => value }, "m")),
    "workersAi binding's name": (value) => asks(workersAi({ run: () => "x" }, value)),
    "workersAi binding's options": (value) => asks(workersAi({ run: () => "x" }, "m", value)),
    ...eachKey("workersAi binding", {}, ["gateway", ...keys], (options) => asks(workersAi({ run: () => ({ response: "x" }) }, "m", options))),
    promptApi: (value) => asks(stepweave.promptApi(value)),
    ...eachKey("promptApi", {}, ["languages", "inputLanguages", "onDownload", ...keys], (options) => asks(stepweave.promptApi(options))),
  });
});
