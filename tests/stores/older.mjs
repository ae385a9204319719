// What has to become of what the first version of a store kept, wherever that was.
import assert from "node:assert/strict";
import { BATCHES } from "./programs/older.mjs";

const entries = BATCHES.flat();

/** Nothing is lost, and the run goes on: see `carryOn`. */
export function assertCarriedOn({ loaded, listed, late, continued, relisted, left }) {
  assert.deepEqual(loaded, { version: 1, id: "order-17", entries });
  assert.deepEqual(listed, { runs: [{ id: "order-17", status: "running", documentName: "order", updatedAt: 1004 }] });
  assert.equal(late, "conflict");
  assert.deepEqual(continued, { version: 1, id: "order-17", entries: [...entries, { key: "boss/answer", at: 2000, ok: true }] });
  assert.deepEqual(relisted.runs.map(({ id, status, owner }) => [id, status, owner]), [["order-17", "suspended", "ada"]]);
  assert.equal(left, null);
}

/** What a later version has kept is refused as that: see `complaints`. */
export function assertRefused(said) {
  for (const [name, complaint] of Object.entries(said)) {
    assert.equal(complaint?.code, "validation", name);
    assert.match(complaint.message, /^the journal `later` .*was kept by a version of stepweave that this one does not know$/, name);
    assert.match(complaint.hint, /use the version that kept it, or a newer one/, name);
  }
}
