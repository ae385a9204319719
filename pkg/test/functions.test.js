// `stepweave/functions`: every scenario of functions runs there as with the whole engine; what needs more is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StepweaveError as OfMain, Workflow as WholeWorkflow } from "stepweave";
import * as functions from "stepweave/functions";
import { differences } from "../../tests/runtimes/difference.mjs";
import { outcomeOf } from "../../tests/runtimes/scenario.mjs";
import { read } from "../../tests/runtimes/scenarios.mjs";

const { publicEvent, StepweaveError, Workflow } = functions;

/** What a document says that only functions need not: the keys of agents, and where texts are evaluated. */
const AGENTS = ["models", "agents", "tools", "prices"];
const isTag = (text) => /\{[{%#]/.test(text);

/** Whether all that these steps evaluate are functions. */
function isOfFunctions(steps) {
  return steps.every((step) => {
    const { type, run, condition, items, result, repeat = {}, cases = [], with: given, set, wait = {}, message = "", end = {} } = step;
    const texts = [condition, items, result, repeat.while, repeat.until, wait.until, ...cases.map(({ when }) => when)];
    const inner = [step.steps, step.else, step.expired, step.parallel, step.default, ...cases.map(({ steps }) => steps)].flatMap((block) => block ?? []);
    return type !== "agent" && type !== "http" && run?.set === undefined && given === undefined && set === undefined && !texts.some((text) => typeof text === "string") && !isTag(message) && !isTag(end.message ?? "") && isOfFunctions(inner);
  });
}

/** A document as a definition: its functions stand in it. */
function definitionOf({ version, ...document }, handlers) {
  const inline = (value) => (typeof value?.handler === "string" ? handlers[value.handler] : value);
  const steps = (block) => block?.map((step) => {
    const { run, condition, items, repeat, cases, input, output, ...rest } = step;
    const blocks = Object.fromEntries(["steps", "else", "expired", "parallel", "default"].flatMap((key) => (step[key] === undefined ? [] : [[key, steps(step[key])]])));
    return {
      ...rest,
      ...blocks,
      ...(run !== undefined && { run: inline(run), version: run.version }),
      ...(condition !== undefined && { condition: inline(condition) }),
      ...(items !== undefined && { items: inline(items) }),
      ...(repeat !== undefined && { repeat: Object.fromEntries(Object.entries(repeat).map(([key, value]) => [key, inline(value)])) }),
      ...(cases !== undefined && { cases: cases.map(({ when, steps: inside, ...more }) => ({ ...more, when: inline(when), steps: steps(inside) })) }),
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
    };
  });
  return { ...document, steps: steps(document.steps) };
}

/** The entry with the way in that scenarios take, which it has not. */
const throughDefinitions = {
  StepweaveError,
  publicEvent,
  Workflow: { fromDocument: (document, { handlers }) => new Workflow(definitionOf(typeof document === "string" ? JSON.parse(document) : document, handlers)) },
  validate: async () => [],
};

const scenarios = (await read("")).filter(({ scenario }) => scenario.document !== undefined && Array.isArray(scenario.document.steps));
const refuses = ({ expect = {} }) => expect.problems !== undefined;
const isWhole = (document) => !AGENTS.some((key) => document[key] !== undefined) && isOfFunctions(document.steps);
// A function that the document checks with, or does not have, stands in a definition as itself.
const namesCheck = ({ document }) => /"(?:input|output)":\{"handler"/.test(JSON.stringify(document));

test("runs every scenario of functions as the whole engine does", async () => {
  // Virtual time does not know that a file is on its way: the journal and the schemas are loaded before.
  await new Workflow({ name: "warm up", input: {}, steps: [{ name: "s", run: () => ({}) }] }).run({ journal: true });
  let ran = 0;
  for (const { name, scenario } of scenarios) {
    const documents = [scenario.document, ...(scenario.then ?? []).flatMap(({ document }) => document ?? [])];
    if (!documents.every(isWhole) || refuses(scenario) || (scenario.then ?? []).some((again, index) => scenario.expect?.then?.[index]?.problems) || namesCheck(scenario)) continue;
    const { observed, faults } = await outcomeOf(throughDefinitions, { name, scenario });
    assert.deepEqual([...faults, ...differences(scenario.expect, observed)], [], name);
    ran += 1;
  }
  assert.ok(ran >= 30, `only ${ran} scenarios could run`);
});

test("refuses agents, templates and expressions, and says where they are run", async () => {
  let refused = 0;
  for (const { name, scenario } of scenarios) {
    if (isWhole(scenario.document) || refuses(scenario) || scenario.expect?.rejects !== undefined) continue;
    const handlers = new Proxy({}, { get: () => () => ({}) });
    const run = async () => new Workflow(definitionOf(scenario.document, handlers)).run();
    await assert.rejects(run, (error) => {
      assert.ok(error instanceof StepweaveError, `${name}: ${error}`);
      assert.equal(error.code, "document", name);
      const hints = [error.hint, ...(error.problems ?? []).map(({ hint }) => hint)];
      assert.ok(hints.some((hint) => /from ["`]stepweave["`]/.test(hint)), `${name}: ${hints}`);
      return true;
    });
    refused += 1;
  }
  assert.ok(refused >= 100, `only ${refused} scenarios are refused`);
});

test("refuses a document, and names the entry that takes it", () => {
  const document = { version: 1, name: "d", steps: [] };
  assert.throws(() => Workflow.fromDocument(document), ({ code, message, hint }) => code === "document" && /stepweave\/functions/.test(message) && /from "stepweave"/.test(hint));
});

test("asks with plain texts, and refuses those with tags", async () => {
  const asking = (message) => new Workflow({ name: "ask", steps: [{ name: "publish", type: "approval", message }] }).run();
  const { status, pending } = await asking("Publish { this }?\n");
  assert.equal(status, "suspended");
  assert.equal(pending[0].message, "Publish { this }?");
  for (const tag of ["{{ draft }}", "{% if draft %}yes{% endif %}", "{# why #}"]) {
    await assert.rejects(asking(`Publish ${tag}?`), ({ code, problems }) => code === "document" && problems.some(({ path, message }) => path === "steps[0].message" && message.includes("is a template")));
  }
});

test("has an engine of its own in a program that also uses the main entry", async () => {
  const steps = [{ name: "add", run: { set: { x: "1 + 1" } } }];
  assert.equal((await new WholeWorkflow({ name: "w", steps }).run()).state.x, 2);
  await assert.rejects(new Workflow({ name: "f", steps }).run(), (error) => error instanceof OfMain && error.problems[0].code === "no_language");
  assert.equal((await new Workflow({ name: "f", steps: [{ name: "add", run: () => ({ x: 2 }) }] }).run()).state.x, 2);
});
