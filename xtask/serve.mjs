// Serves web/dist on this machine: `node xtask/serve.mjs PORT`.
import { preview } from "vite";

const port = Number(process.argv[2]);
await preview({
  configFile: "web/vite.config.ts",
  logLevel: "warn",
  preview: { port, strictPort: true },
});
console.log(`\n  The builder is at http://127.0.0.1:${port}\n  Ctrl-C stops it.\n`);
// The chore that started this server keeps its input open: when that ends in any way, the server ends too.
process.stdin.on("close", () => process.exit()).resume();
