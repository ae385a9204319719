// The importers of the page, as its tests use them.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { validate } from "stepweave";

const folder = mkdtempSync(join(tmpdir(), "stepweave-imports-"));
const bundled = async (name) => {
  const outfile = join(folder, `${name}.mjs`);
  await build({ entryPoints: [new URL(`../../web/ts/import/${name}.ts`, import.meta.url).pathname], bundle: true, format: "esm", platform: "node", outfile, logLevel: "error" });
  return import(pathToFileURL(outfile).href);
};
export const { read } = await bundled("index");
export const { isSecret, withoutShapes } = await bundled("secrets");
after(() => rmSync(folder, { recursive: true }));

export const file = (name) => readFileSync(new URL(`files/${name}`, import.meta.url), "utf8");

/** A file that must become a document without errors, whose report names steps that are there. */
export async function imported(text) {
  const made = await read(text);
  assert.ok(made && !("error" in made), made?.error ?? "it is not recognised");
  const problems = (await validate(made.document)).filter(({ severity }) => severity === "error");
  assert.deepEqual(problems, []);
  const document = JSON.parse(made.document);
  const steps = flat(document.steps);
  const ids = new Set(steps.map(({ id }) => id));
  for (const node of made.report.nodes) {
    assert.notEqual(node.became, "", node.name);
    if (node.step !== undefined) assert.ok(ids.has(node.step), `${node.name} is no step`);
  }
  const once = made.report.nodes.flatMap(({ step }) => step ?? []);
  assert.equal(new Set(once).size, once.length, "a step stands for one node");
  return { document, report: made.report, steps, step: (name) => steps.find((step) => step.name === name) };
}

/** All steps of a tree. */
export function flat(steps) {
  const inside = (step) => [step.steps, step.else, step.default, step.parallel, step.expired, ...(step.cases ?? []).map((one) => one.steps)];
  return (steps ?? []).flatMap((step) => [step, ...inside(step).flatMap(flat)]);
}
