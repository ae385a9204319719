// The store of Durable Objects, in the runtime that Cloudflare's Workers run in.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { cases } from "../../pkg/test/stores-conformance.js";
import { bundled } from "../edge/worker.mjs";
import { assertCarriedOn, assertRefused } from "./older.mjs";

let folder;
let worker;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-objects-"));
  worker = await bundled(fileURLToPath(new URL("programs/object.mjs", import.meta.url)));
});

after(() => rm(folder, { recursive: true, force: true }));

/** Runs the body with what calls an action of a place. */
async function withWorker(useSQLite, persist, body) {
  const miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    ...worker,
    durableObjects: { PLACES: { className: "Place", useSQLite } },
    durableObjectsPersist: persist,
  });
  try {
    await body(async (place, action, given) => {
      const response = await miniflare.dispatchFetch(`http://worker.test/${place}`, { method: "POST", body: JSON.stringify({ action, given }) });
      return response.json();
    });
  } finally {
    await miniflare.dispose();
  }
}

for (const useSQLite of [true, false]) {
  test(`the store of Durable Objects keeps what stores promise, over ${useSQLite ? "SQLite" : "key-value"} storage`, (context) =>
    withWorker(useSQLite, false, async (act) => {
      for (const [index, { name }] of cases.entries()) {
        await context.test(name, async () => {
          const { fault } = await act(`case-${index}`, "conform", index);
          assert.equal(fault, undefined, fault);
        });
      }
    }));

  test(`of several requests at the same moment one continues the journal, over ${useSQLite ? "SQLite" : "key-value"} storage`, () =>
    withWorker(useSQLite, false, async (act) => {
      const won = [];
      for (let round = 0; round < 10; round += 1) {
        const answers = await Promise.all([0, 1, 2, 3, 4].map((place) => act("race", "append", { key: `r${round}.${place}`, expectedSeq: round })));
        const winners = answers.flatMap(({ fault }, place) => (fault === undefined ? [`r${round}.${place}`] : []));
        assert.equal(winners.length, 1);
        assert.ok(answers.every(({ fault, code }) => fault === undefined || code === "conflict"));
        won.push(...winners);
      }
      assert.deepEqual((await act("race", "keys")).value, won);
    }));
}

test("the store of SQL tables keeps what stores promise", (context) =>
  withWorker(true, false, async (act) => {
    for (const [index, { name }] of cases.entries()) {
      await context.test(name, async () => {
        const { fault } = await act(`sql-${index}`, "conformSql", index);
        assert.equal(fault, undefined, fault);
      });
    }
  }));

test("the store of SQL tables is refused where the object has none", () =>
  withWorker(false, false, async (act) => {
    const { code, fault } = await act("without", "conformSql", 0);
    assert.equal(code, "validation");
    assert.match(fault, /sqlStore\(\) needs a Durable Object that is kept in SQLite/);
  }));

for (const useSQLite of [true, false]) {
  const place = useSQLite ? "SQLite" : "key-value";

  test(`what the first version of the store kept is all there, and its runs go on, over ${place} storage`, () =>
    withWorker(useSQLite, false, async (act) => assertCarriedOn((await act("older", "older")).value)));

  test(`what a later version of the store has kept is refused as that, over ${place} storage`, () =>
    withWorker(useSQLite, false, async (act) => assertRefused((await act("later", "later")).value)));
}

test("journals outlive the object, and leave its other values alone", async () => {
  const persist = join(folder, "kept");
  await withWorker(true, persist, async (act) => {
    assert.deepEqual(await act("kept", "append", { key: "a", expectedSeq: 0 }), {});
    assert.deepEqual((await act("own", "own")).value, ["mine"]);
  });
  await withWorker(true, persist, async (act) => {
    assert.deepEqual((await act("kept", "keys")).value, ["a"]);
    await act("kept", "append", { key: "b", expectedSeq: 1 });
    await act("kept", "lose");
    const { code, fault } = await act("kept", "keys");
    assert.equal(code, "validation");
    assert.match(fault, /the journal `run` lacks entries: 1 of 2 are there/);
  });
});
