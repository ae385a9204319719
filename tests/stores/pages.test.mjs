// The IndexedDB store in real browsers: in pages, in tabs beside each other, in workers.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { cases } from "../../pkg/test/stores-conformance.js";
import { browsers, chromium, firefox } from "../browsers/browsers.mjs";
import { assertCarriedOn, assertRefused } from "./older.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";

let folder;
let server;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-pages-"));
  await build({ entryPoints: [fileURLToPath(new URL("programs/page.mjs", import.meta.url))], outfile: join(folder, "page.js"), bundle: true, format: "esm" });
  await writeFile(join(folder, "index.html"), '<!doctype html><title>Stores</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>\n');
  server = await serve({ root: folder });
});

after(async () => {
  await server?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

for (const browser of browsers) {
  describe(`in ${browser.name}`, { skip: browser.missing }, () => inBrowser(browser));
}

function inBrowser(browser) {
  let context;
  /** With a profile on the disk, as outside of private windows. */
  const start = (options) => browser.open(join(folder, browser.name), options);

  before(async () => {
    context = await start();
  });
  after(() => context?.close());

  async function tab(origin = server.origin) {
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction(() => globalThis.act !== undefined);
    return {
      page,
      act: (...given) => page.evaluate((all) => globalThis.act(...all), given),
      actInWorker: (...given) => page.evaluate((all) => globalThis.actInWorker(...all), given),
    };
  }

  for (const where of ["act", "actInWorker"]) {
    test(`the IndexedDB store keeps what stores promise, in a ${where === "act" ? "page" : "worker"}`, async (context) => {
      const outcomes = await (await tab())[where]("conform");
      assert.deepEqual(outcomes.map(({ name }) => name), cases.map(({ name }) => name));
      for (const { name, fault } of outcomes) await context.test(name, () => assert.equal(fault, undefined, fault));
    });
  }

  test("of tabs and workers that continue the same journal one at a time wins", async () => {
    const [one, other] = [await tab(), await tab()];
    const reports = await Promise.all([one.act("race", "page 1", 30), other.act("race", "page 2", 30), one.actInWorker("race", "worker 1", 30), other.actInWorker("race", "worker 2", 30)]);
    const won = reports.flatMap((report) => report.won);
    assert.equal(won.length, 120);
    assert.deepEqual([...(await one.act("heldKeys", "race"))].sort(), won.sort());
    assert.ok(reports.some(({ lost }) => lost > 0), "they were in each other's way");
  });

  test("journals are there after a reload and in another tab, and the database can be deleted at any time", async () => {
    const [one, other] = [await tab(), await tab()];
    await one.act("append", "kept", "a", 0);
    assert.deepEqual(await one.act("heldKeys", "kept"), ["a"]);
    await one.page.reload();
    await one.page.waitForFunction(() => globalThis.act !== undefined);
    assert.deepEqual(await one.act("heldKeys", "kept"), ["a"]);
    assert.deepEqual(await other.act("heldKeys", "kept"), ["a"]);
    await other.act("deleted", "kept");
    assert.equal(await one.act("heldKeys", "kept"), undefined);
    await other.act("append", "kept", "b", 0);
    assert.deepEqual(await one.act("heldKeys", "kept"), ["b"]);
  });

  test("journals are there after the browser was closed", async () => {
    await (await tab()).act("append", "restarted", "a", 0);
    await context.close();
    context = await start();
    assert.deepEqual(await (await tab()).act("heldKeys", "restarted"), ["a"]);
  });

  test("what the first version of the store kept is all there, and its runs go on", async () => {
    assertCarriedOn(await (await tab()).act("older", "first"));
  });

  test("what a later version of the store has kept is refused as that", async () => {
    assertRefused(await (await tab()).act("later", "third"));
  });

  test("a database that is no place for journals is refused with its name", async () => {
    const { act } = await tab();
    await act("foreign", "theirs", 1);
    const foreign = await act("complaint", "theirs");
    assert.equal(foreign.code, "validation");
    assert.equal(foreign.message, "the IndexedDB database `theirs` belongs to something else: it has no place for journals");
    assert.match(foreign.hint, /choose another name/);
    await act("foreign", "newer", 7);
    const newer = await act("complaint", "newer");
    assert.match(newer.message, /^the IndexedDB database `newer` is newer than this page: /);
    assert.match(newer.hint, /reload the page/);
  });

  test("a page that may not store anything says so, and what to do", async () => {
    const { page, act } = await tab();
    // Browsers that keep nothing throw when a database is opened, or answer with an error.
    for (const [refusal, cause] of [
      ["throws", () => { IDBFactory.prototype.open = () => { throw new DOMException("storage is off", "SecurityError"); }; }],
      ["answers", () => { IDBFactory.prototype.open = () => { const request = { error: new DOMException("storage is off", "UnknownError") }; setTimeout(() => request.onerror()); return request; }; }],
    ]) {
      await page.evaluate(cause);
      const { code, message, hint } = await act("complaint", "private");
      assert.equal(code, "validation", refusal);
      assert.equal(message, "the IndexedDB database `private` cannot be opened: storage is off");
      assert.match(hint, /private windows/);
    }
  });

  test("what has no room is refused, and nothing of it is kept", async () => {
    // Another origin, since the browser remembers for a while how much room one has.
    const origin = server.origin.replace("127.0.0.1", "localhost");
    if (browser === firefox) {
      await context.close();
      context = await start({ firefoxUserPrefs: { "dom.quotaManager.temporaryStorage.fixedLimit": 1_000 } });
    }
    const { page, act } = await tab(origin);
    if (browser === chromium) {
      const session = await context.newCDPSession(page);
      await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
    }
    await act("append", "full", "a", 0);
    const error = await page.evaluate(() => globalThis.act("append", "full", globalThis.noise(5_000_000), 1).then(() => undefined, ({ code, message, hint }) => ({ code, message, hint })));
    assert.equal(error?.code, "validation");
    assert.match(error.message, /^the IndexedDB database `full` refused/);
    assert.match(error.hint, /no room left/);
    assert.deepEqual(await act("heldKeys", "full"), ["a"]);
    await act("append", "full", "c", 1);
    assert.deepEqual(await act("heldKeys", "full"), ["a", "c"]);
  });
}
