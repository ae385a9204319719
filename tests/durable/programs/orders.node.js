// Put beside the tests of the exported Node project of `orders.json`: the program itself, killed and stopped while runs wait.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const TOKEN = "a-token-of-more-than-sixteen-characters";
const root = fileURLToPath(new URL("..", import.meta.url));

/** What `npm start` starts; `said` is what it has written, and `call` asks it. */
async function started(environment) {
  const child = spawn(process.execPath, ["server.js"], { cwd: root, env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: "0", ...environment } });
  let said = "";
  const origin = new Promise((resolve) => {
    const heard = (chunk) => {
      said += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (address) resolve(address[0]);
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
  });
  const over = once(child, "exit").then(([code, signal]) => ({ code, signal, said }));
  const call = async (method, path, body, headers = {}) => fetch((await origin) + path, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, ...(body && { body: JSON.stringify(body) }) });
  const json = async (...request) => {
    const response = await call(...request);
    return { http: response.status, ...(await response.json()) };
  };
  return { call, json, over, end: (signal) => (child.kill(signal), over) };
}

test("a run goes on after the server was killed, and after it was stopped", { timeout: 60_000 }, async (context) => {
  context.after(() => rm(new URL("../runs", import.meta.url), { recursive: true, force: true }));
  const set = { ACCESS_TOKEN: `${TOKEN}\n` };
  const first = await started(set);
  context.after(() => first.end("SIGKILL"));
  const { http, runId, pending } = await first.json("POST", "/runs", { sum: 40 });
  assert.deepEqual([http, pending[0].message], [202, "Pay 40?"]);
  assert.equal((await first.end("SIGKILL")).signal, "SIGKILL");

  const second = await started(set);
  context.after(() => second.end("SIGKILL"));
  const streaming = await second.call("POST", `/runs/${runId}/answers`, { boss: { approved: true } }, { accept: "text/event-stream" });
  assert.match(await streaming.text(), /event: step\.suspended/);
  assert.equal((await second.json("POST", "/runs", { sum: 0 })).http, 400);
  assert.deepEqual(await second.end("SIGTERM").then(({ code, signal }) => [code, signal]), [0, null]);

  const third = await started(set);
  context.after(() => third.end("SIGKILL"));
  const done = await third.json("POST", `/runs/${runId}/answers`, { how: { way: "invoice" } });
  assert.deepEqual([done.http, done.status, done.state?.note], [200, "done", "INVOICE"]);
});

test("it does not start as long as the token is not set, and says so", { timeout: 60_000 }, async () => {
  const { code, said } = await (await started({})).over;
  assert.equal(code, 1);
  assert.match(said, /ACCESS_TOKEN is not set, or shorter than 16 characters: set the environment variable ACCESS_TOKEN/);
});

test("a call that has no address is refused, and the server stays", { timeout: 60_000 }, async (context) => {
  const server = await started({ ACCESS_TOKEN: TOKEN });
  context.after(() => server.end("SIGKILL"));
  const health = await server.call("GET", "/health");
  assert.equal(health.status, 200);
  const socket = createConnection(Number(new URL(health.url).port), "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n");
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1\.1 400 /);
  assert.equal((await server.call("GET", "/health")).status, 200);
});
