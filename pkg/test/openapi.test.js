// What `stepweave/openapi` makes of descriptions, what it leaves out, and what it rejects. Requests are really sent.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { StepweaveError, validate, Workflow } from "stepweave";
import { openApiOperations, openApiTools } from "stepweave/openapi";
import { scriptedModel } from "stepweave/testing";
import { assertPrograms, page } from "./docs-support.js";

let server;
let origin;
const seen = [];

before(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.setHeader("content-type", "application/json").end('{"ok":true}');
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const api = (paths, more) => ({ openapi: "3.1.0", info: { title: "Bees", version: "1" }, servers: [{ url: "https://bees.example/v1" }], paths, ...more });
const options = { server: "https://bees.example/v1" };
const make = (description, more) => openApiTools(typeof description === "string" ? description : JSON.stringify(description), { ...options, ...more });
const get = (operation, path = "/bees") => api({ [path]: { get: operation } });
const query = (parameter) => get({ operationId: "list", parameters: [{ in: "query", name: "q", ...parameter }] });

/** The one tool that a description gives. */
async function toolOf(description, more) {
  const { document, leftOut } = await make(description, more);
  const [[name, tool], ...others] = Object.entries(document);
  assert.deepEqual(others, []);
  assert.deepEqual(await validate({ version: 1, name: "w", tools: document, steps: [] }), []);
  return { name, tool, http: tool.run.http, input: tool.input, leftOut };
}

/** The request that a call of the one tool of a description sends to the real server. */
async function sent(description, input, { secrets, ...more } = {}) {
  const { document } = await make(description, { server: origin, ...more });
  const [[name, tool]] = Object.entries(document);
  const model = scriptedModel([{ type: "toolCall", name, input }, "done"]);
  const agents = { a: { model: "m", tools: [name] } };
  const steps = [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }];
  const models = { m: { provider: "demo", model: "m" } };
  // A person allows it, once and for all.
  const whole = { version: 1, name: "w", models, agents, tools: { [name]: { ...tool, needsApproval: false } }, steps };
  assert.deepEqual(await validate(whole), []);
  seen.length = 0;
  const { status, error } = await Workflow.fromDocument(whole, { models: { m: model } }).run({ secrets, allowOrigins: [origin] });
  assert.equal(status, "done", error?.message);
  const [{ output }] = model.requests[1].messages.at(-1).results;
  assert.equal(seen.length, 1, JSON.stringify(output));
  assert.deepEqual(output, { ok: true });
  const [{ method, url, headers, body }] = seen;
  return { method, url, headers, body };
}

async function reasonOf(description, more) {
  const error = await make(description, more).then(() => assert.fail("it was made"), (thrown) => thrown);
  assert.ok(error instanceof StepweaveError, error.stack);
  return error.message;
}

test("an operation becomes a request as data, and a tool for an agent", async () => {
  const description = api({
    "/hives/{hive}/bees": {
      parameters: [{ in: "path", name: "hive", required: true, schema: { type: "string" } }],
      post: {
        operationId: "addBee",
        summary: "Add a bee",
        description: "It comes in.",
        parameters: [{ in: "query", name: "dry-run", schema: { type: "boolean", default: false }, description: "Only look." }],
        requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Bee" } } } },
      },
    },
  }, { components: { schemas: { Bee: { type: "object", properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } }, required: ["id", "name"] } } } });
  const { tools, document, secrets, leftOut, title } = await make(description);
  assert.deepEqual(document, {
    addBee: {
      description: "Add a bee\nIt comes in.",
      input: {
        type: "object",
        properties: {
          hive: { type: "string", minLength: 1 },
          dry_run: { type: "boolean", description: "Only look." },
          body: { $ref: "#/$defs/Bee" },
        },
        required: ["hive", "body"],
        $defs: { Bee: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
        additionalProperties: false,
      },
      run: { http: { method: "POST", url: "https://bees.example/v1/hives/{{ hive }}/bees", query: { "dry-run": "{{ dry_run | default(none) }}" }, body: { json: "{{ body }}" } } },
    },
  });
  assert.deepEqual([title, secrets, leftOut], ["Bees", [], []]);
  assert.equal(tools.length, 1);
  assert.deepEqual([tools[0].name, tools[0].http, tools[0].needsApproval], ["addBee", document.addBee.run.http, undefined]);
});

test("an operation becomes a step, which sends what the state has under the names of the arguments", async () => {
  const description = api({
    "/hives/{hive}/bees": {
      parameters: [{ in: "path", name: "hive", required: true, schema: { type: "string" } }],
      post: { operationId: "addBee", parameters: [{ in: "query", name: "dry-run", schema: { type: "boolean" } }], requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } } },
    },
  });
  const { steps } = await make(description, { server: origin });
  const document = { version: 1, name: "w", steps };
  assert.deepEqual(await validate(document), []);
  const run = (state) => Workflow.fromDocument(document).run({ state, allowOrigins: [origin] });
  seen.length = 0;
  const { status, state, error } = await run({ hive: "a/b", body: { name: "Maja" }, other: 1 });
  assert.equal(status, "done", error?.message);
  assert.deepEqual(state.addBee_output, { ok: true });
  const [{ method, url, body }] = seen;
  assert.deepEqual([method, url, body], ["POST", "/hives/a%2Fb/bees", '{"name":"Maja"}']);
  const without = await run({ body: {} });
  assert.equal(without.status, "error");
  assert.equal(without.error.step?.id, "addBee");
  assert.match(without.error.message, /hive/);
  assert.equal(seen.length, 1, "nothing is sent without its values");
});

test("parameters are sent as their style says, and those that are absent are not sent", async () => {
  const list = { type: "array", items: { type: "string" } };
  const description = get({
    operationId: "list",
    parameters: [
      { in: "path", name: "id", required: true, schema: { type: "string" } },
      { in: "path", name: "ids", required: true, schema: list },
      { in: "query", name: "q", schema: { type: "string" } },
      { in: "query", name: "many", schema: list },
      { in: "query", name: "comma", explode: false, schema: list },
      { in: "query", name: "pipe", style: "pipeDelimited", explode: false, schema: list },
      { in: "query", name: "filter", style: "deepObject", explode: true, schema: { type: "object", properties: { age: { type: "integer" }, "in-hive": { type: "string" } } } },
      { in: "query", name: "flat", schema: { type: "object", properties: { colour: { type: "string" } } } },
      { in: "query", name: "json", content: { "application/json": { schema: { type: "object" } } } },
      { in: "header", name: "X-Trace-Id", schema: { type: "string" } },
      { in: "header", name: "Accept", schema: { type: "string" } },
      { in: "query", name: "in", schema: { type: "integer" } },
    ],
  }, "/bees/{id}/of/{ids}");
  const all = await sent(description, { id: "a/b", ids: ["x", "y z"], q: "ü&=", many: ["1", "2"], comma: ["1", "2"], pipe: ["a", "b"], filter: { age: 3, "in-hive": "h" }, flat: { colour: "red" }, json: { a: [1] }, X_Trace_Id: "t", in_2: 7 });
  assert.equal(all.method, "GET");
  assert.equal(all.url, "/bees/a%2Fb/of/x%2Cy%20z?q=%C3%BC%26%3D&many=1&many=2&comma=1%2C2&pipe=a%7Cb&filter%5Bage%5D=3&filter%5Bin-hive%5D=h&colour=red&json=%7B%22a%22%3A%5B1%5D%7D&in=7");
  assert.equal(all.headers["x-trace-id"], "t");
  const none = await sent(description, { id: "a", ids: ["x"] });
  assert.equal(none.url, "/bees/a/of/x");
  assert.equal(none.headers["x-trace-id"], undefined);
});

test("a place of the path is never left empty, whatever its schema is made of", async () => {
  const components = { schemas: { Id: { type: "string" }, Ids: { type: "array", items: { $ref: "#/components/schemas/Id" } } } };
  const removal = (schema) => api({ "/bees/{id}": { delete: { operationId: "remove", parameters: [{ in: "path", name: "id", required: true, schema }] } } }, { components });
  const answer = async (description, id) => {
    const { document } = await make(description, { server: origin });
    const model = scriptedModel([{ type: "toolCall", name: "remove", input: { id } }, "done"]);
    const whole = { version: 1, name: "w", models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m", tools: ["remove"] } }, tools: { remove: { ...document.remove, needsApproval: false } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] };
    await Workflow.fromDocument(whole, { models: { m: model } }).run({ allowOrigins: [origin] });
    return model.requests[1].messages.at(-1).results[0].output.error;
  };
  const short = "the input of the tool `remove` does not fit its schema: `id` must have at least 1 characters";
  const texts = [undefined, {}, { type: "string", minLength: 0 }, { type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }, { allOf: [{ type: "string" }] }, { enum: ["", "a"] }, { const: "" }, { $ref: "#/components/schemas/Id" }];
  seen.length = 0;
  for (const schema of texts) assert.equal(await answer(removal(schema), ""), short, JSON.stringify(schema));
  for (const schema of [{ type: "array", items: { type: "string" } }, { type: "array" }, { $ref: "#/components/schemas/Ids" }]) {
    assert.equal(await answer(removal(schema), []), short.replace("characters", "items"));
    assert.equal(await answer(removal(schema), [""]), short.replace("`id`", "`id[0]`"));
  }
  assert.deepEqual(seen, []);
  assert.equal((await sent(removal({ $ref: "#/components/schemas/Ids" }), { id: ["a", "b"] })).url, "/bees/a%2Cb");
  assert.equal((await sent(removal({ anyOf: [{ type: "string" }, { type: "integer" }] }), { id: 0 })).url, "/bees/0");
});

test("bodies are written as their media type says", async () => {
  const post = (content, more) => api({ "/bees": { post: { operationId: "add", requestBody: { content, ...more } } } });
  const schema = { type: "object", properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } }, more: { type: "object" } } };
  const json = await sent(post({ "application/json": { schema } }), { body: { name: "é", tags: ["a"] } });
  assert.deepEqual([json.headers["content-type"], json.body], ["application/json", '{"name":"é","tags":["a"]}']);
  // A body of null is not sent.
  for (const optional of [schema, { type: "array", items: { type: "string" } }]) {
    const { input, http } = await toolOf(post({ "application/json": { schema: optional } }));
    assert.deepEqual([http.body, input.required], [{ json: "{{ body | default(none) }}" }, undefined]);
  }
  assert.notEqual((await sent(post({ "application/merge-patch+json": { schema } }), {})).headers["content-type"], "application/merge-patch+json");
  const patch = await sent(post({ "application/merge-patch+json; charset=utf-8": { schema } }), { body: { name: "a" } });
  assert.equal(patch.headers["content-type"], "application/merge-patch+json");
  const form = await sent(post({ "application/x-www-form-urlencoded": { schema } }), { body: { name: "a&b", tags: ["1", "2"], more: { x: 1 } } });
  assert.deepEqual([form.headers["content-type"], form.body], ["application/x-www-form-urlencoded", "name=a%26b&tags=1&tags=2&more=%7B%22x%22%3A1%7D"]);
  assert.equal((await sent(post({ "application/x-www-form-urlencoded": { schema } }), {})).body, "");
  const text = await sent(post({ "text/csv": { schema: { type: "string" } } }), { body: "a,b" });
  assert.deepEqual([text.headers["content-type"], text.body], ["text/csv", "a,b"]);

  const files = { type: "object", required: ["picture"], properties: { ...schema.properties, picture: { type: "string", format: "binary" }, more_pictures: { type: "array", items: { type: "string", contentMediaType: "application/octet-stream" } } } };
  const multipart = post({ "multipart/form-data": { schema: files, encoding: { picture: { contentType: "image/png" } } } }, { required: true });
  const whole = await sent(multipart, { body: { picture: { mediaType: "image/png", data: "aGk=" }, tags: ["1", "2"], more_pictures: ["one", "two"] } });
  assert.match(whole.headers["content-type"], /^multipart\/form-data; boundary=/);
  const names = [...whole.body.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(names, ["tags", "tags", "picture", "more_pictures", "more_pictures"], "each item of a list, and nothing for what is absent");
  assert.match(whole.body, /image\/png\r\n\r\nhi\r\n/);
});

test("a body comes beside parameters of its name", async () => {
  const description = api({ "/b": { put: { operationId: "put", parameters: [{ in: "query", name: "body", schema: { type: "string" } }, { in: "header", name: "body", schema: { type: "string" } }], requestBody: { required: true, content: { "application/json": {} } } } } });
  const { url, headers, body } = await sent(description, { body: [1], body_2: "q", body_3: "h" });
  assert.deepEqual([url, headers.body, body], ["/b?body=q", "h", "[1]"]);
});

test("schemas of OpenAPI 3.0 become JSON Schema, and nothing in them keeps a value out that the endpoint takes", async () => {
  const schema = {
    type: "object",
    required: ["a", "gone"],
    properties: {
      a: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 9, nullable: true, example: 3, default: 4 },
      b: { enum: ["x"], nullable: true, "x-own": 1 },
      c: { allOf: [{ $ref: "#/components/schemas/Name" }], nullable: true },
      d: { oneOf: [{ type: "string" }, { type: "string", format: "uuid" }] },
      e: { type: "string", pattern: "^(?=x)y" },
      f: { type: "string", pattern: "^[a-z]+$" },
      g: { $ref: "#/components/schemas/Name" },
      gone: { type: "string", readOnly: true },
    },
  };
  const description = { ...api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { "application/json": { schema } } } } } }, { components: { schemas: { Name: { type: "string", maxLength: 5 } } } }), openapi: "3.0.3" };
  const { input } = await toolOf(description);
  assert.deepEqual(input.properties.body, {
    type: "object",
    properties: {
      a: { type: ["integer", "null"], description: "Default: 4.", exclusiveMinimum: 0, maximum: 9 },
      b: { enum: ["x", null] },
      c: { anyOf: [{ allOf: [{ type: "string", maxLength: 5 }] }, { type: "null" }] },
      d: { anyOf: [{ type: "string" }, { type: "string", format: "uuid" }] },
      e: { type: "string" },
      f: { type: "string", pattern: "^[a-z]+$" },
      g: { type: "string", maxLength: 5 },
    },
    required: ["a"],
  });
});

test("schemas that refer to themselves stand once, and what is too large takes any value", async () => {
  const post = (schema, schemas) => api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { "application/json": { schema } } } } } }, { components: { schemas } });
  const node = { type: "object", properties: { name: { type: "string" }, inner: { $ref: "#/components/schemas/Node" } } };
  const { input } = await toolOf(post({ $ref: "#/components/schemas/Node" }, { Node: node }));
  assert.deepEqual(input.$defs, { Node: { type: "object", properties: { name: { type: "string" }, inner: { $ref: "#/$defs/Node" } } } });
  // Each refers to the next one twice: 2^200 when it is written out.
  const chain = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`S${at}`, { type: "object", properties: { a: { $ref: `#/components/schemas/S${at + 1}` }, b: { $ref: `#/components/schemas/S${at + 1}` } } }]));
  const long = await toolOf(post({ $ref: "#/components/schemas/S0" }, { ...chain, S200: { type: "string" } }));
  assert.equal(Object.keys(long.input.$defs).length, 200);
  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`property_${at}`, { type: "string", description: "d".repeat(1000) }]));
  const cut = await toolOf(post({ type: "object", properties: { first: { type: "string" }, deep: { $ref: "#/components/schemas/Wide" }, last: { type: "string" } } }, { Wide: { type: "object", properties: wide } }));
  assert.deepEqual([cut.input.properties.body.properties.last, cut.leftOut[0].part], [{ type: "string" }, "the schema of the arguments"]);
  assert.ok(JSON.stringify(cut.input).length < 150_000, `${JSON.stringify(cut.input).length}`);
});

test("parts that name each other many times over are looked at once", async () => {
  const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
  // Each is made of the next one ten times: 10^30 when each is followed.
  const layers = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`S${at}`, { allOf: Array(10).fill(ref(`S${at + 1}`)) }]));
  const schemas = { ...layers, S30: { type: "object", required: ["name"], properties: { name: { type: "string" } } } };
  const post = (type, schema) => api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { [type]: { schema } } } } } }, { components: { schemas } });
  const form = await sent(post("application/x-www-form-urlencoded", ref("S0")), { body: { name: "Maja" } });
  assert.equal(form.body, "name=Maja");
  assert.match((await sent(post("multipart/form-data", ref("S0")), { body: { name: "Maja" } })).body, /name="name"\r\n\r\nMaja/);
  assert.deepEqual((await toolOf(post("application/json", ref("S0")))).http.body, { json: "{{ body }}" });
  const found = await toolOf(api({ "/b": { get: { operationId: "g", parameters: [{ in: "query", name: "q", schema: ref("S0") }] } } }, { components: { schemas } }));
  assert.deepEqual(Object.keys(found.http.query), ["name"]);
  // What an object says itself counts more than what it is made of, and of that the last one.
  const made = { allOf: [{ properties: { a: { type: "integer" }, b: { type: "integer" } } }, { properties: { b: { type: "boolean" } } }], properties: { a: { type: "string" } } };
  const { input } = await toolOf(api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: made } } } } } }));
  assert.deepEqual(input.properties.body.properties, { a: { type: "string" }, b: { type: "boolean" } });
});

test("a list of itself is no file, and references that lead nowhere soon are left out", async () => {
  const post = (schemas) => api({ "/b": { post: { operationId: "p", requestBody: { required: true, content: { "multipart/form-data": { schema: { type: "object", properties: { x: { $ref: "#/components/schemas/S0" } } } } } } } } }, { components: { schemas } });
  const { http } = await toolOf(post({ S0: { type: "array", items: { $ref: "#/components/schemas/S0" } } }));
  assert.deepEqual(http.body.multipart.map(({ name, file }) => [name, file]), [["x", undefined]]);
  const chain = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`S${at}`, { $ref: `#/components/schemas/S${at + 1}` }]));
  assert.match(await reasonOf(post({ ...chain, S5000: { type: "string" } })), /lead through more than 100 others/);
});

test("a description whose parts are looked up without end is refused", async () => {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, { type: "string" }]));
  const form = { required: true, content: { "application/x-www-form-urlencoded": { schema: { $ref: "#/components/schemas/All" } } } };
  const paths = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`/p${at}`, { post: { operationId: `o${at}`, requestBody: form } }]));
  const all = { allOf: Array.from({ length: 2000 }, () => ({ type: "object" })), properties: fields };
  assert.match(await reasonOf(api(paths, { components: { schemas: { All: all } } })), /refer to each other more than 1000000 times/);
});

test("security schemes name a secret, which goes to the confirmed server alone", async () => {
  const securitySchemes = { key: { type: "apiKey", in: "header", name: "X-Key" }, inQuery: { type: "apiKey", in: "query", name: "api_key" }, cookie: { type: "apiKey", in: "cookie", name: "c" }, bearer: { type: "http", scheme: "Bearer" }, basic: { type: "http", scheme: "basic" }, digest: { type: "http", scheme: "digest" }, oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://login.example/token", scopes: {} } } } };
  const with_ = (security) => ({ ...get({ operationId: "o", security }), components: { securitySchemes } });
  const authOf = async (security, more) => (await toolOf(with_(security), more)).http.auth;
  assert.deepEqual(await authOf([{ key: [] }]), { header: { name: "X-Key", value: { secret: "BEES_KEY" } } });
  assert.deepEqual(await authOf([{ inQuery: [] }, { bearer: [] }]), { bearer: { secret: "BEES_BEARER" } }, "a key in an address is the last choice");
  assert.deepEqual(await authOf([{ inQuery: [] }]), { query: { name: "api_key", value: { secret: "BEES_IN_QUERY" } } });
  assert.deepEqual(await authOf([{ basic: [] }], { schemes: { basic: { user: "me", secret: "PASSWORD" } } }), { basic: { user: "me", password: { secret: "PASSWORD" } } });
  assert.deepEqual(await authOf([{ oauth: ["read", "write"] }]), { bearer: { secret: "BEES_OAUTH" } });
  assert.deepEqual(await authOf([{ oauth: ["read", "write"] }], { schemes: { oauth: { clientId: "me" } } }), { oauth2: { tokenUrl: "https://login.example/token", clientId: "me", clientSecret: { secret: "BEES_OAUTH" }, scope: "read write" } });
  assert.equal(await authOf([{ cookie: [] }, {}]), undefined, "nobody has to be known");
  assert.equal(await authOf([{ key: [] }], { auth: "none" }), undefined);
  assert.deepEqual(await authOf([{ digest: [] }], { auth: { bearer: { secret: "TOKEN" } } }), { bearer: { secret: "TOKEN" } });
  assert.match(await reasonOf(with_([{ cookie: [] }])), /takes a key as a cookie/);
  assert.match(await reasonOf(with_([{ digest: [] }])), /signs in by digest/);
  assert.match(await reasonOf(with_([{ key: [], bearer: [] }])), /takes 2 keys at once \(key, bearer\)/);
  assert.match(await reasonOf(with_([{ basic: [] }])), /give schemes: \{ "basic": \{ user: "…" \} \}/);
  const { schemes } = await openApiOperations(JSON.stringify(with_([])));
  assert.deepEqual(schemes.map(({ name, kind }) => `${name}: ${kind}`), ["key: apiKey", "inQuery: apiKey", "cookie: apiKey", "bearer: bearer", "basic: basic", "digest: digest", "oauth: oauth2"]);
  const { secrets } = await make(with_([{ oauth: [] }]), { schemes: { oauth: { clientId: "me" } } });
  assert.deepEqual(secrets, [{ name: "BEES_OAUTH", origins: ["https://login.example", "https://bees.example"], as: "oauth2" }]);

  const value = "a-key-of-twelve";
  const { headers } = await sent(with_([{ key: [] }]), {}, { secrets: { BEES_KEY: { value, origins: [origin] } } });
  assert.equal(headers["x-key"], value);
});

test("what has no place in a request is left out with a reason, and an operation that needs it is no tool", async () => {
  const cases = [
    [{ in: "cookie", name: "session", schema: { type: "string" } }, /is a cookie/],
    [{ in: "header", name: "X-Api-Key", schema: { type: "string" } }, /is a key by its name/],
    [{ in: "header", name: "a b", schema: { type: "string" } }, /is no name of a header/],
    [{ in: "query", name: "q", style: "deepObject", schema: { type: "object" } }, /properties are not known/],
    [{ in: "query", name: "q", style: "deepObject", schema: { type: "array", items: { type: "string" } } }, /or another value/],
    [{ in: "query", name: "q", explode: false, schema: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } }, /a list or another value/],
    [{ in: "query", name: "q", schema: { type: "array", items: { type: "object" } } }, /a list of objects/],
    [{ in: "query", name: "q", content: { "application/xml": {} } }, /written as application\/xml/],
    [{ in: "query", name: "x".repeat(201), schema: { type: "string" } }, /a name that is longer/],
    [{ in: "query", name: "q", style: "matrix", schema: { type: "string" } }, /in the style matrix/],
    [{ in: "query", name: "q", schema: { $ref: "other.yaml#/Q" } }, /refers to another file, other\.yaml#\/Q/],
    [{ in: "query", name: "q", schema: { $ref: "https://evil.example/q.json" } }, /refers to another file/],
    [{ in: "query", name: "q", schema: { $ref: "#/components/schemas/Missing" } }, /leads to nothing/],
    [{ in: "query", name: "q", schema: { $ref: "#/components/schemas/A" } }, /leads to itself/],
  ];
  const components = { schemas: { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } } };
  for (const [parameter, reason] of cases) {
    const { leftOut, http } = await toolOf({ ...get({ operationId: "o", parameters: [parameter] }), components });
    assert.equal(leftOut.length, 1, JSON.stringify(parameter));
    assert.match(leftOut[0].reason, reason);
    assert.equal(leftOut[0].operation, "GET /bees");
    assert.ok(leftOut[0].part.includes(`\`${parameter.name.slice(0, 70)}`));
    assert.equal(http.query ?? http.headers, undefined);
    assert.match(await reasonOf({ ...get({ operationId: "o", parameters: [{ ...parameter, required: true }] }), components }), reason);
  }
  const whole = [
    [api({ "/b": { trace: { operationId: "t" } } }), /is a TRACE/],
    [get({ operationId: "o", requestBody: { required: true, content: { "application/json": {} } } }), /a GET that needs a body/],
    [api({ "/b": { post: { requestBody: { required: true, content: { "image/png": {} } } } } }), /its body is image\/png/],
    [get({ operationId: "o" }, "/b/{id}"), /names \{id\}, and no parameter/],
    [get({ operationId: "o" }, "/b?x=1"), /a query or a fragment/],
    [get({ operationId: "o" }, "/b/../c"), /leads elsewhere/],
    [get({ operationId: "o", servers: [{ url: "https://upload.example" }] }), /a server of its own, https:\/\/upload\.example/],
    [get({ operationId: "o", requestBody: { $ref: "body.json" }, parameters: [{ $ref: "p.json" }] }), /refers to another file/],
  ];
  for (const [description, reason] of whole) {
    assert.match(await reasonOf(description), reason);
    assert.match((await openApiOperations(JSON.stringify(description))).operations[0].leftOut ?? "of its own, https://upload.example: a server of its own, https://upload.example", reason);
  }
  const upload = get({ operationId: "o", servers: [{ url: "https://upload.example/" }] });
  assert.equal((await toolOf(upload, { server: "https://upload.example" })).http.url, "https://upload.example/bees");
});

test("operations are chosen by their id, their method and path, a tag or a function", async () => {
  const paths = { "/a": { get: { operationId: "one", tags: ["x"] }, post: { operationId: "two", tags: ["y"] } }, "/b": { get: { operationId: "three", tags: ["x"] } } };
  const names = async (include, more) => Object.keys((await make(api(paths), { include, ...more })).document);
  assert.deepEqual(await names(undefined), ["one", "two", "three"]);
  assert.deepEqual(await names(["three", "POST /a"]), ["two", "three"]);
  assert.deepEqual(await names(["x"]), ["one", "three"]);
  assert.deepEqual(await names(({ method }) => method === "POST"), ["two"]);
  assert.deepEqual(await names(["one"], { prefix: "bees_" }), ["bees_one"]);
  const wrong = (include) => make(api(paths), { include }).then(() => assert.fail("made"), (error) => error);
  assert.match((await wrong(["thre"])).hint, /did you mean `three`/);
  assert.match((await wrong(() => false)).message, /takes none/);
  assert.match((await wrong([])).message, /no list of operations/);
});

test("the server is confirmed by the caller, whatever the description says", async () => {
  const description = { ...get({ operationId: "o" }), servers: [{ url: "https://{region}.bees.example/{base}", variables: { region: { default: "eu" }, base: { default: "v1" } } }, { url: "/relative" }] };
  const { servers, title, version, operations } = await openApiOperations(JSON.stringify(description));
  assert.deepEqual([servers, title, version], [["https://eu.bees.example/v1", "/relative"], "Bees", "1"]);
  assert.deepEqual(operations, [{ name: "o", operationId: "o", method: "GET", path: "/bees", summary: undefined, tags: [], deprecated: false, servers: undefined, leftOut: undefined }]);
  const error = await openApiTools(JSON.stringify(description), {}).then(() => assert.fail("made"), (thrown) => thrown);
  assert.match(error.message, /needs the address of the API as `server`/);
  assert.match(error.hint, /the description names https:\/\/eu\.bees\.example\/v1, \/relative/);
  for (const server of ["/relative", "https://{region}.bees.example", "https://me:key@bees.example", "https://bees.example?x", "ftp://bees.example", "https://bees.example/{{ x }}", "https://", 7]) {
    assert.match(await reasonOf(description, { server }), /is no whole address/, String(server));
  }
  assert.equal((await toolOf(description, { server: "HTTPS://Bees.Example/é/" })).http.url, "https://bees.example/%C3%A9/bees");
});

test("names are those that models and documents take, each once", async () => {
  const long = "x".repeat(80);
  const hostile = { "/a": { get: { operationId: long }, put: { operationId: `${long}y` } }, "/b": { get: { operationId: "1/2 {{ x }}" }, put: { operationId: "1/2 {{ x }}" } }, "/é/{id}": { get: { parameters: [{ in: "path", name: "id", required: true, schema: {} }] } }, "/{{state}}/{%raw%}": { get: { operationId: "constructor" } } };
  const { document, leftOut } = await make(api(hostile));
  assert.deepEqual(Object.keys(document), ["x".repeat(64), `${"x".repeat(62)}_2`, "_1_2____x___", "_1_2____x____2", "get_id"]);
  assert.equal(document.get_id.run.http.url, "https://bees.example/v1/%C3%A9/{{ id }}");
  assert.match(leftOut[0].reason, /no parameter is called so/);
  assert.deepEqual(await validate({ version: 1, name: "w", tools: document, steps: [] }), []);
  const twice = await make(api(hostile), { include: ["1/2 {{ x }}"] }).then(() => assert.fail("made"), (error) => error);
  assert.match(twice.message, /has 2 operations/);
  assert.match(twice.hint, /GET \/b, PUT \/b/);
  assert.equal(Object.keys((await make(api(hostile), { include: ["PUT /b"] })).document).length, 1);

  const names = ["constructor", "toString", "a\"]}} b", "{{ x }}", "%}", "in", "state", "\\", "é", "a b"];
  const parameters = names.map((name) => ({ in: "query", name, schema: { type: "string" } }));
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const description = api({ "/b": { post: { operationId: "p", parameters, requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: { type: "object", properties } } } } } } });
  const { input } = await toolOf(description);
  const args = Object.fromEntries(Object.keys(input.properties).map((name, at) => [name, `${at}`]));
  const { url, body } = await sent(description, { ...args, body: Object.fromEntries(names.map((name, at) => [name, `${at}`])) });
  const pairs = names.map((name, at) => [name, `${at}`]);
  assert.deepEqual([...new URL(url, origin).searchParams], pairs);
  assert.deepEqual([...new URLSearchParams(body)], pairs);
});

test("descriptions are words for a model, and bounded", async () => {
  const { tool, input } = await toolOf(api({ "/b": { get: { operationId: "o", deprecated: true, summary: "{{ secret }}", description: "d".repeat(5000), parameters: [{ in: "query", name: "q", description: "😀".repeat(500), schema: { type: "string" } }] } } }));
  assert.ok(tool.description.startsWith("Deprecated.\n{{ secret }}\nddd"));
  assert.equal(tool.description.length, 1000);
  assert.ok(input.properties.q.description.length <= 300 && input.properties.q.description.isWellFormed?.() !== false);
});

const nested = (depth, open, close) => `${open.repeat(depth)}${close.repeat(depth)}`;

const BAD = {
  "nothing": ["", "validation", /is a text, and this is empty/],
  "no text": [7, "validation", /is a text, and this is a number/],
  "neither JSON nor YAML": ["a: [1,\n- b: }", "validation", /neither JSON nor YAML/],
  "no JSON": ['{"openapi": ', "validation", /is no JSON/],
  "a list": ["[]", "validation", /is an object, and this text is a list/],
  "a word": ["hello", "validation", /is an object, and this text is a string/],
  "another document": ['{"name": "x"}', "validation", /no key `openapi`/],
  "Swagger": ['swagger: "2.0"\npaths: {}', "validation", /in Swagger 2\.0/],
  "OpenAPI 4": ['{"openapi": "4.0.0", "paths": {}}', "validation", /in OpenAPI 4\.0\.0/],
  "OpenAPI 3.2": ["openapi: 3.2.0", "validation", /in OpenAPI 3\.2\.0/],
  "no operations": ['{"openapi": "3.1.0", "paths": {}}', "validation", /has no operations/],
  "paths elsewhere": ['{"openapi": "3.1.0", "paths": {"/a": {"$ref": "a.yaml"}}}', "validation", /has no operations/],
  "10 MB": [`{"openapi": "3.1.0", "x": "${"x".repeat(10_000_000)}"}`, "limit", /more than 5242880 bytes/],
  "5 MB of characters that are longer than they look": [`{"openapi": "3.1.0", "x": "${"é".repeat(2_700_000)}"}`, "limit", /more than 5242880 bytes/],
  "deep JSON": [`{"openapi": "3.1.0", "x": ${nested(100_000, "[", "]")}}`, "limit", /nests more than 128 levels deep/],
  "deep YAML": [`openapi: 3.1.0\nx: ${nested(100_000, "[", "]")}`, "limit", /maxDepth/],
  "a key __proto__": ['{"openapi": "3.1.0", "paths": {"/a": {"get": {"__proto__": {"x": 1}}}}}', "validation", /a key `__proto__`/],
  "a key __proto__ in YAML": ["openapi: 3.1.0\npaths:\n  /a:\n    __proto__: {get: {}}", "validation", /a key `__proto__`/],
  "a key twice": ["openapi: 3.1.0\nopenapi: 3.1.0", "validation", /duplicated mapping key/],
  "aliases that grow": [`openapi: 3.1.0\na0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join()}]`).join("\n")}`, "limit", /more than 3000000 values/],
  "many aliases": [`openapi: 3.1.0\na: &a [x]\nb: [${Array(20_000).fill("*a").join()}]`, "limit", /maxAliases/],
  "an alias of itself": ["openapi: 3.1.0\na: &a [*a]", "limit", /levels deep|values/],
  "merges that grow": [`openapi: 3.1.0\na: &a {${Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join()}}\n${Array.from({ length: 500 }, (_, at) => `b${at}: {<<: *a}`).join("\n")}`, "limit", /maxTotalMergeKeys/],
  "1,001 operations": [JSON.stringify(api(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`/p${at}`, { get: {} }])))), "limit", /more than 1000 operations/],
};

for (const [what, [text, code, message]] of Object.entries(BAD)) {
  test(`bad input is an error with a code and a hint: ${what}`, async () => {
    for (const call of [() => openApiOperations(text), () => openApiTools(text, options)]) {
      const error = await call().then(() => assert.fail("it was read"), (thrown) => thrown);
      assert.ok(error instanceof StepweaveError, error.stack);
      assert.deepEqual([error.code, message.test(error.message) || error.message], [code, true]);
      assert.ok(error.hint);
      assert.ok(error.message.length < 400);
    }
  });
}

test("a description in which everything is something else is read, or rejected with a reason", async () => {
  const strange = [null, 0, "x", [], {}, true, [null], { a: null }];
  const whole = api(
    { "/b/{id}": { parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }], post: { operationId: "o", summary: "s", description: "d", tags: ["t"], servers: [], security: [{ k: [] }], parameters: [{ in: "query", name: "q", style: "form", explode: true, description: "d", schema: { type: "array", items: { type: "string", enum: ["a"] } } }], requestBody: { description: "d", required: true, content: { "application/json": { schema: { allOf: [{ type: "object", properties: { a: { type: "string", nullable: true, pattern: "x", minLength: 1 } }, required: ["a"] }] } } } } } } },
    { security: [], components: { securitySchemes: { k: { type: "http", scheme: "bearer" } } } },
  );
  let made = 0;
  let rejected = 0;
  /** Puts each strange value at each place. */
  const places = (value, path = []) => (typeof value === "object" && value !== null ? Object.keys(value).flatMap((key) => [[...path, key], ...places(value[key], [...path, key])]) : []);
  for (const path of places(whole)) {
    for (const value of strange) {
      const copy = structuredClone(whole);
      path.slice(0, -1).reduce((inner, key) => inner[key], copy)[path.at(-1)] = value;
      try {
        const { document } = await make(copy);
        assert.deepEqual((await validate({ version: 1, name: "w", tools: document, steps: [] })).filter(({ severity }) => severity === "error"), [], `${path.join(".")} ${JSON.stringify(value)}`);
        made += 1;
      } catch (error) {
        assert.ok(error instanceof StepweaveError, `${path.join(".")} ${JSON.stringify(value)}: ${error.stack}`);
        rejected += 1;
      }
    }
  }
  assert.ok(made > 200 && rejected > 50, `${made} made, ${rejected} rejected`);
});

test("kinds that name what they are one of, which lists them, are checked to an end", async () => {
  const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
  const kindOf = (more) => ({ allOf: [ref("Bee"), { type: "object", properties: more }] });
  const schemas = {
    Bee: { type: "object", properties: { name: { type: "string" } }, required: ["name"], oneOf: [ref("Queen"), ref("Worker")] },
    Queen: kindOf({ eggs: { type: "integer" } }),
    Worker: kindOf({ load: { type: "number" } }),
    Self: { allOf: [ref("Self"), { type: "object", properties: { a: { type: "integer" } } }] },
  };
  const post = (schema) => api({ "/bees": { post: { operationId: "add", requestBody: { required: true, content: { "application/json": { schema } } } } } }, { components: { schemas } });
  const { input } = await toolOf(post(ref("Queen")));
  assert.deepEqual(input.$defs.Queen.allOf, [{ $ref: "#/$defs/Bee" }, { type: "object", properties: { eggs: { type: "integer" } } }], "what a kind is one of stays");
  assert.equal((await sent(post(ref("Queen")), { body: { name: "Maja", eggs: 3 } })).body, '{"name":"Maja","eggs":3}');
  assert.equal((await toolOf(post(ref("Bee")))).input.$defs.Queen.allOf[0].$ref, "#/$defs/Bee_itself");
  assert.equal((await sent(post(ref("Self")), { body: { a: 1 } })).body, '{"a":1}');
  const chain = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`c${at}`, { allOf: [ref(`c${(at + 1) % 2000}`)] }]));
  await toolOf(api({ "/bees": { post: { requestBody: { content: { "application/json": { schema: ref("c0") } } } } } }, { components: { schemas: chain } }));
});

test("no value of one parameter is lost to another, nor one that no parameter has", async () => {
  const shade = { in: "query", name: "shade", schema: { type: "string" } };
  const exploded = { in: "query", name: "q", schema: { type: "object", properties: { shade: { type: "string" } } } };
  for (const parameters of [[shade, exploded], [exploded, shade]]) {
    const { http, input, leftOut } = await toolOf(get({ parameters }));
    assert.deepEqual([Object.keys(http.query), Object.keys(input.properties)], [["shade"], [parameters[0].name]]);
    assert.deepEqual(leftOut, [{ operation: "GET /bees", part: `the query parameter \`${parameters[1].name}\``, reason: "is written as `shade`, and so is another one" }]);
  }
  for (const style of ["form", "deepObject"]) {
    const { input } = await toolOf(query({ style, schema: { type: ["object", "null"], properties: { a: { type: "string" } }, required: ["a", "b"] }, description: "Which." }));
    assert.deepEqual(input.properties.q, { type: ["object", "null"], description: "Which.", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false });
    assert.equal((await sent(query({ style, schema: { type: ["object", "null"], properties: { a: {} } } }), { q: null })).url, "/bees");
  }
  const twice = api({ "/bees": { parameters: [{ in: "header", name: "X-Hive", schema: { type: "string" } }], get: { operationId: "list", parameters: [{ in: "header", name: "x-hive", schema: { type: "integer" } }] } } });
  assert.deepEqual((await toolOf(twice)).http.headers, { "x-hive": "{{ x_hive | default(none) }}" });
});

test("a style is one of those that are known, also in forms", async () => {
  for (const style of ["constructor", "toString", "matrix"]) {
    const { leftOut } = await toolOf(query({ style, explode: false, schema: { type: "array", items: { type: "string" } } }));
    assert.deepEqual(leftOut.map(({ reason }) => reason), [`is written in the style ${style}`]);
  }
  const form = (encoding) => api({ "/bees": { post: { operationId: "add", requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: { type: "object", properties: { a: { type: "array", items: { type: "string" } }, b: { type: "string" } } }, encoding: { a: encoding } } } } } } });
  for (const [encoding, body] of [[{}, "a=1&a=2"], [{ explode: false }, "a=1%2C2"], [{ style: "pipeDelimited" }, "a=1%7C2"], [{ style: "spaceDelimited", explode: true }, "a=1&a=2"], [{ style: "toString", explode: false }, "a=1&a=2"]]) {
    assert.equal((await sent(form(encoding), { body: { a: ["1", "2"] } })).body, body, JSON.stringify(encoding));
    assert.equal((await sent(form(encoding), { body: { b: "3" } })).body, "b=3");
  }
});

test("a number that JSON does not hold is refused where it stands", async () => {
  assert.equal(await reasonOf(JSON.stringify(query({ schema: { type: "number", maximum: 7 } })).replace("7", "1e999")), "the OpenAPI description has the number Infinity, which JSON does not hold");
});

test("YAML says the same values as JSON", async () => {
  const yaml = await openApiOperations("# a comment\nopenapi: 3.0.4\ninfo: {title: T, version: 2020-01-01}\nx-a: &a {get: {operationId: yes, summary: 'on'}}\npaths:\n  /a: *a\n  /b:\n    <<: *a\n    put: {operationId: no}\n");
  assert.deepEqual([yaml.version, yaml.operations.map(({ operationId }) => operationId)], ["2020-01-01", ["yes", "yes", "no"]], "words and dates stay texts");
});

test("the program of docs/openapi.md prints what stands below it", () => {
  assertPrograms(page("docs/openapi.md"));
});
