// Nodes of n8n that make many items of one, and those that make one of many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const node = (name, kind, parameters = {}, more = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 2, parameters, ...more });
const set = (name, fields) => node(name, "set", { assignments: { assignments: Object.entries(fields).map(([name, value]) => ({ name, value })) } }, { typeVersion: 3.4 });
const code = (name, jsCode, more = {}) => node(name, "code", { jsCode, ...more });
const split = (name, field, more = {}) => node(name, "splitOut", { fieldToSplitOut: field, ...more });
const to = (...ports) => ({ main: ports.map((names) => [names].flat().map((node) => ({ node }))) });
const hook = node("Hook", "webhook");
const flow = (nodes, connections) => imported(JSON.stringify({ name: "Flow", nodes: [hook, ...nodes], connections }));
/** Nodes one behind the other. */
const chain = (...nodes) => flow(nodes, Object.fromEntries([hook, ...nodes].slice(0, -1).map(({ name }, index) => [name, to(nodes[index].name)])));
const run = async (document, body) => (await Workflow.fromDocument(document)).run({ state: { body } });
const about = (report, name) => report.nodes.find((node) => node.name === name);

test("what stands behind a Split Out is done for each item, up to what is given all of them", async () => {
  const big = node("Big", "filter", { conditions: { conditions: [{ leftValue: "={{ $json.n }}", rightValue: 1, operator: { type: "number", operation: "gt" } }] } });
  const { document, report, step } = await chain(split("Items", "body.list"), big, set("Double", { twice: "={{ $json.n * 2 }}", of: "={{ $('Items').item.json.name }}" }), node("All", "aggregate", { aggregate: "aggregateAllItemData" }), set("Say", { said: "={{ $json.data }}", again: "={{ $('Double').item.json.twice }}" }));
  assert.deepEqual([step("Items").items, step("Items").result], ["body.list", 'steps["Double"].output | default(none)']);
  assert.deepEqual(step("Items").steps.map(({ name }) => name), ["Big"]);
  assert.deepEqual(step("Double").run.set, { twice: "item.n * 2", of: "item.name" });
  assert.deepEqual(report.connections.filter(({ lost }) => lost), []);
  assert.deepEqual(about(report, "Say").notes, ["Write this expression anew: $('Double').item.json.twice"]);
  const { state } = await run(document, { list: [{ n: 1, name: "a" }, { n: 2, name: "b" }, { n: 3, name: "c" }] });
  assert.deepEqual(state.said, [{ twice: 4, of: "b" }, { twice: 6, of: "c" }]);
});

test("an item that is no object has the name of its list", async () => {
  const { document, step } = await chain(split("Tags", "body.tags"), set("Say", { said: "={{ $json.tags }}" }), code("Count", "return { all: $input.all().map((item) => item.json.said) };"));
  assert.equal(step("Say").run.set.said, '(item.tags if item is mapping and "tags" in item else item)');
  assert.deepEqual((await run(document, { tags: ["x", "y"] })).state.Count_output, { all: ["x", "y"] });
  const inCode = await chain(split("Tags", "body.tags"), code("Look", "return { seen: $json.tags };", { mode: "runOnceForEachItem" }), node("All", "aggregate", { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: "seen", renameField: true, outputFieldName: "list" }] } }));
  assert.deepEqual((await run(inCode.document, { tags: ["x", "y"] })).state.All_output, { list: ["x", "y"] });
});

test("a list that something takes as a whole stays one, and what two flows reach stays outside", async () => {
  const { step, report } = await chain(split("Items", "body.list"), node("Loop", "splitInBatches", {}, { typeVersion: 3 }));
  assert.deepEqual(step("Items").run.set, { Items_output: "body.list" });
  assert.deepEqual(about(report, "Items").notes, []);
  const shared = await flow([split("Items", "body.list"), set("Other", { x: "1" }), set("Say", { said: "1" })], { Hook: to(["Items", "Other"]), Items: to("Say"), Other: to("Say") });
  assert.deepEqual(about(shared.report, "Items").notes, ["It gives the list: wrap what follows in a “For each” over it."]);
  assert.equal(shared.step("Items").type, "function");
});

test("a list within the items of another one goes through its own items", async () => {
  const { document, step } = await chain(split("Groups", "body.groups"), split("Members", "of"), set("Say", { said: "={{ $json.name }} of {{ $('Groups').item.json.title }}" }), node("All", "aggregate", { aggregate: "aggregateAllItemData", destinationFieldName: "who" }));
  assert.deepEqual([step("Groups").as, step("Members").as, step("Members").items], ["item", "item_2", "item.of"]);
  const { state } = await run(document, { groups: [{ title: "A", of: [{ name: "x" }] }, { title: "B", of: [{ name: "y" }, { name: "z" }] }] });
  assert.deepEqual(state.All_output.who.flat().map(({ said }) => said), ["x of A", "y of B", "z of B"]);
});

test("branches beside each other meet behind the items", async () => {
  const { document, report } = await flow([split("Items", "body.list"), set("Each", { n: "={{ $json.n }}" }), set("Other", { x: "={{ 1 }}" }), node("Meet", "merge")], { Hook: to(["Items", "Other"]), Items: to("Each"), Each: { main: [[{ node: "Meet", index: 0 }]] }, Other: { main: [[{ node: "Meet", index: 1 }]] } });
  assert.deepEqual(report.connections.filter(({ lost }) => lost), []);
  assert.equal((await run(document, { list: [{ n: 1 }] })).status, "done");
});

test("within a loop, what n8n pairs with an item is that item", async () => {
  const { document, step } = await flow(
    [code("List", "return [{ json: { n: 1 } }, { json: { n: 2 } }];"), node("Loop", "splitInBatches", {}, { typeVersion: 3 }), set("In", { a: "={{ $('List').item.json.n }}", b: "={{ $node['List'].json.n }}" })],
    { Hook: to("List"), List: to("Loop"), Loop: to([], "In"), In: to("Loop") },
  );
  assert.deepEqual(step("In").run.set, { a: "item.n", b: "item.n" });
  assert.deepEqual((await run(document, {})).state.Loop_output, [{ a: 1, b: 1 }, { a: 2, b: 2 }]);
});

test("lists are sorted, cut and freed of what is there twice, and what follows is done for each item", async () => {
  const list = code("List", "return $json.body.list.map((json) => ({ json }));");
  const given = [{ n: 2, t: "b" }, { n: 1, t: "B" }, { n: 3, t: "a" }, { n: 2, t: "b" }];
  const over = async (node) => {
    const { document, step, report } = await chain(list, node, set("Say", { n: "={{ $json.n }}" }));
    assert.equal(about(report, node.name).state, "whole");
    return { step, output: (await run(document, { list: given })).state[`${node.name}_output`] };
  };
  const sorted = await over(node("Sort", "sort", { sortFieldsUi: { sortField: [{ fieldName: "t" }, { fieldName: "n", order: "descending" }] } }));
  assert.deepEqual(sorted.output.map(({ n }) => n), [3, 2, 2, 1]);
  assert.deepEqual([sorted.step("Each of Sort").items, sorted.step("Say").run.set], ["Sort_output", { n: "item.n" }]);
  assert.deepEqual((await over(node("Some", "limit", { maxItems: 2, keep: "lastItems" }))).output, given.slice(-2));
  const one = await over(node("One", "limit"));
  assert.deepEqual([one.output, one.step("Say").run.set], [given[0], { n: "One_output.n" }]);
  assert.equal((await over(node("Once", "removeDuplicates"))).output.length, 3);
  assert.deepEqual((await over(node("Once", "removeDuplicates", { compare: "selectedFields", fieldsToCompare: "t" }))).output.map(({ t }) => t), ["b", "B", "a"]);
  assert.deepEqual((await over(node("Once", "itemLists", { operation: "removeDuplicates", compare: "allFieldsExcept", fieldsToExclude: { fields: [{ fieldName: "n" }] } }))).output.map(({ t }) => t), ["b", "B", "a"]);
});

test("what n8n makes of many items is made here too", async () => {
  const list = code("List", "return $json.body.list.map((json) => ({ json }));");
  const given = [{ n: 2, t: "b", u: { v: [1] } }, { n: 4, t: "b", u: { v: [2] } }, { n: 6, t: "a" }];
  const of = async (kind, parameters) => (await run((await chain(list, node("It", kind, parameters))).document, { list: given })).state.It_output;
  assert.deepEqual(await of("aggregate", { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: "u.v" }, { fieldToAggregate: "['n']" }] }, options: { mergeLists: true } }), { v: [1, 2], n: [2, 4, 6] });
  assert.deepEqual(await of("aggregate", { aggregate: "aggregateAllItemData", include: "specifiedFields", fieldsToInclude: "t, n" }), { data: given.map(({ t, n }) => ({ t, n })) });
  const values = ["count", "sum", "average", "min", "max", "concatenate", "append", "countUnique"].map((aggregation) => ({ aggregation, field: "n" }));
  assert.deepEqual(await of("summarize", { fieldsToSummarize: { values } }), { count_n: 3, sum_n: 12, average_n: 4, min_n: 2, max_n: 6, concatenated_n: "2, 4, 6", appended_n: [2, 4, 6], unique_count_n: 3 });
  assert.deepEqual(await of("summarize", { fieldsToSplitBy: "t", fieldsToSummarize: { values: [{ aggregation: "sum", field: "n" }] } }), [{ t: "b", sum_n: 6 }, { t: "a", sum_n: 6 }]);
  assert.deepEqual(await of("splitOut", { fieldToSplitOut: "u.v", include: "selectedOtherFields", fieldsToInclude: "n" }), [{ n: 2, v: 1 }, { n: 4, v: 2 }]);
});

test("what cannot be said of a list is a placeholder", async () => {
  for (const [kind, parameters] of [["sort", { type: "code" }], ["sort", {}], ["removeDuplicates", { operation: "removeItemsSeenInPreviousExecutions" }], ["summarize", {}], ["splitOut", {}], ["limit", { maxItems: "={{ 3 }}" }]]) {
    const { report } = await chain(node("It", kind, parameters), set("Say", { said: "1" }));
    assert.equal(about(report, "It").state, "placeholder", kind);
  }
});

test("a way back to what makes the items is listed, and does not keep the file out", async () => {
  const { report } = await flow([split("Items", "body.list"), set("Say", { said: "1" }), node("All", "aggregate", { aggregate: "aggregateAllItemData" })], { Hook: to("Items"), Items: to("Say"), Say: to("All"), All: to("Items") });
  assert.deepEqual(report.connections.filter(({ lost }) => lost).map(({ from, lost }) => [from, lost]), [["All", "it leads back to “Items”: wrap the steps between in a loop, with the condition to go on"]]);
});

test("code that runs for each item is run for each", async () => {
  const list = code("List", "return $json.body.list.map((json) => ({ json }));");
  const given = [{ n: 1 }, { n: 2 }];
  const { document } = await chain(list, code("Each", "$json.n *= 10; return { ...$json, of: $input.item.json.n, all: $input.all().length };", { mode: "runOnceForEachItem" }));
  assert.deepEqual((await run(document, { list: given })).state.Each_output, [{ n: 10, of: 10, all: 2 }, { n: 20, of: 20, all: 2 }]);
  const old = await chain(list, node("Old", "functionItem", { functionCode: "item.m = item.n + 1;\nreturn item;" }, { typeVersion: 1 }));
  assert.deepEqual((await run(old.document, { list: given })).state.Old_output, [{ n: 1, m: 2 }, { n: 2, m: 3 }]);
  assert.deepEqual((await run(old.document, { list: given.slice(1) })).state.Old_output, { n: 2, m: 3 });
});
