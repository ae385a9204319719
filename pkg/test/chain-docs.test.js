import assert from "node:assert/strict";
import { test } from "node:test";
import { act, Agent, demo } from "stepweave";
import { assertPrograms, assertShown, page } from "./docs-support.js";

const guide = page("docs/agents.md");
const table = page("docs/seeds/clientai.md");

test("every program of the guide to agents prints what the guide says", () => {
  assertPrograms(guide);
});

test("1.13/162 whatever the guide says of a context is there", async () => {
  const seen = [];
  const agent = new Agent({ name: "a", model: demo(), steps: [act("s", { sendToLlm: false, inputs: 0 }, (context) => void seen.push(context))] });
  await agent.run("x");
  const named = new Set([...guide.matchAll(/context\.(\w+)/g)].map(([, name]) => name));
  assert.ok(named.size > 10);
  for (const name of named) assert.ok(name in agent.context || name in seen[0], name);
});

/** The number of the last statement of each section; they are counted through the part. */
const SECTIONS = { 1: 9, 2: 14, 3: 27, 4: 47, 5: 66, 6: 75, 7: 94, 8: 106, 9: 112, 10: 122, 11: 133, 12: 152, 13: 163 };

test("the table of statements names a test for each, which is there under that title", () => {
  const statements = [];
  for (const [section, last] of Object.entries(SECTIONS)) {
    while (statements.length < last) statements.push(`1.${section}/${statements.length + 1}`);
  }
  const rows = [...table.matchAll(/^\| (1\.\d+\/\d+) \| (.*) \| (.*) \|$/gm)];
  assert.deepEqual(rows.map(([, statement]) => statement), statements);
  for (const [, statement, shown] of rows) assertShown(shown, statement);
});
