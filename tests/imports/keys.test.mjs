// No key of a file stands in what is made of it, wherever in the file it stood; what only is called like one stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { file as stored, imported, isSecret, read, withoutShapes } from "./reading.mjs";

/** A chain of nodes of n8n. */
function chain(...nodes) {
  const made = nodes.map(([name, kind, parameters]) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 4, parameters }));
  const connections = Object.fromEntries(made.slice(1).map(({ name }, n) => [made[n].name, { main: [[{ node: name }]] }]));
  return { name: "keys", nodes: made, connections };
}

const http = (name, parameters) => [name, "httpRequest", { method: "POST", url: "https://a.example/x", ...parameters }];
const json = (value) => ({ sendBody: true, specifyBody: "json", jsonBody: typeof value === "string" ? value : JSON.stringify(value) });
const notes = (report, name) => report.nodes.find((node) => node.name === name).notes.join("\n");
const HELD = /^The file held keys of services: they are removed/;

test("keys in bodies and in Set are left behind by their names, and each node says which", async () => {
  const file = chain(
    ["Start", "manualTrigger", {}],
    http("Plain", json({ user: "ann", password: "hunter2", apiKey: "plain-1", Client_Secret: "plain-2", deep: [{ access_token: "plain-3" }], rows: [{ name: "api_key", value: "plain-4" }], passwords: ["plain-17"] })),
    http("Mixed", json('={ "password": "hunter2", "api_key": "{{ $json.k }}", "n": {{ $json.n }}, "pin_token": 12345 }')),
    http("Whole", json('={{ { "password": "hunter2", "token": $json.token } }}')),
    http("Fields", { bodyParameters: { parameters: [{ name: "password", value: "hunter2" }, { name: "token", value: "={{ $json.t }}" }] } }),
    http("Form", { contentType: "raw", rawContentType: "application/x-www-form-urlencoded", body: "grant_type=x&client_secret=plain-5" }),
    ["Keep", "set", { assignments: { assignments: [{ name: "password", value: "hunter2", type: "string" }, { name: "api_key", value: "plain-6", type: "string" }, { name: "token", value: "={{ $json.t }}", type: "string" }] } }],
    ["Old", "set", { values: { string: [{ name: "private_key", value: "plain-7" }] }, jsonOutput: '{ "secret": "plain-8", "city": "Graz" }' }],
    ["Code", "code", { jsCode: 'const apiKey = "plain-9";\nconst h = { Authorization: `Bearer ${apiKey}`, "x-api-key": \'plain-10\', b: "{\\"password\\": \\"hunter2\\"}" };\nh.set("X-Auth-Token", "plain-11");\nconst k = $env.API_KEY || "plain-16";\nreturn [{ json: { ok: typeof token === "string", same: $json.token === "plain-12" } }];' }],
    ["Check", "if", { conditions: { conditions: [{ leftValue: "={{ $json.headers['x-secret'] }}", rightValue: "plain-13", operator: { type: "string", operation: "equals" } }] } }],
  );
  file.nodes.push({ name: "Which", type: "n8n-nodes-base.switch", parameters: { dataType: "string", value1: "={{ $json.query.token }}", rules: { rules: [{ value2: "plain-15" }] } } });
  const made = await imported(JSON.stringify({ ...file, pinData: { Plain: [{ json: { password: "hunter2" } }] }, staticData: { token: "plain-14" } }));
  assert.doesNotMatch(JSON.stringify(made), /hunter2|plain-\d/);
  const { report, step } = made;
  assert.equal(report.notes.filter((note) => HELD.test(note)).length, 1);
  assert.match(notes(report, "Plain"), /^A key stood in “password”, “apiKey”, “Client_Secret”, “access_token”, “api_key”, “passwords”: it was left behind/);
  assert.deepEqual(step("Plain").http.body.json, { user: "ann", password: "", apiKey: "", Client_Secret: "", deep: [{ access_token: "" }], rows: [{ name: "api_key", value: "" }], passwords: [""] });
  assert.equal(step("Mixed").http.body.text, '{ "password": "", "api_key": "{{ (steps["Plain"].output.k | string | tojson)[1:-1] }}", "n": {{ steps["Plain"].output.n }}, "pin_token": "" }');
  assert.equal(step("Whole").http.body.json, '{{ {"password": "", "token": steps["Mixed"].output.token} }}');
  assert.deepEqual(step("Fields").http.body.json, { password: "", token: '{{ steps["Whole"].output.t }}' });
  assert.deepEqual(step("Keep").run.set, { password: '""', api_key: '""', token: 'steps["Form"].output.t' });
  assert.deepEqual(step("Old").run.set, { private_key: '""', secret: '""', city: '"Graz"' });
  // A comparison with an empty text would let somebody in who sends nothing.
  assert.match(step("Code").run.code, /typeof token === "string", same: \$json.token === "\(a key was here\)"/);
  assert.match(step("Code").run.code, /Authorization: `Bearer \$\{apiKey\}`/);
  assert.match(step("Check").condition, /== "\(a key was here\)"$/);
});

test("keys in addresses, and addresses that are keys, are left behind", async () => {
  const file = chain(
    ["Start", "manualTrigger", {}],
    http("Slack", { url: "https://hooks.slack.com/services/T012/B345/plainplain" }),
    http("Telegram", { url: "=https://api.telegram.org/bot123456:plain-1/sendMessage?chat_id={{ $json.chat }}" }),
    http("Query", { url: "=https://a.example/x?api_key=plain-2&q={{ $json.q }}", queryParameters: { parameters: [{ name: "page_token", value: "={{ $json.p }}" }] } }),
    ["Note", "stickyNote", { content: "Called with\nsk-plain0123456789abcdef at https://discord.com/api/webhooks/1/plain-3" }],
  );
  const { document, report, step } = await imported(JSON.stringify(file));
  assert.doesNotMatch(JSON.stringify([document, report]), /plain/);
  assert.equal(step("Slack").http.url, "https://hooks.slack.com/services/a-key-was-here");
  assert.match(notes(report, "Slack"), /A key stood in “url”/);
  assert.equal(step("Telegram").http.url, 'https://api.telegram.org/bota-key-was-here/sendMessage?chat_id={{ steps["Slack"].output.chat }}');
  assert.deepEqual(step("Query").http.auth, { query: { name: "api_key", value: { secret: "QUERY_KEY" } } });
  assert.equal(step("Query").http.url, 'https://a.example/x?q={{ steps["Telegram"].output.q }}');
  assert.deepEqual(step("Query").http.query, { page_token: '{{ steps["Telegram"].output.p }}' });
});

test("a user in an address signs in, and his password is left behind", async () => {
  const file = chain(
    ["Start", "manualTrigger", {}],
    http("Both", { url: "https://bob:plain-1@a.example/x", headerParameters: { parameters: [{ name: "Access-Control-Allow-Origin", value: "*" }, { name: "Accept", value: "text/html" }] } }),
    http("User", { url: "https://bob@a.example/x?mail=a@b.example" }),
    http("Token", { url: "https://plain0123456789abcdefgh@a.example/" }),
    http("Read", { url: "=https://{{ $json.user }}:plain-2@a.example/{{ $json.path }}" }),
  );
  const { document, report, step } = await imported(JSON.stringify(file));
  assert.doesNotMatch(JSON.stringify([document, report]), /plain/);
  const signed = (name) => [step(name).http.url, step(name).http.auth.basic.user, step(name).http.auth.basic.password.secret];
  assert.deepEqual(signed("Both"), ["https://a.example/x", "bob", "BOTH_KEY"]);
  assert.deepEqual(step("Both").http.headers, { Accept: "text/html" });
  assert.deepEqual(signed("User"), ["https://a.example/x", "bob", "USER_KEY"]);
  assert.deepEqual(step("User").http.query, { mail: "a@b.example" });
  assert.deepEqual(signed("Token"), ["https://a.example/", "user", "TOKEN_KEY"]);
  assert.deepEqual(signed("Read"), ['https://a.example/{{ steps["Token"].output.path }}', '{{ steps["Token"].output.user }}', "READ_KEY"]);
  assert.match(notes(report, "Both"), /A user stood in its address: he signs in now, and his password was left behind/);
  const dify = await imported(`app: { name: x, mode: workflow }
workflow: { graph: { nodes: [{ id: "1", data: { type: http-request, title: Call, method: get, url: "https://bob:plain@a.example/{{#sys.query#}}" } }], edges: [] } }
`);
  assert.doesNotMatch(JSON.stringify([dify.document, dify.report]), /plain/);
  assert.deepEqual(dify.step("Call").http, { ...dify.step("Call").http, url: "https://a.example/{{ query }}", auth: { basic: { user: "bob", password: { secret: "CALL_KEY" } } } });
});

test("what only is called like a key, or is read from data, stays", async () => {
  const body = { max_tokens: 100, token_count: 3, next_page_token: "abc", pageToken: "abc", tokenizer: "cl100k", cursor: "abc", sort_key: "name", public_key: "p", token_type: "Bearer", keyword: "bees", tokens: ["a", "b"], passwordPolicy: "long", secretary: "Ann", schema: { type: "object", properties: { password: { type: "string" } } } };
  const { report, step } = await imported(JSON.stringify(chain(["Start", "manualTrigger", {}], http("Call", json(body)), ["Keep", "set", { assignments: { assignments: [{ name: "max_tokens", value: 5, type: "number" }, { name: "key", value: "a", type: "string" }] } }])));
  assert.deepEqual(step("Call").http.body.json, body);
  assert.deepEqual(step("Keep").run.set, { max_tokens: "5", key: '"a"' });
  assert.ok(!report.notes.some((note) => HELD.test(note)));
});

test("a secret variable of Dify is the key of the request that it signs, by its name, and no text of the state", async () => {
  const of = (node) => imported(`app: { name: x, mode: workflow }
workflow:
  environment_variables: [{ name: API_TOKEN, value: plain, value_type: secret }, { name: OTHER, value: plain, value_type: secret }]
  graph:
    nodes:
      - { id: "1", data: { type: start, title: Start, variables: [] } }
      - { id: "2", data: { type: http-request, title: Look up, method: get, url: "https://a.example", ${node} } }
    edges: [{ source: "1", target: "2" }]
`);
  for (const [node, auth] of [
    ['headers: "Authorization:Bearer {{#env.API_TOKEN#}}"', { bearer: { secret: "API_TOKEN" } }],
    ['headers: "X-Api-Key:{{#env.API_TOKEN#}}"', { header: { name: "X-Api-Key", value: { secret: "API_TOKEN" } } }],
    ['params: "q:{{#env.API_TOKEN#}}"', { query: { name: "q", value: { secret: "API_TOKEN" } } }],
  ]) {
    const { document, report, step } = await of(node);
    assert.deepEqual([step("Look up").http.auth, document.initialState ?? {}], [auth, {}], node);
    assert.match(notes(report, "Look up"), /Give its key the name API_TOKEN,/, node);
  }
  const { document } = await of('headers: "Accept:{{#env.API_TOKEN#}}"');
  assert.deepEqual(document.initialState, { env_API_TOKEN: "" }, "what a step reads is there");
  const signed = await of('headers: "X-Api-Key:{{#env.OTHER#}}", params: "q:{{#env.API_TOKEN#}}"');
  assert.deepEqual([signed.document.initialState, signed.step("Look up").http.query], [{ env_API_TOKEN: "" }, { q: "{{ env_API_TOKEN }}" }], "a request has one key, and loses no other value");
  const asked = await imported(`app: { name: x, mode: workflow }
workflow:
  environment_variables: [{ name: API_TOKEN, value: plain, value_type: secret }]
  graph:
    nodes:
      - { id: "1", data: { type: start, title: Start, variables: [] } }
      - { id: "2", data: { type: llm, title: Ask, model: { provider: openai, name: gpt-4o }, prompt_template: [{ role: system, text: "Use {{#env.API_TOKEN#}}" }, { role: user, text: "Hello" }] } }
    edges: [{ source: "1", target: "2" }]
`);
  assert.deepEqual(asked.document.initialState, { env_API_TOKEN: "" }, "what an agent's instructions read is there");
});

test("keys of Dify's nodes and variables are left behind", async () => {
  const { document, report, step } = await imported(`app: { name: x, mode: workflow }
workflow:
  conversation_variables:
    - { name: session_password, value: hunter2, value_type: string }
    - { name: city, value: Rome, value_type: string }
  environment_variables:
    - { name: API_TOKEN_2, value: plain-1, value_type: string }
    - { name: HOOK, value: "https://hooks.slack.com/services/T0/B0/plain", value_type: string }
  graph:
    nodes:
      - { id: "1", data: { type: start, title: Start, variables: [] } }
      - { id: "2", data: { type: http-request, title: Call, method: post, url: "https://a.example", params: "sig:plain-2", headers: "X-Api-Key:plain-3\\nAccept:text/html", authorization: { type: api-key, config: { type: custom, header: X-Key, api_key: plain-4 } }, body: { type: json, data: [{ type: text, value: '{ "api_key": "plain-5", "password": "{{#conversation.city#}}" }' }] } } }
      - { id: "3", data: { type: http-request, title: Form, method: post, url: "https://a.example", body: { type: form-data, data: [{ key: password, type: text, value: hunter2 }] } } }
      - { id: "4", data: { type: assigner, title: Set, items: [{ variable_selector: [conversation, api_key], input_type: constant, operation: over-write, value: plain-6 }, { variable_selector: [conversation, token], input_type: variable, operation: over-write, value: [conversation, city] }] } }
      - { id: "5", data: { type: code, title: Code, code_language: javascript, code: "const secret = 'plain-7';\\nfunction main() { return {}; }", variables: [] } }
    edges: [{ source: "1", target: "2" }, { source: "2", target: "3" }, { source: "3", target: "4" }, { source: "4", target: "5" }]
`);
  assert.doesNotMatch(JSON.stringify([document, report]), /hunter2|plain/);
  assert.deepEqual(document.initialState, { conversation_session_password: "", conversation_city: "Rome", env_HOOK: "https://hooks.slack.com/services/a-key-was-here" });
  assert.deepEqual(step("Call").http.body.json, { api_key: "", password: "{{ conversation_city | string }}" });
  assert.deepEqual(step("Call").http.auth, { header: { name: "X-Api-Key", value: { secret: "CALL_KEY" } } });
  assert.deepEqual(step("Form").http.body.multipart, [{ name: "password", text: "" }]);
  assert.deepEqual(step("Set").run.set, { conversation_api_key: '""', conversation_token: "conversation_city" });
  assert.match(notes(report, "Call"), /“api_key”/);
});

test("keys in the code of Agent Builder are left behind", async () => {
  const { document, report } = await imported(`import { Agent, Runner } from "@openai/agents";
const a = new Agent({ name: "A", instructions: "Use sk-plain0123456789abcdef.", model: "gpt-4.1" });
export const runWorkflow = async (workflow) => {
  const state = { api_key: "plain-1", city: "Graz" };
  const runner = new Runner();
  const found = await fetch("https://a.example", { headers: { Authorization: "Bearer plain-2" } });
  const result = await runner.run(a, [{ role: "user", content: [{ type: "input_text", text: workflow.input_as_text }] }]);
  return { output_text: result.finalOutput };
};`);
  assert.doesNotMatch(JSON.stringify([document, report]), /plain/);
  assert.deepEqual(document.initialState, { api_key: "", city: "Graz" });
  assert.ok(report.notes.some((note) => /^A key stood in “api_key”, “Authorization”/.test(note)));
});

test("texts that are made to take long are looked at in time that their length bounds", async () => {
  const long = 300_000;
  for (const piece of ["{", "\\", " ", "a=", "a.", "-eyJabc", "A", 'a="', 'a=\\"', "${", "a-", "https://a:", "-----BEGIN PRIVATE KEY-----"]) {
    const text = piece.repeat(long / piece.length);
    await read(JSON.stringify(chain(["A", "code", { jsCode: text, password: text, text, [text]: "x" }])));
  }
});

test("names and shapes of keys are those that the page's wasm knows, whose tests read the same cases", () => {
  const { names, keys, noKeys, texts } = JSON.parse(stored("keys.json"));
  const expected = { always: [true, true], "in parameters": [false, true], never: [false, false] };
  for (const [name, isOne] of Object.entries(names)) assert.deepEqual([isSecret(name), isSecret(name, "parameter")], expected[isOne], name);
  for (const key of keys) assert.equal(withoutShapes(key), "(a key was here)", key);
  for (const text of noKeys) assert.equal(withoutShapes(text), text);
  for (const [text, left] of Object.entries(texts)) assert.equal(withoutShapes(text), left);
});
