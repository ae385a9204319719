// Restate's own server, and processes that serve a workflow behind one address.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";

const { resolve } = createRequire(import.meta.url);

/** Restate's SDK asks for Node 22. */
export const NODE = Number(process.versions.node.split(".")[0]) >= 22 ? process.execPath : resolve(`node-${process.platform}-${process.arch}/bin/node`);

async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

/** The server, over what it has kept in a folder. */
export class Restate {
  #child;
  #folder;
  #ports;
  said = "";

  constructor(folder) {
    this.#folder = folder;
  }

  async start() {
    const [node, admin, ingress] = (this.#ports ??= await freePorts(3));
    const program = resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
    const env = { ...process.env, RESTATE_ADMIN__BIND_PORT: admin, RESTATE_INGRESS__BIND_PORT: ingress, RESTATE_LOG_FILTER: "warn", DO_NOT_TRACK: "1" };
    const given = ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node), "--base-dir", this.#folder, "--node-name", "one"];
    this.#child = spawn(program, given, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on("data", (chunk) => { this.said = (this.said + chunk).slice(-20_000); });
    [this.admin, this.ingress] = [`http://127.0.0.1:${admin}`, `http://127.0.0.1:${ingress}`];
    for (const address of [`${this.admin}/health`, `${this.ingress}/restate/health`]) {
      while (!(await fetch(address).then(({ ok }) => ok, () => false))) {
        if (this.#child.exitCode !== null) throw new Error(this.said);
        await new Promise((later) => setTimeout(later, 100));
      }
    }
    return this;
  }

  async register(uri) {
    const response = await fetch(`${this.admin}/deployments`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ uri, force: true }) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Calls a handler; `send` does not wait for its end. */
  async call(workflow, key, handler, body, how = "") {
    const response = await fetch(`${this.ingress}/${workflow}/${key}/${handler}${how}`, { method: "POST", headers: { "content-type": "application/json" }, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** What a workflow gave, once it has ended. */
  async output(workflow, key) {
    const response = await fetch(`${this.ingress}/restate/workflow/${workflow}/${key}/output`);
    return response.status === 470 ? undefined : { status: response.status, body: await response.json() };
  }

  async kill() {
    if (this.#child?.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

/** Processes of which any may be killed, behind an address that leads to those that live. */
export class Services {
  #program;
  #words;
  #children = [];
  #proxy;
  #next = 0;

  /** `program` is a file of the folder beside this one, which says its port when it listens; `words` are its arguments. */
  constructor(program, ...words) {
    this.#program = fileURLToPath(new URL(`programs/${program}`, import.meta.url));
    this.#words = words;
  }

  async start(count) {
    await Promise.all(Array.from({ length: count }, () => this.#begin()));
    this.#proxy = createServer((socket) => {
      const child = this.#children[(this.#next += 1) % this.#children.length];
      if (child === undefined) return socket.destroy();
      const other = connect(child.port, "127.0.0.1");
      child.connections += 1;
      for (const [one, two] of [[socket, other], [other, socket]]) {
        one.on("error", () => two.destroy());
        one.on("close", () => two.destroy());
        one.pipe(two);
      }
      other.on("close", () => { child.connections -= 1; });
    });
    this.#proxy.listen(0, "127.0.0.1");
    await once(this.#proxy, "listening");
    this.address = `http://127.0.0.1:${this.#proxy.address().port}`;
    return this;
  }

  /** Kills the process that has most of the work; another one begins later. */
  async kill() {
    const busiest = [...this.#children].sort((one, other) => other.connections - one.connections)[0];
    if (busiest === undefined) return;
    this.#children = this.#children.filter((child) => child !== busiest);
    busiest.process.kill("SIGKILL");
    await once(busiest.process, "exit");
    await this.#begin();
  }

  async #begin() {
    const process_ = spawn(NODE, [this.#program, ...this.#words], { stdio: ["ignore", "pipe", "inherit"] });
    const [chunk] = await once(process_.stdout, "data");
    this.#children.push({ process: process_, port: Number(chunk), connections: 0 });
  }

  stop() {
    this.#proxy.close();
    for (const { process } of this.#children) process.kill("SIGKILL");
  }
}
