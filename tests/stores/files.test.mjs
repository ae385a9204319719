// The file store on the runtimes that have files; the package's own tests run it in Node.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fileStore } from "stepweave/stores/node";
import { cases } from "../../pkg/test/stores-conformance.js";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const tool = (name) => at(`../../node_modules/.bin/${name}`);
const runtimes = {
  node: [process.execPath],
  deno: [tool("deno"), "run", "--quiet", "--no-prompt", "--no-remote", "--node-modules-dir=manual", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"],
  bun: [tool("bun"), "--no-install"],
};

/** What a program prints in one of the runtimes. */
async function output(runtime, given) {
  const [command, ...first] = runtimes[runtime];
  const { stdout } = await promisify(execFile)(command, [...first, at("programs/files.mjs"), ...given], { timeout: 60_000, maxBuffer: 1e8 });
  return stdout;
}

async function inFolder(body) {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-files-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of ["deno", "bun"]) {
  test(`the file store keeps what stores promise, in ${runtime}`, (context) =>
    inFolder(async (folder) => {
      const outcomes = (await output(runtime, [folder])).trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(outcomes.map(({ name }) => name), cases.map(({ name }) => name));
      for (const { name, fault } of outcomes) await context.test(name, () => assert.equal(fault, undefined, fault));
    }));
}

test("processes of different runtimes can share a folder", () =>
  inFolder(async (folder) => {
    const names = Object.keys(runtimes);
    await Promise.all(names.map((name) => output(name, [folder, name])));
    const { entries } = await fileStore(folder).load("race");
    const expected = names.flatMap((name) => Array.from({ length: 30 }, (_, index) => `${name}.${index}`));
    assert.deepEqual(entries.map(({ key }) => key).sort(), expected.sort());
  }));
