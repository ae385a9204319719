// A run is cancelled at every moment that it has: nothing starts afterwards, and it ends once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { deferred, END, eventsOf, piece, turn, virtualClock } from "./support.js";

const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });

/** A world that counts what is started in it, and what of that is under way. */
function world() {
  const seen = { started: [], open: new Set(), aborted: 0 };
  let now = 1000;
  const begin = (what, signal) => {
    seen.started.push(what);
    const one = { what };
    seen.open.add(one);
    signal?.addEventListener("abort", () => { seen.open.delete(one); seen.aborted += 1; });
    return () => seen.open.delete(one);
  };
  return {
    seen,
    clock: {
      now: () => (now += 1),
      sleep: (ms, signal) => new Promise((resolve) => {
        const end = begin(`sleep ${ms}`, signal);
        const timer = setImmediate(() => { end(); now += ms; resolve(); });
        signal.addEventListener("abort", () => { clearImmediate(timer); resolve(); });
      }),
    },
    fetch: async (url, { signal }) => {
      const end = begin("fetch", signal);
      await new Promise((resolve, reject) => { setImmediate(resolve); signal.addEventListener("abort", () => reject(signal.reason)); });
      end();
      const parts = [piece("bees "), piece("fly"), END];
      const encoder = new TextEncoder();
      const body = begin("body");
      return new Response(new ReadableStream({
        pull: async (controller) => {
          await new Promise((resolve) => setImmediate(resolve));
          const part = parts.shift();
          if (part === undefined) { body(); return controller.close(); }
          try { controller.enqueue(encoder.encode(part)); } catch { /* given up meanwhile */ }
        },
        cancel: () => { body(); seen.aborted += 1; },
      }), { headers: { "content-type": "text/event-stream" } });
    },
    handler: (name, run) => (state, context) => { seen.started.push(name); return run(state, context); },
    store: () => {
      const store = memoryStore();
      return {
        ...store,
        load: async (id) => { await new Promise((resolve) => setImmediate(resolve)); return store.load(id); },
        append: async (...batch) => { await new Promise((resolve) => setImmediate(resolve)); return store.append(...batch); },
      };
    },
  };
}

/** Everything that a run can wait for, in one workflow. */
const everything = ({ handler }) => new Workflow({
  name: "everything",
  initialState: { list: [1, 2, 3, 4], n: 0 },
  retryPolicy: { maxRetries: 2, backoffMs: 5 },
  steps: [
    { name: "sync", run: handler("sync", () => ({ a: 1 })), input: { type: "object", required: ["n"] } },
    { name: "async", run: handler("async", async (state, { log }) => { log("hello"); await null; return { b: 1 }; }) },
    { name: "generator", run: handler("generator", async function* () { for (const part of ["x", "y"]) { await turn(); yield part; } }) },
    { name: "plain generator", run: handler("plain generator", function* () { yield 1; yield { two: 2 }; }) },
    { name: "model", agent, inputFrom: handler("inputFrom", async () => "go") },
    { name: "flaky", run: handler("flaky", (state, { attempt }) => { if (attempt < 3) throw Object.assign(new Error("busy"), { retryable: true }); }) },
    { name: "rest", wait: { ms: 20 } },
    { name: "each", items: handler("items", (state) => state.list), as: "item", concurrency: 2, steps: [{ name: "one", run: handler("one", async ({ item }) => { await null; return { item2: item * 2 }; }) }] },
    { name: "again", repeat: { while: handler("while", ({ n }) => n < 3) }, maxIterations: 5, steps: [{ name: "count", run: handler("count", ({ n }) => ({ n: n + 1 })) }] },
    { name: "fork", parallel: [{ name: "left", agent, inputFrom: "left" }, { name: "right", steps: [{ name: "pause", wait: { ms: 3 } }, { name: "r", run: handler("r", () => ({ r: 1 })) }] }] },
    { name: "code", run: { code: "return { c: state.n + 1 }" } },
    { name: "if", condition: handler("if", async () => true), steps: [{ name: "last", run: handler("last", () => ({ last: 1 })) }] },
  ],
});

const TERMINAL = new Set(["run.done", "run.error", "run.cancelled", "run.suspended"]);

async function assertQuiet(run, { seen }, where) {
  const result = await run.result;
  const { length } = seen.started;
  await turn();
  await turn();
  assert.deepEqual(seen.started.slice(length), [], `${where}: something started after the end`);
  assert.deepEqual([...seen.open], [], `${where}: something is still under way`);
  const events = await eventsOf(run);
  assert.equal(events.filter(({ type }) => TERMINAL.has(type)).length, 1, where);
  assert.ok(TERMINAL.has(events.at(-1).type), where);
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index), where);
  assert.equal(events.at(-1).result, result);
  return result;
}

/** Cancels at the n-th chance: between any two turns of the queue of microtasks, or of the event loop. */
for (const [kept, pace] of [["no journal", "fast"], ["a journal", "fast"], ["a journal", "slow"], ["a store", "fast"]]) {
  for (const way of ["cancel", "signal", "stream"]) {
    test(`a ${pace} run over ${kept} that ends by ${way} at any event and after any turn is quiet afterwards`, async ({ mock }) => {
      // On a machine this slow, each turn of the event loop is over after a poll or two.
      let time = 0;
      if (pace === "slow") mock.method(Date, "now", () => (time += 11));
      let undisturbed = 0;
      for (let moment = 0; ; moment += 1) {
        const outside = world();
        const controller = new AbortController();
        const options = { clock: outside.clock, fetch: outside.fetch, signal: controller.signal, ...(kept === "a journal" && { journal: true }), ...(kept === "a store" && { store: outside.store(), journal: `j${moment}` }) };
        const workflow = everything(outside);
        let run;
        let count = 0;
        const started = [];
        if (way === "stream") {
          const stream = workflow.stream(options);
          for await (const event of stream) {
            started.push(event);
            if ((count += 1) > moment) break;
          }
          const { length } = outside.seen.started;
          await turn();
          await turn();
          assert.deepEqual(outside.seen.started.slice(length), [], `after event ${moment}`);
          assert.deepEqual([...outside.seen.open], []);
          if (count <= moment) { undisturbed = count; break; }
          continue;
        }
        run = workflow.start(options);
        // Half a dozen microtasks, then a turn of the event loop, and again.
        for (let wait = 0; wait < moment; wait += 1) {
          if (wait % 4 === 3) await new Promise((resolve) => setImmediate(resolve));
          else await null;
        }
        if (way === "cancel") run.cancel(`at ${moment}`);
        else controller.abort(`at ${moment}`);
        const result = await assertQuiet(run, outside, `${way} at ${moment}`);
        if (result.status === "done") { undisturbed = moment; break; }
        assert.equal(result.status, "cancelled", JSON.stringify(result.errors));
        if (kept === "no journal" || result.journal === undefined) continue;
        const { status, reason, ...more } = result.journal.entries.at(-1).ok;
        assert.deepEqual([status, more], ["cancelled", {}]);
        assert.match(reason, /^at \d+$|after event/);
        // Its replay ends at the same place, and touches nothing.
        const still = { handler: (name) => () => assert.fail(`${name} was called`) };
        const replayed = await everything(still).run({ journal: JSON.parse(JSON.stringify(result.journal)), replay: "strict", fetch: () => assert.fail("fetch"), clock: { now: () => 1, sleep: () => assert.fail("sleep") } });
        const isWhole = result.journal.entries.some(({ key }) => key === "if.last/1/run");
        assert.equal(replayed.status, isWhole ? "done" : "cancelled", `${way} at ${moment}: ${JSON.stringify(replayed.errors)}`);
        // An answer that its store was still keeping is in the journal, though the run did not go on with it.
        if (kept === "a journal") assert.deepEqual(replayed.state, result.state, `${way} at ${moment}`);
        else for (const key of Object.keys(result.state)) assert.ok(key in replayed.state, `${way} at ${moment}`);
        // What is taken up again ends as an undisturbed run does, and repeats no answer.
        if (moment % 7 !== 0) continue;
        const after = world();
        const whole = await everything(after).run({ clock: after.clock, fetch: after.fetch, journal: kept === "a store" ? `j${moment}` : result.journal, ...(kept === "a store" && { store: options.store }) });
        assert.equal(whole.status, "done", JSON.stringify(whole.errors));
        assert.deepEqual({ ...whole.state }, { list: [1, 2, 3, 4], n: 3, a: 1, b: 1, generator_output: "xy", "plain generator_output": [1, { two: 2 }], model_output: "bees fly", each_output: [{ item2: 2 }, { item2: 4 }, { item2: 6 }, { item2: 8 }], left_output: "bees fly", r: 1, c: 4, last: 1 });
        const answered = result.journal.entries.filter(({ key }) => key === "sync/1/run").length;
        assert.equal(after.seen.started.filter((name) => name === "sync").length, 1 - answered);
      }
      assert.ok(undisturbed > 20, `only ${undisturbed} moments were tried`);
    });
  }
}

test("a generator that has not begun when its run is cancelled never begins", async ({ mock }) => {
  // It used to be read for its first chunk all the same. However slow the machine is, the two are called without a pause between them.
  mock.method(Date, "now", () => 1);
  const began = [];
  let run;
  const workflow = new Workflow({ name: "t", steps: [{ name: "p", parallel: [{ name: "g", run: function* () { began.push("g"); yield 1; } }, { name: "c", run: () => { run.cancel(); } }] }] });
  run = workflow.start();
  assert.equal((await run.result).status, "cancelled");
  await turn();
  assert.deepEqual(began, []);
});

test("a handler that cancels its own run and goes on learns it from its signal", async () => {
  // Its signal used to stay silent: the run was over before the promise was there to be given up.
  let run;
  let signal;
  run = new Workflow({ name: "t", steps: [{ name: "x", run: (state, context) => { ({ signal } = context); run.cancel("enough"); return new Promise(() => {}); } }] }).start();
  assert.equal((await run.result).status, "cancelled");
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason.message, "the run was cancelled: enough");
});

test("a generator is closed when its run is cancelled, fails, or yields what cannot be emitted", async () => {
  const closed = [];
  const never = deferred();
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: async function* () { try { yield 1; await never.promise; yield 2; } finally { closed.push("cancelled"); } } }] }).start();
  await turn();
  run.cancel();
  never.resolve();
  await turn();
  const { errors } = await new Workflow({ name: "t", steps: [{ name: "x", run: function* () { try { yield () => {}; } finally { closed.push("refused"); } } }] }).run();
  assert.match(errors[0].message, /yielded is a function/);
  assert.deepEqual(closed, ["cancelled", "refused"]);
});

test("a generator that never waits lets others go on, and can be cancelled", async () => {
  // It used to keep the thread for ever.
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: function* () { for (let n = 0; ; n += 1) yield `${n} `; } }] }).start();
  setTimeout(() => run.cancel(), 30);
  const { status, stepResults } = await run.result;
  assert.equal(status, "cancelled");
  assert.ok(stepResults[0].text.startsWith("0 1 2 3"));
});

test("a generator that never ends meets the limit of events", async () => {
  const workflow = Workflow.fromDocument({ version: 1, name: "t", limits: { maxEvents: 50 }, steps: [{ id: "s1", type: "function", name: "x", run: { handler: "x" } }] }, { handlers: { x: function* () { for (;;) yield "y"; } } });
  const { status, errors } = await workflow.run();
  assert.deepEqual([status, errors.map(({ code }) => code)], ["error", ["limit"]]);
  assert.equal(errors[0].message, "the run has emitted 50 events, which is its limit");
  const chatty = Workflow.fromDocument({ version: 1, name: "t", limits: { maxEvents: 50 }, steps: [{ id: "s1", type: "function", name: "x", run: { handler: "x" } }] }, { handlers: { x: async (state, { log, signal }) => { while (!signal.aborted) { log("y"); await null; } } } });
  assert.equal((await chatty.run()).errors[0].code, "limit");
});

test("a cancel that comes from a clock ends the run once, with what was reached", async () => {
  for (let at = 1; at < 12; at += 1) {
    let run;
    let calls = 0;
    const slept = [];
    const clock = { now: () => { calls += 1; if (calls >= at) run?.cancel("by the clock"); return calls; }, sleep: (ms, signal) => { slept.push(signal); return new Promise(() => {}); } };
    run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }, { name: "w", wait: { ms: 10 } }] }).start({ clock });
    await turn();
    run.cancel();
    assert.equal((await run.result).status, "cancelled", `at ${at}`);
    assert.ok(slept.every(({ aborted }) => aborted), `at ${at}: a timer is left`);
    assert.equal((await eventsOf(run)).filter(({ type }) => type === "run.cancelled").length, 1);
  }
});

const hanging = (from) => {
  const calls = [];
  const store = memoryStore();
  return {
    calls,
    ...store,
    load: (id) => (from === "load" ? new Promise(() => {}) : store.load(id)),
    append: (id, entries, ...rest) => { calls.push(...entries.map(({ key }) => key)); return calls.length > from ? new Promise(() => {}) : store.append(id, entries, ...rest); },
  };
};

test("a store that never answers does not keep a cancelled run from ending", async () => {
  await Promise.all(["load", 0, 1, 2].map(async (from) => {
    let after = 0;
    const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }, { name: "y", run: () => { after += 1; return { y: 1 }; } }, { name: "z", run: () => { after += 1; } }] }).start({ store: hanging(from), journal: "j" });
    await turn();
    run.cancel("enough");
    const result = await run.result;
    assert.equal(result.status, "cancelled");
    assert.deepEqual(result.state, from === 2 ? { x: 1 } : {});
    assert.equal(after, from === 2 ? 1 : 0, "what is not acknowledged is not built upon");
    assert.equal((await eventsOf(run)).at(-1).type, "run.cancelled");
  }));
});

test("a run that waits for nothing but its store can be cancelled; it is done all the same", async () => {
  const controller = new AbortController();
  await Promise.all([(run) => run.cancel(), () => controller.abort()].map(async (end) => {
    const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }] }).start({ store: hanging(2), journal: "j", ...(end.length === 0 && { signal: controller.signal }) });
    await turn();
    assert.equal((await eventsOf(run)).at(-1).type, "run.done");
    let isOver = false;
    run.result.then(() => { isOver = true; });
    await turn();
    assert.equal(isOver, false, "whoever has the result may count on the journal");
    end(run);
    assert.equal((await run.result).status, "done");
  }));
});

test("a store that fails while a run is cancelled changes nothing", async () => {
  const failing = deferred();
  const store = { ...memoryStore(), append: (id, entries, seq) => (seq === 0 && entries[0].key === "start" ? Promise.resolve() : failing.promise) };
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }] }).start({ store, journal: "j" });
  await turn();
  run.cancel();
  failing.reject(new Error("disk full"));
  const result = await run.result;
  assert.equal(result.status, "cancelled");
  assert.deepEqual(result.errors, []);
  assert.deepEqual(result.journal.entries.map(({ key }) => key), ["start"], "the journal says what is kept");
});

test("usage and text of what was answered before a cancel are kept", async () => {
  const outside = world();
  const run = new Workflow({ name: "t", steps: [{ name: "one", agent, inputFrom: "go" }, { name: "two", agent, inputFrom: "go" }] }).start({ fetch: outside.fetch, clock: virtualClock() });
  for await (const event of run.events) if (event.type === "step.delta" && event.step.name === "two") break;
  run.cancel();
  const { usage, stepResults, state } = await assertQuiet(run, outside, "while the second answers");
  assert.deepEqual(usage, { inputTokens: 3, outputTokens: 2 });
  assert.deepEqual(state, { one_output: "bees fly" });
  assert.ok(stepResults[1].text.startsWith("bees "));
});

test("no promise of a cancelled run is rejected without anybody listening", async () => {
  const lost = [];
  const note = (error) => lost.push(error);
  process.on("unhandledRejection", note);
  const late = deferred();
  for (const run of [async () => { await late.promise; throw new Error("late"); }, async function* () { try { yield 1; await late.promise; } finally { throw new Error("in finally"); } }]) {
    const started = new Workflow({ name: "t", steps: [{ name: "x", run }] }).start({ journal: true });
    await turn();
    started.cancel();
    assert.equal((await started.result).status, "cancelled");
  }
  late.resolve();
  await turn();
  process.off("unhandledRejection", note);
  assert.deepEqual(lost, []);
});
