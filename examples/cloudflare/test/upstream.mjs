// An endpoint on a real socket that answers as a test tells it to, and keeps what it was asked.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * @param {(request: {headers: object, body: any}, response: import("node:http").ServerResponse) => void} answer
 */
export async function startUpstream(answer) {
  const requests = [];
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { headers: incoming.headers, body: JSON.parse(Buffer.concat(chunks)), hungUp: once(response, "close") };
    requests.push(request);
    answer(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, stop };
}

/** Writes a piece of an answer, as OpenAI chat completions are streamed. */
export function say(response, content) {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
}

/** Ends an answer as it should end. */
export function finish(response) {
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`);
  response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** Refuses with a status and an error in OpenAI's words. */
export function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
}
