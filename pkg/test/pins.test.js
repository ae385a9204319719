// Pinned outputs: which runs use them, what may be pinned, and what becomes of them in journals and exports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, openai, tool, validate, Workflow } from "stepweave";
import { Workflow as FunctionsWorkflow } from "stepweave/functions";
import { memoryStore } from "stepweave/stores";
import { eventsOf, rejection } from "./support.js";

const untouched = () => assert.fail("a pinned step is not run");
const copy = (value) => JSON.parse(JSON.stringify(value));

/** Two functions of which the second doubles what the first gives. */
const priced = (price, pins, Made = Workflow) =>
  new Made({ name: "priced", steps: [{ name: "price", run: price }, { name: "double", run: ({ euro }) => ({ double: euro * 2 }) }], pins });

test("pins of a definition are used by the runs that ask for them, and by no others", async () => {
  for (const Made of [Workflow, FunctionsWorkflow]) {
    const workflow = priced(() => ({ euro: 1 }), { price: { euro: 21 } }, Made);
    assert.equal((await workflow.run()).state.double, 2);
    assert.equal((await workflow.run({ pins: false })).state.double, 2);
    const result = await workflow.run({ pins: true });
    assert.equal(result.state.double, 42);
    assert.deepEqual(result.stepResults.map(({ pinned }) => pinned), [true, undefined]);
  }
});

test("pins of the caller are used instead of those of the document", async () => {
  const workflow = priced(untouched, { price: { euro: 21 }, double: { double: 0 } });
  const run = workflow.start({ pins: { price: { euro: 4 } } });
  const done = (await eventsOf(run)).filter(({ type }) => type === "step.done");
  assert.deepEqual(done.map(({ pinned, patch }) => ({ pinned, patch })), [{ pinned: true, patch: { euro: 4 } }, { pinned: undefined, patch: { double: 8 } }]);
});

test("steps of a tool are pinned as those of the workflow are, by the document and by the caller", async () => {
  const pins = { "tool~price.ask": { euro: 21 } };
  const made = (more) => {
    const price = tool({ name: "price", workflow: { steps: [{ name: "ask", run: untouched }] } });
    const model = customModel("m", ({ messages }) => (messages.at(-1).role === "tool" ? JSON.stringify(messages.at(-1).results[0].output) : [{ type: "toolCall", name: "price", input: {} }]));
    return new Workflow({ name: "w", steps: [{ name: "buy", agent: new Agent({ name: "buyer", model, tools: [price] }), inputFrom: "x" }], ...more });
  };
  for (const [workflow, given] of [[made({ pins }), true], [made(), pins]]) {
    const { state, status } = await workflow.run({ pins: given });
    assert.deepEqual([status, JSON.parse(state.buy_output).euro], ["done", 21]);
  }
});

test("pins that cannot be used are refused with the reason", async () => {
  const workflow = priced(() => ({}));
  const loop = {};
  loop.loop = loop;
  for (const [pins, code, message] of [
    ["yes", "validation", /the option `pins` is "yes"/],
    [[1], "validation", /the option `pins` is a list|the option `pins` is \[1\]/],
    [{ pirce: {} }, "validation", /no step with the id `pirce` to pin/],
    [{ price: () => 1 }, "validation", /a pinned output is not plain JSON/],
    [{ price: { a: loop } }, "validation", /a pinned output is not plain JSON/],
    [{ price: 3 }, "document", /pins\.price: the pin of `price` is no change of the state/],
  ]) {
    const error = await rejection(workflow.run({ pins }));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.ok(error.hint, "it says what to do");
  }
});

test("an agent is not pinned whose tool needs approval, whether the document or code says so", async () => {
  const document = {
    version: 1, name: "t",
    models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m", tools: ["pay"] } }, tools: { pay: {} },
    steps: [{ id: "s1", type: "agent", name: "buy", agent: "a" }],
    pins: { s1: "bought" },
  };
  const careful = tool({ name: "pay", needsApproval: true, execute: untouched });
  const error = await rejection(Workflow.fromDocument(document, { tools: [careful] }).run({ pins: true }));
  assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["pins.s1", "not_pinnable"]]);
  const free = tool({ name: "pay", execute: untouched });
  assert.equal((await Workflow.fromDocument(document, { tools: [free] }).run({ pins: true })).state.buy_output, "bought");
  const stricter = { ...document, tools: { pay: { needsApproval: true } } };
  assert.equal((await validate(stricter))[0].code, "not_pinnable");
});

test("a trial that is taken up keeps the pins that it began with, from a store too", async () => {
  const steps = [{ name: "price", run: untouched }, { name: "may", type: "approval" }, { name: "pay", run: ({ euro }) => ({ paid: euro }) }];
  const trial = new Workflow({ name: "pay", steps, pins: { price: { euro: 21 } } });
  const store = memoryStore();
  const { runId, status, pending } = await trial.run({ store, pins: true });
  assert.equal(status, "suspended");
  // The pins of the document may be others by then.
  const later = new Workflow({ name: "pay", steps, pins: { price: { euro: 5 } } });
  const result = await later.run({ store, journal: runId, answers: { [pending[0].key]: true } });
  assert.equal(result.state.paid, 21);
  assert.ok(result.stepResults[0].pinned);
});

test("a run that is taken up cannot become a trial, nor a trial a real run", async () => {
  const steps = [{ name: "price", run: () => ({ euro: 1 }) }, { name: "may", type: "approval" }];
  const workflow = new Workflow({ name: "pay", steps, pins: { price: { euro: 21 } } });
  const real = (await workflow.run({ journal: true })).journal;
  const trial = (await workflow.run({ journal: true, pins: true })).journal;
  for (const [journal, pins] of [[real, true], [trial, false], [trial, { price: { euro: 3 } }]]) {
    const error = await rejection(workflow.run({ journal: copy(journal), pins }));
    assert.match(error.message, /began with other pinned outputs/);
    assert.match(error.hint, /replay: "edit"/);
  }
  assert.equal((await workflow.run({ journal: copy(trial), pins: true })).state.euro, 21);
});

test("a run that edits a trial runs what was pinned, and what depends on it", async () => {
  const seen = [];
  const workflow = new Workflow({
    name: "t",
    steps: [
      { name: "free", run: () => { seen.push("free"); return { free: true }; } },
      { name: "price", run: () => { seen.push("price"); return { euro: 1 }; } },
      { name: "double", run: ({ euro }) => { seen.push("double"); return { double: euro * 2 }; } },
    ],
    pins: { price: { euro: 21 } },
  });
  const { journal } = await workflow.run({ journal: true, pins: true });
  assert.deepEqual(journal.entries.map(({ key }) => key), ["start", "free/1/run", "double/1/run", "end"]);
  const { state, stepResults } = await workflow.run({ journal: copy(journal), replay: "edit" });
  assert.deepEqual(seen, ["free", "double", "price", "double"]);
  assert.equal(state.double, 2);
  assert.ok(stepResults.every(({ pinned }) => pinned === undefined));
  const again = await workflow.run({ journal: copy(journal), replay: "strict" });
  assert.equal(again.state.double, 42);
});

test("a damaged journal says nothing of pins that would be used", async () => {
  const workflow = priced(() => ({ euro: 1 }), { price: { euro: 21 } });
  const journal = copy((await workflow.run({ journal: true, pins: true })).journal);
  journal.entries[0].ok.pins = "all";
  assert.match((await rejection(workflow.run({ journal }))).message, /does not say what was started/);
});

test("exports leave pins out, and the values of secrets are taken out of them", async () => {
  const writer = new Agent({ name: "writer", model: openai("m") });
  const workflow = new Workflow({ name: "t", steps: [{ name: "write", agent: writer, inputFrom: "?" }], pins: { write: "the key is sk-secret" } });
  assert.equal("pins" in workflow.toDocument(), false);
  assert.equal("pins" in Workflow.fromDocument({ version: 1, name: "t", steps: [], pins: {} }).toDocument(), false);
  const { state } = await workflow.run({ pins: true, secrets: { OPENAI_API_KEY: "sk-secret" } });
  assert.doesNotMatch(state.write_output, /sk-secret/);
});

test("a pin of no step is a warning, and a run that uses it is refused, whoever wrote it", async () => {
  for (const Made of [Workflow, FunctionsWorkflow]) {
    let runs = 0;
    const workflow = priced(() => (runs += 1, { euro: 1 }), { prise: { euro: 21 } }, Made);
    for (const pins of [true, { prise: { euro: 21 } }]) {
      const { code, message } = await rejection(workflow.run({ pins }));
      assert.deepEqual([code, message], ["validation", "the workflow has no step with the id `prise` to pin"]);
    }
    assert.equal(runs, 0, "what was to be pinned was not called");
    assert.equal((await workflow.run()).state.double, 2, "a run without pins has no use for it");
  }
  const document = { version: 1, name: "w", steps: [{ id: "price", name: "price", type: "function", run: { set: { euro: "1" } } }], pins: { prise: { euro: 2 } } };
  assert.deepEqual((await validate(document)).map(({ severity, path, hint }) => [severity, path, hint]), [["warning", "pins.prise", "remove the pin, or write the id of a step"]]);
  assert.equal((await rejection(Workflow.fromDocument(document).run({ pins: true }))).message, "the workflow has no step with the id `prise` to pin");
});
