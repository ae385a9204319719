import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { internal } from "./support.js";

const { isAssignable, loadPatterns, sameSchema, validator } = await internal({
  "./schema/compatible.ts": ["isAssignable", "sameSchema"],
  "./schema/json/check.ts": ["loadPatterns", "validator"],
});
await loadPatterns([{ pattern: "" }]);

const KEYS = ["a", "b", "c", "__proto__"];
const key = fc.constantFrom(...KEYS);
const number = fc.constantFrom(-2, -1, 0, 0.5, 1, 2, 3, 4);
const size = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom("", "a", "b", "ab", "abc", "x-1");
const object = (members) => fc.array(fc.tuple(key, members), { maxLength: 3 }).map((entries) => JSON.parse(`{${entries.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`).join()}}`));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthIdentifier: "value" }, fc.constantFrom(null, true, false), number, text, fc.array(tie("value"), { maxLength: 3 }), object(tie("value"))),
}));

const optional = { requiredKeys: [] };
const { schema } = fc.letrec((tie) => {
  const inner = tie("schema");
  const some = fc.array(inner, { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: "schema" },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: fc.record({ type: fc.constantFrom("string", "number", "integer", "object", "array", "null", "boolean") }) },
      { weight: 1, arbitrary: fc.record({ type: fc.uniqueArray(fc.constantFrom("string", "integer", "number", "object", "null", "array"), { minLength: 1 }) }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant("number"), minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number, multipleOf: fc.constantFrom(1, 2, 0.5) }, optional) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant("string"), minLength: size, maxLength: size, pattern: fc.constantFrom("^a", "b$", "^x-") }, optional) },
      { weight: 1, arbitrary: fc.record({ const: value }) },
      { weight: 2, arbitrary: fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }) },
      { weight: 4, arbitrary: fc.record({ type: fc.constant("object"), properties: object(inner), required: fc.uniqueArray(key, { maxLength: 2 }), additionalProperties: inner, patternProperties: fc.record({ "^[ab]$": inner }, optional), minProperties: size, maxProperties: size, propertyNames: fc.record({ maxLength: size }) }, optional) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant("array"), items: inner, prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }), minItems: size, maxItems: size, uniqueItems: fc.boolean(), contains: inner }, optional) },
      { weight: 2, arbitrary: fc.record({ anyOf: some }) },
      { weight: 1, arbitrary: fc.record({ oneOf: some }) },
      { weight: 1, arbitrary: fc.record({ allOf: some }) },
      { weight: 1, arbitrary: fc.record({ not: inner }) },
      { weight: 1, arbitrary: fc.record({ if: inner, then: inner }) },
      { weight: 1, arbitrary: fc.record({ $ref: fc.constantFrom("#/$defs/one", "#/$defs/two") }) },
      { weight: 1, arbitrary: fc.record({ $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"), type: fc.constantFrom("object", "string") }) },
    ),
  };
});

/** A schema with two others that its references lead to. */
const whole = fc.tuple(schema, schema, schema, fc.constantFrom(undefined, undefined, "http://json-schema.org/draft-07/schema#")).map(([root, one, two, draft]) => (typeof root === "boolean" ? root : { ...(draft && { $schema: draft }), ...root, $defs: { one, two } }));

/** A schema that requires a little more or a little less, so that the answer is often yes. */
const variants = [
  (schema) => schema,
  (schema) => (typeof schema === "object" ? { ...schema, title: "t" } : schema),
  (schema) => (schema.required ? { ...schema, required: schema.required.slice(1) } : schema),
  (schema) => (schema.type === "integer" ? { ...schema, type: "number" } : schema),
  (schema) => (schema.enum ? { ...schema, enum: [...schema.enum, "more"] } : schema),
  (schema) => (schema.minimum === undefined ? schema : { ...schema, minimum: schema.minimum - 1 }),
  (schema) => (schema.maxLength === undefined ? schema : { ...schema, maxLength: schema.maxLength + 1 }),
  (schema) => (typeof schema === "object" ? { ...schema, anyOf: [...(schema.anyOf ?? [{}]), { type: "null" }] } : schema),
  (schema) => (typeof schema === "object" ? { $defs: schema.$defs, anyOf: [{ type: "null" }, { ...schema, $defs: undefined, $schema: undefined }] } : schema),
  (schema) => (schema.properties ? { ...schema, properties: Object.fromEntries(Object.entries(schema.properties).slice(1)), additionalProperties: true } : schema),
  (schema) => (schema.items === undefined ? schema : { ...schema, items: { anyOf: [schema.items, { type: "boolean" }] } }),
];

const clean = (schema) => JSON.parse(JSON.stringify(schema));

function isUsable(schema) {
  try {
    validator.prepare(schema);
    return true;
  } catch {
    return false;
  }
}

test("what is assignable is valid: no value fits the one and not the other", () => {
  let certain = 0;
  let shown = 0;
  const pair = fc.oneof(fc.tuple(whole, whole), fc.tuple(whole, fc.constantFrom(...variants)).map(([producer, change]) => [producer, clean(change(producer))]));
  fc.assert(
    fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([producer, consumer], values) => {
      fc.pre(isUsable(producer) && isUsable(consumer));
      if (!isAssignable(producer, consumer)) return;
      certain += 1;
      for (const candidate of values) {
        if (validator.check(producer, candidate).length > 0) continue;
        shown += 1;
        assert.deepEqual(validator.check(consumer, candidate), [], JSON.stringify(candidate));
      }
    }),
    { numRuns: 6000, seed: 7 },
  );
  assert.ok(certain > 1000 && shown > 5000, `too little was tried: ${certain} pairs, ${shown} values`);
});

test("what is the same stays the same in another order and with other words", () => {
  const shuffled = (part) =>
    Array.isArray(part) ? part.map(shuffled) : typeof part === "object" && part !== null ? JSON.parse(`{${Object.keys(part).reverse().map((name) => `${JSON.stringify(name)}:${JSON.stringify(shuffled(part[name]))}`).join()}}`) : part;
  fc.assert(
    fc.property(whole, schema, (left, right) => {
      assert.ok(sameSchema(left, shuffled(left)));
      assert.ok(isAssignable(left, shuffled(left)));
      if (typeof left === "object") assert.ok(sameSchema(left, { title: "a", description: "b", $comment: "c", default: 1, examples: [2], ...left }));
      if (sameSchema(left, right)) assert.ok(sameSchema(right, left));
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("notes do not count, but keys that are called like notes do", () => {
  assert.ok(sameSchema({ type: ["string", "null"], required: ["a", "b"] }, { required: ["b", "a"], type: ["null", "string"] }));
  assert.ok(sameSchema({ properties: { a: { title: "x" } } }, { properties: { a: {} } }));
  assert.ok(!sameSchema({ properties: { title: {} } }, { properties: {} }));
  assert.ok(!sameSchema({ const: { title: 1 } }, { const: {} }));
  assert.ok(!sameSchema({ prefixItems: [{ const: 1 }, { const: 2 }] }, { prefixItems: [{ const: 2 }, { const: 1 }] }));
});

const tree = (extra) => ({ $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, ...extra }, required: ["next", ...Object.keys(extra)] } }, $ref: "#/$defs/node" });

for (const [title, producer, consumer] of [
  ["anything", { type: "string" }, true],
  ["integers are numbers", { type: "integer" }, { type: "number" }],
  ["a constant of an enum", { const: "a" }, { enum: ["a", "b"] }],
  ["an enum in a larger one", { enum: ["a", 1] }, { enum: [1, "b", "a"] }],
  ["an enum has a type", { enum: ["a", "b"] }, { type: "string", minLength: 1, maxLength: 1, pattern: "^[ab]$" }],
  ["more keys than are required", { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a", "b"] }, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
  ["a closed object", { type: "object", properties: { a: { type: "integer" } }, additionalProperties: false }, { type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, additionalProperties: false, maxProperties: 1 }],
  ["a member of a union", { type: "string" }, { anyOf: [{ type: "number" }, { type: "string" }] }],
  ["a smaller union", { anyOf: [{ type: "string" }, { const: 5 }] }, { type: ["number", "string"] }],
  ["a union distinguished by a constant", { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] }, { oneOf: [{ type: "object", properties: { kind: { const: "b" } }, required: ["kind"] }, { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] }] }],
  ["narrower bounds", { type: "number", minimum: 2, exclusiveMaximum: 5 }, { minimum: 1, maximum: 5 }],
  ["narrower lists", { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 3, uniqueItems: true }, { type: "array", items: { type: "number" }, minItems: 1, uniqueItems: true }],
  ["a pair", { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false }, { type: "array", items: { type: ["string", "number"] }, maxItems: 2 }],
  ["a constant object", { const: { a: [1, "x"], b: null } }, { type: "object", properties: { a: { type: "array", items: { type: ["integer", "string"] } } }, required: ["a"] }],
  ["by reference", { $defs: { s: { type: "string", minLength: 2 } }, type: "array", items: { $ref: "#/$defs/s" } }, { definitions: { t: { type: "string" } }, items: { $ref: "#/definitions/t" } }],
  ["a tree with more in it", tree({ name: { type: "integer" } }), tree({ name: { type: "number" } })],
  ["allOf", { allOf: [{ type: "object", required: ["a"] }, { properties: { a: { type: "string" } } }] }, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
  ["draft-07 to 2020-12", { $schema: "http://json-schema.org/draft-07/schema#", type: "integer" }, { type: "number" }],
  ["not", { type: "string" }, { not: { type: "number" } }],
]) {
  test(`assignable: ${title}`, () => assert.equal(isAssignable(producer, consumer), true));
}

for (const [title, producer, consumer] of [
  ["numbers are no integers", { type: "number" }, { type: "integer" }],
  ["a key may be missing", { type: "object", properties: { a: { type: "string" } } }, { type: "object", required: ["a"] }],
  ["another key may be there", { type: "object", properties: { a: {} } }, { type: "object", properties: { a: {} }, additionalProperties: false }],
  ["a larger union", { type: ["string", "null"] }, { type: "string" }],
  ["a list may hold more", { type: "array", prefixItems: [{ type: "string" }] }, { type: "array", items: { type: "string" } }],
  ["two of oneOf", { const: 1 }, { oneOf: [{ type: "integer" }, { type: "number" }] }],
  ["nothing is known", true, { type: "string" }],
  ["a tree with other leaves", tree({ name: { type: "string" } }), tree({ name: { type: "number" } })],
  ["a reference to elsewhere", { $ref: "https://example.com/x" }, { type: "string" }],
  ["draft-07: what stands beside a reference", { $schema: "http://json-schema.org/draft-07/schema#", definitions: { x: true }, properties: { a: { $ref: "#/definitions/x", type: "string" } }, type: "object" }, { properties: { a: { type: "string" } } }],
  ["without end", { $ref: "#" }, { type: "string" }],
  ["to what has no end", true, { $ref: "#" }],
  ["a pattern takes keys from the others", { type: "object", patternProperties: { "^a": { type: "number" } }, additionalProperties: { type: "string" } }, { additionalProperties: { type: "string" } }],
]) {
  test(`not assignable: ${title}`, () => assert.equal(isAssignable(producer, consumer), false));
}
