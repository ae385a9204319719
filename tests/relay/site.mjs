// A site on a real socket that sends no CORS headers, and keeps the requests.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * @param {(request: import("node:http").IncomingMessage & { text: string }, response: import("node:http").ServerResponse) => void} answer
 */
export async function startSite(answer) {
  const requests = [];
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    const request = Object.assign(incoming, { text: "", hungUp: once(response, "close") });
    for await (const chunk of incoming) chunks.push(chunk);
    request.text = Buffer.concat(chunks).toString();
    requests.push(request);
    answer(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
