import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { validate, Workflow } from "stepweave";
import * as v from "valibot";
import { z } from "zod";
import { internal, rejection } from "./support.js";

const { membersOf } = await internal("schema/members.ts");
const { checkStandard, isStandardSchema, jsonSchemaOf } = await internal("schema/standard.ts");
const { validator } = await internal("schema/json/check.ts");

const libraries = {
  zod: z.object({ name: z.string().min(2), tags: z.array(z.object({ id: z.number() })) }),
  valibot: v.object({ name: v.pipe(v.string(), v.minLength(2)), tags: v.array(v.object({ id: v.number() })) }),
  arktype: type({ name: "string >= 2", tags: type({ id: "number" }).array() }),
};

for (const [name, schema] of Object.entries(libraries)) {
  test(`${name}: a value that fits, and what is wrong at its place`, async () => {
    assert.ok(isStandardSchema(schema));
    const value = { name: "bee", tags: [{ id: 1 }] };
    assert.deepEqual(await checkStandard(schema, value), { value });
    const { issues } = await checkStandard(schema, { name: "b", tags: [{ id: 1 }, { id: "x" }] });
    assert.deepEqual(issues.map(({ at }) => at), ["/name", "/tags/1/id"]);
    for (const { message } of issues) assert.ok(message.length > 0);
    const [root] = (await checkStandard(schema, 5)).issues;
    assert.equal(root.at, "");
  });
}

test("transforms and defaults give another value", async () => {
  const expected = { value: { size: 12, unit: "m" } };
  const given = { size: "12" };
  assert.deepEqual(await checkStandard(z.object({ size: z.string().transform(Number), unit: z.string().default("m") }), given), expected);
  assert.deepEqual(await checkStandard(v.object({ size: v.pipe(v.string(), v.transform(Number)), unit: v.optional(v.string(), "m") }), given), expected);
  assert.deepEqual(await checkStandard(type({ size: "string.numeric.parse", unit: "string = 'm'" }), given), expected);
  assert.deepEqual(given, { size: "12" });
});

test("a check that takes time is waited for", async () => {
  const free = async (name) => { await new Promise((resolve) => setImmediate(resolve)); return name !== "taken"; };
  for (const schema of [z.object({ name: z.string().refine(free, "is taken") }), v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(free, "is taken")) })]) {
    const answer = checkStandard(schema, { name: "taken" });
    assert.ok(answer instanceof Promise);
    assert.deepEqual(await answer, { issues: [{ at: "/name", message: "is taken" }], count: 1 });
    assert.deepEqual(await checkStandard(schema, { name: "bee" }), { value: { name: "bee" } });
  }
});

test("a check that takes no time answers at once", () => {
  assert.deepEqual(checkStandard(v.string(), "a"), { value: "a" });
  assert.deepEqual(checkStandard(z.string(), "a"), { value: "a" });
});

test("a validator that throws is a fault with its cause, at once or later", async () => {
  const boom = () => { throw new TypeError("boom"); };
  for (const schema of [z.string().refine(boom), v.pipe(v.string(), v.check(boom)), type("string").narrow(boom), v.pipeAsync(v.string(), v.checkAsync(async () => boom()))]) {
    const error = await rejection((async () => checkStandard(schema, "a"))());
    assert.equal(error.code, "handler");
    assert.match(error.message, /^the (zod|valibot|arktype) schema threw: boom$/);
    assert.equal(error.cause.message, "boom");
  }
});

test("what follows no standard is reported", () => {
  const schema = (answer) => ({ "~standard": { version: 1, vendor: "mine", validate: () => answer } });
  for (const answer of [undefined, null, 5, {}, { issues: 3 }]) {
    assert.throws(() => checkStandard(schema(answer), 1), (error) => error.code === "handler" && /^the mine schema answered with neither/.test(error.message));
  }
  assert.deepEqual(checkStandard(schema({ issues: [] }), 1), { issues: [{ at: "", message: "is refused without a reason" }], count: 1 });
  assert.deepEqual(checkStandard(schema({ value: undefined }), 1), { value: undefined });
  assert.deepEqual(checkStandard(schema({ issues: [{ message: "no", path: ["a/b", { key: "~" }, 0, Symbol("s")] }, {}, null] }), 1), {
    issues: [{ at: "/a~1b/~0/0/Symbol(s)", message: "no" }, { at: "", message: "is not valid" }, { at: "", message: "is not valid" }],
    count: 3,
  });
  const many = checkStandard(schema({ issues: Array(80).fill({ message: "x" }) }), 1);
  assert.deepEqual([many.issues.length, many.count], [50, 80]);
});

test("a JSON Schema is no Standard Schema", () => {
  for (const schema of [{}, true, null, undefined, "a", { type: "object" }, { "~standard": 1 }, { "~standard": { version: 2, validate() {} } }, { "~standard": { version: 1 } }, () => {}]) {
    assert.equal(isStandardSchema(schema), false);
  }
});

test("the JSON Schema that a library exposes is one that the validator reads", () => {
  for (const schema of [libraries.zod, libraries.arktype, toStandardJsonSchema(libraries.valibot)]) {
    for (const side of ["input", "output"]) {
      const exposed = jsonSchemaOf(schema, side);
      assert.deepEqual(validator.check(exposed, { name: "bee", tags: [{ id: 1 }] }), []);
      assert.deepEqual(new Set(validator.check(exposed, { name: "b", tags: [{}] }).map(({ at, keyword }) => `${at} ${keyword}`)), new Set(["/name minLength", "/tags/0 required"]));
    }
  }
});

test("the two sides of a transform differ, and the side that is code allows everything", () => {
  const schema = z.object({ size: z.string().transform(Number), unit: z.string().default("m") });
  assert.deepEqual(validator.check(jsonSchemaOf(schema, "input"), { size: "12" }), []);
  assert.equal(validator.check(jsonSchemaOf(schema, "input"), { size: 12 }).length, 1);
  assert.deepEqual(jsonSchemaOf(schema, "output").properties, { size: {}, unit: { type: "string", default: "m" } });
  assert.equal(jsonSchemaOf(libraries.valibot, "input"), true);
});

test("the rest of a schema is known where a value has no JSON Schema", async () => {
  for (const schema of [z.object({ sum: z.number(), when: z.date() }), toStandardJsonSchema(v.object({ sum: v.number(), when: v.date() }))]) {
    const { properties, required } = jsonSchemaOf(schema, "input");
    assert.deepEqual([properties, required], [{ sum: { type: "number" }, when: {} }, ["sum", "when"]]);
  }
  const { Agent, tool, Workflow } = await import("stepweave");
  const { scriptedModel } = await import("stepweave/testing");
  const schema = z.object({ sum: z.number(), when: z.coerce.date().transform((date) => date.toISOString()) });
  const given = { sum: "3", when: "2030-01-01" };
  const model = scriptedModel([{ type: "toolCall", name: "note", input: given }, JSON.stringify(given)]);
  const note = tool({ name: "note", input: schema, execute: (args) => args });
  const ask = { name: "ask", agent: new Agent({ name: "a", model, tools: [note], output: schema }), inputFrom: "?" };
  const workflow = new Workflow({ name: "dates", steps: [ask, { name: "boss", type: "approval", message: "?", schema }] });
  const { state, pending } = await workflow.run({ journal: true });
  const whole = { sum: 3, when: "2030-01-01T00:00:00.000Z" };
  assert.deepEqual(state.ask_output, whole, "what is known of it is converted");
  assert.deepEqual(model.requests[1].messages.at(-1).results[0].output, whole);
  for (const said of [model.requests[0].tools[0].input, model.requests[0].output, pending[0].schema]) assert.deepEqual([said.properties, said.required], [{ sum: { type: "number" }, when: {} }, ["sum", "when"]]);
});

test("the keys of a schema are found where it leads back to itself, or to nothing", () => {
  const schema = { properties: { a: 1 }, anyOf: [{ $ref: "#" }, { $ref: "#/$defs/b" }, { $ref: "#/$defs/none" }, { $ref: "https://else.example" }, { $ref: "#%" }], $defs: { b: { properties: { a: 2, b: 3 }, allOf: [{ $ref: "#/anyOf/1" }] } } };
  assert.deepEqual([...membersOf(schema)], [["a", [1, 2]], ["b", [3]]]);
  for (const schema of [undefined, true, null, [], { properties: [1], allOf: 7 }]) assert.equal(membersOf(schema).size, 0);
});

test("a library from before the standard had JSON Schemas is used in its own way", () => {
  const old = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) }, toJSONSchema: ({ io }) => ({ title: io, type: "string" }) };
  assert.deepEqual(jsonSchemaOf(old, "output"), { title: "output", type: "string" });
  const throwing = { ...old, toJSONSchema() { throw new Error("no"); } };
  assert.equal(jsonSchemaOf(throwing, "input"), true);
});

test("each fault of a value says what to do, whatever its schema is written in; and so does each fault of a schema", async () => {
  const schemas = [{ type: "object", properties: { n: { type: "number" } } }, z.object({ n: z.number() }), v.object({ n: v.number() }), type({ n: "number" })];
  for (const output of schemas) {
    const { error } = await new Workflow({ name: "w", steps: [{ name: "a", run: () => ({ n: "x" }), output }] }).run();
    assert.deepEqual(error.problems.map(({ path, hint }) => [path, hint.split(";")[0]]), [["n", "change the value, or the schema if the value is right"]]);
  }
  let deep = {};
  for (let depth = 0; depth < 300; depth += 1) deep = { not: deep };
  const [problem] = await validate({ version: 1, name: "w", input: deep, steps: [] });
  assert.match(problem.message, /nested deeper than/);
  assert.notEqual(problem.hint, "");
});
