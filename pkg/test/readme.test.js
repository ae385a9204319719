import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** The code blocks of a page, in order. */
function blocks(page) {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
}

/** What a program prints. It stands in the package, so that it finds `stepweave` by name. */
function output(program) {
  const folder = mkdtempSync(join(here, "readme-"));
  try {
    const file = join(folder, "program.mjs");
    writeFileSync(file, program);
    return execFileSync(process.execPath, [file], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the README's program prints what the README says", () => {
  const found = blocks(read("../../README.md"));
  const at = found.findIndex(({ language, text }) => language === "ts" && text.includes("console.log"));
  assert.equal(found[at + 1].language, "text");
  assert.equal(output(found[at].text), found[at + 1].text);
});

test("the README's document is one, and runs", async () => {
  const { validate } = await import("stepweave");
  const { text } = blocks(read("../../README.md")).find(({ language }) => language === "json");
  assert.deepEqual(validate(text), []);
});

test("the first program of the package's README prints what its comment says", () => {
  const [{ text }] = blocks(read("../README.md"));
  const [, said] = /console\.log\(.*\/\/ (.*?) …/.exec(text);
  assert.ok(output(text).startsWith(said), `${output(text)} does not begin with ${said}`);
});
