import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The page's entry is index.html at the top of the repository.
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  // Relative, so that the built page can lie in any folder of a site.
  base: "./",
  publicDir: false,
  build: {
    outDir: "web/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined files would be data: addresses, which the page's policy does not allow.
    assetsInlineLimit: 0,
  },
  worker: { format: "es" },
  // Of all policies this one a page cannot give itself: no other site may show the builder inside of its own.
  preview: { host: "127.0.0.1", headers: { "content-security-policy": "frame-ancestors 'none'" } },
});
