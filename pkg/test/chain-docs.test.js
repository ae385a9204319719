import assert from "node:assert/strict";
import { test } from "node:test";
import { demo } from "stepweave";
import { act, ReasoningAgent } from "stepweave/reasoning";
import { assertPrograms, page } from "./docs-support.js";

const guide = page("docs/reasoning.md");

for (const [name, text] of Object.entries({ "agents with steps": guide, agents: page("docs/agents.md") })) {
  test(`every program of the guide to ${name} prints what the guide says`, () => {
    assertPrograms(text);
  });
}

test("1.13/162 whatever the guide says of a context is there", async () => {
  const seen = [];
  const agent = new ReasoningAgent({ name: "a", model: demo(), steps: [act("s", { sendToLlm: false, inputs: 0 }, (context) => void seen.push(context))] });
  await agent.run("x");
  const named = new Set([...guide.matchAll(/context\.(\w+)/g)].map(([, name]) => name));
  assert.ok(named.size > 10);
  for (const name of named) assert.ok(name in agent.context || name in seen[0], name);
});
