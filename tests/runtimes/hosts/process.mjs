// Runtimes that are programs of their own: each prints a line of JSON for each scenario.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const TOOLS = fileURLToPath(new URL("../../../node_modules/.bin", import.meta.url));
const TIMEOUT_MS = 60_000;

export const nodeImport = program(process.execPath, () => ["main.mjs"]);
export const nodeRequire = program(process.execPath, () => ["main.cjs"]);
// No permission but to call the endpoints: the package itself needs none.
export const deno = program(join(TOOLS, "deno"), (origins) => {
  const hosts = origins.map((origin) => new URL(origin).host).join(",");
  return ["run", "--quiet", "--no-prompt", "--no-remote", "--node-modules-dir=manual", `--allow-net=${hosts}`, "main.mjs"];
});
export const bun = program(join(TOOLS, "bun"), () => ["--no-install", "main.mjs"]);

function program(command, argsFor) {
  return async function* ({ folder, origins }) {
    // A home of their own, so that nothing cached or configured on the machine is seen.
    const home = join(folder, "home");
    const env = { PATH: process.env.PATH, HOME: home, DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" };
    const child = spawn(command, argsFor(origins), { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
    const ended = once(child, "close");
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
    const [code, signal] = await ended;
    if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code}`}\n${complaint}`);
    if (complaint !== "") throw new Error(`it wrote to stderr:\n${complaint}`);
  };
}
