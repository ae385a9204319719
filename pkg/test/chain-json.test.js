import assert from "node:assert/strict";
import { test } from "node:test";
import { type as arktype } from "arktype";
import { tool } from "stepweave";
import { act, observe, ReasoningAgent, think } from "stepweave/reasoning";
import { z } from "zod";
import { choice, endpoint, isChoice, model } from "./chain-support.js";
import { eventsOf } from "./support.js";

const rated = { type: "object", properties: { score: { type: "number" }, tags: { type: "array", items: { type: "string" } } }, required: ["score"] };
const ask = (options = {}) => think("ask", { jsonOutput: true, ...options }, (input) => `Rate ${input}.`);
const local = (func, options = {}) => act("rate", { sendToLlm: false, jsonOutput: true, ...options }, func);

/** What came of an agent with these steps, and what was sent. */
async function answered(answer, steps, definition) {
  const fetch = endpoint(...[answer].flat());
  const result = await new ReasoningAgent({ name: "a", model: model(), steps: [steps].flat(), ...definition }).run("x", { fetch });
  return { ...result, fetch };
}
const valueOf = async (...given) => {
  const { status, value, error } = await answered(...given);
  assert.equal(status, "done", String(error));
  return value;
};

test("1.10/113 a step that wants JSON requests it from the provider, with the shape of an object where none is said", async () => {
  const body = async (options) => (await answered('{"score":1}', ask(options))).fetch.bodies[0];
  const schemaIn = ({ type, json_schema: { schema } }) => [type, schema];
  assert.deepEqual(schemaIn((await body({ returnType: rated })).response_format), ["json_schema", rated]);
  assert.deepEqual(schemaIn((await body({})).response_format), ["json_schema", { type: "object" }]);
  assert.equal((await answered("text", think("ask", (input) => input))).fetch.bodies[0].response_format, undefined);
});

test("1.10/114 JSON is parsed, whatever it is; an answer that is none fails with a validation error", async () => {
  for (const value of [{ a: [1, null] }, [1, 2], 5, "text", true]) assert.deepEqual(await valueOf(JSON.stringify(value), ask()), value);
  const { status, error, stepResults, fetch } = await answered("It is good.", ask());
  assert.deepEqual([status, error.code, error.step.name, error.message], ["error", "validation", "ask", "the answer of `ask` is no JSON: It is good."]);
  assert.deepEqual([stepResults[0].status, fetch.bodies.length], ["error", 2]);
});

test("1.10/115 without a return type the schema that the step says it returns is used", async () => {
  const { status, error } = await answered('{"score":"high"}', ask({ returns: rated }));
  assert.deepEqual([status, error.code, error.problems.map(({ path }) => path)], ["error", "validation", ["score"]]);
  assert.deepEqual(await valueOf('[{"score":1}]', ask({ returns: { type: "array", items: rated } })), [{ score: 1 }]);
  assert.equal(await valueOf("text", think("ask", { returns: rated }, (input) => input)), "text");
});

test("1.10/116 fences around the JSON are taken away, with the word json or without", async () => {
  for (const answer of ['```json\n{"score":1}\n```', '```\n{"score":1}\n```', '  ```json{"score":1}```\n']) assert.deepEqual(await valueOf(answer, ask({ returnType: rated })), { score: 1 });
});

test("1.10/117 what plainly means the right type is converted, and unknown fields do no harm; a library's schema gives its own value", async () => {
  assert.deepEqual(await valueOf('{"score":"4.5","extra":1}', ask({ returnType: rated })), { score: 4.5, extra: 1 });
  const zod = z.object({ score: z.coerce.number(), level: z.string().default("low") });
  assert.deepEqual(await valueOf('{"score":"4.5","extra":1}', ask({ returnType: zod })), { score: 4.5, level: "low" });
  assert.deepEqual(await valueOf('{"score":4}', ask({ returnType: arktype({ score: "number" }) })), { score: 4 });
});

test("1.10/118 JSON that does not fit fails with a validation error that lists the places", async () => {
  const { error } = await answered('{"score":"high","tags":["a",{}]}', ask({ returnType: rated }));
  assert.deepEqual([error.code, error.step.name, error.problems.map(({ path }) => path)], ["validation", "ask", ["score", "tags[1]"]]);
  assert.match(error.message, /`score` must be a number.*`tags\[1\]` must be a string/);
  const zod = await answered('{"score":"high"}', ask({ returnType: z.object({ score: z.number(), tags: z.array(z.string()) }) }));
  assert.deepEqual([zod.error.code, zod.error.problems.map(({ path }) => path)], ["validation", ["score", "tags"]]);
});

test("1.10/118 1.3/25 what was wrong with its JSON goes back to a model once; the step's retries call it again", async () => {
  const mended = await answered(['{"score":"high"}', '{"score":5}'], ask({ returnType: rated }));
  assert.deepEqual([mended.value, mended.fetch.bodies.length, mended.stepResults[0].attempts], [{ score: 5 }, 2, 1]);
  assert.match(mended.fetch.bodies[1].prompt, /`score` must be a number/);
  const again = await answered(["no", "no", '{"score":5}'], ask({ returnType: rated, config: { retryCount: 1 } }));
  assert.deepEqual([again.value, again.fetch.bodies.length, again.stepResults[0].attempts], [{ score: 5 }, 3, 2]);
});

test("1.10/119 a step that is not required may answer what does not fit: the run goes on, with what was wrong as data", async () => {
  const { status, value, errors, results } = await answered('{"score":"high"}', [ask({ returnType: rated, config: { required: false } }), act("after", { sendToLlm: false }, (input) => input)]);
  assert.deepEqual([status, value, results.ask], ["done", "x", undefined]);
  assert.deepEqual(errors[0].problems.map(({ path, code }) => [path, code]), [["score", "type"]]);
});

test("1.10/120 what a step computes itself is checked too: data as it is, a text as the JSON that it has", async () => {
  const given = (value, options) => valueOf("", local(() => value, options));
  assert.deepEqual(await given({ score: "4.5" }, { returnType: rated }), { score: 4.5 });
  assert.deepEqual(await given('```json\n{"score":1}\n```', { returnType: rated }), { score: 1 });
  assert.deepEqual(await given([1, 2], {}), [1, 2]);
  assert.deepEqual(await given({ score: 1, x: 2 }, { returnType: z.object({ score: z.number() }) }), { score: 1 });
  const wrong = await answered("", local(() => ({ score: "high" }), { returnType: rated, config: { retryCount: 2 } }));
  assert.deepEqual([wrong.status, wrong.error.code, wrong.error.step.id, wrong.error.problems.map(({ path }) => path)], ["error", "validation", "rate", ["score"]]);
  assert.equal((await answered("", local(() => "It is good."))).error.message, "the answer of `rate` is no JSON: It is good.");
  const none = await answered("", local(() => null, { returnType: rated }));
  assert.deepEqual([none.status, none.value, none.results, none.fetch.bodies.length], ["done", "x", {}, 0]);
  const boom = new TypeError("boom");
  const thrown = await answered("", local(() => { throw boom; }));
  assert.deepEqual([thrown.error.code, thrown.error.cause, thrown.error.step.id], ["handler", boom, "rate"]);
});

test("what a step computes and JSON cannot hold is refused where it is checked too, and nobody reads that it was asked for again", async () => {
  const refusal = async (value, options) => {
    const { status, error } = await answered("", local(() => value, options));
    return [status, error?.code, error?.message, error?.hint];
  };
  assert.deepEqual(await refusal(NaN), ["error", "handler", "`rate` returned what JSON cannot hold: rate_output is NaN", "return null, or leave rate_output out"]);
  assert.deepEqual(await refusal({ tags: new Map() }), ["error", "handler", "`rate` returned what JSON cannot hold: rate_output.tags is a Map", "return Object.fromEntries(tags)"]);
  assert.deepEqual((await refusal({ score: 1, tags: [() => 1] }, { returnType: rated })).slice(0, 3), ["error", "handler", "`rate` returned what JSON cannot hold: rate_output.tags[0] is a function"]);
  const [, code, message] = await refusal({ text: "x".repeat(9_000_000) });
  assert.deepEqual([code, message], ["limit", "`rate` gave more than 8388608 bytes of JSON, the limit of what is checked"]);
  assert.deepEqual((await refusal({ score: "high" }, { returnType: rated })).slice(1), ["validation", "the answer of `rate` does not fit its schema: `score` must be a number, but is \"high\"", "change the value, or the schema if the value is right"]);
});

test("1.10/121 what was checked is the step's output, and what was wrong is in its error: the places, the rules, the words and a hint", async () => {
  const fine = await answered('{"score":1}', ask({ returnType: rated }));
  assert.deepEqual([fine.stepResults[0].output, fine.stepResults[0].error], [{ score: 1 }, undefined]);
  const { stepResults } = await answered("{}", ask({ returnType: rated }));
  const [{ error, output }] = stepResults;
  assert.deepEqual([output, error.problems, error.hint !== ""], [undefined, [{ path: "score", code: "required", message: "`score` is missing", hint: "change the value, or the schema if the value is right", severity: "error" }], true]);
});

test("1.10/122 the full response has the text, why it ended, the model and what it used; it is stored and passed on", async () => {
  const seen = [];
  const { results, value, text } = await answered("good", [think("ask", { returnFullResponse: true }, (input) => input), act("look", { sendToLlm: false }, (response) => void seen.push(response))]);
  const response = { text: "good", usage: { inputTokens: 3, outputTokens: 2 }, finishReason: "stop", model: "m" };
  assert.deepEqual([seen, results, value, text], [[response], { ask: response }, response, undefined]);
});

test("1.8/96 a step with a return type may give a value in place of a prompt: it is checked, and no model is called", async () => {
  const giving = (value, options) => think("ask", { jsonOutput: true, returnType: rated, ...options }, () => value);
  const { value, results, fetch, stepResults } = await answered("", giving({ score: "5" }));
  assert.deepEqual([value, results, fetch.bodies.length, stepResults.length, stepResults[0].usage], [{ score: 5 }, { ask: { score: 5 } }, 0, 1, undefined]);
  const wrong = await answered("", giving({ score: "high" }));
  assert.deepEqual([wrong.error.code, wrong.error.step.id, wrong.error.problems.map(({ path }) => path), wrong.fetch.bodies.length], ["validation", "ask", ["score"], 0]);
  assert.deepEqual((await answered('{"score":1}', giving("Rate it."))).fetch.prompts().length, 1);
  for (const options of [{ returnType: undefined }, { returnType: undefined, jsonOutput: false }]) {
    const { error } = await answered("", giving({ score: 1 }, options));
    assert.deepEqual([error.code, error.message], ["handler", "the step `ask` returned an object, not the text of a prompt"]);
  }
  assert.equal((await answered("", giving(null))).error.message, "the step `ask` returned nothing, not the text of a prompt");
});

test("a step may use tools and answer in JSON; a value that it gives itself needs no tools", async () => {
  const add = tool({ name: "add", input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] }, execute: ({ a }) => a + 1 });
  const answer = (prompt) => (isChoice(prompt) ? choice(["add", { a: 1 }]) : `{"score":${/Result: (\d)/.exec(prompt)[1]}}`);
  const { value, stepResults, fetch } = await answered(answer, ask({ returnType: rated }), { tools: [add] });
  assert.deepEqual([value, stepResults.length, stepResults[0].toolDecisions.length, fetch.bodies.length], [{ score: 2 }, 1, 1, 2]);
  const given = await answered(answer, think("ask", { jsonOutput: true, returnType: rated }, () => ({ score: 9 })), { tools: [add] });
  assert.deepEqual([given.value, given.fetch.bodies.length, given.stepResults[0].toolDecisions], [{ score: 9 }, 0, undefined]);
});

test("what a step computes and has checked is emitted as one step, without pieces", async () => {
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [local(() => ({ score: 1 }), { returnType: rated })] });
  const events = await eventsOf(agent.start("x", { stream: true }));
  assert.deepEqual(events.map(({ type, step }) => (step ? `${type} ${step.id}` : type)), ["run.start", "step.start rate", "step.done rate", "run.done"]);
  assert.deepEqual([events[2].output, Object.keys(events.at(-1).result.state)], [{ score: 1 }, ["input", "rate_output"]]);
});
