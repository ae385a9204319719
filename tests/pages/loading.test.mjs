// What a page learns when the engine does not come, or may not be compiled.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browsers } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";

const dist = fileURLToPath(new URL("../../pkg/dist", import.meta.url));

const PAGE = '<!doctype html><title>Loading</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>\n';
const PROGRAM = `
  import { Workflow } from "./entry-web.js";
  globalThis.run = async () => {
    const steps = [{ id: "s", type: "function", name: "s", run: { set: { x: "1 + 1" } } }];
    try {
      return (await Workflow.fromDocument({ version: 1, name: "t", steps }).run()).state;
    } catch ({ code, message, hint }) {
      return { code, message, hint };
    }
  };
`;

let folder;
/** The files of the engine: as wasm, and as the script that stands in for that. */
let engine;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-loading-"));
  await cp(dist, folder, { recursive: true });
  const { outputs } = JSON.parse(await readFile(join(dist, "meta.json"), "utf8"));
  const texts = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint === "ts/entries/bytes.ts").map(([path]) => path.replace("dist/", ""));
  engine = ["stepweave_bg.wasm", ...texts].map((file) => join(folder, file));
  await Promise.all([writeFile(join(folder, "index.html"), PAGE), writeFile(join(folder, "page.js"), PROGRAM)]);
});
after(() => rm(folder, { recursive: true, force: true }));

for (const browser of browsers) {
  describe(`in ${browser.name}`, { skip: browser.missing }, () => inBrowser(browser));
}

function inBrowser(browser) {
  let running;
  before(async () => {
    running = await browser.launch();
  });
  after(() => running?.close());

  /** Opens the page under a policy for its scripts, and lets it run a document with an expression as often as wanted. */
  async function inPage(policy, act) {
    const site = await serve({ root: folder, headers: { "content-security-policy": `script-src ${policy}` } });
    const context = await running.newContext();
    try {
      const tab = await context.newPage();
      await tab.goto(site.origin);
      await tab.waitForFunction(() => globalThis.run !== undefined);
      return await act(() => tab.evaluate(() => globalThis.run()));
    } finally {
      await context.close();
      await site.close();
    }
  }

  test("a policy that forbids wasm is named", () =>
    inPage("'self'", async (run) => {
      const { code, message, hint } = await run();
      assert.equal(code, "internal");
      assert.match(message, /^the engine cannot be loaded: /);
      assert.match(hint, /^a page with a Content-Security-Policy must allow script-src 'wasm-unsafe-eval'/);
    }));

  test("an engine that is missing on the server is no matter of policies; once it is there, it is loaded", () =>
    inPage("'self' 'wasm-unsafe-eval'", async (run) => {
      await Promise.all(engine.map((file) => rename(file, `${file}.away`)));
      const { code, message, hint } = await run().finally(() => Promise.all(engine.map((file) => rename(`${file}.away`, file))));
      assert.equal(code, "internal");
      assert.match(message, /^the engine cannot be loaded: /);
      assert.match(hint, /^a file of the package did not come: serve all of them/);
      assert.deepEqual(await run(), { x: 2 });
    }));
}
