// A Worker as wrangler brings it to workerd: bundled with the `workerd` condition, the engine's files as compiled modules.
import { basename } from "node:path";
import { build } from "esbuild";

/**
 * Bundles a Worker.
 *
 * @param {string} program The path of its file; what it imports is looked for from there.
 * @param {import("esbuild").BuildOptions} [options] Further options of esbuild.
 * @returns {Promise<Pick<import("miniflare").WorkerOptions, "modules" | "modulesRoot">>} The options of Miniflare for it.
 */
export async function bundled(program, options) {
  const { outputFiles } = await build({
    entryPoints: { index: program },
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    outdir: "/",
    write: false,
    logLevel: "error",
    ...options,
  });
  const modules = outputFiles.map(({ path, contents }) => ({
    type: path.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
    path: `/${basename(path)}`,
    contents,
  }));
  // The first one is the Worker itself.
  modules.sort((one, other) => Number(other.path === "/index.js") - Number(one.path === "/index.js"));
  return { modulesRoot: "/", modules };
}
