// The Worker as it would be deployed, in Cloudflare's own runtime on this machine.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";

const root = fileURLToPath(new URL("..", import.meta.url));
const config = join(root, "wrangler.jsonc");
const keys = ["ANTHROPIC_API_KEY","BANK_KEY"];

/** The Worker with this environment; `takesAhead` says whether answers are kept that come before somebody is asked. */
export async function serve(environment) {
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  // What `wrangler deploy` would send, and nothing is sent.
  const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", config], { cwd: root, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, WRANGLER_SEND_METRICS: "false" } });
  const refused = [];
  const miniflare = new Miniflare({
    modulesRoot: folder,
    modules: modulesIn(folder),
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["enable_request_signal"],
    bindings: { ...Object.fromEntries(keys.map((name) => [name, "a-key-of-the-tests"])), ...environment },
    workflows: { RUNS: { name: "runs", className: "Runs" } },
    outboundService(request) {
      refused.push(request.url);
      return new Response("refused by the test", { status: 400 });
    },
  });
  const stop = async () => {
    await miniflare.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await miniflare.ready;
  } catch (error) {
    await stop();
    throw error;
  }
  return { fetch: (url, init) => miniflare.dispatchFetch(url, init), refused, stop, takesAhead: true };
}

function modulesIn(folder) {
  const files = readdirSync(folder).filter((file) => /\.(js|wasm)$/.test(file));
  // The first one is the Worker itself.
  files.sort((one, other) => Number(other === "index.js") - Number(one === "index.js"));
  return files.map((file) => ({ type: file.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: join(folder, file), contents: readFileSync(join(folder, file)) }));
}
