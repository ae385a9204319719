// A workflow behind `stepweave/http` in each runtime's own server: started, followed, answered and cancelled over real connections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";
import { assertServed, started, TOKEN } from "./exchange.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const bin = (name) => path(`../../node_modules/.bin/${name}`);

/** How the program is served in each runtime. */
const HOSTS = {
  Node: () => started(process.execPath, [path("programs/node.mjs")]),
  Deno: () => started(bin("deno"), ["run", "--allow-net", "--allow-read", "--allow-env", path("programs/deno.mjs")]),
  Bun: () => started(bin("bun"), [path("programs/bun.mjs")]),
  async workerd() {
    const miniflare = new Miniflare({ unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }], compatibilityDate: "2026-01-01", ...(await bundled(path("programs/served.mjs"))) });
    return { url: (await miniflare.unsafeGetDirectURL()).href.replace(/\/$/, ""), stop: () => miniflare.dispose() };
  },
};

for (const [name, start] of Object.entries(HOSTS)) {
  test(`a workflow is served in ${name}`, async (context) => {
    const { url, stop } = await start();
    context.after(stop);
    await assertServed(url);
  });
}

test("a cron of a Worker wakes the runs whose time has come", async (context) => {
  const miniflare = new Miniflare({ compatibilityDate: "2026-01-01", ...(await bundled(path("programs/reminded.mjs"))) });
  context.after(() => miniflare.dispose());
  const call = async (method, at) => {
    const response = await miniflare.dispatchFetch(`https://flow.example${at}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${at}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { runId, status } = await call("POST", "/runs");
  assert.equal(status, "suspended");
  const worker = await miniflare.getWorker();
  for (;;) {
    assert.equal((await worker.scheduled()).outcome, "ok");
    const run = await call("GET", `/runs/${runId}`);
    if (run.status === "done") return assert.deepEqual(run.state, { mailed: true });
  }
});
