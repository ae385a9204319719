import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPrograms, output, page } from "./docs-support.js";

const guide = page("docs/testing.md");
const block = (language) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(guide)[1];

test("every program of the guide to testing prints what the guide says", () => {
  assertPrograms(guide, { "answers.json": block("json") });
});

test("the test in the guide to testing passes", () => {
  const { NODE_TEST_CONTEXT } = process.env;
  delete process.env.NODE_TEST_CONTEXT;
  try {
    assert.match(output(block("js")), /ℹ pass 1|# pass 1/);
  } finally {
    if (NODE_TEST_CONTEXT !== undefined) process.env.NODE_TEST_CONTEXT = NODE_TEST_CONTEXT;
  }
});
