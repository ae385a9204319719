// workerd, as wrangler brings a Worker there: bundled with the `workerd` condition, the engine as a compiled module.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

export async function* workerd({ folder, entries }) {
  const out = join(folder, "worker");
  await build({
    absWorkingDir: folder,
    entryPoints: ["worker.mjs"],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    loader: { ".wasm": "copy" },
    outdir: out,
    logLevel: "silent",
  });
  const binaries = (await readdir(out)).filter((name) => name.endsWith(".wasm"));
  const miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    modulesRoot: out,
    modules: [
      { type: "ESModule", path: join(out, "worker.js") },
      ...binaries.map((name) => ({ type: "CompiledWasm", path: join(out, name) })),
    ],
  });
  try {
    for (const entry of entries) {
      const response = await miniflare.dispatchFetch("http://worker.test/", { method: "POST", body: JSON.stringify(entry) });
      if (!response.ok) throw new Error(`the Worker answered ${response.status} for ${entry.name}: ${await response.text()}`);
      yield await response.json();
    }
  } finally {
    await miniflare.dispose();
  }
}
