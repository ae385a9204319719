// What tests of the documentation share: running its programs, and finding what its tables name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const scenarios = fileURLToPath(new URL("../../tests/scenarios/", import.meta.url));

/** A page of the repository. */
export const page = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** What a program prints. It stands in the package, so that it finds `stepweave` by name; these files lie beside it. */
export function output(program, files = {}) {
  const folder = mkdtempSync(join(here, "program-"));
  try {
    const file = join(folder, "program.mjs");
    const { code } = transformSync(program, { loader: "ts", format: "esm", target: "es2022" });
    for (const [name, text] of Object.entries({ ...files, "program.mjs": code })) writeFileSync(join(folder, name), text);
    return execFileSync(process.execPath, [file], { encoding: "utf8", cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Every program of a guide prints what stands below it; these files lie beside it. */
export function assertPrograms(guide, files) {
  const programs = [...guide.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```$/gms)];
  assert.ok(programs.length > 0);
  assert.equal(programs.length, (guide.match(/^```ts$/gm) ?? []).length, "each program has its output below it");
  for (const [, program, said] of programs) assert.equal(output(program, files), said);
}

/** What a cell names is there: a test of the package that is about the statement, or a scenario with its title. */
export function assertShown(cell, statement) {
  const [, name, target, title] = /^\[([\w.-]+)\]\(([^)]*)\): (.*)$/.exec(cell) ?? assert.fail(`${statement}: ${cell}`);
  if (name.endsWith(".test.js")) {
    assert.equal(target, `../../pkg/test/${name}`);
    assert.ok(readFileSync(join(here, name), "utf8").includes(`test("${title}", `), `${name}: ${title}`);
    assert.ok(title.includes(`${statement} `), `${title} is not about ${statement}`);
  } else {
    assert.equal(target, `../../tests/scenarios/${name}.json`);
    assert.ok(existsSync(join(scenarios, `${name}.json`)), name);
    assert.equal(JSON.parse(readFileSync(join(scenarios, `${name}.json`), "utf8")).title, title);
  }
}
