import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentStep, conditionStep, demo, functionStep, openai, parallelStep, Workflow } from "stepweave";
import { mcpServer } from "stepweave/mcp/server";
import { openApiTools } from "stepweave/openapi";
import { ReasoningAgent } from "stepweave/reasoning";
import { rejection } from "./support.js";

test("options that do not exist are refused, since data would go astray without a word", async () => {
  assert.throws(() => openai("m", { baseURL: "http://localhost:1/v1" }), { code: "validation", message: "openai() has no option `baseURL`", hint: "did you mean `baseUrl`?" });
  assert.throws(() => new Agent({ name: "a", model: demo(), instruction: "x" }), { code: "validation", message: "the agent a has no option `instruction`", hint: "did you mean `instructions`?" });
  assert.throws(() => new Agent({ tool: [] }), { message: "an agent has no option `tool`", hint: "did you mean `tools`?" });
  const error = await rejection(new Workflow({ name: "w", steps: [] }).run({ topic: "bees" }));
  assert.equal(error.message, "a run has no option `topic`");
  assert.match(error.hint, /^use state, secrets/);
});

test("a misspelt key of an option that is an object is refused as the option itself is", async () => {
  const workflow = new Workflow({ name: "w", steps: [] });
  const api = JSON.stringify({ openapi: "3.1.0", info: { title: "x", version: "1" }, paths: { "/a": { get: {} } } });
  const authorized = (auth) => openApiTools(api, { server: "https://api.example.com", auth });
  const sealed = { id: "k", key: btoa("32 random bytes: openssl rand 32"), exprires: 1 };
  for (const [call, message, hint] of [
    [() => workflow.run({ trace: { orgins: [] } }), "`trace` of a run has no option `orgins`", "did you mean `origins`?"],
    [() => workflow.run({ limits: { maxcost: 1 } }), "`limits` of a run has no option `maxcost`", "did you mean `maxCost`?"],
    [() => workflow.run({ relay: { url: "https://r.example", tokn: "x" } }), "the relay has no option `tokn`", "did you mean `token`?"],
    [() => workflow.run({ secrets: { KEY: { value: "abcdefgh", origins: ["https://a.example"], renw: () => "x" } } }), "the secret KEY has no option `renw`", "did you mean `renew`?"],
    [async () => mcpServer(workflow, { public: true, keys: [sealed] }), "a key of mcpServer() has no option `exprires`", "use id, key"],
    [() => authorized({ oauth2: { tokenUrl: "https://a.example/token", clientId: "me", clientSecret: { secret: "S" }, scopes: "read" } }), "`auth.oauth2` of openApiTools() has no option `scopes`", "did you mean `scope`?"],
    [() => authorized({ bearer: { secret: "S", prefix: "Token" } }), "`auth.bearer` of openApiTools() has no option `prefix`", "use secret"],
    [() => authorized({ header: { name: "x-key", value: { secret: "S", as: "x" } } }), "the secret in `auth.header` of openApiTools() has no option `as`", "use secret"],
  ]) {
    const error = await rejection(call());
    assert.deepEqual([error.code, error.message, error.hint], ["validation", message, hint]);
  }
});

test("a list of agents is none: steps name them", async () => {
  const agents = [new Agent({ name: "a", model: demo() })];
  const error = await rejection((async () => new Workflow({ name: "w", agents, steps: [] }).run())());
  assert.deepEqual([error.code, error.message, error.hint], ["document", "`agents` of a workflow is a list, not an object", "write agents: { writer: new Agent({ … }) }"]);
});

test("an option that is undefined counts as not given, wherever it stands", async () => {
  const none = undefined;
  const agent = new Agent({ name: "a", model: demo(), instructions: none, output: none, limits: { maxCost: none }, tools: none, fallbacks: none, toolChoice: none, maxTurns: none, params: none });
  const planner = new ReasoningAgent({ name: "p", model: demo(), instructions: none, tools: none, params: none, retryPolicy: none, limits: none, steps: none, run: () => "done", toolModel: none, maxHistorySize: none });
  assert.equal((await planner.run("x", { state: none, stream: none })).value, "done");
  const base = { id: none, required: none, enabled: none, onError: none, input: none, output: none, coerce: none, notes: none };
  const workflow = new Workflow({
    name: "w", description: none, initialState: none, retryPolicy: { maxRetries: none, jitter: none }, limits: { timeoutMs: none }, onError: none, input: none, output: none, notes: none, prices: none, agents: none, "x-mine": none,
    steps: [
      { ...base, name: "function", type: none, retryCount: none, timeoutMs: none, version: none, run: () => ({ ok: true }) },
      { ...base, name: "agent", agent, inputFrom: none, files: none, history: none, fullResponse: none },
      { ...base, name: "condition", condition: "ok", steps: [], else: none },
      { ...base, name: "parallel", parallel: [], concurrency: none, onConflict: none },
      { ...base, name: "wait", wait: { ms: 1, until: none } },
      { ...base, name: "foreach", items: "[1]", steps: [], itemKey: none, concurrency: none, result: none },
      { ...base, name: "loop", repeat: { until: "true" }, maxIterations: 2, steps: [] },
      { ...base, name: "inner", type: "workflow", workflow: none, steps: [], with: none, set: none, initialState: none },
      { ...base, name: "approval", type: "approval", message: none, schema: none },
    ],
  });
  const result = await workflow.run({ state: none, secrets: none, signal: none, fetch: none, clock: none, journal: none, store: none, replay: none, from: none, answers: none, seed: none, sessionId: none, metadata: none, dependencies: none });
  assert.deepEqual(result.errors, []);
  assert.equal(result.status, "suspended");
});

test("steps written apart run as those written in place", async () => {
  const agent = new Agent({ name: "a", model: demo() });
  const double = { name: "double", run: ({ n }) => ({ n: n * 2 }) };
  const ask = { name: "ask", agent, inputFrom: ({ n }) => `${n}` };
  const inPlace = new Workflow({ name: "w", initialState: { n: 1 }, steps: [double, { name: "all", parallel: [ask] }, { name: "if", condition: ({ n }) => n > 1, steps: [{ name: "end", run: () => ({ big: true }) }] }] });
  const apart = new Workflow({
    name: "w",
    initialState: { n: 1 },
    steps: [functionStep(double), parallelStep({ name: "all", parallel: [agentStep(ask)] }), conditionStep({ name: "if", condition: ({ n }) => n > 1, steps: [functionStep({ name: "end", run: () => ({ big: true }) })] })],
  });
  assert.deepEqual(apart.toDocument(), inPlace.toDocument());
  assert.deepEqual((await apart.run()).state, (await inPlace.run()).state);
});

test("a setting of a workflow's step has one name; the other names are those of stepweave/reasoning", async () => {
  const error = await rejection(new Workflow({ name: "w", steps: [{ name: "a", run: () => ({}), config: { retryCount: 2, timeout: 1 } }] }).run());
  assert.equal(error.code, "document");
  assert.deepEqual(error.problems.map(({ path }) => path), ["steps[0].config"]);
});

test("who a run is for is said in texts", async () => {
  const workflow = new Workflow({ name: "w", steps: [{ name: "s", run: () => ({}) }] });
  for (const name of ["sessionId", "userId", "tenantId"]) {
    for (const value of [5, {}, true]) {
      await assert.rejects(workflow.run({ [name]: value }), ({ code, message, hint }) => code === "validation" && message.startsWith(`the option \`${name}\` is `) && /leave it out/.test(hint));
    }
    assert.equal((await workflow.run({ [name]: "x" })).status, "done");
  }
});
