// Tools that are workflows, as they are written in TypeScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, validate, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { z } from "zod";

const call = (name, input = {}) => ({ type: "toolCall", name, input });

/** A workflow whose agent has these tools and is answered so. */
function asking(tools, ...turns) {
  const agent = new Agent({ name: "boss", model: scriptedModel(turns), tools });
  return new Workflow({ name: "ask", steps: [{ name: "ask", agent, inputFrom: "Go." }] });
}

const given = (events, type) => events.filter((event) => event.type === type);

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

for (const [kind, input] of Object.entries({
  zod: z.object({ said: z.string() }),
  "a JSON Schema": { type: "object", properties: { said: { type: "string" } }, required: ["said"] },
})) {
  test(`functions, schemas of a library and agents work in the steps of a tool, whose arguments ${kind} checks`, async () => {
    const reader = new Agent({ name: "reader", model: scriptedModel(["Short."]) });
    const shorten = tool({
      name: "shorten",
      input,
      workflow: {
        initialState: { mark: "!" },
        with: { text: "said" },
        steps: [
          { name: "clean", input: z.object({ text: z.string().trim() }), run: ({ text, mark }) => ({ text: text + mark }) },
          { name: "long?", condition: ({ text }) => text.length > 3, steps: [{ name: "read", agent: reader, inputFrom: ({ text }) => `Shorten: ${text}` }] },
        ],
        set: { short: "read_output", text: "text" },
      },
    });
    const events = await all(asking([shorten], call("shorten", { said: " bees " }), call("shorten", { said: [] }), "Done.").stream());
    assert.equal(events.at(-1).type, "run.done");
    assert.deepEqual(given(events, "tool.done").map(({ output }) => output), [{ short: "Short.", text: "bees!" }]);
    assert.deepEqual(given(events, "tool.error").map(({ error }) => error.code), ["validation"]);
    assert.equal(reader.model.requests[0].messages.at(-1).content[0].text, "Shorten: bees!");
  });
}

test("a whole Workflow is a tool, with its own schemas and agents", async () => {
  const double = new Workflow({
    name: "double",
    input: { type: "object", required: ["n"] },
    output: { type: "object", required: ["twice"] },
    steps: [{ name: "times two", run: ({ n }) => ({ twice: n * 2 }) }],
  });
  const workflow = asking([tool({ name: "double", workflow: double })], call("double", { n: 4 }), call("double"), "Done.");
  assert.deepEqual(await validate(workflow.toDocument()).then((problems) => problems.filter(({ code }) => code !== "unknown_handler")), []);
  const events = await all(workflow.stream());
  assert.deepEqual(given(events, "tool.done")[0].output, { n: 4, twice: 8 });
  assert.equal(given(events, "tool.error")[0].error.code, "validation");
  assert.deepEqual(workflow.steps.map(({ path }) => path), [
    "steps[0]",
    "tools.double.run.workflow.steps[0]",
    "tools.double.run.workflow.steps[0].steps[0]",
  ]);
});

test("what a function in a tool throws is the cause of tool.error, and goes back to the model", async () => {
  const thrown = new Error("out of paper");
  const print = tool({ name: "print", workflow: { steps: [{ name: "feed", run: () => { throw thrown; } }] } });
  const events = await all(asking([print], call("print"), "I could not.").stream());
  const [{ error, step }] = given(events, "tool.error");
  assert.deepEqual([error.code, error.message, error.cause, step.id], ["tool", "out of paper", thrown, "ask"]);
  assert.equal(given(events, "step.error")[0].step.key, "ask#tool1.0/tool~print.feed");
  assert.equal(events.at(-1).type, "run.done");
});

test("a run that waits in a tool is taken up from its journal, and calls nothing again", async () => {
  let loads = 0;
  const send = () => tool({
    name: "send",
    workflow: {
      steps: [
        { name: "load", run: () => ({ letter: `letter ${++loads}` }) },
        { name: "ok", type: "approval", message: "Send {{ letter }}?", schema: z.object({ ok: z.boolean() }) },
        { name: "post", run: ({ letter, ok_output }) => ({ sent: ok_output.ok ? letter : null }) },
      ],
      set: { sent: "sent" },
    },
  });
  const first = await asking([send()], call("send")).run({ journal: true });
  assert.deepEqual([first.status, first.pending.map(({ key, message }) => [key, message])], ["suspended", [["ask#tool1.0/tool~send.ok", "Send letter 1?"]]]);
  const events = await all(asking([send()], "Sent.").stream({ journal: first.journal, answers: { [first.pending[0].key]: { ok: true } } }));
  assert.deepEqual(given(events, "tool.done")[0].output, { sent: "letter 1" });
  assert.equal(loads, 1);
  const again = await all(asking([send()]).stream({ journal: events.at(-1).result.journal, replay: "strict" }));
  const emitted = (all) => all.map(({ type, step }) => [type, step?.key]);
  assert.deepEqual(emitted(again), emitted(events));
  // A replay has the times of the journal, into which an answer goes before its event is emitted.
  assert.ok(again.every(({ at }, index) => at <= events[index].at && at >= events[0].at));
});

test("a document reaches the functions inside a tool of the code by no other way, and cannot be less strict", async () => {
  const pay = tool({ name: "pay", needsApproval: true, workflow: { steps: [{ name: "book", run: () => ({ paid: true }) }] } });
  const document = {
    version: 1, name: "doc", models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m", tools: ["pay"] } },
    tools: { pay: { description: "Pays.", needsApproval: false } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "a" }],
  };
  const brought = Workflow.fromDocument(document, { tools: [pay] }).toDocument();
  assert.deepEqual([brought.tools.pay.needsApproval, brought.tools.pay.description], [true, "Pays."]);
  const { handler } = brought.tools.pay.run.workflow.steps[0].run;
  const around = { ...document, steps: [{ id: "s2", type: "function", name: "around", run: { handler } }] };
  await assert.rejects(Workflow.fromDocument(around, { tools: [pay] }).run(), ({ problems }) => problems.some(({ code, path }) => code === "guarded_function" && path === "steps[0].run.handler"));
  const own = { ...document, tools: { pay: { run: { workflow: { steps: [] } } } } };
  assert.throws(() => Workflow.fromDocument(own, { tools: [pay] }), /is a workflow in the document already/);
});

test("what is no workflow is refused where it is written", () => {
  assert.throws(() => tool({ name: "x", workflow: [] }), /the `workflow` of the tool x is no workflow/);
  assert.throws(() => tool({ name: "x", workflow: { steps: [] }, execute: () => 1 }), /a tool has a workflow and a function/);
  assert.throws(() => tool({ name: "x", workflow: { steps: [] }, http: { url: "https://a.test" } }), /a request and a workflow/);
  assert.throws(() => tool({ workflow: { steps: [] } }), /a tool has no name/);
  const other = new Agent({ name: "a", model: scriptedModel([]), tools: [{ tool: tool({ name: "x", workflow: { steps: [] } }), name: "y" }] });
  assert.equal(other.tools[0].name, "y");
});

test("steps are run anew from one of the workflow's own on, and not from one inside a tool", async () => {
  const go = tool({ name: "go", workflow: { steps: [{ name: "one", run: () => ({ n: 1 }) }] } });
  const { journal } = await asking([go], call("go"), "Done.").run({ journal: true });
  await assert.rejects(asking([go]).run({ journal, replay: "edit", from: "tool~go.one" }), /has no step with the id `tool~go.one` to run from/);
});
