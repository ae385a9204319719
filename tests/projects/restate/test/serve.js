// The service behind a Restate server of its own, both on this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http2";
import { createRequire } from "node:module";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endpoint } from "../src/service.js";

const { resolve } = createRequire(import.meta.url);
const keys = ["ANTHROPIC_API_KEY","BANK_KEY"];

export async function serve() {
  const folder = await mkdtemp(join(tmpdir(), "restate-"));
  const refused = [];
  const refuse = async (request) => {
    refused.push(new Request(request).url);
    return new Response("refused by the test", { status: 400 });
  };
  const set = Object.fromEntries(keys.map((name) => [name, "a-key-of-the-tests"]));
  const service = createServer(endpoint(set, { fetch: refuse })).listen(0, "127.0.0.1");
  await once(service, "listening");
  const [node, admin, ingress] = await Promise.all([freePort(), freePort(), freePort()]);
  const program = resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
  const given = ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node), "--base-dir", folder, "--node-name", "tests"];
  const environment = { ...process.env, RESTATE_ADMIN__BIND_PORT: String(admin), RESTATE_INGRESS__BIND_PORT: String(ingress), RESTATE_LOG_FILTER: "error", DO_NOT_TRACK: "1" };
  const server = spawn(program, given, { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const stop = async () => {
    server.kill("SIGKILL");
    service.close();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const address of [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`]) {
      while (!(await fetch(address).then(({ ok }) => ok, () => false))) {
        if (server.exitCode !== null) throw new Error("Restate's server has ended; its words are above");
        await new Promise((later) => setTimeout(later, 100));
      }
    }
    const registered = await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${service.address().port}` });
    if (!registered.ok) throw new Error(`Restate's server does not take the service: ${await registered.text()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ingress: `http://127.0.0.1:${ingress}`, refused, stop };
}

/** Posts JSON. */
export function post(url, body) {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function freePort() {
  const server = createSocket().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}
