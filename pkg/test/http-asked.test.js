// Who may answer sees what a tool is to be called with; nobody else does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { approvalLinks, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";

const INPUT = { euros: 90, order: "A-1" };
const SECRET = "sk-very-secret-0123456789";

function served(options = {}, input = INPUT) {
  const refund = tool({ name: "refund", input: { type: "object", properties: { euros: { type: "number", description: "inner words" } } }, needsApproval: true, execute: () => ({}) });
  const agent = new Agent({ name: "helper", model: scriptedModel([{ type: "toolCall", name: "refund", input }, "It is done."]), tools: [refund] });
  const workflow = new Workflow({ name: "shop", steps: [{ name: "help", agent, inputFrom: "x" }] });
  const fetch = handler(workflow, { authorize: (request) => request.headers.get("authorization") ?? undefined, store: memoryStore(), ...options });
  return async (who, method, path, body, headers = {}) =>
    fetch(new Request(`https://shop.example${path}`, { method, headers: { authorization: who, ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) }));
}

test("the one who started a run sees what is to be allowed", async () => {
  const call = served();
  const { runId, pending } = await (await call("ann", "POST", "/runs", {})).json();
  assert.deepEqual(pending[0].tool, { name: "refund", input: INPUT, callId: "call_0" });
  assert.equal(pending[0].schema.anyOf[1].properties.input.properties.euros.description, "inner words");
  assert.deepEqual((await (await call("ann", "GET", `/runs/${runId}`)).json()).pending[0].tool.input, INPUT);
  const events = await (await call("ann", "GET", `/runs/${runId}/events`)).text();
  assert.match(events, /"tool":\{"name":"refund","input":\{"euros":90,"order":"A-1"\}/);
});

test("each protocol shows it, and only behind the run's end", async () => {
  for (const [protocol, shown] of [["ui-message-stream", '"type":"tool-input-available","toolCallId":"help/tool1.0","toolName":"refund","input":{"euros":90,"order":"A-1"}'], ["ag-ui", '"tool":"refund","input":{"euros":90,"order":"A-1"}']]) {
    const call = served();
    const body = protocol === "ag-ui" ? { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} } : {};
    const text = await (await call("ann", "POST", "/runs", body, { accept: `text/event-stream; protocol=${protocol}` })).text();
    assert.ok(text.includes(shown), text);
  }
});

test("who may not answer sees neither the arguments nor the tool's schema", async () => {
  const asked = [];
  const call = served({ mayAnswer: (principal, run) => void asked.push([principal, run.principal, run.pending.length]) ?? principal === "boss" });
  const { runId, pending } = await (await call("ann", "POST", "/runs", {})).json();
  assert.deepEqual(pending[0].tool, { name: "refund", callId: "call_0" });
  assert.deepEqual(pending[0].schema.anyOf[1].properties.input, { type: "object" });
  assert.deepEqual(asked, [["ann", "ann", 1]]);
  for (const accept of ["text/event-stream", "text/event-stream; protocol=ui-message-stream", "text/event-stream; protocol=ag-ui"]) {
    const text = await (await call("ann", "GET", `/runs/${runId}/events`, undefined, { accept })).text();
    assert.doesNotMatch(text, /A-1|inner words/);
  }
});

test("who may answer for others sees what they wait for, and nothing else", async () => {
  const call = served({ mayAnswer: (principal) => principal === "boss" });
  const { runId, pending: [{ key }] } = await (await call("ann", "POST", "/runs", {})).json();
  const shown = await call("boss", "GET", `/runs/${runId}`);
  const { pending, ...rest } = await shown.json();
  assert.deepEqual([shown.status, pending[0].tool.input, Object.keys(rest)], [202, INPUT, ["runId", "status", "startedAt", "updatedAt"]]);
  assert.equal((await call("eve", "GET", `/runs/${runId}`)).status, 404);
  assert.equal((await call("boss", "GET", `/runs/${runId}/events`)).status, 404);
  assert.equal((await call("boss", "POST", `/runs/${runId}/answers`, { [key]: true })).status, 200);
  assert.equal((await call("boss", "GET", `/runs/${runId}`)).status, 404);
});

test("a `mayAnswer` that throws shows nothing and ends nothing", async () => {
  const errors = [];
  const call = served({ mayAnswer: () => { throw new Error("no directory"); }, onError: ({ message }) => void errors.push(message) });
  const started = await call("ann", "POST", "/runs", {});
  const { pending } = await started.json();
  assert.deepEqual([started.status, pending[0].tool, errors], [202, { name: "refund", callId: "call_0" }, ["no directory"]]);
});

test("secrets of the run stay hidden", async () => {
  const call = served({ run: { secrets: { KEY: { value: SECRET, origins: ["https://api.example"] } } } }, { note: `use ${SECRET}` });
  const text = await (await call("ann", "POST", "/runs", {})).text();
  assert.match(text, /"tool":\{"name":"refund","input"/);
  assert.ok(!text.includes(SECRET), text);
});

test("the page of a link shows it", async () => {
  let tell;
  const told = new Promise((resolve) => (tell = resolve));
  const call = served({ links: approvalLinks({ secrets: ["a-secret-of-more-than-thirty-two-characters"], url: "https://shop.example" }), onSuspended: async ({ pending }, _, link) => tell(await link(pending[0].key, true)) }, { order: "<b>" });
  await call("ann", "POST", "/runs", {});
  const page = await (await call("nobody", "GET", new URL(await told).pathname)).text();
  assert.ok(page.includes("<p>May `refund` be called?</p><pre>{\n  &#34;order&#34;: &#34;&#60;b&#62;&#34;\n}</pre><form"), page);
});

/** A run that two people may be asked in, with what nobody but its owner may read. */
function confidential({ approvals = ["boss"], steps = [], ...options } = {}) {
  const workflow = new Workflow({
    name: "pay",
    input: { type: "object", properties: { secret: { type: "string" } } },
    initialState: { secret: "" },
    steps: [...approvals.map((name) => ({ name, type: "approval", schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] } })), { name: "after", run: ({ secret }) => ({ after: `${secret}!` }) }, ...steps],
  });
  const fetch = handler(workflow, { authorize: (request) => request.headers.get("authorization") ?? undefined, store: memoryStore(), mayAnswer: (who, { pending }) => who === pending[0]?.step.name, onError() {}, ...options });
  return async (who, method, path, body, headers = {}) =>
    fetch(new Request(`https://shop.example${path}`, { method, headers: { authorization: who, ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) }));
}

test("who answers for others is told how the run stands then, and nothing else of it", async () => {
  const failing = { name: "fail", run: () => { throw new Error("S3CRET"); } };
  const cases = [
    [{}, 200, { status: "done" }],
    [{ approvals: ["boss", "legal"] }, 202, { status: "suspended" }],
    [{ steps: [failing] }, 200, { status: "error" }],
    [{ steps: [{ name: "pause", wait: { ms: 3_600_000 } }], run: { longWaitMs: 10 } }, 202, { status: "suspended", wakeAt: true }],
  ];
  for (const [options, status, standing] of cases) {
    const call = confidential(options);
    const { runId } = await (await call("ann", "POST", "/runs", { secret: "S3CRET" })).json();
    const response = await call("boss", "POST", `/runs/${runId}/answers`, { boss: { approved: true } });
    const { wakeAt, ...said } = await response.json();
    assert.deepEqual([response.status, { ...said, ...(wakeAt !== undefined && { wakeAt: true }) }], [status, { runId, ...standing }]);
    assert.equal((await call("boss", "GET", `/runs/${runId}`)).status, 404);
    assert.equal((await call("boss", "GET", `/runs/${runId}/events`, undefined, { "last-event-id": "0" })).status, 404);
  }
});

test("whoever answers for others sees what is asked of them next", async () => {
  const call = confidential({ approvals: ["boss", "boss2"], mayAnswer: (who) => who === "boss" });
  const { runId } = await (await call("ann", "POST", "/runs", { secret: "S3CRET" })).json();
  const { status, pending, ...rest } = await (await call("boss", "POST", `/runs/${runId}/answers`, { boss: { approved: true } })).json();
  assert.deepEqual([status, pending.map(({ key }) => key), rest], ["suspended", ["boss2"], { runId }]);
});

test("of approvals side by side each is shown to those who may answer it, and answered by nobody else", async () => {
  const schema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
  const workflow = new Workflow({ name: "pay", steps: [{ name: "both", parallel: ["boss", "legal", "ann"].map((name) => ({ name, type: "approval", message: `${name}?`, schema })) }] });
  const seen = [];
  const mayAnswer = (who, { pending }) => { seen.push(pending.length); return pending.some(({ step }) => step.name === who); };
  const fetch = handler(workflow, { authorize: (request) => request.headers.get("authorization"), store: memoryStore(), mayAnswer, onError() {} });
  const call = async (who, method, path, body, accept = "*/*") => {
    const response = await fetch(new Request(`https://shop.example${path}`, { method, headers: { authorization: who, accept }, ...(body && { body: JSON.stringify(body) }) }));
    return { http: response.status, ...(accept === "*/*" ? await response.json() : { text: await response.text() }) };
  };
  const keys = ({ pending }) => pending?.map(({ key }) => key);
  const { runId, ...begun } = await call("ann", "POST", "/runs");
  assert.deepEqual(keys(begun), ["both.boss", "both.legal", "both.ann"], "its owner sees all that it waits for");
  assert.deepEqual([keys(await call("boss", "GET", `/runs/${runId}`)), keys(await call("legal", "GET", `/runs/${runId}`)), (await call("eve", "GET", `/runs/${runId}`)).http], [["both.boss"], ["both.legal"], 404]);
  const answer = (who, key, accept) => call(who, "POST", `/runs/${runId}/answers`, { [key]: { approved: true } }, accept);
  const strange = await answer("boss", "both.legal");
  assert.deepEqual([strange.http, strange.detail, strange.hint], [400, "the run does not wait for `both.legal`", "send { key: answer } with `both.boss`"]);
  assert.deepEqual([(await answer("ann", "both.legal")).http, (await answer("eve", "both.legal")).http], [403, 404]);
  const both = await call("boss", "POST", `/runs/${runId}/answers`, { "both.boss": { approved: true }, "both.legal": { approved: true } });
  assert.equal(both.http, 400, "nothing of it is taken");
  const taken = await answer("boss", "both.boss");
  assert.deepEqual([taken.http, taken.status, taken.pending], [202, "suspended", undefined]);
  const own = await answer("ann", "both.ann", "text/event-stream");
  assert.match(own.text, /"pending":\[\{"key":"both.legal"/);
  const last = await answer("legal", "both.legal");
  assert.deepEqual([last.http, last.status], [200, "done"]);
  assert.ok(seen.every((count) => count <= 1));
});

test("no stream and no preference says more to who answers for others", async () => {
  const resume = (runId) => ({ threadId: "t", runId: "r", messages: [], resume: [{ interruptId: `${runId}/boss`, status: "resolved", payload: { approved: true } }] });
  const ways = [
    ["text/event-stream", undefined],
    ["text/event-stream; protocol=ui-message-stream", undefined],
    ["text/event-stream; protocol=ag-ui", undefined],
    ["text/event-stream; protocol=ag-ui", resume],
    ["application/json", undefined, { prefer: "respond-async" }],
  ];
  for (const steps of [[], [{ name: "fail", run: () => { throw new Error("S3CRET"); } }]]) {
    for (const [accept, body, headers = {}] of ways) {
      const call = confidential({ steps });
      const { runId } = await (await call("ann", "POST", "/runs", { secret: "S3CRET" })).json();
      const [path, given] = body === undefined ? [`/runs/${runId}/answers`, { boss: { approved: true } }] : ["/runs", body(runId)];
      const response = await call("boss", "POST", path, given, { accept, ...headers });
      const text = await response.text();
      assert.ok(response.ok && text.includes(runId), text);
      assert.doesNotMatch(text, /S3CRET|after|"fail"|"handler"/, accept);
    }
  }
});

test("who answers for others is told why the answer does not fit, and may give another one", async () => {
  const call = confidential();
  const { runId } = await (await call("ann", "POST", "/runs", { secret: "S3CRET" })).json();
  const wrong = await call("boss", "POST", `/runs/${runId}/answers`, { boss: { approved: "S" } });
  assert.deepEqual([wrong.status, (await wrong.json()).code], [400, "validation"]);
  const streamed = await (await call("boss", "POST", `/runs/${runId}/answers`, { boss: {} }, { accept: "text/event-stream" })).text();
  assert.match(streamed, /event: run\.error\n.*"code":"validation"/);
  assert.doesNotMatch(streamed, /S3CRET/);
  assert.equal((await call("boss", "POST", `/runs/${runId}/answers`, { boss: { approved: true } })).status, 200);
});
