// The description of a served workflow's addresses, compared with what callers really get.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { formFiles } from "stepweave/files";
import { bearer, handler } from "stepweave/http";
import { openApiTools } from "stepweave/openapi";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { z } from "zod";

const ANN = "ann-has-a-token-of-32-characters";
const BOB = "bob-has-another-of-32-characters";
const authorize = bearer({ ann: ANN, bob: BOB });

const sent = (who, method, path, body, headers = {}) =>
  new Request(`https://flow.example${path}`, { method, headers: { ...(who !== undefined && { authorization: `Bearer ${who}` }), ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) });

const described = async (serve) => (await serve(sent(undefined, "GET", "/openapi.json"))).json();

/** The schema with all objects closed that name their members: what a response has besides them is found too. */
const closed = (schema) =>
  Array.isArray(schema)
    ? schema.map(closed)
    : typeof schema === "object" && schema !== null
      ? { ...Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)])), ...(typeof schema.properties === "object" && schema.type === "object" && { additionalProperties: false }) }
      : schema;

/** Compares a body with a schema of the description. */
async function assertFits(body, name, { components }) {
  const input = { type: "object", properties: { body: { $ref: `#/components/schemas/${name}` } }, components: closed(components) };
  const { status, error } = await new Workflow({ name: "fit", input, steps: [] }).run({ state: { body } });
  assert.equal(status, "done", `${error?.message}\n${JSON.stringify(body, null, 1)}`);
}

/** A step that fails and may, an agent whose tool is to be allowed, and an approval beside it. */
const asking = () => {
  const model = scriptedModel([{ type: "toolCall", name: "send", input: { to: "bob" } }, "sent"]);
  const send = tool({ name: "send", needsApproval: true, input: { type: "object", properties: { to: { type: "string" } } }, execute: () => 1 });
  const form = { type: "object", properties: { approved: { type: "boolean" }, sum: { type: "number" } } };
  return new Workflow({
    name: "ask",
    input: { type: "object", properties: { n: { type: "number" } } },
    steps: [
      { name: "fail", required: false, run: () => { throw new Error("no"); } },
      { name: "both", parallel: [{ name: "boss", type: "approval", message: "Pay?", schema: form, expiresMs: 60_000 }, { name: "agent", agent: new Agent({ name: "a", model, tools: [send] }) }] },
      { name: "stop", end: { message: "sent" } },
    ],
  });
};

test("what callers get of a run fits the description, however it stands", async () => {
  const serve = handler(asking(), { authorize, store: memoryStore(), onError: () => {} });
  const description = await described(serve);
  const started = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  await assertFits(started, "Result", description);
  assert.deepEqual(started.pending.map(({ key, message, tool, schema, expiresAt }) => [key, message, tool?.input, typeof schema, typeof expiresAt]), [
    ["both.boss", "Pay?", undefined, "object", "number"],
    [started.pending[1].key, started.pending[1].message, { to: "bob" }, "object", "undefined"],
  ]);
  await assert.rejects(assertFits({ ...started, secretly: 1 }, "Result", description), /secretly/);
  await assert.rejects(assertFits({ ...started, pending: [{ ...started.pending[0], key: 1 }] }, "Result", description), /key/);
  const { runId, pending } = started;
  await assertFits(await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json(), "Result", description);
  await assertFits(await (await serve(sent(ANN, "GET", "/runs?limit=1"))).json(), "Runs", description);
  const wrong = await (await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { [pending[0].key]: { sum: "much" } }))).json();
  assert.equal(wrong.step.id, pending[0].step.id);
  await assertFits(wrong, "Problem", description);
  const done = await (await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { [pending[0].key]: { approved: true, sum: 2 }, [pending[1].key]: { approved: true } }))).json();
  assert.deepEqual([done.status, done.message, done.errors.length, done.stepResults[0].error.code], ["done", "sent", 1, "handler"]);
  await assertFits(done, "Result", description);
  const hurried = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }, { prefer: "respond-async" }))).json();
  assert.equal(hurried.status, "running");
  await assertFits(hurried, "Result", description);
  await assertFits(await (await serve(sent(ANN, "GET", "/runs/none"))).json(), "Problem", description);
});

test("what somebody gets who answers for another fits the description, and an answer that came too late", async () => {
  const asks = (expiresMs) => new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", message: "?", expiresMs, expired: [{ name: "late", run: () => ({ late: true }) }] }] });
  const serve = handler(asks(60_000), { authorize, store: memoryStore(), mayAnswer: (principal) => principal === "bob" });
  const description = await described(serve);
  const { runId } = await (await serve(sent(ANN, "POST", "/runs"))).json();
  await assertFits(await (await serve(sent(BOB, "GET", `/runs/${runId}`))).json(), "Result", description);
  const answered = await (await serve(sent(BOB, "POST", `/runs/${runId}/answers`, { boss: { approved: true } }))).json();
  assert.deepEqual(answered, { runId, status: "done" });
  await assertFits(answered, "Result", description);
  const late = handler(asks(1), { authorize, store: memoryStore() });
  const begun = await (await late(sent(ANN, "POST", "/runs"))).json();
  while (Date.now() <= begun.pending[0].expiresAt);
  const ignored = await (await late(sent(ANN, "POST", `/runs/${begun.runId}/answers`, { boss: { approved: true } }))).json();
  assert.deepEqual(ignored.ignored, ["boss"]);
  await assertFits(ignored, "Result", description);
});

test("the description has the scheme that `bearer()` demands, and none of which nobody knows whether it is demanded", async () => {
  const workflow = new Workflow({ name: "w", steps: [] });
  const { security, components } = await described(handler(workflow, { authorize }));
  assert.deepEqual([security, components.securitySchemes], [[{ bearer: [] }], { bearer: { type: "http", scheme: "bearer" } }]);
  for (const options of [{ public: true }, { authorize: (request) => request.headers.get("x-user") }]) {
    const { security, components } = await described(handler(workflow, options));
    assert.deepEqual([security, components.securitySchemes], [undefined, undefined]);
  }
});

test("the description has what a handler answers: lists and idempotency keys where there is a store, and lists for nobody in particular nowhere", async () => {
  const workflow = new Workflow({ name: "w", steps: [] });
  const store = memoryStore();
  for (const [options, isListed, hasKeys] of [[{ authorize, store }, true, true], [{ authorize }, false, false], [{ public: true, store }, false, true]]) {
    const serve = handler(workflow, options);
    const { paths } = await described(serve);
    assert.deepEqual([paths["/runs"].get !== undefined, paths["/runs"].post.parameters !== undefined], [isListed, hasKeys]);
    assert.equal((await serve(sent(ANN, "GET", "/runs"))).ok, isListed);
    assert.equal((await serve(sent(ANN, "POST", "/runs", {}, { "idempotency-key": "once" }))).ok, hasKeys);
  }
});

test("the description says of the input that it has no other keys, as every call is told", async () => {
  const n = { type: "number" };
  const inputs = [
    [{ type: "object", properties: { n } }, false],
    [z.object({ n: z.number() }), false],
    [{ type: "object", allOf: [{ properties: { n } }] }, false],
    [{ type: "object", properties: { n }, additionalProperties: n }, true],
    [{ type: "object", properties: { n }, patternProperties: { "^m": n } }, true],
    [undefined, false],
  ];
  for (const [input, isOpen] of inputs) {
    const serve = handler(new Workflow({ name: "w", ...(input && { input }), steps: [] }), { authorize });
    const { paths } = await described(serve);
    const { schema } = paths["/runs"].post.requestBody.content["application/json"];
    const checking = new Workflow({ name: "fit", input: { type: "object", properties: { body: schema } }, steps: [] });
    const taken = input === undefined ? {} : { n: 1 };
    for (const [body, isRight] of [[taken, true], [{ ...taken, m: 2 }, isOpen]]) {
      const isTaken = (await serve(sent(ANN, "POST", "/runs", body))).ok;
      const fits = (await checking.run({ state: { body } })).status === "done";
      assert.deepEqual([isTaken, fits], [isRight, isRight], JSON.stringify(schema));
    }
  }
});

/** Each reference of a description, and what it leads to. */
const referred = (root) => {
  const all = [];
  const visit = (part) => {
    if (typeof part !== "object" || part === null) return;
    if (typeof part.$ref === "string") all.push([part.$ref, part.$ref.slice(2).split("/").reduce((at, key) => at?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")], root)]);
    Object.values(part).forEach(visit);
  };
  visit(root);
  return all;
};

test("what the input's schema refers to is found in the description, under a name that no response has", async () => {
  const input = {
    $id: "https://schemas.example/order",
    type: "object",
    properties: { top: { $ref: "#/$defs/Result" }, back: { $ref: "#" }, same: { $ref: "#/properties/top" }, size: { $ref: "#/$defs/a~1b%20c/properties/x" }, word: { $ref: "https://schemas.example/order#/definitions/Result" }, $ref: { const: { $ref: "#/nothing" } } },
    $defs: { Result: { type: "object", required: ["n"], properties: { n: { type: "number" }, kids: { type: "array", items: { $ref: "#/$defs/Result" } } } }, "a/b c": { properties: { x: { type: "integer" } } } },
    definitions: { Result: { type: "string" } },
  };
  const description = await described(handler(new Workflow({ name: "w", input, steps: [] }), { authorize }));
  for (const [reference, found] of referred(description)) if (reference !== "#/nothing") assert.equal(typeof found, "object", reference);
  const { schema } = description.paths["/runs"].post.requestBody.content["application/json"];
  assert.deepEqual([schema.properties.top, schema.$id, description.components.schemas.Result.required], [{ $ref: "#/components/schemas/Result_2" }, undefined, ["runId", "status"]]);
  const { document, leftOut } = await openApiTools(JSON.stringify(description), { server: "https://flow.example" });
  assert.deepEqual(leftOut, []);
  // The first is the request as it stands in the description, and the second what a reader of it makes.
  const checks = [{ type: "object", properties: { body: schema }, components: description.components }, document.startRun.input];
  const tree = { n: 1, kids: [{ n: 2, kids: [] }] };
  for (const [body, isRight] of [
    [{ top: tree, back: { top: tree, other: 1 }, same: tree, size: 1, word: "x" }, true],
    [{ other: 1 }, false],
    [{ top: { n: 1, kids: [{ n: "2" }] } }, false],
    [{ back: { top: { n: "1" } } }, false],
    [{ size: 1.5 }, false],
    [{ word: 1 }, false],
  ]) {
    const fits = await Promise.all(checks.map(async (input) => (await new Workflow({ name: "fit", input, steps: [] }).run({ state: { body } })).status === "done"));
    assert.deepEqual(fits, [isRight, isRight], JSON.stringify(body));
  }
});

test("a schema of zod that refers to itself is found in the description, and one of an older draft says so", async () => {
  const Tree = z.object({ n: z.number(), get kids() { return z.array(Tree); } });
  const description = await described(handler(new Workflow({ name: "w", input: z.object({ tree: Tree }), steps: [] }), { authorize }));
  const references = referred(description);
  assert.ok(references.some(([reference]) => reference.startsWith("#/components/schemas/_")), "the tree is one");
  for (const [reference, found] of references) assert.equal(typeof found, "object", reference);
  assert.equal(description.jsonSchemaDialect, undefined);
  // What has an address of its own refers to what is in it wherever it stands.
  const own = { $id: "https://schemas.example/own", $ref: "#/$defs/n", $defs: { n: { type: "number" } } };
  const nested = await described(handler(new Workflow({ name: "w", input: { type: "object", properties: { own }, $defs: { n: { type: "string" } } }, steps: [] }), { authorize }));
  assert.deepEqual(nested.paths["/runs"].post.requestBody.content["application/json"].schema.properties.own, own);
  const older = await described(handler(new Workflow({ name: "w", input: { $schema: "http://json-schema.org/draft-07/schema#", type: "object" }, steps: [] }), { authorize }));
  assert.equal(older.jsonSchemaDialect, "http://json-schema.org/draft-07/schema#");
});

test("the description has forms where a handler takes them, and where the run of a response is", async () => {
  const input = { type: "object", required: ["topic"], properties: { topic: { type: "string" }, paper: { $ref: "#/$defs/Paper" }, photos: { type: "array", items: { $ref: "#/$defs/Paper" } }, words: { type: "array", items: { type: "string" } } }, $defs: { Paper: { type: "object", format: "file" } } };
  const workflow = new Workflow({ name: "w", input, steps: [] });
  const plain = (await described(handler(workflow, { authorize }))).paths["/runs"].post;
  assert.deepEqual(Object.keys(plain.requestBody.content), ["application/json"]);
  assert.deepEqual([plain.responses[200].headers, plain.responses[200].links], [undefined, undefined]);
  const serve = handler(workflow, { authorize, files: formFiles(), store: memoryStore() });
  const { post } = (await described(serve)).paths["/runs"];
  const file = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };
  assert.deepEqual(post.requestBody.content["multipart/form-data"].schema, {
    type: "object",
    properties: { topic: { type: "string" }, paper: file, photos: { type: "array", items: file }, words: { type: "array", items: { type: "string" } } },
    required: ["topic"],
    additionalProperties: false,
  });
  // What the description says is what is taken.
  const form = new FormData();
  form.append("topic", "bees");
  for (const name of ["paper", "photos"]) form.append(name, new File(["# Bees"], "bees.md"));
  const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` }, body: form }));
  const { state } = await response.json();
  assert.deepEqual([state.paper.name, state.photos.map(({ name }) => name)], ["bees.md", ["bees.md"]]);
  for (const { headers } of Object.values(post.responses)) assert.equal(headers.Location.schema.type, "string");
  assert.deepEqual(post.responses[202].links, { run: { operationId: "getRun", parameters: { id: "$response.body#/runId" } } });
  assert.match(response.headers.get("location"), /^\/runs\/./);
});
