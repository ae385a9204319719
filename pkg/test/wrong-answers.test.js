// An answer that does not fit: whoever serves the run goes on waiting for another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { runDurably } from "stepweave/durable";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { z } from "zod";

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
const paying = { name: "pay", run: () => ({ paid: true }) };
const calling = new Agent({
  name: "caller",
  model: customModel("m", ({ messages }) => (messages.at(-1).role === "tool" ? "called" : [{ type: "toolCall", id: "1", name: "send", input: {} }])),
  tools: [tool({ name: "send", needsApproval: true, execute: () => "sent" })],
});

/** A served workflow of these steps, and what is given to its `onError`. */
function served(steps, options = {}, workflow = {}) {
  const store = memoryStore();
  const reported = [];
  const serve = handler(new Workflow({ name: "o", steps, ...workflow }), { public: true, store, onError: (error) => reported.push(error), ...options });
  const call = async (method, path, body) => {
    const response = await serve(new Request(`https://o.example${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }));
    return { http: response.status, ...(await response.json().catch(() => ({}))) };
  };
  return { store, reported, call };
}

for (const [what, step, wrong, right, code] of [
  ["its schema", { schema }, { ok: "x" }, { ok: true }, 400],
  ["a schema of a library", { schema: z.object({ ok: z.boolean() }) }, { ok: "x" }, { ok: true }, 400],
  ["what `approved` looks at", { approved: "output.score > 3", steps: [{ name: "y", run: () => ({}) }] }, {}, { score: 7 }, 422],
  ["the steps that it decides about", { steps: [{ name: "y", run: () => ({}) }] }, "yes", { approved: true }, 400],
  ["the call of a tool", { type: undefined, agent: calling, inputFrom: "x" }, "perhaps", true, 400],
]) {
  test(`a served run waits for another answer where one does not fit ${what}`, async () => {
    const { store, reported, call } = served([{ name: "boss", type: "approval", ...step }, paying]);
    const { runId, pending } = await call("POST", "/runs");
    const [{ key }] = pending;
    for (let time = 0; time < 2; time += 1) {
      const refused = await call("POST", `/runs/${runId}/answers`, { [key]: wrong });
      assert.equal(refused.http, code);
      const shown = await call("GET", `/runs/${runId}`);
      assert.deepEqual([shown.http, shown.status, shown.pending], [202, "suspended", pending]);
    }
    assert.ok(reported.every((error) => error instanceof Error));
    const done = await call("POST", `/runs/${runId}/answers`, { [key]: right });
    assert.deepEqual([done.http, done.status, done.state.paid], [200, "done", true]);
    assert.equal((await call("GET", `/runs/${runId}`)).status, "done");
    assert.ok((await store.load(runId)).entries.some((entry) => entry.key === `${key}/answer`));
  });
}

test("an answer that fits is taken beside one that does not, and what follows from it is not done twice", async () => {
  let reserved = 0;
  const asking = (name) => ({ name, type: "approval", schema });
  const one = [asking("a"), { name: "reserve", run: () => ({ reserved: (reserved += 1) }) }, asking("c")];
  const { call } = served([{ name: "both", parallel: [{ name: "one", steps: one }, { name: "two", steps: [asking("b")] }] }, paying]);
  const { runId } = await call("POST", "/runs");
  assert.equal((await call("POST", `/runs/${runId}/answers`, { "both.one.a": { ok: true }, "both.two.b": { ok: 1 } })).http, 400);
  const keys = ({ pending }) => pending.map(({ key }) => key).sort();
  assert.deepEqual(keys(await call("GET", `/runs/${runId}`)), ["both.one.c", "both.two.b"]);
  const done = await call("POST", `/runs/${runId}/answers`, { "both.one.c": { ok: true }, "both.two.b": { ok: true } });
  assert.deepEqual([done.status, done.state.reserved, reserved], ["done", 1, 1]);
});

test("an approval expires at its time, whatever was answered before", async () => {
  const { store, call } = served([{ name: "boss", type: "approval", schema, expiresMs: 60_000, expired: [{ name: "late", run: () => ({}) }] }]);
  const { runId } = await call("POST", "/runs");
  const wakeAt = async () => (await store.list({ status: "suspended" })).runs[0].wakeAt;
  const before = await wakeAt();
  await call("POST", `/runs/${runId}/answers`, { boss: {} });
  assert.deepEqual([typeof before, await wakeAt()], ["number", before]);
  assert.equal((await call("DELETE", `/runs/${runId}`)).http, 204, "and it can be cancelled meanwhile");
});

test("a run that fails behind its answer has failed", async () => {
  const { call } = served([{ name: "boss", type: "approval", schema }, { name: "pay", run: () => { throw new Error("the bank is closed"); } }]);
  const { runId } = await call("POST", "/runs");
  assert.equal((await call("POST", `/runs/${runId}/answers`, { boss: { ok: true } })).http, 500);
  assert.deepEqual([(await call("GET", `/runs/${runId}`)).http, (await call("POST", `/runs/${runId}/answers`, { boss: { ok: true } })).http], [500, 409]);
});

for (const [what, steps, key, workflow] of [
  ["a step that is not required", [{ name: "boss", type: "approval", schema, required: false }], "boss"],
  ["a parallel that is not required", [{ name: "both", required: false, parallel: [{ name: "boss", type: "approval", schema }] }], "both.boss"],
  ["a foreach that drops items", [{ name: "all", items: "[1]", onItemError: "drop", steps: [{ name: "boss", type: "approval", schema }] }], "all#0/all.boss"],
  ["a workflow that goes on", [{ name: "boss", type: "approval", schema }], "boss", { onError: "continue" }],
  ["an agent that is not required", [{ name: "boss", agent: calling, inputFrom: "x", required: false }], "boss/tool1.0"],
]) {
  test(`a served run waits for another answer, whatever tolerates failures: ${what}`, async () => {
    const right = what.startsWith("an agent") ? true : { ok: true };
    const { call } = served([...steps, paying], {}, workflow);
    const { runId, pending } = await call("POST", "/runs");
    assert.deepEqual(pending.map((one) => one.key), [key]);
    assert.equal((await call("POST", `/runs/${runId}/answers`, { [key]: "x" })).http, 400);
    const shown = await call("GET", `/runs/${runId}`);
    assert.deepEqual([shown.http, shown.status], [202, "suspended"]);
    const done = await call("POST", `/runs/${runId}/answers`, { [key]: right });
    assert.deepEqual([done.http, done.status, done.state.paid], [200, "done", true]);
    const again = await call("GET", `/runs/${runId}`);
    assert.deepEqual([again.status, again.state], ["done", done.state]);
  });
}

for (const [what, wrong, said, http] of [["throws", {}, /^`approved` of `boss` failed: no score$/, 500], ["gives neither true nor false", { score: "x" }, /^`approved` of `boss` failed: it returned neither true nor false$/, 422]]) {
  test(`a served run waits for another answer where the function \`approved\` ${what}, which is asked once about each`, async () => {
    const asked = [];
    const approved = ({ boss_output: { score } }) => {
      asked.push(score);
      if (score === undefined) throw new Error("no score");
      return typeof score === "number" ? score > 3 : score;
    };
    const { reported, call } = served([{ name: "boss", type: "approval", approved, steps: [{ name: "y", run: () => ({ y: 1 }) }] }, paying]);
    const { runId } = await call("POST", "/runs");
    assert.equal((await call("POST", `/runs/${runId}/answers`, { boss: wrong })).http, http);
    assert.match(reported.at(-1).message, said);
    assert.equal(reported.at(-1).cause.message ?? reported.at(-1).cause, wrong.score ?? "no score", "whoever serves it is told the rest");
    assert.equal((await call("GET", `/runs/${runId}`)).status, "suspended");
    const done = await call("POST", `/runs/${runId}/answers`, { boss: { score: 4 } });
    assert.deepEqual([done.status, done.state.y, done.state.paid], ["done", 1, true]);
    assert.deepEqual((await call("GET", `/runs/${runId}`)).state, done.state);
    assert.deepEqual(asked, [wrong.score, 4]);
  });
}

test("whoever serves a run that its replay ends otherwise is told how", async () => {
  const { store, reported, call } = served([{ name: "boss", type: "approval", schema }, paying]);
  const { runId } = await call("POST", "/runs");
  // As if somebody had changed what is kept.
  const { entries } = await store.load(runId);
  const [summary] = (await store.list()).runs;
  await store.append(runId, [{ ...entries.at(-1), ok: { status: "done" } }], entries.length, { ...summary, status: "done" });
  assert.equal((await call("GET", `/runs/${runId}`)).http, 409);
  assert.match(reported.at(-1).message, /has ended as done, and its replay as suspended/);
});

test("a run on an engine waits once more, and does the same in its next life", async () => {
  const workflow = new Workflow({ name: "o", steps: [{ name: "boss", type: "approval", schema }, paying] });
  const kept = new Map();
  const given = [{ boss: { ok: "x" } }, { boss: { ok: true } }];
  const asked = [];
  const engine = {
    async perform(key, call) {
      if (!kept.has(key)) kept.set(key, await call());
      return kept.get(key);
    },
    sleepUntil: async () => {},
    waitFor: async (key, _, pending) => {
      asked.push(`${key}: ${pending.map((one) => one.key)}`);
      if (!kept.has(key)) kept.set(key, given.shift());
      return kept.get(key);
    },
  };
  for (let life = 0; life < 2; life += 1) {
    const { status, state } = await runDurably(engine, workflow, { id: "a" });
    assert.deepEqual([status, state], ["done", { boss_output: { ok: true }, paid: true }]);
  }
  assert.equal(asked.length, 4);
  assert.deepEqual(asked.slice(2), asked.slice(0, 2));
});
