// The guide to files: its programs print what stands below them, and its tables name the options that there are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFiles } from "stepweave/files";
import { assertPrograms, page } from "./docs-support.js";

const guide = page("docs/files.md");

test("every program of the guide to files prints what stands below it", () => assertPrograms(guide));

test("the table of options has all of them", async () => {
  const [, table] = /^\| option \|.*?\n(.*?)\n\n/ms.exec(guide);
  const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const error = await readFiles([], { nonsense: 1 }).catch((thrown) => thrown);
  assert.equal(named.length, 6);
  for (const name of named) assert.ok(`${error.message} ${error.hint}`.includes(name), `${name}: ${error.message} ${error.hint}`);
});
