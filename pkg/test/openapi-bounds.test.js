// Descriptions whose schemas name each other without end. They hold the thread for a moment, so no server answers beside them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiTools } from "stepweave/openapi";

const api = (paths, more) => ({ openapi: "3.1.0", info: { title: "Bees", version: "1" }, paths, ...more });
const make = (description) => openApiTools(JSON.stringify(description), { server: "https://bees.example/v1" });

/** The arguments of the one tool that a description gives. */
async function inputOf(description) {
  const [tool, ...others] = Object.values((await make(description)).document);
  assert.deepEqual(others, []);
  return tool.input;
}

test("what many operations share is written within one bound for all of them, and the rest takes any value", async () => {
  const posts = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`/p${at}`, { post: { operationId: `o${at}`, requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } } } }]));
  const ref = (at) => ({ $ref: `#/components/schemas/S${at}` });
  const all = async (schemas) => {
    const { tools, document, leftOut } = await make(api(posts, { components: { schemas } }));
    const inputs = Object.values(document).map(({ input }) => input);
    assert.equal(tools.length, 200);
    assert.deepEqual([inputs[0].properties.body, inputs.at(-1).properties.body], [{ $ref: "#/$defs/S0" }, {}]);
    return { inputs, leftOut, size: JSON.stringify(inputs).length };
  };
  // Each is made of the next one, in a circle: every name was looked for among all, in each operation.
  const circle = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`S${at}`, { type: "object", allOf: [ref((at + 1) % 600)], properties: { [`k${at}`]: { type: "string" } } }]));
  const round = await all(circle);
  assert.deepEqual(round.inputs[0].$defs.S599, { type: "object", properties: { k599: { type: "string" } }, allOf: [{ $ref: "#/$defs/S0_itself" }] });
  assert.match(round.leftOut.at(-1).reason, /belongs to more schemas than are read at once: what is left of it takes any value/);
  assert.ok(round.leftOut.every(({ part }) => part === "the schema of the arguments"));
  // An object each of whose properties is the same object.
  const wide = await all({ S0: { type: "object", additionalProperties: false, properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, ref(0)])) } });
  assert.ok(wide.size < 20_000_000, `${wide.size}`);
  assert.ok(!("additionalProperties" in wide.inputs[0].$defs.S0), "what was cut is not refused");
});

test("parts that are called the same are numbered, however many they are", async () => {
  const count = 20_000;
  const groups = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, { S: { type: "object", properties: { a: {} } } }]));
  const schema = { anyOf: Array.from({ length: count }, (_, at) => ({ $ref: `#/components/x${at}/S` })) };
  const input = await inputOf(api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { "application/json": { schema } } } } } }, { components: groups }));
  const { anyOf } = input.properties.body;
  assert.deepEqual([anyOf.length, anyOf[0], anyOf[1], anyOf.at(-1)], [count, { $ref: "#/$defs/S" }, { $ref: "#/$defs/S_2" }, { $ref: `#/$defs/S_${count}` }]);
  const same = Array.from({ length: 5000 }, (_, at) => ({ in: "query", name: `p${"!".repeat(1 + (at % 100))}${"?".repeat(at / 100)}`, schema: { type: "string" } }));
  const arguments_ = await inputOf(api({ "/b": { get: { operationId: "g", parameters: same } } }));
  assert.deepEqual(Object.keys(arguments_.properties).slice(0, 3), ["p", "p_2", "p_3"]);
  assert.equal(Object.keys(arguments_.properties).length, same.length);
});
