// What the tools of n8n's agents do here, and which arguments the model gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const chat = (name, kind, parameters = {}) => ({ name, type: `@n8n/n8n-nodes-langchain.${kind}`, typeVersion: 1, parameters });
const base = (name, kind, parameters = {}) => ({ ...chat(name, kind, parameters), type: `n8n-nodes-base.${kind}` });
const withTool = async (tool) => {
  const { document, report } = await imported(JSON.stringify({
    name: "Flow",
    nodes: [base("Hook", "webhook"), chat("Ask", "agent", { text: "Hi" }), tool],
    connections: { Hook: { main: [[{ node: "Ask" }]] }, [tool.name]: { ai_tool: [[{ node: "Ask" }]] } },
  }));
  const [made] = Object.values(document.tools);
  return { tool: made, notes: report.nodes.find(({ name }) => name === tool.name).notes };
};

test("the model gives what stands in braces, and the rows that have no value", async () => {
  const { tool, notes } = await withTool(chat("Book", "toolHttpRequest", {
    toolDescription: "Books a room.",
    method: "POST",
    url: "https://rooms.example/{house}/rooms",
    sendQuery: true,
    parametersQuery: { values: [{ name: "day" }, { name: "unit", valueProvider: "fieldValue", value: "m" }, { name: "beds", valueProvider: "modelOptional" }] },
    sendHeaders: true,
    parametersHeaders: { values: [{ name: "Accept-Language", valueProvider: "fieldValue", value: "{tongue}" }] },
    specifyBody: "json",
    jsonBody: '{ "who": { "name": "{guest}" }, "count": {count}, "text": "by {guest}" }',
    placeholderDefinitions: { values: [{ name: "house", description: "The house" }, { name: "count", type: "number" }, { name: "unused", description: "Nobody asks" }] },
  }));
  assert.deepEqual(tool.input, {
    type: "object",
    required: ["house", "day", "tongue", "guest", "count"],
    properties: { house: { type: "string", description: "The house" }, day: { type: "string" }, beds: { type: "string" }, tongue: { type: "string" }, guest: { type: "string" }, count: { type: "number" } },
  });
  assert.deepEqual(tool.run.http, {
    method: "POST",
    url: "https://rooms.example/{{ house }}/rooms",
    query: { day: "{{ day }}", unit: "m", beds: "{{ beds | default('') }}" },
    headers: { "Accept-Language": "{{ tongue }}" },
    body: { json: { who: { name: "{{ guest }}" }, count: "{{ count }}", text: "by {{ guest }}" } },
  });
  assert.deepEqual(notes, []);
});

test("what n8n asks of the model in an expression is an argument", async () => {
  const { tool, notes } = await withTool(base("Note", "httpRequestTool", {
    method: "POST",
    url: "=https://notes.example/{{ $fromAI('Folder', `Where it goes`, 'number') }}/new",
    bodyParameters: { parameters: [{ name: "text", value: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Text', ``, 'string') }}" }, { name: "by", value: "={{ $json.body.user }}" }] },
    queryParameters: { parameters: [{ name: "color", value: "={{ $fromAI(\"color\", \"Its colour, or none\", \"string\", \"red\") }}" }] },
  }));
  assert.deepEqual(tool.input, { type: "object", required: ["Folder", "Text"], properties: { Folder: { type: "number", description: "Where it goes" }, color: { type: "string", description: "Its colour, or none" }, Text: { type: "string" } } });
  assert.equal(tool.run.http.url, "https://notes.example/{{ Folder }}/new");
  assert.deepEqual(tool.run.http.query, { color: "{{ color | default('') }}" });
  assert.deepEqual(tool.run.http.body, { json: { text: "{{ Text }}", by: "?" } });
  assert.deepEqual(notes, ["Say in its input which arguments the model gives, and use them in the request."]);
  const json = await withTool(base("Set", "httpRequestTool", { method: "POST", url: "https://notes.example/x", jsonBody: '={ "name": "{{ $fromAI("name") }}", "star": {{ $fromAI("star", "", "boolean") }} }' }));
  assert.deepEqual(json.tool.run.http.body, { json: { name: "{{ name }}", star: "{{ star }}" } });
});

test("a request whose address the model gives fails until its origins are named", async () => {
  for (const url of ["{url}", "https://{wiki}.example/{page}"]) {
    const { tool, notes } = await withTool(chat("Fetch", "toolHttpRequest", { url }));
    assert.match(tool.run.code, /^throw new Error/);
    assert.equal(notes[0], "The model gave the address of its request: name the origins that it may reach.");
  }
});

test("n8n's own tools are tools here", async () => {
  const { tool } = await withTool(chat("Sums", "toolCalculator"));
  const sum = async (expression) => (await Workflow.fromDocument({ version: 1, name: "sum", steps: [{ id: "s", name: "s", type: "function", run: { code: tool.run.code.replace("return Function", "const given = Function").concat("\nreturn { given };") } }] }).run({ state: { expression } }));
  assert.equal((await sum("2 * (3 + 4)^2 / sqrt(4)")).state.given, 49);
  assert.match((await sum("state")).error.message, /This is no arithmetic\./);
  assert.equal((await withTool(chat("Look", "toolWikipedia"))).tool.run.http.query.gsrsearch, "{{ query }}");
  assert.deepEqual((await withTool(chat("Search", "toolSerpApi"))).tool.run.http.auth, { query: { name: "api_key", value: { secret: "SERPAPI_API_KEY" } } });
  assert.equal((await withTool(chat("Think", "toolThink"))).tool.run.code, "return state.thought;");
});

test("a tool of code has the arguments that its schema names", async () => {
  const { tool } = await withTool(chat("Count", "toolCode", { jsCode: "return query.n + 1;", specifyInputSchema: true, jsonSchemaExample: '{ "n": 1 }' }));
  assert.deepEqual(tool, { input: { type: "object", required: ["n"], properties: { n: { type: "number" } } }, run: { code: "const query = { ...state };\nreturn query.n + 1;" } });
});
