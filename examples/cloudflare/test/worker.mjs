// Runs the Worker in workerd, bundled as wrangler bundles it and with wrangler.jsonc's own settings.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Starts the Worker on a free port.
 *
 * @param {object} [options]
 * @param {Record<string, string>} [options.env] Variables and secrets over those of wrangler.jsonc.
 * @param {string} [options.document] A path to take the place of workflow.json, as a user would put it there.
 * @returns {Promise<{url: URL, stop: () => Promise<void>}>}
 */
export async function startWorker({ env = {}, document } = {}) {
  const { compatibility_date, compatibility_flags, vars } = settings();
  const miniflare = new Miniflare({
    // Straight to the Worker: the usual address leads through one of miniflare's own, which never hears of a caller hanging up.
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    modulesRoot: "/",
    modules: await modules(document),
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings: { ...vars, ...env },
    // The log of failed runs is not the test's.
    handleRuntimeStdio: () => {},
  });
  return { url: await miniflare.unsafeGetDirectURL(), stop: () => miniflare.dispose() };
}

function settings() {
  const text = readFileSync(`${root}/wrangler.jsonc`, "utf8");
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ""));
}

async function modules(document) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { index: "src/index.ts" },
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    outdir: "/",
    write: false,
    // Here the package is a link that leads out of node_modules, of which esbuild says more than of what is installed.
    logLevel: "error",
    plugins: document === undefined ? [] : [inPlaceOf("workflow.json", document)],
  });
  return outputFiles
    .map(({ path, contents }) => ({
      type: path.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
      path: `/${basename(path)}`,
      contents,
    }))
    .sort((one, other) => Number(other.path === "/index.js") - Number(one.path === "/index.js"));
}

function inPlaceOf(name, path) {
  return { name: "in place", setup: ({ onResolve }) => onResolve({ filter: new RegExp(`/${name}$`) }, () => ({ path })) };
}
