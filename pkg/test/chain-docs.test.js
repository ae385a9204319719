import assert from "node:assert/strict";
import { test } from "node:test";
import { act, Agent, demo } from "stepweave";
import { assertPrograms, page } from "./docs-support.js";

const guide = page("docs/agents.md");

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
