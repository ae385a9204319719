// Tools of the reference MCP server from where there is no Node: a Worker in workerd, and a page in Chromium under a
// policy that lets no text become code.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { chromium } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";
import { startEverything } from "./everything-server.mjs";
import { installed } from "./installed.mjs";

/** What is done in each place: the list, a call, a failing call, and the end; then the same from a cassette. */
const program = `
  import { mcpTools } from "stepweave/mcp";
  import { cassette } from "stepweave/testing";
  export async function talk(url) {
    let kept;
    const place = { read: () => kept, write: (text) => void (kept = text) };
    const recording = cassette(place);
    const said = await use(url, recording.fetch);
    await recording.save();
    const replayed = await use(url, cassette(place, { mode: "replay" }).fetch);
    return { ...said, isSame: JSON.stringify(said) === JSON.stringify(replayed) };
  }
  async function use(url, fetch) {
    const { tools, close } = await mcpTools(url, { prefix: "all_", fetch });
    const tool = (name) => tools.find((one) => one.name === name);
    const context = { signal: new AbortController().signal };
    const said = await tool("all_echo").execute({ message: "hello" }, context);
    const weather = await tool("all_get-structured-content").execute({ location: "Chicago" }, context);
    const failure = await tool("all_get-sum").execute({ a: "two" }, context).catch(({ code }) => code);
    await close();
    return { count: tools.length, said, weather, failure };
  }
`;

function assertTalk({ count, said, weather, failure, isSame, ...error }) {
  assert.deepEqual(error, {});
  assert.ok(count >= 12);
  assert.deepEqual([said, weather.temperature, failure, isSame], ["Echo: hello", 36, "tool", true]);
}

let home;
let everything;

before(async () => {
  [home, everything] = await Promise.all([installed(), startEverything()]);
  await home.beside("@modelcontextprotocol/client");
  await writeFile(join(home.folder, "talk.mjs"), program);
});
after(() => Promise.all([everything?.stop(), home.remove()]));

/** Bundles a program of the folder, as a user would. */
async function bundled(name, text, options) {
  await writeFile(join(home.folder, name), text);
  const outfile = join(home.folder, "out", name);
  await build({ absWorkingDir: home.folder, entryPoints: [name], bundle: true, format: "esm", outfile, logLevel: "silent", ...options });
  return outfile;
}

test("from a Worker", async (t) => {
  const worker = `
    import { talk } from "./talk.mjs";
    export default { fetch: async (request) => Response.json(await talk(await request.text()).catch((error) => ({ error: String(error.stack) }))) };
  `;
  const scriptPath = await bundled("worker.mjs", worker, { conditions: ["workerd", "worker", "browser"] });
  const miniflare = new Miniflare({ compatibilityDate: "2026-01-01", modules: [{ type: "ESModule", path: scriptPath }], modulesRoot: join(home.folder, "out") });
  t.after(() => miniflare.dispose());
  const response = await miniflare.dispatchFetch("http://worker.test/", { method: "POST", body: everything.url });
  assertTalk(await response.json());
});

test("from a page", async (t) => {
  await bundled("page.mjs", 'import { talk } from "./talk.mjs"; globalThis.talk = talk;', { platform: "browser" });
  const policy = `default-src 'self'; img-src data:; script-src 'self'; connect-src ${new URL(everything.url).origin}`;
  await writeFile(join(home.folder, "index.html"), `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="icon" href="data:,"><script type="module" src="/out/page.mjs"></script>`);
  const site = await serve({ root: home.folder });
  t.after(() => site.close());
  const browser = await chromium.launch();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(site.origin);
  await page.waitForFunction(() => typeof globalThis.talk === "function");
  // From a timer: what Playwright itself evaluates is free of the page's policy.
  const talk = (url) => page.evaluate((url) => new Promise((resolve) => setTimeout(() => globalThis.talk(url).then(resolve, ({ code, hint }) => resolve({ code, hint })))), url);
  assertTalk(await talk(everything.url));
  const down = await talk("http://127.0.0.1:9/mcp");
  assert.equal(down.code, "network");
  assert.match(down.hint, /expose the header mcp-session-id/);
});
