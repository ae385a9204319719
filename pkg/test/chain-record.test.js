import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { demo, openai, tool } from "stepweave";
import { act, canExecuteWith, createAgent, createStepHelper, isCompatibleWith, isIdentifier, ModelConfig, ReasoningAgent, step, stepMetadata, think, toolSelection } from "stepweave/reasoning";
import * as v from "valibot";
import { z } from "zod";
import { choice, echo, endpoint, isChoice, model, refusals } from "./chain-support.js";
import { rejection } from "./support.js";

const text = (input) => input;
const schema = { type: "object", properties: { score: { type: "number" } } };

test("1.4/28 a record has every attribute, with its default", () => {
  const { params, inputs, returns, sampling, ...record } = step({ type: "think", name: "s", func: text });
  assert.deepEqual(record, {
    func: text,
    type: "think",
    name: "s",
    description: undefined,
    model: undefined,
    sendToLlm: true,
    stream: false,
    jsonOutput: false,
    returnType: undefined,
    returnFullResponse: false,
    useTools: true,
    toolSelection: undefined,
    toolModel: undefined,
    metadata: { functionName: "text", description: undefined, params: [], returns: undefined },
    toolDecisions: undefined,
    config: { enabled: true, retryCount: 0, timeoutMs: undefined, required: true, passResult: true, useInternalRetry: true },
  });
  assert.deepEqual({ params, inputs, returns, sampling }, { params: [], inputs: 1, returns: undefined, sampling: { temperature: 0.7, topP: 0.9 } });
});

test("1.4/29 a record never changes, and a run leaves it as it was", async () => {
  const record = think("s", { config: { retryCount: 1 }, params: [{ name: "input", schema: true }] }, text);
  for (const part of [record, record.config, record.params]) assert.ok(Object.isFrozen(part));
  assert.throws(() => void (record.name = "t"), TypeError);
  const before = JSON.stringify(record);
  await new ReasoningAgent({ name: "a", model: demo(), steps: [record] }).run("x");
  assert.equal(JSON.stringify(record), before);
});

test("1.4/30 what is no function is refused", () => {
  assert.deepEqual(refusals(() => step({ type: "think", name: "s", func: "text" })), ["wrong_type"]);
  assert.deepEqual(refusals(() => step({ type: "think", name: "s" })), ["wrong_type"]);
});

test("1.4/31 a step without a name is refused", () => {
  const nameless = [() => ""][0];
  for (const name of ["", null, undefined]) assert.deepEqual(refusals(() => step({ type: "think", name, func: nameless })), ["name_missing"]);
});

test("1.4/32 a name that is no identifier is refused, and shown", () => {
  assert.deepEqual(refusals(() => think("2nd-try", text)), ["name_no_identifier"]);
  assert.throws(() => think("2nd-try", text), { code: "validation", message: /`2nd-try`/, hint: /letters, digits and underscores/ });
});

test("1.4/33 identifiers are of any script and may be words of the language; digits first, dashes and blanks are not", () => {
  for (const name of ["a", "_", "größe", "名前", "class", "a1", "e\u0301"]) assert.ok(isIdentifier(name), name);
  for (const name of ["", "1a", "a-b", "a b", "a.b", "a$", " a", "a\n", "😀"]) assert.ok(!isIdentifier(name), JSON.stringify(name));
  assert.equal(think("größe", text).name, "größe");
});

test("1.4/34 1.5/54 JSON output and the full response exclude each other, in a record and in a helper", () => {
  const options = { jsonOutput: true, returnFullResponse: true };
  assert.deepEqual(refusals(() => step({ type: "act", name: "s", func: text, ...options })), ["json_with_full_response"]);
  assert.throws(() => act("tell", options, text), { message: "the step `tell` has `jsonOutput` and `returnFullResponse`" });
});

test("1.4/35 1.5/52 1.5/53 1.5/55 each exclusion is checked in one place, whichever way a step is made", () => {
  const cases = [
    [{ stream: true, jsonOutput: true }, ["stream_with_json"]],
    [{ stream: true, jsonOutput: true, returnType: schema }, ["stream_with_json", "stream_with_return_type"]],
    [{ stream: true, returnType: schema }, ["stream_with_return_type", "return_type_without_json"]],
    [{ returnType: schema }, ["return_type_without_json"]],
    [{ jsonOutput: true, returnType: schema }, []],
    [{ stream: true, returnFullResponse: true }, []],
  ];
  for (const [options, codes] of cases) {
    for (const make of [() => step({ type: "think", name: "s", func: text, ...options }), () => think("s", options, text), () => think(options, function s() {})]) {
      if (codes.length === 0) make();
      else assert.deepEqual(refusals(make), codes);
    }
  }
});

test("1.4/36 1.5/51 a name that is absent, null or empty is the function's; null means the default", () => {
  function analyse(input) {
    return input;
  }
  for (const name of [undefined, null, ""]) assert.equal(step({ type: "think", name, func: analyse }).name, "analyse");
  const record = step({ type: "think", func: analyse, sendToLlm: null, config: null, description: null });
  assert.deepEqual([record.sendToLlm, record.config.enabled, record.description], [true, true, undefined]);
  assert.equal(step({ type: "think", func: analyse, description: "Looks closely." }).description, "Looks closely.");
});

test("1.4/37 a function without a name needs one, also where it is written in its place", () => {
  const type = "think";
  const ways = [
    () => think((input) => input),
    () => createStepHelper("act")({ description: "d" }, async (input) => input),
    () => step({ type, func: (input) => input }),
    () => step({ type, func: async (input) => input }),
    () => step({ type, func: function (input) { return input; } }),
    () => step({ type, func(input) { return input; } }),
    () => step({ type, name: "", func: (input) => input }),
  ];
  for (const make of ways) assert.deepEqual(refusals(make), ["name_missing"], String(make));
  assert.throws(ways[0], { hint: /think\("analyse"/ });
  assert.equal(step({ type, name: "own", func: (input) => input }).name, "own");
  const func = (input) => input;
  assert.equal(think(func).name, "func");
  // Tools are named in the same way.
  assert.throws(() => tool({ execute: () => 1 }), { message: "a tool has no name" });
  assert.throws(() => new ReasoningAgent({ name: "a", model: demo(), tools: [{ tool: () => 1 }], steps: [] }), { message: "an agent was given a tool that has no name" });
  const execute = () => 1;
  assert.deepEqual([tool(execute).name, tool({ name: "own", execute: () => 1 }).name], ["execute", "own"]);
});

test("1.4/38 the metadata are the function's name and the schemas that were given; without them they are empty and no error", () => {
  const params = [{ name: "topic", schema: { type: "string" } }, { name: "depth", schema: { type: "integer" } }];
  const record = think("ask", { params, returns: { type: "string" }, description: "Asks." }, function inner(topic, depth) { return topic + depth; });
  assert.deepEqual(stepMetadata(record), { functionName: "inner", description: "Asks.", params, returns: { type: "string" } });
  assert.equal(record.metadata, stepMetadata(record));
  assert.equal(step({ type: "think", name: "s", func: () => "" }).metadata.functionName, "");
  assert.equal(record.inputs, 2);
  assert.deepEqual(stepMetadata(think("ask", () => "")), { functionName: "", description: undefined, params: [], returns: undefined });
});

test("1.4/39 schemas are not demanded", () => {
  assert.equal(think("s", { jsonOutput: true }, text).params.length, 0);
});

/** A step that takes these schemas, and one that results in this one. */
const taking = (...schemas) => act("taking", { sendToLlm: false, params: schemas.map((schema, index) => ({ name: `p${index}`, schema })) }, () => 1);
const giving = (returns) => act("giving", { sendToLlm: false, returns }, () => 1);
const integer = { type: "integer" };
const number = { type: "number" };
const standard = { "~standard": { version: 1, vendor: "own", validate: (value) => (typeof value === "string" ? { value } : { issues: [{ message: "no text" }] }) } };

test("1.4/40 a step fits after another whose result has the schema of its first parameter, whatever the order of keys and the notes", async () => {
  const point = { type: "object", properties: { x: number, y: number }, required: ["x"] };
  const same = { required: ["x"], title: "Point", properties: { y: number, x: { ...number, description: "to the right" } }, type: "object" };
  assert.equal(await isCompatibleWith(taking(point, integer), giving(same)), true);
  assert.equal(await isCompatibleWith(taking(integer, point), giving(same)), false);
  assert.equal(await isCompatibleWith(taking(standard), giving(standard)), true);
  // Each of these is the same as itself, written anew, and as no other.
  const types = [
    () => ({ type: "string" }), () => integer, () => number, () => ({ type: "boolean" }), () => ({ type: "array", items: integer }), () => ({ type: "array", items: number }), () => point,
    () => ({ ...point, required: [] }), () => ({ type: ["string", "null"] }),
  ];
  for (const [index, taken] of types.entries()) {
    for (const [other, given] of types.entries()) assert.equal(await isCompatibleWith(taking(taken()), giving(given())), index === other, `${index} ${other}`);
  }
});

test("a schema is the same in whichever spelling it is written", async () => {
  const spellings = [
    [{ type: "string" }, z.string(), toStandardJsonSchema(v.string()), type("string")],
    [{ type: "number" }, z.number(), toStandardJsonSchema(v.number()), type("number")],
    [{ type: "array", items: { type: "boolean" } }, z.array(z.boolean()), toStandardJsonSchema(v.array(v.boolean())), type("boolean[]")],
    [{ type: "object", properties: { x: { type: "string" } }, required: ["x"] }, z.object({ x: z.string() }), toStandardJsonSchema(v.object({ x: v.string() })), type({ x: "string" })],
  ];
  for (const [index, given] of spellings.entries()) {
    for (const [other, taken] of spellings.entries()) {
      for (const [from, one] of given.entries()) {
        for (const [to, two] of taken.entries()) assert.equal(await isCompatibleWith(taking(two), giving(one)), index === other, `${index}.${from} ${other}.${to}`);
      }
    }
  }
  const closed = { type: "object", properties: { x: { type: "string" } }, required: ["x"], additionalProperties: false };
  assert.equal(await isCompatibleWith(taking(closed), giving(z.strictObject({ x: z.string() }))), true);
  assert.equal(await isCompatibleWith(taking(spellings[3][0]), giving(z.strictObject({ x: z.string() }))), false);
  assert.equal(await isCompatibleWith(taking(z.object({ x: z.string().default("a") })), giving(z.object({ x: z.string() }))), false);
  assert.equal(await isCompatibleWith(taking({ type: "string" }), giving(z.string().transform(Number))), false);
});

test("1.4/41 a step that does not say what it takes, or what it gives, fits nowhere", async () => {
  for (const mode of ["exact", "assignable"]) {
    assert.equal(await isCompatibleWith(taking(), giving(integer), mode), false);
    assert.equal(await isCompatibleWith(taking(integer), giving(undefined), mode), false);
  }
});

test("1.4/42 the one who takes asks about the one who gives", async () => {
  const both = act("both", { sendToLlm: false, params: [{ name: "n", schema: integer }], returns: { type: "string" } }, () => "");
  assert.equal(await isCompatibleWith(both, giving(integer)), true);
  assert.equal(await isCompatibleWith(giving(integer), both), false);
  assert.equal(await isCompatibleWith(both, both), false);
});

test("1.4/43 exact is the default; assignable takes what allows nothing else", async () => {
  const cases = [[number, integer], [{ type: ["string", "null"] }, { type: "string" }], [true, integer], [{ anyOf: [integer, { type: "string" }] }, { type: "string" }]];
  for (const [taken, given] of cases) {
    assert.equal(await isCompatibleWith(taking(taken), giving(given)), false);
    assert.equal(await isCompatibleWith(taking(taken), giving(given), "assignable"), true);
    assert.equal(await isCompatibleWith(taking(given), giving(taken), "assignable"), false);
  }
  const other = { "~standard": { ...standard["~standard"] } };
  assert.equal(await isCompatibleWith(taking(standard), giving(other), "assignable"), false, "what a library cannot tell is not taken for granted");
  assert.equal((await rejection(isCompatibleWith(taking(number), giving(number), "close"))).code, "validation");
});

test("1.4/44 a step can be given a value of its first parameter, and anything when it does not say", async () => {
  assert.equal(await canExecuteWith(taking(), { any: "thing" }), true);
  assert.deepEqual(await Promise.all([5, 5.5, "5", null].map((value) => canExecuteWith(taking(integer, { type: "string" }), value))), [true, false, false, false]);
  assert.deepEqual(await Promise.all(["5", 5].map((value) => canExecuteWith(taking(standard), value))), [true, false]);
});

test("1.4/45 lists are looked into", async () => {
  const list = taking({ type: "array", items: integer });
  assert.deepEqual(await Promise.all([[1, 2, 3], [], [1, "2"], 1].map((value) => canExecuteWith(list, value))), [true, true, false, false]);
});

test("1.4/46 true and false are no integers", async () => {
  assert.equal(await canExecuteWith(taking(integer), true), false);
});

test("1.4/47 the text form has these parts in this order", () => {
  assert.equal(String(think("s", text)), "Step(s) | Type: THINK");
  const options = { jsonOutput: true, model: { name: "m", temperature: 0 }, description: "Thinks." };
  assert.equal(`${think("s", options, text)}`, "Step(s) | Type: THINK | Description: Thinks. | Model: m | JSON output enabled");
  assert.equal(think("s", { model: openai("gpt-5-mini") }, text).toString(), "Step(s) | Type: THINK | Model: gpt-5-mini");
});

test("1.5/48 a factory makes the helper of a type, and there are four of them ready", () => {
  const record = createStepHelper("synthesize")("s", text);
  assert.deepEqual([record.type, record.name], ["synthesize", "s"]);
});

test("1.5/49 the name comes first, then every option, then the function", () => {
  const options = {
    model: "m", description: "d", sendToLlm: true, stream: false, jsonOutput: false, returnType: null, returnFullResponse: true,
    useTools: false, toolConfidence: 0.5, toolModel: "t", maxToolsPerStep: 1, config: { retryCount: 1 },
  };
  const record = act("s", options, text);
  assert.deepEqual(
    [record.model.name, record.description, record.returnFullResponse, record.useTools, record.toolSelection, record.toolModel.name, record.config.retryCount],
    ["m", "d", true, false, { confidenceThreshold: 0.5, maxToolsPerStep: 1 }, "t", 1],
  );
  assert.throws(() => act("s", { sendToLLM: false }, text), { message: "the step `s` has no option `sendToLLM`", hint: "did you mean `sendToLlm`?" });
  assert.deepEqual(refusals(() => act("s", { stream: "yes", description: 5, inputs: -1 }, text)), ["wrong_type", "wrong_type", "wrong_type"]);
  assert.deepEqual(refusals(() => act(5, text)), ["wrong_type"]);
  for (const wrong of [[5], ["s", 5], ["s", {}, {}], ["s", {}, {}, text]]) assert.throws(() => act(...wrong), { code: "validation", message: "act() takes a name, options and, last, a function" });
});

test("1.5/50 a helper takes the function alone, with a name, with options, or with both", () => {
  function own(input) {
    return input;
  }
  assert.deepEqual([think(own), think("other", own), think({ description: "d" }, own), think("other", { description: "d" }, own)].map(String), [
    "Step(own) | Type: THINK",
    "Step(other) | Type: THINK",
    "Step(own) | Type: THINK | Description: d",
    "Step(other) | Type: THINK | Description: d",
  ]);
});

test("1.5/56 a tool selection excludes each of the short options", () => {
  for (const short of [{ toolConfidence: 0.5 }, { toolModel: "m" }, { maxToolsPerStep: 2 }]) {
    assert.deepEqual(refusals(() => think("s", { toolSelection: { confidenceThreshold: 0.8 }, ...short }, text)), ["tool_selection_twice"]);
  }
});

test("1.4/28 the first example of the record's page runs: a selection and a model that chooses stand side by side", async () => {
  const fetch = endpoint((prompt) => (isChoice(prompt) ? choice({ tool_name: "add", arguments: { a: 2, b: 3 }, confidence: 0.75, reasoning: "r" }, { tool_name: "add", arguments: { a: 2, b: 4 }, confidence: 0.85, reasoning: "r" }) : "yes"));
  const example = (data) => `Analyse: ${data}`;
  const options = { name: "analyze", useTools: true, toolSelection: toolSelection({ confidence_threshold: 0.8 }), toolModel: new ModelConfig({ name: "llama-2", temperature: 0 }) };
  const made = step({ func: example, type: "think", ...options });
  assert.deepEqual([made.toolSelection.confidenceThreshold, made.toolModel.name], [0.8, "llama-2"]);
  const add = tool({ name: "add", execute: ({ a, b }) => a + b });
  const { status, records } = await new ReasoningAgent({ name: "a", model: model("main"), tools: [add], steps: [made] }).run("x", { fetch });
  assert.deepEqual([status, fetch.bodies.map(({ model, temperature }) => [model, temperature])], ["done", [["llama-2", 0], ["main", 0.7]]]);
  assert.deepEqual(records.analyze.toolDecisions.map(({ result }) => result), [6]);
  // A selection is said once; the helpers, the agent and the agent of one step take a model that chooses as one of the short options.
  const type = "think";
  for (const short of [{ toolConfidence: 0.5 }, { maxToolsPerStep: 2 }]) assert.deepEqual(refusals(() => step({ type, func: example, ...options, ...short })), ["tool_selection_twice"]);
  for (const make of [
    () => think(options, example),
    () => new ReasoningAgent({ name: "a", model: demo(), steps: [], toolSelection: {}, toolModel: "m" }),
    () => createAgent({ role: "r", systemPrompt: "s", model: demo(), toolSelection: {}, toolModel: "m" }),
  ]) assert.deepEqual(refusals(make), ["tool_selection_twice"]);
});

test("1.5/57 1.5/58 the short options make a selection with the rest at the defaults; a tool model alone makes none", () => {
  const selection = (options) => think("s", options, text).toolSelection;
  assert.deepEqual(selection({ toolConfidence: 0.9 }), { confidenceThreshold: 0.9, maxToolsPerStep: 3 });
  assert.deepEqual(selection({ maxToolsPerStep: 1 }), { confidenceThreshold: 0.7, maxToolsPerStep: 1 });
  assert.deepEqual(selection({ toolSelection: { promptTemplate: "{task}" } }), { confidenceThreshold: 0.7, maxToolsPerStep: 3, promptTemplate: "{task}" });
  assert.equal(selection({ toolModel: "m" }), undefined);
  assert.equal(selection({}), undefined);
});

test("1.5/59 a tool model is a name, an object, or taken as it is", () => {
  const toolModel = (toolModel) => think("s", { toolModel }, text).toolModel;
  assert.equal(toolModel("m").name, "m");
  assert.equal(toolModel({ name: "m", temperature: 0 }).temperature, 0);
  const config = new ModelConfig({ name: "m" });
  const whole = openai("m");
  assert.equal(toolModel(config), config);
  assert.equal(toolModel(whole), whole);
});

test("1.5/60 a step that sends nothing has no model", () => {
  assert.equal(think("s", { model: "m", sendToLlm: false }, text).model, undefined);
  assert.equal(think("s", { model: "m" }, text).model.name, "m");
  assert.equal(think("s", text).model, undefined);
});

test("1.5/61 what is no schema is refused as a return type", () => {
  for (const returnType of ["number", 5, [], class Model {}]) assert.deepEqual(refusals(() => think("s", { jsonOutput: true, returnType }, text)), ["unknown_schema"]);
  for (const returnType of [schema, true, standard, Object.assign(() => {}, standard)]) assert.equal(think("s", { jsonOutput: true, returnType }, text).returnType, returnType);
});

test("1.5/62 1.5/63 1.5/65 a record's own function is the function that was given, and runs without the engine", () => {
  const record = think("s", (input) => `Think: ${input}`);
  assert.equal(record.func("x"), "Think: x");
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [record] });
  assert.equal(agent.findStep("s").func("y"), "Think: y");
});

test("1.5/64 in a run of an agent a step goes through the engine", async () => {
  const fetch = echo();
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("s", (input) => `Think: ${input}`)], run: (input, { steps }) => steps.s(input) });
  assert.equal((await agent.run("x", { fetch })).value, "<Think: x>");
});

test("1.5/66 outside a run, a step of an agent refuses to be called", async () => {
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [think("s", text)] });
  const error = await rejection(agent.steps.s("x"));
  assert.deepEqual([error.code, error.message], ["validation", "the step `s` of a can be called only while a custom run goes on"]);
  assert.match(error.hint, /agent\.steps\.s\(input\)/);
});

test("every fault of a step is reported at once, with a code and a hint for each", () => {
  try {
    think("2", { jsonOutput: true, returnFullResponse: true, nme: "x", config: { timeout: -1 } }, text);
    assert.fail("nothing was refused");
  } catch (error) {
    assert.equal(error.code, "validation");
    assert.deepEqual(error.problems.map(({ code }) => code), ["unknown_option", "name_no_identifier", "json_with_full_response", "wrong_type"]);
    for (const { hint, message } of error.problems) assert.ok(hint !== "" && error.message.includes(message));
  }
});

test("a step that takes a JSON Schema can be given no value that JSON cannot hold", async () => {
  const takes = (schema) => act("a", { sendToLlm: false, params: [{ name: "n", schema }] }, (n) => n);
  for (const [schema, value] of [[{ type: "number" }, NaN], [{ type: "object" }, new Date(0)], [true, new Map()], [{ type: "array" }, [() => 1]]]) {
    assert.equal(await canExecuteWith(takes(schema), value), false);
  }
  assert.equal(await canExecuteWith(takes({ type: "object" }), { at: 0 }), true);
  assert.equal(await canExecuteWith(takes(z.date()), new Date(0)), true);
});
