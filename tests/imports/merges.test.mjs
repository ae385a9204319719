// Merge nodes of n8n: what they put together, and which of their inputs they hand on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const node = (name, kind, parameters = {}, more = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 3, parameters, ...more });
const code = (name, field) => node(name, "code", { jsCode: `return $json.body.${field}.map((json) => ({ json }));` }, { typeVersion: 2 });
const set = (name, fields) => node(name, "set", { assignments: { assignments: Object.entries(fields).map(([name, value]) => ({ name, value })) } }, { typeVersion: 3.4 });
const at = (name, index) => ({ main: [[{ node: name, type: "main", index }]] });

/** What comes out of a Merge of two lists, and what a step behind it reads. */
const merged = async (parameters, state, { version = 3, says = {} } = {}) => {
  const { document, report, step } = await imported(JSON.stringify({
    name: "Flow",
    nodes: [node("Hook", "webhook"), code("A", "a"), code("B", "b"), node("Merge", "merge", parameters, { typeVersion: version }), set("Say", says)],
    connections: { Hook: { main: [[{ node: "A" }, { node: "B" }]] }, A: at("Merge", 0), B: at("Merge", 1), Merge: at("Say", 0) },
  }));
  const { errors, state: after } = await (await Workflow.fromDocument(document)).run({ state: { body: state } });
  assert.deepEqual(errors, []);
  return { output: after.Merge_output, after, step, notes: report.nodes.find(({ name }) => name === "Merge").notes };
};
const lists = { a: [{ id: 1, x: "a" }, { id: 2, x: "b" }], b: [{ id: 2, y: "c" }, { id: 3, y: "d", x: "e" }] };

test("items are put together by their position", async () => {
  const one = await merged({ mode: "combine", combineBy: "combineByPosition" }, { a: [{ x: 1, z: 1 }], b: [{ y: 2, z: 2 }] }, { says: { x: "={{ $json.x }}", y: "={{ $json.y }}" } });
  assert.deepEqual([one.output, one.after.x, one.after.y, one.notes], [{ x: 1, y: 2, z: 2 }, 1, 2, []]);
  const first = await merged({ mode: "combine", combinationMode: "mergeByPosition", options: { clashHandling: { values: { resolveClash: "preferInput1" } } } }, { a: [{ z: 1 }], b: [{ z: 2 }] }, { version: 2.1 });
  assert.deepEqual(first.output, { z: 1 });
  const more = { a: [{ x: 1 }, { x: 2 }], b: [{ y: 1 }] };
  assert.deepEqual((await merged({ mode: "combine", combineBy: "combineByPosition", options: { includeUnpaired: true } }, more)).output, [{ x: 1, y: 1 }, { x: 2 }]);
  assert.deepEqual((await merged({ mode: "mergeByIndex" }, more, { version: 1 })).output, [{ x: 1, y: 1 }, { x: 2 }]);
  assert.deepEqual((await merged({ mode: "mergeByIndex", join: "inner" }, more, { version: 1 })).output, { x: 1, y: 1 });
});

test("items are put together where their fields are the same", async () => {
  const by = async (more) => (await merged({ mode: "combine", fieldsToMatchString: "id", ...more }, lists)).output;
  assert.deepEqual(await by({}), { id: 2, x: "b", y: "c" });
  assert.deepEqual(await by({ outputDataFrom: "input1" }), { id: 2, x: "b" });
  assert.deepEqual(await by({ joinMode: "keepNonMatches" }), [{ id: 1, x: "a" }, { id: 3, y: "d", x: "e" }]);
  assert.deepEqual(await by({ joinMode: "keepNonMatches", outputDataFrom: "input2" }), { id: 3, y: "d", x: "e" });
  assert.deepEqual(await by({ joinMode: "enrichInput1" }), [{ id: 1, x: "a" }, { id: 2, x: "b", y: "c" }]);
  assert.deepEqual(await by({ joinMode: "enrichInput2" }), [{ id: 2, x: "b", y: "c" }, { id: 3, y: "d", x: "e" }]);
  assert.deepEqual((await by({ joinMode: "keepEverything" })).length, 3);
  assert.deepEqual((await merged({ mode: "combine", combineBy: "combineByFields", advanced: true, mergeByFields: { values: [{ field1: "x", field2: "y" }] } }, { a: [{ x: 1 }], b: [{ y: 1 }] })).output, { x: 1, y: 1 });
  const old = { propertyName1: "id", propertyName2: "id" };
  assert.deepEqual((await merged({ mode: "mergeByKey", ...old }, lists, { version: 1 })).output.length, 2);
  assert.deepEqual((await merged({ mode: "removeKeyMatches", ...old }, lists, { version: 1 })).output, { id: 1, x: "a" });
  assert.deepEqual((await merged({ mode: "keepKeyMatches", ...old }, lists, { version: 1 })).output, { id: 2, x: "b" });
});

test("each item is put together with each", async () => {
  for (const [parameters, version] of [[{ mode: "combine", combineBy: "combineAll" }, 3], [{ mode: "combine", combinationMode: "multiplex" }, 2], [{ mode: "multiplex" }, 1]]) {
    assert.deepEqual((await merged(parameters, { a: [{ x: 1 }, { x: 2 }], b: [{ y: 3 }] }, { version })).output, [{ x: 1, y: 3 }, { x: 2, y: 3 }]);
  }
});

test("a Merge that chooses hands on the input that it chooses", async () => {
  for (const [parameters, version] of [[{ mode: "chooseBranch", useDataOfInput: "2" }, 3], [{ mode: "chooseBranch", output: "input2" }, 2], [{ mode: "passThrough", output: "input2" }, 1]]) {
    const { after, notes, step } = await merged(parameters, { a: [{ x: 1 }], b: [{ x: 2 }] }, { version, says: { said: "={{ $json.x }}" } });
    assert.deepEqual([after.said, notes, step("Merge").run.set], [2, [], { merge: "B_output" }]);
  }
});

test("what a Merge cannot put together here stays a list to look at", async () => {
  for (const parameters of [{}, { mode: "combineBySql", query: "SELECT 1" }, { mode: "combine" }, { mode: "combine", combineBy: "combineByPosition", options: { clashHandling: { values: { resolveClash: "addSuffix" } } } }]) {
    const { notes } = await merged(parameters, lists);
    assert.deepEqual(notes, ["It gives a list of what those of its branches gave that ran; look whether what follows reads the right one."]);
  }
});

test("an input at which nothing came brings nothing", async () => {
  const which = node("Which", "if", { conditions: { conditions: [{ leftValue: "={{ $json.body.a }}", rightValue: 1, operator: { type: "number", operation: "equals" } }] } }, { typeVersion: 2 });
  const { document } = await imported(JSON.stringify({
    name: "Flow",
    nodes: [node("Hook", "webhook"), which, set("A", { x: "={{ 1 }}" }), set("B", { y: "={{ 2 }}" }), node("Merge", "merge", { mode: "combine", combineBy: "combineByPosition", options: { includeUnpaired: true } })],
    connections: { Hook: at("Which", 0), Which: { main: [[{ node: "A" }], [{ node: "B" }]] }, A: at("Merge", 0), B: at("Merge", 1) },
  }));
  for (const [a, output] of [[1, { x: 1 }], [2, { y: 2 }]]) assert.deepEqual((await (await Workflow.fromDocument(document)).run({ state: { body: { a } } })).state.Merge_output, output);
});
