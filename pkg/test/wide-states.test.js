// States of many keys: a step costs what it changes, in all kinds of steps, and everybody sees plain objects.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { Workflow } from "stepweave";
import { connect, serve } from "stepweave/worker";
import { eventsOf, internal, random, turn } from "./support.js";

const { bytesOf, bytesOfWide, diff, join, merge, mergeAll, plain } = await internal({
  "./json/patch.ts": ["diff", "join", "merge", "mergeAll"],
  "./json/size.ts": ["bytesOf"],
  "./json/wide.ts": ["bytesOfWide", "plain"],
});

/** How many keys of objects are gone through by whatever copies, lists or freezes them meanwhile. */
async function keysGoneThrough(act) {
  const originals = {};
  const { keys } = Object;
  let count = 0;
  for (const name of ["assign", "entries", "freeze", "keys"]) {
    originals[name] = Object[name];
    Object[name] = function (...given) {
      // What is assigned to is not gone through.
      for (const value of name === "assign" ? given.slice(1) : given) if (typeof value === "object" && value !== null && !Array.isArray(value)) count += keys(value).length;
      return originals[name].apply(this, given);
    };
  }
  try {
    await act();
  } finally {
    Object.assign(Object, originals);
  }
  return count;
}

const set = (id, values) => ({ id, type: "function", name: id, run: { set: values } });
const many = (count, item) => Array.from({ length: count }, (_, index) => item(index));
const keysFrom = (count, prefix) => Object.fromEntries(many(count, (index) => [`${prefix}${index}`, index]));
const document = (rest) => ({ version: 1, name: "wide", ...rest });

/** What a document is about, and one with so much of it. */
const SHAPES = {
  "steps": (n) => ({ steps: many(n, (i) => set(`s${i}`, { [`k${i}`]: "1" })) }),
  "steps below a bound of bytes": (n) => ({ limits: { maxStateBytes: 10_000_000 }, steps: many(n, (i) => set(`s${i}`, { [`k${i}`]: "1" })) }),
  "steps whose outputs are read": (n) => ({ steps: [...many(n, (i) => set(`s${i}`, { [`k${i}`]: "1" })), set("last", { last: "steps.s0.output.k0" })] }),
  "items": (n) => ({ initialState: { ...keysFrom(n, "w"), list: many(n, (i) => i) }, steps: [{ id: "each", type: "foreach", name: "each", items: "list", steps: [set("a", { a: "item" }), set("b", { b: "a" })] }] }),
  "members": (n) => ({ initialState: keysFrom(n, "w"), steps: [{ id: "p", type: "parallel", name: "p", parallel: many(n, (i) => set(`s${i}`, { [`k${i}`]: "1" })) }] }),
  "parallels": (n) => ({ initialState: keysFrom(n, "w"), steps: many(n, (i) => ({ id: `p${i}`, type: "parallel", name: `p${i}`, parallel: [set(`a${i}`, { [`a${i}`]: "1" }), set(`b${i}`, { [`b${i}`]: "1" })] })) }),
  "rounds": (n) => ({ initialState: { ...keysFrom(n, "w"), count: 0 }, steps: [{ id: "l", type: "loop", name: "l", maxIterations: n, repeat: { until: `count == ${n}` }, steps: [set("s", { count: "count + 1" })] }] }),
  "workflows": (n) => ({ initialState: keysFrom(n, "w"), steps: many(n, (i) => ({ id: `w${i}`, type: "workflow", name: `w${i}`, initialState: { own: 1 }, set: { [`r${i}`]: "own" }, steps: [set(`s${i}`, { own: "w1" })] })) }),
};

// What keeps wide states is loaded with the first one.
before(async () => {
  merge(keysFrom(100, "w"), {});
  const wide = new Workflow({ name: "wide", initialState: keysFrom(100, "w"), steps: [{ name: "s", run: () => ({}) }] });
  assert.equal(Object.keys((await wide.run()).state).length, 100);
  await turn();
});

test("a workflow of twice as many steps, items or members over a wide state takes twice the work", async () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const options of name === "members" || name === "steps" ? [{}, { journal: true }] : [{}]) {
      const counts = [];
      for (const n of [300, 600]) {
        const flow = Workflow.fromDocument(document(shape(n)));
        counts.push(await keysGoneThrough(async () => assert.equal((await flow.run(options)).status, "done", name)));
      }
      const [once, twice] = counts;
      assert.ok(twice < once * 2.6 && twice < 600 * 80, `${name}: ${once} keys, and ${twice} for twice as many`);
    }
  }
});

test("a listener that reads no input makes no objects, and one that reads them sees what each step saw", async () => {
  const flow = Workflow.fromDocument(document(SHAPES.steps(600)));
  const names = [];
  flow.on("*", (event) => names.push(event.step?.name));
  assert.ok((await keysGoneThrough(() => flow.run())) < 600 * 80);
  assert.equal(names.length, 2 + 2 * 600);
  const events = await eventsOf(flow.start());
  const inputs = events.filter(({ type }) => type === "step.start").map(({ input }) => input);
  for (const [index, input] of inputs.entries()) assert.deepEqual(input, Object.fromEntries(many(index, (i) => [`k${i}`, 1])));
  assert.ok(inputs.every(Object.isFrozen));
  assert.deepEqual(Object.keys(events[3]), ["type", "seq", "at", "runId", "step", "attempt", "input"]);
  assert.deepEqual(JSON.parse(JSON.stringify(events.slice(0, -1))), structuredClone(events.slice(0, -1)), "as JSON and for other threads");
});

test("functions and events have the same object, however many keys it has", async () => {
  const seen = [];
  const flow = new Workflow({ name: "wide", initialState: keysFrom(100, "w"), steps: many(5, (i) => ({ name: `s${i}`, run: (state) => (seen.push(state), { [`k${i}`]: i }) })) });
  const events = await eventsOf(flow.start());
  assert.deepEqual(events.filter(({ type }) => type === "step.start").map(({ input }) => input), seen);
  for (const { type, input, step } of events) if (type.startsWith("step")) assert.equal(input, seen[step.name.slice(1)], type);
  for (const state of seen) assert.deepEqual(Object.keys(state), Object.keys({ ...keysFrom(100, "w"), ...state }));
});

test("a wide state that is taken as a whole is a plain object wherever it comes out", async () => {
  const initialState = keysFrom(100, "w");
  const schema = { type: "object", properties: { later: { default: 5 } } };
  const flow = Workflow.fromDocument(document({
    initialState,
    output: schema,
    steps: [
      set("one", { one: "1" }),
      set("all", { all: "state" }),
      { ...set("checked", { checked: "1" }), input: schema },
      { id: "inner", type: "workflow", name: "inner", steps: [set("own", { own: "w1" })] },
      { id: "each", type: "foreach", name: "each", items: "[1, 2]", result: "state", steps: [set("two", { two: "item" })] },
      { id: "p", type: "parallel", name: "p", parallel: [set("a", { a: "1" }), set("b", { b: "1" })] },
    ],
  }));
  for (const options of [{}, { journal: true }]) {
    const run = flow.start(options);
    const events = await eventsOf(run);
    const { status, state } = await run.result;
    assert.equal(status, "done");
    assert.deepEqual(structuredClone(state), state);
    structuredClone(events.slice(0, -1));
    assert.deepEqual(state.all, { ...initialState, one: 1 });
    assert.deepEqual(Object.keys(state), [...Object.keys(initialState), "one", "all", "checked", "inner_output", "each_output", "a", "b", "later"]);
    assert.deepEqual(state.inner_output, { ...initialState, one: 1, all: state.all, checked: 1, own: 1 });
    assert.deepEqual(state.each_output.map(({ item, item_index, two, w99 }) => [item, item_index, two, w99]), [[1, 0, 1, 99], [2, 1, 2, 99]]);
  }
});

test("a wide state crosses from a worker by what changes in it", async () => {
  const { port1, port2 } = new MessageChannel();
  let letters = 0;
  const post = port2.postMessage.bind(port2);
  port2.postMessage = (message) => {
    letters += JSON.stringify(message.events?.filter(({ result }) => result === undefined) ?? []).length;
    post(message);
  };
  const stop = serve({ endpoint: port2 });
  const engine = connect(port1);
  try {
    const wide = document(SHAPES.items(100));
    const events = await eventsOf(engine.start(wide));
    const local = await eventsOf(Workflow.fromDocument(wide).start());
    const bare = (all) => all.slice(0, -1).map(({ runId, at, durationMs, ...event }) => event);
    assert.deepEqual(bare(events), bare(local));
    assert.ok(letters < 100 * 1500, `${letters} letters`);
  } finally {
    engine.close();
    stop();
    port1.close();
  }
});

test("a bound of bytes ends a run at the same step, whether its state is wide or not", async () => {
  for (const count of [50, 100]) {
    const initialState = keysFrom(count, "w");
    const maxStateBytes = JSON.stringify(initialState).length + 2 * JSON.stringify({ k0: 1 }).length;
    const { error } = await Workflow.fromDocument(document({ initialState, limits: { maxStateBytes }, steps: many(4, (i) => set(`s${i}`, { [`k${i}`]: "1" })) })).run();
    assert.equal(error.step.id, "s2");
    assert.match(error.message, new RegExp(`^with what it gave the state would have ${maxStateBytes + 5} bytes of JSON; ${maxStateBytes} are its limit$`));
  }
});

test("whatever is merged over whatever, a wide state is what a plain one would be", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const next = random(seed);
    const below = (most) => Math.floor(next() * most);
    const patch = () => Object.fromEntries(many(below(4) === 0 ? below(90) : 1 + below(3), () => [`k${below(400)}`, below(3)]));
    // Each state with the plain object that it has to be.
    const states = [[{}, {}], [keysFrom(200, "k"), keysFrom(200, "k")]];
    for (let round = 0; round < 120; round += 1) {
      // Mostly one after the other, and now and then from an earlier one.
      const [state, known] = states[below(3) > 0 ? states.length - 1 : below(states.length)];
      const [other, otherKnown] = states[below(states.length)];
      const [one, two] = [patch(), patch()];
      const made = [
        () => [merge(state, one), { ...known, ...one }],
        () => [mergeAll(state, [one, two]), { ...known, ...one, ...two }],
        () => [merge(other, state), { ...otherKnown, ...known }],
        () => [merge(known, state), known],
      ][below(10) === 0 ? 2 + below(2) : below(2)]();
      states.push(made);
      const [is, expected] = made;
      assert.deepEqual(Object.entries(plain(is)), Object.entries(expected));
      assert.equal(bytesOfWide(is) ?? bytesOf(is), bytesOf({ ...expected }));
      const changed = Object.fromEntries(Object.entries(otherKnown).filter(([key, value]) => expected[key] !== value));
      assert.deepEqual({ ...diff(is, other) }, changed);
      const ends = [[{ a: 1, b: 2 }], [{ c: 3 }]].map(([more]) => merge(is, more));
      assert.deepEqual({ ...plain(join(is, ends)) }, { ...expected, a: 1, b: 2, c: 3 });
      assert.equal(join(is, [...ends, merge(is, { a: 2 })]), undefined);
    }
  }
});
