// Section 3 of docs/seeds/workflow.md: workflows, their state, results, conditions, parallels and runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, StepweaveError, validate, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { echo, endpoint, model } from "./chain-support.js";
import { eventsOf, rejection, turn, virtualClock } from "./support.js";

const workflowOf = (...steps) => new Workflow({ name: "w", steps });
const gives = (name, patch) => ({ name, run: () => patch });
const fails = (name, error = new Error(`${name} is broken`)) => ({ name, run: () => { throw error; } });
const busy = () => new StepweaveError("network", "busy", { retryable: true });
const list = ({ stepResults }) => stepResults.map(({ name, status }) => `${name} ${status}`);
const later = (ms, clock) => new Promise((resolve) => clock.sleep(ms, new AbortController().signal).then(resolve));

test("3.1/1 agents, functions, conditions and parallels have a name, under which results and events have them", async () => {
  const agent = new Agent({ name: "a", model: demo() });
  const workflow = workflowOf({ name: "ask", agent, inputFrom: "x" }, gives("compute", {}), { name: "maybe", condition: "true", steps: [] }, { name: "all", parallel: [] });
  assert.deepEqual(workflow.steps.map(({ name, type }) => `${name} ${type}`), ["ask agent", "compute function", "maybe condition", "all parallel"]);
  const run = workflow.start({ clock: virtualClock() });
  assert.deepEqual(list(await run.result), ["ask done", "compute done", "maybe done", "all done"]);
  assert.deepEqual((await eventsOf(run)).filter(({ type }) => type === "step.start").map(({ step }) => step.name), ["ask", "compute", "maybe", "all"]);
  for (const step of workflow.toDocument().steps) {
    const { name, ...nameless } = step;
    const problems = await validate({ ...workflow.toDocument(), steps: [nameless] });
    assert.ok(problems.some(({ path, severity }) => path === "steps[0].name" && severity === "error"), name);
  }
});

test("3.1/2 a step that looks like two kinds is refused with the key that does not belong", async () => {
  for (const [step, key] of [
    [{ name: "x", condition: "true", run: () => {} }, "condition"],
    [{ name: "x", parallel: [], agent: "a" }, "parallel"],
    [{ name: "x", type: "condition", condition: "true", steps: [], run: () => {} }, "run"],
  ]) {
    const error = await rejection(workflowOf(step).run());
    assert.equal(error.code, "document");
    assert.ok(error.problems.some(({ path }) => path === `steps[0].${key}`), key);
  }
});

test("3.1/3 a step of no kind is refused before anything runs", async () => {
  const calls = [];
  const error = await rejection(workflowOf({ name: "first", run: () => void calls.push(1) }, { name: "nothing" }).run());
  assert.deepEqual([error.code, error.problems[0].path, calls], ["document", "steps[1].type", []]);
});

test("3.1/4 two steps may have one name, which is warned of, and each has its result", async () => {
  const workflow = workflowOf(gives("same", { a: 1 }), gives("same", { b: 2 }));
  const [problem] = await validate(workflow.toDocument());
  assert.equal(problem.severity, "warning");
  assert.match(problem.message, /`same`/);
  assert.deepEqual((await workflow.run()).stepResults.map(({ name, path }) => `${path} ${name}`), ["steps[0] same", "steps[1] same"]);
});

test("3.1/5 a workflow has a name, an initial state, steps and a retry policy; what belongs to a run is refused in it", async () => {
  const workflow = new Workflow({ name: "w", initialState: { n: 1 }, steps: [], retryPolicy: { maxRetries: 1, backoffMs: 5 } });
  assert.deepEqual(workflow.toDocument(), { version: 1, name: "w", initialState: { n: 1 }, steps: [], retryPolicy: { maxRetries: 1, backoffMs: 5 } });
  for (const key of ["storage", "eventBus", "register", "checkpointStore"]) {
    const error = await rejection(new Workflow({ name: "w", steps: [], [key]: true }).run());
    assert.deepEqual([error.code, error.problems[0].path], ["document", key]);
  }
  for (const key of ["name", "steps"]) {
    const error = await rejection(new Workflow({ name: "w", steps: [], [key]: undefined }).run());
    assert.deepEqual([error.code, error.problems[0].path], ["document", key]);
  }
});

test("3.2/7 each step has the state that those before it have left", async () => {
  const seen = [];
  const look = (name, patch) => ({ name, run: (state) => { seen.push({ ...state }); return patch; } });
  await workflowOf(look("a", { x: 1 }), look("b", { x: 2, y: 1 }), look("c")).run({ state: { start: true } });
  assert.deepEqual(seen, [{ start: true }, { start: true, x: 1 }, { start: true, x: 2, y: 1 }]);
});

test("3.2/8 3.2/9 what a function returns is merged key by key: other keys stay, lists and objects are replaced", async () => {
  const initialState = { kept: 1, list: [1, 2, 3], object: { a: 1, b: 2 } };
  const { state } = await new Workflow({ name: "w", initialState, steps: [gives("x", { list: [4], object: { c: 3 } })] }).run();
  assert.deepEqual(state, { kept: 1, list: [4], object: { c: 3 } });
});

test("3.2/12 an agent is called with what inputFrom writes, or else the whole state as JSON", async () => {
  const fetch = echo();
  const agent = new Agent({ name: "a", model: model() });
  await workflowOf({ name: "one", agent, inputFrom: (state) => `About ${state.topic}` }, { name: "two", agent, inputFrom: "On {{ topic }}" }, { name: "three", agent }).run({ state: { topic: "bees" }, fetch });
  const [one, two, three] = fetch.prompts();
  assert.deepEqual([one, two], ["About bees", "On bees"]);
  assert.deepEqual(JSON.parse(three), { topic: "bees", one_output: "<About bees>", two_output: "<On bees>" });
});

test("3.2/13 3.2/14 an agent's text goes to its step's name with _output; the result has its usage too", async () => {
  const agent = new Agent({ name: "a", model: model() });
  const { state, stepResults, usage } = await workflowOf({ name: "draft", agent, inputFrom: "x" }).run({ fetch: endpoint("a text") });
  assert.deepEqual(state, { draft_output: "a text" });
  assert.deepEqual([stepResults[0].output, stepResults[0].usage, usage], ["a text", { inputTokens: 3, outputTokens: 2 }, { inputTokens: 3, outputTokens: 2 }]);
});

test("3.2/15 what writes an agent's input knows the session and the user", async () => {
  const fetch = echo();
  const agent = new Agent({ name: "a", model: model() });
  await workflowOf({ name: "ask", agent, inputFrom: (_, { sessionId, userId }) => `${sessionId} ${userId}` }).run({ fetch, sessionId: "s1", userId: "u1" });
  assert.deepEqual(fetch.prompts(), ["s1 u1"]);
});

test("3.2/16 runs share nothing with each other or with the definition, however deep", async () => {
  const initialState = { deep: { list: [1] } };
  const states = [];
  const workflow = new Workflow({ name: "w", initialState, steps: [{ name: "x", run: (state) => { states.push(state.deep); return { deep: { list: [...state.deep.list, 2] } }; } }] });
  const first = await workflow.run();
  const second = await workflow.run();
  assert.deepEqual([first.state, second.state, initialState], [{ deep: { list: [1, 2] } }, { deep: { list: [1, 2] } }, { deep: { list: [1] } }]);
  assert.ok(states.every((deep) => deep !== initialState.deep && Object.isFrozen(deep.list)));
});

test("3.2/17 a function that writes into the state fails, and nothing of what it did counts", async () => {
  const steps = [{ name: "writes", run: (state) => { state.n = 5; return { m: 1 }; } }, { name: "writes deep", run: (state) => { state.deep.n = 5; } }];
  for (const step of steps) {
    const { state, errors } = await workflowOf(step).run({ state: { n: 1, deep: { n: 1 } } });
    assert.deepEqual(state, { n: 1, deep: { n: 1 } });
    assert.match(errors[0].hint, /read-only/);
  }
});

test("3.2/18 the state at the end has the initial keys and every update", async () => {
  const workflow = new Workflow({ name: "w", initialState: { a: 0, b: 0 }, steps: [gives("x", { b: 1 }), gives("y", { c: 2 })] });
  assert.deepEqual((await workflow.run()).state, { a: 0, b: 1, c: 2 });
});

test("3.3/19 3.3/20 a result has the state and, for each step, its name, status, error and duration", async () => {
  const clock = virtualClock(0);
  const slow = { name: "slow", run: async () => { await later(40, clock); return { x: 1 }; } };
  const { state, stepResults } = await workflowOf(slow, { name: "off", condition: "false", steps: [] }, fails("bad")).run({ clock });
  assert.deepEqual(state, { x: 1 });
  assert.deepEqual(stepResults.map(({ name, status, error, durationMs }) => [name, status, error?.message, durationMs]), [
    ["slow", "done", undefined, 40], ["off", "skipped", undefined, 0], ["bad", "error", "bad is broken", 0],
  ]);
});

test("3.3/21 a failure stops the run unless `onError` says to continue; either way the promise resolves", async () => {
  const steps = [fails("validate"), { name: "next", run: (state) => ({ saw: Object.keys(state) }) }];
  const stopped = await new Workflow({ name: "w", initialState: { n: 1 }, steps }).run();
  assert.deepEqual([stopped.status, stopped.state, list(stopped)], ["error", { n: 1 }, ["validate error"]]);
  const went = await new Workflow({ name: "w", initialState: { n: 1 }, onError: "continue", steps }).run();
  assert.deepEqual([went.status, went.state, list(went)], ["done", { n: 1, saw: ["n"] }, ["validate error", "next done"]]);
});

test("3.3/23 the duration is the real one, with all attempts and waits, also of what failed", async () => {
  for (const succeeds of [true, false]) {
    const clock = virtualClock(0);
    const step = { name: "x", run: async (_, { attempt }) => { await later(10, clock); if (attempt < 3 || !succeeds) throw busy(); return {}; } };
    const { stepResults } = await new Workflow({ name: "w", retryPolicy: { maxRetries: 2, backoffMs: 100 }, steps: [step] }).run({ clock });
    assert.deepEqual(stepResults.map(({ status, durationMs, attempts }) => [status, durationMs, attempts]), [[succeeds ? "done" : "error", 330, 3]]);
  }
});

/** When the attempts of a step that is always busy begin. */
async function attempts(retryPolicy, more) {
  const clock = virtualClock(0);
  const begun = [];
  await new Workflow({ name: "w", ...(retryPolicy && { retryPolicy }), steps: [{ name: "x", run: () => { begun.push(clock.now()); throw busy(); }, ...more }] }).run({ clock });
  return begun;
}

test("3.3/24 3.3/25 retries are attempts after the first one, with waits that double from backoffMs, which is a second if absent", async () => {
  assert.deepEqual(await attempts(undefined), [0]);
  assert.deepEqual(await attempts({ maxRetries: 2 }), [0, 1000, 3000]);
  assert.deepEqual(await attempts({ maxRetries: 3, backoffMs: 100 }), [0, 100, 300, 700]);
  assert.deepEqual(await attempts({ maxRetries: 2, backoffMs: 50_000 }), [0, 50_000, 110_000], "a minute is the longest wait, if no other is given");
  assert.deepEqual(await attempts({ maxRetries: 3, backoffMs: 100 }, { retryCount: 1 }), [0, 100]);
});

test("3.3/26 functions are retried wherever they stand; predicates and the steps that hold others are not", async () => {
  const counts = { inner: 0, predicate: 0, sibling: 0 };
  const inner = { name: "inner", run: () => { counts.inner += 1; throw busy(); }, required: false };
  const sibling = { name: "sibling", run: () => void (counts.sibling += 1) };
  const gate = { name: "asked", condition: () => { counts.predicate += 1; throw busy(); }, steps: [], required: false };
  await new Workflow({ name: "w", retryPolicy: { maxRetries: 2, backoffMs: 1 }, steps: [{ name: "all", parallel: [{ name: "maybe", condition: "true", steps: [inner] }, sibling] }, gate] }).run({ clock: virtualClock() });
  assert.deepEqual(counts, { inner: 3, predicate: 1, sibling: 1 });
});

test("3.3/27 each attempt begins with the state that the first one had, and has its input written again", async () => {
  const states = [];
  const flaky = { name: "flaky", run: (state, { attempt }) => { states.push({ ...state }); if (attempt === 1) throw busy(); return { n: state.n + 1 }; } };
  const { state } = await new Workflow({ name: "w", retryPolicy: { maxRetries: 1, backoffMs: 1 }, initialState: { n: 1 }, steps: [flaky] }).run({ clock: virtualClock() });
  assert.deepEqual([states, state], [[{ n: 1 }, { n: 1 }], { n: 2 }]);
  const written = [];
  const agent = new Agent({ name: "a", model: model() });
  const ask = { name: "ask", agent, inputFrom: (_, { attempt }) => { written.push(attempt); return `attempt ${attempt}`; } };
  const fetch = endpoint(503, "fine");
  await new Workflow({ name: "w", retryPolicy: { maxRetries: 1, backoffMs: 1 }, steps: [ask] }).run({ clock: virtualClock(), fetch });
  assert.deepEqual([written, fetch.prompts()], [[1, 2], ["attempt 1", "attempt 2"]]);
});

test("3.3/28 whatever a function throws is retried, unless it says that this does not help", async () => {
  for (const [error, expected] of [
    [busy(), 3],
    [new Error("fetch failed"), 3],
    ["text", 3],
    [null, 3],
    [new StepweaveError("handler", "no"), 3],
    [new StepweaveError("limit", "full for now", { retryable: true }), 3],
    [Object.assign(new Error("no"), { retryable: false }), 1],
    [new StepweaveError("network", "no", { retryable: false }), 1],
    [new StepweaveError("validation", "no"), 1],
  ]) {
    const { stepResults, errors } = await new Workflow({ name: "w", retryPolicy: { maxRetries: 2, backoffMs: 1 }, steps: [fails("x", error)] }).run({ clock: virtualClock() });
    assert.deepEqual([stepResults[0].attempts, errors[0].retryable], [expected, expected > 1]);
  }
});

test("3.3/29 every attempt has its start and its end, with its number and when it goes on", async () => {
  const run = new Workflow({ name: "w", retryPolicy: { maxRetries: 1, backoffMs: 50 }, steps: [{ name: "x", run: (_, { attempt }) => { if (attempt === 1) throw busy(); } }] }).start({ clock: virtualClock(0) });
  const emitted = (await eventsOf(run)).filter(({ step }) => step !== undefined);
  assert.deepEqual(emitted.map(({ type, at, attempt, attempts: count, retryInMs }) => [type, at, attempt ?? count, retryInMs]), [
    ["step.start", 0, 1, undefined], ["step.error", 0, 1, 50], ["step.start", 50, 2, undefined], ["step.done", 50, 2, undefined],
  ]);
});

test("3.4/33 a failure that a condition's steps survive leaves the condition done; one that stops them makes it an error", async () => {
  const inside = (required) => workflowOf({ name: "maybe", condition: "true", steps: [{ ...fails("a"), required }, gives("b", { b: 1 })] }).run();
  assert.deepEqual(list(await inside(false)), ["maybe done", "a error", "b done"]);
  const { stepResults, errors } = await inside(true);
  assert.deepEqual(stepResults.map(({ name, status }) => `${name} ${status}`), ["maybe error", "a error"]);
  assert.equal(stepResults[0].error.cause, errors[0]);
});

test("3.4/34 a predicate is waited for, and must give true or false", async () => {
  const decided = (condition) => workflowOf({ name: "c", condition, steps: [gives("yes", { yes: 1 })] }).run();
  assert.deepEqual((await decided(async () => false)).state, {});
  assert.deepEqual((await decided(async () => true)).state, { yes: 1 });
  for (const condition of [() => 1, () => ({}), async () => "false", () => undefined]) {
    const { errors } = await decided(condition);
    assert.deepEqual([errors[0].code, errors[0].step.name], ["handler", "c"]);
  }
});

test("3.5/37 members start together, and what follows waits for all, also when one has failed", async () => {
  const clock = virtualClock(0);
  const log = [];
  const member = (name, ms, error) => ({ name, required: false, run: async () => { log.push(`start ${name}`); await later(ms, clock); log.push(`end ${name}`); if (error) throw new Error(name); } });
  await workflowOf({ name: "all", parallel: [member("a", 30), member("b", 10, true), member("c", 20)] }, { name: "next", run: () => void log.push("next") }).run({ clock });
  assert.deepEqual(log, ["start a", "start b", "start c", "end b", "end c", "end a", "next"]);
});

test("3.5/38 members do not see what the others change", async () => {
  const seen = [];
  const member = (name) => ({ name, run: async (state) => { await turn(); seen.push(state.n); return { n: state.n + 1 }; } });
  const look = { name: "lane", steps: [gives("first", { mine: 1 }), { name: "second", run: async (state) => { await turn(); seen.push([state.n, state.mine]); } }] };
  await workflowOf({ name: "all", parallel: [member("a"), member("b"), look] }).run({ state: { n: 1 } });
  assert.deepEqual(seen, [1, 1, [1, 1]]);
});

test("3.5/39 what members change is merged in the order of the document, whoever ends first", async () => {
  for (const [a, b] of [[20, 0], [0, 20]]) {
    const clock = virtualClock(0);
    const member = (name, ms) => ({ name, run: async () => { await later(ms, clock); return { who: name, [name]: ms }; } });
    assert.deepEqual((await workflowOf({ name: "all", parallel: [member("a", a), member("b", b)] }).run({ clock })).state, { who: "b", a, b });
  }
});

test("3.5/40 only what a member changed is merged, and two that change one key are reported", async () => {
  const whole = (name, patch) => ({ name, run: async (state) => ({ ...state, ...patch }) });
  const run = workflowOf({ name: "all", parallel: [whole("one", { a: 1 }), whole("two", { b: 2 })] }).start({ state: { a: 0, b: 0 } });
  assert.deepEqual((await run.result).state, { a: 1, b: 2 });
  assert.ok((await eventsOf(run)).every(({ type }) => type !== "run.warning"));
  const both = workflowOf({ name: "all", parallel: [gives("one", { a: 1 }), gives("two", { a: 2 })] }).start();
  assert.deepEqual((await both.result).state, { a: 2 });
  assert.deepEqual((await eventsOf(both)).filter(({ type }) => type === "run.warning").map(({ code }) => code), ["write_conflict"]);
  const strict = await workflowOf({ name: "all", onConflict: "error", parallel: [gives("one", { a: 1 }), gives("two", { a: 2 })] }).run();
  assert.deepEqual([strict.status, strict.errors[0].code, strict.state], ["error", "conflict", {}]);
});

test("3.5/41 3.5/42 a member that may fail leaves the changes of its siblings and the parallel done; results stand in the order of the document", async () => {
  const result = await workflowOf({ name: "all", parallel: [gives("a", { a: 1 }), { ...fails("b"), required: false }, { name: "c", run: async () => ({ c: 1 }) }] }).run();
  assert.deepEqual([result.status, result.state, list(result)], ["done", { a: 1, c: 1 }, ["all done", "a done", "b error", "c done"]]);
});

test("3.6/44 a run may bring a session, a user, and a state that is merged over the initial one", async () => {
  let context;
  const workflow = new Workflow({ name: "w", initialState: { a: 1, b: 1 }, steps: [{ name: "x", run: (_, given) => { context = given; } }] });
  const { state } = await workflow.run({ sessionId: "s", userId: "u", state: { b: 2, c: 3 } });
  assert.deepEqual([state, context.sessionId, context.userId], [{ a: 1, b: 2, c: 3 }, "s", "u"]);
});

test("3.6/45 every function of a run is given its context", async () => {
  const contexts = {};
  const keep = (name, answer) => (_, context) => { contexts[name] = context; return answer; };
  const agent = new Agent({ name: "a", model: demo() });
  const workflow = workflowOf(
    { name: "function", run: keep("function") },
    { name: "condition", condition: keep("condition", false), steps: [] },
    { name: "ask", agent, inputFrom: keep("input", "x") },
    { name: "each", items: keep("items", []), steps: [] },
    { name: "all", parallel: [{ name: "left", run: (_, { sessionState }) => sessionState.set("by", "left") }, { name: "right", run: keep("right") }] },
  );
  const run = workflow.start({ clock: virtualClock(), tenantId: "t", dependencies: { db: 1 }, metadata: { m: 2 } });
  await run.result;
  assert.deepEqual(Object.keys(contexts), ["function", "condition", "input", "items", "right"]);
  for (const [name, context] of Object.entries(contexts)) {
    assert.deepEqual([context.runId, context.sessionId, context.userId, context.tenantId, context.attempt], [run.id, run.id, undefined, "t", 1], name);
    assert.deepEqual([context.dependencies, context.metadata], [{ db: 1 }, { m: 2 }]);
    assert.ok(context.signal instanceof AbortSignal);
    assert.equal(context.idempotencyKey, `${run.id}/${context.step.key}`);
    assert.equal(context.sessionState.get("by"), "left");
    assert.equal(typeof context.log, "function");
  }
  let bare;
  await workflowOf({ name: "x", run: (_, context) => { bare = context; } }).run();
  assert.deepEqual([bare.metadata, bare.dependencies, bare.sessionState.get("by")], [{}, {}, undefined]);
});

test("3.6/46 a run can be cancelled, which its functions learn from their signal", async () => {
  let signal;
  const run = workflowOf(gives("a", { a: 1 }), { name: "slow", run: (_, context) => { signal = context.signal; return new Promise(() => {}); } }, gives("never", { b: 1 })).start();
  await turn();
  assert.equal(signal.aborted, false);
  run.cancel("enough");
  const { status, state } = await run.result;
  assert.deepEqual([status, state, signal.aborted], ["cancelled", { a: 1 }, true]);
  assert.equal((await eventsOf(run)).at(-1).reason, "enough");
});

test("3.6/47 a run emits its start, its steps and its end: done with the state, or the error that stopped it", async () => {
  const emitted = async (workflow) => (await eventsOf(workflow.start({ state: { n: 1 } })));
  const done = await emitted(workflowOf(gives("a", { m: 2 })));
  assert.deepEqual(done.map(({ type }) => type), ["run.start", "step.start", "step.done", "run.done"]);
  assert.equal(done[0].workflow, "w");
  assert.deepEqual([done.at(-1).result.state, done.at(-1).result.usage], [{ n: 1, m: 2 }, { inputTokens: 0, outputTokens: 0 }]);
  assert.equal(done[0].runId, done.at(-1).result.runId);
  const failed = await emitted(workflowOf(fails("a")));
  assert.deepEqual(failed.map(({ type }) => type), ["run.start", "step.start", "step.error", "run.error"]);
  assert.equal(failed.at(-1).result.error.message, "a is broken");
  assert.equal(failed.at(-1).result.runId, failed[0].runId);
  assert.deepEqual(failed.at(-1).result.state, { n: 1 });
  // Every step is emitted with its name, its start before its end, whatever kind it is and whatever became of it.
  const agent = new Agent({ name: "a", model: demo() });
  const all = await emitted(workflowOf({ name: "ask", agent, inputFrom: "x" }, { ...fails("broken"), required: false }, { name: "maybe", condition: "n == 1", steps: [gives("inside", {})] }, { name: "never", condition: "n == 2", steps: [] }, { name: "both", parallel: [gives("left", {}), gives("right", {})] }));
  const types = (name) => all.filter(({ type, step }) => step?.name === name && type !== "step.delta").map(({ type }) => type);
  for (const name of ["ask", "maybe", "inside", "both", "left", "right"]) assert.deepEqual(types(name), ["step.start", "step.done"], name);
  assert.deepEqual([types("broken"), types("never")], [["step.start", "step.error"], ["step.start", "step.skipped"]]);
  assert.deepEqual([all[0].type, all.at(-1).type, all.filter(({ type }) => /^run\.(?!warning)/.test(type)).length], ["run.start", "run.done", 2]);
  // A call that is wrong has no end to tell: it rejects.
  assert.equal((await rejection(workflowOf({ name: "x", run: 5 }).run())).code, "document");
});

test("3.6/49 a failure that the run survives is emitted as its step's, and the run ends done", async () => {
  const events = await eventsOf(workflowOf({ ...fails("a"), required: false }).start());
  assert.deepEqual(events.map(({ type }) => type), ["run.start", "step.start", "step.error", "run.done"]);
  assert.equal(events.at(-1).result.errors.length, 1);
});

test("3.6/50 listeners are added, added for once and removed, and one that throws disturbs neither the run nor the others", async () => {
  const heard = [];
  let calls = 0;
  const workflow = new Workflow({ name: "w", retryPolicy: { maxRetries: 2, backoffMs: 1 }, steps: [{ name: "x", run: () => { calls += 1; return { calls }; } }] });
  const removed = () => heard.push("removed");
  workflow.on("step.start", () => { throw new Error("at the start"); });
  workflow.on("step.done", () => { throw new Error("at the end"); });
  workflow.once("run.done", () => heard.push("once"));
  workflow.on("run.done", () => heard.push("on"));
  workflow.on("run.done", removed);
  workflow.off("run.done", removed);
  for (let round = 0; round < 2; round += 1) {
    assert.equal((await workflow.run()).status, "done");
    await turn();
  }
  assert.deepEqual([calls, heard], [2, ["once", "on", "on"]]);

  // One that was added for once is removed like any other, and so is one for all types, in either way.
  const quiet = workflowOf(gives("x", {}));
  const never = () => heard.push("never");
  quiet.once("run.done", never);
  quiet.off("run.done", never);
  quiet.on("*", never)();
  quiet.once("step.done", never)();
  // Listeners hear in the order of the events, each event once; one that is asynchronous is not waited for.
  const types = [];
  quiet.on("*", async ({ type }) => { types.push(type); await turn(); throw new Error("later"); });
  const { status } = await quiet.run();
  await turn();
  assert.deepEqual([status, types.slice(0, 4), heard.length], ["done", ["run.start", "step.start", "step.done", "run.done"], 3]);
  // A listener of another workflow hears nothing, and nobody but a run can send an event.
  assert.ok(!("emit" in quiet) && !("removeAllListeners" in quiet));
});

/** A workflow of three steps, the second of which fails as often as the test says, and what was called. */
function resumable(failures) {
  const calls = [];
  const step = (name) => ({ name, run: async (state) => { calls.push(name); if (name === "two" && calls.filter((call) => call === "two").length <= failures) throw new Error("not yet"); return { [name]: (state.start ?? 0) + calls.length }; } });
  return { workflow: workflowOf(step("one"), step("two"), step("three")), calls };
}

test("3.6/51 3.6/52 a run with a store is kept answer by answer, and is taken up by its id without repeating what was done", async () => {
  const store = memoryStore();
  const { workflow, calls } = resumable(1);
  const first = await workflow.run({ store, journal: "order-17" });
  assert.deepEqual([first.status, first.runId], ["error", "order-17"]);
  const kept = await store.load("order-17");
  assert.deepEqual(kept.entries.map(({ key }) => key), ["start", "one/1/run", "two/1/run", "end"]);
  const second = await workflow.run({ store, journal: "order-17" });
  assert.deepEqual([second.status, second.runId, calls], ["done", "order-17", ["one", "two", "two", "three"]]);
  assert.deepEqual(second.state, { one: 1, two: 3, three: 4 });
  const error = await rejection(workflow.run({ journal: "order-17" }));
  assert.deepEqual([error.code, error.message], ["validation", "a journal that is named needs a `store`"]);
});

test("3.6/53 a kept run can be run again from a step on as a new one, also with another state; journals that are not needed are deleted", async () => {
  const store = memoryStore();
  const { workflow, calls } = resumable(0);
  const { journal, runId } = await workflow.run({ store });
  const fork = await workflow.run({ journal, replay: "edit", from: "two" });
  assert.deepEqual(calls, ["one", "two", "three", "two", "three"]);
  assert.notEqual(fork.runId, runId);
  assert.equal(fork.state.one, 1);
  const changed = await workflow.run({ journal, replay: "edit", state: { start: 100 } });
  assert.ok(changed.state.two > 100);
  assert.equal((await rejection(workflow.run({ journal, replay: "edit", from: "s9" }))).code, "validation");
  assert.equal((await rejection(workflow.run({ journal: "nobody's", store, replay: "edit" }))).code, "validation");
  assert.deepEqual((await store.load(runId)).entries.length, journal.entries.length);
  for (const { id } of (await store.list()).runs) await store.delete(id);
  assert.deepEqual(await store.list(), { runs: [] });
});

test("3.6/54 a run that is resumed keeps the paths and results of its steps, and emits all of its events", async () => {
  const { workflow } = resumable(1);
  const { journal } = await workflow.run({ journal: true });
  const run = workflow.start({ journal });
  const { stepResults } = await run.result;
  assert.deepEqual(stepResults.map(({ path, status, attempts }) => `${path} ${status} ${attempts}`), ["steps[0] done 1", "steps[1] done 2", "steps[2] done 1"]);
  const events = await eventsOf(run);
  assert.deepEqual([events[0].type, events.at(-1).type], ["run.start", "run.done"]);
  assert.deepEqual(events.filter(({ type }) => type === "step.done").map(({ step, replayed }) => `${step.name} ${replayed ?? false}`), ["one true", "two false", "three false"]);
});

test("3.6/55 a store loads, appends, lists and deletes; any object that does is one", async () => {
  const journals = new Map();
  const store = {
    load: async (id) => journals.get(id),
    append: async (id, entries, expected, summary) => {
      const known = journals.get(id)?.entries ?? [];
      assert.equal(known.length, expected);
      journals.set(id, { version: 2, id, entries: [...known, ...entries], summary });
    },
    list: async () => ({ runs: [...journals].map(([id, { summary }]) => ({ id, ...summary })) }),
    delete: async (id) => void journals.delete(id),
  };
  const { workflow, calls } = resumable(1);
  await workflow.run({ store, journal: "mine" });
  assert.equal((await workflow.run({ store, journal: "mine" })).status, "done");
  assert.deepEqual(calls, ["one", "two", "two", "three"]);
  assert.deepEqual((await store.list()).runs.map(({ id, status, documentName }) => [id, status, documentName]), [["mine", "done", workflow.name]]);
  // Keys keep apart what is kept; what is deleted is gone, and its id can be used anew.
  await workflow.run({ store, journal: "other" });
  assert.deepEqual([...journals.keys()].sort(), ["mine", "other"]);
  assert.equal((await store.load("other")).entries.length > 0, true);
  assert.equal(await store.load("nobody's"), undefined);
  await store.delete("mine");
  assert.deepEqual([...journals.keys()], ["other"]);
  calls.length = 0;
  assert.equal((await workflow.run({ store, journal: "mine" })).status, "error");
  assert.deepEqual(calls, ["one", "two"]);
});

test("3.6/56 workflows of one name are apart: nothing is registered anywhere", async () => {
  const [one, two] = [workflowOf(gives("x", { n: 1 })), workflowOf(gives("x", { n: 2 }))];
  const heard = [];
  one.on("run.done", () => heard.push("one"));
  assert.deepEqual([(await two.run()).state, (await one.run()).state], [{ n: 2 }, { n: 1 }]);
  await turn();
  assert.deepEqual(heard, ["one"]);
});

test("3.6/57 an agent has a name, a model and instructions; a call that is given up is no answer", async () => {
  const fetch = endpoint("fine");
  const agent = new Agent({ name: "writer", model: model("m"), instructions: "Be brief." });
  await workflowOf({ name: "ask", agent, inputFrom: "x" }).run({ fetch });
  assert.deepEqual([fetch.bodies[0].model, fetch.bodies[0].system], ["m", "Be brief."]);
  const never = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const run = workflowOf({ name: "ask", agent, inputFrom: "x" }).start({ fetch: never });
  await turn();
  run.cancel();
  const { status, stepResults, state } = await run.result;
  assert.deepEqual([status, stepResults[0].status, state], ["cancelled", "cancelled", {}]);
  const timed = await workflowOf({ name: "ask", agent, inputFrom: "x", timeoutMs: 5 }).run({ fetch: never, clock: virtualClock() });
  assert.deepEqual([timed.status, timed.errors[0].code, timed.state], ["error", "timeout", {}]);
});
