// The programs of docs/durable.md: those that print, and those that only define what a platform calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { output, page } from "./docs-support.js";

const programs = [...page("docs/durable.md").matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)];
assert.ok(programs.length >= 3);
for (const [index, [, program, said = ""]] of programs.entries()) {
  test(`program ${index + 1} of docs/durable.md prints what the page says`, () => assert.equal(output(program), said));
}
