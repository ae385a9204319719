// A workflow behind a standard `fetch`: what callers send, what they get, and what they must not get.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, StepweaveError, tool, Workflow } from "stepweave";
import { formFiles } from "stepweave/files";
import { approvalLinks, bearer, handler } from "stepweave/http";
import { mcpServer } from "stepweave/mcp/server";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { assertPrograms, page } from "./docs-support.js";
import { places } from "./stores-places.js";

const ANN = "ann-has-a-token-of-32-characters";
const BOB = "bob-has-another-of-32-characters";
const authorize = bearer({ ann: ANN, bob: BOB });
const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** What is sent as `who`. */
const sent = (who, method, path, body, headers = {}) =>
  new Request(`https://flow.example${path}`, {
    method,
    headers: { ...(who !== undefined && { authorization: `Bearer ${who}` }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });

/** Without the times: those of a replay are the journal's, which are taken when an answer comes and not when it is kept. */
const untimed = (value) => JSON.parse(JSON.stringify(value, (key, inner) => (["at", "durationMs", "startedAt"].includes(key) ? undefined : inner)));

async function eventsOf(response) {
  return eventsIn(await response.text());
}

function eventsIn(text) {
  return text.split("\n\n").filter((block) => block.startsWith("id: ")).map((block) => JSON.parse(block.split("\ndata: ")[1]));
}

const idsIn = (text) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

const doubling = () => new Workflow({ name: "double", input, initialState: { secretly: 7 }, steps: [{ name: "double", run: ({ n }) => ({ twice: 2 * n }) }] });

function asking(calls = []) {
  return new Workflow({
    name: "pay",
    input,
    steps: [
      { name: "reserve", run: () => (calls.push("reserve"), { reserved: true }) },
      { name: "boss", type: "approval", message: "Pay {{ n }}?" },
      { name: "pay", run: () => (calls.push("pay"), { paid: true }) },
    ],
  });
}

test("a run's result comes as JSON, in its public form", async () => {
  const serve = handler(doubling(), { authorize });
  const response = await serve(sent(ANN, "POST", "/runs", { n: 4 }));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "no-store");
  const result = await response.json();
  assert.deepEqual([result.status, result.state], ["done", { secretly: 7, n: 4, twice: 8 }]);
  assert.equal(result.journal, undefined);
});

test("who calls reads why an end step ended the run, in every protocol", async () => {
  const serve = handler(new Workflow({ name: "stock", input, steps: [{ name: "none", condition: "n == 0", steps: [{ name: "stop", end: { message: "no orders for {{ n }}" } }] }] }), { authorize });
  assert.equal((await (await serve(sent(ANN, "POST", "/runs", { n: 0 }))).json()).message, "no orders for 0");
  assert.ok(!("message" in (await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json())));
  const events = await eventsOf(await serve(sent(ANN, "POST", "/runs", { n: 0 }, { accept: "text/event-stream" })));
  assert.equal(events.at(-1).result.message, "no orders for 0");
  const agUi = await serve(sent(ANN, "POST", "/runs", { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: { n: 0 }, forwardedProps: {} }, { accept: "text/event-stream; protocol=ag-ui" }));
  const last = (await agUi.text()).trim().split("\n\n").at(-1);
  assert.equal(JSON.parse(last.slice(last.indexOf("{"))).result.message, "no orders for 0");
  const { components } = await (await serve(sent(undefined, "GET", "/openapi.json"))).json();
  assert.deepEqual(components.schemas.Result.properties.message, { type: "string" });
});

test("its events come as server-sent events with their numbers, for who accepts that", async () => {
  const serve = handler(doubling(), { authorize });
  const response = await serve(sent(ANN, "POST", "/runs", { n: 4 }, { accept: "text/event-stream" }));
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
  const events = await eventsOf(response);
  assert.deepEqual(events.map(({ type }) => type), ["run.start", "step.start", "step.done", "run.done"]);
  assert.ok(events.every(({ seq }, at) => at === 0 || seq > events[at - 1].seq));
  assert.equal(events[1].input, undefined, "what a step sees is not for callers");
});

test("only keys of the input schema enter the state", async () => {
  const schemas = [input, z.object({ n: z.number() })];
  for (const schema of schemas) {
    const serve = handler(new Workflow({ name: "w", input: schema, initialState: { secretly: 7 }, steps: [{ name: "s", run: ({ n, secretly }) => ({ sum: n + secretly }) }] }), { authorize });
    assert.equal((await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json()).state.sum, 8);
    const refused = await serve(sent(ANN, "POST", "/runs", { n: 1, secretly: 100 }));
    assert.equal(refused.status, 400);
    assert.equal(refused.headers.get("content-type"), "application/problem+json");
    assert.deepEqual(await refused.json(), { type: "about:blank", title: "Bad Request", status: 400, code: "validation", detail: "the workflow's input has no key `secretly`", hint: "it takes `n`" });
  }
  const without = handler(new Workflow({ name: "w", steps: [{ name: "s", run: () => ({}) }] }), { authorize });
  assert.equal((await without(sent(ANN, "POST", "/runs"))).status, 200);
  assert.match((await (await without(sent(ANN, "POST", "/runs", { x: 1 }))).json()).hint, /no `input` schema/);
  const open = handler(new Workflow({ name: "w", input: { type: "object", additionalProperties: { type: "number" } }, steps: [{ name: "s", run: () => ({}) }] }), { authorize });
  assert.equal((await open(sent(ANN, "POST", "/runs", { x: 1 }))).status, 200);
  assert.equal((await open(sent(ANN, "POST", "/runs", { x: "one" }))).status, 400, "the values have to fit");
});

test("only keys of the input schema enter the state where a value of it has no JSON Schema, in every protocol", async () => {
  const n = z.number();
  const whens = [z.date(), z.coerce.date(), z.bigint(), z.custom(() => true)];
  const schemas = [...whens.map((when) => z.object({ n, when: when.optional() })), toStandardJsonSchema(v.object({ n: v.number(), when: v.optional(v.date()) }))];
  for (const schema of schemas) {
    const serve = handler(new Workflow({ name: "w", input: schema, initialState: { secretly: 7 }, steps: [{ name: "s", run: ({ n, secretly }) => ({ sum: n + secretly }) }] }), { authorize, files: formFiles() });
    assert.equal((await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json()).state.sum, 8);
    const form = new FormData();
    form.set("n", "1");
    form.set("secretly", "100");
    const chat = sent(ANN, "POST", "/runs", { messages: [], n: 1, secretly: 100 }, { accept: "text/event-stream; protocol=ui-message-stream" });
    const posted = new Request("https://flow.example/runs", { method: "POST", body: form, headers: { authorization: `Bearer ${ANN}` } });
    for (const request of [sent(ANN, "POST", "/runs", { n: 1, secretly: 100 }), chat, posted]) {
      const response = await serve(request);
      assert.deepEqual([response.status, (await response.json()).detail], [400, "the workflow's input has no key `secretly`"]);
    }
    const agUi = await serve(sent(ANN, "POST", "/runs", { threadId: "t", runId: "r", messages: [], state: { n: 1, secretly: 100 } }, { accept: "text/event-stream; protocol=ag-ui" }));
    assert.match(await agUi.text(), /"snapshot":\{"secretly":7,"n":1,"sum":8\}/);
  }
});

test("the keys of what an input schema is made of enter the state, and no others", async () => {
  const named = (...keys) => ({ type: "object", properties: Object.fromEntries(keys.map((key) => [key, true])) });
  const open = { additionalProperties: true, patternProperties: { "": true } };
  const schemas = [
    z.discriminatedUnion("a", [z.object({ a: z.literal(1), b: z.number() }), z.object({ a: z.literal(2), c: z.looseObject({}) })]),
    z.object({ a: z.number() }).and(z.union([z.object({ b: z.number() }), z.object({ c: z.number() })])),
    { ...named("a"), anyOf: [{ ...named("b"), ...open }, { ...named("c"), ...open }] },
    { $ref: "#/$defs/all", $defs: { all: { ...named("a"), ...open, allOf: [{ $ref: "#/$defs/rest" }] }, rest: named("b", "c") } },
    { if: named("a"), then: named("b"), else: { oneOf: [named("c")] } },
  ];
  for (const schema of schemas) {
    const serve = handler(new Workflow({ name: "w", input: schema, steps: [] }), { authorize });
    const response = await serve(sent(ANN, "POST", "/runs", { a: 1, b: 2 }));
    assert.deepEqual([response.status, (await response.json()).state], [200, { a: 1, b: 2 }]);
    const { detail, hint } = await (await serve(sent(ANN, "POST", "/runs", { a: 1, b: 2, d: 3 }))).json();
    assert.deepEqual([detail, hint], ["the workflow's input has no key `d`", "it takes `a`, `b`, `c`"]);
  }
});

test("a workflow is refused of which nobody knows the keys that callers may give", () => {
  const own = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) } };
  const workflows = [v.object({ n: v.number() }), own].map((input) => new Workflow({ name: "w", input, steps: [] }));
  workflows.push(Workflow.fromDocument({ version: 1, name: "w", input: { handler: "check" }, steps: [] }, { handlers: { check: (value) => value } }));
  for (const workflow of workflows) {
    assert.throws(() => handler(workflow, { authorize }), ({ code, message, hint }) => code === "validation" && message.startsWith("the workflow `w` cannot be served: ") && /toStandardJsonSchema\(\)/.test(hint));
  }
  handler(new Workflow({ name: "w", input: { ...own, toJsonSchema: () => ({ type: "object", properties: { n: {} } }) }, steps: [] }), { authorize });
});

test("a workflow is refused whose own initial state its library's schema refuses: callers were told of its keys", async () => {
  const steps = [{ name: "x", run: () => ({}) }];
  const initialState = { internal: 1 };
  for (const input of [z.strictObject({ n: z.number() }), z.looseObject({ n: z.number() }).refine((state) => !("internal" in state), { when: () => true })]) {
    const workflow = new Workflow({ name: "w", input, initialState, steps });
    const serving = [() => handler(workflow, { authorize }), () => mcpServer(workflow, { public: true, keys: [{ id: "a", key: new Uint8Array(32) }] })];
    for (const serve of serving) {
      assert.throws(serve, ({ code, message, hint }) => code === "document" && message === "the workflow `w` cannot be served: no run can begin, since its `input` refuses what its own initialState has: `internal`" && hint.startsWith("`input` is the schema of the whole state at the start"));
    }
  }
  const later = { "~standard": { version: 1, vendor: "mine", validate: async () => Promise.reject(new Error("later")) }, toJsonSchema: () => ({ type: "object", properties: { n: {} }, additionalProperties: false }) };
  const throwing = z.object({ n: z.number() }).refine((state) => state.n.toFixed(1) !== "", { when: () => true });
  for (const input of [z.object({ n: z.number() }), z.looseObject({ n: z.number() }), throwing, later]) handler(new Workflow({ name: "w", input, initialState, steps }), { authorize });
  handler(new Workflow({ name: "w", input: z.strictObject({ n: z.number(), internal: z.number() }), initialState, steps }), { authorize });
});

/** A workflow in code, and the same as a document. */
const bothWays = (input, initialState) => {
  const workflow = new Workflow({ name: "w", input, initialState, steps: [{ name: "see", run: { set: { saw: "secret" } } }] });
  return [workflow, Workflow.fromDocument(JSON.parse(JSON.stringify(workflow.toDocument())), { handlers: workflow.handlers })];
};

test("of keys without a name those enter the state that match a pattern of the input schema, in every protocol", async () => {
  const schema = { type: "object", properties: { a: {} }, patternProperties: { "^x_": { type: "number" }, "^y/": {} } };
  const library = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) }, toJsonSchema: () => schema };
  const later = { ...library, "~standard": { ...library["~standard"], validate: async (value) => ({ value }) } };
  for (const workflow of [schema, library, later].flatMap((input) => bothWays(input, { secret: "mine" }))) {
    const serve = handler(workflow, { authorize, files: formFiles() });
    const taken = await serve(sent(ANN, "POST", "/runs", { a: 1, x_1: 2, "y/~0": 3 }));
    assert.deepEqual([taken.status, (await taken.json()).state], [200, { secret: "mine", a: 1, x_1: 2, "y/~0": 3, saw: "mine" }]);
    const form = new FormData();
    form.set("secret", "theirs");
    const chat = sent(ANN, "POST", "/runs", { messages: [], x_1: 1, secret: "theirs" }, { accept: "text/event-stream; protocol=ui-message-stream" });
    const posted = new Request("https://flow.example/runs", { method: "POST", body: form, headers: { authorization: `Bearer ${ANN}` } });
    for (const request of [sent(ANN, "POST", "/runs", { x_1: 1, secret: "theirs" }), chat, posted]) {
      const response = await serve(request);
      const { detail, hint } = await response.json();
      assert.deepEqual([response.status, detail, hint], [400, "the workflow's input has no key `secret`", "it takes `a`, keys that match `^x_`, keys that match `^y/`"]);
    }
    const proto = await serve(new Request("https://flow.example/runs", { method: "POST", body: '{"x_1":1,"__proto__":{},"y/a/b":1}', headers: { authorization: `Bearer ${ANN}` } }));
    assert.deepEqual([proto.status, (await proto.json()).detail], [400, "the workflow's input has no key `__proto__`"]);
    const agUi = await serve(sent(ANN, "POST", "/runs", { threadId: "t", runId: "r", messages: [], state: { x_1: 1, secret: "theirs" } }, { accept: "text/event-stream; protocol=ag-ui" }));
    assert.match(await agUi.text(), /"snapshot":\{"secret":"mine","x_1":1,"saw":"mine"\}/);
    const { paths } = await (await serve(sent(ANN, "GET", "/openapi.json"))).json();
    const { required, content } = paths["/runs"].post.requestBody;
    const { patternProperties, additionalProperties } = content["application/json"].schema;
    assert.deepEqual([required, patternProperties, additionalProperties, content["multipart/form-data"].schema.patternProperties], [true, schema.patternProperties, false, schema.patternProperties]);
  }
  const slow = handler(bothWays({ type: "object", patternProperties: { "(x+x+)+y": {} } }, {})[0], { authorize });
  assert.equal((await slow(sent(ANN, "POST", "/runs", { ["x".repeat(100_000)]: 1 }))).status, 400, "patterns take linear time");
});

test("a workflow is refused whose own initial state its input refuses, and where a call shows that, it is no fault of the caller's", async () => {
  const closed = { type: "object", properties: { n: { type: "number" } }, additionalProperties: false };
  const keys = [{ id: "a", key: new Uint8Array(32) }];
  for (const workflow of bothWays(closed, { secret: "mine" })) {
    for (const serve of [() => handler(workflow, { authorize }), () => mcpServer(workflow, { public: true, keys })]) {
      assert.throws(serve, { code: "document", message: "the workflow `w` cannot be served: no run can begin, since its `input` refuses what its own initialState has: `secret`" });
    }
  }
  const n = { properties: { n: { type: "number" } } };
  const own = (validate) => ({ "~standard": { version: 1, vendor: "mine", validate }, toJsonSchema: () => ({ type: "object", ...n }) });
  const refusing = (value) => ("secret" in value ? { issues: [{ message: "no", path: ["secret"] }] } : { value });
  const whole = (value) => ("secret" in value && value.n === 1 ? { issues: [{ message: "no" }] } : { value });
  const inputs = [
    { type: "object", ...n, additionalProperties: { type: "number" } },
    { type: "object", ...n, patternProperties: { "^x_": {} }, additionalProperties: false },
    { type: "object", ...n, unevaluatedProperties: false },
    { type: "object", ...n, dependentRequired: { secret: ["other"] } },
    { type: "object", ...n, maxProperties: 1 },
    z.looseObject({ n: z.number() }).refine(async (state) => !("secret" in state)),
    own(async (value) => refusing(value)),
    own(whole),
    own(async (value) => whole(value)),
  ];
  for (const [index, workflow] of inputs.flatMap((input) => bothWays(input, { secret: "mine" })).entries()) {
    const seen = [];
    const serve = handler(workflow, { authorize, onError: (error) => seen.push(`${error.code}: ${error.message}`) });
    const response = await serve(sent(ANN, "POST", "/runs", { n: 1 }));
    assert.deepEqual([response.status, (await response.json()).detail], [500, "the workflow failed"], `${index}`);
    assert.equal(seen.at(-1), "document: the workflow `w` cannot be served: no run can begin, since its `input` refuses what its own initialState has: `secret`", `${index}`);
    const wrong = await serve(sent(ANN, "POST", "/runs", { n: 1, zz: "z" }));
    assert.ok([400, 500].includes(wrong.status) && !(await wrong.text()).includes("mine"), `${index}`);
  }
  // What callers may give and have not is theirs to give, and they are not shown what stands there.
  for (const input of [{ type: "object", ...n, required: ["n"] }, z.object({ n: z.number() }), z.object({ n: z.number() }).refine(async () => true)]) {
    for (const workflow of bothWays(input, { n: "a place for it" })) {
      const response = await handler(workflow, { authorize })(sent(ANN, "POST", "/runs", {}));
      const { detail, hint } = await response.json();
      assert.deepEqual([response.status, detail, hint], [400, "the input of the workflow does not fit its schema: `n` is missing, and what the workflow has instead does not fit", "send `n`"]);
    }
  }
});

test("a schema that allows everything names no key", async () => {
  for (const schema of [true, {}, z.any()]) {
    const serve = handler(new Workflow({ name: "w", input: schema, steps: [] }), { authorize });
    assert.equal((await serve(sent(ANN, "POST", "/runs", { n: 1 }))).status, 400);
  }
});

test("who is not known starts nothing, and who serves has to say who may", async () => {
  let runs = 0;
  const counting = new Workflow({ name: "w", steps: [{ name: "s", run: () => ({ runs: (runs += 1) }) }] });
  const serve = handler(counting, { authorize });
  for (const who of [undefined, "wrong", `${ANN}x`, ANN.slice(1)]) {
    const response = await serve(sent(who, "POST", "/runs"));
    assert.deepEqual([response.status, response.headers.get("www-authenticate"), (await response.json()).code], [401, "Bearer", "unauthorized"]);
  }
  assert.equal(runs, 0);
  assert.throws(() => handler(counting, {}), { code: "validation", message: "handler() does not say who may call" });
  assert.throws(() => handler(counting, { authorize, public: true }), { code: "validation", message: "handler() has both `authorize` and `public: true`" });
  assert.throws(() => bearer({}), { code: "validation", message: "bearer() has no tokens" });
  assert.throws(() => bearer({ ann: "short" }), { code: "validation", message: "the token `ann` of bearer() is shorter than 16 characters" });
  assert.throws(() => bearer({ ann: undefined }), { code: "validation", message: "the token `ann` of bearer() is missing" });
  assert.equal((await handler(counting, { public: true })(sent(undefined, "POST", "/runs"))).status, 200);
  assert.equal((await handler(counting, { public: true, store: memoryStore() })(sent(undefined, "GET", "/runs"))).status, 403, "and nobody lists the runs of all");
});

test("a failure is a problem that says its code and its step, and the whole of it goes to the log", async () => {
  const seen = [];
  const serve = handler(new Workflow({ name: "w", steps: [{ name: "charge", run: () => { throw new Error("the key sk-123 at db.internal"); } }] }), { authorize, onError: (error) => seen.push(error) });
  const response = await serve(sent(ANN, "POST", "/runs"));
  const text = await response.text();
  assert.equal(response.status, 500);
  assert.doesNotMatch(text, /sk-123|db\.internal/);
  const { code, step, runId } = JSON.parse(text);
  assert.deepEqual([code, step.name, typeof runId], ["handler", "charge", "string"]);
  assert.match(seen[0].message, /sk-123/);
});

test("bad calls are refused before anything runs", async () => {
  const serve = handler(doubling(), { authorize, maxBodyBytes: 100, path: "/api/flow" });
  const cases = [
    ["POST", "/api/flow/runs", "{", 400, "not_json"],
    ["POST", "/api/flow/runs", "[1]", 400, "validation"],
    ["POST", "/api/flow/runs", "{}", 400, "validation"],
    ["POST", "/api/flow/runs", { n: 1, pad: "x".repeat(200) }, 413, "too_large"],
    ["POST", "/runs", {}, 404, "not_found"],
    ["POST", "/api/flow/runs/", {}, 404, "not_found"],
    ["POST", "/api/flow/runs/a/b/c", {}, 404, "not_found"],
    ["GET", "/api/flow/runs/%ff", undefined, 404, "not_found"],
    ["PUT", "/api/flow/runs", {}, 405, "method_not_allowed"],
    ["POST", "/api/flow/health", {}, 405, "method_not_allowed"],
    ["GET", "/api/flow/runs", undefined, 501, "not_found"],
    ["GET", "/api/flow/runs/none", undefined, 404, "not_found"],
  ];
  for (const [method, path, body, status, code] of cases) {
    const response = await serve(sent(ANN, method, path, body));
    assert.deepEqual([response.status, (await response.json()).code], [status, code], `${method} ${path}`);
  }
});

/** Something that happens more than once and is waited for each time. */
const signals = () => {
  const [seen, waiting] = [[], []];
  return {
    next: () => (waiting.length > 0 ? waiting.shift()() : seen.push(1)),
    one: () => (seen.length > 0 ? Promise.resolve(seen.pop()) : new Promise((resolve) => waiting.push(resolve))),
  };
};

test("an input that does not fit is a bad call in every form, and starts no run", async () => {
  const store = memoryStore();
  for (const schema of [input, z.object({ n: z.number() })]) {
    const serve = handler(new Workflow({ name: "double", input: schema, steps: [{ name: "double", run: ({ n }) => ({ twice: 2 * n }) }] }), { authorize, store, onError: () => {} });
    for (const headers of [{}, { prefer: "respond-async" }, { accept: "text/event-stream" }, { accept: "text/event-stream; protocol=ui-message-stream" }]) {
      const key = { "idempotency-key": `of ${JSON.stringify(headers).length}`.replace(" ", "-") };
      const body = { n: "four", ...(headers.accept?.includes("ui-message") && { messages: [] }) };
      const response = await serve(sent(ANN, "POST", "/runs", body, { ...headers, ...key }));
      assert.deepEqual([response.status, response.headers.get("content-type")], [400, "application/problem+json"], JSON.stringify(headers));
      assert.match((await response.json()).detail, /the input of the workflow does not fit its schema/);
      assert.deepEqual((await (await serve(sent(ANN, "GET", "/runs"))).json()).runs, []);
    }
    // The key is free for a call that fits.
    const again = await serve(sent(ANN, "POST", "/runs", { n: 4 }, { "idempotency-key": `of-${JSON.stringify({}).length}` }));
    const { runId, status } = await again.json();
    assert.deepEqual([again.status, status], [200, "done"]);
    await store.delete(runId);
  }
});

test("a body that breaks off is a bad call, and nothing for the log", async () => {
  const reported = [];
  const serve = handler(doubling(), { authorize, onError: (error) => reported.push(error), files: formFiles() });
  for (const type of ["application/json", "multipart/form-data; boundary=x"]) {
    const body = new ReadableStream({ start: (controller) => (controller.enqueue(new TextEncoder().encode('{"n":')), controller.error(new Error("reset"))) });
    const response = await serve(new Request("https://flow.example/runs", { method: "POST", body, duplex: "half", headers: { authorization: `Bearer ${ANN}`, "content-type": type } }));
    assert.deepEqual([response.status, (await response.json()).detail], [400, "the body has broken off before its end"]);
  }
  assert.deepEqual(reported, []);
});

test("without a store, a caller who leaves cancels the run", async () => {
  const [begun, aborted] = [signals(), signals()];
  const wait = (_, { signal }) => new Promise((_, fail) => {
    signal.addEventListener("abort", () => {
      aborted.next();
      fail(signal.reason);
    });
    begun.next();
  });
  const serve = handler(new Workflow({ name: "slow", steps: [{ name: "wait", run: wait }] }), { authorize });
  const caller = new AbortController();
  const response = serve(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` }, signal: caller.signal }));
  await begun.one();
  caller.abort();
  await aborted.one();
  assert.equal((await (await response).json()).code, "cancelled");

  const stream = await serve(sent(ANN, "POST", "/runs", undefined, { accept: "text/event-stream" }));
  const reader = stream.body.getReader();
  await reader.read();
  await begun.one();
  await reader.cancel();
  await aborted.one();
});

test("with a store the run goes on, belongs to its principal, and is answered under its keys", async () => {
  const calls = [];
  const waiting = [];
  const store = memoryStore();
  const serve = handler(asking(calls), { authorize, store, onSuspended: (result, principal) => waiting.push([result.runId, principal]) });
  const started = await serve(sent(ANN, "POST", "/runs", { n: 12 }));
  assert.equal(started.status, 202);
  const { runId, status, pending } = await started.json();
  assert.deepEqual([status, pending[0].message, started.headers.get("location")], ["suspended", "Pay 12?", `/runs/${runId}`]);
  assert.match(runId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(waiting, [[runId, "ann"]]);

  assert.equal((await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json()).status, "suspended");
  assert.deepEqual((await (await serve(sent(ANN, "GET", "/runs?status=suspended"))).json()).runs.map(({ runId }) => runId), [runId]);
  for (const [method, path, body] of [["GET", ""], ["GET", "/events"], ["DELETE", ""], ["POST", "/answers", { boss: true }]]) {
    assert.equal((await serve(sent(BOB, method, `/runs/${runId}${path}`, body))).status, 404, `${method} ${path} of somebody else`);
  }
  assert.deepEqual((await (await serve(sent(BOB, "GET", "/runs"))).json()).runs, []);

  const other = await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { chef: true }));
  assert.deepEqual([other.status, (await other.json()).hint], [400, "send { key: answer } with `boss`"]);
  const done = await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: { approved: true } }));
  assert.deepEqual([done.status, (await done.json()).state.paid], [200, true]);
  assert.deepEqual(calls, ["reserve", "pay"]);
  const late = await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: { approved: true } }));
  assert.deepEqual([late.status, (await late.json()).hint], [409, "its status is done"]);
  assert.deepEqual(calls, ["reserve", "pay"]);
  const shown = await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json();
  assert.deepEqual([shown.status, shown.state], ["done", { n: 12, reserved: true, boss_output: { approved: true }, paid: true }]);
  assert.deepEqual(calls, ["reserve", "pay"], "looking at a run calls nothing");
});

test("who may answer is decided apart from who may start", async () => {
  const store = memoryStore();
  const serve = handler(asking(), { authorize, store, mayAnswer: (principal, { principal: owner, pending }) => principal === "bob" && owner === "ann" && pending.length === 1 });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  const refused = await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: true }));
  assert.deepEqual([refused.status, (await refused.json()).detail], [403, "somebody else answers this"], "the run is known to be theirs");
  assert.equal((await serve(sent(BOB, "POST", `/runs/${runId}/answers`, { boss: true }))).status, 200);
  assert.equal((await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json()).status, "done", "it stays its owner's");
});

test("of several workflows over one store each has its own runs, listed, shown and answered nowhere else", async () => {
  const [store, links] = [memoryStore(), approvalLinks({ secrets: ["a-secret-of-more-than-32-characters-0123"], url: "https://flow.example" })];
  const linked = [];
  const document = (name) => Workflow.fromDocument({ version: 1, name, steps: [{ id: "boss", name: "boss", type: "approval", message: "Pay?" }] });
  const pay = handler(document("pay"), { authorize, store, links, mayAnswer: (principal) => principal === "bob", onSuspended: async (_, __, link) => linked.push(await link("boss", true)) });
  const chat = handler(document("chat"), { authorize, store, links });
  const { runId } = await (await pay(sent(ANN, "POST", "/runs"))).json();
  for (const [method, path, body] of [["GET", ""], ["GET", "/events"], ["POST", "/answers", { boss: true }], ["DELETE", ""]]) {
    const response = await chat(sent(ANN, method, `/runs/${runId}${path}`, body));
    assert.deepEqual([response.status, (await response.json()).detail], [404, `there is no run "${runId}"`], `${method} ${path}`);
  }
  while (linked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal((await chat(new Request(linked[0]))).status, 404);
  const own = (await (await chat(sent(ANN, "POST", "/runs"))).json()).runId;
  const listed = async (serve, query = "") => (await (await serve(sent(ANN, "GET", `/runs${query}`))).json()).runs.map(({ runId }) => runId);
  assert.deepEqual([await listed(pay), await listed(chat), await listed(chat, "?limit=1")], [[runId], [own], [own]]);
  // The same workflow once more, as the next deploy has it.
  assert.equal((await handler(document("pay"), { authorize, store, links })(new Request(linked[0], { method: "POST" }))).status, 200);
});

test("an idempotency key counts for its workflow, and one of an earlier version is still known", async () => {
  const store = memoryStore();
  const named = (name) => new Workflow({ name, steps: [{ name, run: () => ({ [name]: true }) }] });
  const stateOf = async (name) => (await (await handler(named(name), { authorize, store })(sent(ANN, "POST", "/runs", undefined, { "idempotency-key": "order-17" }))).json()).state;
  // Under this id a version kept it for which a key counted for its principal alone.
  const id = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from('["ann","order-17"]'))).toString("hex").slice(0, 32);
  await named("early").run({ journal: id, store, owner: "ann" });
  for (const name of ["early", "pay", "ship", "pay"]) assert.deepEqual(await stateOf(name), { [name]: true });
  assert.equal((await store.list()).runs.filter(({ owner }) => owner === "ann").length, 3);
});

test("the events of a run are read again from any number on, each with the number that it had", async () => {
  const store = memoryStore();
  const serve = handler(asking(), { authorize, store });
  const text = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }, { accept: "text/event-stream" }))).text();
  const [first, ids] = [eventsIn(text), idsIn(text)];
  const { runId } = first[0];
  const again = await eventsOf(await serve(sent(ANN, "GET", `/runs/${runId}/events`)));
  assert.deepEqual(untimed(again), untimed(first));
  const empty = await eventsOf(await serve(sent(ANN, "GET", `/runs/${runId}/events`, undefined, { "last-event-id": "" })));
  assert.deepEqual(untimed(empty), untimed(first), "an empty number is none");
  const after = first[2].seq;
  const rest = await eventsOf(await serve(sent(ANN, "GET", `/runs/${runId}/events`, undefined, { "last-event-id": ids[2] })));
  assert.deepEqual(untimed(rest), untimed(first.filter(({ seq }) => seq > after)));
  assert.equal((await serve(sent(ANN, "GET", `/runs/${runId}/events`, undefined, { "last-event-id": "x" }))).status, 400);
});

test("a live run is followed from any number on, and goes on when its readers leave", async () => {
  const store = memoryStore();
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const slow = new Workflow({ name: "slow", steps: [{ name: "first", run: () => ({ a: 1 }) }, { name: "second", run: () => gate.then(() => ({ b: 2 })) }] });
  const serve = handler(slow, { authorize, store });
  const kept = [];
  const started = await serve(sent(ANN, "POST", "/runs", undefined, { prefer: "respond-async" }), {}, { waitUntil: (promise) => kept.push(promise) });
  assert.deepEqual([started.status, started.headers.get("preference-applied"), kept.length], [202, "respond-async", 1]);
  const { runId } = await started.json();
  const reader = (await serve(sent(ANN, "GET", `/runs/${runId}/events`))).body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  const [second] = idsIn((await reader.read()).value);
  await reader.cancel();
  const rest = eventsOf(await serve(sent(ANN, "GET", `/runs/${runId}/events`, undefined, { "last-event-id": second })));
  release();
  const events = await rest;
  assert.equal(events.at(-1).type, "run.done");
  assert.ok(events.every(({ seq }) => seq > 1));
  await kept[0];
  assert.deepEqual((await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json()).state, { a: 1, b: 2 });
});

test("a caller's wish and numbers are taken as they are written, and not as something like them", async () => {
  const serve = handler(doubling(), { authorize, store: memoryStore() });
  const begun = async (prefer) => (await serve(sent(ANN, "POST", "/runs", { n: 2 }, { prefer }))).status;
  assert.deepEqual([await begun("wait=10, Respond-Async; foo=1"), await begun("not-respond-async"), await begun('x="respond-async"')], [202, 200, 200]);
  const listed = async (limit) => (await serve(sent(ANN, "GET", `/runs?limit=${limit}`))).status;
  assert.deepEqual([await listed("5"), await listed("0x10"), await listed("1e2"), await listed("%205"), await listed("")], [200, 400, 400, 400, 400]);
  const { runId } = await (await serve(sent(ANN, "POST", "/runs", { n: 2 }))).json();
  const followed = async (id) => (await serve(sent(ANN, "GET", `/runs/${runId}/events`, undefined, { "last-event-id": id }))).status;
  assert.deepEqual([await followed("1"), await followed("0x1"), await followed("")], [200, 400, 200]);
});

test("DELETE cancels a run that goes on, and one that waits", async () => {
  const store = memoryStore();
  const slow = new Workflow({ name: "slow", steps: [{ name: "s", run: (_, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))) }] });
  const busy = handler(slow, { authorize, store });
  const { runId } = await (await busy(sent(ANN, "POST", "/runs", undefined, { prefer: "respond-async" }))).json();
  assert.equal((await busy(sent(ANN, "DELETE", `/runs/${runId}`))).status, 204);
  assert.equal((await (await busy(sent(ANN, "GET", `/runs/${runId}`))).json()).code, "cancelled");
  assert.equal((await busy(sent(ANN, "DELETE", `/runs/${runId}`))).status, 409);

  const serve = handler(asking(), { authorize, store });
  const waits = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  assert.equal((await serve(sent(ANN, "DELETE", `/runs/${waits.runId}`))).status, 204);
  assert.equal((await serve(sent(ANN, "POST", `/runs/${waits.runId}/answers`, { boss: true }))).status, 409);
  const shown = await (await serve(sent(ANN, "GET", `/runs/${waits.runId}`))).json();
  assert.deepEqual([shown.status, shown.code, shown.runId], [409, "cancelled", waits.runId]);
});

test("the same idempotency key of the same principal is the same run", async () => {
  const calls = [];
  const store = memoryStore();
  const serve = handler(new Workflow({ name: "w", input, steps: [{ name: "s", run: ({ n }) => (calls.push(n), { paid: n }) }] }), { authorize, store });
  const pay = (who, n, key) => serve(sent(who, "POST", "/runs", { n }, { "idempotency-key": key })).then((response) => response.json());
  const [one, two] = await Promise.all([pay(ANN, 1, "order-1"), pay(ANN, 1, "order-1")]);
  const three = await pay(ANN, 1, "order-1");
  assert.deepEqual([two.runId, three.runId, three.state.paid], [one.runId, one.runId, 1]);
  assert.deepEqual(calls, [1]);
  assert.notEqual((await pay(BOB, 2, "order-1")).runId, one.runId);
  assert.deepEqual(calls, [1, 2]);
  assert.equal((await pay(ANN, 1, " ")).code, "validation");
  const without = handler(doubling(), { authorize });
  assert.match((await (await without(sent(ANN, "POST", "/runs", { n: 1 }, { "idempotency-key": "a" }))).json()).detail, /need a store/);
});

test("a repeated call with an idempotency key has the stream that it accepts, also of a run that is over", async () => {
  const store = memoryStore();
  const serve = handler(new Workflow({ name: "w", steps: [{ name: "s", run: () => ({ a: 1 }) }, { name: "b", type: "approval", message: "?" }] }), { authorize, store });
  const repeated = async (protocol, body) => {
    const post = () => serve(sent(ANN, "POST", "/runs", body, { "idempotency-key": protocol, accept: `text/event-stream; protocol=${protocol}` }));
    const [first, second] = [await post(), await post()];
    assert.deepEqual([second.status, second.headers.get("content-type")], [200, first.headers.get("content-type")]);
    return [await first.text(), await second.text()].map((text) => text.replaceAll(/"(?:at|durationMs|startedAt|timestamp)":\d+/g, ""));
  };
  for (const [protocol, body] of [["events", {}], ["ui-message-stream", { messages: [] }], ["ag-ui", { threadId: "t", runId: "r", messages: [] }]]) {
    const [first, second] = await repeated(protocol, body);
    assert.equal(second, first, protocol);
  }
});

test("a repeated call with an idempotency key whose run another instance drives has what GET has there", async () => {
  const store = memoryStore();
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const [one, two] = [1, 2].map(() => handler(new Workflow({ name: "w", steps: [{ name: "s", run: () => gate.then(() => ({})) }] }), { authorize, store }));
  const post = (serve, headers) => serve(sent(ANN, "POST", "/runs", undefined, { "idempotency-key": "k", ...headers }));
  const { runId } = await (await post(one, { prefer: "respond-async" })).json();
  for (let found; found === undefined; ) [found] = (await store.list({ status: "running" })).runs;
  const [streamed, followed] = [await post(two, { accept: "text/event-stream" }), await two(sent(ANN, "GET", `/runs/${runId}/events`))];
  assert.deepEqual([streamed.status, await streamed.json()], [followed.status, await followed.json()]);
  const [posted, shown] = [await post(two), await two(sent(ANN, "GET", `/runs/${runId}`))];
  assert.deepEqual([posted.status, await posted.json()], [shown.status, await shown.json()]);
  const hurried = await post(two, { prefer: "respond-async" });
  assert.deepEqual([hurried.status, hurried.headers.get("location"), hurried.headers.get("preference-applied")], [202, `/runs/${runId}`, "respond-async"]);
  release();
});

test("a run that goes on is shown as that in every instance", async () => {
  const store = memoryStore();
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const instances = [1, 2].map(() => handler(new Workflow({ name: "w", steps: [{ name: "s", run: () => gate.then(() => ({})) }] }), { authorize, store }));
  const { runId } = await (await instances[0](sent(ANN, "POST", "/runs", undefined, { prefer: "respond-async" }))).json();
  while ((await store.list({ status: "running" })).runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  for (const serve of instances) {
    const shown = await serve(sent(ANN, "GET", `/runs/${runId}`));
    assert.deepEqual([shown.status, (await shown.json()).status], [202, "running"]);
  }
  release();
});

test("two instances with one store answer a run once", async () => {
  const calls = [];
  const store = memoryStore();
  const [one, two] = [handler(asking(calls), { authorize, store }), handler(asking(calls), { authorize, store })];
  const { runId } = await (await one(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  const answers = await Promise.all([one, two].map((serve) => serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: true }))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.deepEqual(calls, ["reserve", "pay"]);
});

const storeFailures = {
  "a file that was changed": async () => { throw new StepweaveError("validation", "/srv/journals/a.jsonl, line 2, is not what was written there", { hint: "put back /srv/journals/a.jsonl" }); },
  "a folder that cannot be read": async () => { throw new Error("EACCES: /srv/journals"); },
  "data that is no journal": async () => ({ version: 2, id: "/srv/journals/a", entries: [{ key: "/srv" }] }),
};

for (const [name, fail] of Object.entries(storeFailures)) {
  test(`${name} is no fault of who calls, who reads nothing of it`, async () => {
    const kept = memoryStore();
    const links = approvalLinks({ secrets: ["what-only-this-server-knows-0123456789"], url: "https://flow.example" });
    const mails = [];
    const begun = handler(asking(), { authorize, store: kept, links, onSuspended: async (_, __, link) => void mails.push(await link("boss", true)) });
    const { runId } = await (await begun(sent(ANN, "POST", "/runs", { n: 1 }))).json();
    while (mails.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const errors = [];
    const serve = handler(asking(), { authorize, store: { ...kept, load: fail, list: async () => { await fail(); throw new Error("/srv/journals"); } }, links, onError: (error) => errors.push(error) });
    const calls = [["GET", `/runs/${runId}`], ["GET", "/runs"], ["GET", `/runs/${runId}/events`], ["POST", `/runs/${runId}/answers`, { boss: true }], ["DELETE", `/runs/${runId}`], ["GET", new URL(mails[0]).pathname], ["POST", new URL(mails[0]).pathname]];
    for (const [method, path, body] of calls) {
      const response = await serve(sent(ANN, method, path, body));
      assert.equal(response.status, 500, `${method} ${path}`);
      assert.doesNotMatch(await response.text(), /srv/);
      assert.match(errors.pop()?.message ?? "", /^the store has failed: ./, `${method} ${path}`);
    }
    assert.equal((await serve(sent(BOB, "DELETE", `/runs/${runId}`))).status, 500);
    assert.equal((await kept.load(runId)).entries.at(-1).ok.status, "suspended");
  });
}

test("a run that cannot be cancelled since its store does not write is no fault of who calls", async () => {
  const kept = memoryStore();
  const { runId } = await (await handler(asking(), { authorize, store: kept })(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  const errors = [];
  const serve = handler(asking(), { authorize, store: { ...kept, append: async () => { throw new StepweaveError("validation", "/srv is full"); } }, onError: ({ message }) => errors.push(message) });
  const response = await serve(sent(ANN, "DELETE", `/runs/${runId}`));
  assert.deepEqual([response.status, (await response.json()).detail, errors], [500, "the workflow failed", ["the store has failed: /srv is full"]]);
});

/** A store that takes a moment, as one behind a network does. */
const slowly = (store) => ({ ...store, append: async (...batch) => { await new Promise((resolve) => setTimeout(resolve, 10)); return store.append(...batch); } });
test("an `authorize` that knows nobody says so by undefined, null or false; what is neither that nor a text is the server's fault", async () => {
  const wholes = { handler: (authorize, onError) => handler(doubling(), { authorize, onError }), mcpServer: (authorize, onError) => mcpServer(doubling(), { authorize, onError, keys: [{ id: "a", key: new Uint8Array(32) }] }) };
  for (const [name, make] of Object.entries(wholes)) {
    for (const [given, status] of [[undefined, 401], [null, 401], [false, 401], [Promise.resolve(null), 401], ["", 500], [0, 500], [true, 500], [{}, 500]]) {
      const errors = [];
      const response = await make(() => given, (error) => errors.push(error.message))(sent(undefined, "POST", "/runs", { n: 1 }));
      assert.equal(response.status, status, `${name}: ${JSON.stringify(given)}`);
      assert.deepEqual(errors, status === 401 ? [] : [`\`authorize\` of ${name}() gave neither a text nor undefined`]);
    }
  }
});

const FASTER = "another request has answered, cancelled or resumed the run at the same time: see how it stands now";
const ANSWERED = "this has been answered already, or nobody waits for it any more";

for (const accept of ["application/json", "text/event-stream", "text/event-stream; protocol=ui-message-stream", "text/event-stream; protocol=ag-ui"]) {
  test(`of two answers at the same time the second is told so, and nobody's log is: ${accept}`, async () => {
    const [store, errors] = [slowly(memoryStore()), []];
    const [one, two] = [1, 2].map(() => handler(asking(), { authorize, store, onError: (error) => errors.push(error) }));
    const { runId } = await (await one(sent(ANN, "POST", "/runs", { n: 1 }))).json();
    const answers = await Promise.all([one, two].map((serve) => serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: true }, { accept }))));
    const [won, lost] = answers.sort((a, b) => a.status - b.status);
    assert.deepEqual([won.status, lost.status, lost.headers.get("content-type")], [200, 409, "application/problem+json"]);
    const { code, detail } = await lost.json();
    assert.deepEqual([code, detail, lost.headers.get("retry-after")], ["conflict", ANSWERED, null]);
    await won.text();
    assert.deepEqual(errors, []);
  });
}

test("of an answer and a DELETE at the same time the second is told so", async () => {
  const [store, errors] = [slowly(memoryStore()), []];
  const serve = handler(asking(), { authorize, store, onError: (error) => errors.push(error) });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  const responses = await Promise.all([["DELETE", ""], ["POST", "/answers", { boss: true }]].map(([method, path, body]) => handler(asking(), { authorize, store, onError: (error) => errors.push(error) })(sent(ANN, method, `/runs/${runId}${path}`, body))));
  const lost = responses.find(({ status }) => status === 409);
  assert.ok([FASTER, ANSWERED].includes((await lost.json()).detail));
  assert.deepEqual([responses.filter((response) => response !== lost).length, errors], [1, []]);
});

test("no more runs go on at once than may", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const serve = handler(new Workflow({ name: "w", steps: [{ name: "s", run: () => gate.then(() => ({})) }] }), { public: true, maxRuns: 2 });
  // Who calls is known at once, so that the first two are the first.
  const first = [serve(sent(ANN, "POST", "/runs")), serve(sent(ANN, "POST", "/runs"))];
  const third = await serve(sent(ANN, "POST", "/runs"));
  assert.deepEqual([third.status, third.headers.get("retry-after"), (await third.json()).code], [503, "1", "busy"]);
  release();
  assert.deepEqual((await Promise.all(first)).map(({ status }) => status), [200, 200]);
  assert.equal((await serve(sent(ANN, "POST", "/runs"))).status, 200);
});

test("pages of listed origins may call, others may not, nor may other names of the host", async () => {
  const serve = handler(doubling(), { authorize, origins: ["https://app.example"], hosts: ["flow.example"] });
  const from = (origin) => serve(sent(ANN, "POST", "/runs", { n: 1 }, { origin }));
  const allowed = await from("https://app.example");
  assert.deepEqual([allowed.status, allowed.headers.get("access-control-allow-origin"), allowed.headers.get("vary")], [200, "https://app.example", "origin"]);
  assert.equal((await from("https://flow.example")).status, 200);
  assert.deepEqual([(await from("https://evil.example")).status, (await from("null")).status], [403, 403]);
  const failure = await serve(sent(undefined, "POST", "/runs", { n: 1 }, { origin: "https://app.example" }));
  assert.deepEqual([failure.status, failure.headers.get("access-control-allow-origin")], [401, "https://app.example"]);
  const preflight = await serve(sent(undefined, "OPTIONS", "/runs", undefined, { origin: "https://app.example", "access-control-request-method": "POST" }));
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-methods")], [204, "GET, POST, DELETE"]);
  const rebound = await serve(new Request("http://evil.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` } }));
  assert.equal(rebound.status, 421);
});

test("a run gets what its server decides, and nothing of that from its caller", async () => {
  const seen = [];
  const serve = handler(new Workflow({ name: "w", steps: [{ name: "s", run: (_, { dependencies, userId }) => (seen.push([dependencies.db, userId]), {}) }] }), {
    authorize,
    run: (principal, request) => ({ userId: principal, dependencies: { db: new URL(request.url).pathname } }),
  });
  assert.equal((await serve(sent(ANN, "POST", "/runs"))).status, 200);
  assert.deepEqual(seen, [["/runs", "ann"]]);
});

test("the principal is the user of its runs, whoever answers them, unless `run` says otherwise", async () => {
  const seen = [];
  const see = { name: "see", run: (_, { userId }) => (seen.push(userId), {}) };
  const asking = new Workflow({ name: "w", steps: [{ name: "boss", type: "approval" }, see] });
  const serve = handler(asking, { authorize, store: memoryStore(), mayAnswer: (who) => who === "bob" });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs"))).json();
  assert.equal((await serve(sent(BOB, "POST", `/runs/${runId}/answers`, { boss: true }))).status, 200);
  const plain = new Workflow({ name: "w", steps: [see] });
  for (const options of [{ authorize, run: { limits: { maxSteps: 9 } } }, { authorize, run: { userId: "u" } }, { authorize, run: (principal) => ({ userId: `${principal}@example` }) }, { authorize, run: { userId: undefined } }, { public: true }]) {
    assert.equal((await handler(plain, options)(sent(ANN, "POST", "/runs"))).status, 200);
  }
  assert.deepEqual(seen, ["ann", "ann", "u", "ann@example", "ann", undefined]);
});

test("without `onError` a fault of the caller's is one line, and one of the workflow's the whole error", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  const workflow = new Workflow({ name: "w", input, steps: [{ name: "s", run: () => { throw new Error("inner"); } }] });
  const serve = handler(workflow, { public: true, store: memoryStore() });
  assert.equal((await serve(sent(undefined, "POST", "/runs", { n: "x" }))).status, 400);
  assert.deepEqual(said.mock.calls.map((call) => typeof call.arguments[0]), ["string"]);
  assert.match(said.mock.calls[0].arguments[0], /^stepweave: validation: the input of the workflow does not fit its schema: `n` must be a number[^\n]*$/);
  assert.equal((await serve(sent(undefined, "POST", "/runs", { n: 1 }))).status, 500);
  assert.equal(said.mock.calls[1].arguments[0].message, "inner");
});

test("a description of the addresses and the health need no token", async () => {
  const serve = handler(doubling(), { authorize, path: "/flow" });
  assert.deepEqual(await (await serve(sent(undefined, "GET", "/flow/health"))).json(), { status: "ok" });
  const description = await (await serve(sent(undefined, "GET", "/flow/openapi.json"))).json();
  assert.equal(description.openapi, "3.1.0");
  assert.deepEqual(description.paths["/flow/runs"].post.requestBody.content["application/json"].schema, { ...input, additionalProperties: false });
  assert.deepEqual(Object.keys(description.paths), ["/flow/runs", "/flow/runs/{id}", "/flow/runs/{id}/events", "/flow/runs/{id}/answers"]);
});

test("options that are none are refused when the handler is made", () => {
  const cases = [
    [{ authorize: true }, "the option `authorize` of handler() is true"],
    [{ authorize, path: "flow/" }, 'the option `path` of handler() is "flow/"'],
    [{ authorize, store: {} }, "the option `store` of handler() is {}"],
    [{ authorize, maxRuns: 0 }, "the option `maxRuns` of handler() is 0"],
    [{ authorize, origins: "https://a.example" }, 'the option `origins` of handler() is "https://a.example"'],
    [{ authorize, stream: "morse" }, 'the option `stream` of handler() is "morse"'],
    [{ authorise: authorize }, "handler() has no option `authorise`"],
  ];
  for (const [options, message] of cases) assert.throws(() => handler(doubling(), options), { code: "validation", message });
  assert.throws(() => handler({}, { authorize }), { code: "validation", message: "handler() needs a workflow" });
});

/** The data of the frames of a stream. */
const framesOf = async (response) => (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice(6));

test("a body that is no RunAgentInput is told what is wrong with it alone", async () => {
  const serve = handler(doubling(), { authorize });
  const detail = async (body) => (await (await serve(sent(ANN, "POST", "/runs", body, { accept: "text/event-stream; protocol=ag-ui" }))).json()).detail;
  const begins = "the body is no RunAgentInput of AG-UI: ";
  assert.equal(await detail({ threadId: "t", runId: "r", messages: "hi" }), `${begins}\`messages\` has to be a list`);
  assert.equal(await detail({ threadId: "", runId: 5, messages: [] }), `${begins}\`threadId\` has to be a text of 1 to 500 characters, \`runId\` has to be a text of 1 to 500 characters`);
});

test("a stream comes in the protocol that Accept names, and what no protocol is gets 406", async () => {
  const serve = handler(doubling(), { authorize, stream: "ui-message-stream" });
  const types = async (accept, body = { n: 4 }) => {
    const response = await serve(sent(ANN, "POST", "/runs", body, { accept }));
    const frames = await framesOf(response);
    return [response.headers.get("x-vercel-ai-ui-message-stream"), ...frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame).type)];
  };
  assert.deepEqual(await types("text/event-stream"), ["v1", "start", "data-step", "data-step", "finish"]);
  assert.deepEqual(await types('application/json, Text/Event-Stream; q=0.9; Protocol="ui-message-stream"'), ["v1", "start", "data-step", "data-step", "finish"]);
  const agUi = [null, "RUN_STARTED", "STEP_STARTED", "STEP_FINISHED", "STATE_SNAPSHOT", "RUN_FINISHED"];
  const input = { threadId: "t", runId: "r", messages: [], state: { n: 4, other: 1 } };
  assert.deepEqual(await types("text/event-stream;protocol=ag-ui", input), agUi);
  assert.deepEqual(await types("text/event-stream;protocol=ag-ui, text/event-stream", input), agUi, "as a client sends it that adds its own");
  const plain = await serve(sent(ANN, "POST", "/runs", { n: 4 }, { accept: "text/event-stream; protocol=events" }));
  assert.deepEqual((await eventsOf(plain)).map(({ type }) => type), ["run.start", "step.start", "step.done", "run.done"]);
  assert.equal((await (await serve(sent(ANN, "POST", "/runs", { n: 4 }))).json()).state.twice, 8, "who accepts no stream gets JSON");
  const other = await serve(sent(ANN, "POST", "/runs", { n: 4 }, { accept: "text/event-stream; protocol=morse" }));
  assert.deepEqual([other.status, (await other.json()).hint], [406, "use events, ui-message-stream, ag-ui, or none"]);
});

const failing = {
  "a tool failed": () => [{ name: "a", agent: new Agent({ name: "g", model: scriptedModel([[{ type: "toolCall", name: "bad", input: {} }], "Well."]), tools: [tool({ name: "bad", execute: () => { throw new Error("inner"); } })] }) }],
  "the run took too long": () => [{ name: "a", run: () => new Promise((resolve) => setTimeout(resolve, 200)), timeoutMs: 5 }],
  "the run met a bound of the workflow or of its model": () => [{ name: "a", run: () => ({}) }, { name: "b", run: () => ({}) }],
  "the workflow failed": () => [{ name: "a", run: () => { throw new Error("inner"); } }],
};

for (const [message, steps] of Object.entries(failing)) {
  test(`each protocol says of a failure: ${message}`, async () => {
    for (const [protocol, body] of [["events", {}], ["ui-message-stream", { messages: [] }], ["ag-ui", { threadId: "t", runId: "r", messages: [] }]]) {
      const serve = handler(new Workflow({ name: "w", steps: steps() }), { authorize, onError: () => {}, run: { limits: { maxSteps: 1 } } });
      const text = await (await serve(sent(ANN, "POST", "/runs", body, { accept: `text/event-stream; protocol=${protocol}` }))).text();
      const said = new Set([...text.matchAll(/"(?:errorText|message)":"([^"]+)"/g)].map(([, said]) => said));
      assert.deepEqual([...said], [message], protocol);
    }
  });
}

test("each protocol says of an answer why it does not fit", async () => {
  const serve = handler(new Workflow({ name: "w", steps: [{ name: "b", type: "approval", message: "?", schema: { type: "object" } }] }), { authorize, store: memoryStore(), onError: () => {} });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs"))).json();
  for (const protocol of ["events", "ui-message-stream", "ag-ui"]) {
    const text = await (await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { b: 5 }, { accept: `text/event-stream; protocol=${protocol}` }))).text();
    assert.match(text, /"(?:errorText|message)":"the answer to `b` does not fit its schema: it must be an object, but is 5"/, protocol);
    assert.doesNotMatch(text, /the workflow failed/, protocol);
  }
});

test("what a client of a protocol says about runs of others is no more than what it says elsewhere", async () => {
  const store = memoryStore();
  const serve = handler(asking(), { authorize, store });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  const chat = (metadata, id = "boss") => ({ id: "c", trigger: "submit-message", messages: [{ id: "m", role: "assistant", metadata, parts: [{ type: "tool-pay", toolCallId: id, state: "approval-responded", approval: { id, approved: true } }] }] });
  const thread = (...resume) => ({ threadId: "t", runId: "r", messages: [], resume });
  const entry = (interruptId, status = "resolved") => ({ interruptId, status, payload: { approved: true } });
  const cases = [
    [BOB, "ui-message-stream", chat({ runId }), 404],
    [ANN, "ui-message-stream", chat({ runId }, "chef"), 400],
    [ANN, "ui-message-stream", chat({ runId: "../other" }), 404],
    [ANN, "ui-message-stream", { messages: [null] }, 400],
    [ANN, "ui-message-stream", { n: 1, secretly: 2 }, 400],
    [BOB, "ag-ui", thread(entry(`${runId}/boss`)), 404],
    [ANN, "ag-ui", thread(entry(`${runId}/chef`)), 400],
    [ANN, "ag-ui", thread(entry("boss")), 400],
    [ANN, "ag-ui", thread(entry("%ff/boss")), 400],
    [ANN, "ag-ui", thread(null), 400],
    [ANN, "ag-ui", { ...thread(), resume: "x" }, 400],
    [ANN, "ag-ui", { ...thread(), resume: entry(`${runId}/boss`) }, 400],
    [ANN, "ag-ui", thread(entry(`${runId}/boss`, "maybe")), 400],
    [ANN, "ag-ui", thread(entry(`${runId}/boss`), entry("other/boss")), 400],
    [ANN, "ag-ui", { n: 1 }, 400],
    [ANN, "ag-ui", { threadId: "t", runId: "r", messages: [null, { role: "user", content: [null] }], state: [1], forwardedProps: { n: 1 } }, 200],
  ];
  for (const [who, protocol, body, status] of cases) {
    const response = await serve(sent(who, "POST", "/runs", body, { accept: `text/event-stream; protocol=${protocol}` }));
    assert.equal(response.status, status, `${protocol} ${JSON.stringify(body)}: ${await response.text()}`);
  }
  assert.equal((await (await serve(sent(ANN, "GET", `/runs/${runId}`))).json()).status, "suspended");
  const done = await serve(sent(ANN, "POST", "/runs", thread(entry(`${runId}/boss`)), { accept: "text/event-stream; protocol=ag-ui" }));
  const events = (await framesOf(done)).map((frame) => JSON.parse(frame));
  assert.deepEqual([events[0].type, events.at(-1).type, events.at(-1).outcome.type, events.at(-1).result.runId], ["RUN_STARTED", "RUN_FINISHED", "success", runId]);
});

test("the page about HTTP shows what its program prints", () => assertPrograms(page("docs/http.md")));

test("HEAD is answered as GET is, without a body", async () => {
  const serve = handler(asking(), { authorize, store: memoryStore() });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs", { n: 1 }))).json();
  for (const path of ["/health", "/openapi.json", "/runs", `/runs/${runId}`, `/runs/${runId}/events`, "/runs/none"]) {
    const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => serve(sent(ANN, method, path))));
    assert.deepEqual([head.status, [...head.headers], await head.text()], [get.status, [...get.headers], ""], path);
    await get.body.cancel();
  }
  assert.equal((await serve(sent(ANN, "HEAD", `/runs/${runId}/answers`))).status, 405);
});

test("a stream that is not acceptable is not given", async () => {
  const serve = handler(doubling(), { authorize });
  for (const accept of ["text/event-stream;q=0", "text/event-stream; q=0.0, application/json", "text/event-stream; protocol=nonsense; Q=0.000"]) {
    const response = await serve(sent(ANN, "POST", "/runs", { n: 1 }, { accept }));
    assert.match(response.headers.get("content-type"), /^application\/json/, accept);
  }
  const response = await serve(sent(ANN, "POST", "/runs", { n: 1 }, { accept: "text/event-stream;q=0.5" }));
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
});

test("people are asked once about each approval, however often the run comes to a stop", async () => {
  const asked = [];
  const both = { name: "both", parallel: ["boss", "chief"].map((name) => ({ name, type: "approval", message: `${name}?` })) };
  const workflow = new Workflow({ name: "w", steps: [both, { name: "last", type: "approval", message: "last?" }] });
  const serve = handler(workflow, { authorize, store: memoryStore(), onSuspended: ({ pending }) => asked.push(pending.map(({ key }) => key)) });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs"))).json();
  for (const key of ["both.boss", "both.chief", "last"]) await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { [key]: true }));
  assert.deepEqual(asked, [["both.boss", "both.chief"], ["last"]]);
});

test("whoever answers too late is told that the answer was ignored", async () => {
  const boss = { name: "boss", type: "approval", message: "?", expiresMs: 1, expired: [{ name: "late", run: () => ({ late: true }) }] };
  const serve = handler(new Workflow({ name: "w", steps: [boss] }), { authorize, store: memoryStore() });
  const { runId } = await (await serve(sent(ANN, "POST", "/runs"))).json();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const answered = await (await serve(sent(ANN, "POST", `/runs/${runId}/answers`, { boss: { approved: true } }))).json();
  assert.deepEqual([answered.status, answered.state, answered.ignored], ["done", { boss_output: null, late: true }, ["boss"]]);
  const timely = new Workflow({ name: "w", steps: [{ ...boss, expiresMs: 60_000 }] });
  const other = handler(timely, { authorize, store: memoryStore() });
  const begun = await (await other(sent(ANN, "POST", "/runs"))).json();
  assert.equal((await (await other(sent(ANN, "POST", `/runs/${begun.runId}/answers`, { boss: { approved: true } }))).json()).ignored, undefined);
});

test("messages of a chat that are no list are refused", async () => {
  const serve = handler(doubling(), { authorize, stream: "ui-message-stream" });
  for (const messages of ["x", {}, null, 7]) {
    const response = await serve(sent(ANN, "POST", "/runs", { n: 1, messages }, { accept: "text/event-stream" }));
    assert.deepEqual([response.status, (await response.json()).detail], [400, "`messages` of a chat is no list"], JSON.stringify(messages));
  }
});

test("whoever misses the address is told the whole of it", async () => {
  const serve = handler(doubling(), { public: true, path: "/api/bot" });
  for (const path of ["/runs", "/api/bot/nothing", "/api/bot/%ff"]) {
    assert.equal((await (await serve(sent(undefined, "POST", path, {}))).json()).hint, "POST to /api/bot/runs; /api/bot/openapi.json describes the rest");
  }
});

for (const [kind, place] of Object.entries(places)) {
  test(`a cursor leads to the caller's next page, and any other text is a 400: ${kind}`, async () => {
    const { open, remove } = await place();
    try {
      const errors = [];
      const serve = handler(doubling(), { authorize, store: open(), onError: (error) => errors.push(error) });
      for (const n of [1, 2, 3]) await serve(sent(ANN, "POST", "/runs", { n }));
      await serve(sent(BOB, "POST", "/runs", { n: 1 }));
      const found = [];
      let cursor;
      do {
        const page = await (await serve(sent(ANN, "GET", `/runs?limit=1${cursor === undefined ? "" : `&cursor=${cursor}`}`))).json();
        found.push(...page.runs.map(({ runId }) => runId));
        cursor = page.cursor;
      } while (cursor !== undefined);
      assert.equal(new Set(found).size, 3);
      for (const wrong of ["garbage", "", "..%2F..%2Fetc%2Fpasswd", found[0]]) {
        const response = await serve(sent(ANN, "GET", `/runs?cursor=${wrong}`));
        const { code, detail, hint } = await response.json();
        assert.deepEqual([response.status, code, hint], [400, "validation", "pass the `cursor` of the page before as it is, or none for the first page"]);
        assert.match(detail, /^`cursor` of the list is ".*", which leads to no page$/);
      }
      assert.deepEqual(errors, [], "it is no fault of the server's");
    } finally {
      await remove?.();
    }
  });
}

test("each response of a POST about a run that is kept has its address, also where it is repeated or has failed", async () => {
  const store = memoryStore();
  const ends = { done: () => ({}), failed: () => { throw new Error("broken"); } };
  for (const [name, run] of Object.entries(ends)) {
    const workflow = new Workflow({ name, steps: [{ name: "s", run }] });
    for (const prefer of [{}, { prefer: "respond-async" }]) {
      const serve = handler(workflow, { authorize, store, path: "/flow", onError: () => {} });
      const key = { "idempotency-key": `${name}-${JSON.stringify(prefer).length}` };
      const post = async (headers = {}) => {
        const response = await serve(new Request("https://flow.example/flow/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}`, ...key, ...headers } }));
        return [response, await response.text()];
      };
      const [first, text] = await post(prefer);
      const address = `/flow/runs/${JSON.parse(text).runId}`;
      assert.deepEqual([first.headers.get("location"), first.headers.get("preference-applied")], [address, prefer.prefer ?? null], name);
      while ((await store.list({ status: "running" })).runs.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const [again] = await post(prefer);
      assert.deepEqual([again.status, again.headers.get("location"), again.headers.get("preference-applied")], [name === "done" ? 200 : 500, address, null], name);
      const [streamed] = await post({ accept: "text/event-stream" });
      assert.equal(streamed.headers.get("location"), address);
    }
  }
  const response = await handler(new Workflow({ name: "w", steps: [] }), { authorize })(sent(ANN, "POST", "/runs"));
  assert.equal(response.headers.get("location"), null, "what is kept nowhere has no address");
});
