// Ten descriptions that are published (tests/openapi): each becomes tools that a document may have, and some are called.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Agent, tool, validate, Workflow } from "stepweave";
import { openApiOperations, openApiTools } from "stepweave/openapi";
import { scriptedModel } from "stepweave/testing";
import { page } from "./docs-support.js";

const read = (file) => gunzipSync(readFileSync(new URL(`../../tests/openapi/${file}.gz`, import.meta.url))).toString();

/** Of each: its operations, how many are tools, what is left out of those, and what the secrets are called. */
const PUBLIC = {
  "adyen-transfers.json": { operations: 12, tools: 12, parts: 0, secrets: ["TRANSFERS_BASIC_AUTH"] },
  "box.json": { operations: 37, tools: 37, parts: 0, secrets: ["BOX_PLATFORM_OAUTH2SECURITY"] },
  "discord.json": { operations: 242, tools: 242, parts: 0, secrets: ["DISCORD_PREVIEW_BOT_TOKEN", "DISCORD_PREVIEW_OAUTH2"] },
  "figma.yaml": { operations: 47, tools: 47, parts: 0, secrets: ["FIGMA_PERSONAL_ACCESS_TOKEN", "FIGMA_ORG_OAUTH2"] },
  "meilisearch.json": { operations: 113, tools: 113, parts: 0, secrets: ["MEILISEARCH_BEARER"] },
  "mistral.yaml": { operations: 173, tools: 166, parts: 2, secrets: ["MISTRAL_AI_API_KEY"] },
  "petstore.yaml": { operations: 19, tools: 19, parts: 2, secrets: ["SWAGGER_PETSTORE_OPEN_PETSTORE_AUTH", "SWAGGER_PETSTORE_OPEN_API_KEY"] },
  "pokeapi.yaml": { operations: 100, tools: 100, parts: 0, secrets: [] },
  "twilio-messaging.json": { operations: 58, tools: 58, parts: 0, secrets: ["TWILIO_MESSAGING_ACCOUNT_SID_AUTH_TOKEN"] },
  "twilio-verify.yaml": { operations: 57, tools: 57, parts: 0, secrets: ["TWILIO_VERIFY_ACCOUNT_SID_AUTH_TOKEN"] },
};

for (const [file, expected] of Object.entries(PUBLIC)) {
  test(`${file} becomes tools that a document may have`, async () => {
    const text = read(file);
    const { operations, servers, schemes } = await openApiOperations(text);
    const server = servers.find((one) => one.startsWith("https://")) ?? "https://api.example.com";
    const { tools, document, secrets, leftOut } = await openApiTools(text, { server, schemes: Object.fromEntries(schemes.map(({ name }) => [name, { user: "me" }])) });
    const whole = leftOut.filter(({ part }) => part === undefined);
    assert.deepEqual({ operations: operations.length, tools: tools.length, parts: leftOut.length - whole.length, secrets: secrets.map(({ name }) => name) }, expected);
    assert.equal(whole.length, operations.length - tools.length, "each operation is a tool, or has a reason");
    assert.deepEqual(whole.map(({ reason }) => reason), operations.map((operation) => operation.leftOut).filter((reason) => reason !== undefined));
    assert.deepEqual(Object.keys(document), operations.filter((operation) => operation.leftOut === undefined).map(({ name }) => name));
    assert.deepEqual(await validate({ version: 1, name: "w", tools: document, steps: [] }), []);
    for (const [name, { description, input, run }] of Object.entries(document)) {
      assert.ok(run.http.url.startsWith(`${server}/`), `${name}: ${run.http.url}`);
      assert.ok(description.length > 0 && description.length <= 1000);
      assert.ok(JSON.stringify(input).length < 80_000, `${name}: ${JSON.stringify(input).length}`);
    }
  });
}

test("README.md names the source and the licence of each", () => {
  const rows = [...page("tests/openapi/README.md").matchAll(/^\| (\S+) \| \[.*?commit [0-9a-f]{7,} \| 3\.[01] \| (?:MIT|Apache-2\.0|BSD-3-Clause)/gm)];
  assert.deepEqual(rows.map(([, file]) => file).sort(), Object.keys(PUBLIC).sort());
});

let server;
let origin;
const seen = [];

before(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, type: headers["content-type"], authorization: headers["authorization"] ?? headers["x-figma-token"], body: Buffer.concat(chunks).toString() });
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const KEY = "a-key-of-twelve";
const basic = `Basic ${btoa(`AC1:${KEY}`)}`;

/** Calls of their operations, with what the endpoint gets to see. */
const CALLS = [
  ["petstore.yaml", "findPetsByTags", { tags: ["a b", "c"] }, { method: "GET", url: "/api/v3/pet/findByTags?tags=a%20b&tags=c", authorization: `Bearer ${KEY}` }],
  ["petstore.yaml", "addPet", { body: { name: "Rex", photoUrls: ["https://x.example/1"] } }, { method: "POST", url: "/api/v3/pet", type: "application/json", authorization: `Bearer ${KEY}`, body: '{"name":"Rex","photoUrls":["https://x.example/1"]}' }],
  ["petstore.yaml", "deletePet", { petId: 7 }, { method: "DELETE", url: "/api/v3/pet/7", authorization: `Bearer ${KEY}` }],
  ["twilio-verify.yaml", "CreateVerification", { ServiceSid: `VA${"0".repeat(32)}`, body: { To: "+49 1", Channel: "sms" } }, { method: "POST", url: `/api/v3/v2/Services/VA${"0".repeat(32)}/Verifications`, type: "application/x-www-form-urlencoded", authorization: basic, body: "To=%2B49%201&Channel=sms" }],
  ["figma.yaml", "getFile", { file_key: "a/b", depth: 2 }, { method: "GET", url: "/api/v3/v1/files/a%2Fb?depth=2", authorization: KEY }],
  ["pokeapi.yaml", "pokemon_retrieve", { id: "ditto" }, { method: "GET", url: "/api/v3/api/v2/pokemon/ditto/" }],
  ["mistral.yaml", "chat_completion_v1_chat_completions_post", { body: { model: "m", messages: [{ role: "user", content: "hi" }] } }, { method: "POST", url: "/api/v3/v1/chat/completions", type: "application/json", authorization: `Bearer ${KEY}`, body: '{"model":"m","messages":[{"role":"user","content":"hi"}]}' }],
  ["mistral.yaml", "files_api_routes_upload_file", { body: { purpose: "ocr", file: "one\ntwo" } }, { method: "POST", url: "/api/v3/v1/files", authorization: `Bearer ${KEY}` }],
];

for (const [file, operation, input, expected] of CALLS) {
  test(`${file}: a call of ${operation} sends ${expected.method} ${expected.url}`, async () => {
    const text = read(file);
    const { schemes } = await openApiOperations(text);
    const { tools: [made], secrets } = await openApiTools(text, { server: `${origin}/api/v3`, include: [operation], schemes: Object.fromEntries(schemes.map(({ name }) => [name, { user: "AC1" }])) });
    const { name, description, input: schema, http } = made;
    const model = scriptedModel([{ type: "toolCall", name, input }, "done"]);
    // A person allows it, once and for all.
    const agent = new Agent({ name: "a", model, tools: [tool({ name, description, input: schema, http, needsApproval: false })] });
    seen.length = 0;
    const given = Object.fromEntries(secrets.map(({ name, origins }) => [name, { value: KEY, origins }]));
    const { status, error } = await new Workflow({ name: "w", steps: [{ name: "s", agent, inputFrom: "go" }] }).run({ secrets: given });
    assert.equal(status, "done", error?.message);
    assert.equal(seen.length, 1, JSON.stringify(model.requests[1].messages.at(-1)));
    const [{ type, body, ...rest }] = seen;
    const { type: wantedType, body: wantedBody = "", authorization, ...wanted } = expected;
    assert.deepEqual(rest, { ...wanted, authorization });
    if (file === "mistral.yaml" && wantedType === undefined) {
      assert.match(type, /^multipart\/form-data; boundary=/);
      assert.match(body, / name="file"; filename="file"\r\n[^]*\r\n\r\none\ntwo\r\n/);
      assert.match(body, / name="purpose"\r\n\r\nocr\r\n/);
    } else assert.deepEqual([type, body], [wantedType, wantedBody]);
  });
}

test("what is not GET or HEAD needs a person, and a call of it waits", async () => {
  const { document } = await openApiTools(read("petstore.yaml"), { server: origin, include: ["deletePet", "getPetById"] });
  const model = scriptedModel([{ type: "toolCall", name: "deletePet", input: { petId: 1 } }]);
  const agents = { a: { model: "m", tools: Object.keys(document) } };
  const whole = { version: 1, name: "w", models: { m: { provider: "demo", model: "m" } }, agents, tools: document, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] };
  seen.length = 0;
  const secrets = { SWAGGER_PETSTORE_OPEN_PETSTORE_AUTH: { value: KEY, origins: [origin] }, SWAGGER_PETSTORE_OPEN_API_KEY: { value: KEY, origins: [origin] } };
  const { status, pending } = await Workflow.fromDocument(whole, { models: { m: model } }).run({ allowOrigins: [origin], secrets, journal: true });
  assert.deepEqual([status, pending[0].tool.name, seen.length], ["suspended", "deletePet", 0]);
});

test("reading YAML is loaded with the first text that is no JSON", () => {
  const { outputs } = JSON.parse(readFileSync(new URL("../dist/meta.json", import.meta.url), "utf8"));
  const reads = (file) => Object.keys(outputs[file].inputs).some((input) => input.includes("js-yaml"));
  const open = ["dist/openapi.js"];
  for (const file of open) for (const { path, kind } of outputs[file].imports) if (kind === "import-statement" && !open.includes(path)) open.push(path);
  assert.deepEqual(open.filter(reads), []);
  assert.ok(Object.keys(outputs).some(reads));
});
