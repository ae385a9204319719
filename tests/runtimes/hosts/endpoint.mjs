// A model's endpoint on this machine, for what no script can stand in for: the runtime's own fetch.
import { once } from "node:events";
import { createServer } from "node:http";

const piece = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
const MESSAGE = ["one ", "two"].map((text, index) => ({ type: "content_block_start", index, content_block: { type: "text", text } }));
const MESSAGE_END = [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }];
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
/** Long enough for a browser on a busy machine to see the parts apart. */
const BETWEEN_MS = 200;
/**
 * An origin where nothing listens. A port that was free a moment ago is given to the next who asks for one; this one is given to
 * nobody, and is none of those that browsers and Node refuse by their number.
 */
export const NOWHERE = "http://127.0.0.1:2";

/** Starts it; gives its origin, that of a port where nothing listens, and what closes it. */
export async function startEndpoint() {
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, CORS).end();
    const { pathname } = new URL(request.url, "http://localhost");
    request.resume().on("end", () => answer(pathname.split("/")[1], request, response));
  });
  const origin = await listening(server);
  return { origin, nowhere: NOWHERE, close: () => closed(server) };
}

function answer(kind, request, response) {
  if (kind === "pages") return void answerPages(request, response);
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

/** As Anthropic does: a request from a page is answered only when it says that it is meant to come from one. */
function answerPages({ headers }, response) {
  const isFromPage = headers.origin !== undefined;
  const saysSo = headers["anthropic-dangerous-direct-browser-access"] === "true";
  if (isFromPage !== saysSo || headers["x-api-key"] !== "canary-123" || headers["anthropic-version"] !== "2023-06-01") {
    return void response.writeHead(400, { ...CORS, "content-type": "application/json" }).end('{"error":{"message":"wrong headers"}}');
  }
  response.writeHead(200, { ...CORS, "content-type": "text/event-stream" });
  response.end([...MESSAGE, ...MESSAGE_END].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
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
