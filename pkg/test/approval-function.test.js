// Tools whose calls a person has to allow when a function says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, StepweaveError, tool, Workflow } from "stepweave";
import { z } from "zod";
import { calls, saying } from "./agent-support.js";
import { rejection } from "./support.js";

/** A workflow whose agent may call these tools, with a model that says these turns. */
const paying = (tools, turns, step = {}) => {
  const said = saying(...turns.map((turn) => (turn.type === "toolCall" ? [turn] : turn)));
  const agent = new Agent({ name: "clerk", model: said.model, tools });
  return { workflow: new Workflow({ name: "bill", steps: [{ name: "settle", agent, inputFrom: "Pay", ...step }] }), requests: said.requests };
};

/** A tool that pays, with what it paid and what was decided. */
function payer(decide, more = {}) {
  const [paid, decided] = [[], []];
  const needsApproval = (args, context) => {
    decided.push([args, context.step.name]);
    return decide(args, context);
  };
  const pay = tool({ name: "pay", needsApproval, execute: (args) => { paid.push(args); return `paid ${args.euros}`; }, ...more });
  return { pay, paid, decided };
}

for (const [kind, decide] of [["a function", ({ euros }) => euros > 50], ["an async function", async ({ euros }) => euros > 50]]) {
  test(`${kind} says which calls a person has to allow, and a resumed run does not decide again`, async () => {
    const { pay, paid, decided } = payer(decide);
    const turn = [calls("pay", { euros: 5 }, "a"), calls("pay", { euros: 90 }, "b")];
    const first = await paying([pay], [turn]).workflow.run({ journal: true });
    assert.equal(first.status, "suspended");
    assert.deepEqual(first.pending.map(({ tool }) => [tool.callId, tool.input]), [["b", { euros: 90 }]]);
    assert.deepEqual(paid, [{ euros: 5 }]);
    assert.deepEqual(decided, [[{ euros: 5 }, "settle"], [{ euros: 90 }, "settle"]]);

    const { workflow, requests } = paying([pay], ["done"]);
    const result = await workflow.run({ journal: first.journal, answers: { [first.pending[0].key]: true } });
    assert.equal(result.status, "done");
    assert.equal(decided.length, 2);
    assert.deepEqual(paid, [{ euros: 5 }, { euros: 90 }]);
    assert.deepEqual(requests[0].messages.at(-1).results.map(({ output }) => output), ["paid 5", "paid 90"]);
    // And nothing is decided or called where all is known.
    const replayed = await paying([pay], []).workflow.run({ journal: result.journal, replay: "strict" });
    assert.deepEqual([replayed.status, decided.length, paid.length], ["done", 2, 2]);
  });
}

test("a function that throws fails the step, does not go back to the model, and is called again when the run is resumed", async () => {
  let isBroken = true;
  const { pay, paid } = payer(() => {
    if (isBroken) throw new Error("the ledger is closed");
    return false;
  });
  const { workflow, requests } = paying([pay], [calls("pay", { euros: 5 }, "a"), "done"]);
  const failed = await workflow.run({ journal: true });
  assert.equal(failed.status, "error");
  const { code, message, step, cause } = failed.error;
  assert.deepEqual([code, message, step.name, cause.message], ["handler", "`needsApproval` of the tool `pay` failed: the ledger is closed", "settle", "the ledger is closed"]);
  assert.equal(requests.length, 1);
  assert.deepEqual(paid, []);
  isBroken = false;
  const result = await workflow.run({ journal: failed.journal });
  // The call stands: the model is not asked for it again.
  assert.deepEqual([result.status, paid, requests.length], ["done", [{ euros: 5 }], 2]);
});

test("a function that rejects fails the step, which required: false survives", async () => {
  const { pay, paid } = payer(() => Promise.reject(new Error("no")));
  const result = await paying([pay], [calls("pay", { euros: 5 })], { required: false }).workflow.run();
  assert.deepEqual([result.status, result.errors.map(({ message }) => message), paid], ["done", ["`needsApproval` of the tool `pay` failed: no"], []]);
});

for (const [what, value] of [["nothing", undefined], ["a text", "yes"], ["a number", 1]]) {
  test(`a function that returns ${what} fails the step: that is no decision`, async () => {
    const { pay, paid } = payer(() => value);
    const { status, error } = await paying([pay], [calls("pay", { euros: 5 })]).workflow.run();
    assert.equal(status, "error");
    assert.match(error.message, /^`needsApproval` of the tool `pay` failed: it returned .*not true or false$/);
    assert.match(error.hint, /return true where a person has to allow the call/);
    assert.deepEqual(paid, []);
  });
}

test("it sees what a library makes of the arguments, and what does not fit is for a person", async () => {
  const { pay, paid, decided } = payer(({ euros }) => euros > 50, { input: z.object({ euros: z.number().max(100).refine((euros) => euros !== 13, "no 13"), note: z.string().default("none") }) });
  const first = await paying([pay], [[calls("pay", { euros: 5 }, "a"), calls("pay", { euros: 500 }, "b"), calls("pay", { euros: 13 }, "c")]]).workflow.run({ journal: true });
  assert.equal(first.status, "suspended");
  // What the schema itself refuses goes back to the model; what only the library knows is not decided about.
  assert.deepEqual(first.pending.map(({ tool }) => tool.callId), ["c"]);
  assert.deepEqual(decided, [[{ euros: 5, note: "none" }, "settle"]]);
  assert.deepEqual(paid, [{ euros: 5, note: "none" }]);
});

test("tools that are requests and workflows have it too", async () => {
  const decide = ({ id }) => id > 1;
  const look = tool({ name: "look", needsApproval: decide, http: { method: "POST", url: "https://api.example.com/{{ id }}" } });
  const sum = tool({ name: "sum", needsApproval: decide, workflow: { steps: [{ name: "add", run: ({ id }) => ({ more: id + 1 }) }], set: { more: "more" } } });
  const turn = [calls("look", { id: 1 }, "a"), calls("look", { id: 2 }, "b"), calls("sum", { id: 1 }, "c"), calls("sum", { id: 2 }, "d")];
  const sent = [];
  const fetch = async (url) => { sent.push(url); return Response.json({ ok: true }); };
  const { status, pending } = await paying([look, sum], [turn]).workflow.run({ journal: true, fetch });
  assert.deepEqual([status, pending.map(({ tool }) => tool.callId), sent], ["suspended", ["b", "d"], ["https://api.example.com/1"]]);
});

test("a document names the function, can ask about every call, and puts no other function in its place", async () => {
  const { pay, paid, decided } = payer(({ euros }) => euros > 50, { version: "2" });
  const own = paying([pay], []).workflow.toDocument();
  assert.deepEqual(own.tools.pay.needsApproval, { handler: "tools.pay.needsApproval", version: "2" });
  const model = (turns) => ({ scripted: saying(...turns).model });
  const other = { ...own, tools: { pay: { ...own.tools.pay, needsApproval: { handler: "never" } } } };
  for (const [document, waits] of [[own, ["b"]], [other, ["b"]], [{ ...own, tools: { pay: { ...own.tools.pay, needsApproval: false } } }, ["b"]], [{ ...own, tools: { pay: { ...own.tools.pay, needsApproval: true } } }, ["a", "b"]]]) {
    const turn = [calls("pay", { euros: 5 }, "a"), calls("pay", { euros: 90 }, "b")];
    const { pending = [] } = await Workflow.fromDocument(document, { tools: [pay], models: model([turn]), handlers: { never: () => false } }).run({ journal: true });
    assert.deepEqual(pending.map(({ tool }) => tool.callId), waits);
  }
  assert.deepEqual(paid.map(({ euros }) => euros), [5, 5, 5]);
  assert.equal(decided.length, 6);
  // A tool of code that always asks stays so.
  const strict = tool({ name: "pay", needsApproval: true, execute: () => "paid" });
  const { pending } = await Workflow.fromDocument(other, { tools: [strict], models: model([[calls("pay", { euros: 5 }, "a")]]), handlers: { never: () => false } }).run({ journal: true });
  assert.equal(pending.length, 1);
});

for (const [kind, more] of [["a function", {}], ["a function behind a library's schema", { input: z.object({ euros: z.number() }) }], ["a function with a version", { version: "2" }]]) {
  test(`a call that waits for ${kind} goes on with the document of its workflow, however often that was read`, async () => {
    const again = (workflow) => Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers });
    const made = (...turns) => paying([payer(() => true, more).pay], turns).workflow;
    const first = made([calls("pay", { euros: 90 }, "a")], "done");
    const twice = again(again(first));
    assert.deepEqual(twice.toDocument(), first.toDocument());
    assert.deepEqual(Object.keys(twice.handlers).sort(), Object.keys(first.handlers).sort());
    assert.deepEqual(first.withDocument(twice.toDocument()).toDocument(), first.toDocument());
    for (const [begins, goesOn] of [[(w) => w, again], [again, (w) => w], [again, (w) => again(again(w))]]) {
      const { journal, pending } = await begins(made([calls("pay", { euros: 90 }, "a")])).run({ journal: true });
      const { status, state } = await goesOn(made("done")).run({ journal, answers: { [pending[0].key]: true } });
      assert.deepEqual([status, state.settle_output], ["done", "done"]);
    }
  });
}

test("a handler decides about a tool of the document, and one that is missing is a problem", async () => {
  const document = {
    version: 1,
    name: "w",
    models: { main: { provider: "custom", model: "main" } },
    agents: { a: { model: "main", tools: ["pay"] } },
    tools: { pay: { run: { handler: "pay" }, needsApproval: { handler: "isLarge" } } },
    steps: [{ id: "s", type: "agent", name: "ask", agent: "a", inputFrom: "go" }],
  };
  const models = () => ({ main: saying([calls("pay", { euros: 5 }, "a"), calls("pay", { euros: 90 }, "b")]).model });
  const pay = ({ euros }) => euros;
  const { pending } = await Workflow.fromDocument(document, { models: models(), handlers: { pay, isLarge: ({ euros }) => euros > 50 } }).run({ journal: true });
  assert.deepEqual(pending.map(({ tool }) => tool.callId), ["b"]);
  const { code, message } = await rejection(Workflow.fromDocument(document, { models: models(), handlers: { pay } }).run());
  assert.equal(code, "document");
  assert.match(message, /^the workflow cannot be run: tools\.pay\.needsApproval\.handler: no function for the handler `isLarge`/);
  // What the code keeps for another path decides nothing here.
  const spy = tool({ name: "pay", needsApproval: () => true, execute: pay });
  const two = { ...document, agents: { a: { model: "main", tools: ["pay", "look"] } }, tools: { pay: {}, look: { run: { handler: "find" }, needsApproval: { handler: "tools.pay.needsApproval" } } } };
  const refused = await rejection(Workflow.fromDocument(two, { models: models(), tools: [spy], handlers: { find: pay } }).run());
  assert.equal(refused.message, "the workflow cannot be run: tools.look.needsApproval.handler: `tools.pay.needsApproval` is a tool that code has given, and is not called from here");
});

test("anything else as needsApproval is refused", () => {
  for (const needsApproval of ["yes", 1, {}, []]) {
    assert.throws(() => tool({ name: "pay", needsApproval, execute: () => 1 }), (error) => error instanceof StepweaveError && error.message === "the `needsApproval` of the tool pay is no true, false or function");
  }
});
