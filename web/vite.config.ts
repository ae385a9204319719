import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { relayBeside } from "../xtask/relay.mjs";

/** The page that a sign-in to an MCP server comes back to: plain files beside the builder, as the package has them. */
function callbackPage(): Plugin {
  return {
    name: "mcp-callback",
    generateBundle() {
      for (const fileName of ["mcp-callback.html", "mcp-callback.js"]) {
        this.emitFile({ type: "asset", fileName, source: readFileSync(new URL(`../pkg/dist/${fileName}`, import.meta.url)) });
      }
    },
  };
}

// The page's entry is index.html at the top of the repository.
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  // Relative, so that the built page can lie in any folder of a site.
  base: "./",
  publicDir: false,
  plugins: [relayBeside(), callbackPage()],
  build: {
    outDir: "web/dist",
    emptyOutDir: true,
    target: "es2022",
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    modulePreload: { polyfill: false },
    // Inlined files would be data: addresses, which the page's policy does not allow.
    assetsInlineLimit: 0,
  },
  worker: { format: "es" },
  // No page of another origin reads anything here, not even one of this machine: the relay's token is among it.
  // Of all policies this one a page cannot give itself: no other site may show the builder inside of its own.
  preview: { host: "127.0.0.1", cors: false, headers: { "content-security-policy": "frame-ancestors 'none'" } },
});
