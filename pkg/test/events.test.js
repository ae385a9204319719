// What events tell of their run and of the states that steps see, and what of it is for callers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { Agent, publicEvent, publicResult, tool, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { connect, serve } from "stepweave/worker";
import { assertPrograms, page } from "./docs-support.js";
import { virtualClock } from "./support.js";

const MEGABYTE = "x".repeat(1_000_000);

async function eventsOf(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return events;
}

/** A run of this many steps over a state with a megabyte in it, and the states that their functions saw. Each takes 10 ms of the clock. */
function long(steps, clock = virtualClock()) {
  const seen = [];
  const run = (state) => {
    seen.push(state);
    clock.advance(10);
    return { count: state.count + 1 };
  };
  const workflow = new Workflow({ name: "long", initialState: { large: [MEGABYTE], count: 0 }, steps: Array.from({ length: steps }, (_, index) => ({ name: `s${index}`, run })) });
  return { workflow, seen };
}

test("every event names its run, also before the first step and behind a journal", async () => {
  const { workflow } = long(2);
  const first = workflow.start({ journal: true });
  const { journal } = await first.result;
  const early = workflow.start();
  early.cancel("never mind");
  const again = workflow.start({ journal, replay: "strict" });
  for (const run of [first, early, again]) {
    const events = await eventsOf(run);
    assert.ok(events.length >= 2);
    assert.deepEqual([...new Set(events.map(({ runId }) => runId))], [run.id]);
  }
});

test("an event has the state itself that its step saw, and none is copied", async () => {
  const { workflow, seen } = long(5);
  const events = await eventsOf(workflow.start());
  const starts = events.filter(({ type }) => type === "step.start");
  const ends = events.filter(({ type }) => type === "step.done");
  assert.equal(starts.length, 5);
  for (const [index, { input }] of starts.entries()) {
    assert.equal(input, seen[index], "the object that the function got");
    assert.equal(ends[index].input, input, "and the one that its end has");
    assert.ok(Object.isFrozen(input));
    assert.equal(input.large, seen[0].large, "what no step changes is one object in all of them");
  }
  const [begin] = events;
  assert.deepEqual([begin.type, begin.input.count, begin.input.large], ["run.start", 0, seen[0].large]);
});

test("steps in rounds, containers and later attempts have the state that they see", async () => {
  let attempts = 0;
  const workflow = new Workflow({
    name: "rounds",
    initialState: { items: ["a", "b"], before: 0 },
    retryPolicy: { maxRetries: 1, backoffMs: 0 },
    steps: [
      { name: "flaky", run: () => ((attempts += 1) === 1 ? Promise.reject(new Error("once")) : { before: 1 }) },
      { name: "each", type: "foreach", items: ({ items }) => items, as: "item", steps: [{ name: "take", run: ({ item }) => ({ taken: item }) }] },
    ],
  });
  const events = await eventsOf(workflow.start());
  const starts = events.flatMap((event) => (event.type === "step.start" ? [[event.step.name, event.attempt, event.input.before, event.input.item]] : []));
  assert.deepEqual(starts, [["flaky", 1, 0, undefined], ["flaky", 2, 0, undefined], ["each", 1, 1, undefined], ["take", 1, 1, "a"], ["take", 1, 1, "b"]]);
  const [one, two, end] = events.filter(({ type, step }) => step?.name === "flaky" && type !== "step.error");
  assert.equal(one.input, two.input);
  assert.equal(end.input, one.input);
});

test("a replay tells the same inputs, and the journal keeps none of them", async () => {
  const clock = virtualClock();
  const { workflow } = long(3, clock);
  const run = workflow.start({ journal: true, clock });
  const { journal } = await run.result;
  clock.advance(60_000);
  const bare = ({ replayed, ...event }) => JSON.parse(JSON.stringify(event));
  const again = await eventsOf(workflow.start({ journal, replay: "strict", clock }));
  const first = await eventsOf(run);
  assert.deepEqual(first.filter(({ type }) => type === "step.done").map(({ at, durationMs }) => [at, durationMs]), [[1010, 10], [1020, 10], [1030, 10]]);
  assert.deepEqual(again.slice(0, -1).map(bare), first.slice(0, -1).map(bare));
  const size = JSON.stringify(journal).length;
  assert.ok(size < 1.01 * MEGABYTE.length, `the journal has the first state and no other: ${size} letters`);
});

test("a state crosses from a worker once, and then what steps change in it", async () => {
  const { port1, port2 } = new MessageChannel();
  let letters = 0;
  const post = port2.postMessage.bind(port2);
  port2.postMessage = (message) => {
    // The last event has the state at the end, as it always had.
    const events = message.events?.filter(({ result }) => result === undefined) ?? [];
    letters += JSON.stringify(events).length;
    post(message);
  };
  const stop = serve({ endpoint: port2 });
  const engine = connect(port1);
  const set = (id, value) => ({ id, type: "function", name: id, run: { set: { [id]: value } } });
  const steps = [set("a", "1"), { id: "p", type: "parallel", name: "p", parallel: [set("b", "a + 1"), set("c", "a + 2")] }, set("d", "b + c")];
  try {
    const document = { version: 1, name: "w", initialState: { large: MEGABYTE }, steps };
    const events = await eventsOf(engine.start(document));
    const local = await eventsOf(Workflow.fromDocument(document).start());
    const inputs = (all) => all.flatMap(({ type, step, input }) => (input === undefined ? [] : [[type, step?.id, input]]));
    assert.equal(inputs(events).length, 1 + 2 * 5);
    assert.deepEqual(inputs(events), inputs(local));
    assert.ok(letters > MEGABYTE.length && letters < 1.01 * MEGABYTE.length, `${letters} letters`);
  } finally {
    engine.close();
    stop();
    port1.close();
  }
});

test("callers see no prompt, no input, nothing of tools but their names, and no word of an error", async () => {
  const hidden = ["the-instructions", "the-prompt", "the-initial-key", "the-tool-input", "the-tool-output", "the-thrown-words", "the-log-line", "the-thought"];
  const lookUp = tool({
    name: "look_up",
    description: "Looks something up.",
    input: { type: "object", properties: { about: { type: "string" } } },
    execute: (input, context) => {
      context.log("the-log-line");
      return { found: "the-tool-output" };
    },
  });
  const broken = tool({ name: "broken", description: "Fails.", input: { type: "object" }, execute: () => Promise.reject(new Error("the-thrown-words")) });
  const model = scriptedModel([
    [{ type: "reasoning", text: "the-thought" }, { type: "toolCall", name: "look_up", input: { about: "the-tool-input" } }, { type: "toolCall", name: "broken", input: {} }],
    "Here it is.",
  ]);
  const agent = new Agent({ name: "clerk", model, instructions: "the-instructions", tools: [lookUp, broken] });
  const workflow = new Workflow({
    name: "served",
    initialState: { note: "the-initial-key" },
    steps: [
      { name: "ask", agent, inputFrom: () => "the-prompt" },
      { name: "fail", run: () => Promise.reject(new Error("the-thrown-words")), required: false },
      { name: "forget", run: () => ({ note: "gone" }) },
    ],
  });
  const run = workflow.start();
  const events = await eventsOf(run);
  const all = JSON.stringify(events);
  for (const words of ["the-initial-key", "the-tool-input", "the-tool-output", "the-thrown-words", "the-log-line", "the-thought"]) assert.ok(all.includes(words), words);
  const shown = events.map(publicEvent).filter((event) => event !== undefined);
  for (const words of hidden) assert.ok(!JSON.stringify(shown).includes(words), `${words} is shown`);
  const types = new Set(shown.map(({ type }) => type));
  for (const type of ["run.start", "step.start", "step.delta", "tool.start", "tool.done", "tool.error", "step.done", "step.error", "run.done"]) assert.ok(types.has(type), type);
  for (const type of ["run.warning", "step.reasoning"]) assert.ok(!types.has(type) && events.some((event) => event.type === type), type);
  assert.deepEqual(shown.at(-1).result, publicResult(await run.result));
  assert.equal(shown.at(-1).result.state.ask_output, "Here it is.");
  assert.ok(!JSON.stringify(shown.find(({ type }) => type === "step.done")).includes("patch"));
});

test("of a call that waits to be allowed callers see the name, and an event of a later version is not for them", async () => {
  const pay = tool({ name: "pay", description: "Pays.", input: { type: "object" }, needsApproval: true, execute: () => "paid" });
  const agent = new Agent({ name: "clerk", model: scriptedModel([{ type: "toolCall", name: "pay", input: { to: "somebody" } }]), tools: [pay] });
  const result = await new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: () => "Pay." }] }).run({ journal: true });
  const { pending, journal } = publicResult(result);
  assert.deepEqual([pending[0].tool.name, pending[0].tool.input, journal], ["pay", undefined, undefined]);
  assert.equal(publicEvent({ type: "step.later", seq: 1, at: 0, runId: "r" }), undefined);
  assert.equal(publicEvent({ type: "constructor", seq: 1, at: 0, runId: "r" }), undefined);
});

test("the page of the events shows what its program prints", () => assertPrograms(page("docs/events.md")));
