// A workerd that is killed, and started again over what it has kept.
import { execFileSync } from "node:child_process";
import { Miniflare } from "miniflare";

export class Life {
  #options;
  #headers;
  #miniflare;

  /** The options of Miniflare, and headers of each call. */
  constructor(options, headers = {}) {
    this.#options = options;
    this.#headers = headers;
    this.#miniflare = new Miniflare(options);
  }

  /** Calls an address of the Worker; a call that is cut off gives nothing. */
  async call(method, path, body, headers = {}) {
    try {
      return await this.#miniflare.dispatchFetch(`http://worker.test${path}`, { method, headers: { ...this.#headers, ...headers }, ...(body && { body: JSON.stringify(body) }) });
    } catch {
      return undefined;
    }
  }

  /** Kills the process, and begins another one. */
  async restart() {
    killRuntimes();
    const killed = this.#miniflare;
    this.#miniflare = new Miniflare(this.#options);
    await this.#miniflare.ready;
    void killed.dispose().catch(() => {});
  }

  async leave() {
    await this.#miniflare.dispose();
  }
}

/** Kills every workerd that this process has started, as a machine that fails does. */
function killRuntimes() {
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  for (const line of lines) {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    if (Number(parent) === process.pid && command.join(" ").includes("workerd")) process.kill(Number(pid), "SIGKILL");
  }
}
