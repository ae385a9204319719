// What programs export can be named by their declarations, as libraries and projects of a workspace have them made.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

test("workflows, agents, steps and tools that a program exports have declarations", () => {
  const folder = mkdtempSync(join(tmpdir(), "stepweave-exported-"));
  try {
    // Outside of the package, whose own files a declaration may name by their paths.
    symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
    copyFileSync(new URL("exported.test-d.ts", import.meta.url), join(folder, "exported.ts"));
    const options = ["--strict", "--declaration", "--emitDeclarationOnly", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable,dom.asynciterable"];
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, "exported.ts"], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.match(readFileSync(join(folder, "exported.d.ts"), "utf8"), /export declare const writer: Agent<undefined>/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
