// The packed package in an empty folder, and its program as `npx` finds it there.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folderWith } from "./cli-support.js";

const root = fileURLToPath(new URL("..", import.meta.url));

test("npx stepweave runs from the packed package, in a folder where nothing else is", (t) => {
  const folder = folderWith(t, { "package.json": '{ "private": true }' });
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", join(folder, filename)], { cwd: folder, stdio: "ignore" });
  const npx = (...args) => {
    const { status, stdout, stderr } = spawnSync("npx", ["--no-install", "stepweave", ...args], { cwd: folder, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const made = npx("new", "triage");
  assert.equal(made.status, 0, made.stderr);
  const checked = npx("validate", "triage.json");
  assert.equal(checked.stdout, "1 document, 0 errors, 0 warnings\n", checked.stderr);
  const run = npx("run", "triage.json", "--state", "message=Hello", "--quiet");
  assert.equal(run.status, 0, run.stderr);
  assert.equal(JSON.parse(run.stdout).queue, "inbox");
  const tested = npx("test", "triage.test.json");
  assert.match(tested.stdout, /\n2 tests, 0 failed\n$/, tested.stderr);
  writeFileSync(join(folder, "triage.json"), '{ "version": 1 }');
  assert.equal(npx("validate", "triage.json").status, 1);
});
