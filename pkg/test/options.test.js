import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, openai, Workflow } from "stepweave";
import { rejection } from "./support.js";

test("options that do not exist are refused, since data would go astray without a word", async () => {
  assert.throws(() => openai("m", { baseURL: "http://localhost:1/v1" }), { code: "validation", message: "openai() has no option `baseURL`", hint: "did you mean `baseUrl`?" });
  assert.throws(() => new Agent({ name: "a", model: demo(), instruction: "x" }), { code: "validation", message: "the agent a has no option `instruction`", hint: "did you mean `instructions`?" });
  assert.throws(() => new Agent({ tool: [] }), { message: "an agent has no option `tool`", hint: "did you mean `tools`?" });
  const error = await rejection(new Workflow({ name: "w", steps: [] }).run({ topic: "bees" }));
  assert.equal(error.message, "a run has no option `topic`");
  assert.match(error.hint, /^use state, secrets/);
});
