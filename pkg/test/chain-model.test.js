import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, openai, StepweaveError, tool } from "stepweave";
import { act, createStepHelper, ModelConfig, observe, ReasoningAgent, step, stepConfig, synthesize, think } from "stepweave/reasoning";
import { echo, endpoint, model, refusals } from "./chain-support.js";
import { eventsOf, rejection } from "./support.js";

/** The body of the only request of a run with this step. */
async function sent(steps, definition = {}) {
  const fetch = echo();
  const agent = new ReasoningAgent({ name: "a", model: model(), ...definition, steps: [steps].flat() });
  const result = await agent.run("x", { fetch, secrets: { OPENAI_API_KEY: "sk-test" } });
  assert.equal(result.status, "done", String(result.error));
  return fetch.bodies[0];
}

test("1.1/1 1.1/3 1.1/4 there are four types, and each calls the agent's model with its own parameters", async () => {
  const wanted = { think: [0.7, 0.9], act: [0.2, 0.8], observe: [0.1, 0.5], synthesize: [0.4, 0.7] };
  for (const [type, [temperature, topP]] of Object.entries(wanted)) {
    const body = await sent(createStepHelper(type)("s", (input) => input));
    assert.deepEqual([body.temperature, body.top_p], [temperature, topP], type);
  }
  for (const helper of [think, act, observe, synthesize]) assert.equal((await sent(helper("s", (input) => input))).temperature, wanted[helper("s", () => "").type][0]);
  assert.deepEqual(refusals(() => step({ type: "dream", name: "s", func: () => "" })), ["unknown_type"]);
});

test("1.1/2 the text form has the type in upper case, the record in lower case", () => {
  const record = observe("look", () => "");
  assert.equal(record.type, "observe");
  assert.match(String(record), /Type: OBSERVE/);
});

test("1.1/5 a model given as text is a name with the type's parameters, and no flag is set", async () => {
  const record = act("s", { model: "other" }, (input) => input);
  const body = await sent(record);
  assert.deepEqual([body.model, body.temperature, body.top_p, body.url], ["other", 0.2, 0.8, "http://llm.example/v1/chat/completions"]);
  const { stream, jsonOutput, returnFullResponse } = record.model;
  assert.deepEqual({ stream, jsonOutput, returnFullResponse }, { stream: false, jsonOutput: false, returnFullResponse: false });
});

test("1.1/5 a model that is named goes to the agent's endpoint with the agent's key", async () => {
  const fetch = echo();
  const headers = [];
  const own = openai("m", { baseUrl: "http://llm.example/v1", apiKey: "sk-own" });
  const agent = new ReasoningAgent({ name: "a", model: own, steps: [think("s", { model: "other" }, (input) => input)] });
  await agent.run("x", { fetch: (url, init) => (headers.push(new Headers(init.headers).get("authorization")), fetch(url, init)) });
  assert.deepEqual(headers, ["Bearer sk-own"]);
});

test("1.1/5 a function that is called under another name is called as seldom as under its own", async () => {
  let [underWay, most] = [0, 0];
  const own = customModel("m", async ({ model }) => {
    most = Math.max(most, (underWay += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay -= 1;
    return model;
  }, { concurrency: 1 });
  const agents = ["a", "b"].map((name) => new ReasoningAgent({ name, model: own, steps: [think("s", { model: "other" }, (input) => input)] }));
  const results = await Promise.all(agents.map((agent) => agent.run("x")));
  assert.deepEqual(results.map(({ text }) => text), ["other", "other"]);
  assert.equal(most, 1);
});

test("1.1/6 a model given as an object needs a name", () => {
  assert.throws(() => think("s", { model: { temperature: 1 } }, () => ""), { code: "validation", message: /has no `name`/ });
});

test("1.1/7 a model given as an object: what it says wins over the type, and extras are sent", async () => {
  const body = await sent(think("s", { model: { name: "other", temperature: 0, max_tokens: 9, top_p: 0.3 } }, (input) => input));
  assert.deepEqual([body.model, body.temperature, body.top_p, body.max_tokens], ["other", 0, 0.3, 9]);
});

test("1.1/8 a ModelConfig: what it says wins over the type, and extras are sent", async () => {
  const config = new ModelConfig({ name: "m", temperature: 1.5, seed: 7 });
  const body = await sent(think("s", { model: config }, (input) => input));
  assert.deepEqual([body.temperature, body.top_p, body.seed], [1.5, 0.9, 7]);
});

test("1.1/9 the step wins over the agent, the agent over its model, its model over the type", async () => {
  const agent = { model: model("m", { temperature: 0.11, top_p: 0.12, seed: 1, n: 1 }), params: { top_p: 0.22, seed: 2 } };
  const plain = await sent(think("s", (input) => input), agent);
  assert.deepEqual([plain.temperature, plain.top_p, plain.seed, plain.n], [0.11, 0.22, 2, 1]);
  const own = await sent(think("s", { model: { name: "m", seed: 3 } }, (input) => input), agent);
  assert.deepEqual([own.temperature, own.top_p, own.seed, own.n], [0.11, 0.22, 3, 1]);
});

test("1.1/9 1.8/99 a whole model takes the place of the agent's, with its parameters and without those of the other", async () => {
  const other = openai("other", { baseUrl: "http://elsewhere.example/v1", params: { temperature: 0.33 } });
  const body = await sent(think("s", { model: other }, (input) => input), { model: model("m", { seed: 1 }) });
  assert.deepEqual([body.url, body.model, body.temperature, body.top_p, body.seed], ["http://elsewhere.example/v1/chat/completions", "other", 0.33, 0.9, undefined]);
});

test("1.1/4 models that take no temperature are called without one and that is emitted, unless their maker says that they do", async () => {
  const sent = async (own) => {
    const fetch = echo();
    const agent = new ReasoningAgent({ name: "a", model: own, steps: [think("s", (input) => input), act("t", { model: { name: "gpt-5-mini", temperature: 1 } }, (input) => input)] });
    const events = await eventsOf(agent.start("x", { fetch, secrets: { OPENAI_API_KEY: "sk-test-key" } }));
    return [fetch.bodies.map(({ temperature, top_p }) => [temperature, top_p]), events.filter(({ type }) => type === "run.warning").map(({ code, message }) => `${code} ${message}`)];
  };
  const left = "param_dropped `gpt-5-mini` takes no `temperature` or `top_p`: left out";
  assert.deepEqual(await sent(openai("gpt-5-mini")), [[[undefined, undefined], [undefined, undefined]], [left, left]]);
  assert.deepEqual(await sent(openai("gpt-5-mini", { sampling: true })), [[[0.7, 0.9], [1, 0.8]], []]);
});

test("1.2/10 a ModelConfig has a name, three flags that are off, a temperature that is open, and extras", () => {
  const config = new ModelConfig({ name: "m", max_tokens: 5 });
  const { name, stream, jsonOutput, returnFullResponse, temperature, extra } = config;
  assert.deepEqual({ name, stream, jsonOutput, returnFullResponse, temperature, extra }, { name: "m", stream: false, jsonOutput: false, returnFullResponse: false, temperature: undefined, extra: { max_tokens: 5 } });
  assert.throws(() => void (config.name = "n"), TypeError);
});

test("1.2/11 a temperature outside 0 to 2 is refused", () => {
  for (const temperature of [-0.1, 2.1]) assert.deepEqual(refusals(() => new ModelConfig({ name: "m", temperature })), ["out_of_range"]);
  assert.deepEqual(refusals(() => new ModelConfig({ name: "m", temperature: NaN })), ["wrong_type", "out_of_range"]);
  for (const temperature of [0, 2]) assert.equal(new ModelConfig({ name: "m", temperature }).temperature, temperature);
});

test("1.2/12 the parameters are the flags, the temperature if set, the extras that are not null, and never the name", () => {
  assert.deepEqual(new ModelConfig({ name: "m", a: null, b: 1 }).parameters(), { stream: false, jsonOutput: false, returnFullResponse: false, b: 1 });
  assert.deepEqual(new ModelConfig({ name: "m", temperature: 0, stream: true }).parameters(), { stream: true, jsonOutput: false, returnFullResponse: false, temperature: 0 });
});

test("1.2/13 merging gives another config in which the new values replace the old, extras key by key", () => {
  const config = new ModelConfig({ name: "m", temperature: 1, a: { x: 1 }, b: 2 });
  const merged = config.merge({ temperature: 0.5, a: { y: 1 }, c: 3 });
  assert.deepEqual(merged.toJSON(), { name: "m", stream: false, jsonOutput: false, returnFullResponse: false, temperature: 0.5, a: { y: 1 }, b: 2, c: 3 });
  assert.equal(config.temperature, 1);
});

test("1.2/14 a config is read from data with a name, and is data again", () => {
  assert.deepEqual(refusals(() => ModelConfig.from({ temperature: 1 })), ["model_without_name"]);
  const data = { name: "m", stream: false, jsonOutput: true, returnFullResponse: false, temperature: null, seed: 1 };
  assert.deepEqual(ModelConfig.from(data).toJSON(), data);
  assert.deepEqual(ModelConfig.from({ name: "m", json_output: true, top_p: 0.5 }).toJSON(), { name: "m", stream: false, jsonOutput: true, returnFullResponse: false, temperature: null, topP: 0.5 });
});

test("1.3/15 a config has these defaults, and each can be set", () => {
  assert.deepEqual(stepConfig(), { enabled: true, retryCount: 0, timeoutMs: undefined, required: true, passResult: true, useInternalRetry: true });
  const given = { enabled: false, retryCount: 2, required: false, passResult: false, useInternalRetry: false };
  assert.deepEqual(stepConfig({ ...given, timeout: 1.5 }), { ...given, timeoutMs: 1500 });
  assert.equal(stepConfig({ timeoutMs: 20 }).timeoutMs, 20);
  assert.deepEqual(refusals(() => stepConfig({ timeout: 1, timeoutMs: 1 })), ["timeout_twice"]);
  assert.deepEqual(refusals(() => stepConfig({ timeout: 0, retryCount: 1.5, enabled: "yes" })), ["wrong_type", "wrong_type", "wrong_type"]);
});

test("1.3/16 an unknown key of a config is refused with the name that was meant, not lost", () => {
  const hint = (config) => {
    try {
      think("s", { config }, () => "");
    } catch (error) {
      return `${error.problems[0].path} ${error.hint}`;
    }
  };
  assert.equal(hint({ retry_count: 1 }), "config.retry_count did you mean `retryCount`?");
  assert.equal(hint({ requierd: true }), "config.requierd did you mean `required`?");
  assert.match(hint({ zzz: 1 }), /^config.zzz use enabled, retryCount, timeout/);
});

test("1.3/17 a step that is not enabled is not run or stored, and the next gets what it would have got", async () => {
  let calls = 0;
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [
    act("one", { sendToLlm: false }, (input) => `${input}1`),
    act("off", { sendToLlm: false, config: { enabled: false } }, () => (calls += 1)),
    act("two", { sendToLlm: false }, (latest, input) => [latest, input]),
  ] });
  const { value, results } = await agent.run("x");
  assert.deepEqual(value, ["x1", "x"]);
  assert.deepEqual(Object.keys(results), ["one", "two"]);
  assert.equal(calls, 0);
});

test("1.3/18 with the last step not enabled, the run results in what was passed on last", async () => {
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [
    act("one", { sendToLlm: false }, () => 1),
    act("off", { sendToLlm: false, config: { enabled: false } }, () => 2),
  ] });
  assert.equal((await agent.run("x")).value, 1);
});

const failing = (config) => act("bad", { sendToLlm: false, config }, () => { throw new TypeError("no way"); });
const after = act("after", { sendToLlm: false }, (latest) => `after ${latest}`);

test("1.3/19 a failure of a required step ends the run; of another it is emitted, and the run goes on with what was passed before", async () => {
  const stopped = await new ReasoningAgent({ name: "a", model: model(), steps: [failing(), after] }).run("x");
  assert.deepEqual([stopped.status, stopped.value, stopped.error.step.name], ["error", undefined, "bad"]);
  assert.deepEqual(stopped.results, {});
  const survived = await new ReasoningAgent({ name: "a", model: model(), steps: [failing({ required: false }), after] }).run("x");
  assert.deepEqual([survived.status, survived.value, survived.errors.length, survived.errors[0].message], ["done", "after x", 1, "no way"]);
});

test("1.3/20 a last step that is not required may fail too: the run results in what was passed on last", async () => {
  const { status, value, text, errors } = await new ReasoningAgent({ name: "a", model: model(), steps: [after, failing({ required: false })] }).run("x");
  assert.deepEqual([status, value, text, errors.length], ["done", "after x", "after x", 1]);
});

test("1.3/21 too few results for a step that is not required end it alone, first, last or between", async () => {
  const greedy = act("greedy", { sendToLlm: false, config: { required: false } }, (a, b, c) => [a, b, c]);
  for (const steps of [[greedy, after], [after, greedy]]) {
    const { status, value, errors } = await new ReasoningAgent({ name: "a", model: model(), steps }).run("x");
    assert.deepEqual([status, value, errors[0].code, errors[0].step.name], ["done", "after x", "validation", "greedy"]);
  }
});

test("1.3/22 a result that is not passed on is stored, and the next step gets what this one got", async () => {
  const seen = [];
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [
    act("one", { sendToLlm: false }, () => "r1"),
    act("note", { sendToLlm: false, config: { passResult: false } }, () => "aside"),
    act("two", { sendToLlm: false, inputs: 1 }, (latest, context) => seen.push(latest, context.input, context.results.note) && "r2"),
    act("last", { sendToLlm: false, config: { passResult: false } }, () => "unsaid"),
  ] });
  const { value, results } = await agent.run("x");
  assert.deepEqual(seen, ["r1", "r1", "aside"]);
  assert.deepEqual([value, results], ["r2", { one: "r1", note: "aside", two: "r2", last: "unsaid" }]);
});

/** Runs a step that is retried against an endpoint; with the waits that were made. */
async function retried(config, answers, definition) {
  const fetch = endpoint(...answers);
  const waits = [];
  let calls = 0;
  const agent = new ReasoningAgent({ name: "a", model: model(), ...definition, steps: [think("s", { config }, (input) => { calls += 1; return input; })] });
  const result = await agent.run("x", { fetch, clock: { now: Date.now, sleep: async (ms, signal) => new Promise((resolve) => { if (ms < 60_000) waits.push(ms); else return void signal.addEventListener("abort", resolve); resolve(); }) } });
  return { result, requests: fetch.bodies.length, waits, calls };
}

test("1.3/23 retryCount n is up to n + 1 attempts, at once one after another", async () => {
  const { result, requests, waits } = await retried({ retryCount: 2 }, [503, 503, "yes"]);
  assert.deepEqual([result.status, result.value, requests, result.stepResults[0].attempts], ["done", "yes", 3, 3]);
  assert.deepEqual(waits.filter((ms) => ms > 0), []);
  assert.equal((await retried({ retryCount: 2 }, [503])).requests, 3);
  assert.equal((await retried({}, [503])).requests, 1);
});

test("1.3/24 only the model is called again: the step's function is called once", async () => {
  const { requests, calls } = await retried({ retryCount: 2 }, [503, 503, "yes"]);
  assert.deepEqual([requests, calls], [3, 1]);
});

test("1.3/24 a step's function that throws is called once, whatever it throws, and so is a custom run", async () => {
  const lookup = tool({ name: "lookup", execute: () => 1 });
  const policy = { retryPolicy: { maxRetries: 3, backoffMs: 0 } };
  for (const thrown of [new Error("fetch failed"), "text", new StepweaveError("network", "down", { retryable: true })]) {
    let calls;
    const broken = () => { calls += 1; throw thrown; };
    const agents = {
      "calls a model": { steps: [think("s", broken)] },
      "calls a model and has tools": { steps: [think("s", broken)], tools: [lookup] },
      "calls no model": { steps: [act("s", { sendToLlm: false }, broken)] },
      "streams without a model": { steps: [act("s", { sendToLlm: false, stream: true }, function* () { yield "a"; broken(); })] },
      "checks its own value": { steps: [act("s", { sendToLlm: false, jsonOutput: true, returnType: { type: "object" } }, broken)] },
      "counts for itself": { steps: [think("s", { config: { retryCount: 2 } }, broken)] },
      "is a custom run": { steps: [think("s", (input) => input)], run: broken },
    };
    for (const [what, definition] of Object.entries(agents)) {
      calls = 0;
      const { status, error } = await new ReasoningAgent({ name: "a", model: model(), ...policy, ...definition }).run("x", { fetch: endpoint("yes") });
      assert.deepEqual([status, calls], ["error", 1], what);
      assert.equal(error.cause, thrown, what);
    }
  }
});

test("1.3/25 whatever is marked as retryable is repeated, and nothing else", async () => {
  assert.equal((await retried({ retryCount: 3 }, [400])).requests, 1);
  const down = await retried({ retryCount: 1 }, [() => { throw new TypeError("fetch failed"); }, "yes"]);
  assert.deepEqual([down.result.value, down.requests], ["yes", 2]);
});

test("1.3/25 the agent's retry policy gives the waits, and the attempts of steps that say none", async () => {
  const { result, waits, requests } = await retried({}, [503, 503, "yes"], { retryPolicy: { maxRetries: 2, backoffMs: 100 } });
  assert.deepEqual([result.value, requests, waits.filter((ms) => ms > 0)], ["yes", 3, [100, 200]]);
});

test("1.3/26 without the internal retry there is one attempt, whatever the count and the policy say", async () => {
  const { result, requests } = await retried({ retryCount: 5, useInternalRetry: false }, [503], { retryPolicy: { maxRetries: 4, backoffMs: 0 } });
  assert.deepEqual([result.status, requests], ["error", 1]);
});

test("1.3/27 the timeout holds for each attempt, and is an error of its own kind", async () => {
  const slow = act("slow", { sendToLlm: false, config: { timeout: 0.02 } }, () => new Promise((resolve) => setTimeout(resolve, 500, "late")));
  const { status, error } = await new ReasoningAgent({ name: "a", model: model(), steps: [slow] }).run("x");
  assert.deepEqual([status, error.code, error.step.name], ["error", "timeout", "slow"]);
  const never = (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const fetch = endpoint(never, "yes");
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("s", { config: { timeoutMs: 30, retryCount: 1 } }, (input) => input)] });
  const result = await agent.run("x", { fetch });
  assert.deepEqual([result.value, fetch.bodies.length, result.stepResults[0].attempts], ["yes", 2, 2]);
});

test("1.3/27 a run whose options are none is refused", async () => {
  assert.match((await rejection(new ReasoningAgent({ name: "a", model: model(), steps: [after] }).run("x", 5))).message, /must be an object/);
});
