// Sections 2.3 and 2.4 of docs/seeds/timbal.md: what flows are here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, validate, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { echo, model } from "./chain-support.js";
import { eventsOf, rejection, turn, virtualClock } from "./support.js";

const workflowOf = (...steps) => new Workflow({ name: "w", steps });
const set = (name, expressions) => ({ name, run: { set: expressions } });
const fails = (name) => ({ name, run: () => { throw new Error(`${name} is broken`); } });
const later = (ms, clock) => new Promise((resolve) => clock.sleep(ms, new AbortController().signal).then(resolve));
const statuses = ({ stepResults }) => Object.fromEntries(stepResults.map(({ name, status }) => [name, status]));
const document = (...steps) => ({ version: 1, name: "w", steps });

test("2.3/24 a workflow is a tree of steps, and a step of another one", async () => {
  const inner = new Workflow({ name: "inner", steps: [set("double", { n: "n * 2" })] });
  const { state } = await workflowOf({ name: "sub", workflow: inner, with: { n: "start" }, set: { doubled: "n" } }, set("next", { sum: "steps.sub.output.doubled + start" })).run({ state: { start: 4 } });
  assert.deepEqual(state, { start: 4, doubled: 8, sum: 12 });
});

test("2.3/25 an id that is taken, a step that does nothing and a key that is unknown are refused, each with its place", async () => {
  const step = { id: "a", type: "function", name: "a", run: { set: {} } };
  const errors = async (...steps) => (await validate(document(...steps))).filter(({ severity }) => severity === "error").map(({ path }) => path);
  assert.deepEqual(await errors(step, { ...step, name: "b" }), ["steps[1].id"]);
  assert.deepEqual(await errors({ id: "a", type: "function", name: "a" }), ["steps[0].run"]);
  assert.deepEqual(await errors({ ...step, params: {} }), ["steps[0].params"]);
  assert.deepEqual(await errors(step), []);
});

test("2.3/26 a workflow that becomes a step is copied with ids of its place, and can be used twice", async () => {
  const definition = { name: "inner", steps: [set("up", { n: "n + 1" })] };
  const inner = new Workflow(definition);
  const outer = workflowOf({ name: "first", workflow: inner, set: { n: "n" } }, { name: "second", workflow: inner, set: { n: "n" } });
  definition.steps.push(set("late", { n: "0" }));
  assert.deepEqual(outer.steps.map(({ id }) => id), ["first", "first.up", "second", "second.up"]);
  assert.deepEqual((await outer.run({ state: { n: 1 } })).state, { n: 3 });
});

test("2.3/27 the order is the link, a condition step is a condition on it, and keys of one's own are its metadata", async () => {
  const workflow = workflowOf(set("a", { n: "1" }), { name: "if small", condition: "n < 2", "x-colour": "red", steps: [set("b", { m: "n + 1" })] });
  assert.deepEqual(workflow.steps.map(({ name, path }) => `${path} ${name}`), ["steps[0] a", "steps[1] if small", "steps[1].steps[0] b"]);
  assert.equal(workflow.toDocument().steps[1]["x-colour"], "red");
  assert.deepEqual((await workflow.run()).state, { n: 1, m: 2 });
});

test("2.3/28 a tree has no cycles: a step that contains itself is refused, and so is a name that leads nowhere", async () => {
  const itself = { name: "itself", steps: [] };
  itself.steps.push(itself);
  assert.throws(() => workflowOf(itself), { code: "limit" });
  const error = await rejection(Workflow.fromDocument(document({ id: "a", type: "agent", name: "a", agent: "nobody", inputFrom: "x" })).run());
  assert.deepEqual([error.code, error.problems[0].path], ["document", "steps[0].agent"]);
});

test("2.3/29 a step may read from any step before it, also past those between", async () => {
  const { state } = await workflowOf(set("a", { x: "1" }), set("b", { y: "steps.a.output.x + 1" }), set("c", { z: "steps.a.output.x + steps.b.output.y" })).run();
  assert.deepEqual(state, { x: 1, y: 2, z: 3 });
});

test("2.3/30 a path walks into objects and lists, and reads own keys only", async () => {
  const give = { name: "a", run: () => ({ l: [{ v: 4 }], "any key": { deep: [[7]] } }) };
  const { state } = await workflowOf(give, set("read", { v: "steps.a.output.l[0].v", w: "steps['a'].output['any key'].deep[0][0]", own: "l[0].v" })).run();
  assert.deepEqual([state.v, state.w, state.own], [4, 7, 4]);
  for (const inherited of ["l.length", "l.constructor", "steps.a.output.__proto__", "steps.constructor"]) {
    assert.equal((await workflowOf(give, set("read", { x: inherited })).run()).errors[0]?.code, "template", inherited);
  }
});

test("what each kind of step gives can be read behind it", async () => {
  const patch = { name: "y", run: () => ({ v: 1 }) };
  const fetch = echo();
  for (const [given, step] of [
    [{ v: 1 }, { ...patch, name: "x" }],
    ["ab", { name: "x", *run() { yield "a"; yield "b"; return { v: 1 }; } }],
    [[1, null], { name: "x", async *run() { yield 1; yield null; } }],
    ["<hello>", { name: "x", agent: new Agent({ name: "a", model: model() }), inputFrom: "hello" }],
    [true, { name: "x", condition: "true", steps: [patch] }],
    [1, { name: "x", cases: [{ when: "false", steps: [] }, { when: "true", steps: [patch] }], default: [] }],
    [[{ v: 1 }, { v: 1 }], { name: "x", items: "[1, 2]", steps: [patch] }],
    [{ iterations: 1 }, { name: "x", repeat: { until: "true" }, maxIterations: 2, steps: [patch] }],
    [{ v: 1 }, { name: "x", with: {}, steps: [patch] }],
    [{ w: 2 }, { name: "x", with: {}, steps: [patch], set: { w: "v + 1" } }],
    ["nothing", { name: "x", parallel: [patch] }],
    ["nothing", { name: "x", steps: [patch] }],
    ["nothing", { name: "x", wait: { ms: 0 } }],
    ["nothing", { name: "x", condition: "false", steps: [patch] }],
  ]) {
    const { state } = await workflowOf(step, set("read", { given: "steps.x.output | default('nothing')" })).run({ fetch });
    assert.deepEqual(state.given, given);
  }
});

test("2.3/31 data is a value, what a step gave with a default, or an error that is reported", async () => {
  const workflow = new Workflow({ name: "w", initialState: { value: 1 }, steps: [{ ...fails("broken"), required: false }, set("map", { v: "value", m: "(steps.broken.output | default({})).x | default('none')" })] });
  const { state, errors } = await workflow.run();
  assert.deepEqual(state, { value: 1, v: 1, m: "none" });
  assert.deepEqual(errors.map(({ message }) => message), ["broken is broken"]);
});

test("2.3/32 a text is filled in from the state and from what steps gave, lists and objects as JSON", async () => {
  const fetch = echo();
  const agent = new Agent({ name: "a", model: model() });
  await workflowOf(set("tidy", { topic: "'bees'", list: "[1, { 'a': none }]" }), { name: "ask", agent, inputFrom: "{{ steps.tidy.output.topic }}: {{ list }}" }).run({ fetch });
  assert.deepEqual(fetch.prompts(), ['bees: [1,{"a":null}]']);
});

test("2.3/33 reading from a step adds no order of its own: what stands later has given nothing yet, which is reported", async () => {
  const early = set("early", { x: "steps.late.output.y" });
  const late = set("late", { y: "1" });
  const { status, errors } = await workflowOf(early, late).run();
  assert.deepEqual([status, errors[0].code, errors[0].step.name], ["error", "template", "early"]);
  assert.match(errors[0].message, /has not given anything so far/);
  assert.deepEqual((await workflowOf(late, early).run()).state, { y: 1, x: 1 });
});

test("2.3/34 two steps that run at once cannot map to one key unnoticed", async () => {
  const members = [{ id: "b", type: "function", name: "b", run: { set: { k: "1" } } }, { id: "c", type: "function", name: "c", run: { set: { k: "2" } } }];
  const [problem] = await validate(document({ id: "a", type: "parallel", name: "a", parallel: members, onConflict: "error" }));
  assert.match(problem.message, /`k`/);
});

test("2.3/35 a key that is missing and has no default is that step's error, and the run can survive it", async () => {
  const { status, state, errors } = await workflowOf({ ...set("read", { x: "nothing" }), required: false }, set("next", { y: "1" })).run();
  assert.deepEqual([status, state, errors[0].code, errors[0].step.name], ["done", { y: 1 }, "template", "read"]);
});

test("2.3/36 2.3/40 a default is taken where the key is missing and where its value is null", async () => {
  const { state } = await workflowOf(set("read", { missing: "a | default(1)", empty: "b | default(2)", there: "c | default(3)", falsy: "d | default(4)" })).run({ state: { b: null, c: "c", d: 0 } });
  assert.deepEqual(state, { b: null, c: "c", d: 0, missing: 1, empty: 2, there: "c", falsy: 0 });
});

test("2.3/37 the inputs of a workflow are its input schema, where several conditions hold together", async () => {
  const input = { allOf: [{ required: ["n"], properties: { n: { type: "integer", minimum: 1 } } }, { properties: { n: { type: "integer", minimum: 3, maximum: 9 } } }] };
  const workflow = new Workflow({ name: "w", input, steps: [set("use", { m: "n" })] });
  assert.equal((await workflow.run({ state: { n: 3 } })).status, "done");
  assert.match((await workflow.run({ state: { n: 2 } })).errors[0].message, /`n` must be at least 3, but is 2/);
});

test("2.3/38 inputs are checked at the start, and a journal keeps that it failed", async () => {
  const calls = [];
  const workflow = new Workflow({ name: "w", input: { required: ["n"] }, steps: [{ name: "a", run: () => void calls.push(1) }] });
  const { status, error, journal, stepResults } = await workflow.run({ journal: true });
  assert.deepEqual([status, error.code, stepResults, calls], ["error", "validation", [], []]);
  assert.deepEqual(journal.entries.map(({ key, ok }) => `${key} ${ok.status ?? ok.workflow}`), ["start w", "end error"]);
});

test("2.3/39 outputs are chosen with set: of a step that did not run null, of one that failed the error of the workflow step", async () => {
  const sub = (step) => ({ name: "sub", with: {}, steps: [step], set: { out: "(steps.give.output | default({})).x | default(none)" } });
  assert.deepEqual((await workflowOf(sub(set("give", { x: "5", hidden: "6" }))).run()).state, { out: 5 });
  assert.deepEqual((await workflowOf(sub({ name: "never", condition: "false", steps: [set("give", { x: "5" })] })).run()).state, { out: null });
  const { status, errors, stepResults } = await workflowOf(sub(fails("give"))).run();
  assert.deepEqual([status, errors.map(({ step }) => step.path), stepResults[0].error.cause], ["error", ["steps[0].steps[0]"], errors[0]]);
});

test("2.3/41 a step that is taken out leaves nothing behind: the order closes, and defaults stand in for what it gave", async () => {
  const workflow = workflowOf(set("a", { x: "1" }), set("b", { y: "2" }), set("c", { z: "(steps.b.output | default({})).y | default(0)" }));
  const less = workflow.toDocument();
  less.steps.splice(1, 1);
  assert.deepEqual(await validate(less), []);
  assert.deepEqual((await workflow.run()).state, { x: 1, y: 2, z: 2 });
  assert.deepEqual((await Workflow.fromDocument(less).run()).state, { x: 1, z: 0 });
});

test("2.4/42 members of a parallel start at once, and what follows starts when all of them have ended", async () => {
  const clock = virtualClock(0);
  const log = [];
  const member = (name, ms) => ({ name, run: async () => { log.push(`${clock.now()} ${name}`); await later(ms, clock); } });
  await workflowOf({ name: "roots", parallel: [member("a", 30), member("b", 10)] }, { name: "join", run: () => void log.push(`${clock.now()} join`) }).run({ clock });
  assert.deepEqual(log, ["0 a", "0 b", "30 join"]);
});

test("2.4/43 a condition behind a parallel is evaluated once all members have ended, and may take any of several", async () => {
  for (const [a, b, taken] of [[true, false, true], [false, true, true], [false, false, undefined]]) {
    const seen = [];
    const join = { name: "join", condition: (state) => { seen.push(Object.keys(state)); return state.a || state.b; }, steps: [set("run", { taken: "true" })] };
    const { state } = await workflowOf({ name: "both", parallel: [{ name: "a", run: async () => ({ a }) }, { name: "b", run: async () => { await turn(); return { b }; } }] }, join).run();
    assert.deepEqual([state.taken, seen], [taken, [["a", "b"]]]);
  }
});

test("2.4/44 a step without a condition always follows", async () => {
  assert.deepEqual((await workflowOf(set("a", { n: "1" }), set("b", { n: "n + 1" }), set("c", { n: "n + 1" })).run()).state, { n: 3 });
});

test("2.4/47 a join behind a branch that is skipped and one that runs always runs, whichever is decided first", async () => {
  for (const [skipMs, runMs] of [[0, 20], [20, 0]]) {
    const clock = virtualClock(0);
    const skipped = { name: "skipped", condition: async () => { await later(skipMs, clock); return false; }, steps: [set("never", { never: "1" })] };
    const runs = { name: "runs", run: async () => { await later(runMs, clock); return { ran: 1 }; } };
    const result = await workflowOf({ name: "both", parallel: [skipped, runs] }, set("join", { joined: "ran" })).run({ clock });
    assert.deepEqual([result.state, statuses(result)], [{ ran: 1, joined: 1 }, { both: "done", skipped: "skipped", runs: "done", join: "done" }]);
  }
});

test("2.4/48 2.4/50 what follows a failure in its lane is not run, other lanes go on, and each step above it is emitted as failed", async () => {
  const lanes = { name: "lanes", parallel: [{ name: "bad lane", steps: [fails("a"), set("b", { b: "1" })] }, { name: "good lane", steps: [{ name: "c", run: async () => ({ c: 1 }) }, set("d", { d: "c + 1" })] }] };
  const workflow = workflowOf(lanes, set("after", { after: "1" }));
  const run = workflow.start();
  const result = await run.result;
  assert.deepEqual(result.state, { c: 1, d: 2 });
  assert.deepEqual(statuses(result), { lanes: "error", "bad lane": "error", a: "error", "good lane": "done", c: "done", d: "done" });
  assert.deepEqual((await eventsOf(run)).filter(({ type }) => type === "step.error").map(({ step }) => step.name), ["a", "bad lane", "lanes"]);
  const reached = new Set(result.stepResults.map(({ id }) => id));
  assert.deepEqual(workflow.steps.filter(({ id }) => !reached.has(id)).map(({ name }) => name), ["b", "after"]);
});

test("2.4/49 a step emits its start, its pieces and its end with what it gave, and the run its own end, each with when and where", async () => {
  const clock = virtualClock(100);
  const run = workflowOf({ name: "gen", *run() { yield "a"; clock.advance(5); yield "b"; } }, { ...fails("bad"), required: false }).start({ clock });
  const events = await eventsOf(run);
  assert.deepEqual(events.map(({ type, at, step }) => `${at} ${type} ${step?.path ?? ""}`.trim()), [
    "100 run.start", "100 step.start steps[0]", "100 step.delta steps[0]", "105 step.delta steps[0]", "105 step.done steps[0]",
    "105 step.start steps[1]", "105 step.error steps[1]", "105 run.done",
  ]);
  assert.deepEqual([events[4].output, events[4].durationMs, events[4].patch], ["ab", 5, { gen_output: "ab" }]);
  assert.deepEqual([events[6].error.code, events[6].error.message], ["handler", "bad is broken"]);
  assert.ok(events[6].error.cause.stack.includes("seeds-flows"));
  assert.deepEqual([events[0].runId, events.at(-1).result], [run.id, await run.result]);
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index));
  // What a step was given is the state before it: the initial one and the patches emitted so far.
  const before = (index, events, initial) => events.slice(0, index).reduce((state, { patch }) => ({ ...state, ...patch }), initial);
  const given = [];
  const keeps = (name, patch) => ({ name, run: (state) => { given.push(state); return patch; } });
  const kept = await eventsOf(workflowOf(keeps("one", { n: 2 }), keeps("two", { m: 3 })).start({ state: { n: 1 } }));
  const starts = kept.flatMap(({ type }, index) => (type === "step.start" ? [index] : []));
  assert.deepEqual(starts.map((index) => before(index, kept, { n: 1 })), given);
  // A step that holds another one is emitted with its path and key, also in rounds; what a model used stands with its step.
  const talker = scriptedModel([[{ type: "text", text: "one" }, { type: "usage", inputTokens: 3, outputTokens: 1 }], [{ type: "text", text: "two" }, { type: "usage", inputTokens: 4, outputTokens: 1 }]]);
  const inner = { name: "ask", agent: new Agent({ name: "a", model: talker }), inputFrom: "{{ item }}" };
  const nested = await eventsOf(workflowOf({ name: "each", items: "[1, 2]", as: "item", steps: [inner] }).start());
  assert.deepEqual(nested.filter(({ type, step }) => type === "step.done" && step.name === "ask").map(({ step, usage }) => [step.path, step.key, usage]), [
    ["steps[0].steps[0]", "each#0/each.ask", { inputTokens: 3, outputTokens: 1 }], ["steps[0].steps[0]", "each#1/each.ask", { inputTokens: 4, outputTokens: 1 }],
  ]);
  assert.deepEqual(nested.at(-1).result.usage, { inputTokens: 7, outputTokens: 2 });
});

test("2.4/51 a run is a stream of events, or its end alone", async () => {
  const workflow = workflowOf(set("a", { n: "1" }));
  const types = [];
  let last;
  for await (const event of workflow.stream()) {
    types.push(event.type);
    last = event;
  }
  assert.deepEqual(types, ["run.start", "step.start", "step.done", "run.done"]);
  assert.deepEqual(last.result.state, (await workflow.run()).state);
});

test("2.4/52 a run has an id that no other has, and a journal that is there is not begun again", async () => {
  const store = memoryStore();
  const workflow = workflowOf(set("a", { n: "1" }));
  const runs = await Promise.all(Array.from({ length: 50 }, () => workflow.run({ store })));
  assert.equal(new Set(runs.map(({ runId }) => runId)).size, 50);
  assert.equal((await store.list()).runs.length, 50);
  const error = await rejection(store.append(runs[0].runId, [{ key: "start", at: 0 }], 0, { status: "running", documentName: "w", updatedAt: 0 }));
  assert.equal(error.code, "conflict");
});

test("2.4/53 a journal has a version, its run's id, what it began with, every answer with its time, and how it ended", async () => {
  const clock = virtualClock(1000);
  const workflow = workflowOf({ name: "a", run: async () => { clock.advance(7); return { x: 1 }; } }, fails("b"));
  const { journal, runId } = await workflow.run({ journal: true, state: { k: 1 }, clock });
  assert.deepEqual([journal.version, journal.id], [2, runId]);
  const [start, first, second, end] = journal.entries;
  assert.deepEqual([start.key, start.at, start.ok.workflow, start.ok.state], ["start", 1000, "w", { k: 1 }]);
  assert.deepEqual([first.key, first.at, first.ok], ["a/1/run", 1007, [{ x: 1 }]]);
  assert.deepEqual([second.key, second.error.message], ["b/1/run", "b is broken"]);
  assert.deepEqual([end.key, end.ok.status, end.ok.error.message], ["end", "error", "b is broken"]);
});

test("2.4/55 a workflow is fixed when it is made: what happens to its definition afterwards changes nothing", async () => {
  const definition = { name: "w", initialState: { n: 1 }, steps: [set("a", { n: "n + 1" })] };
  const workflow = new Workflow(definition);
  definition.steps[0].run.set.n = "0";
  definition.steps.push(set("b", { n: "0" }));
  definition.initialState.n = 9;
  assert.deepEqual((await workflow.run()).state, { n: 2 });
  assert.throws(() => workflow.steps.push({}), TypeError);
});

test("2.4/56 a tool is offered by its schema to the model of its agent, is called only when that calls it, with its arguments, and what it gives goes back there", async () => {
  const input = { type: "object", properties: { city: { type: "string" }, unit: { type: "string" } }, required: ["city"] };
  const calls = [];
  // What is fixed wins over what the model says.
  const weather = tool({ name: "weather", description: "The weather.", input, execute: (args) => { calls.push({ ...args, unit: "C" }); return { degrees: 5 }; } });
  const model = scriptedModel([{ type: "toolCall", name: "weather", input: { city: "Oslo", unit: "F" } }, "5 degrees.", "I know that."]);
  const agent = new Agent({ name: "guide", model, tools: [weather] });
  const ask = workflowOf({ name: "ask", agent, inputFrom: "{{ q }}" });
  assert.equal((await ask.run({ state: { q: "The weather in Oslo?" } })).state.ask_output, "5 degrees.");
  assert.deepEqual(calls, [{ city: "Oslo", unit: "C" }]);
  assert.deepEqual(model.requests[0].tools, [{ name: "weather", description: "The weather.", input }]);
  assert.deepEqual(model.requests[1].messages.map(({ role, results }) => [role, results?.map(({ name, output }) => [name, output])]), [
    ["user", undefined], ["assistant", undefined], ["tool", [["weather", { degrees: 5 }]]],
  ]);
  assert.equal((await ask.run({ state: { q: "Your name?" } })).state.ask_output, "I know that.");
  assert.equal(calls.length, 1);
  model.done();
  // Only who calls a model has tools, and what they name must be there.
  const problems = async (changes) => (await validate({ ...document(), models: { m: { provider: "demo", model: "demo" } }, ...changes })).filter(({ severity }) => severity === "error").map(({ path }) => path);
  assert.deepEqual(await problems({ steps: [{ id: "a", type: "function", name: "a", run: { set: {} }, tools: ["weather"] }] }), ["steps[0].tools"]);
  assert.deepEqual(await problems({ agents: { a: { model: "m", tools: ["weather"] } }, steps: [{ id: "a", type: "agent", name: "a", agent: "a" }] }), ["agents.a.tools[0]"]);
});

test("2.4/57 an agent calls its model and its tools in turn, as often as it may, and its last answer is the output", async () => {
  let count = 0;
  const next = tool({ name: "next", execute: () => (count += 1) });
  const again = { type: "toolCall", name: "next", input: {} };
  const run = async (answers, options) => {
    count = 0;
    const model = scriptedModel(answers);
    const result = await workflowOf({ name: "ask", agent: new Agent({ name: "a", model, tools: [next], ...options }), inputFrom: "Go" }).run();
    return [result.status, result.state.ask_output ?? result.error.code, count, model.requests.length];
  };
  assert.deepEqual(await run([["First. ", again], ["Then. ", again], "Done."]), ["done", "Done.", 2, 3]);
  assert.deepEqual(await run(["At once."]), ["done", "At once.", 0, 1]);
  assert.deepEqual(await run([again, again, "Done."], { maxTurns: 2 }), ["error", "limit", 2, 2]);
  assert.deepEqual(await run(Array(11).fill(again)), ["error", "limit", 10, 10]);
});
