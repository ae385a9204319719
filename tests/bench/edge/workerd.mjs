// A workerd with one Worker, without what Miniflare puts around it: started to see how long that takes.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import workerd from "workerd";

/** The folder of a Worker's files, as workerd reads them. */
export class Prepared {
  #folder;

  /**
   * @param {{ modules: readonly { type: string, path: string, contents: Uint8Array }[] }} bundle The Worker.
   * @param {{ flags?: readonly string[], object?: string, origin: string }} options `object` names a class of Durable Objects.
   */
  constructor({ modules }, options) {
    this.#folder = mkdtempSync(join(tmpdir(), "stepweave-bench-"));
    for (const { path, contents } of modules) writeFileSync(join(this.#folder, basename(path)), contents);
    mkdirSync(join(this.#folder, "objects"));
    writeFileSync(join(this.#folder, "config.capnp"), configOf(modules, options));
  }

  /** Milliseconds from the start of the process until it listens, and until it has answered; and what it answered. */
  async coldStart() {
    const started = performance.now();
    const process = spawn(workerd.default, ["serve", "config.capnp", "--control-fd=3"], { cwd: this.#folder, stdio: ["ignore", "ignore", "pipe", "pipe"] });
    const complaints = [];
    process.stderr.on("data", (piece) => complaints.push(piece));
    try {
      const port = await listening(process);
      if (port === undefined) throw new Error(`workerd does not start: ${Buffer.concat(complaints)}`);
      const readyMs = performance.now() - started;
      const response = await fetch(`http://127.0.0.1:${port}/`);
      const answer = await response.text();
      if (!response.ok) throw new Error(`${answer} ${Buffer.concat(complaints)}`);
      return { readyMs, firstMs: performance.now() - started, answer };
    } finally {
      process.kill("SIGKILL");
    }
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The port that workerd says it listens on; nothing when it ends before. */
async function listening(process) {
  for await (const line of createInterface({ input: process.stdio[3] })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return port;
  }
  return undefined;
}

function configOf(modules, { flags = [], object, origin }) {
  const kinds = { ESModule: "esModule", CompiledWasm: "wasm" };
  const files = modules.map(({ type, path }) => `(name = "${basename(path)}", ${kinds[type]} = embed "${basename(path)}")`);
  const bindings = [`(name = "ORIGIN", text = "${origin}")`];
  if (object !== undefined) bindings.push(`(name = "${object}", durableObjectNamespace = "${object}")`);
  const objects = object === undefined
    ? ""
    : `durableObjectNamespaces = [(className = "${object}", uniqueKey = "${object}", enableSql = true)], durableObjectStorage = (localDisk = "objects"),`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${files.join(", ")}],
      compatibilityDate = "2026-01-01", compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(", ")}],
      bindings = [${bindings.join(", ")}], ${objects} globalOutbound = "internet",
    )),
    (name = "objects", disk = (path = "objects", writable = true)),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  # What \`cloudflare:email\` stands on is the platform's own: Miniflare adds it like this.
  extensions = [(modules = [(name = "cloudflare-internal:email", internal = true, esModule = "export default { EmailMessage: class {} };")])],
);
`;
}
