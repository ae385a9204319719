// What a bundler leaves out of a program that uses little of an entry: all that stands beside it in the same files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));

async function bundled(contents) {
  const options = { bundle: true, minify: true, format: "esm", platform: "neutral", external: ["node:*"], write: false, logLevel: "error" };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir } });
  return outputFiles[0].text;
}

const PROGRAMS = {
  'export { StepweaveError } from "stepweave/slim";': 4000,
  'export { tool } from "stepweave/slim";': 12_000,
  'export { openai } from "stepweave/slim";': 20_000,
  'export { connect } from "stepweave/worker";': 40_000,
  'export { consoleLogger } from "stepweave/log";': 8000,
};

for (const [program, most] of Object.entries(PROGRAMS)) {
  test(`a bundle of little is small: ${program}`, async () => {
    const { length } = await bundled(program);
    assert.ok(length < most, `${length} letters`);
  });
}

test("a workflow comes without agents, and they come with what makes them", async () => {
  const OF_AGENTS = "an agent needs a name";
  assert.ok(!(await bundled('export { Workflow } from "stepweave/slim";')).includes(OF_AGENTS));
  assert.ok((await bundled('export { Agent } from "stepweave/slim";')).includes(OF_AGENTS));
});
