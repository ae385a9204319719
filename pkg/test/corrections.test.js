// What a person would have a tool called with instead is held against the tool's input before the answer counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, tool, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { z } from "zod";

/** A workflow whose agent asks for a refund of 90, and what was paid. */
function refunding(input, given = { euros: 90 }) {
  const paid = [];
  const refund = tool({ name: "refund", input, needsApproval: true, execute: (args) => void paid.push(args) });
  const model = scriptedModel([{ type: "toolCall", name: "refund", input: given }, "Your money is on its way."]);
  return { paid, workflow: new Workflow({ name: "shop", steps: [{ name: "help", agent: new Agent({ name: "helper", model, tools: [refund] }), inputFrom: "x" }] }) };
}

const LIBRARY = z.object({ euros: z.number().positive() });
const JSON_SCHEMA = { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] };

test("an input that does not fit leaves the approval open", async () => {
  for (const [input, fault] of [[LIBRARY, "`euros`: Invalid input: expected number, received string"], [JSON_SCHEMA, '`euros` does not meet `type`: "number"']]) {
    const { paid, workflow } = refunding(input);
    const first = await workflow.run({ journal: true });
    const [{ key }] = first.pending;
    const answered = (euros, journal) => workflow.run({ journal, answers: { [key]: { approved: true, input: { euros } } } });
    const refused = await answered("ninety", first.journal);
    assert.deepEqual([refused.status, refused.error.code, refused.error.message], ["error", "validation", `the answer to \`${key}\` has the tool \`refund\` called with an input that does not fit: ${fault}`]);
    assert.deepEqual(paid, []);
    const done = await answered(60, refused.journal);
    assert.deepEqual([done.status, paid], ["done", [{ euros: 60 }]]);
  }
});

test("what only the library checks is checked too", async () => {
  const { paid, workflow } = refunding(z.object({ euros: z.number().refine((euros) => euros < 100, "too much") }));
  const first = await workflow.run({ journal: true });
  const [{ key }] = first.pending;
  const { error } = await workflow.run({ journal: first.journal, answers: { [key]: { approved: true, input: { euros: 500 } } } });
  assert.equal(error.message, `the answer to \`${key}\` has the tool \`refund\` called with an input that does not fit: \`euros\`: too much`);
  assert.deepEqual(paid, []);
});

test("a document that says less of the input takes no check away", async () => {
  const paid = [];
  const refund = tool({ name: "refund", input: LIBRARY, needsApproval: true, execute: (args) => void paid.push(args) });
  const document = { version: 1, name: "shop", models: { m: { provider: "custom", model: "m" } }, agents: { a: { model: "m", tools: ["refund"] } }, tools: { refund: { input: { type: "object", properties: { euros: {} } } } }, steps: [{ id: "help", name: "help", type: "agent", agent: "a", inputFrom: "x" }] };
  const workflow = Workflow.fromDocument(document, { tools: [refund], models: { m: scriptedModel([{ type: "toolCall", name: "refund", input: { euros: 90 } }, "done"]) } });
  const first = await workflow.run({ journal: true });
  const [{ key }] = first.pending;
  const { error } = await workflow.run({ journal: first.journal, answers: { [key]: { approved: true, input: { euros: -1 } } } });
  assert.equal(error.message, `the answer to \`${key}\` has the tool \`refund\` called with an input that does not fit: \`euros\`: Too small: expected number to be >0`);
  assert.deepEqual(paid, []);
});

test("the schema of the answer has that of the tool's input, whose references lead on", async () => {
  const tree = { type: "object", properties: { tree: { $ref: "#/$defs/tree" }, $ref: { const: { $ref: "#/x" } } }, $defs: { tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" } } } } };
  const { workflow } = refunding(tree, {});
  const { pending } = await workflow.run({ journal: true });
  const { properties } = pending[0].schema.anyOf[1];
  const place = "#/anyOf/1/properties/input/$defs/tree";
  assert.deepEqual(properties, {
    approved: { type: "boolean" },
    input: { type: "object", properties: { tree: { $ref: place }, $ref: { const: { $ref: "#/x" } } }, $defs: { tree: { type: "object", properties: { left: { $ref: place } } } } },
    reason: { type: "string" },
  });
});

test("an answer that is there before anybody is asked is checked too", async () => {
  const answered = async (euros) => {
    const { paid, workflow } = refunding(LIBRARY);
    return { paid, ...(await workflow.run({ answers: { "help/tool1.0": { approved: true, input: { euros } } } })) };
  };
  const refused = await answered("ninety");
  assert.deepEqual([refused.status, refused.error.message, refused.paid], ["error", "the answer to `help/tool1.0` has the tool `refund` called with an input that does not fit: `euros`: Invalid input: expected number, received string", []]);
  const { status, paid } = await answered(1);
  assert.deepEqual([status, paid], ["done", [{ euros: 1 }]]);
});

test("over HTTP it is a 400, and the run waits for another answer", async () => {
  const { paid, workflow } = refunding(LIBRARY);
  const errors = [];
  const fetch = handler(workflow, { public: true, store: memoryStore(), onError: (error) => void errors.push(error) });
  const call = async (method, path, body, headers = {}) => fetch(new Request(`https://shop.example${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }));
  const { runId, pending: [{ key }] } = await (await call("POST", "/runs", {})).json();
  const answer = (euros, headers) => call("POST", `/runs/${runId}/answers`, { [key]: { approved: true, input: { euros } } }, headers);
  const refused = await answer("ninety");
  const { code, detail } = await refused.json();
  assert.deepEqual([refused.status, code, detail], [400, "validation", `the answer to \`${key}\` has the tool \`refund\` called with an input that does not fit: \`euros\`: Invalid input: expected number, received string`]);
  const streamed = await (await answer(-1, { accept: "text/event-stream" })).text();
  assert.match(streamed, /called with an input that does not fit: `euros`: Too small/);
  const shown = await call("GET", `/runs/${runId}`);
  assert.deepEqual([shown.status, (await shown.json()).pending.map((one) => one.key)], [202, [key]]);
  const done = await answer(60);
  assert.deepEqual([done.status, (await done.json()).status, paid], [200, "done", [{ euros: 60 }]]);
});
