// The guide to tools: its programs print what it says, and its tables name what there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "stepweave";
import { assertPrograms, page } from "./docs-support.js";

const guide = page("docs/tools.md");

test("every program of the guide to tools prints what stands below it", () => assertPrograms(guide));

test("the table of a tool has all of its options", () => {
  const [, table] = /^\| `tool\(\{ … \}\)` \|.*?\n(.*?)\n\n/ms.exec(guide);
  const named = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name));
  const there = Object.keys(tool({ name: "x", execute: () => 1 }));
  assert.deepEqual([...named].sort(), [...there].sort());
});
