import assert from "node:assert/strict";
import { test } from "node:test";
import { customModel, Workflow } from "stepweave";

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

// Code and functions that are called at the same time: each keeps the thread for longer than a turn lasts.
const MANY = 15;
const code = "let sum = 0; for (let i = 0; i < 400_000; i += 1) sum += i; ctx.log('ran'); return {}";
const each = (run) => step("each", { type: "foreach", items: `[1] * ${MANY}`, concurrency: MANY, steps: [step("one", { type: "function", run })] });
const toolCalls = Array.from({ length: MANY }, () => ({ type: "toolCall", name: "work", input: {} }));
const agent = {
  models: { m: { provider: "custom", model: "caller" } },
  agents: { a: { model: "m", tools: ["work"] } },
  tools: { work: { input: {}, run: { code } } },
};
// The first of these waits for the sandbox, which nothing has loaded before.
const together = {
  "the code of items, when the sandbox has been loaded": { steps: [each({ code })] },
  "the code of items": { steps: [each({ code })] },
  "the code of members of a parallel": { steps: [step("all", { type: "parallel", parallel: row((id) => step(id, { type: "function", run: { code } })).slice(0, MANY) })] },
  "the code of tools that one turn of a model calls": { ...agent, steps: [step("ask", { type: "agent", agent: "a", inputFrom: "go" })] },
  "functions of items": { steps: [each({ handler: "work" })] },
};

/** How often something was called in a run that something ends after the first call. */
async function callsOf(parts, options, onCall = () => {}) {
  let calls = 0;
  const called = () => {
    calls += 1;
    if (calls === 1) onCall();
  };
  const work = () => {
    called();
    const began = Date.now();
    while (Date.now() - began < 15);
    return {};
  };
  const workflow = Workflow.fromDocument({ version: 1, name: "together", ...parts }, { handlers: { work }, models: { caller: customModel("caller", ({ messages }) => (messages.length > 1 ? "done" : toolCalls)) } });
  workflow.on("run.warning", called);
  const { status, error } = await workflow.run(options);
  return { status, code: error?.code, calls };
}

for (const [kind, parts] of Object.entries(together)) {
  test(`a signal acts between ${kind}, and no further call is made`, async () => {
    const controller = new AbortController();
    const { status, calls } = await callsOf(parts, { signal: controller.signal }, () => setImmediate(() => controller.abort()));
    assert.equal(status, "cancelled");
    assert.ok(calls >= 1 && calls < MANY, `${calls} calls`);
  });

  test(`the time limit of a run acts between ${kind}`, async () => {
    const { status, code: why, calls } = await callsOf({ ...parts, limits: { timeoutMs: 50 } });
    assert.equal(status, "error");
    assert.equal(why, "timeout");
    assert.ok(calls < MANY, `${calls} calls`);
  });
}

test("a call whose time is over before its turn comes is not made", async () => {
  const { status, calls } = await callsOf({ limits: { stepTimeoutMs: 20 }, steps: [{ ...each({ handler: "work" }), onItemError: "null" }] });
  assert.equal(status, "done");
  assert.ok(calls >= 1 && calls < MANY, `${calls} calls`);
});

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
