// What a schema fills in and converts, in every spelling and wherever a schema may stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Agent, customModel, demo, tool, validate, Workflow } from "stepweave";
import { ReasoningAgent } from "stepweave/reasoning";
import * as v from "valibot";
import { z } from "zod";

/** A model that gives these answers in turn. */
function answering(...answers) {
  const left = [...answers];
  return customModel("scripted", () => left.shift());
}

/** Runs one step that keeps what it sees. */
async function seen(step, state, more = {}) {
  let given;
  const keep = { name: "keep", run: (found) => { given = found; }, ...step };
  const result = await new Workflow({ name: "t", steps: [keep], ...more }).run({ state });
  return { ...result, given: given && { ...given } };
}

const filling = {
  "JSON Schema": { type: "object", properties: { size: { type: "integer", default: 3 }, tags: { type: "array", items: { type: "object", properties: { on: { default: true } } } } }, required: ["size", "tags"] },
  zod: z.looseObject({ size: z.int().default(3), tags: z.array(z.looseObject({ on: z.boolean().default(true) })) }),
  valibot: toStandardJsonSchema(v.looseObject({ size: v.optional(v.number(), 3), tags: v.array(v.looseObject({ on: v.optional(v.boolean(), true) })) })),
  arktype: type({ size: "number = 3", tags: type({ on: "boolean = true" }).array() }),
};

for (const [spelling, schema] of Object.entries(filling)) {
  const given = { tags: [{ name: "a" }, { on: false }] };
  const whole = { size: 3, tags: [{ name: "a", on: true }, { on: false }] };

  test(`${spelling}: a default stands in the input of a step, which the state does not keep`, async () => {
    const result = await seen({ input: schema }, given);
    assert.deepEqual([result.status, result.given, result.state], ["done", whole, given]);
  });

  test(`${spelling}: in what a step gives`, async () => {
    const result = await new Workflow({ name: "t", steps: [{ name: "make", run: () => given, output: schema }] }).run();
    assert.deepEqual([result.status, result.state], ["done", whole]);
  });

  test(`${spelling}: in the input and the output of the workflow`, async () => {
    assert.deepEqual((await seen({}, given, { input: schema })).given, whole);
    const result = await new Workflow({ name: "t", output: schema, steps: [{ name: "make", run: () => given }] }).run();
    assert.deepEqual([result.status, result.state], ["done", whole]);
  });

  test(`${spelling}: in the arguments of a tool`, async () => {
    let args;
    const keep = tool({ name: "keep", input: schema, execute: (found) => { args = found; return "kept"; } });
    const agent = new Agent({ name: "a", model: answering([{ type: "toolCall", name: "keep", input: given }, { type: "finish", reason: "toolCalls" }], "Done."), tools: [keep] });
    const result = await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] }).run();
    assert.deepEqual([result.status, args], ["done", whole]);
  });

  test(`${spelling}: in the answer of an agent`, async () => {
    const agent = new Agent({ name: "a", model: answering(JSON.stringify(given)), output: schema });
    const result = await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] }).run();
    assert.deepEqual([result.status, result.state.ask_output], ["done", whole]);
  });
}

test("a default stands in the answer to an approval, now and when it is replayed", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "boss", type: "approval", schema: { properties: { ok: { type: "boolean" }, note: { default: "none" } }, required: ["ok", "note"] } }] });
  const first = await workflow.run({ journal: true, answers: { boss: { ok: true } } });
  const again = await workflow.run({ journal: first.journal, replay: "strict" });
  for (const result of [first, again]) assert.deepEqual(result.state, { boss_output: { ok: true, note: "none" } });
});

test("a default that a library makes anew for each value is not taken from its JSON Schema", async () => {
  let count = 0;
  const ids = [];
  const keep = tool({ name: "keep", input: z.object({ id: z.string().default(() => `id${(count += 1)}`) }), execute: ({ id }) => { ids.push(id); return "kept"; } });
  const call = () => [{ type: "toolCall", name: "keep", input: {} }, { type: "finish", reason: "toolCalls" }];
  const agent = new Agent({ name: "a", model: answering(call(), call(), "Done."), tools: [keep] });
  await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] }).run();
  assert.equal(new Set(ids).size, 2, ids.join());
});

const converting = {
  "JSON Schema": { properties: { n: { type: "number" }, on: { type: "boolean" }, word: { type: "string" }, list: { type: "array", items: { type: "integer" } } } },
  zod: z.looseObject({ n: z.number(), on: z.boolean(), word: z.string(), list: z.array(z.int()) }),
  valibot: v.looseObject({ n: v.number(), on: v.boolean(), word: v.string(), list: v.array(v.pipe(v.number(), v.integer())) }),
  "valibot that exposes its JSON Schema": toStandardJsonSchema(v.looseObject({ n: v.number(), on: v.boolean(), word: v.string(), list: v.array(v.number()) })),
  arktype: type({ n: "number", on: "boolean", word: "string", list: "number.integer[]" }),
};

for (const [spelling, schema] of Object.entries(converting)) {
  const loose = { n: "2.5", on: "TRUE", word: 7, list: ["1", 2, "3"] };
  const strict = { n: 2.5, on: true, word: "7", list: [1, 2, 3] };

  test(`${spelling}: coerce converts what plainly means the right type, on the way in and out`, async () => {
    const result = await seen({ input: schema, coerce: true }, loose);
    assert.deepEqual([result.status, result.given], ["done", strict], result.errors[0]?.message);
    const made = await new Workflow({ name: "t", steps: [{ name: "make", run: () => loose, output: schema, coerce: true }] }).run();
    assert.deepEqual(made.state, strict);
  });

  test(`${spelling}: without coerce nothing is converted`, async () => {
    assert.equal((await seen({ input: schema }, loose)).status, "error");
  });

  test(`${spelling}: what was converted is not blamed for what could not be`, async () => {
    const { status, errors } = await seen({ input: schema, coerce: true }, { ...loose, n: "many" });
    assert.equal(status, "error");
    assert.match(errors[0].message, /^the input of `keep` does not fit its schema: /);
    assert.deepEqual(errors[0].problems.map(({ path }) => path), ["n"]);
    assert.ok(!/`on`|`word`|`list/.test(errors[0].message), errors[0].message);
    assert.ok(!("faults" in errors[0]) && !("faults" in errors[0].toJSON()));
  });

  // A model cannot be told of it.
  if (spelling !== "valibot") test(`${spelling}: the answers of agents are converted`, async () => {
    const agent = new Agent({ name: "a", model: answering(JSON.stringify(loose)), output: schema });
    const result = await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] }).run();
    assert.deepEqual([result.status, result.state.ask_output], ["done", strict], result.errors[0]?.message);
  });

  test(`${spelling}: many texts are all converted`, async () => {
    const list = Array.from({ length: 120 }, (_, index) => String(index));
    const result = await seen({ input: schema, coerce: true }, { ...strict, list });
    assert.deepEqual([result.status, result.given?.list.at(-1)], ["done", 119], result.errors[0]?.message);
  });
}

test("a text becomes what a JSON Schema wants, however that is written", async () => {
  const number = { type: "number" };
  const wanting = [{ type: ["number", "null"] }, { anyOf: [number, { type: "null" }] }, { oneOf: [number, { type: "null" }] }, { anyOf: [number, { type: "integer" }] }, { enum: [1, 2, 3] }, { const: 3 }, { anyOf: [{ const: 3 }, { enum: ["a"] }] }, { allOf: [number] }];
  for (const n of wanting) {
    const { status, given, errors } = await seen({ input: { properties: { n } }, coerce: true }, { n: "3" });
    assert.deepEqual([status, given?.n], ["done", 3], `${JSON.stringify(n)} ${errors[0]?.message}`);
  }
  for (const [n, value] of [[{ enum: [1, 2] }, "3"], [{ const: 3 }, "three"], [{ anyOf: [{ type: "null" }, { type: "object" }] }, "3"], [{ anyOf: [{ const: 5 }, { const: "5" }] }, true], [{ anyOf: [{ properties: { n: number }, type: "object" }, { type: "null" }] }, { n: "3" }]]) {
    assert.equal((await seen({ input: { properties: { n } }, coerce: true }, { n: value })).status, "error", JSON.stringify(n));
  }
});

test("a text with more digits than a number has is not converted", async () => {
  for (const [spelling, schema] of Object.entries({ "JSON Schema": { properties: { n: { type: "number" } } }, zod: z.looseObject({ n: z.number() }), valibot: v.looseObject({ n: v.number() }) })) {
    for (const n of ["9007199254740993", "-9007199254740993", "12345678901234567890123", "9007199254740993.0"]) assert.equal((await seen({ input: schema, coerce: true }, { n })).status, "error", `${spelling}: ${n}`);
    for (const [n, number] of [["9007199254740991", 2 ** 53 - 1], ["1e21", 1e21], ["0.5", 0.5], ["2.0", 2]]) assert.equal((await seen({ input: schema, coerce: true }, { n })).given?.n, number, `${spelling}: ${n}`);
  }
});

test("what a library refuses for another reason is not converted", async () => {
  for (const schema of [z.looseObject({ code: z.string().min(3) }), v.looseObject({ code: v.pipe(v.string(), v.minLength(3)) }), { properties: { code: { type: "string", minLength: 3 } } }]) {
    const { status, errors } = await seen({ input: schema, coerce: true }, { code: "12" });
    assert.equal(status, "error");
    assert.deepEqual(errors[0].problems.map(({ path }) => path), ["code"]);
  }
});

test("a check is called a bounded number of times, and what it throws is reported", async () => {
  let calls = 0;
  const stubborn = { "~standard": { version: 1, vendor: "mine", validate: (value) => { calls += 1; return { issues: Object.keys(value).map((key) => ({ message: "no", path: [key] })) }; } } };
  const { status } = await seen({ input: stubborn, coerce: true }, { a: "1", b: "true", c: 3 });
  assert.deepEqual([status, calls], ["error", 4]);
  const throwing = { "~standard": { version: 1, vendor: "mine", validate: (value) => { if (typeof value.a === "number") throw new Error("boom"); return { issues: [{ message: "no", path: ["a"] }] }; } } };
  const { errors } = await seen({ input: throwing, coerce: true }, { a: "1" });
  assert.match(errors[0].message, /the mine schema threw: boom/);
});

test("a message names five problems, and how many more there are", async () => {
  const wrong = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, "x"]));
  for (const schema of [z.record(z.string(), z.number()), { additionalProperties: { type: "number" } }]) {
    const { errors } = await seen({ input: schema }, wrong);
    assert.match(errors[0].message, /; and 4 more$/);
    assert.equal(errors[0].problems.length, 9);
  }
});

test("a rule that is very long is not shown in full", async () => {
  const { errors } = await seen({ input: { properties: { a: { enum: Array.from({ length: 50_000 }, (_, index) => `word${index}`) } } } }, { a: "x" });
  assert.ok(errors[0].message.length < 500, String(errors[0].message.length));
});

const document = (more) => ({ version: 1, name: "t", steps: [{ id: "s1", type: "function", name: "a", run: { set: { x: "1" } } }], ...more });

test("validate reports what is wrong with schemas, each with its path, also beside other problems", async () => {
  const bad = document({
    input: { properties: { list: { prefixItems: [{ pattern: "(?=x)" }] } } },
    tools: { unused: { input: { patternProperties: { "(a)\\1": {} } } } },
    steps: [
      { id: "s1", type: "function", name: "a", run: { set: { x: "1" } }, output: { properties: { n: { type: "text" } } } },
      { id: "s2", type: "approval", name: "b", schema: { $ref: "#/nowhere" } },
    ],
  });
  const expected = [
    ["input.properties.list.prefixItems[0].pattern", "pattern"],
    ["steps[0].output.properties.n.type", "schema"],
    ['steps[1].schema["$ref"]', "schema"],
    ['tools.unused.input.patternProperties["(a)\\\\1"]', "pattern"],
  ];
  const reported = (problems) => problems.map(({ path, code, hint, severity }) => (assert.ok(hint.length > 10 && severity === "error"), [path, code]));
  const problems = reported(await validate(bad));
  for (const one of expected) assert.ok(problems.some((other) => String(other) === String(one)), `${one} of ${problems.join(" ")}`);
  const beside = reported(await validate({ ...bad, stps: 1 }));
  assert.ok(beside.some(([, code]) => code === "unknown_key"));
  for (const one of expected) assert.ok(beside.some((other) => String(other) === String(one)), `${one} of ${beside.join(" ")}`);
});

test("a schema that shares its members is refused before it is written out", async () => {
  let shared = { type: "string" };
  for (let depth = 0; depth < 60; depth += 1) shared = { anyOf: [shared, shared] };
  const schema = { type: "object", properties: { n: shared } };
  const used = tool({ name: "t", input: schema, execute: () => 1 });
  const step = { name: "s", run: () => ({}) };
  const agent = (more) => new Agent({ name: "a", model: demo(), ...more });
  const document = { version: 1, name: "w", input: schema, steps: [] };
  for (const begin of [
    () => new Workflow({ name: "w", steps: [{ ...step, input: schema }] }).run(),
    () => new Workflow({ name: "w", output: schema, steps: [step] }).run(),
    () => new Workflow({ name: "w", steps: [{ name: "ask", type: "approval", input: schema }] }).run(),
    () => agent({ output: schema }).run("x"),
    () => agent({ tools: [used] }).run("x"),
    () => Workflow.fromDocument(document).run(),
    () => validate(document),
  ]) await assert.rejects(async () => begin(), (error) => error.code === "limit" && error.message.includes("stand in it several times"));
});

test("a run does not begin with such a schema, and says the same", async () => {
  for (const [schema, message] of [[{ pattern: "(?!a)" }, /`input` cannot be used: the schema's \/pattern has look-around/], [{ pattern: "\\1(a)" }, /back reference/]]) {
    const error = await Workflow.fromDocument(document({ input: schema })).run().then(assert.fail, (thrown) => thrown);
    assert.equal(error.code, "validation");
    assert.match(error.message, message);
    assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["input.pattern", "pattern"]]);
  }
});

/** What each kind of tool is called with when a model gives these arguments; nothing where they do not fit. */
async function calledWith(input, args) {
  const given = {};
  const kinds = {
    execute: { execute: (found) => { given.execute = found; } },
    workflow: { workflow: { steps: [{ name: "keep", run: (found) => { given.workflow = found; } }] } },
  };
  for (const kind of Object.values(kinds)) {
    const model = answering([{ type: "toolCall", id: "1", name: "t", input: args }], "done");
    const agent = new Agent({ name: "a", model, tools: [tool({ name: "t", input, ...kind })] });
    const { status, error } = await new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] }).run();
    assert.equal(status, "done", error?.message);
  }
  given.useTool = await new ReasoningAgent({ name: "a", model: answering(), steps: [], tools: [tool({ name: "t", input, execute: (found) => found })] }).useTool("t", args).catch(({ code }) => (code === "tool" ? undefined : code));
  return given;
}

const object = (n) => z.object({ n });
for (const [what, input, args, expected] of [
  ["what a library accepts is its to change", object(z.number().catch(5)), { n: "3" }, { n: 5 }],
  ["a library that converts does it in its own way: null", object(z.coerce.number()), { n: null }, { n: 0 }],
  ["a library that converts does it in its own way: true", object(z.coerce.number()), { n: true }, { n: 1 }],
  ["a library that converts does it in its own way: text", object(z.preprocess((n) => Number(n), z.number())), { n: "" }, { n: 0 }],
  ["what a library refuses is converted", object(z.number()), { n: "3" }, { n: 3 }],
  ["what a library refuses is converted for a union", object(z.union([z.literal(1), z.literal(2)])), { n: "1" }, { n: 1 }],
  ["what a library refuses is converted for null beside it", type({ n: "number|null" }), { n: "3" }, { n: 3 }],
  ["what a library refuses is converted for words and numbers", type({ n: "'a'|'b'|1" }), { n: "1" }, { n: 1 }],
  ["a pattern that is not understood here is the library's", type({ n: "string.numeric.parse" }), { n: "3" }, { n: 3 }],
  ["a pattern with look-around is the library's", object(z.string().regex(/^(?=a)a+$/)), { n: "aa" }, { n: "aa" }],
  ["a library that answers later is asked too", object(z.number().refine(async () => true)), { n: "3" }, { n: 3 }],
  ["keys that a library leaves out reach no tool", object(z.number()), { n: 3, z: 1 }, { n: 3 }],
  ["keys that a JSON Schema does not know do", { type: "object", properties: { n: { type: "number" } } }, { n: "3", z: 1 }, { n: 3, z: 1 }],
  ["what does not fit is refused", object(z.number()), { n: "x" }, undefined],
  ["what does not fit a pattern with look-around is refused", object(z.string().regex(/^(?=a)a+$/)), { n: "b" }, undefined],
]) {
  test(`the arguments of tools, whoever calls them: ${what}`, async () => {
    assert.deepEqual(await calledWith(input, args), expected === undefined ? { useTool: undefined } : { execute: expected, workflow: expected, useTool: expected });
  });
}

test("what a library accepts is so with another document of the workflow, and a document that says another thing of it is kept", async () => {
  const seenBy = async (change) => {
    let seen;
    const catching = tool({ name: "t", input: object(z.number().catch(5)), execute: (found) => { seen = found; } });
    const agent = new Agent({ name: "a", model: answering([{ type: "toolCall", id: "1", name: "t", input: { n: "x" } }], "done"), tools: [catching] });
    const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Do" }] });
    const document = workflow.toDocument();
    change(document.tools.t);
    assert.equal((await workflow.withDocument(document).run()).status, "done");
    return seen;
  };
  assert.deepEqual(await seenBy(() => {}), { n: 5 });
  assert.equal(await seenBy((declared) => { declared.input = { type: "object", properties: { n: { type: "number", maximum: 3 } } }; }), undefined);
});

test("a library is asked no more than once about more values than can be converted", async () => {
  const schema = z.looseObject({ list: z.array(z.number()) });
  let asked = 0;
  const counting = { "~standard": { ...schema["~standard"], validate: (value) => { asked += 1; return schema["~standard"].validate(value); } } };
  const texts = (count) => ({ list: Array.from({ length: count }, (_, index) => String(index)) });
  assert.equal((await seen({ input: counting, coerce: true }, texts(1000))).given.list.at(-1), 999);
  assert.ok(asked > 2);
  asked = 0;
  const { status, errors } = await seen({ input: counting, coerce: true }, texts(1001));
  assert.deepEqual([status, asked, errors[0].problems.length], ["error", 1, 50]);
  assert.match(errors[0].message, /^the input of `keep` does not fit its schema: `list\.0`: .*; and 45 more$/);
});
