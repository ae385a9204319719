// Answers every request with recorded bytes, over real HTTP, cut as requested. Each piece is an HTTP chunk of its own and
// goes out when the one before has left, so that a client in this process gets them one by one.
import { once } from "node:events";
import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";

/** Starts a server; `play(pieces)` gives the base URL under which each request is answered with these pieces. */
export async function startReplay() {
  const answers = [];
  const server = createServer((request, response) => {
    const pieces = answers[Number(request.url.split("/")[1])];
    request.resume();
    request.once("end", () => answer(response, pieces));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const play = (pieces) => `${origin}/${answers.push(pieces) - 1}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { play, stop };
}

async function answer(response, pieces) {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  await setImmediate();
  for (const piece of pieces) {
    // A client that has seen enough closes the connection.
    if (response.destroyed) return;
    await new Promise((sent) => response.write(piece, sent));
    await setImmediate();
  }
  response.end();
}
