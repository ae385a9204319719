// One node that the validator refuses does not keep its file out: it becomes a placeholder, and the report says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "stepweave";
import { flat, read } from "./reading.mjs";

const node = (name, kind, parameters = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 4, parameters });
const to = (name) => ({ main: [[{ node: name }]] });

async function mended(nodes, connections) {
  const text = JSON.stringify({ name: "m", nodes, connections });
  const before = await read(text);
  assert.notDeepEqual(await validate(before.document), [], "it would be refused");
  const made = await read(text, validate);
  assert.deepEqual((await validate(made.document)).filter(({ severity }) => severity === "error"), []);
  const document = JSON.parse(made.document);
  const steps = flat(document.steps);
  const ids = new Set(steps.map(({ id }) => id));
  for (const { step } of made.report.nodes) if (step !== undefined) assert.ok(ids.has(step));
  return { document, report: made.report, steps, step: (name) => steps.find((step) => step.name === name), about: (name) => made.report.nodes.find((node) => node.name === name) };
}

test("steps whose requests are refused become placeholders, wherever they stand", async () => {
  const { step, about } = await mended(
    [
      node("Hook", "manualTrigger"),
      node("Up", "httpRequest", { url: "https://a.example/x/../y" }),
      node("Which", "if", { conditions: { string: [{ value1: "a", value2: "b" }] } }),
      node("Inner", "httpRequest", { url: "https://a.example/./x" }),
      node("Well", "httpRequest", { url: "https://a.example/x" }),
      node("Say", "set", { assignments: { assignments: [{ name: "said", value: "={{ $json.x }}" }] } }),
    ],
    { Hook: to("Up"), Up: { main: [[{ node: "Which" }, { node: "Say" }]] }, Which: { main: [[{ node: "Inner" }], [{ node: "Well" }]] } },
  );
  for (const name of ["Up", "Inner"]) {
    assert.equal(step(name).type, "function");
    assert.match(step(name).run.code, new RegExp(`^throw new Error\\("“${name}” was a httpRequest node\\. It cannot be taken over as it is: .*leads elsewhere`));
    assert.equal(about(name).state, "placeholder");
    assert.match(about(name).notes.at(-1), new RegExp(`^It cannot be taken over as it is.* Give what it gave as the key \`${name}_output\`\\.$`));
  }
  assert.equal(step("Say").run.set.said, "Up_output.x");
  assert.deepEqual(step("Which").steps.map(({ name }) => name), ["Inner"]);
  assert.deepEqual([step("Well").type, about("Well").state], ["http", "whole"]);
});

test("tools whose requests are refused become tools that fail", async () => {
  const { document, report } = await mended(
    [node("Hook", "manualTrigger"), { ...node("Ask", "agent", { text: "Go" }), type: "@n8n/n8n-nodes-langchain.agent" }, { ...node("Look", "toolHttpRequest", { url: "https://a.example/../x" }), type: "@n8n/n8n-nodes-langchain.toolHttpRequest" }],
    { Hook: to("Ask"), Look: { ai_tool: [[{ node: "Ask" }]] } },
  );
  assert.match(document.tools.look.run.code, /^throw new Error\("The tool “look” cannot be taken over as it is/);
  assert.ok(report.notes.some((note) => note.startsWith("The tool “look” cannot be taken over")));
});

test("what no placeholder mends stays as it was, and what the page shows is left alone", async () => {
  const text = JSON.stringify({ name: "m", nodes: [node("Hook", "manualTrigger"), node("Call", "httpRequest", { url: "https://a.example" })], connections: { Hook: to("Call") } });
  const plain = await read(text);
  const fault = (path, code) => async () => [{ path, code, message: "no", hint: "", severity: "error" }];
  for (const check of [fault("initialState", "wrong_type"), fault("steps[0].http.url", "template_syntax"), fault("steps[0].http.url", "wrong_address"), fault("steps[9].name", "wrong_type"), () => Promise.reject(new Error("no engine"))]) {
    assert.deepEqual(await read(text, check), plain);
  }
});

test("what is refused of an agent, a model, the input or the initial state is left out", async () => {
  const chat = (name, kind, parameters) => ({ ...node(name, kind, parameters), type: `@n8n/n8n-nodes-langchain.${kind}` });
  const nodes = [node("Hook", "manualTrigger"), chat("Ask", "agent", { text: "Go", options: { systemMessage: "Be brief." } }), chat("Model", "lmChatOpenAi", { model: "gpt-4o", options: { temperature: 1 } })];
  const text = JSON.stringify({ name: "m", nodes, connections: { Hook: to("Ask"), Model: { ai_languageModel: [[{ node: "Ask" }]] } } });
  const before = JSON.parse((await read(text)).document);
  const [[agent, { instructions }], [model]] = [Object.entries(before.agents)[0], Object.entries(before.models)[0]];
  assert.equal(instructions, "Be brief.");
  let calls = 0;
  const faults = [`agents.${agent}.instructions`, `models.${model}.model`].map((path) => ({ path, code: "wrong_type", message: "no", severity: "error" }));
  const { document, report } = await read(text, async () => ((calls += 1) === 1 ? faults : []));
  assert.equal(JSON.parse(document).agents[agent].instructions, undefined);
  assert.equal(JSON.parse(document).models[model].model, undefined);
  assert.ok(report.notes.includes(`“agents.${agent}.instructions” cannot be taken over: no. It was left out.`));
});

test("a step that holds others leaves them behind it, switched off", async () => {
  const text = JSON.stringify({ name: "m", nodes: [node("Hook", "manualTrigger"), node("Which", "if", { conditions: { string: [{ value1: "a", value2: "b" }] } }), node("In", "noOp"), node("Bad", "httpRequest", { url: "https://a.example/../x" })], connections: { Hook: to("Which"), Which: { main: [[{ node: "In" }], [{ node: "Bad" }]] } } });
  let asked = 0;
  const check = async (document) => ((asked += 1) === 1 ? [{ path: "steps[0].condition", code: "wrong_type", message: "no", severity: "error" }, { path: "steps[0].else[0].http.url", code: "wrong_address", message: "no", severity: "error" }] : validate(document));
  const { document, report } = await read(text, check);
  assert.deepEqual(JSON.parse(document).steps.map(({ name, type, enabled }) => [name, type, enabled]), [["Which", "function", undefined], ["In", "function", false], ["Bad", "function", false]]);
  assert.deepEqual(report.nodes.filter(({ state }) => state === "placeholder").map(({ name }) => name), ["Which", "Bad"]);
});
