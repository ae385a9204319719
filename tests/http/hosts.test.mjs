// A workflow behind `stepweave/http` in each runtime's own server: started, followed, answered and cancelled over real connections.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const bin = (name) => path(`../../node_modules/.bin/${name}`);
const TOKEN = "a-token-of-more-than-sixteen-characters";

/** Starts a program that prints its port. */
async function started(command, ...args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(Number(text));
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

/** How the program is served in each runtime. */
const HOSTS = {
  Node: () => started(process.execPath, path("programs/node.mjs")),
  Deno: () => started(bin("deno"), "run", "--allow-net", "--allow-read", "--allow-env", path("programs/deno.mjs")),
  Bun: () => started(bin("bun"), path("programs/bun.mjs")),
  async workerd() {
    const miniflare = new Miniflare({ unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }], compatibilityDate: "2026-01-01", ...(await bundled(path("programs/served.mjs"))) });
    return { url: (await miniflare.unsafeGetDirectURL()).href.replace(/\/$/, ""), stop: () => miniflare.dispose() };
  },
};

for (const [name, start] of Object.entries(HOSTS)) {
  test(`a workflow is served in ${name}`, async (context) => {
    const { url, stop } = await start();
    context.after(stop);
    const call = (method, at, body, headers = {}) =>
      fetch(url + at, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, ...(body && { body: JSON.stringify(body) }) });

    assert.deepEqual(await (await fetch(`${url}/health`)).json(), { status: "ok" });
    assert.equal((await fetch(`${url}/runs`, { method: "POST", body: "{}" })).status, 401);
    const refused = await call("POST", "/runs", { sum: 1, paid: 1 });
    assert.deepEqual([refused.status, refused.headers.get("content-type")], [400, "application/problem+json"]);

    const stream = await call("POST", "/runs", { sum: 12 }, { accept: "text/event-stream" });
    const id = decodeURIComponent(stream.headers.get("location").split("/").at(-1));
    const text = await stream.text();
    assert.match(text, /event: run\.suspended\n/);
    const events = text.match(/^id: \d+$/gm).map((line) => Number(line.slice(4)));
    const rest = await (await call("GET", `/runs/${id}/events`, undefined, { "last-event-id": String(events[1]) })).text();
    assert.deepEqual(rest.match(/^id: \d+$/gm).map((line) => Number(line.slice(4))), events.slice(2));

    const done = await call("POST", `/runs/${id}/answers`, { boss: { approved: true } });
    const { status, state } = await done.json();
    assert.deepEqual([done.status, status, state.paid], [200, "done", 12]);

    const other = await (await call("POST", "/runs", { sum: 1 })).json();
    assert.equal((await call("DELETE", `/runs/${other.runId}`)).status, 204);
    assert.equal((await (await call("GET", `/runs/${other.runId}`)).json()).code, "cancelled");
  });
}
