// Runs that their operator resumes: a person decides about what a run has failed at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";

const authorize = (request) => request.headers.get("authorization") ?? undefined;

/** A served workflow, and calls of it as one principal. */
function served(steps, { store = memoryStore(), as = "ann", ...options } = {}) {
  const errors = [];
  const serve = handler(new Workflow({ name: "served", steps }), { authorize, store, onError: (error) => void errors.push(error.code), ...options });
  const call = async (method, path, { headers, body } = {}) => {
    const response = await serve(new Request(`https://flow.example${path}`, { method, headers: { authorization: as, ...headers }, ...(body && { body: JSON.stringify(body) }) }));
    return { status: response.status, json: await response.json() };
  };
  return { serve, store, call, errors };
}

test("a run that failed goes on when its operator resumes it, and the same key has its new result", async () => {
  let isDown = true;
  const calls = [];
  const { serve, call } = served([
    { name: "first", run: () => void calls.push("first") },
    { name: "ask", run: () => { calls.push("ask"); if (isDown) throw new Error("down"); return { answer: 42 }; } },
  ]);
  const headers = { "idempotency-key": "k1" };
  const failed = await call("POST", "/runs", { headers });
  assert.deepEqual([failed.status, failed.json.code], [500, "handler"]);
  isDown = false;
  assert.equal((await call("POST", "/runs", { headers })).status, 500, "callers alone change nothing");
  const { id, status, owner, steps } = await serve.resume(failed.json.runId);
  assert.deepEqual([id, status, owner, steps.map(({ key }) => key)], [failed.json.runId, "done", "ann", ["first", "ask"]]);
  const again = await call("POST", "/runs", { headers });
  assert.deepEqual([again.status, again.json.runId, again.json.state], [200, id, { answer: 42 }]);
  assert.deepEqual(calls, ["first", "ask", "ask"]);
});

test("what nobody knows the outcome of is sent again where its operator says so", async () => {
  const sent = [];
  const fetch = async (url, { headers }) => {
    sent.push(new Headers(headers).get("idempotency-key"));
    if (sent.length === 1) throw new Error("the connection broke");
    return Response.json({ id: "r1" });
  };
  const pay = (more) => [{ name: "refund", http: { url: "https://pay.example/refunds", method: "POST", body: { json: {} } }, ...more }];
  const run = { fetch };
  const before = served(pay({}), { run });
  const failed = await before.call("POST", "/runs");
  assert.deepEqual([failed.status, failed.json.code], [502, "unknown_outcome"]);
  const { store } = before;
  assert.equal((await before.serve.resume(failed.json.runId)).error.code, "unknown_outcome", "nothing is sent twice by itself");
  const after = served(pay({ onUnknown: "retry" }), { run, store });
  assert.equal((await after.serve.resume(failed.json.runId)).status, "error", "it goes on with the document that it began with");
  assert.equal(sent.length, 1);
  assert.equal((await after.serve.resume(failed.json.runId, { document: "newest" })).status, "done");
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1]);
  const { status, json } = await after.call("GET", `/runs/${failed.json.runId}`);
  assert.deepEqual([status, json.state.refund_output], [200, { id: "r1" }]);
});

test("a run that is edited is another one of the same owner", async () => {
  const calls = [];
  const { serve, call, store } = served([{ name: "first", run: () => void calls.push("first") }, { name: "boss", type: "approval" }, { name: "last", run: () => void calls.push("last") }]);
  const { runId } = (await call("POST", "/runs")).json;
  await call("POST", `/runs/${runId}/answers`, { body: { boss: { approved: false } } });
  const other = await serve.resume(runId, { replay: "edit", from: "boss", answers: { boss: { approved: true } } });
  assert.notEqual(other.id, runId);
  assert.deepEqual([other.status, other.owner], ["done", "ann"]);
  assert.deepEqual(calls, ["first", "last", "last"]);
  assert.deepEqual((await call("GET", `/runs/${other.id}`)).json.state.boss_output, { approved: true });
  assert.deepEqual((await call("GET", `/runs/${runId}`)).json.state.boss_output, { approved: false });
  assert.equal((await serve.resume(runId, { replay: "edit", from: "boss" })).status, "suspended", "it can be edited more than once");
  assert.equal((await store.list({ owner: "ann" })).runs.length, 3);
});

test("limits that ended a run are raised, and answers are given", async () => {
  const { serve, call } = served([{ name: "a", run: () => {} }, { name: "boss", type: "approval" }, { name: "b", run: () => {} }], { run: { limits: { maxSteps: 1 } } });
  const { json } = await call("POST", "/runs");
  assert.equal(json.code, "limit");
  const raised = { limits: { maxSteps: 10 } };
  assert.equal((await serve.resume(json.runId, raised)).status, "suspended");
  assert.equal((await serve.resume(json.runId, { ...raised, answers: { boss: { approved: true } } })).status, "done");
});

test("what cannot be resumed is said", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const { serve, call } = served([{ name: "slow", run: () => gate }]);
  const { runId } = (await call("POST", "/runs", { headers: { prefer: "respond-async" } })).json;
  await assert.rejects(serve.resume(runId), { name: "StepweaveError", code: "conflict" });
  release({});
  await assert.rejects(serve.resume("none"), { name: "StepweaveError", code: "validation", message: /there is no run "none"/ });
  await assert.rejects(serve.resume(runId, { form: "x" }), { code: "validation", message: /no option `form`/ });
  await assert.rejects(handler(new Workflow({ name: "kept nowhere", steps: [{ name: "a", run: () => {} }] }), { authorize }).resume("x"), { code: "validation", message: /needs a store/ });
  const kept = served([{ name: "a", run: () => {} }]);
  await kept.call("POST", "/runs");
  const { id } = (await kept.store.list()).runs.find(({ documentName }) => documentName === "stepweave-documents");
  await assert.rejects(kept.serve.resume(id), { code: "validation" });
});

test("a resumption that is refused leaves no run behind that pays once more, and the run free", async () => {
  const paid = [];
  const { serve, store, call } = served([{ name: "pay", run: () => void paid.push("pay") }, { name: "boss", type: "approval", message: "Go on?" }]);
  const { json: { runId } } = await call("POST", "/runs");
  const wrong = [{ replay: "edit", from: "boos" }, { replay: "edit", from: "" }, { from: "boss" }, { replay: "x" }, { onMismatch: "x" }, { answers: 5 }, { limits: { maxTokens: -1 } }];
  for (const options of wrong) await assert.rejects(serve.resume(runId, options), JSON.stringify(options));
  const { runs } = await store.list({ status: "running" });
  assert.deepEqual(runs, []);
  assert.deepEqual((await serve.wake({ staleMs: 1 })).runs, []);
  const { status, json } = await call("POST", `/runs/${runId}/answers`, { body: { boss: { approved: true } } });
  assert.deepEqual([status, json.status, paid], [200, "done", ["pay"]]);
});

test("a run that cannot be run again from a step that is not there leaves no journal", async () => {
  const store = memoryStore();
  const workflow = new Workflow({ name: "served", steps: [{ name: "pay", run: () => ({ paid: 1 }) }] });
  await workflow.run({ journal: "r", store });
  for (const from of ["zz", "", 5]) {
    await assert.rejects(workflow.run({ journal: "r", store, replay: "edit", from }), { code: "validation", message: `the workflow has no step with the id \`${from}\` to run from` });
  }
  assert.deepEqual((await store.list({})).runs.map(({ id }) => id), ["r"]);
});
