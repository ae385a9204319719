import assert from "node:assert/strict";
import { test } from "node:test";
import { StepweaveError, validate, Workflow } from "stepweave";

// Each of these once stopped the engine, and with it every other run, or lost what a step had done.
const setting = (set, initialState = {}) => ({ version: 1, name: "t", initialState, steps: [{ id: "a", type: "function", name: "a", run: { set } }] });
const running = (document, options) => Workflow.fromDocument(document).run(options);

/** A victim runs beside the attack: it must not notice. */
async function beside(attack) {
  let end;
  const victim = new Workflow({ name: "victim", steps: [{ name: "wait", run: () => new Promise((resolve) => { end = resolve; }) }] }).run();
  await new Promise((resolve) => setTimeout(resolve));
  const outcome = await attack();
  end({ fine: true });
  assert.deepEqual((await victim).state, { fine: true });
  return outcome;
}

test("a nested __proto__ is a key like others", async () => {
  const state = JSON.parse('{"payload":{"__proto__":{"a":{"b":1}},"z":2}}');
  const result = await beside(() => running(setting({ copy: "payload", literal: "{'__proto__': {'a': 1}}" }), { state }));
  assert.equal(result.status, "done");
  assert.equal(result.state.copy.z, 2);
  assert.equal({}.a, undefined);
  assert.equal(Object.getPrototypeOf(result.state.copy), Object.prototype);
});

test("numbers beyond 2^53 are rounded as JavaScript rounds them, and nothing is lost", async () => {
  const result = await running(setting({ ok: "1", n: "9007199254740993", copy: "ts", whole: "big | int" }), { state: { ts: 1.7e18, big: 1e300 } });
  assert.deepEqual(result.state, { ts: 1.7e18, big: 1e300, ok: 1, n: 9007199254740992, copy: 1.7e18, whole: 1e300 });
});

test("chains of operators are refused before they are read", async () => {
  for (const chain of ["- ".repeat(6000) + "1", "1" + "+1".repeat(5000), "a" + ".a".repeat(8000), "not ".repeat(5000) + "true"]) {
    const [problem] = await beside(async () => validate(setting({ x: chain })));
    assert.equal(problem.code, "expression_syntax");
    assert.match(problem.message, / has \d{4,5} bytes; 2000 are the most$/);
  }
  const template = { version: 1, name: "t", models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: `${"long text ".repeat(1000)} {{ {'}}': 1}['}}'] ${"+1".repeat(5000)} }}` }] };
  assert.equal((await validate(template))[0].code, "template_syntax");
  template.steps[0].inputFrom = `${"long text ".repeat(1000)} {{ "}}" ~ '{%' }}`;
  assert.deepEqual(await validate(template), []);
});

test("the longest expressions that are allowed run in the deepest steps that are", async () => {
  const deep = Array.from({ length: 500 }).reduce((inner) => ({ a: inner }), 1);
  for (const [expression, state] of [
    ["(".repeat(60) + "1" + ")".repeat(60), {}],
    ["1" + "+1".repeat(990), {}],
    ["- ".repeat(950) + "1", {}],
    ["a == b", { a: deep, b: deep }],
  ]) {
    for (const wrap of [(step, id) => ({ id, type: "sequence", name: id, steps: [step] }), (step, id) => ({ id, type: "parallel", name: id, parallel: [step] })]) {
      let step = setting({ x: expression }).steps[0];
      for (let level = 0; level < 255; level += 1) step = wrap(step, `s${level}`);
      const result = await beside(() => running({ version: 1, name: "deep", steps: [step] }, { state }));
      assert.ok(["done", "error"].includes(result.status));
      assert.notEqual(result.error?.code, "internal");
    }
  }
});

test("values that would fill the memory are a limit of their step", async () => {
  for (const expression of ["([1] * 99000000) | last", "[1] * 99000000", "('x' * 1000000) | replace('x', 'y' * 100000) | length", "('x,' * 900000) | split(',') | join('y' * 100000)"]) {
    const { error } = await beside(() => running(setting({ x: expression })));
    assert.equal(error.code, "limit", expression);
  }
});

test("texts that would take time or memory are a limit of their step", async () => {
  const state = { a: "x".repeat(100_000), big: "ab".repeat(4_000_000), other: "ab".repeat(4_000_000), xs: Array.from({ length: 1000 }, (_, index) => index) };
  const many = (expression) => `[${Array.from({ length: 40 }, () => expression).join(", ")}]`;
  for (const expression of [Array(600).fill("a").join("~"), "'x' * 1e8", "big | split('')", many("big | upper | length"), many("big == other"), many("'c' in big"), many("big | replace('a', '') | length"), "[xs] * 999999 * 999999"]) {
    const { error } = await beside(() => running(setting({ x: expression }), { state }));
    assert.equal(error.code, "limit", expression.slice(0, 40));
  }
  const nested = "{% for i in xs %}{% for j in xs %}{% for k in xs %}{{ a | replace('x', 'yy') | replace('y', 'zz') | length }}{% endfor %}{% endfor %}{% endfor %}";
  const asking = { version: 1, name: "t", limits: { templateFuel: 5_000_000 }, models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: nested }] };
  const { error } = await beside(() => running(asking, { state }));
  assert.equal(error.code, "limit");
});

test("half an emoji in a message changes nothing else of the error", async () => {
  let calls = 0;
  const thrown = () => { calls += 1; throw new StepweaveError("rate_limit", "bad: " + "a😀".slice(0, 2), { retryable: true }); };
  const workflow = new Workflow({ name: "half", retryPolicy: { maxRetries: 2, backoffMs: 0 }, steps: [{ name: "s", run: thrown }] });
  const { error } = await workflow.run();
  assert.deepEqual([error.code, error.message, error.retryable, calls], ["rate_limit", "bad: a\ufffd", true, 3]);
});

test("a value that stands in many places is copied once", async () => {
  let shared = 1;
  for (let level = 0; level < 40; level += 1) shared = [shared, shared];
  const { status } = await new Workflow({ name: "shared", steps: [{ name: "s", run: () => ({ shared }) }] }).run();
  assert.equal(status, "done");
});
