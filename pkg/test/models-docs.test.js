// The guide to models: its programs print what it says, and its table of errors names what there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPrograms, page } from "./docs-support.js";
import { internal } from "./support.js";

const guide = page("docs/models.md");

test("every program of the guide to models prints what stands below it", () => assertPrograms(guide));

test("the table of errors has codes that there are", async () => {
  const { ERROR_CODES } = await internal("errors.ts");
  const rows = [...guide.matchAll(/^\| .* \| `(\w+)` \| (yes|no) \|$/gm)];
  assert.equal(rows.length, 17);
  for (const [, code] of rows) assert.ok(ERROR_CODES.has(code), code);
});
