// The relay where it runs: beside the served builder in Node, and in workerd as wrangler would deploy it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { preview } from "vite";
import { bundled } from "../edge/worker.mjs";

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * A relay that runs, the origin of pages that may call it, and its token.
 *
 * @typedef {{ url: string, page: string, token: string, stop: () => Promise<void> }} Running
 */

/** @type {Record<string, (inside: readonly string[]) => Promise<Running>>} Started with the origins of this machine that it may send to. */
export const HOSTS = {
  async Node(inside) {
    process.env.STEPWEAVE_RELAY_INSIDE = inside.join(" ");
    const server = await preview({ configFile: file("web/vite.config.ts"), logLevel: "silent", preview: { port: 0 } });
    const page = `http://127.0.0.1:${server.httpServer.address().port}`;
    const { relay } = await (await fetch(`${page}/relay`)).json();
    return { url: page + relay.url, page, token: relay.token, stop: () => server.close() };
  },

  async workerd(inside) {
    const { compatibility_date, compatibility_flags, vars } = await workerSettings();
    const token = "a token of more than sixteen characters";
    const page = "https://builder.example";
    const miniflare = new Miniflare({
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      ...(await bundled(file("examples/relay/relay.ts"))),
      compatibilityDate: compatibility_date,
      compatibilityFlags: compatibility_flags,
      bindings: { ...vars, RELAY_TOKEN: `${token}\n`, ALLOWED_ORIGINS: `https://other.example, ${page}`, INSIDE_ORIGINS: inside.join(",") },
      handleRuntimeStdio: () => {},
    });
    return { url: (await miniflare.unsafeGetDirectURL()).href, page, token, stop: () => miniflare.dispose() };
  },
};

/** What `wrangler.jsonc` says. */
export async function workerSettings() {
  const text = await readFile(file("examples/relay/wrangler.jsonc"), "utf8");
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ""));
}
