// The page of docs/getting-started.md, as any web server would serve it, in real browsers.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browsers } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";

const dist = fileURLToPath(new URL("../../pkg/dist", import.meta.url));
const guide = new URL("../../docs/getting-started.md", import.meta.url);
let site;
let folder;

before(async () => {
  const [, page] = /^```html\n(.*?)^```$/ms.exec(await readFile(guide, "utf8"));
  folder = await mkdtemp(join(tmpdir(), "stepweave-import-map-"));
  await cp(dist, join(folder, "stepweave"), { recursive: true });
  await writeFile(join(folder, "index.html"), page);
  site = await serve({ root: folder });
});
after(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const browser of browsers) {
  test(`a page without a bundler runs a workflow in ${browser.name}`, { skip: browser.missing }, async () => {
    const running = await browser.launch();
    try {
      const tab = await running.newPage();
      const faults = [];
      tab.on("pageerror", (error) => faults.push(String(error)));
      await tab.goto(site.origin);
      await tab.waitForFunction(() => document.querySelector("output").textContent !== "", undefined, { timeout: 20_000 }).catch(() => {});
      assert.deepEqual([await tab.locator("output").textContent(), faults], ["120 to pay", []]);
    } finally {
      await running.close();
    }
  });
}
