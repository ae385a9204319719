// The numbers of server-sent events: whoever has read up to one gets everything behind it, whatever has become of the run since.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";

const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
const approval = (name) => ({ name, type: "approval", message: `${name}?`, steps: [{ name: "pay", run: () => ({}) }] });
const slow = { name: "slow", run: () => later(20, { slow: true }) };
const end = { name: "end", run: () => ({ ended: true }) };
const yes = { approved: true };

/** What a stream has: the number of each event, or nothing, and what it is. */
function read(text) {
  return text.split("\n\n").filter((block) => block.includes("data: ")).map((block) => {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const { type, step, attempt } = JSON.parse(block.split("data: ")[1]);
    return { id, is: [type, step?.key, attempt].filter((part) => part !== undefined).join(" ") };
  });
}

/** A served workflow, and what its callers do with one run. */
async function served(steps, run = {}, store = memoryStore()) {
  const serve = handler(new Workflow({ name: "served", steps }), { public: true, store, run, onError: () => {} });
  const send = async (method, path, body, headers) => {
    const init = { method, headers: { accept: "text/event-stream", ...headers }, ...(body && { body: JSON.stringify(body) }) };
    return (await serve(new Request(`https://flow.example${path}`, init))).text();
  };
  const begun = await send("POST", "/runs");
  const id = /"runId":"(.*?)"/.exec(begun)[1];
  return {
    serve,
    begun: read(begun),
    answer: async (answers) => read(await send("POST", `/runs/${id}/answers`, answers)),
    follow: async (after) => read(await send("GET", `/runs/${id}/events`, undefined, after && { "last-event-id": after })),
  };
}

const lastId = (events) => events.findLast(({ id }) => id !== undefined).id;
const numbered = (events) => events.filter(({ id }) => id !== undefined);

/** Whoever has read this much misses nothing and gets no numbered event twice. */
async function assertGoesOn(seen, { follow }) {
  const whole = await follow();
  assert.deepEqual([...numbered(seen), ...numbered(await follow(lastId(seen)))], numbered(whole));
  return whole;
}

for (const [name, steps, answers] of [
  ["one approval", [approval("boss"), end], [{ boss: yes }]],
  ["approvals beside a step that goes on, answered one after the other", [{ name: "all", parallel: [approval("boss"), slow, approval("chief")] }, end], [{ "all.boss": yes }, { "all.chief": { approved: false } }]],
  ["approvals of items", [{ name: "each", items: "[1, 2]", as: "n", concurrency: 2, steps: [approval("boss")] }, end], [{ "each#1/each.boss": yes }, { "each#0/each.boss": yes }]],
]) {
  test(`a reader goes on behind the last number it has seen, across ${name}`, async () => {
    const run = await served(steps);
    const seen = [run.begun];
    for (const answer of answers) {
      seen.push(await run.answer(answer));
      for (const events of seen) await assertGoesOn(events, run);
    }
    assert.equal((await run.follow()).at(-1).is, "run.done");
    assert.ok(seen[0].every(({ id, is }) => (id === undefined) === /suspended/.test(is)), "what is taken back has no number");
  });
}

test("a reader goes on behind the last number it has seen, across the call of a tool that a person allows", async () => {
  const called = (name) => ({ type: "toolCall", name, input: {} });
  const model = scriptedModel([[called("ask"), called("look")], "done"]);
  const tools = [tool({ name: "ask", needsApproval: true, execute: () => 1 }), tool({ name: "look", execute: () => later(5, 2) })];
  const run = await served([{ name: "agent", type: "agent", agent: new Agent({ name: "a", model, tools }) }, end]);
  assert.equal(run.begun.at(-1).is, "run.suspended");
  const after = await run.answer({ "agent/tool1.0": true });
  assert.equal(after.at(-1).is, "run.done");
  await assertGoesOn(run.begun, run);
});

test("a reader goes on behind the last number it has seen, across a long wait", async () => {
  const run = await served([{ name: "all", parallel: [approval("boss"), { name: "pause", wait: { ms: 100 } }] }, { name: "again", wait: { ms: 100 } }, end], { longWaitMs: 5 });
  const seen = [run.begun];
  await later(120);
  await run.serve.wake();
  seen.push(await run.follow(), await run.answer({ "all.boss": yes }));
  await later(120);
  await run.serve.wake();
  for (const events of seen) assert.equal((await assertGoesOn(events, run)).at(-1).is, "run.done");
});

test("a reader of a run that still waits is shown again what it waits for", async () => {
  const run = await served([approval("boss")]);
  assert.deepEqual((await run.follow(lastId(run.begun))).map(({ is }) => is), ["step.suspended boss", "run.suspended"]);
});

test("a reader of an answer that did not fit goes on with what came of the next one", async () => {
  const run = await served([{ name: "all", parallel: [approval("boss"), approval("chief")] }, end]);
  const unfit = await run.answer({ "all.boss": { approved: "perhaps" }, "all.chief": yes });
  assert.equal(unfit.at(-1).is, "run.error");
  await run.answer({ "all.boss": yes });
  assert.equal((await assertGoesOn(unfit, run)).at(-1).is, "run.done");
});

test("a reader of a run that its store stopped goes on with what came of it later", async () => {
  const kept = memoryStore();
  let left = 4;
  const store = { ...kept, append: async (...batch) => { if ((left -= 1) === 0) throw new Error("away for a moment"); return kept.append(...batch); } };
  const run = await served([{ name: "first", run: () => ({}) }, end], {}, store);
  assert.deepEqual(run.begun.at(-1), { id: undefined, is: "run.error" });
  await later(5);
  assert.equal((await run.serve.wake({ staleMs: 1 })).runs[0].status, "done");
  await assertGoesOn(run.begun, run);
});

test("a reader of a run that was cancelled at another instance goes on with that", async () => {
  const store = memoryStore();
  const cancelling = { name: "first", run: async () => {
    const [{ id }] = (await store.list({ status: "running" })).runs;
    await handler(new Workflow({ name: "served", steps: [cancelling, end] }), { public: true, store })(new Request(`https://flow.example/runs/${id}`, { method: "DELETE" }));
    return {};
  } };
  const run = await served([cancelling, end], {}, store);
  assert.deepEqual(run.begun.at(-1), { id: undefined, is: "run.error" });
  const whole = await assertGoesOn(run.begun, run);
  assert.equal(whole.at(-1).is, "run.cancelled");
});

test("a warning takes no number, so that a run that is read again without it has the same ones", async () => {
  let failures = 1;
  const workflow = new Workflow({ name: "served", steps: [slow, end] });
  workflow.on("step.start", () => { if (failures-- > 0) throw new Error("a listener that fails once"); });
  const serve = handler(workflow, { public: true, store: memoryStore() });
  const live = await (await serve(new Request("https://flow.example/runs", { method: "POST", headers: { accept: "text/event-stream" } }))).text();
  assert.match(live, /"seq":6/, "the warning is one of the run's events");
  const again = await serve(new Request(`https://flow.example/runs/${/"runId":"(.*?)"/.exec(live)[1]}/events`));
  assert.deepEqual(read(await again.text()), read(live));
});
