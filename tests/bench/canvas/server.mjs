// Serves what is measured on one port: the built builder at `/`, React Flow's page at `/flow/`, and models that stream.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const BUILDER = fileURLToPath(new URL("../../../web/dist", import.meta.url));
const PEERS = fileURLToPath(new URL("peers/node_modules", import.meta.url));
/** Milliseconds between two pieces of an answer: also the pace of React Flow's page. */
export const PACE_MS = 50;
const PIECES = 2_000;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml" };
// As `vite preview` serves the page; the rest of its policy stands in the page itself.
const HEADERS = { "content-security-policy": "frame-ancestors 'none'" };

/** Starts it; `graphs` are what React Flow's page can ask for, by name. */
export async function serve(graphs) {
  const flow = await bundled();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  const endpoints = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${port}/v1`);
  return { origin: `http://127.0.0.1:${port}`, endpoints, stop: () => (server.closeAllConnections(), server.close()) };

  async function answer(request, response) {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname.startsWith("/v1/")) return stream(request, response);
    if (pathname.startsWith("/flow/graph/")) return send(response, ".json", JSON.stringify(graphs.get(pathname.slice("/flow/graph/".length))));
    if (pathname.startsWith("/flow/")) return send(response, extname(pathname) || ".html", flow.get(pathname));
    const path = normalize(pathname === "/" ? "/index.html" : pathname);
    return send(response, extname(path), await readFile(join(BUILDER, path)));
  }
}

function send(response, ending, body) {
  if (body === undefined) throw new Error("there is no such file");
  response.writeHead(200, { ...HEADERS, "content-type": TYPES[ending] ?? "application/octet-stream" }).end(body);
}

async function bundled() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("react-flow/page.jsx", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/flow",
    write: false,
    nodePaths: [PEERS],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>React Flow</title><link rel="stylesheet" href="page.css"><div id="root"></div><script type="module" src="page.js"></script></html>';
  return new Map([["/flow/", html], ...outputFiles.map(({ path, contents }) => [path, contents])]);
}

/** An answer of an OpenAI-compatible endpoint, one word at a time, until nobody listens. */
function stream(request, response) {
  const allowed = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  if (request.method === "OPTIONS") return response.writeHead(204, allowed).end();
  response.writeHead(200, { ...allowed, "content-type": "text/event-stream" });
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    const choices = [{ index: 0, delta: { content: `word${sent} ` }, finish_reason: sent === PIECES ? "stop" : null }];
    response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\n`);
    if (sent === PIECES) response.end("data: [DONE]\n\n");
  }, PACE_MS);
  response.on("close", () => clearInterval(timer));
}
