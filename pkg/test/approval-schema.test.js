// What a person's answer must be: in the words of a library, or as JSON Schema.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { approvalStep, Workflow } from "stepweave";
import { z } from "zod";

const SCHEMAS = {
  zod: z.object({ ok: z.boolean(), sum: z.number() }),
  valibot: v.object({ ok: v.boolean(), sum: v.number() }),
  arktype: type({ ok: "boolean", sum: "number" }),
  "JSON Schema": { type: "object", properties: { ok: { type: "boolean" }, sum: { type: "number" } }, required: ["ok", "sum"] },
};

for (const [library, schema] of Object.entries(SCHEMAS)) {
  for (const key of ["schema", "output"]) {
    test(`an approval takes ${library} as \`${key}\`: a wrong answer fails the step, and a right one goes on`, async () => {
      const workflow = new Workflow({
        name: "pay",
        steps: [{ name: "boss", type: "approval", message: "Pay?", [key]: schema }, { name: "paid", run: ({ boss_output: { sum } }) => ({ paid: sum + 1 }) }],
      });
      const suspended = await workflow.run({ journal: true });
      assert.equal(suspended.status, "suspended");
      const wrong = await workflow.run({ journal: suspended.journal, answers: { boss: { ok: true, sum: "many" } } });
      assert.deepEqual([wrong.status, wrong.error.code, wrong.error.step.name], ["error", "validation", "boss"]);
      assert.match(wrong.error.message, /^the answer to `boss` does not fit its schema: .*sum/);
      assert.deepEqual(wrong.error.problems.map(({ path }) => path), ["sum"]);
      const right = await workflow.run({ journal: wrong.journal, answers: { boss: { ok: true, sum: 41 } } });
      assert.deepEqual([right.status, right.state], ["done", { boss_output: { ok: true, sum: 41 }, paid: 42 }]);
      // What was answered is kept, and no person is asked again.
      const again = await workflow.run({ journal: right.journal, replay: "strict" });
      assert.deepEqual([again.status, again.state], ["done", right.state]);
    });
  }
}

test("the person who answers sees what the answer must be, as JSON Schema, where the library can tell", async () => {
  const pendingOf = async (schema) => (await new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", schema }] }).run()).pending[0].schema;
  for (const library of ["zod", "arktype", "JSON Schema"]) {
    const { type, properties, required } = await pendingOf(SCHEMAS[library]);
    assert.deepEqual([type, Object.keys(properties).sort(), [...required].sort(), properties.sum.type], ["object", ["ok", "sum"], ["ok", "sum"], "number"], library);
  }
  // valibot has its JSON Schema in a package of its own.
  assert.equal(await pendingOf(SCHEMAS.valibot), undefined);
  // Keywords that are not understood here are shown all the same, for they check nothing.
  const email = await pendingOf(z.object({ mail: z.email(), at: z.iso.date() }));
  assert.equal(email.properties.mail.format, "email");
});

test("what a library makes of an answer is the answer: defaults, transforms and conversions", async () => {
  let made = 0;
  const schema = z.object({ by: z.string().trim(), at: z.coerce.number().default(() => (made += 1)), note: z.string().optional() }).transform((answer) => ({ ...answer, by: answer.by.toUpperCase() }));
  const workflow = new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", schema }, { name: "end", run: (state) => ({ by: state.boss_output.by }) }] });
  const first = await workflow.run({ journal: true });
  // To say what it accepts, the library has made one.
  made = 0;
  const result = await workflow.run({ journal: first.journal, answers: { boss: { by: " ada " } } });
  assert.deepEqual([result.state, made], [{ boss_output: { by: "ADA", at: 1 }, by: "ADA" }, 1]);
  // Kept as it was made: no default is made anew, and no transform runs twice.
  const again = await workflow.run({ journal: result.journal, replay: "strict" });
  assert.deepEqual([again.state, made], [result.state, 1]);
  const both = new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", schema: z.string().transform((text) => text.length), output: z.number().max(3) }] });
  assert.equal((await both.run({ answers: { boss: "abc" } })).state.boss_output, 3);
  assert.match((await both.run({ answers: { boss: "abcd" } })).error.message, /^the answer to `boss` does not fit its schema/);
});

test("checks that take their time, and those that throw", async () => {
  const slow = z.string().refine(async (text) => text === "yes", "say yes");
  const workflow = new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", schema: slow }] });
  assert.equal((await workflow.run({ answers: { boss: "yes" } })).state.boss_output, "yes");
  assert.match((await workflow.run({ answers: { boss: "no" } })).error.message, /does not fit its schema: say yes/);
  const broken = z.string().refine(() => { throw new Error("a fault of the program"); });
  const { error } = await new Workflow({ name: "w", steps: [{ name: "boss", type: "approval", schema: broken }] }).run({ answers: { boss: "yes" } });
  assert.equal(error.code, "handler");
  assert.match(error.message, /a fault of the program/);
});

test("inside parallels and foreaches, each answer is checked by itself", async () => {
  const boss = approvalStep({ name: "boss", schema: z.object({ n: z.coerce.number() }) });
  const workflow = new Workflow({
    name: "w",
    steps: [
      { name: "each", items: () => ["a", "b"], concurrency: 2, steps: [boss] },
      { name: "both", parallel: [approvalStep({ name: "left", schema: z.number() }), approvalStep({ name: "right", schema: z.string() })] },
    ],
  });
  const first = await workflow.run({ journal: true });
  const [one, two] = first.pending.map(({ key }) => key);
  const wrong = await workflow.run({ journal: first.journal, answers: { [one]: { n: "1" }, [two]: {} } });
  assert.deepEqual([wrong.status, wrong.error.step.key], ["error", two]);
  const second = await workflow.run({ journal: wrong.journal, answers: { [two]: { n: "2" } } });
  assert.equal(second.status, "suspended");
  const [left, right] = second.pending.map(({ key }) => key);
  const { status, state } = await workflow.run({ journal: second.journal, answers: { [left]: 1, [right]: "r" } });
  assert.deepEqual([status, state.left_output, state.right_output], ["done", 1, "r"]);
});

test("a document names the function that checks, and it is required as others are", async () => {
  const document = { version: 1, name: "w", steps: [{ id: "boss", type: "approval", name: "boss", schema: { handler: "even" } }] };
  await assert.rejects(Workflow.fromDocument(document).run(), /steps\[0\]\.schema\.handler: no function for the handler `even`/);
  const even = (n) => { if (n % 2 === 1) throw new Error("odd"); return n; };
  const workflow = Workflow.fromDocument(document, { handlers: { even } });
  assert.equal((await workflow.run({ answers: { boss: 2 } })).state.boss_output, 2);
  assert.match((await workflow.run({ answers: { boss: 1 } })).errors[0].message, /odd/);
});
