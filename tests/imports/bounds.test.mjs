// Whatever a file holds, reading it takes time and memory that grow with its size: each of these took minutes, or all memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "stepweave";
import { imported, read } from "./reading.mjs";

const node = (name, kind, parameters = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 3, parameters });
const many = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const code = (lines) => `import { Agent, Runner } from "@openai/agents";\n${lines}`;

test("nodes of the same name get names of their own, and the list grows with the file", async () => {
  const { report, steps } = await imported(JSON.stringify({ name: "n", nodes: many(3000, () => node("same", "noOp")), connections: {} }));
  const names = report.nodes.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 4), ["same", "same (again)", "same (again) 2", "same (again) 3"]);
  assert.deepEqual([new Set(names).size, new Set(steps.map(({ name }) => name)).size], [3000, steps.length]);
  assert.ok(JSON.stringify(report).length < 1_000_000, `${JSON.stringify(report).length}`);
  const dify = await read(JSON.stringify({ app: { name: "d", mode: "workflow" }, workflow: { graph: { nodes: many(3000, () => ({ id: "same", data: { type: "answer", title: "Same", answer: "x" } })), edges: [] } } }));
  assert.equal(new Set(dify.report.nodes.map(({ step }) => step)).size, 3000);
  assert.ok(dify.document.length < 2_000_000, `${dify.document.length}`);
});

test("an expression that would repeat itself without end is written anew", async () => {
  for (const said of [`$json.a${" ?? $json.a".repeat(40)}`, `x${".a".repeat(9_000)}`, `$json.a${" ?? ($json.a".repeat(100)}${")".repeat(100)}`, many(60, () => "$json.a ? $json.b : $json.c ?? ").join("") + "1"]) {
    const made = await read(JSON.stringify({ name: "n", nodes: [node("Hook", "manualTrigger"), node("Get", "httpRequest", { url: `={{ ${said} }}` })], connections: { Hook: { main: [[{ node: "Get" }]] } } }));
    assert.match(made.report.nodes[1].notes.join("\n"), /Write this expression anew/);
    assert.ok(made.document.length < 5_000, `${made.document.length}`);
  }
  const short = await read(JSON.stringify({ name: "n", nodes: [node("Hook", "manualTrigger"), node("Get", "httpRequest", { url: "={{ $json.a ?? $json.b ?? 'x' }}" })], connections: { Hook: { main: [[{ node: "Get" }]] } } }));
  assert.doesNotMatch(short.document, /was:/);
});

test("a selector of any number of names is read once", async () => {
  const answer = `{{#${"a.".repeat(500_000)}b#}}`;
  const made = await read(JSON.stringify({ app: { name: "d", mode: "workflow" }, workflow: { graph: { nodes: [{ id: "s", data: { type: "answer", title: "S", answer } }], edges: [] } } }));
  assert.match(made.report.nodes[0].notes.join("\n"), /Write this anew/);
});

test("names that stand for two others each are followed within a bound", async () => {
  const agent = 'const agent = new Agent({ name: "A", instructions: "x", model: "gpt-5", outputType: s60 });\n';
  const schemas = many(60, (at) => `const s${at + 1} = z.object({ ${many(8, (key) => `k${key}: s${at}`).join(", ")} });`).join("\n");
  const objects = many(60, (at) => `const o${at + 1} = { a: Math.round(1, o${at}.a, o${at}.a) };`).join("\n");
  const body = `${objects}\nawait runner.run(agent, [{ role: "user", content: [{ type: "input_text", text: \`\${o60.a} and \${workflow.input_as_text}\` }] }]);`;
  const made = await read(code(`const s0 = z.object({ a: z.string() });\n${schemas}\n${agent}export const runWorkflow = async (workflow) => { const o0 = { a: 1 };\n${body} };`));
  const document = JSON.parse(made.document);
  assert.equal(document.agents.a.output.type, "object");
  assert.ok(made.document.length < 20_000_000, `${made.document.length}`);
  assert.equal(document.steps.at(-1).type, "agent");
});

test("a switch has no more cases than a file may have connections", async () => {
  const targets = [...many(200_000, () => []), [{ node: "End" }]];
  const made = await read(JSON.stringify({ name: "n", nodes: [node("Hook", "manualTrigger"), node("Which", "switch", { mode: "expression", output: `={{ ${"$json.a + ".repeat(100)}1 }}` }), node("End", "noOp")], connections: { Hook: { main: [[{ node: "Which" }]] }, Which: { main: targets } } }));
  assert.match(made.error, /its nodes have more than 12000 outputs/);
});

test("iterations of Dify nest within a bound, and none is lost that lies in itself", async () => {
  const app = { name: "d", mode: "workflow" };
  const nested = (count) => many(count, (at) => ({ id: `n${at}`, ...(at > 0 && { parentId: `n${at - 1}` }), data: { type: "iteration", title: `T${at}`, iterator_selector: ["a", "b"] } }));
  const reading = (nodes) => read(JSON.stringify({ app, workflow: { graph: { nodes, edges: [] } } }));
  for (const count of [300, 2900]) assert.match((await reading(nested(count))).error, /its iterations and loops nest more than 120 deep/);
  const [deep, nodes] = [await reading(nested(100)), nested(3)];
  assert.deepEqual(await validate(JSON.parse(deep.document)).then((found) => found.filter(({ severity }) => severity === "error")), []);
  // The first lies in the last, and another one in itself.
  Object.assign(nodes[0], { parentId: "n2" });
  const made = await imported(JSON.stringify({ app, workflow: { graph: { nodes: [...nodes, { id: "own", parentId: "own", data: { type: "answer", title: "Own", answer: "x" } }], edges: [] } } }));
  assert.deepEqual(made.report.nodes.map(({ name, step }) => [name, step !== undefined && step !== ""]), [["T0", true], ["T1", true], ["T2", true], ["Own", true]]);
  const names = made.steps.map(({ name }) => name);
  assert.ok(["Own", "T0", "T1", "T2"].every((name) => names.includes(name)), names.join());
});

test("ways that meet again and again are followed within a bound", async () => {
  const count = 600;
  const name = (n) => `n${n}`;
  const nodes = Array.from({ length: count }, (_, n) => n % 2
    ? { name: name(n), type: "n8n-nodes-base.set", typeVersion: 2, parameters: { values: { string: [{ name: "x", value: "={{ $json.y }}" }] } } }
    : { name: name(n), type: "n8n-nodes-base.if", typeVersion: 2, parameters: { conditions: { conditions: [{ leftValue: "={{ $json.x }}", rightValue: "1", operator: { type: "string", operation: "equals" } }] } } });
  const to = (...ends) => ends.filter((n) => n < count).map((n) => [{ node: name(n) }]);
  const connections = Object.fromEntries(nodes.map((_, n) => [name(n), { main: n % 2 ? to(n + 1) : to(n + 1, n + 2) }]));
  const made = await read(JSON.stringify({ nodes, connections }));
  assert.ok("error" in made || made.report.nodes.some(({ notes }) => notes.includes("Write this expression anew: $json.x")));
});

test("what begins an expression and does not end it is looked for once", async () => {
  const template = "{{".repeat(400_000);
  const app = await read(JSON.stringify({ app: { name: "d", mode: "workflow" }, workflow: { graph: { nodes: [{ id: "s", data: { type: "template-transform", title: "S", template, variables: [] } }], edges: [] } } }));
  assert.ok("document" in app);
  const url = `https://a.example/${"{{ $now ".repeat(100_000)}`;
  const flow = await read(JSON.stringify({ name: "n", nodes: [node("Hook", "manualTrigger"), node("Get", "httpRequest", { url })], connections: { Hook: { main: [[{ node: "Get" }]] } } }));
  assert.ok("document" in flow);
});

test("templates of Dify nest within a bound", async () => {
  for (const said of ["not ".repeat(20_000) + "a", "- ".repeat(20_000) + "a", `${"(".repeat(20_000)}a`, `${"[".repeat(20_000)}a`, `a${" if a else a".repeat(5_000)}`]) {
    const made = await read(JSON.stringify({ app: { name: "d", mode: "workflow" }, workflow: { graph: { nodes: [{ id: "s", data: { type: "template-transform", title: "S", template: `{{ ${said} }}`, variables: [{ variable: "a", value_selector: ["s", "a"] }] } }], edges: [] } } }));
    assert.match(made.report.nodes[0].notes.join("\n"), /Write this of its template anew/);
  }
});

test("nodes that make many items are followed within a bound", async () => {
  const count = 700;
  const nodes = [node("Hook", "webhook"), ...many(count, (at) => [node(`L${at}`, "splitOut", { fieldToSplitOut: "x" }), node(`S${at}`, "noOp")]).flat()];
  const wide = Object.fromEntries(many(count, (at) => [`L${at}`, { main: [[{ node: `S${at}` }]] }]));
  const beside = await read(JSON.stringify({ name: "n", nodes, connections: { Hook: { main: [many(count, (at) => ({ node: `L${at}` }))] }, ...wide } }));
  assert.ok("document" in beside, beside.error);
  const deep = { ...wide, ...Object.fromEntries(many(count - 1, (at) => [`S${at}`, { main: [[{ node: `L${at + 1}` }]] }])), Hook: { main: [[{ node: "L0" }]] } };
  assert.match((await read(JSON.stringify({ name: "n", nodes, connections: deep }))).error, /its branches nest more than 120 deep/);
});
