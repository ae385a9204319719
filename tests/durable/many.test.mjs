// Thousands of runs that wait in one Durable Object: waking some of them takes work for these, and for no others.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled } from "../edge/worker.mjs";
import { Counting } from "./counting.mjs";
import { Life } from "./life.mjs";

const [WAITING, DUE] = [10_000, 200];

test(`of ${WAITING} runs that wait in an object ${DUE} wake in their order, in a new process, by queries for these alone`, { timeout: 600_000 }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-many-"));
  const counting = await new Counting().start();
  const worker = await bundled(fileURLToPath(new URL("programs/many.mjs", import.meta.url)));
  const place = new Life({ compatibilityDate: "2026-01-01", ...worker, bindings: { ORIGIN: counting.origin }, durableObjects: { Many: { className: "Many", useSQLite: true } }, durableObjectsPersist: folder, handleRuntimeStdio: () => {} });
  context.after(async () => {
    await place.leave();
    counting.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const fill = async (more) => assert.equal((await place.call("POST", "/fill", more))?.status, 200);
  const inDays = Date.now() + 10 * 86_400_000;
  for (let from = 0; from < WAITING - DUE; from += 1400) await fill({ from: DUE + from, count: Math.min(1400, WAITING - DUE - from), at: inDays, everyMs: 1 });
  await fill({ from: 0, count: DUE, at: Date.now() + 8000, everyMs: 5 });
  await place.restart();
  while (counting.arrivals.length < DUE) await new Promise((resolve) => setTimeout(resolve, 50));
  const { count } = await (await place.call("GET", "/queries")).json();
  const woken = counting.arrivals.map(({ operation }) => Number(operation));
  assert.deepEqual([...woken].sort((one, other) => one - other), Array.from({ length: DUE }, (_, index) => index), "each of them wakes, and no other");
  // Those that are woken together call together.
  for (const [index, order] of woken.entries()) assert.ok(Math.abs(index - order) <= 100, `${order} comes as number ${index}`);
  assert.ok(count < 20 * DUE, `${count} queries for ${DUE} runs`);
  console.log(`${count} queries woke ${DUE} of ${WAITING} runs`);
});
