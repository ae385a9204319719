// A model's endpoint on this machine, for what no script can stand in for: the runtime's own fetch.
import { once } from "node:events";
import { createServer } from "node:http";

const piece = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
/** Long enough for a browser on a busy machine to see the parts apart. */
const BETWEEN_MS = 200;

/** Starts it; gives its origin, the origin of a port where nothing listens, and what closes it. */
export async function startEndpoint() {
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, CORS).end();
    const { pathname } = new URL(request.url, "http://localhost");
    request.resume().on("end", () => answer(pathname.split("/")[1], request, response));
  });
  const origin = await listening(server);
  const unused = createServer();
  const nowhere = await listening(unused);
  await closed(unused);
  return { origin, nowhere, close: () => closed(server) };
}

function answer(kind, request, response) {
  if (kind === "redirects") return void response.writeHead(307, { ...CORS, location: "/streams/chat/completions" }).end();
  if (request.headers.authorization !== "Bearer canary-123") {
    return void response.writeHead(401, { ...CORS, "content-type": "application/json" }).end('{"error":{"message":"no such key"}}');
  }
  response.writeHead(200, { ...CORS, "content-type": "text/event-stream" });
  response.write(piece("one "));
  setTimeout(() => {
    if (kind === "breaks") return void response.destroy();
    response.write(piece("two"));
    setTimeout(() => response.end(END), BETWEEN_MS);
  }, BETWEEN_MS);
}

async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}

async function closed(server) {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
