// docs/own-models.md: its programs print what it says, and its tables name what there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPrograms, page } from "./docs-support.js";

const guide = page("docs/own-models.md");

test("every program of the guide prints what stands below it", () => assertPrograms(guide));

test("the guide's table has every kind of part", () => {
  const source = page("pkg/ts/api/model-request.ts");
  const union = /export type ModelPart =(.*?);\n\n/s.exec(source)[1];
  const kinds = [...union.matchAll(/\{ type: "(\w+)"/g)].map(([, kind]) => kind);
  const rows = [...guide.matchAll(/^\| .*?`\{ type: "(\w+)"/gm)].map(([, kind]) => kind);
  assert.deepEqual(rows, ["text", "reasoning", "toolCall", "usage", "image", "source", "response", "echo", "finish"]);
  assert.deepEqual([...kinds].sort(), [...rows].sort());
});
