// What a check may take, counted in steps of work: no schema and no value takes thread or memory without bound.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { internal, thrown } from "./support.js";

const { compile, loadValidator, ViolationList, Walk } = await internal({
  "./schema/json/compile.ts": ["compile"],
  "./schema/json/violations.ts": ["ViolationList"],
  "./schema/json/walk.ts": ["Walk"],
  "./schema/validator.ts": ["loadValidator"],
});
const validator = await loadValidator([{ pattern: "" }]);

/** How many steps of work a check takes. */
function stepsOf(schema, value) {
  const walk = new Walk(schema, value, 50);
  walk.visit(compile(schema), value, undefined);
  return walk.steps;
}

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const keyed = (count, make) => Object.fromEntries(many(count, (index) => [`k${index}`, make(index)]));
const never = { const: "no" };

// Each looks at all of the value as often as there are schemas: work that is one times the other.
for (const [what, schemaOf, valueOf] of [
  ["texts that are counted", (count) => ({ allOf: many(count, () => ({ minLength: 9000, maxLength: 90_000 })) }), (size) => "🐝".repeat(size * 20) + "a".repeat(size * 20)],
  ["texts in which a pattern is looked for", (count) => ({ allOf: many(count, (index) => ({ pattern: `[a-z]${index}` })) }), (size) => "a".repeat(size * 10)],
  ["values that are compared with objects", (count) => ({ allOf: many(count, () => ({ not: { enum: [{}] } })) }), (size) => ({ list: many(size, () => 10) })],
  ["items that must differ", (count) => ({ allOf: many(count, () => ({ uniqueItems: true })) }), (size) => many(size, (index) => index)],
  ["keys that are counted", (count) => ({ allOf: many(count, () => ({ minProperties: 1 })) }), (size) => keyed(size, () => 1)],
  ["keys that are required", (count) => ({ items: { required: many(count, (index) => `k${index}`) } }), (size) => many(size, () => keyed(3, () => 1))],
  ["members that are not there", (count) => ({ items: { properties: keyed(count, () => true) } }), (size) => many(size, () => ({}))],
  ["keys that are additional", (count) => ({ allOf: many(count, () => ({ additionalProperties: true })) }), (size) => keyed(size, () => 1)],
  ["keys that patterns look at", (count) => ({ patternProperties: keyed(count, () => true) }), (size) => keyed(size, () => 1)],
  ["keys that depend on others", (count) => ({ items: { dependentRequired: keyed(count, () => ["x"]) } }), (size) => many(size, () => ({}))],
  ["keys that nothing looked at", (count) => ({ allOf: many(count, () => ({ unevaluatedProperties: true })) }), (size) => keyed(size, () => 1)],
  ["keys that are merged", (count) => ({ unevaluatedProperties: true, anyOf: many(count, () => ({ additionalProperties: true })) }), (size) => keyed(size, () => 1)],
  ["items that are too many", (count) => ({ not: { allOf: many(count, () => ({ items: false })) } }), (size) => many(size, () => 1)],
  ["faults that are reported", (count) => ({ allOf: many(count, () => ({ items: never })) }), (size) => many(size, () => 1)],
]) {
  test(`work is counted for ${what}`, () => {
    const [schema, value] = [schemaOf(20), valueOf(200)];
    const base = stepsOf(schema, value);
    const [wider, longer] = [stepsOf(schemaOf(200), value), stepsOf(schema, valueOf(2000))];
    assert.ok(wider > base * 4, `ten times the schema: ${base} steps, then ${wider}`);
    assert.ok(longer > base * 4, `ten times the value: ${base} steps, then ${longer}`);
  });
}

// A step is the time of looking up a key; what takes longer is more of them.
for (const [what, schema, value, least] of [
  ["an item that is looked for", { contains: { const: "q" } }, many(1000, () => "a"), 10],
  ["an item that must differ", { uniqueItems: true }, many(1000, (index) => index), 30],
  ["a key that is listed", { maxProperties: 2000 }, keyed(1000, () => 1), 20],
  ["a decimal that is divided", { items: { multipleOf: 0.1 } }, many(1000, () => 0.3), 100],
  ["a text in which a pattern is looked for", { items: { pattern: "^a$" } }, many(1000, () => "a"), 100],
  ["a text in which a large pattern is looked for", { items: { pattern: "(.{0,30}x){9}q" } }, many(1000, () => "q"), 1000],
]) {
  test(`the time that ${what} takes is counted`, () => assert.ok(stepsOf(schema, value) >= least * 1000));
}

test("what would take hours ends with limit", () => {
  const text = "é🐝".repeat(100_000);
  for (const [schema, value] of [
    [{ allOf: many(20_000, () => ({ minLength: 250_000 })) }, text],
    [{ allOf: many(900, (index) => ({ pattern: `(x+x+)+y${index}` })) }, "x".repeat(100_000)],
    [{ items: { properties: keyed(20_000, () => true) } }, many(100_000, () => ({}))],
    [{ items: { required: many(20_000, (index) => `k${index}`) } }, many(100_000, () => ({}))],
  ]) {
    const error = thrown(() => validator.check(schema, value));
    assert.equal(error.code, "limit", error.message);
    assert.match(error.message, /more than 50000000 steps to check/);
    assert.ok(error.hint.length > 20);
  }
});

test("texts whose length is plain are not counted through", () => {
  const text = "a".repeat(1_000_000);
  assert.ok(stepsOf({ minLength: 1, maxLength: 2_000_000 }, text) < 10);
  assert.ok(stepsOf({ maxLength: 10 }, text) < 1000);
});

test("long keys over many schemas take no memory that grows with both", () => {
  const schema = { properties: { ["k".repeat(100_000)]: { properties: keyed(1000, () => ({ type: "string" })) } } };
  const error = thrown(() => validator.prepare(schema));
  assert.equal(error.code, "limit");
  assert.match(error.message, /^the schema's keys are too long for as many schemas as are inside of them, at \/properties\/kkk/);
  assert.ok(error.message.length < 300);
});

test("a schema has so many patterns, and they take so much together", () => {
  const message = /patterns are more than 1000, or take more than 100000 instructions/;
  assert.match(thrown(() => validator.prepare({ anyOf: many(1001, (index) => ({ pattern: `^${index}$` })) })).message, message);
  assert.match(thrown(() => validator.prepare({ anyOf: many(20, (index) => ({ pattern: `^.{900}.{900}.{900}.{900}.{900}${index}` })) })).message, message);
  validator.prepare({ anyOf: many(5000, () => ({ pattern: "^a$" })) });
});

test("numbers of every size are divided in a moment", () => {
  for (const value of [1e308, 5e-324, 1.7976931348623157e308, 123456.789]) {
    for (const multipleOf of [5e-324, 1e-300, 1e308, 0.1]) assert.ok(stepsOf({ multipleOf }, value) < 1000);
  }
});

test("chains of references end with limit, and diamonds of them too", () => {
  const chain = Object.fromEntries(many(3000, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]));
  chain.d3000 = { type: "string" };
  assert.equal(thrown(() => validator.check({ $ref: "#/$defs/d0", $defs: chain }, 1)).code, "limit");
  const diamonds = Object.fromEntries(many(40, (index) => [`d${index}`, { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] }]));
  diamonds.d40 = { type: "string" };
  assert.equal(thrown(() => validator.check({ $ref: "#/$defs/d0", $defs: diamonds }, "a")).code, "limit");
});

test("filling defaults in is bounded as well, and one that is put in is not filled again", () => {
  const endless = { $defs: { n: { properties: { next: { $ref: "#/$defs/n", default: {} } } } }, $ref: "#/$defs/n" };
  assert.deepEqual(validator.fill(endless, {}), { next: {} });
  const wide = { items: { properties: keyed(20_000, () => ({ default: 1 })) } };
  assert.equal(thrown(() => validator.fill(wide, many(100_000, () => ({})))).code, "limit");
});

test("what is filled in is a copy, frozen, and only of what changes", () => {
  const schema = { properties: { a: { default: { list: [1] } }, b: { properties: { c: { default: 2 } } }, d: {} }, items: { properties: { x: { default: null } } } };
  const value = JSON.parse('{"b":{},"d":{"deep":1},"__proto__":{"e":1}}');
  const filled = validator.fill(schema, value);
  assert.deepEqual(JSON.parse(JSON.stringify(filled)), JSON.parse('{"b":{"c":2},"d":{"deep":1},"__proto__":{"e":1},"a":{"list":[1]}}'));
  assert.equal(filled.d, value.d);
  assert.equal(Object.getPrototypeOf(filled), Object.prototype);
  for (const part of [filled, filled.a, filled.a.list, filled.b]) assert.ok(Object.isFrozen(part));
  assert.equal(Object.isFrozen(schema.properties.a.default), false);
  assert.equal(validator.fill(schema, filled), filled);
  assert.deepEqual(validator.fill(schema, [{}, { x: 1 }]), [{ x: null }, { x: 1 }]);
  for (const plain of [1, "a", null, true]) assert.equal(validator.fill(schema, plain), plain);
});

test("what stands behind all that is reported is not gathered, and what comes late and stands before them is", () => {
  const list = new Array(100_000).fill("x");
  for (const most of [50, 10_000]) {
    const violations = new ViolationList({ items: { type: "number" } }, list, most);
    let gathered = 0;
    const rule = { keyword: "type", get pointer() { gathered += 1; return "/items/type"; } };
    const indices = [...list.keys()];
    for (const index of [...indices.slice(10), ...indices.slice(0, 10)]) violations.add(`/${index}`, [index], rule, undefined);
    assert.deepEqual(violations.first().map(({ at }) => at), indices.slice(0, most).map((index) => `/${index}`));
    assert.ok(gathered < 2 * (2 * most + 2100), String(gathered));
  }
});

test("a value with more defaults than are filled in is refused, and not taken without them", async () => {
  const preset = "y".repeat(10_000);
  const list = (member) => ({ type: "object", properties: { x: { type: "array", items: { type: "object", properties: { k: { type: "string", default: preset } }, ...member } } } });
  const see = (state) => ({ seen: typeof state.x.at(-1).k });
  for (const schema of [list({}), list({ required: ["k"] })]) {
    const workflows = [new Workflow({ name: "w", input: schema, steps: [{ name: "s", run: see }] }), new Workflow({ name: "w", steps: [{ name: "s", input: schema, run: see }] })];
    for (const workflow of workflows.flatMap((one) => [one, Workflow.fromDocument(one.toDocument(), { handlers: one.handlers })])) {
      assert.equal((await workflow.run({ state: { x: Array.from({ length: 1000 }, () => ({})) } })).state.seen, "string");
      const { status, error } = await workflow.run({ state: { x: Array.from({ length: 7000 }, () => ({})) } });
      assert.deepEqual([status, error?.code], ["error", "limit"]);
      assert.match(error.message, /takes more than \d+ steps to check/);
      // Nothing of it is left behind for a value that is checked later.
      assert.equal((await workflow.run({ state: { x: [{}] } })).state.seen, "string");
    }
  }
});

test("it is said of a list which items it has too few or too many of", async () => {
  const wants = async (rule, x) => (await new Workflow({ name: "w", input: { properties: { x: rule } }, steps: [] }).run({ state: { x } })).error.message;
  const item = { contains: { const: 1 } };
  assert.match(await wants(item, [2]), /: `x` has no item that fits `contains`$/);
  assert.match(await wants({ ...item, minContains: 2 }, [1]), /: `x` has fewer items that fit `contains` than 2$/);
  assert.match(await wants({ ...item, maxContains: 1 }, [1, 1]), /: `x` has more items that fit `contains` than 1$/);
});
