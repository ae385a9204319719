// What a served workflow has to do in every runtime and framework: started, followed, answered and cancelled over real connections.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { approvalLinks } from "stepweave/http";

/** Links are made of these alone: a program elsewhere makes them too. */
const ADDRESS = "https://orders.example";
const LINKS = approvalLinks({ secrets: ["a-secret-that-only-programs-know"], url: ADDRESS });
export const TOKEN = "a-token-of-more-than-sixteen-characters";

/** Starts a program that prints its port at the end of a line; `env` is added to its environment. */
export async function started(command, args, { env, cwd, port = /(\d+)\s*\n/ } = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], cwd, env: { ...process.env, ...env } });
  const number = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = port.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}: ${text}`)));
  });
  return { url: `http://127.0.0.1:${number}`, stop: () => child.kill() };
}

/** Uses the workflow of `programs/served.mjs`, which is served under this address. */
export async function assertServed(url) {
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
  const ids = (events) => events.match(/^id: .+$/gm).map((line) => line.slice(4));
  // What a run takes back when it goes on has no id of its own.
  const [first, ...later] = ids(text);
  const rest = await (await call("GET", `/runs/${id}/events`, undefined, { "last-event-id": first })).text();
  assert.deepEqual(ids(rest), later);
  assert.match(rest, /event: run\.suspended\n/);

  const done = await call("POST", `/runs/${id}/answers`, { boss: { approved: true } });
  const { status, state } = await done.json();
  assert.deepEqual([done.status, status, state.paid], [200, "done", 12]);

  const agUi = await call("POST", "/runs", { threadId: "t", runId: "r", messages: [], state: { sum: 3 } }, { accept: "text/event-stream; protocol=ag-ui" });
  const interrupt = (await agUi.text()).match(/"interrupts":\[\{"id":"([^"]+)"/)[1];
  const link = (await LINKS.to({ runId: interrupt.split("/")[0], key: "boss", answer: { approved: true } })).replace(ADDRESS, url);
  const seen = await fetch(link);
  assert.match(await seen.text(), /Pay 3\?.*<button>Approve<\/button>/);
  const pressed = await Promise.all([1, 2, 3].map(() => fetch(link, { method: "POST" })));
  assert.deepEqual(pressed.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.equal((await fetch(`${link}A`, { method: "POST" })).status, 403);

  const other = await (await call("POST", "/runs", { sum: 1 })).json();
  assert.equal((await call("DELETE", `/runs/${other.runId}`)).status, 204);
  assert.equal((await (await call("GET", `/runs/${other.runId}`)).json()).code, "cancelled");
}
