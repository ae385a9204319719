import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, StepweaveError, Workflow } from "stepweave";
import { eventsOf, rejection, virtualClock } from "./support.js";

test("steps run in order and their patches merge", async () => {
  const workflow = new Workflow({
    name: "count",
    initialState: { n: 1 },
    steps: [
      { name: "double", run: (state) => ({ n: state.n * 2 }) },
      { name: "later", run: async (state) => ({ n: state.n + 1, list: [1, { a: null }] }) },
      { name: "nothing", run: () => {} },
    ],
  });
  const result = await workflow.run({ state: { extra: true } });
  assert.equal(result.status, "done");
  assert.deepEqual(result.state, { n: 3, extra: true, list: [1, { a: null }] });
  assert.deepEqual(result.stepResults.map(({ id, name, status, attempts }) => [id, name, status, attempts]), [
    ["double", "double", "done", 1],
    ["later", "later", "done", 1],
    ["nothing", "nothing", "done", 1],
  ]);
  assert.deepEqual(result.errors, []);
});

test("events are numbered, stamped by the clock, and end with exactly one that carries the result", async () => {
  const clock = virtualClock(5000);
  const workflow = new Workflow({ name: "two", steps: [{ name: "a", run: () => ({ x: 1 }) }, { name: "b", run: () => clock.advance(7) }] });
  const run = workflow.start({ clock });
  const events = await eventsOf(run);
  assert.deepEqual(events.map(({ type, seq, at }) => [type, seq, at]), [
    ["run.start", 0, 5000],
    ["step.start", 1, 5000],
    ["step.done", 2, 5000],
    ["step.start", 3, 5000],
    ["step.done", 4, 5007],
    ["run.done", 5, 5007],
  ]);
  assert.equal(events[0].runId, run.id);
  assert.equal(events[0].workflow, "two");
  assert.deepEqual(events[2].patch, { x: 1 });
  assert.deepEqual(events[2].step, { id: "a", path: "steps[0]", name: "a", key: "a" });
  assert.equal(events[5].result, await run.result);
  assert.deepEqual(await eventsOf(run), events, "a second reader starts at the first event");
});

test("conditions take one of two ways, and parallels merge what changed", async () => {
  const workflow = new Workflow({
    name: "tree",
    initialState: { n: 5 },
    steps: [
      { name: "big", condition: (state) => state.n > 3, steps: [{ name: "yes", run: () => ({ big: true }) }] },
      { name: "small", condition: "n < 3", steps: [{ name: "never", run: () => ({ never: true }) }], else: [{ name: "no", run: () => ({ small: false }) }] },
      { name: "off", condition: async () => false, steps: [{ name: "never", run: () => ({ never: true }) }] },
      {
        name: "both",
        parallel: [
          { name: "left", run: async () => ({ left: 1 }) },
          { name: "lane", steps: [{ name: "one", run: () => ({ right: 1 }) }, { name: "two", run: (state) => ({ right: state.right + 1 }) }] },
        ],
      },
    ],
  });
  const result = await workflow.run();
  assert.deepEqual(result.state, { n: 5, big: true, small: false, left: 1, right: 2 });
  assert.deepEqual(result.stepResults.map(({ id, status }) => `${id} ${status}`), [
    "big done", "big.yes done", "small done", "small.else.no done", "off skipped", "both done", "both.left done", "both.lane done", "both.lane.one done", "both.lane.two done",
  ]);
});

test("an agent on the demo model answers without a network, and says that it is a simulation", async () => {
  const writer = new Agent({ name: "writer", model: demo(), instructions: "You write." });
  const workflow = new Workflow({ name: "write", steps: [{ name: "draft", agent: writer, inputFrom: (state) => `About ${state.topic}` }] });
  const result = await workflow.run({ state: { topic: "bees" }, clock: virtualClock() });
  assert.match(result.state.draft_output, /^\[simulated\].*bees/s);
  assert.equal(result.stepResults[0].simulated, true);
  assert.equal(result.stepResults[0].output, result.state.draft_output);
  assert.ok(result.usage.outputTokens > 0);
});

test("a failing handler is data in the result: code, step, message, and the cause that was thrown", async () => {
  const thrown = new RangeError("too many bees");
  const workflow = new Workflow({ name: "fail", initialState: { kept: 1 }, steps: [{ name: "ok", run: () => ({ done: 1 }) }, { name: "boom", run: () => { throw thrown; } }, { name: "never", run: () => {} }] });
  const { status, errors, state, stepResults } = await workflow.run();
  assert.equal(status, "error");
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof StepweaveError);
  assert.equal(errors[0].code, "handler");
  assert.match(errors[0].message, /too many bees/);
  assert.equal(errors[0].cause, thrown);
  assert.deepEqual(errors[0].step, { id: "boom", path: "steps[1]", name: "boom", key: "boom" });
  assert.deepEqual(state, { kept: 1, done: 1 });
  assert.equal(stepResults[1].error, errors[0]);
  assert.equal(stepResults.length, 2);
});

test("a failure inside containers is listed once", async () => {
  const workflow = new Workflow({
    name: "nested",
    steps: [{ name: "outer", steps: [{ name: "fork", parallel: [{ name: "bad", run: async () => { throw new Error("no"); } }, { name: "good", run: async () => ({ good: 1 }) }] }] }],
  });
  const { status, errors, state, stepResults } = await workflow.run();
  assert.equal(status, "error");
  assert.deepEqual(errors.map((error) => error.step.name), ["bad"]);
  assert.deepEqual(state, { good: 1 }, "the siblings finish first");
  assert.deepEqual(stepResults.map(({ name, status }) => `${name} ${status}`), ["outer error", "fork error", "bad error", "good done"]);
});

test("what is no error can be thrown too", async () => {
  for (const [thrown, text] of [["plain text", /plain text/], [{ message: "like an error" }, /like an error/], [undefined, /undefined/], [42, /42/], [null, /null/]]) {
    const { errors } = await new Workflow({ name: "t", steps: [{ name: "x", run: () => { throw thrown; } }] }).run();
    assert.equal(errors[0].code, "handler");
    assert.match(errors[0].message, text);
    assert.equal(errors[0].cause, thrown);
  }
});

test("a thrown StepweaveError keeps its code, its hint and whether it may be tried again", async () => {
  const workflow = new Workflow({
    name: "own",
    steps: [{ name: "x", run: () => { throw new StepweaveError("rate_limit", "the shop is busy", { hint: "come back at noon", retryable: true }); } }],
  });
  const { errors } = await workflow.run();
  assert.deepEqual([errors[0].code, errors[0].message, errors[0].hint, errors[0].retryable], ["rate_limit", "the shop is busy", "come back at noon", true]);
});

test("retries wait by the clock and tell every attempt", async () => {
  const clock = virtualClock(0);
  const attempts = [];
  const workflow = new Workflow({
    name: "retry",
    retryPolicy: { maxRetries: 2, backoffMs: 1000 },
    steps: [{ name: "flaky", run: (state, { attempt }) => { attempts.push([attempt, clock.now()]); if (attempt < 3) throw Object.assign(new Error(`no ${attempt}`), { retryable: true }); return { ok: true }; } }],
  });
  const run = workflow.start({ clock });
  const result = await run.result;
  assert.deepEqual(attempts, [[1, 0], [2, 1000], [3, 3000]]);
  assert.equal(result.status, "done");
  assert.deepEqual(result.errors, []);
  assert.equal(result.stepResults[0].attempts, 3);
  const errors = (await eventsOf(run)).filter((event) => event.type === "step.error");
  assert.deepEqual(errors.map(({ retryInMs, attempts }) => [attempts, retryInMs]), [[1, 1000], [2, 2000]]);
});

test("whatever a step's function throws is tried again, in every place where a step has a function", async () => {
  let calls;
  // Fails once, then gives the value.
  const once = (value) => () => { calls += 1; if (calls === 1) throw new Error("fetch failed"); return value; };
  const agent = new Agent({ name: "a", model: demo() });
  const places = {
    run: () => ({ run: once({}) }),
    "an async run": () => ({ run: async () => once({})() }),
    "a generator": () => ({ run: function* () { yield "a"; return once({})(); } }),
    "a handler with a version": () => ({ run: once({}), version: "2" }),
    inputFrom: () => ({ agent, inputFrom: once("hello") }),
    files: () => ({ agent, files: once([]) }),
  };
  for (const [place, step] of Object.entries(places)) {
    for (const retries of [{ retryCount: 1 }, {}]) {
      calls = 0;
      const { status, stepResults, errors } = await new Workflow({ name: "t", retryPolicy: { maxRetries: retries.retryCount === undefined ? 1 : 0, backoffMs: 0 }, steps: [{ name: "x", ...step(), ...retries }] }).run();
      assert.deepEqual([status, stepResults[0].attempts, errors.length], ["done", 2, 0], place);
    }
  }
});

test("what a function gives that cannot be used is not asked for again, in whatever way it gives it", async () => {
  const agent = new Agent({ name: "a", model: demo() });
  const tries = [
    (counted) => ({ run: counted(() => ({ v: 1n })) }),
    (counted) => ({ run: counted(async () => 5) }),
    (counted) => ({ run: counted(function* () { yield { v: 1n }; }) }),
    (counted) => ({ condition: counted(() => 5), steps: [] }),
    (counted) => ({ items: counted(() => 5), steps: [] }),
    ...[5, [5], [{ type: "image" }]].map((wrong) => (counted) => ({ agent, inputFrom: counted(() => wrong) })),
    ...[5, [5], ["text"]].flatMap((wrong) => [() => wrong, async () => wrong].map((files) => (counted) => ({ agent, inputFrom: "x", files: counted(files) }))),
  ];
  for (const step of tries) {
    let calls = 0;
    const counted = (call) => (...given) => { calls += 1; return call(...given); };
    const { errors: [error] } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [{ name: "g", ...step(counted) }] }).run();
    assert.deepEqual([error.code, error.retryable, calls, error.cause], ["handler", false, 1, undefined], error.message);
  }
});

test("a generator is read that a promise gives, whoever gives the promise", async () => {
  const texts = () => (function* () { yield "a"; yield "b"; })();
  const values = () => (async function* () { yield 1; return { z: 2 }; })();
  for (const [run, state] of [
    [async () => texts(), { g_output: "ab" }],
    [async () => values(), { g_output: [1], z: 2 }],
    [() => ({ then: (resolve) => resolve(texts()) }), { g_output: "ab" }],
  ]) {
    const events = await eventsOf(new Workflow({ name: "w", steps: [{ name: "g", run }] }).start());
    assert.deepEqual(events.at(-1).result.state, state);
    assert.ok(events.some(({ type }) => type === "step.delta"));
  }
});

test("an error keeps whether it was said that trying again helps", () => {
  assert.equal(new StepweaveError("network", "x").retryable, false);
  assert.equal(new StepweaveError("network", "x").toJSON().retryable, false);
  for (const retryable of [true, false]) assert.equal(StepweaveError.from(new StepweaveError("network", "x", { retryable }).toJSON()).retryable, retryable);
});

test("a failure that is survived is listed, and the run is done", async () => {
  const workflow = new Workflow({ name: "go on", onError: "continue", steps: [{ name: "bad", run: () => { throw new Error("no"); } }, { name: "next", run: () => ({ next: 1 }) }] });
  const { status, state, errors } = await workflow.run();
  assert.equal(status, "done");
  assert.deepEqual(state, { next: 1 });
  assert.equal(errors.length, 1);
});

test("a wrong return value fails its step and says what to return", async () => {
  const cases = [
    [{ run: () => "text" }, /`x` returned "text", not an object of keys to set/, /return an object/],
    [{ run: () => [1] }, /`x` returned an array, not an object of keys to set/, /an object of the keys to set/],
    [{ run: () => ({ items: [1, { when: new Date(0) }] }) }, /patch\.items\[1\]\.when is a Date/, /return when\.toISOString\(\)/],
    [{ run: () => ({ report: new File(["x"], "a.txt") }) }, /patch\.report is a File/, /return what readFiles\(\[report\]\) of "stepweave\/files" gives, or await report\.text\(\)/],
    [{ run: () => ({ f() {} }) }, /patch\.f is a function/, /functions/],
    [{ run: () => { const a = {}; a.self = { a }; return { a }; } }, /patch\.a\.self\.a refers back/, /id/],
    [{ condition: () => 1, steps: [] }, /condition of `x` returned 1, not true or false/, /compare/],
    [{ condition: async () => "yes", steps: [] }, /returned "yes"/, /compare/],
    [{ agent: new Agent({ name: "a", model: demo() }), inputFrom: () => ({}) }, /inputFrom of `x` returned an object, not a text/, /string/],
    [{ agent: new Agent({ name: "a", model: demo() }), inputFrom: function* () { yield "a"; } }, /inputFrom of `x` returned a generator, not a text/, /return the value itself/],
    [{ condition: function* () { yield true; }, steps: [] }, /condition of `x` returned a generator, not true or false/, /return the value itself/],
    [{ items: async function* () { yield 1; }, steps: [] }, /items of `x` returned a generator, not a list/, /return the value itself/],
  ];
  for (const [shape, message, hint] of cases) {
    const { status, errors } = await new Workflow({ name: "t", retryPolicy: { maxRetries: 3 }, steps: [{ name: "x", ...shape }] }).run({ clock: virtualClock() });
    assert.equal(status, "error");
    assert.equal(errors[0].code, "handler");
    assert.equal(errors[0].step.name, "x");
    assert.match(errors[0].message, message);
    assert.match(errors[0].hint, hint);
  }
});

test("writing into the state fails as that step, with a hint, and changes nothing", async () => {
  const writes = [(state) => { state.n = 2; }, (state) => { state.added = 2; }, (state) => { delete state.n; }, (state) => { state.deep.list.push(1); }];
  for (const run of writes) {
    const { errors, state } = await new Workflow({ name: "t", retryPolicy: { maxRetries: 3, backoffMs: 0 }, initialState: { n: 1, deep: { list: [] } }, steps: [{ name: "x", run }] }).run();
    assert.equal(errors[0].code, "handler");
    assert.match(errors[0].hint, /read-only/);
    assert.deepEqual(state, { n: 1, deep: { list: [] } });
  }
});

test("what is given is copied: changing it later changes no run", async () => {
  const initialState = { list: [1] };
  const state = { own: { a: 1 } };
  const returned = { kept: [] };
  const workflow = new Workflow({ name: "t", initialState, steps: [{ name: "x", run: () => returned }, { name: "y", run: () => { returned.kept.push(1); } }] });
  initialState.list.push(2);
  const run = workflow.start({ state });
  state.own.a = 2;
  assert.deepEqual((await run.result).state, { list: [1], own: { a: 1 }, kept: [] });
});

test("keys that reach a prototype are refused in a state and in a patch, and named", async () => {
  for (const key of ["__proto__", "constructor", "prototype"]) {
    const evil = JSON.parse(`{ "fine": 3, "${key}": { "polluted": 1 } }`);
    const said = `.${key} cannot be a key of the state`;
    const workflow = new Workflow({ name: "t", steps: [{ name: "x", run: () => evil }] });
    const { status, state, error } = await workflow.run();
    assert.deepEqual([status, Object.keys(state), error.code, error.step.name], ["error", [], "handler", "x"]);
    assert.ok(error.message.includes(`patch${said}`), error.message);
    assert.match(error.hint, /use another name/);
    const { code, message } = await rejection(workflow.run({ state: evil }));
    assert.deepEqual([code, message.includes(`state${said}`)], ["validation", true], message);
    assert.equal((await rejection(new Workflow({ name: "t", initialState: evil, steps: [] }).run())).code, "document");
  }
  assert.equal({}.polluted, undefined);
});

test("handlers see the run they belong to", async () => {
  const dependencies = { db: new Map() };
  const metadata = { source: "test" };
  let seen;
  const workflow = new Workflow({ name: "t", steps: [{ name: "x", id: "own-id", run: (state, context) => { seen = context; context.log("here"); } }] });
  const run = workflow.start({ sessionId: "s", userId: "u", metadata, dependencies });
  await run.result;
  assert.deepEqual([seen.runId, seen.sessionId, seen.userId, seen.attempt], [run.id, "s", "u", 1]);
  assert.equal(seen.metadata, metadata);
  assert.equal(seen.dependencies, dependencies);
  assert.deepEqual(seen.step, { id: "own-id", path: "steps[0]", name: "x", key: "own-id" });
  assert.equal(seen.signal.aborted, false);
  const emitted = (await eventsOf(run)).find((event) => event.type === "run.warning");
  assert.deepEqual([emitted.code, emitted.message, emitted.step.id], ["log", "here", "own-id"]);
  seen.log("after the end");
  assert.equal((await eventsOf(run)).at(-1).type, "run.done");
});

test("a run that an end step ends well has its message, wherever the step stands", async () => {
  const stop = (end) => ({ name: "stop", end });
  const over = (...steps) => new Workflow({ name: "ends", initialState: { n: 2, list: [1, 2, 3] }, steps: [...steps, { name: "behind", run: () => ({ behind: true }) }] });
  const said = async (...steps) => {
    const { status, message, state } = await over(...steps).run();
    return [status, message, state.behind];
  };
  assert.deepEqual(await said(stop({ message: "n is {{ n }}" })), ["done", "n is 2", undefined]);
  assert.deepEqual(await said({ name: "each", items: "list", steps: [{ name: "two", condition: "item == 2", steps: [stop({ message: "item {{ item }}" })] }] }), ["done", "item 2", undefined]);
  assert.deepEqual(await said({ name: "both", type: "parallel", parallel: [stop({ message: "first" }), { name: "other", end: { message: "second" } }] }), ["done", "first", undefined]);
  // What ends something else, or says nothing, is no message of the run.
  assert.deepEqual(await said(stop({})), ["done", undefined, undefined]);
  assert.deepEqual(await said(stop({ status: "error", message: "bad" })), ["error", undefined, undefined]);
  assert.deepEqual(await said({ name: "each", items: "list", steps: [stop({ scope: "item", message: "on" })] }), ["done", undefined, true]);
  assert.deepEqual(await said({ name: "inner", type: "workflow", steps: [stop({ message: "inner" })] }), ["done", undefined, true]);
  assert.deepEqual(await said({ name: "no", condition: "n == 3", steps: [stop({ message: "never" })] }), ["done", undefined, true]);
  // Also where it comes out of a journal.
  const workflow = over(stop({ message: "n is {{ n }}" }));
  const { journal } = await workflow.run({ journal: true });
  assert.equal((await workflow.run({ journal })).message, "n is 2");
});

test("a call that is wrong itself rejects, and so do its events", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "x", run: () => {} }] });
  const cases = [
    [{ state: "text" }, /`state` must be an object/],
    [{ state: { at: new Date(0) } }, /state\.at is a Date/],
    [{ signal: new AbortController() }, /AbortSignal/],
    [{ clock: {} }, /clock/],
    [{ fetch: 1 }, /fetch/],
    ["text", /options/],
  ];
  for (const [options, message] of cases) {
    const run = workflow.start(options);
    const error = await rejection(run.result);
    assert.ok(error instanceof StepweaveError);
    assert.equal(error.code, "validation");
    assert.match(error.message, message);
    assert.ok(error.hint);
    assert.equal(await rejection(eventsOf(run)), error);
    run.cancel();
  }
});

test("a clock that does not work ends the run", async () => {
  const workflow = new Workflow({ name: "t", retryPolicy: { maxRetries: 1 }, steps: [{ name: "x", run: () => { throw new StepweaveError("network", "no", { retryable: true }); } }] });
  const sleep = async () => {};
  for (const clock of [
    { now: () => Number.NaN, sleep },
    { now: () => { throw new Error("stopped"); }, sleep },
    { now: () => 0, sleep: () => { throw new Error("no bed"); } },
    { now: () => 0, sleep: async () => { throw new Error("no bed"); } },
  ]) {
    const error = await rejection(workflow.run({ clock }));
    assert.equal(error.code, "validation");
    assert.match(error.message, /clock/);
  }
});

test("many runs at once keep apart", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "a", run: async (state) => ({ n: state.n * 2 }) }, { name: "b", run: (state) => ({ n: state.n + 1 }) }] });
  const results = await Promise.all(Array.from({ length: 200 }, (_, n) => workflow.run({ state: { n } })));
  assert.deepEqual(results.map((result) => result.state.n), Array.from({ length: 200 }, (_, n) => n * 2 + 1));
});

test("the keys of a state that has very many are listed three times in a run, however many steps it has", async (context) => {
  const state = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]));
  const workflow = new Workflow({ name: "wide", steps: [{ name: "first", run: { set: { a: "k1" } } }, { name: "second", run: { set: { b: "a + k2" } } }] });
  await workflow.run({ state });
  let listed = 0;
  for (const name of ["keys", "entries", "assign"]) {
    const original = Object[name];
    context.mock.method(Object, name, (...given) => {
      if (given.some((one) => Object.hasOwn(one ?? {}, "k99999"))) listed += 1;
      return original(...given);
    });
  }
  const result = await workflow.run({ state });
  context.mock.restoreAll();
  assert.deepEqual([result.status, result.state.a, result.state.b, Object.keys(result.state).length], ["done", 1, 3, 100_002]);
  assert.ok(listed <= 3, `they were listed ${listed} times`);
});

test("a long run of functions that never wait lets the runtime go on, and can be cancelled", async () => {
  let calls = 0;
  const workflow = new Workflow({ name: "long", steps: Array.from({ length: 20_000 }, (_, n) => ({ name: `step${n}`, run: () => { calls += 1; } })) });
  const run = workflow.start();
  setTimeout(() => run.cancel("enough"), 5);
  const result = await run.result;
  assert.equal(result.status, "cancelled");
  assert.ok(calls > 0 && calls < 20_000, `${calls} steps ran`);
});

test("a parallel may have ten thousand members, and a sequence as many steps", async () => {
  // Merging member by member used to take half a minute.
  const count = 10_000;
  const members = Array.from({ length: count }, (_, index) => ({ name: `m${index}`, run: async () => ({ [`k${index}`]: index }) }));
  const wide = await new Workflow({ name: "wide", steps: [{ name: "all", parallel: members }] }).run();
  assert.equal(Object.keys(wide.state).length, count);
  assert.equal(wide.stepResults.length, count + 1);
  const steps = Array.from({ length: count }, (_, index) => ({ name: `s${index}`, run: ({ n }) => ({ n: n + 1 }) }));
  const long = await new Workflow({ name: "long", initialState: { n: 0 }, steps }).run();
  assert.deepEqual(long.state, { n: count });
});
