import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator as Other } from "@cfworker/json-schema";
import fc from "fast-check";
import { internal, thrown } from "./support.js";

const { loadValidator } = await internal("schema/validator.ts");
const validator = await loadValidator([{ pattern: "" }]);

const folder = new URL("../../tests/schemas/", import.meta.url);
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function nested(levels) {
  let value = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

for (const file of readdirSync(folder)) {
  test(`the cases of ${file}`, () => {
    for (const { title, schema, value, violations } of JSON.parse(readFileSync(new URL(file, folder), "utf8"))) {
      assert.deepEqual(validator.check(frozen(schema), frozen(value)), violations, title);
    }
  });
}

test("another library comes to the same verdict on random schemas and values", () => {
  const key = fc.constantFrom("a", "b", "constructor");
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(null, true, 0, 1, 2.5, -3, "", "a", "ab", "é"), fc.array(tie("value"), { maxLength: 3 }), fc.dictionary(key, tie("value"), { maxKeys: 3 })),
  })).value;
  const { schema } = fc.letrec((tie) => {
    const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
    const record = (model) => fc.record(model, { requiredKeys: [] });
    return {
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.boolean(),
        record({ type: fc.constantFrom("string", "integer", "object", "array"), const: value, enum: fc.array(value, { minLength: 1, maxLength: 2 }) }),
        record({ minimum: fc.constantFrom(0, 2), multipleOf: fc.constantFrom(0.5, 2), minLength: fc.constantFrom(1, 2), pattern: fc.constantFrom("a", "^.$") }),
        record({ properties: fc.dictionary(key, tie("schema"), { maxKeys: 2 }), patternProperties: fc.dictionary(fc.constantFrom("^a", "c"), tie("schema"), { maxKeys: 1 }), additionalProperties: tie("schema"), required: fc.uniqueArray(key), unevaluatedProperties: tie("schema") }),
        record({ prefixItems: some, items: tie("schema"), contains: tie("schema"), uniqueItems: fc.boolean(), unevaluatedItems: tie("schema"), maxItems: fc.constantFrom(1, 2) }),
        record({ anyOf: some, oneOf: some, allOf: some, not: tie("schema"), if: tie("schema"), then: tie("schema"), else: tie("schema"), unevaluatedProperties: tie("schema") }),
        record({ dependentRequired: fc.dictionary(key, fc.uniqueArray(key), { maxKeys: 1 }), dependentSchemas: fc.dictionary(key, tie("schema"), { maxKeys: 1 }), propertyNames: tie("schema"), minProperties: fc.constantFrom(0, 1) }),
      ),
    };
  });
  const verdicts = { true: 0, false: 0 };
  fc.assert(
    fc.property(schema, value, (tried, given) => {
      const schemaText = JSON.stringify(tried);
      const verdict = validator.check(tried, given).length === 0;
      verdicts[verdict] += 1;
      assert.equal(verdict, new Other(JSON.parse(schemaText), "2020-12", false).validate(given).valid);
    }),
    { numRuns: 4000, seed: 3 },
  );
  assert.ok(verdicts.true > 500 && verdicts.false > 500, JSON.stringify(verdicts));
});

for (const [title, schema, message, hint] of [
  ["a reference to elsewhere", { properties: { a: { $ref: "https://example.com/a.json" } } }, /^the schema's \/properties\/a\/\$ref leads to "https:\/\/example\.com\/a\.json", which is not in the schema$/, /\$defs/],
  ["a reference to nothing", { $ref: "#/$defs/a" }, /\/\$ref leads to "#\/\$defs\/a"/, /nothing is fetched/],
  ["a reference to an unknown anchor", { items: { $ref: "#a" } }, /\/items\/\$ref leads to "#a"/, /\$defs/],
  ["a reference to what objects have by nature", { $ref: "#/$defs/constructor", $defs: {} }, /leads to "#\/\$defs\/constructor"/, /\$defs/],
  ["a broken escape", { $ref: "#/%" }, /leads to "#\/%"/, /\$defs/],
  ["a reference that nobody follows", { $defs: { a: { $ref: "#/b" } } }, /\/\$defs\/a\/\$ref/, /\$defs/],
  ["a dynamic reference with two targets", { $dynamicAnchor: "n", $defs: { a: { $id: "a", $dynamicAnchor: "n" } }, properties: { a: { $dynamicRef: "#n" } } }, /more than one `n`/, /use `\$ref`/],
  ["no pattern", { properties: { a: { pattern: "(" } } }, /^the schema's \/properties\/a\/pattern is not what `pattern` takes$/, /regular expression as JavaScript reads it with the flag u/],
  ["a pattern that the flag u refuses", { pattern: "\\-" }, /pattern/, /flag u/],
  ["no pattern as a key", { patternProperties: { "[": {} } }, /patternProperties/, /`\[` is none/],
  ["an unknown type", { type: "text" }, /\/type is not what `type` takes/, /string/],
  ["no bound", { minLength: -1 }, /minLength/, /whole number/],
  ["no list of schemas", { anyOf: [] }, /anyOf/, /at least one/],
  ["no schema", { properties: { a: "string" } }, /^the schema's \/properties\/a is no schema$/, /object, true or false/],
  ["nothing", null, /^the schema is no schema$/, /object, true or false/],
  ["items as a list today", { items: [{}] }, /\/items is no schema/, /object, true or false/],
  ["an unknown draft", { $schema: "http://json-schema.org/draft-04/schema#" }, /draft-04/, /2020-12/],
  ["one address twice", { $defs: { a: { $id: "x" }, b: { $id: "x", type: "null" } } }, /twice/, /of its own/],
]) {
  test(`refused before there is a value: ${title}`, () => {
    const error = thrown(() => validator.prepare(schema));
    assert.equal(error.name, "StepweaveError");
    assert.equal(error.code, "validation");
    assert.match(error.message, message);
    assert.match(error.hint, hint);
  });
}

for (const [title, schema] of [
  ["itself", { $ref: "#" }],
  ["itself by allOf", { type: "object", allOf: [{ $ref: "#" }] }],
  ["each other", { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } }, $ref: "#/$defs/a" }],
  ["itself under a condition", { if: { required: ["a"] }, then: { $ref: "#" } }],
]) {
  test(`a schema without end leads to ${title}`, () => {
    const error = thrown(() => validator.prepare(schema));
    assert.equal(error.code, "limit");
    assert.match(error.message, /leads back to itself without end/);
  });
}

test("a schema that is nested without end, or very deep, is refused", () => {
  const self = { type: "object", properties: {} };
  self.properties.self = self;
  assert.equal(thrown(() => validator.prepare(self)).code, "limit");
  let deep = {};
  for (let level = 0; level < 5000; level += 1) deep = { items: deep };
  assert.match(thrown(() => validator.prepare(deep)).message, /nested deeper than 256 schemas/);
  let wide = { type: "string" };
  for (let level = 0; level < 40; level += 1) wide = { allOf: [wide, wide] };
  assert.match(thrown(() => validator.prepare(wide)).message, /more than 50000 schemas/);
});

test("a value may be 512 levels deep where a schema looks, and as deep as it likes elsewhere", () => {
  const list = { type: ["array", "number"], items: { $ref: "#" } };
  assert.deepEqual(validator.check(list, nested(512)), []);
  for (const levels of [513, 1000, 100_000]) {
    const error = thrown(() => validator.check(list, nested(levels)));
    assert.equal(error.code, "limit");
    assert.match(error.message, /nested deeper than 512 levels at \/0\/0\/0\/…/);
  }
  assert.deepEqual(validator.check({ type: "array", items: { type: "array" } }, nested(100_000)), []);
  for (const schema of [{ const: [[1]] }, { enum: [[1]] }, { uniqueItems: true }]) {
    assert.equal(thrown(() => validator.check(schema, nested(100_000))).code, "limit");
  }
});

test("unions in unions of a deep value end with limit and leave the stack alone", () => {
  const unions = { $defs: { n: { anyOf: [{ type: "number" }, { allOf: [{ items: { $ref: "#/$defs/n" } }] }] } }, $ref: "#/$defs/n" };
  assert.deepEqual(validator.check(unions, nested(256)), []);
  assert.match(thrown(() => validator.check(unions, nested(500))).message, /schemas are at work inside each other/);
});

test("work that doubles with each level ends with limit", () => {
  const doubling = { anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }], type: "array" };
  const error = thrown(() => validator.check(doubling, nested(200)));
  assert.deepEqual([error.code, /50000000 steps/.test(error.message)], ["limit", true]);
});

test("long lists are read to their end, and only the first fifty violations are kept", () => {
  assert.deepEqual(validator.check({ uniqueItems: true }, Array.from({ length: 100_000 }, (_, index) => index)), []);
  const found = validator.check({ items: { type: "string" } }, Array(100_000).fill(1));
  assert.deepEqual([found.length, found[0].at, found[49].at], [50, "/0", "/49"]);
});

test("a schema is read once", () => {
  let reads = 0;
  const schema = { get type() { reads += 1; return "string"; } };
  assert.deepEqual(validator.check(schema, "a"), []);
  const before = reads;
  assert.ok(before > 0);
  assert.deepEqual(validator.check(schema, "b"), []);
  assert.equal(reads, before);
});

test("schemas are left as they are", () => {
  const schema = { $defs: { a: { $id: "a", type: "string" } }, items: { $ref: "a" } };
  const before = structuredClone(schema);
  assert.equal(validator.check(schema, [1]).length, 1);
  assert.deepEqual(Reflect.ownKeys(schema.$defs.a), ["$id", "type"]);
  assert.deepEqual(schema, before);
});

test("a place in the cases is where the value really has it, and a rule where the schema really has it", () => {
  const at = (value, pointer) => pointer.split("/").slice(1).reduce((part, step) => part[step.replaceAll("~1", "/").replaceAll("~0", "~")], value);
  for (const file of readdirSync(folder)) {
    for (const { title, schema, value } of JSON.parse(readFileSync(new URL(file, folder), "utf8"))) {
      for (const violation of validator.check(schema, value)) {
        assert.notEqual(at(value, violation.at), undefined, title);
        assert.notEqual(at(schema, violation.rule), undefined, title);
      }
    }
  }
});

test("draft-07 is known by its name", () => {
  assert.equal(validator.check({ $schema: DRAFT_7, items: [{ type: "string" }] }, [1]).length, 1);
});
