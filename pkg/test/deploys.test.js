// Runs that wait while the workflow is deployed anew: whose answers are kept, and which are never given to another question.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, openai, tool, Workflow } from "stepweave";
import { inspect, memoryStore } from "stepweave/stores";
import { z } from "zod";
import { answering, END, eventsOf, piece, rejection, turn, virtualClock } from "./support.js";

const copy = (value) => JSON.parse(JSON.stringify(value));
const untouched = () => assert.fail("nothing is requested again");
const idsOf = (steps) => new Workflow({ name: "t", steps }).steps.map(({ id }) => id);
const step = (name, more) => ({ name, run: () => {}, ...more });

test("a step has its own id, else its name where its block has it once, else its place among those of its name", () => {
  assert.deepEqual(idsOf([step("a"), step("b", { id: "x" }), step("c")]), ["a", "x", "c"]);
  assert.deepEqual(idsOf([step("a"), step("b"), step("a")]), ["a~1of2", "b", "a~2of2"]);
  const nested = [
    { name: "ok", condition: () => true, steps: [step("a"), step("b")], else: [step("a"), step("else")] },
    { name: "kind", cases: [{ when: "true", steps: [step("a")] }, { when: "true", steps: [step("a"), step("a")] }], default: [step("a")] },
    { name: "all", parallel: [step("a"), { name: "lane", steps: [step("a")] }] },
    { name: "each", id: "rounds", items: "[1]", steps: [step("a")] },
    { name: "inner", workflow: new Workflow({ name: "w", steps: [step("a"), step("b", { id: "fixed" })] }) },
  ];
  assert.deepEqual(idsOf(nested), [
    "ok", "ok.a", "ok.b", "ok.else.a", "ok.else.else~1of1",
    "kind", "kind.case1.a", "kind.case2.a~1of2", "kind.case2.a~2of2", "kind.default.a",
    "all", "all.a", "all.lane", "all.lane.a",
    "rounds", "rounds.a",
    "inner", "inner.a", "fixed",
  ]);
});

test("no two steps have one id, whatever they are called", async () => {
  const odd = ["a.b", "a/b", "a#0", "a", "workflow", "start", "end", "timeout", "else", "~1", "s1", "a~1of2", "é 🐝", "x".repeat(200), `${"x".repeat(199)}y`, "__proto__"];
  const lists = [
    odd.map((name) => step(name)),
    [{ name: "a", condition: "true", steps: [step("else"), step("b")], else: [step("b")] }, step("a.b"), step("a.else.b")],
    [step("pay"), step("other", { id: "pay" })],
    [{ name: "deep", steps: [step("pay")] }, step("other", { id: "deep.pay" })],
    [step("a"), step("b", { id: "a~1of2" }), step("a")],
    [{ name: "y".repeat(150), steps: [{ name: "y".repeat(150), steps: [step("z".repeat(180)), step("z".repeat(181)), step("q")] }] }],
  ];
  for (const steps of lists) {
    const workflow = new Workflow({ name: "t", steps });
    const ids = workflow.steps.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, JSON.stringify(ids));
    assert.equal((await workflow.run({ journal: true })).status, "done");
  }
});

/** A run that waits for a person behind a function and beside another. */
function orders({ front = [], message = "Ship {{ sum }}?", charge = {}, back = [], more = {}, calls = [] } = {}) {
  const priced = (state, { idempotencyKey }) => { calls.push(idempotencyKey); return { sum: state.n * 2 }; };
  return new Workflow({
    name: "orders",
    ...more,
    steps: [
      ...front,
      { name: "price", run: priced, ...charge },
      { name: "boss", type: "approval", message, schema: { type: "object", required: ["ok"] } },
      { name: "ship", condition: "boss_output.ok", steps: [{ name: "send", run: ({ sum }) => { calls.push("send"); return { sent: sum }; } }], else: [{ name: "send", run: () => { calls.push("refuse"); return { refused: true }; } }] },
      ...back,
    ],
  });
}

test("100 waiting runs go on behind a step that was inserted at the front, and none gets another's answer", async () => {
  const store = memoryStore();
  for (let n = 0; n < 100; n += 1) assert.equal((await orders().run({ store, journal: `order ${n}`, state: { n }, owner: n % 2 === 0 ? "even" : "odd" })).status, "suspended");
  const { runs } = await store.list({ status: "suspended" });
  assert.equal(runs.length, 100);
  const calls = [];
  const seen = [];
  const deployed = orders({ calls, front: [{ name: "check", run: ({ n }) => { seen.push(n); } }], back: [{ name: "thank", run: () => ({ thanked: true }) }] });
  for (const { id } of runs) {
    const n = Number(id.slice("order ".length));
    const { pending } = await inspect(store, id);
    assert.deepEqual(pending.map(({ key, message }) => [key, message]), [["boss", `Ship ${n * 2}?`]]);
    const { status, state, errors } = await deployed.run({ store, journal: id, answers: { boss: { ok: n % 3 === 0 } } });
    assert.equal(status, "done", JSON.stringify(errors));
    assert.deepEqual(state, { n, sum: n * 2, boss_output: { ok: n % 3 === 0 }, ...(n % 3 === 0 ? { sent: n * 2 } : { refused: true }), thanked: true });
  }
  assert.equal(seen.length, 100, "what is new runs");
  assert.deepEqual([...new Set(calls)].sort(), ["refuse", "send"], "what was answered is not requested again");
  assert.deepEqual((await store.list({ status: "suspended" })).runs, []);
});

const harmless = {
  "a description": { more: { description: "new" } },
  "a note": { more: { notes: "new" } },
  "a note of a step": { charge: { notes: "new" } },
  "a limit": { more: { limits: { maxSteps: 50, stepTimeoutMs: 5000 } } },
  "a time limit": { charge: { timeoutMs: 123_456 } },
  "retries": { more: { retryPolicy: { maxRetries: 5, backoffMs: 7 } } },
  "the message of what is waited for": { message: "Really ship {{ sum }}?" },
  "the initial state": { more: { initialState: { added: 1 } } },
  "a last step": { back: [{ name: "last", run: () => {} }] },
  "a first step that changes nothing": { front: [{ name: "first", run: () => {} }] },
};

for (const [what, change] of Object.entries(harmless)) {
  for (const form of ["code", "document"]) {
    test(`a waiting run goes on when ${what} has changed (${form})`, async () => {
      const made = (options) => {
        const workflow = orders(options);
        return form === "code" ? workflow : Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
      };
      const { journal } = await made().run({ journal: true, state: { n: 4 } });
      const calls = [];
      const { status, state, errors, runId } = await made({ ...change, calls }).run({ journal: copy(journal), state: { n: 4 }, answers: { boss: { ok: true } } });
      assert.deepEqual([status, state.sent, runId], ["done", 8, journal.id], JSON.stringify(errors));
      assert.deepEqual(calls, ["send"]);
    });
  }
}

test("what does not match is reported step by step and leaves the run as it was; the caller may have it requested again", async () => {
  const store = memoryStore();
  await orders().run({ store, journal: "o", state: { n: 4 } });
  const before = await store.load("o");
  const calls = [];
  const changed = () => orders({ calls, charge: { version: "2" } });
  const error = await rejection(changed().run({ store, journal: "o", answers: { boss: { ok: true } } }));
  assert.equal(error.code, "validation");
  assert.match(error.message, /^the journal `o` has answers to other questions than the workflow asks now: `price` \(price\) asks its function something else/);
  assert.match(error.hint, /onMismatch: "anew"/);
  assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["steps[0]", "journal_mismatch"]]);
  assert.deepEqual(calls, []);
  assert.deepEqual(await store.load("o"), before);
  const { status, state, runId, journal } = await changed().run({ store, journal: "o", onMismatch: "anew", answers: { boss: { ok: true } } });
  assert.deepEqual([status, state.sent, runId], ["done", 8, "o"]);
  assert.deepEqual(calls, ["o/price", "send"]);
  // The newer answer counts from now on, and the whole is one journal.
  const again = await changed().run({ store, journal: "o", replay: "strict" });
  assert.deepEqual([again.status, again.state], ["done", state]);
  assert.deepEqual(journal.entries, (await store.load("o")).entries);
});

test("every mismatch is reported, in parallels, rounds and nested blocks too, and none that only follows from another", async () => {
  const make = (version, prompt = "go") => new Workflow({
    name: "t",
    steps: [
      { name: "p", parallel: [{ name: "l", run: () => ({ l: 1 }), version }, { name: "r", steps: [{ name: "x", condition: () => true, steps: [{ name: "deep", run: () => ({ r: 1 }), version }] }] }] },
      { name: "each", items: "[1, 2]", steps: [{ name: "one", run: () => ({ o: 1 }), version }] },
      { name: "same", run: () => ({ s: 1 }) },
      { name: "ask", agent: new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) }), inputFrom: prompt },
      { name: "wait", wait: { ms: version === "1" ? 5 : 6 } },
      { name: "boss", type: "approval", message: `version ${version}` },
      { name: "end", type: "approval" },
    ],
  });
  const fetch = answering([piece("hi"), END]);
  const first = await make("1").run({ journal: true, fetch, clock: virtualClock(), answers: { boss: 1 } });
  assert.equal(first.status, "suspended");
  const error = await rejection(make("2", "come").run({ journal: copy(first.journal), fetch: untouched, clock: virtualClock() }));
  assert.deepEqual(error.problems.map(({ message }) => /\((.*?)\)/.exec(message)[1]), ["p.l", "p.r.x.deep", "each#0/each.one", "each#1/each.one", "ask", "wait", "boss"]);
  assert.match(error.message, /; and 4 more$/);
});

test("a mismatch that a new step brings about ends the run as an error, with what was answered in its journal", async () => {
  const calls = [];
  const { journal } = await orders().run({ journal: true, state: { n: 4 } });
  const changed = (front) => orders({ calls, front: [{ name: "first", run: () => { calls.push("first"); return { flag: true }; }, ...front }] });
  const { status, errors, journal: later } = await changed().run({ journal: copy(journal), answers: { boss: { ok: true } } });
  assert.deepEqual([status, errors.map(({ code }) => code), calls], ["error", ["validation"], ["first"]]);
  assert.match(errors[0].message, /`price` \(price\)/);
  const whole = await changed().run({ journal: copy(later), onMismatch: "anew", answers: { boss: { ok: true } } });
  assert.deepEqual([whole.status, whole.state.sent], ["done", 8]);
  assert.deepEqual(calls, ["first", `${journal.id}/price`, "send"], "the new step's answer is not requested again");
});

test("a failure that the workflow tolerates does not hide a mismatch, nor what a strict replay misses", async () => {
  const make = (version) => new Workflow({ name: "t", onError: "continue", steps: [{ name: "a", version, required: false, run: () => ({ a: 1 }) }, { name: "if", required: false, condition: () => true, steps: [step("b")] }, { name: "q", type: "approval" }] });
  const { journal } = await make("1").run({ journal: true });
  assert.equal((await rejection(make("2").run({ journal: copy(journal) }))).code, "validation");
  const strict = await make("2").run({ journal: copy(journal), replay: "strict" });
  assert.deepEqual([strict.status, strict.error.code], ["error", "validation"]);
});

test("equal questions of steps of one name are not answered with each other's answers when one is added", async () => {
  const sign = () => ({ name: "sign", type: "approval", message: "Sign?" });
  const make = (...steps) => new Workflow({ name: "t", steps });
  const first = await make(sign(), sign()).run({ journal: true, answers: { "sign~1of2": "first" } });
  assert.deepEqual(first.pending.map(({ key }) => key), ["sign~2of2"]);
  const moved = await make(step("before"), sign(), sign()).run({ journal: copy(first.journal), answers: { "sign~2of2": "second" } });
  assert.equal(moved.status, "done");
  const added = await make(sign(), sign(), sign()).run({ journal: copy(first.journal) });
  assert.deepEqual([added.status, added.pending.map(({ key }) => key)], ["suspended", ["sign~1of3"]]);
});

test("a call of a tool that a person has allowed is no step that is gone, nor one of its own where a journal is looked at", async () => {
  const twice = customModel("m", ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : ["a", "b"].map((id) => ({ type: "toolCall", id, name: "pay", input: {} }))));
  const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model: twice, tools: [tool({ name: "pay", needsApproval: true, execute: () => 1 })] }), inputFrom: "x" }, { name: "each", items: "[1]", steps: [{ id: "5", name: "ok", type: "approval", expiresMs: 60_000 }] }] });
  let run = await workflow.run({ journal: true });
  while (run.status === "suspended") run = await workflow.run({ journal: copy(run.journal), answers: { [run.pending[0].key]: true } });
  assert.deepEqual([run.status, run.warnings], ["done", []]);
  const store = memoryStore();
  const { id, entries } = run.journal;
  await store.append(id, entries, 0, { status: "done", documentName: "t", updatedAt: 1 });
  assert.deepEqual((await inspect(store, id)).steps.map(({ key }) => key), ["ask", "each#0/5"]);
});

test("a step that is gone is reported, so that a renamed one can be given its id back", async () => {
  const make = (name, more) => new Workflow({ name: "t", steps: [{ name, run: () => ({ paid: true }), ...more }, { name: "q", type: "approval" }] });
  const { journal } = await make("pay").run({ journal: true });
  const run = make("charge").start({ journal: copy(journal) });
  await run.result;
  const [warning] = (await eventsOf(run)).filter(({ type }) => type === "run.warning");
  assert.equal(warning.code, "step_gone");
  assert.match(warning.message, /answers of the step `pay`.*id: "pay"/);
  const kept = make("charge", { id: "pay", run: undefined, ...{ run: untouched } }).start({ journal: copy(journal), answers: { q: 1 } });
  // An inline function is called after its step's id, so that its question is the same.
  assert.equal((await kept.result).status, "done");
  assert.deepEqual((await eventsOf(kept)).filter(({ type }) => type === "run.warning"), []);
});

test("a workflow of another name takes over no journal whose steps it has none of", async () => {
  const price = { name: "price", run: () => ({ sum: 12 }) };
  const boss = { name: "boss", type: "approval" };
  for (const steps of [[price, boss], [boss]]) {
    const { journal } = await new Workflow({ name: "order", steps }).run({ journal: true });
    const other = new Workflow({ name: "other", steps: [{ name: "mail", run: untouched }] });
    const { code, message, hint, problems } = await rejection(other.run({ journal: copy(journal) }));
    assert.deepEqual([code, message, problems[0].code], ["validation", "the journal is of the workflow `order`, of whose steps `other` has none", "journal_mismatch"]);
    assert.match(hint, /^resume it with the workflow that began it/);
    const renamed = await new Workflow({ name: "order2", steps }).run({ journal: copy(journal), answers: { boss: true } });
    assert.deepEqual([renamed.status, renamed.warnings], ["done", []], "one that was renamed has its steps");
  }
});

test("a step that is called `workflow` does not share its answers with the checks of the workflow", async () => {
  const input = z.object({ n: z.number() }).transform(({ n }) => ({ n: n + 1 }));
  for (const id of [undefined, "workflow"]) {
    const workflow = new Workflow({ name: "t", initialState: { n: 1 }, input, steps: [{ name: "workflow", id, input: z.object({ n: z.number() }).transform(({ n }) => ({ n: n * 10 })), run: ({ n }) => ({ seen: n }) }] });
    const { state, journal } = await workflow.run({ journal: true });
    assert.deepEqual(state, { n: 2, seen: 20 });
    assert.deepEqual((await workflow.run({ journal: copy(journal), replay: "strict" })).state, { n: 2, seen: 20 });
  }
});

test("a journal of version 1 goes on with the workflow it was kept with, and with no other", async () => {
  const document = (more) => ({ version: 1, name: "t", initialState: { n: 1 }, steps: [{ id: "s1", type: "function", name: "a", run: { handler: "a" } }, { id: "s2", type: "approval", name: "q" }, { id: "s3", type: "function", name: "b", run: { handler: "b" } }], ...more });
  const calls = [];
  const make = (more) => Workflow.fromDocument(document(more), { handlers: { a: () => { calls.push("a"); return { a: 1 }; }, b: () => { calls.push("b"); return { b: 2 }; } } });
  const { journal } = await make().run({ journal: true });
  const [{ ok: { version, ...start }, ...first }, ...rest] = copy(journal).entries;
  assert.equal(version, 2);
  const old = { version: 1, id: "old", entries: [{ ...first, ok: start }, ...rest.map(({ seq, ...entry }) => ({ ...entry, ...(entry.asked !== undefined && { asked: "0".repeat(32) }), ...(entry.key === "end" && { ok: { status: "suspended" } }) }))] };
  calls.length = 0;
  const { status, state, journal: later } = await make().run({ journal: copy(old), answers: { s2: "yes" } });
  assert.deepEqual([status, state, calls, later.version], ["done", { n: 1, a: 1, q_output: "yes", b: 2 }, ["b"], 1]);
  assert.deepEqual((await make().run({ journal: copy(later), replay: "strict" })).state, state);
  for (const replay of ["resume", "strict"]) {
    const error = await rejection(make({ notes: "other" }).run({ journal: copy(old), replay }));
    assert.deepEqual([error.code, error.message], ["validation", "the journal is of version 1, and the workflow `t` is not the one it was kept with"]);
    assert.match(error.hint, /finish the run with the workflow as it was/);
  }
  calls.length = 0;
  const edited = await make().run({ journal: copy(later), replay: "edit" });
  assert.deepEqual([edited.journal.version, calls], [2, ["a"]], "what cannot be compared is requested again");
});

test("inspect says how a run stands without running it", async () => {
  const store = memoryStore();
  assert.equal(await inspect(store, "nobody"), undefined);
  const clock = virtualClock(1000);
  const failing = new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "a", run: () => ({ a: 1 }) }, { name: "b", run: () => { throw new Error("broken"); } }] });
  await failing.run({ store, journal: "f", clock, owner: "ann", state: { k: 2 } });
  assert.deepEqual(await inspect(store, "f"), {
    id: "f", version: 2, status: "error", documentName: "t", updatedAt: 1000, owner: "ann", startedAt: 1000, state: { n: 1, k: 2 }, pending: [],
    error: { code: "handler", message: "broken", hint: (await inspect(store, "f")).error.hint, step: { id: "b", path: "steps[1]", name: "b", key: "b" } },
    steps: [{ key: "a", standing: "answered", answers: 1, answeredAt: 1000 }, { key: "b", standing: "answered", answers: 1, answeredAt: 1000, error: (await store.load("f")).entries[2].error }],
  });
  const waiting = new Workflow({ name: "w", steps: [{ name: "nap", wait: { ms: 60_000 } }] }).start({ store, journal: "w", clock: { now: () => 5000, sleep: () => new Promise(() => {}) } });
  for await (const event of waiting.events) if (event.type === "step.start") break;
  while ((await inspect(store, "w"))?.wakeAt === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual((({ status, wakeAt }) => [status, wakeAt])(await inspect(store, "w")), ["running", 65_000]);
  assert.deepEqual((await store.list({ wakeBefore: 65_000 })).runs.map(({ id }) => id), ["w"]);
  waiting.cancel("enough");
  await waiting.result;
  assert.deepEqual((({ status, wakeAt, reason }) => [status, wakeAt, reason])(await inspect(store, "w")), ["cancelled", undefined, "enough"]);
  assert.deepEqual((await store.list({ wakeBefore: 65_000 })).runs, []);
});

test("a store lists a run whose approval runs out of time, until that is decided", async () => {
  for (const answers of [{ boss: true }, undefined]) {
    const store = memoryStore();
    const clock = virtualClock(1000);
    const approval = { name: "boss", type: "approval", schema: { type: "boolean" }, expiresMs: 60_000, expired: [{ name: "late", run: () => ({ late: true }) }] };
    const make = () => new Workflow({ name: "w", steps: [approval, { name: "again", type: "approval" }] });
    const { status, pending } = await make().run({ store, journal: "w", clock });
    assert.deepEqual([status, pending.map(({ key, expiresAt }) => [key, expiresAt])], ["suspended", [["boss", 61_000]]]);
    const overdue = async () => (await store.list({ status: "suspended", wakeBefore: 61_000 })).runs.map(({ id, wakeAt }) => [id, wakeAt]);
    assert.deepEqual(await overdue(), [["w", 61_000]]);
    assert.equal((await inspect(store, "w")).wakeAt, 61_000);
    const later = answers === undefined ? virtualClock(61_000) : clock;
    const after = await make().run({ store, journal: "w", clock: later, answers });
    assert.deepEqual([after.status, after.state.late, after.state.boss_output], ["suspended", answers === undefined ? true : undefined, answers === undefined ? null : true]);
    assert.deepEqual(await overdue(), [], "what waits for a person alone has no time");
  }
});

test("an answer to the call of a tool is none to the call that a model makes which is asked anew", async () => {
  const paid = [];
  const flow = (amount, instructions, inner) => {
    const pay = tool({ name: "pay", needsApproval: !inner, execute: ({ euros }) => { paid.push(euros); return "paid"; } });
    const asks = tool({ name: "asks", workflow: { steps: [{ name: "boss", type: "approval", message: "Pay {{ euros }}?" }] } });
    const called = { type: "toolCall", name: inner ? "asks" : "pay", input: { euros: amount } };
    const model = customModel("m", ({ messages }) => (messages.some(({ role }) => role === "tool") ? "ok" : [called]));
    return new Workflow({ name: "t", steps: [{ name: "clerk", agent: new Agent({ name: "a", model, instructions, tools: [inner ? asks : pay] }), inputFrom: "Pay" }] });
  };
  for (const inner of [false, true]) {
    const { journal, pending: [{ key }] } = await flow(5, "Pay.", inner).run({ journal: true });
    const answers = { [key]: { approved: true } };
    const asked = await flow(900, "Pay more.", inner).run({ journal: copy(journal), answers, onMismatch: "anew" });
    assert.deepEqual([asked.status, asked.pending[0].key, paid], ["suspended", key, []]);
    if (inner) assert.equal(asked.pending[0].message, "Pay 900?");
    else assert.deepEqual(asked.pending[0].tool.input, { euros: 900 });
    assert.deepEqual(asked.warnings.filter(({ code }) => code === "unused_answer").length, 1);
    // Whoever is asked once more allows this call, and who was asked before still that one.
    assert.equal((await flow(900, "Pay more.", inner).run({ journal: copy(asked.journal), answers })).status, "done");
    assert.equal((await flow(5, "Pay.", inner).run({ journal: copy(journal), answers })).status, "done");
    assert.deepEqual(paid.splice(0), inner ? [] : [900, 5]);
  }
});

test("what a workflow demands of inputs later ends no run that has begun", async () => {
  const flow = (input) => new Workflow({ name: "t", input, steps: [{ name: "boss", type: "approval", message: "Go on?" }] });
  const later = { type: "object", properties: { owner: { type: "string" } }, required: ["owner"] };
  const store = memoryStore();
  await flow(undefined).run({ store, journal: "o" });
  const before = await store.load("o");
  for (const onMismatch of ["refuse", "anew"]) {
    const refused = await rejection(flow(later).run({ store, journal: "o", onMismatch, answers: { boss: {} } }));
    assert.deepEqual([refused.code, refused.problems.map(({ path, code }) => [path, code])], ["validation", [["input", "journal_mismatch"]]]);
    assert.match(refused.message, /`owner` is missing/);
    assert.match(refused.hint, /as it was/);
  }
  assert.deepEqual(await store.load("o"), before);
  assert.equal((await flow(undefined).run({ store, journal: "o", answers: { boss: {} } })).status, "done");
  // One that no step has begun of ends with it.
  assert.equal((await flow(later).run({ store, journal: "new" })).status, "error");
  assert.equal((await flow(later).run({ store, journal: "new" })).status, "error");
});

test("a step that was moved into a loop, or out of one, is reported, since it runs anew", async () => {
  const calls = [];
  const pay = { name: "pay", id: "pay", run: () => { calls.push("pay"); } };
  const boss = { name: "boss", type: "approval" };
  const forms = {
    outside: [pay],
    block: [{ name: "block", steps: [pay] }],
    foreach: [{ name: "each", items: "[1]", steps: [pay] }],
    other: [{ name: "others", items: "[1]", steps: [{ name: "lane", parallel: [pay] }] }],
    loop: [{ name: "again", repeat: { until: "true" }, maxIterations: 2, steps: [pay] }],
  };
  for (const [from, before] of Object.entries(forms)) {
    const { journal } = await new Workflow({ name: "t", steps: [...before, boss] }).run({ journal: true });
    for (const [to, after] of Object.entries(forms)) {
      calls.length = 0;
      const { status, warnings } = await new Workflow({ name: "t", steps: [...after, boss] }).run({ journal: copy(journal), answers: { boss: { approved: true } } });
      const isSame = from === to || ["outside", "block"].includes(from) && ["outside", "block"].includes(to);
      const said = warnings.filter(({ code }) => code === "step_gone").map(({ message }) => /of the step `pay` from outside of the rounds/.test(message));
      assert.deepEqual([status, calls.length, said], ["done", isSame ? 0 : 1, isSame ? [] : [true]], `from ${from} to ${to}`);
    }
  }
});

/** The ways to write what an input has to fit. */
const fields = { type: "object", properties: { text: { type: "string" } } };
const spellings = {
  none: undefined,
  json: fields,
  zod: z.object({ text: z.string().optional() }),
  async: z.object({ text: z.string().optional() }).refine(async () => true),
  standard: { "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) }, toJsonSchema: () => fields },
};

test("a mismatch leaves a run as it was, however the input is written before and after", async () => {
  const orders = (input, version) => new Workflow({ name: "t", input, steps: [step("price", { version, run: () => ({ p: version }) }), { name: "boss", type: "approval", message: "Go?", steps: [step("pay")] }] });
  const inDocument = (input, version) => Workflow.fromDocument(copy(orders(input, version).toDocument()), { handlers: { "price.run": () => ({ p: version }), "boss.pay.run": () => {}, ...(input !== undefined && input !== fields && { "workflow.input": (state) => state }) } });
  for (const [before, input] of Object.entries(spellings)) {
    for (const [after, newer] of Object.entries(spellings)) {
      for (const make of [orders, inDocument]) {
        const label = `${before} -> ${after}, ${make.name}`;
        const [store, options] = [memoryStore(), { journal: "r", answers: { boss: { approved: true } } }];
        const old = make(input, "1");
        await old.run({ journal: "r", store });
        const kept = copy(await store.load("r"));
        const error = await rejection(make(newer, "2").run({ ...options, store }));
        assert.deepEqual([error.code, error.problems.map(({ code, path }) => `${code} ${path}`)], ["validation", ["journal_mismatch steps[0]"]], label);
        assert.deepEqual(copy(await store.load("r")), kept, label);
        assert.equal((await old.run({ ...options, store })).status, "done", label);
      }
    }
  }
});

test("what only checks and decides changes nothing before a mismatch is found, wherever it was added", async () => {
  const any = z.looseObject({});
  const agent = (output) => new Agent({ name: "a", model: customModel("m", () => "{}"), ...(output && { output }) });
  const workflow = (more, version = "1", steps = [], around = {}) =>
    new Workflow({ name: "t", ...around, steps: [step("first", { ...more }), ...steps, step("price", { version, run: () => ({ p: version }) }), { name: "boss", type: "approval", message: "Go?" }] });
  const check = (condition) => [{ name: "if", condition, steps: [] }];
  const each = (items) => [{ name: "each", items, steps: [] }];
  const asks = (inputFrom) => [{ name: "ask", agent: agent(), inputFrom }];
  const pairs = {
    "a step's input": [workflow(), workflow({ input: any }, "2")],
    "a step's output": [workflow({ output: { type: "object" } }), workflow({ output: z.any().refine(async () => true) }, "2")],
    "a condition": [workflow({}, "1", check("true")), workflow({}, "2", check(() => true))],
    "the items of a foreach": [workflow({}, "1", each("[]")), workflow({}, "2", each(() => []))],
    "a prompt": [workflow({}, "1", asks("hello")), workflow({}, "2", asks(() => "hello"))],
    "an agent's answer": [workflow({}, "1", [{ name: "ask", agent: agent({ type: "object" }), inputFrom: "hello" }]), workflow({}, "2", [{ name: "ask", agent: agent(any), inputFrom: "hello" }])],
    "several at once": [workflow(), workflow({ input: any, output: any }, "2", check(() => true), { input: any })],
  };
  for (const [label, [before, after]] of Object.entries(pairs)) {
    const store = memoryStore();
    await before.run({ journal: "r", store });
    const kept = copy(await store.load("r"));
    const error = await rejection(after.run({ journal: "r", store }));
    assert.ok(error.problems?.every(({ code }) => code === "journal_mismatch"), `${label}: ${error.message}`);
    assert.deepEqual(copy(await store.load("r")), kept, label);
    assert.equal((await before.run({ journal: "r", store, answers: { boss: { approved: true } } })).status, "done", label);
  }
});

test("what a run has read before it changes anything is in its journal in front of that, and an input that was refused is not", async () => {
  const workflow = (input) => new Workflow({ name: "t", input, steps: [step("price"), { name: "boss", type: "approval", message: "Go?", steps: [step("pay", { run: () => ({ paid: true }) })] }] });
  const store = memoryStore();
  await workflow(undefined).run({ journal: "r", store });
  const error = await rejection(workflow(z.object({ text: z.string() })).run({ journal: "r", store }));
  assert.match(error.message, /^a run that has begun cannot go on with the workflow as it is now: the input of the workflow does not fit its schema: `text`/);
  const loose = workflow(z.looseObject({ text: z.string().optional() }));
  const { state, journal } = await loose.run({ journal: "r", store, answers: { boss: { approved: true } } });
  assert.equal(state.paid, true);
  const kept = copy(await store.load("r"));
  assert.deepEqual(kept.entries.map(({ key }) => key), ["start", "price/1/run", "end", "workflow/1/input", "boss/answer", "boss.pay/1/run", "end"]);
  assert.deepEqual(copy(journal.entries), kept.entries);
  assert.deepEqual((await loose.run({ journal: "r", store, replay: "strict" })).state, state);
});

test("what a run that was cut off decides when it goes on is kept before it is reported, and before a step behind it runs", async () => {
  const workflow = new Workflow({ name: "t", steps: [step("first"), { name: "if", condition: () => true, steps: [] }, step("work", { run: () => ({ done: kept() }) })] });
  const store = memoryStore();
  await workflow.run({ journal: "r", store });
  const { entries } = await store.load("r");
  const added = [];
  const cut = { ...store, load: async () => ({ version: 2, id: "r", entries: entries.slice(0, 2) }), append: async (_, batch) => { await turn(); added.push(...batch.map(({ key }) => key)); } };
  const kept = () => added.some((key) => key.startsWith("if/"));
  const reported = [];
  workflow.on("step.done", ({ step: { name } }) => reported.push(`${name} ${kept()}`));
  const { state } = await workflow.run({ journal: "r", store: cut });
  assert.deepEqual([entries.map(({ key }) => key).slice(0, 2), reported, state.done], [["start", "first/1/run"], ["first false", "if true", "work true"], true]);
});

test("what a deploy has a run decide in front of steps that it has done is kept before the next step runs", async () => {
  const added = [];
  const kept = () => added.some((key) => key.startsWith("if/"));
  const decides = { name: "if", condition: () => true, steps: [] };
  const work = step("work", { run: () => ({ done: kept() }) });
  const store = memoryStore();
  await new Workflow({ name: "t", steps: [step("first"), work] }).run({ journal: "r", store });
  const { entries } = await store.load("r");
  const cut = { ...store, load: async () => ({ version: 2, id: "r", entries: entries.slice(0, 2) }), append: async (_, batch) => { await turn(); added.push(...batch.map(({ key }) => key)); } };
  const { state } = await new Workflow({ name: "t", steps: [decides, step("first"), work] }).run({ journal: "r", store: cut });
  assert.equal(state.done, true);

  const full = { ...cut, append: async () => { throw new Error("no space left"); } };
  let calls = 0;
  const { status, error } = await new Workflow({ name: "t", steps: [decides, step("first"), step("work", { run: () => { calls += 1; } })] }).run({ journal: "r", store: full });
  assert.deepEqual([status, error?.message, calls], ["error", "the journal cannot be kept: no space left", 0]);
});
