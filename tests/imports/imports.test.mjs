// Files of other tools become workflows that validate, with a report that has every node and every connection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { file, imported, read } from "./reading.mjs";

const lost = (report) => report.connections.filter((one) => one.lost).map((one) => `${one.from} → ${one.to}: ${one.lost}`);

test("a workflow of n8n becomes a tree, and what is lost is said", async () => {
  const { document, report, steps, step } = await imported(file("triage.n8n.json"));
  assert.equal(report.tool, "n8n");
  assert.equal(report.nodes.length, 10);
  assert.equal(report.connections.length, 11);
  assert.deepEqual(lost(report), ["Answer → Classify: it leads back to “Classify”: wrap the steps between in a loop, with the condition to go on"]);
  assert.equal(document.name, "Ticket triage");
  assert.deepEqual(Object.keys(document.input.properties), ["body", "query", "headers", "params"]);
  assert.equal(step("Classify").inputFrom, "Ticket of {{ body.customer.name | upper }}: {{ body.text }}");
  const agent = document.agents[step("Classify").agent];
  assert.equal(agent.instructions, "You classify tickets.");
  assert.deepEqual(agent.output.properties, { urgent: { type: "boolean" }, topic: { type: "string" } });
  assert.deepEqual(document.models[agent.model], { provider: "openai", model: "gpt-4o-mini", apiKey: { secret: "OPENAI_API_KEY" }, params: { temperature: 0.2 } });
  assert.equal(step("Urgent?").condition, '(steps["Classify"].output.urgent | default(none)) == true');
  // Store and what follows it is reached from both sides: it stands once, behind the condition.
  assert.deepEqual(step("Urgent?").steps.map(({ name }) => name), ["Page"]);
  assert.equal(steps.filter(({ name }) => name === "Store").length, 1);
  assert.equal(report.nodes.find(({ name }) => name === "Store").state, "placeholder");
  assert.match(step("Store").notes, /“Store” was a googleSheets \(sheet: append\) node/);
  assert.deepEqual(report.nodes.find(({ name }) => name === "Stamp").notes, ["Write this expression anew: $now.toISO()"]);
  assert.equal(step("Stamp").run.set.topic, 'steps["Classify"].output.topic');
});

test("no key of a file is taken along", async () => {
  for (const name of ["triage.n8n.json", "chat.dify.yml"]) {
    const made = await read(file(name));
    assert.doesNotMatch(JSON.stringify(made), /0123456789abcdef|abcdef0123456789|very-secret|secret account|sheets"/, name);
  }
  const { step } = await imported(file("triage.n8n.json"));
  assert.deepEqual(step("Page").http.auth, { bearer: { secret: "PAGE_KEY" } });
  assert.equal(step("Page").http.url, "https://pager.example/v1/alerts");
});

test("a loop over items comes back, two triggers begin the same, and what nothing leads to is switched off", async () => {
  const { document, report, step } = await imported(file("batches.n8n.json"));
  assert.deepEqual(lost(report), ["Done → Nobody: the file has no node of this name"]);
  assert.equal(step("Each").type, "foreach");
  assert.deepEqual(step("Each").steps.map(({ name, type }) => [name, type]), [["Wait", "wait"], ["Double", "function"]]);
  assert.deepEqual(step("Wait").wait, { ms: 2_000 });
  assert.equal(step("Double").run.set.m, "item.n * 2");
  assert.equal(step("Alone").enabled, false);
  assert.ok(report.notes.includes("Nothing leads to “Alone”: it stands at the end and is switched off."));
  assert.ok(!("initialState" in document));
  // The list that the code gives is what the loop goes through.
  const { state } = await new Workflow({ name: "x", steps: [] }).run();
  assert.deepEqual(state, {});
});

test("code of n8n runs over the state", async () => {
  const { document } = await imported(JSON.stringify({ name: "c", nodes: [
    { name: "Hook", type: "n8n-nodes-base.webhook", parameters: {} },
    { name: "Sum", type: "n8n-nodes-base.code", parameters: { jsCode: "const n = $input.first().json.body.prices.reduce((a, b) => a + b, 0);\nreturn [{ json: { total: n } }];" } },
    { name: "Say", type: "n8n-nodes-base.set", parameters: { values: { string: [{ name: "said", value: "=Total {{ $json.total }}" }] } } },
  ], connections: { Hook: { main: [[{ node: "Sum" }]] }, Sum: { main: [[{ node: "Say" }]] } } }));
  const run = await (await Workflow.fromDocument(document)).run({ state: { body: { prices: [1, 2, 4] } } });
  assert.equal(run.status, "done", JSON.stringify(run.errors));
  assert.equal(run.state.said, "Total 7");
});

test("branches that end early stop the run where others go on", async () => {
  const node = (name, type, parameters = {}) => ({ name, type: `n8n-nodes-base.${type}`, typeVersion: 2, parameters });
  const to = (...names) => names.map((each) => ({ node: each }));
  const { steps } = await imported(JSON.stringify({ name: "b", nodes: [
    node("Hook", "webhook"),
    node("Which", "switch", { dataType: "string", value1: "={{ $json.body.kind }}", rules: { rules: [{ value2: "a" }, { value2: "b", output: 1 }, { value2: "c", output: 2 }] } }),
    node("A", "noOp"), node("B", "noOp"), node("C", "noOp"), node("Join", "noOp"),
  ], connections: { Hook: { main: [to("Which")] }, Which: { main: [to("A"), to("B"), to("C")] }, A: { main: [to("Join")] }, B: { main: [to("Join")] } } }));
  const which = steps.find(({ name }) => name === "Which");
  assert.deepEqual(which.cases.map((one) => one.steps.map(({ name, type }) => `${name}:${type}`)), [["A:function"], ["B:function"], ["C:function", "Stop here:end"]]);
  assert.equal(steps.at(-1).name, "Join");
});

test("an app of Dify becomes a tree, with its iteration and its variables", async () => {
  const { document, report, step } = await imported(file("chat.dify.yml"));
  assert.equal(report.tool, "Dify");
  assert.equal(report.nodes.length, 10);
  assert.equal(report.connections.length, 8);
  assert.deepEqual(lost(report), []);
  assert.deepEqual(document.input.properties.days, { type: "number", description: "Days" });
  assert.equal(document.initialState.conversation_city, "Rome");
  assert.equal("env_WEATHER_KEY" in document.initialState, false, "no step reads it, and nobody should write a key there");
  assert.equal(step("Weather").http.url, "https://weather.example/{{ conversation_city }}");
  assert.deepEqual(step("Weather").http.query, { days: "{{ days }}" });
  assert.equal(step("Explain").inputFrom, 'For {{ days }} days: {{ steps["Weather"].output.body }}');
  assert.equal(document.agents[step("Explain").agent].instructions, "You explain weather { plainly }.");
  assert.equal(step("Each day").onItemError, "null");
  assert.equal(step("Each day").items, "days");
  assert.equal(step("Each day").result, 'Line_output');
  assert.deepEqual(report.nodes.filter(({ state }) => state === "placeholder").map(({ name }) => name), ["Visa check", "Count"]);
  assert.match(step("Count").notes, /def main/);
});

test("Agent Builder's TypeScript is read and never run", async () => {
  const { document, report, step } = await imported(file("agent-builder.txt"));
  assert.equal(report.tool, "OpenAI Agent Builder");
  assert.equal(document.name, "Shop desk");
  assert.deepEqual(document.initialState, { city: "Graz", tries: 0 });
  assert.equal(step("Classify").inputFrom, "Sort this: {{ input_as_text }}");
  assert.deepEqual(document.agents[step("Classify").agent].output, { type: "object", required: ["kind", "sure"], properties: { kind: { type: "string", enum: ["return", "question"] }, sure: { type: "boolean" } } });
  assert.deepEqual(document.tools.lookuporder.input.required, ["order_id"]);
  assert.deepEqual(document.tools.websearchpreview.run, { provider: "web_search", allowedDomains: ["shop.example"] });
  assert.equal(step("If 2").condition, 'steps["Approval"].output.approved');
  assert.equal(step("If").condition, 'steps["Guardrails"].output.flagged');
  assert.deepEqual(step("Which").cases.map(({ when }) => when), ['steps["Classify"].output.kind == "return"', 'steps["Classify"].output.sure == true']);
  assert.equal(step("Approval").message, "Take it back?");
  assert.equal(step("Reply").inputFrom, "Answer politely. The shop is in {{ city }}. Braces {{ '{{' }} are }} text.\n\n{{ input_as_text }}");
  assert.deepEqual(report.nodes.filter(({ state }) => state === "placeholder").map(({ name }) => name), ["lookUpOrder", "File search"]);
});

test("hostile and foreign files give a sentence", async () => {
  const says = async (text, pattern) => {
    const made = await read(text);
    assert.match(made?.error ?? JSON.stringify(made)?.slice(0, 100) ?? "not recognised", pattern);
  };
  await says(`import { Agent } from "@openai/agents";\n${"[".repeat(5_000)}`, /code nests too deep/);
  await says('import { Agent } from "@openai/agents"; const a = new Agent({ name: "x" });', /no function that runs agents/);
  await says('import { Agent } from "@openai/agents"; const = 3;', /no valid TypeScript: .*\(1:/);
  await says("from agents import Agent\nawait Runner.run(a)", /Agent Builder's Python/);
  await says(`app:\n  name: x\nworkflow: {graph: ${"[".repeat(1_000)}`, /cannot be imported/);
  await says(`app: {}\nworkflow:\n  graph: &a\n    nodes: []\n    x: [${Array.from({ length: 200 }, () => "*a").join(",")}]\n`, /cannot be imported|document/);
  const nodes = Array.from({ length: 3_001 }, (_, n) => ({ name: `n${n}`, type: "n8n-nodes-base.noOp" }));
  await says(JSON.stringify({ nodes, connections: {} }), /more than 3000 nodes/);
  await says(JSON.stringify({ nodes: [{ type: "genericNode" }], edges: [] }), /a file of Langflow/);
  await says(JSON.stringify({ nodes: [{ type: "customNode" }], edges: [] }), /a file of Flowise/);
  await says(JSON.stringify({ flow: [], metadata: {} }), /a file of Make/);
  await says(JSON.stringify({ zaps: [] }), /a file of Zapier/);
  assert.equal(await read('{ "version": 1, "name": "own", "steps": [] }'), undefined);
  assert.equal(await read("just a text"), undefined);
  assert.equal(await read("{ broken"), undefined);
});

test("names that are traps and circles of every kind are read", async () => {
  const node = (name, type = "noOp") => ({ name, type: `n8n-nodes-base.${type}`, parameters: { values: { string: [{ name: "__proto__", value: "x" }] } } });
  const names = ["__proto__", "constructor", "a", "a", "{{ x }}", "\" ~ 1 ~ \""];
  const { report } = await imported(`{"nodes":${JSON.stringify(names.map((name) => node(name, "set")))},"connections":${JSON.stringify({ constructor: { main: [[{ node: "a" }]] }, a: { main: [[{ node: "a" }, { node: "constructor" }, { node: "{{ x }}" }]] } })}}`);
  assert.equal(report.nodes.length, 6);
  assert.equal(report.connections.length, 4);
  // A chain as long as files may be ends, and nests no deeper than documents may.
  const long = Array.from({ length: 3_000 }, (_, n) => ({ name: `n${n}`, type: "n8n-nodes-base.noOp" }));
  const made = await imported(JSON.stringify({ nodes: long, connections: Object.fromEntries(long.slice(1).map(({ name }, n) => [`n${n}`, { main: [[{ node: name }]] }])) }));
  assert.equal(made.steps.length, 3_000);
});

test("nested choices deeper than a document may be are said to be so", async () => {
  const deep = Array.from({ length: 400 }, (_, n) => ({ name: `n${n}`, type: "n8n-nodes-base.if", parameters: { conditions: { string: [{ value1: "a", value2: "b" }] } } }));
  const made = await read(JSON.stringify({ nodes: deep, connections: Object.fromEntries(deep.slice(1).map(({ name }, n) => [`n${n}`, { main: [[{ node: name }]] }])) }));
  assert.match(made.error, /cannot be imported: its branches nest more than 120 deep/);
});

test("a file whose connections are entangled ends in a sentence, after a bounded amount of work", async () => {
  const nodes = Array.from({ length: 3_000 }, (_, n) => ({ name: `n${n}`, type: "n8n-nodes-base.noOp" }));
  const to = (...names) => [names.map((n) => ({ node: `n${n}` }))];
  const connections = Object.fromEntries(nodes.slice(1).map((_, n) => [`n${n}`, { main: to(n + 1, Math.max(0, n - 1), Math.min(2_999, n + 7), (n * 7_919) % 3_000) }]));
  assert.match((await read(JSON.stringify({ nodes, connections }))).error, /cannot be imported: its connections are too entangled/);
});
