import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { output, page } from "./docs-support.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The code blocks of a page, in order. */
function blocks(text) {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
}

test("the README's programs print what the README says", () => {
  const found = blocks(page("README.md"));
  const programs = found.filter(({ language, text }) => language === "ts" && text.includes("console.log"));
  assert.equal(programs.length, 2);
  for (const program of programs) {
    const said = found[found.indexOf(program) + 1];
    assert.equal(said.language, "text");
    assert.equal(output(program.text), said.text);
  }
});

test("the README's document is one, and runs", async () => {
  const { validate } = await import("stepweave");
  const { text } = blocks(page("README.md")).find(({ language }) => language === "json");
  assert.deepEqual(await validate(text), []);
});

test("the README's Worker answers with the state that a run ends with", async () => {
  const { text } = blocks(page("README.md")).find(({ text }) => text.includes("async fetch(request"));
  const folder = mkdtempSync(join(here, "readme-"));
  try {
    writeFileSync(join(folder, "worker.ts"), text);
    const models = { demo: { provider: "demo", model: "demo" } };
    const steps = [{ id: "s1", type: "agent", name: "draft", agent: "writer", inputFrom: "Write about {{ topic }}" }];
    writeFileSync(join(folder, "workflow.json"), JSON.stringify({ version: 1, name: "write", models, agents: { writer: { model: "demo" } }, steps }));
    const outfile = join(folder, "worker.mjs");
    await build({ entryPoints: [join(folder, "worker.ts")], bundle: true, format: "esm", packages: "external", outfile });
    const { default: worker } = await import(pathToFileURL(outfile));
    const request = new Request("http://worker.example", { method: "POST", body: '{"topic":"bees"}' });
    const state = await (await worker.fetch(request, { OPENAI_API_KEY: "sk-for-nobody" })).json();
    assert.match(state.draft_output, /^\[simulated\] On “Write about bees”/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the first program of the package's README prints what its comment says", () => {
  const [{ text }] = blocks(page("pkg/README.md"));
  const [, said] = /console\.log\(.*\/\/ (.*?) …/.exec(text);
  assert.ok(output(text).startsWith(said), `${output(text)} does not begin with ${said}`);
});

for (const name of ["steps.md", "journal.md", "deploys.md"]) {
  const found = blocks(page(`docs/${name}`));
  const programs = found.filter(({ language }) => language === "ts");
  for (const [number, { text }] of programs.entries()) {
    test(`program ${number + 1} of docs/${name} prints what the page says`, () => {
      const { language, text: expected } = found[found.findIndex((block) => block.text === text) + 1];
      assert.equal(language, "text");
      assert.equal(output(text), expected);
    });
  }
}

test("the package's README names every option of a run and every kind of step", () => {
  const source = (path) => readFileSync(join(here, "..", path), "utf8");
  const readme = source("README.md");
  const named = (text, from, to) => [...text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from))).matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const options = [...source("ts/run/option-names.ts").matchAll(/"(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual(named(readme, "explained at `RunOptions`: ", "\n\n").slice(1).sort(), options.sort());
  const kinds = JSON.parse(source("schema/workflow.schema.json")).$defs.step.oneOf.map(({ properties }) => properties.type.const);
  const words = { function: "run", switch: "cases", foreach: "items", loop: "repeat" };
  assert.deepEqual(named(readme, "A step is known by its key: ", ".\n").sort(), kinds.map((kind) => words[kind] ?? kind).sort());
});
