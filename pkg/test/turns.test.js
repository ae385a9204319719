import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";

// Expressions that take milliseconds each: a run of nothing else must let others go first, and hear a signal.
const heavy = "(big | upper) == (big | lower)";
const state = { big: "ab".repeat(1_000_000), xs: Array.from({ length: 300 }, (_, index) => index) };
const step = (id, rest) => ({ id, name: id, ...rest });
const set = (id, keys) => step(id, { type: "function", run: { set: keys } });
const row = (make) => Array.from({ length: 300 }, (_, index) => make(`s${index}`));

const kinds = {
  "the expressions of one step": [set("s", Object.fromEntries(row((key) => [key, heavy])))],
  "steps": row((id) => set(id, { x: heavy })),
  "conditions": row((id) => step(id, { type: "condition", condition: heavy, steps: [] })),
  "the ways of a switch": [step("s", { type: "switch", cases: row(() => ({ when: heavy, steps: [] })), default: [] })],
  "the items of a foreach": [step("s", { type: "foreach", items: "xs", steps: [], result: heavy })],
  "items at the same time": [step("s", { type: "foreach", items: "xs", concurrency: 50, steps: [], result: heavy })],
  "the rounds of a loop": [step("s", { type: "loop", repeat: { until: heavy }, maxIterations: 300, steps: [] })],
  "the members of a parallel": [step("s", { type: "parallel", parallel: row((id) => set(id, { [id]: heavy })) })],
  "inner workflows": row((id) => step(id, { type: "workflow", steps: [], with: { x: heavy, y: heavy }, set: { [id]: "x" } })),
};

for (const [kind, steps] of Object.entries(kinds)) {
  test(`a signal acts between ${kind}`, async () => {
    const controller = new AbortController();
    let others = 0;
    const turn = () => {
      others += 1;
      if (others === 3) controller.abort();
      else setImmediate(turn);
    };
    setImmediate(turn);
    const result = await Workflow.fromDocument({ version: 1, name: "heavy", steps }).run({ state, signal: controller.signal });
    assert.equal(result.status, "cancelled");
  });
}

test("what an expression only names is not copied", async () => {
  const { state: after } = await Workflow.fromDocument({ version: 1, name: "n", initialState: { list: [{ a: 1 }] }, steps: [set("s", { same: "list", part: "list[0]", made: "[list[0]]" })] }).run();
  assert.equal(after.same, after.list);
  assert.equal(after.part, after.list[0]);
  assert.notEqual(after.made[0], after.list[0]);
  assert.deepEqual(after.made, after.list);
});

test("time stands still while a journal answers, also while others have their turn", async () => {
  const steps = [step("first", { type: "function", run: { handler: "first" } }), ...kinds.steps.slice(0, 30)];
  const workflow = Workflow.fromDocument({ version: 1, name: "heavy", steps }, { handlers: { first: () => ({ seen: true }) } });
  const { journal } = await workflow.run({ state, journal: true });
  const run = workflow.start({ state, journal, replay: "strict" });
  const times = [];
  for await (const event of run.events) times.push(event.at);
  assert.equal((await run.result).status, "done");
  assert.ok(times.length > 60);
  assert.equal(new Set(times.slice(3)).size, 1, "all that follows the answer has its time");
});
