import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";

const workflow = new Workflow({ name: "n", steps: [{ name: "a", run: () => ({}) }] });

test("ids of runs are random UUIDs, all different, of which no byte stays the same", () => {
  const ids = Array.from({ length: 1000 }, () => {
    const run = workflow.start();
    run.cancel();
    return run.id;
  });
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
  const digits = ids.map((id) => id.replaceAll("-", ""));
  for (let at = 0; at < 32; at += 1) {
    const seen = new Set(digits.map((text) => text[at]));
    // The version is always the same, and the variant is one of four.
    assert.equal(seen.size, at === 12 ? 1 : at === 16 ? 4 : 16, `digit ${at}`);
  }
});
