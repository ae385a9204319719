// Runs over journals: what is taken from them, what is requested again, and what is rejected.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Agent, openai, StepweaveError, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";
import { z } from "zod";
import { answering, deferred, END, eventsOf, piece, rejection, turn, virtualClock } from "./support.js";

const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });
const copy = (value) => JSON.parse(JSON.stringify(value));
const keys = (journal) => journal.entries.map(({ key }) => key);
const untouched = () => assert.fail("nothing is requested again");

/** A workflow with something of everything; `world` says what its functions do. */
function everything(world = {}) {
  const seen = [];
  const note = (name, run) => (state, context) => { seen.push(`${name} ${context.idempotencyKey.split("/").slice(1).join("/")}`); return (world[name] ?? run)(state, context); };
  const workflow = new Workflow({
    name: "everything",
    initialState: { list: ["a", "b"], n: 0 },
    steps: [
      { name: "first", run: note("first", (state, { log, sessionState }) => { log("one"); sessionState.set("shared", { deep: [1] }); log("two"); return { one: 1 }; }), output: z.object({ one: z.number() }) },
      { name: "yields", run: note("yields", async function* () { yield "x"; yield "y"; return { yielded: true }; }) },
      { name: "code", run: { code: "ctx.log('from code'); return { coded: state.n + 10 }" } },
      { name: "asks", agent, inputFrom: note("input", () => "go") },
      { name: "each", items: note("items", (state) => state.list), as: "it", concurrency: 2, steps: [{ name: "one", run: note("one", async ({ it }, { log }) => { log(it); return { got: it.toUpperCase() }; }) }] },
      { name: "again", repeat: { while: note("while", ({ n }) => n < 2) }, maxIterations: 3, steps: [{ name: "count", run: note("count", ({ n }) => ({ n: n + 1 })) }] },
      { name: "rest", wait: { ms: 10 } },
      { name: "may", type: "approval", message: "may it go on?", schema: { type: "string" } },
      { name: "last", run: note("last", (state, { sessionState }) => ({ last: [state.may_output, sessionState.get("shared").deep[0]] })) },
    ],
  });
  return { workflow, seen };
}

const model = () => answering([piece("bees "), piece("fly"), END]);
const STATE = { list: ["a", "b"], n: 2, one: 1, yields_output: "xy", yielded: true, coded: 10, asks_output: "bees fly", each_output: [{ got: "A" }, { got: "B" }], may_output: "yes", last: ["yes", 1] };
const emitted = (events) => events.filter(({ type }) => type !== "run.start").map(({ seq, at, replayed, result, ...rest }) => copy(rest)).map(({ durationMs, error, ...rest }) => rest);

/** By execution: a log is emitted with its function's answer, so those of concurrent members come apart on a replay. */
const byKey = (events) => emitted(events).reduce((groups, event) => ({ ...groups, [event.step?.key]: [...(groups[event.step?.key] ?? []), event] }), {});

async function suspended(options) {
  const { workflow, seen } = everything();
  const run = workflow.start({ fetch: model(), clock: virtualClock(), ...options });
  const result = await run.result;
  assert.equal(result.status, "suspended", JSON.stringify(result.errors));
  return { result, seen, events: await eventsOf(run), key: result.pending[0].key };
}

async function folder(use) {
  const path = await mkdtemp(join(tmpdir(), "journal-run-"));
  try {
    await use(path);
  } finally {
    await rm(path, { recursive: true });
  }
}

/** Where a journal can be: each gives the options of a later run. */
const places = {
  "an object": () => ({ first: { journal: true }, later: (result) => ({ journal: result.journal }) }),
  "an object that went through JSON": () => ({ first: { journal: true }, later: (result) => ({ journal: copy(result.journal) }) }),
  "a memory store": () => { const store = memoryStore(); return { first: { store, journal: "named" }, later: () => ({ store, journal: "named" }) }; },
  "a store, under the run's id": () => { const store = memoryStore(); return { first: { store }, later: (result) => ({ store, journal: result.runId }) }; },
  "a file store": (path) => ({ first: { store: fileStore(path), journal: "named" }, later: () => ({ store: fileStore(path), journal: "named" }) }),
};

for (const [place, of] of Object.entries(places)) {
  test(`a run goes on, is edited and is replayed from ${place}`, () => folder(async (path) => {
    const { first, later } = of(path);
    const begun = await suspended(first);
    const options = later(begun.result);
    const { workflow, seen } = everything();
    const run = workflow.start({ ...options, answers: { [begun.key]: "yes" }, fetch: untouched, clock: virtualClock(90_000) });
    const result = await run.result;
    assert.equal(result.status, "done", JSON.stringify(result.errors));
    assert.deepEqual(result.state, STATE);
    assert.equal(result.runId, begun.result.runId, "it is the same run");
    assert.deepEqual(seen, ["last last"], "what was answered is not requested again");
    const entries = keys(result.journal);
    assert.deepEqual(entries.slice(0, keys(begun.result.journal).length), keys(begun.result.journal));
    assert.deepEqual(entries.slice(-4), ["end", "may/answer", "last/1/run", "end"]);
    const events = await eventsOf(run);
    const cut = events.findIndex(({ step, type }) => type === "step.start" && step.name === "may");
    assert.ok(events.slice(0, cut).every(({ replayed }) => replayed === true), "what comes from the journal says so");
    assert.ok(events.slice(cut + 1).every(({ replayed }) => replayed === undefined), "what is new does not");
    // At the time, in the order and with the words of the first run.
    assert.deepEqual(byKey(events.slice(0, cut)), byKey(begun.events.slice(0, cut)));
    const times = (all) => all.slice(0, cut).flatMap(({ type, at }) => (type === "step.done" ? [at] : []));
    assert.deepEqual(times(events), times(begun.events));
    assert.ok(events.some(({ message }) => message === "from code"));

    const whole = later(result);
    const strict = everything(new Proxy({}, { get: () => untouched })).workflow.start({ ...whole, replay: "strict", fetch: untouched, clock: virtualClock() });
    const replayed = await strict.result;
    assert.deepEqual([replayed.status, replayed.state, replayed.runId], ["done", STATE, begun.result.runId], JSON.stringify(replayed.errors));
    assert.deepEqual(keys(replayed.journal), keys(result.journal), "a replay adds nothing");
    assert.deepEqual(byKey(await eventsOf(strict)), byKey(events));
    assert.ok((await eventsOf(strict)).slice(0, -1).every((event) => event.replayed === true));

    const edited = everything();
    const fork = await edited.workflow.run({ ...whole, replay: "edit", from: "each", answers: { [begun.key]: "no" }, fetch: untouched, clock: virtualClock() });
    assert.equal(fork.status, "done", JSON.stringify(fork.errors));
    assert.deepEqual(fork.state, { ...STATE, may_output: "no", last: ["no", 1] });
    assert.notEqual(fork.runId, begun.result.runId);
    assert.equal(fork.journal.id, fork.runId);
    assert.deepEqual(edited.seen.map((line) => line.split(" ")[0]), ["items", "one", "one", "while", "count", "while", "count", "while", "last"]);
    assert.deepEqual(keys(fork.journal).slice(0, 6), keys(result.journal).slice(0, 6));
    assert.equal(keys(fork.journal).filter((key) => key === "start").length, 1);
    // The fork's own journal is whole: it is replayed without the one that it came from.
    const again = everything(new Proxy({}, { get: () => untouched })).workflow;
    const source = whole.store === undefined ? { journal: copy(fork.journal) } : { store: whole.store, journal: fork.runId };
    assert.deepEqual((await again.run({ ...source, replay: "strict", fetch: untouched })).state, fork.state);
    // And the first journal is as it was.
    if (whole.store !== undefined) assert.deepEqual(keys(await whole.store.load(result.runId)), keys(result.journal));
  }));
}

test("functions see the same key in every attempt and in every run that goes on", async () => {
  const seen = [];
  let isOpen = false;
  const workflow = new Workflow({ name: "t", retryPolicy: { maxRetries: 1, backoffMs: 1 }, steps: [{ name: "each", items: "[1, 2]", as: "n", steps: [{ name: "pay", run: ({ n }, { idempotencyKey }) => { seen.push(idempotencyKey); if (n === 2 && !isOpen) throw Object.assign(new Error("closed"), { retryable: true }); return { paid: n }; } }] }] });
  const first = await workflow.run({ journal: true, clock: virtualClock() });
  assert.equal(first.status, "error");
  isOpen = true;
  const second = await workflow.run({ journal: copy(first.journal), clock: virtualClock() });
  assert.equal(second.status, "done", JSON.stringify(second.errors));
  const key = (round) => `${first.runId}/each#${round}/each.pay`;
  assert.deepEqual(seen, [key(0), key(1), key(1), key(1)]);
});

const misuses = [
  [{ replay: "resume" }, "`replay`, `from` and `onMismatch` need a journal", "pass the `journal` of an earlier result"],
  [{ from: "s1" }, "`replay`, `from` and `onMismatch` need a journal", "pass the `journal` of an earlier result"],
  [{ journal: true, replay: "again" }, 'there is no replay "again"', 'use "resume", "edit" or "strict"'],
  [{ journal: true, replay: "toString" }, 'there is no replay "toString"', 'use "resume", "edit" or "strict"'],
  [{ journal: true, from: "s1" }, "`from` runs a part of a workflow anew", 'write replay: "edit" beside it'],
  [{ journal: true, store: {} }, "the option `store` is no store of journals", 'use one of "stepweave/stores", or an object with load, append, list and delete'],
  [{ journal: true, store: null }, "the option `store` is no store of journals", 'use one of "stepweave/stores", or an object with load, append, list and delete'],
  [{ journal: "x" }, "a journal that is named needs a `store`", 'write store: memoryStore() from "stepweave/stores", or pass the journal itself'],
  [{ journal: "", store: memoryStore() }, "the name of a journal is empty", "take the run's id, or a name of your own"],
  [{ journal: {} }, "the option `journal` is no journal of this version", 'pass the `journal` of a result, or what journalFrom of "stepweave/stores" has read'],
  [{ journal: { version: 3, id: "x", entries: [{ key: "start" }] } }, "the option `journal` is no journal of this version", 'pass the `journal` of a result, or what journalFrom of "stepweave/stores" has read'],
  [{ journal: [] }, "the option `journal` is no journal of this version", 'pass the `journal` of a result, or what journalFrom of "stepweave/stores" has read'],
  [{ journal: true, replay: "strict" }, 'replay: "strict" needs the journal of an earlier run', "pass it as `journal`"],
  [{ store: memoryStore(), journal: "nowhere", replay: "strict" }, "there is no journal `nowhere` in the store", "check its name"],
  [{ store: memoryStore(), journal: "nowhere", replay: "edit" }, "there is no journal `nowhere` in the store", "check its name"],
  ...[5, false, null].map((journal) => [{ journal, store: memoryStore() }, `the option \`journal\` is ${journal}`, "write journal: true, or pass the journal of an earlier result or the id of one in `store`; leave it out to keep none"]),
  [{ journal: true, answers: [] }, "the option `answers` must be an object", "write answers: { [key]: value } with the keys of result.pending"],
  [{ journal: true, answers: { s1: new Date() } }, 'an answer is not plain JSON: answers["s1"] is a Date', 'pass answers["s1"].toISOString()'],
  [{ seed: -1 }, "the option `seed` is no whole number from 0 to 4294967295", "leave it out to let chance decide"],
  [{ seed: 1.5 }, "the option `seed` is no whole number from 0 to 4294967295", "leave it out to let chance decide"],
];

for (const [options, message, hint] of misuses) {
  test(`refused: ${message} (${Object.keys(options)})`, async () => {
    const workflow = new Workflow({ name: "t", steps: [{ name: "x", run: untouched }] });
    const error = await rejection(workflow.run(options));
    assert.deepEqual([error.code, error.message, error.hint], ["validation", message, hint]);
  });
}

const simple = (run = () => ({ x: 1 })) => new Workflow({ name: "t", initialState: { deep: { list: [1] } }, steps: [{ name: "x", run }, { name: "y", run: () => ({ y: 1 }) }] });

const damages = {
  "an entry that is none": [(journal) => { journal.entries[1] = null; }, /journal\.entries\[1\] is null, not an entry/],
  "an entry without a key": [(journal) => { delete journal.entries[1].key; }, /journal\.entries\[1\]\.key is missing/],
  "an entry without a time": [(journal) => { journal.entries[1].at = "now"; }, /journal\.entries\[1\]\.at is a string, not a time/],
  "an answer and an error": [(journal) => { journal.entries[1].error = { code: "handler", message: "x" }; }, /has an answer and an error/],
  "emitted values in no list": [(journal) => { journal.entries[1].told = "x"; }, /journal\.entries\[1\]\.told is a string, not a list/],
  "no state": [(journal) => { delete journal.entries[0].ok.state; }, /entries\[0\]\.ok does not say what was started/],
  "no beginning": [(journal) => { delete journal.entries[0].ok; }, /entries\[0\]\.ok does not say what was started/],
  "a seed that is none": [(journal) => { journal.entries[0].ok.seed = "x"; }, /entries\[0\]\.ok does not say what was started/],
  "what is no JSON": [(journal) => { journal.entries[1].ok = new Map(); }, /journal\.entries\[1\]\.ok is a Map/],
  "a cycle": [(journal) => { journal.entries[1].ok = [journal]; }, /refers back to an object that holds it/],
  "another version than its entries": [(journal) => { journal.version = 1; }, /journal\.version is 1, and its first entry says 2/],
  "a number that is none": [(journal) => { journal.entries[1].seq = "x"; }, /journal\.entries\[1\]\.seq is a string, not a number/],
};

for (const [name, [damage, message]] of Object.entries(damages)) {
  test(`a journal with ${name} is refused, also one that a store gives`, async () => {
    const journal = copy((await simple().run({ journal: true })).journal);
    damage(journal);
    const store = { ...memoryStore(), load: async () => journal, append: untouched };
    for (const options of [{ journal }, { journal, replay: "strict" }, { journal: "t", store }]) {
      const error = await rejection(simple(untouched).run(options));
      assert.equal(error.code, "validation", error.message);
      assert.match(error.message, message);
      assert.ok(error.hint.length > 10);
    }
  });
}

test("an answer of another shape fails its step, and not the engine", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }, { name: "if", condition: () => true, steps: [{ name: "y", run: () => {} }] }, { name: "each", items: () => [1], steps: [{ name: "z", run: () => {} }] }, { name: "ask", agent, inputFrom: () => "go" }] });
  const { journal } = await workflow.run({ journal: true, fetch: model() });
  const others = [null, true, 5, "text", [], [5], ["text", 1], [[1]], [null, null], {}, { text: 5 }, [{ __proto__: null, a: { b: 1 } }]];
  for (const [place, { key }] of journal.entries.entries()) {
    if (key === "start" || key === "end") continue;
    for (const ok of others) {
      const damaged = copy(journal);
      damaged.entries[place].ok = ok;
      for (const replay of ["resume", "strict", "edit"]) {
        const ended = await workflow.run({ journal: damaged, replay, fetch: model() }).then((result) => result, (error) => ({ status: "rejected", errors: [error] }));
        assert.notEqual(ended.errors[0]?.code, "internal", `${key} ${JSON.stringify(ok)}: ${ended.errors[0]?.message}`);
      }
    }
  }
  assert.equal((await workflow.run({ fetch: model() })).status, "done", "the engine is well");
});

test("an error of another kind, and emitted things that nobody knows, do no harm", async () => {
  const { journal } = await simple(() => { throw new Error("no"); }).run({ journal: true });
  const odd = copy(journal);
  odd.entries[1].error = { code: "unheard_of", message: "x", problems: 5, retryAfterMs: "soon" };
  odd.entries[1].told = [{ type: "unheard_of" }, { type: "delta" }, { type: "log" }, { type: "set" }];
  const { status, errors } = await simple(untouched).run({ journal: odd, replay: "strict" });
  assert.equal(status, "error");
  assert.notEqual(errors[0].code, "internal");
});

test("a journal that is given is copied: nobody's change of it reaches the run, nor the run's change it", async () => {
  // A value of the journal used to be in the state as it was, for handlers to write into.
  const journal = copy((await simple(() => ({ x: { deep: [1] } })).run({ journal: true })).journal);
  const before = copy(journal);
  const writing = new Workflow({ name: "t", initialState: { deep: { list: [1] } }, steps: [{ name: "x", run: untouched }, { name: "y", run: () => ({ y: 1 }) }] });
  const { state } = await writing.run({ journal });
  for (const value of [state.x, state.x.deep, state.deep, state.deep.list]) assert.ok(Object.isFrozen(value));
  assert.deepEqual(journal, before);
});

test("a run over the journal of another state is refused unless it is edited; one with other steps goes on", async () => {
  const { journal } = await simple().run({ journal: true });
  const other = new Workflow({ name: "t", initialState: { deep: { list: [1] } }, steps: [{ name: "x", run: () => ({ x: 1 }) }, { name: "z", version: "2", run: () => ({ z: 1 }) }] });
  assert.deepEqual((await other.run({ journal })).state, { deep: { list: [1] }, x: 1, z: 1 });
  assert.deepEqual((await other.run({ journal, replay: "edit" })).state, { deep: { list: [1] }, x: 1, z: 1 });
  const state = await rejection(simple().run({ journal, state: { deep: 2 } }));
  assert.deepEqual([state.message, state.hint], ["the run that the journal tells began with another state", 'leave `state` out, or write replay: "edit"']);
  assert.equal((await simple(untouched).run({ journal, state: { deep: { list: [1] } } })).status, "done", "the same state is fine");
  assert.deepEqual((await simple().run({ journal, replay: "edit", state: { deep: 2 } })).state, { deep: 2, x: 1, y: 1 });
  const from = await rejection(simple().run({ journal, replay: "edit", from: "s9" }));
  assert.deepEqual([from.message, from.hint], ["the workflow has no step with the id `s9` to run from", "take the id of a step's result"]);
});

test("of two that go on with one journal exactly one does; the other has a conflict and has lost nothing of the first", async () => {
  for (const storeOf of [() => memoryStore(), (path) => fileStore(path)]) {
    await folder(async (path) => {
      const store = storeOf(path);
      const { key } = await suspended({ store, journal: "one" });
      const gates = [deferred(), deferred()];
      const runs = gates.map(({ promise }, index) => everything({ last: async () => { await promise; return { by: index }; } }).workflow.run({ store, journal: "one", answers: { [key]: `yes ${index}` }, clock: virtualClock() }));
      for (const gate of gates) gate.resolve();
      const results = await Promise.all(runs);
      const [won, lost] = results[0].status === "done" ? results : [...results].reverse();
      assert.equal(won.status, "done", JSON.stringify(won.errors));
      assert.equal(lost.status, "error");
      assert.deepEqual(lost.errors.map(({ code }) => code), ["conflict"]);
      assert.match(lost.errors[0].message, /another run has continued the journal `one`/);
      assert.equal(lost.stepResults.find(({ name }) => name === "last")?.status ?? "never begun", lost.stepResults.some(({ name }) => name === "last") ? "cancelled" : "never begun");
      const kept = await store.load("one");
      assert.deepEqual(kept.entries, copy(won.journal.entries));
      assert.deepEqual((await everything(new Proxy({}, { get: () => untouched })).workflow.run({ store, journal: "one", replay: "strict" })).state, won.state);
    });
  }
});

test("a step is done only when its answer is kept", async () => {
  const acks = [];
  const store = memoryStore();
  const late = { ...store, append: async (id, entries, ...rest) => { await store.append(id, entries, ...rest); const gate = deferred(); acks.push({ keys: entries.map(({ key }) => key), ...gate }); await gate.promise; } };
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }, { name: "p", parallel: [{ name: "l", run: () => ({ l: 1 }) }, { name: "r", run: async () => ({ r: 1 }) }] }, { name: "y", run: () => ({ y: 1 }) }] }).start({ store: late, journal: "j" });
  const done = [];
  const following = (async () => { for await (const event of run.events) if (event.type === "step.done") done.push(event.step.name); })();
  const seen = [];
  for (let answered = 0; answered < 6; answered += 1) {
    await turn();
    if (acks[answered] === undefined) break;
    seen.push([acks[answered].keys, [...done]]);
    acks[answered].resolve();
  }
  await run.result;
  await following;
  assert.deepEqual(seen[0], [["start"], []]);
  assert.deepEqual(seen[1], [["x/1/run"], []]);
  const flat = seen.flatMap(([kept, before]) => kept.map((key) => [key, before]));
  for (const [key, before] of flat) {
    const name = { "x/1/run": "x", "p.l/1/run": "l", "p.r/1/run": "r", "y/1/run": "y" }[key];
    if (name !== undefined) assert.ok(!before.includes(name), `${name} was emitted before it was kept`);
  }
  assert.deepEqual(flat.map(([key]) => key), ["start", "x/1/run", "p.l/1/run", "p.r/1/run", "y/1/run", "end"]);
});

const failures = {
  "rejects": async () => { throw new Error("disk full"); },
  "throws": () => { throw new Error("disk full"); },
  "rejects with nothing": () => Promise.reject(),
};

for (const [name, fail] of Object.entries(failures)) {
  test(`a store that ${name} ends the run, which can be taken up where the store knows it`, async () => {
    for (let from = 1; from < 12; from += 1) {
      const store = memoryStore();
      let appends = 0;
      const failing = { ...store, append: (...batch) => ((appends += 1) > from ? fail() : store.append(...batch)) };
      const broken = everything();
      const result = await broken.workflow.run({ store: failing, journal: "j", fetch: model(), clock: virtualClock() });
      if (result.status === "suspended") break;
      assert.equal(result.status, "error");
      assert.equal(result.errors[0].code, "handler");
      assert.match(result.errors[0].message, name === "rejects with nothing" ? /^the journal cannot be kept: undefined$/ : /^the journal cannot be kept: disk full$/);
      assert.equal(result.errors[0].hint, "see to the store; what it has acknowledged is safe, and the run can be resumed from there");
      const kept = await store.load("j");
      assert.deepEqual(copy(result.journal.entries), kept.entries, "the result's journal is the one that is kept");
      assert.ok(kept.entries.every(({ key }) => key !== "end"), "it breaks off, as after a crash");
      const again = everything();
      const whole = await again.workflow.run({ store, journal: "j", fetch: model(), clock: virtualClock(), answers: { may: "yes" } });
      assert.equal(whole.status, "done", JSON.stringify(whole.errors));
      assert.deepEqual(whole.state, STATE);
      assert.equal(kept.entries.filter(({ key }) => key === "first/1/run").length, again.seen.includes("first first") ? 0 : 1);
    }
  });
}

test("a run that one failure of its store stopped has no end in its journal, and goes on from there", async () => {
  const kept = memoryStore();
  let [appends, calls] = [0, 0];
  const store = { ...kept, append: async (...batch) => { if ((appends += 1) === 3) throw new Error("away for a moment"); return kept.append(...batch); } };
  const workflow = new Workflow({ name: "w", steps: [{ name: "one", run: () => ({ one: (calls += 1) }) }, { name: "two", run: () => ({ two: (calls += 1) }) }] });
  const stopped = await workflow.run({ store, journal: "j" });
  assert.deepEqual([stopped.status, stopped.error.message], ["error", "the journal cannot be kept: away for a moment"]);
  assert.deepEqual((await kept.load("j")).entries.map(({ key }) => key), ["start", "one/1/run"]);
  assert.equal((await kept.list({})).runs[0].status, "running");
  const again = await workflow.run({ store, journal: "j" });
  assert.deepEqual([again.status, again.state], ["done", { one: 1, two: 3 }]);
  assert.equal((await workflow.run({ store, journal: "j", replay: "strict" })).status, "done");
});

test("a run whose end its store does not keep says so in its result, and is taken up to the same end", async () => {
  const kept = memoryStore();
  const failing = (error) => ({ ...kept, append: async (id, entries, ...rest) => { if (entries.at(-1).key === "end") throw error; return kept.append(id, entries, ...rest); } });
  const workflow = simple();
  const lost = await workflow.run({ store: failing(new Error("disk full")), journal: "j" });
  assert.deepEqual([lost.status, lost.warnings.map(({ code, message }) => [code, message])], ["done", [["end_lost", "the journal has not the end of the run: disk full"]]]);
  const taken = await workflow.run({ store: failing(new StepweaveError("conflict", "another run was faster")), journal: "j" });
  assert.deepEqual([taken.status, taken.warnings.map(({ code }) => code)], ["done", ["end_conflict"]]);
  assert.deepEqual((await workflow.run({ store: kept, journal: "j" })).warnings, []);
  assert.equal((await kept.list({})).runs[0].status, "done");
});

test("a store that cannot be read, or keeps no beginning, rejects the run", async () => {
  const store = memoryStore();
  const unread = await rejection(simple(untouched).run({ store: { ...store, load: async () => { throw new Error("no such disk"); } }, journal: "j" }));
  assert.deepEqual([unread.code, unread.message], ["handler", "the journal cannot be kept: no such disk"]);
  const unwritten = await rejection(simple(untouched).run({ store: { ...store, append: async () => { throw new Error("read only"); } } }));
  assert.deepEqual([unwritten.code, unwritten.message], ["handler", "the journal cannot be kept: read only"]);
  // Some stores say null for what they do not have.
  assert.equal((await simple().run({ store: { ...store, load: async () => null }, journal: "new" })).status, "done");
});

test("a journal file that was cut off in the middle of a line goes on; one that was changed is refused", () => folder(async (path) => {
  await suspended({ store: fileStore(path), journal: "j" });
  const [file] = await readdir(path);
  const text = await readFile(join(path, file), "utf8");
  await writeFile(join(path, file), text.slice(0, -30));
  const { workflow } = everything();
  const result = await workflow.run({ store: fileStore(path), journal: "j", answers: { may: "yes" }, fetch: model(), clock: virtualClock(90_000) });
  assert.deepEqual([result.status, result.state], ["done", STATE], JSON.stringify(result.errors));
  await writeFile(join(path, file), text.replace('"x"', '"X"'));
  const error = await rejection(everything().workflow.run({ store: fileStore(path), journal: "j" }));
  assert.equal(error.code, "validation");
  assert.match(error.message, /is not what was written there/);
}));

test("a check of a schema library is called once: its answer is in the journal", async () => {
  let checks = 0;
  const input = z.object({ n: z.number() }).refine(() => { checks += 1; return true; });
  const workflow = new Workflow({ name: "t", initialState: { n: "3" }, steps: [{ name: "x", input: z.object({ n: z.coerce.number() }), run: ({ n }) => ({ n: n + 1 }) }, { name: "y", input, run: ({ n }) => ({ n: n * 2 }) }] });
  const { state, journal } = await workflow.run({ journal: true });
  assert.deepEqual([state, checks], [{ n: 8 }, 1]);
  const again = await workflow.run({ journal: copy(journal), replay: "strict" });
  assert.deepEqual([again.state, checks], [{ n: 8 }, 1]);
  const failing = new Workflow({ name: "t", steps: [{ name: "x", input: z.object({ n: z.number() }), run: untouched }] });
  const failed = await failing.run({ journal: true });
  assert.equal(failed.errors[0].code, "validation");
  const replayed = await failing.run({ journal: copy(failed.journal), replay: "strict" });
  assert.deepEqual(copy(replayed.errors[0]), copy(failed.errors[0]));
});

test("a whole run's time limit is emitted again, and counts anew when the run goes on", async () => {
  const make = (run) => Workflow.fromDocument({ version: 1, name: "t", limits: { timeoutMs: 50 }, steps: [{ id: "a", type: "function", name: "a", run: { handler: "a" } }, { id: "s", type: "function", name: "s", run: { handler: "s" } }] }, { handlers: { a: () => ({ a: 1 }), s: run } });
  const first = await make(() => new Promise(() => {})).run({ journal: true, clock: virtualClock() });
  assert.deepEqual([first.status, first.errors.map(({ code }) => code), first.state], ["error", ["timeout"], { a: 1 }]);
  const strict = await make(untouched).run({ journal: copy(first.journal), replay: "strict", clock: virtualClock() });
  assert.deepEqual([strict.status, strict.errors.map(({ code }) => code), strict.state], ["error", ["timeout"], { a: 1 }]);
  const resumed = await make(() => ({ s: 1 })).run({ journal: copy(first.journal), clock: virtualClock(5_000) });
  assert.deepEqual([resumed.status, resumed.state], ["done", { a: 1, s: 1 }], JSON.stringify(resumed.errors));
});

test("a run that was cancelled is replayed as one that was cancelled, and goes on when it is resumed", async () => {
  const { workflow } = everything({ count: () => new Promise(() => {}) });
  const run = workflow.start({ journal: true, fetch: model(), clock: virtualClock() });
  for await (const event of run.events) if (event.type === "step.start" && event.step.name === "count") break;
  run.cancel("enough");
  const { journal, state } = await run.result;
  const strict = everything(new Proxy({}, { get: () => untouched })).workflow.start({ journal: copy(journal), replay: "strict", fetch: untouched });
  const replayed = await strict.result;
  assert.deepEqual([replayed.status, replayed.state], ["cancelled", state]);
  const resumed = await everything().workflow.run({ journal: copy(journal), answers: { may: "yes" }, fetch: untouched, clock: virtualClock(90_000) });
  assert.deepEqual([resumed.status, resumed.state], ["done", STATE]);
});

test("a strict replay of what was never recorded says what is missing, and touches nothing", async () => {
  const { journal } = await everything().workflow.run({ journal: true, fetch: model(), clock: virtualClock() });
  const cut = { ...copy(journal), entries: copy(journal).entries.slice(0, 3) };
  const { status, errors } = await everything(new Proxy({}, { get: () => untouched })).workflow.run({ journal: cut, replay: "strict", fetch: untouched, clock: virtualClock() });
  assert.equal(status, "error");
  assert.equal(errors[0].code, "validation");
});

test("chance is the same whenever the run goes on: the seed is in the journal", async () => {
  const waits = async (options) => {
    const slept = [];
    const clock = virtualClock();
    const workflow = new Workflow({ name: "t", retryPolicy: { maxRetries: 3, backoffMs: 100, jitter: 1 }, steps: [{ name: "x", run: () => { throw Object.assign(new Error("busy"), { retryable: true }); } }] });
    const result = await workflow.run({ ...options, clock: { ...clock, sleep: (ms, signal) => { slept.push(ms); return clock.sleep(ms, signal); } } });
    return { slept, result };
  };
  const [one, same, other] = [await waits({ seed: 7, journal: true }), await waits({ seed: 7 }), await waits({ seed: 8 })];
  assert.equal(one.slept.length, 3);
  assert.deepEqual(one.slept, same.slept);
  assert.notDeepEqual(one.slept, other.slept);
  assert.equal(one.result.journal.entries[0].ok.seed, 7);
  const half = { ...copy(one.result.journal), entries: copy(one.result.journal).entries.slice(0, 3) };
  const resumed = await waits({ seed: 9, journal: half });
  assert.deepEqual(resumed.slept, one.slept.slice(-resumed.slept.length));
  assert.ok(resumed.slept.length > 0 && resumed.slept.length < 3);
});

test("many rounds that emitted something are replayed in time that grows with their number", async () => {
  // Finding the round that emitted something used to look at every round.
  const count = 3000;
  let looked = 0;
  const workflow = new Workflow({ name: "t", initialState: { list: Array.from({ length: count }, (_, index) => index) }, steps: [{ name: "each", items: "list", as: "n", steps: [{ name: "x", run: ({ n }, { log }) => { looked += 1; log(`n ${n}`); return { y: n }; } }] }] });
  const { journal } = await workflow.run({ journal: true });
  const run = workflow.start({ journal, replay: "strict" });
  assert.equal((await run.result).status, "done");
  assert.equal(looked, count);
  const logs = (await eventsOf(run)).filter(({ type }) => type === "run.warning");
  assert.deepEqual(logs.map(({ step, message }) => [step.key, message]), Array.from({ length: count }, (_, index) => [`each#${index}/each.x`, `n ${index}`]));
});

test("a run that has ended, or waits, is looked at again without a trace: its journal keeps one end", async () => {
  const store = memoryStore();
  const workflow = new Workflow({ name: "w", steps: [{ name: "a", run: () => ({ a: 1 }) }, { name: "boss", type: "approval", message: "Go on?" }] });
  const keys = async () => (await store.load("run-1")).entries.map(({ key }) => key);
  for (let look = 0; look < 3; look += 1) assert.equal((await workflow.run({ store, journal: "run-1" })).status, "suspended");
  const waiting = await keys();
  assert.equal(waiting.filter((key) => key === "end").length, 1);
  assert.equal((await workflow.run({ store, journal: "run-1", answers: { boss: true } })).status, "done");
  for (let look = 0; look < 3; look += 1) assert.deepEqual((await workflow.run({ store, journal: "run-1" })).state, { a: 1, boss_output: true });
  assert.equal((await keys()).filter((key) => key === "end").length, 2);
});
